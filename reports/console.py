"""Results and derivations on a terminal, or as plain text where there is none."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from reports.results import ClaimResult, RunResult, TheoremResult, Verdict
from reports.text import summary

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

PLAIN_WIDTH = 110
_STYLES = {
    Verdict.VERIFIED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}


@dataclass(frozen=True)
class ExplainedClaim:
    """A claim as `explain` prints it: its proof in words, then the derivation's formulas (LaTeX).

    holds_for, origin: for which laws the argument holds, and where the statement comes from.
    coq: what Coq has checked of it, for which laws, and the statement in Coq by lines.
    """

    id: str
    statement: str
    proof: str
    derivation: Sequence[str] = ()
    holds_for: str = ""
    origin: str = ""
    coq: Sequence[tuple[str, Sequence[str]]] = ()


@dataclass(frozen=True)
class Explanation:
    """A theorem as `explain` prints it: statements in LaTeX, hypotheses (id, statement), shared arguments."""

    title: str
    source: str
    statement: str
    assumptions: Sequence[str]
    hypotheses: Sequence[tuple[str, str]]
    claims: Sequence[ExplainedClaim]
    arguments: Mapping[str, str] = field(default_factory=dict)


def print_result(result: TheoremResult | RunResult, quiet: bool = False, file: IO[str] | None = None) -> None:
    """Print a result to `file` (standard output); `quiet`: the closing line only."""
    if isinstance(result, TheoremResult):
        print_theorem(result, quiet, file)
        return
    if not quiet:
        for theorem in result.theorems:
            print_theorem(theorem, file=file)
            open_console(file).print("\n")
    print_closing(result, quiet, file)


def print_theorem(result: TheoremResult, quiet: bool = False, file: IO[str] | None = None) -> None:
    """Print the result of a theorem and its closing line; `quiet`: that line only."""
    if not quiet:
        _print_theorem(open_console(file), result)
    print_closing(result, quiet, file)


def print_closing(
    result: TheoremResult | RunResult, quiet: bool = False, file: IO[str] | None = None
) -> None:
    """Print the closing line; `quiet`: as one line, however long."""
    text = user_text(summary.closing_line(result), _STYLES[result.verdict])
    open_console(file).print(text, soft_wrap=quiet)


def print_explanation(explanation: Explanation, file: IO[str] | None = None) -> None:
    """Print statement, assumptions, hypotheses and the proof of each claim to `file` (standard output)."""
    from reports.text.unicode_math import formula_to_unicode

    console = open_console(file)
    _heading(console, explanation.title, explanation.source)
    _block(console, to_unicode(explanation.statement))
    _bullets(console, "Hypotheses", [f"{id}: {to_unicode(text)}" for id, text in explanation.hypotheses])
    _bullets(console, "Assumed throughout", [to_unicode(text) for text in explanation.assumptions])
    for claim in explanation.claims:
        console.print(user_text(claim.id, "bold"))
        _block(console, to_unicode(claim.statement))
        for name, text in (("argument for", claim.holds_for), ("statement", claim.origin)):
            if text:
                _block(console, f"{name}: {to_unicode(text)}", space=False)
        if claim.holds_for or claim.origin:
            console.print()
        _paragraphs(console, claim.proof)
        for formula in claim.derivation:
            for line in formula.split(r"\\"):
                _block(console, formula_to_unicode(line).strip(), indent=8, space=False)
        if claim.derivation:
            console.print()
        for name, lines in claim.coq:
            _block(console, f"in Coq: {to_unicode(name)}", indent=4, space=False)
            for line in lines:
                _block(console, line, indent=8, space=False)
            console.print()
    for name, text in explanation.arguments.items():
        console.print(user_text(f"Argument: {name}", "bold"))
        console.print()
        _paragraphs(console, text)


def _paragraphs(console: Console, text: str) -> None:
    """A proof in plain text: paragraphs; what is indented is displayed."""
    for paragraph in text.strip("\n").split("\n\n"):
        if paragraph:
            _block(console, to_unicode(paragraph), indent=8 if paragraph.startswith("    ") else 4)


class _Encodable:
    """Writes to a stream of any encoding; what it cannot encode becomes a question mark.

    Rich pads table cells with spaces; those at the end of a line go where nobody sees a table.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        if not self.isatty():
            text = re.sub(r" +$", "", text, flags=re.MULTILINE)
        return self.stream.write(text.encode(self.encoding, "replace").decode(self.encoding))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()


