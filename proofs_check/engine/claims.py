"""What a theorem is made of: hypotheses, claims with their steps, false variants.

A theorem is one file in `proofs_check/theorems/` that binds `THEOREM`.  It is
read when the command line starts, so it must not import SymPy, SciPy, NumPy or
flint at the top: `theory` and `numerics` load their modules on first use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reports.results import Evidence, Series, Step, Verdict
from reports.text.summary import shorten_numbers

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.context import Run


@dataclass
class Record:
    """Collects the steps and numbers of one claim while it is being checked.

    least: the weakest kind of evidence that a step may rest on.
    heard: told of each step as it is made.
    """

    least: Evidence
    steps: list[Step] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    figure: str = ""
    heard: Callable[[Step], None] | None = None

    def check(
        self,
        kind: Evidence,
        statement: str,
        holds: bool | None,
        *,
        latex: str = "",
        bits: int | None = None,
        detail: str = "",
        least: Evidence | None = None,
    ) -> None:
        """Add a step.  `holds` None means undecided; TypeError for what is not True, False or None.

        A step whose evidence is weaker than `least` proves nothing: a positive
        outcome becomes inconclusive.
        """
        if holds is not None and not isinstance(holds, bool):
            # A function that was not called would count as true.
            raise TypeError(f"{statement}: {type(holds).__name__} is not True, False or None")
        weak = kind.strength > (least or self.least).strength
        verdict = Verdict.of(None if weak and holds else holds)
        step = Step(kind, statement, latex, verdict, bits, shorten_numbers(detail))
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


Check = Callable[["Run", Record], None]


@dataclass(frozen=True)
class Hypothesis:
    """A condition that a law, or the depths asked for, may fail: the one way not to apply.

    `check` returns whether it holds, and by how much; exactly.
    decisive: the theorem does not apply without it, and its statement says so; else only the claims
              that need it do not, whose statements then begin with it.
    """

    id: str
    statement: str
    check: Callable[[Run], tuple[bool, str]]
    decisive: bool = True


@dataclass(frozen=True)
class Claim:
    """One statement and the function that checks it; the function's docstring is the proof.

    id:       short, unique in the theorem; public as ``theorem.id``.
    least:    the weakest evidence it accepts.
    needs:    ids of the hypotheses without which it says nothing.
    uses:     ids of claims that have to be run with it.
    option:   run only if this option was given (`candidate`, `statistical`).
    """

    id: str
    statement: str
    least: Evidence
    check: Check
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    option: str | None = None

    @property
    def proof(self) -> str:
        """The docstring of the checking function: the proof as a reader would write it."""
        return inspect.getdoc(self.check) or ""


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
    assumptions:    standing assumptions, printed under "what is not proved here".
    options:        the options that it has beyond those that every theorem has:
                    of `depth`, `epsilon`, `candidate`, `start`, `basin`.
    default_depths: used where no `--depth` is given; None without that option.
    max_depth:      the largest depth accepted by `--depth`.
    depth_limits:   one line a family of laws, printed by `list`.
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
    claims: list[Claim] = field(default_factory=list)
    false_variants: list[FalseVariant] = field(default_factory=list)

    def claim(
        self,
        id: str,
        statement: str,
        least: Evidence,
        *,
        needs: Sequence[str] = (),
        uses: Sequence[str] = (),
        option: str | None = None,
    ) -> Callable[[Check], Check]:
        """Decorator: the function below checks this claim."""
        conditions = ", ".join(h.statement for h in self.hypotheses if h.id in needs and not h.decisive)
        carried = rf"{conditions}: \quad {statement}" if conditions else statement

        def register(check: Check) -> Check:
            self.claims.append(Claim(id, carried, least, check, tuple(needs), tuple(uses), option))
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
