"""What a theorem is made of: hypotheses, claims with their steps, false variants.

A theorem is one file in `proofs_check/theorems/` that binds `THEOREM`.  It is
read when the command line starts, so it must not import SymPy, SciPy, NumPy or
flint at the top: `theory` and `numerics` load their modules on first use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from reports.layouts import TableColumn, TableLayout
from reports.results import (
    Basis,
    Compared,
    CoqTheorem,
    Evidence,
    FigurePart,
    Origin,
    Provenance,
    Series,
    Step,
    Universal,
    Valued,
    Verdict,
)
from reports.text.marked import in_case
from reports.text.summary import shorten_numbers

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.context import Run


@dataclass
class Record:
    """Collects the steps and numbers of one claim while it is being checked.

    weakest: the weakest kind of evidence that a step may rest on.
    summary: the one number or sentence that decided the claim.
    heard:   told of each step as it is made.
    typeset: whether steps have the LaTeX of their derivations.
    """

    weakest: Evidence
    steps: list[Step] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    summary: str = ""
    heard: Callable[[Step], None] | None = None
    typeset: bool = True

    def check(
        self,
        kind: Evidence,
        statement: str,
        holds: bool | None,
        *,
        latex: str = "",
        bits: int | None = None,
        detail: str = "",
        weakest: Evidence | None = None,
        cross_check: bool = False,
        case: Mapping[str, object] | None = None,
        values: Sequence[Valued] = (),
        compared: Compared | None = None,
    ) -> None:
        """Add a step.  `holds` None means undecided; TypeError for what is not True, False or None.

        `case`: which of several cases it is, such as `{"T": 8}`; `{T}` in the statement stands for the value.
        `values`: formulas with the numbers that they have here.
        `cross_check`: another step has shown it already, and this is a second route to it.
        `compared`: set by `evidence.compare`, which decides it too.

        A step whose evidence is weaker than `weakest` proves nothing: a positive
        outcome becomes inconclusive.
        """
        if holds is not None and not isinstance(holds, bool):
            # A function that was not called would count as true.
            raise TypeError(f"{statement}: {type(holds).__name__} is not True, False or None")
        weak = kind.strength > (weakest or self.weakest).strength
        verdict = Verdict.of(None if weak and holds else holds)
        shown = {name: str(value) for name, value in (case or {}).items()}
        sentence = in_case(statement, shown)
        step = Step(
            kind,
            sentence,
            latex,
            verdict,
            bits,
            shorten_numbers(detail),
            cross_check,
            statement,
            shown,
            list(values),
            compared,
        )
        self.steps.append(step)
        if self.heard is not None:
            self.heard(step)

    @property
    def verdict(self) -> Verdict:
        """The worst step; inconclusive if nothing was checked."""
        return Verdict.worst(step.verdict for step in self.steps) if self.steps else Verdict.INCONCLUSIVE

    @property
    def kind(self) -> Evidence | None:
        """The kind of the weakest step."""
        return Evidence.weakest(step.kind for step in self.steps)

    @property
    def decided_by(self) -> Evidence | None:
        """The kind of the weakest step that is no cross-check."""
        return Evidence.weakest(step.kind for step in self.steps if not step.cross_check)


Check = Callable[["Run", Record], None]


@dataclass(frozen=True)
class Hypothesis:
    """A condition that a law, or the depths asked for, may fail: the one way not to apply.

    `check` returns whether it holds, and by how much; exactly.
    decisive: the theorem does not apply without it, and its statement says so; else only the claims
              that need it do not, whose statements then begin with it.
    adjective, condition: the laws that it leaves, as in "every ADJECTIVE law CONDITION"; neither for a
              hypothesis on the depths.
    implies:  ids of hypotheses that hold wherever it does.
    of_bounded, not_zero: whether every bounded law has it, and no law with s = 0 almost surely: what the
              laws of the formal library are.
    """

    id: str
    statement: str
    check: Callable[[Run], tuple[bool, str]]
    decisive: bool = True
    adjective: str = ""
    condition: str = ""
    implies: tuple[str, ...] = ()
    of_bounded: bool = False
    not_zero: bool = False


@dataclass(frozen=True)
class Argument:
    """What of a claim does not depend on the law of the run; which laws it holds for, the hypotheses say.

    summary: what is argued, in a few words; its name, if it has a text.
    theorem: the name of the Coq theorem that proves it; with `by` formal, and only then.
    text:    the argument, where several claims rest on it; else it is the claim's docstring.
    coq:     further theorems of Coq, and what of the claim each carries.
    """

    by: Basis
    summary: str
    theorem: str | None = None
    text: str = ""
    coq: Mapping[str, str] = field(default_factory=dict)

    def carried_by(self, theorem: str) -> Argument:
        """The same argument, all of it proved by this theorem of Coq."""
        return replace(self, by=Basis.FORMAL, theorem=theorem)

    def in_coq(self, parts: Mapping[str, str]) -> Argument:
        """The same argument, of which Coq has checked these parts: `File.name`, and what it says."""
        return replace(self, coq=parts)


def by_symbols(summary: str) -> Argument:
    """An argument whose every step is an identity that computer algebra reduces to 0."""
    return Argument(Basis.SYMBOLIC, summary)


def by_prose(summary: str, text: str = "") -> Argument:
    """An argument in words: the docstring of the claim, or a text that several claims share."""
    return Argument(Basis.PROSE, summary, text=inspect.cleandoc(text))


def by_coq(theorem: str, summary: str, text: str = "") -> Argument:
    """An argument checked by Coq: the theorem `File.name` of `theory/formal/`; in words besides."""
    return Argument(Basis.FORMAL, summary, theorem, inspect.cleandoc(text))


DERIVED = Provenance(Origin.DERIVED)


def in_summary(number: str, note: str = "") -> Provenance:
    """A statement read in a published summary of the paper, which has it under this number."""
    return Provenance(Origin.SUMMARY, number=number, note=note)


def quoted(version: str, number: str, note: str = "") -> Provenance:
    """A statement in the paper's own words: the version of the paper, and the number in it."""
    return Provenance(Origin.QUOTED, version, number, note)