def open_console(file: IO[str] | None = None) -> Console:
    """A console on `file` (standard output), whatever its encoding; no markup, colour on a terminal only."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    encodable: IO[str] = _Encodable(stream)  # type: ignore[assignment]
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(file=encodable, width=width, markup=False, highlight=False, emoji=False)


def user_text(text: str, style: str = "") -> Text:
    """User text may hold Rich's markup or terminal codes; neither is obeyed."""
    from rich.text import Text

    return Text(summary.visible(text), style)


def to_unicode(statement: str) -> str:
    """`unicode_math.to_unicode`, whose tables a closing line does without."""
    from reports.text import unicode_math

    return unicode_math.to_unicode(statement)


def _print_theorem(console: Console, result: TheoremResult) -> None:
    _heading(console, result.title, result.source)
    _block(console, to_unicode(result.statement))
    law = f"{summary.law_text(result.law)}: {summary.support_text(result.law)}"
    _section(console, "Law", [[user_text(law)]])
    _section(console, "Hypotheses", [_hypothesis_row(h.holds, h.id, h.detail) for h in result.hypotheses])
    _section(console, "Claims", [_claim_row(claim) for claim in result.claims])
    for claim in result.claims:
        _print_failure(console, claim)
    _section(
        console,
        "False variants",
        [
            [
                _variant_mark(v.verdict),
                user_text(summary.short_id(v.id)),
                user_text(f"on {v.law}"),
                user_text(v.detail),
            ]
            for v in result.false_variants
        ],
    )
    _bullets(console, "Not proved here", [to_unicode(text) for text in result.assumptions])


def _hypothesis_row(holds: bool, id: str, detail: str) -> list[RenderableType]:
    mark = user_text("holds", "green") if holds else user_text("fails", "bold red")
    return [mark, user_text(id), user_text(detail)]


def _claim_row(claim: ClaimResult) -> list[RenderableType]:
    return [
        _verdict(claim.verdict),
        user_text(summary.short_id(claim.id)),
        user_text(summary.evidence(claim)),
        user_text(summary.decided(claim)),
        user_text(summary.seconds_text(claim.seconds)),
    ]


def _print_failure(console: Console, claim: ClaimResult) -> None:
    """The steps of a claim that is not verified: what failed, and where."""
    if claim.verdict in {Verdict.VERIFIED, Verdict.NOT_APPLICABLE}:
        return
    rows: list[list[RenderableType]] = [
        [_verdict(step.verdict), user_text(to_unicode(step.statement)), user_text(step.detail)]
        for step in claim.steps
        if step.verdict is not Verdict.VERIFIED
    ]
    _section(console, f"{claim.id}: steps not verified", rows)


def _verdict(verdict: Verdict) -> Text:
    return user_text(summary.word(verdict), _STYLES[verdict])


def _variant_mark(verdict: Verdict) -> Text:
    """A false variant is good when it is refuted."""
    style = "green" if verdict is Verdict.REFUTED else "bold red"
    return user_text(summary.word(verdict), "dim" if verdict is Verdict.NOT_APPLICABLE else style)


def _heading(console: Console, title: str, source: str) -> None:
    heading = user_text(to_unicode(title), "bold")
    if source:
        heading.append(f"  ({to_unicode(source)})", "dim")
    console.print(heading)
    console.print()


def _block(console: Console, text: str, indent: int = 2, space: bool = True) -> None:
    from rich.padding import Padding

    if text:
        console.print(Padding(user_text(text), (0, 0, 1 if space else 0, indent)))


def _bullets(console: Console, title: str, texts: Sequence[str]) -> None:
    _section(console, title, [[user_text("-"), user_text(text)] for text in texts])


def _section(console: Console, title: str, rows: Sequence[Sequence[RenderableType]]) -> None:
    """A title and a table without lines; all but the longest columns keep their width."""
    if rows:
        console.print(user_text(title, "bold"))
        console.print(_grid(rows))
        console.print()


def _grid(rows: Sequence[Sequence[RenderableType]]) -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(width=0)
    for _ in rows[0]:
        grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row("", *row)
    return grid
