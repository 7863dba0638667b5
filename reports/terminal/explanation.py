"""What a theorem says and why, as `explain` prints it: a page of a paper, on a terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from reports.results import ClaimResult, FalseVariantResult, Step, TheoremResult
from reports.terminal.console import block, bullets, grid, heading, open_console, section, words
from reports.text import coq
from reports.text.cases import general, groups, varying
from reports.text.summary import (
    NOT_PROVED,
    decided,
    evidence,
    provenance_text,
    short_id,
    shorten,
    to_unicode,
    universal_text,
    word,
)
from reports.text.unicode_math import display_lines, formula_to_unicode

if TYPE_CHECKING:
    from rich.console import Console

LINES = 3
"""How many a side of a formula may take."""


@dataclass(frozen=True)
class ExplainedClaim:
    """A claim as `explain` prints it.

    proof:      in words; paragraphs, of which those indented are displayed.
    steps:      the derivation; those without a formula are passed over.
    holds_for:  the laws that the argument holds for, and by what.
    checked_by: how it is checked for the law of a run.
    origin:     where the statement comes from.
    coq:        what Coq has checked of it, for which laws, and the statement in Coq by lines.
    variants:   its false twins, by id.
    """

    id: str
    statement: str
    proof: str
    steps: Sequence[Step] = ()
    holds_for: str = ""
    checked_by: str = ""
    origin: str = ""
    coq: Sequence[tuple[str, Sequence[str]]] = ()
    variants: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Explanation:
    """A theorem as `explain` prints it: statements, hypotheses and arguments by name."""

    title: str
    source: str
    statement: str
    assumptions: Sequence[str]
    hypotheses: Mapping[str, str]
    claims: Sequence[ExplainedClaim]
    definitions: Sequence[str] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)


def of_result(result: TheoremResult) -> Explanation:
    """The page of a theorem whose claims were run, each with its derivation and what was found."""
    return Explanation(
        title=result.title,
        source=result.source,
        statement=result.statement,
        definitions=result.definitions,
        assumptions=result.assumptions,
        hypotheses={hypothesis.id: hypothesis.statement for hypothesis in result.hypotheses},
        claims=[of_claim(claim, result.false_variants) for claim in result.claims],
        arguments=result.arguments,
    )


def of_claim(claim: ClaimResult, variants: Sequence[FalseVariantResult] = ()) -> ExplainedClaim:
    """A claim that was run, with those of the false variants that are its own."""
    return ExplainedClaim(
        id=claim.id,
        statement=claim.statement,
        proof=claim.proof,
        steps=claim.steps,
        holds_for=universal_text(claim.universal),
        checked_by=f"{word(claim.verdict)} ({evidence(claim)}); {decided(claim)}" if claim.kind else "",
        origin=provenance_text(claim.provenance),
        coq=[
            (coq.carried(checked), coq.laid_out(checked.statement))
            for checked in (claim.universal.coq if claim.universal is not None else ())
        ],
        variants={short_id(each.id): each.statement for each in variants if each.claim == claim.id},
    )


def print_claim(claim: ExplainedClaim, file: IO[str] | None = None) -> None:
    """Print one claim with its proof to `file`."""
    _print_claim(open_console(file), claim, set())


def print_explanation(explanation: Explanation, file: IO[str] | None = None) -> None:
    """Print statement, hypotheses, what is assumed, and each claim with its proof, to `file`."""
    console = open_console(file)
    heading(console, explanation.title, explanation.source)
    block(console, to_unicode(explanation.statement))
    block(console, " ".join(map(to_unicode, explanation.definitions)), style="dim")
    hypotheses = explanation.hypotheses.items()
    section(console, "Hypotheses", [[words(id), words(to_unicode(text))] for id, text in hypotheses])
    bullets(console, NOT_PROVED, explanation.assumptions)
    shown: set[tuple[str, str]] = set()
    for claim in explanation.claims:
        _print_claim(console, claim, shown)
    for name, text in explanation.arguments.items():
        console.print(words(f"Argument: {to_unicode(name)}", "bold"))
        console.print()
        _paragraphs(console, text)


def _print_claim(console: Console, claim: ExplainedClaim, shown: set[tuple[str, str]]) -> None:
    console.print(words(claim.id, "bold"))
    console.print()
    block(console, to_unicode(claim.statement))
    for name, text in (
        ("for ", claim.holds_for),
        ("for the law at hand: ", claim.checked_by),
        ("statement: ", claim.origin),
    ):
        if text:
            block(console, f"{name}{to_unicode(text)}", 4, space=False, style="dim")
    console.print()
    _paragraphs(console, claim.proof)
    _print_steps(console, [step for step in claim.steps if step.latex], shown)
    for name, lines in claim.coq:
        block(console, f"in Coq: {to_unicode(name)}", 4, space=False)
        for line in lines:
            block(console, line, 8, space=False)
        console.print()
    if claim.variants:
        block(console, "False, and refuted by the same code:", 4, space=False)
        rows = [[words("   "), words(id), words(to_unicode(text))] for id, text in claim.variants.items()]
        grid(console, rows, [0, 0, 0])
        console.print()


def _print_steps(console: Console, steps: Sequence[Step], shown: set[tuple[str, str]]) -> None:
    """What each step says, over its formula; the cases that one formula is for together.

    shown: steps whose formulas stand above already; those printed are added.
    """
    above = [step for step in steps if (step.statement, step.latex) in shown]
    if above:
        said = "; ".join(dict.fromkeys(to_unicode(step.words or step.statement) for step in above))
        block(console, f"As above: {said}.", 4)
    for group in groups([step for step in steps if step not in above], lambda step: step.latex):
        names = varying(group)
        said = general(group[0], names) if names else group[0].statement
        block(console, to_unicode(said) + _cases(group, names), 4, space=False)
        for line in display_lines(group[0].latex):
            for part in _broken(line, console.width - 8):
                block(console, part, 8, space=False)
        console.print()
    shown.update((step.statement, step.latex) for step in steps)


def _cases(group: Sequence[Step], names: Sequence[str]) -> str:
    """``, (d₁, d₂) = (1, 1), (2, 1)``."""
    if not names:
        return ""
    values = [", ".join(step.case[name] for name in names) for step in group]
    one = len(names) == 1
    said, at = ", ".join(names), ", ".join(values if one else [f"({value})" for value in values])
    return f", {formula_to_unicode(said if one else f'({said})')} = {at}"


def _broken(line: str, width: int) -> list[str]:
    """A displayed line, before its relations where it is too long; what nobody reads is left out."""
    parts = [line] if len(line) <= width else re.split(r" (?=[=≤<] )", line)
    return [shorten(part, LINES * width) for part in parts]


def _paragraphs(console: Console, text: str) -> None:
    """A proof: paragraphs; what is indented is displayed."""
    for paragraph in text.strip("\n").split("\n\n"):
        if paragraph:
            block(console, to_unicode(paragraph), 8 if paragraph.startswith("    ") else 4)