@dataclass(frozen=True)
class Claim:
    """One statement and the function that checks it; the function's docstring is the proof.

    id:       short, unique in the theorem; public as ``theorem.id``.
    weakest:  the weakest evidence it accepts.
    needs:    ids of the hypotheses without which it says nothing.
    uses:     ids of claims that have to be run with it.
    cites:    ids of claims before it that its argument takes as given, and that need not be run with it.
    option:   run only if this option was given (`candidate`, `statistical`).
    argument: the part of the argument that holds for other laws too; None if there is none.
    provenance: where the statement comes from; None if that is not said.
    """

    id: str
    statement: str
    weakest: Evidence
    check: Check
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    option: str | None = None
    argument: Argument | None = None
    provenance: Provenance | None = None
    cites: tuple[str, ...] = ()

    @property
    def proof(self) -> str:
        """The docstring of the checking function: the proof as a reader would write it."""
        return inspect.getdoc(self.check) or ""


def _laws(adjectives: Iterable[str], conditions: Iterable[str]) -> str:
    """The laws that are left: ``every bounded law of one factor``."""
    words = " ".join(filter(None, adjectives)), " and ".join(filter(None, conditions))
    return " ".join(filter(None, ["every", words[0], "law", words[1]]))


def _in_coq(theorem: str, part: str, needed: Sequence[Hypothesis]) -> CoqTheorem:
    """A theorem of the formal library: its `law` is bounded, with P(s > 0) > 0; without one it is of any."""
    from proofs_check.formal.index import statements

    stated = statements()[theorem]
    if ": law" not in stated:
        return CoqTheorem(theorem, _laws([], []), part, stated)
    conditions = [h.condition for h in needed if not h.of_bounded]
    if not any(h.not_zero for h in needed):
        conditions.insert(0, r"with $\mathbb{P}(s > 0) > 0$")
    adjectives = [h.adjective for h in needed if h.adjective != "bounded"]
    return CoqTheorem(theorem, _laws(["bounded", *adjectives], conditions), part, stated)


@dataclass(frozen=True)
class FalseVariant:
    """A deliberately false twin of a claim, checked by the claim's own code.

    differs: whether the twin is known, exactly, to be false for the run's law.
             Where it is not, the twin is run on `witness`, a law of s, or two of modalities.
    """

    id: str
    claim: str
    statement: str
    check: Check
    witness: str | tuple[str, str]
    differs: Callable[[Run], bool]

    def witness_law(self) -> Law:
        """The witness.  Raises LawError."""
        from numerics.laws.syntax import parse_law

        if isinstance(self.witness, str):
            return parse_law("squared_norm", self.witness)
        return parse_law("modalities", *self.witness)


@dataclass
class Theorem:
    """A theorem of the paper: statement, hypotheses, claims and false variants, in reading order.

    name:           as on the command line.
    source:         paper and number.
    assumptions:    standing assumptions, printed under "Not proved here".
    definitions:    of the letters, printed beside the statement.
    options:        the options that it has beyond those that every theorem has:
                    of `depth`, `epsilon`, `candidate`, `start`, `basin`.
    default_depths: used where no `--depth` is given; None without that option.
    max_depth:      the largest depth accepted by `--depth`.
    depth_limits:   one line a family of laws, printed by `list`.
    provenance:     where the statement comes from.
    """

    name: str
    title: str
    source: str
    statement: str
    assumptions: tuple[str, ...]
    hypotheses: tuple[Hypothesis, ...] = ()
    options: frozenset[str] = frozenset()
    default_depths: tuple[int, ...] | None = None
    max_depth: int | None = None
    depth_limits: str = ""
    provenance: Provenance | None = None
    claims: list[Claim] = field(default_factory=list)
    false_variants: list[FalseVariant] = field(default_factory=list)
    definitions: tuple[str, ...] = ()
    figures: list[FigurePart] = field(default_factory=list)
    tables: list[TableLayout] = field(default_factory=list)

    def claim(
        self,
        id: str,
        statement: str,
        weakest: Evidence,
        *,
        needs: Sequence[str] = (),
        uses: Sequence[str] = (),
        cites: Sequence[str] = (),
        option: str | None = None,
        argument: Argument | None = None,
        provenance: Provenance | None = None,
    ) -> Callable[[Check], Check]:
        """Decorator: the function below checks this claim."""
        conditions = ", ".join(h.statement for h in self.hypotheses if h.id in needs and not h.decisive)
        carried = f"{conditions}: {statement}" if conditions else statement

        def register(check: Check) -> Check:
            rests = tuple(needs), tuple(uses)
            self.claims.append(
                Claim(id, carried, weakest, check, *rests, option, argument, provenance, tuple(cites))
            )
            return check

        return register

    def false_variant(
        self,
        id: str,
        claim: str,
        statement: str,
        *,
        witness: str | tuple[str, str],
        differs: Callable[[Run], bool] = lambda run: True,
    ) -> Callable[[Check], Check]:
        """Decorator: the function below checks this false twin of `claim`."""

        def register(check: Check) -> Check:
            self.false_variants.append(FalseVariant(id, claim, statement, check, witness, differs))
            return check

        return register

    def universal(self, claim: Claim) -> Universal | None:
        """For which laws the claim's argument holds: those that the hypotheses which it needs leave."""
        if claim.argument is None:
            return None
        needed = [h for h in self.hypotheses if h.id in claim.needs]
        argument = claim.argument
        named = ({argument.theorem: ""} if argument.theorem else {}) | dict(argument.coq)
        coq = [_in_coq(theorem, part, needed) for theorem, part in named.items()]
        laws = _laws((h.adjective for h in needed), (h.condition for h in needed))
        return Universal(laws, argument.by, argument.theorem, argument.summary, coq)

    def figure(self, name: str, *, claim: str, y: str | Sequence[str], **how: Any) -> None:
        """Have a series of a claim drawn in the figure of this name; `reports.layouts.FigurePart` says how.

        Theorems that name the same figure share it.
        """
        columns = [y] if isinstance(y, str) else list(y)
        self.figures.append(FigurePart(name, f"{self.name}.{claim}", y=columns, **how))

    def table(self, name: str, *columns: TableColumn, rows: Sequence[str] = (), **how: Any) -> None:
        """Have numbers of the claims shown in a table; `reports.layouts.TableLayout` says how."""
        self.tables.append(TableLayout(name, list(columns), list(rows), **how))

    def shared_arguments(self, claims: Iterable[Claim]) -> dict[str, str]:
        """The texts of the arguments that these claims cite, by name, in reading order."""
        cited = (claim.argument for claim in claims)
        return {argument.summary: argument.text for argument in cited if argument and argument.text}

    def selection(self, ids: Iterable[str]) -> list[Claim]:
        """The claims named, short or full, and what they use, in reading order.

        Raises KeyError with the first id that is unknown.
        """
        by_id = {claim.id: claim for claim in self.claims}
        wanted: set[str] = set()
        pending = [id.removeprefix(f"{self.name}.") for id in ids]
        while pending:
            claim = by_id[pending.pop()]
            if claim.id not in wanted:
                wanted.add(claim.id)
                pending.extend(claim.uses)
        return [claim for claim in self.claims if claim.id in wanted]
