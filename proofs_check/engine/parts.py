"""The parts of a plan, its claims and false variants, and the result of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from numerics.errors import NumericsError
from proofs_check.engine.claims import Claim, FalseVariant, Record
from proofs_check.engine.context import Progress, Run, Silent
from reports.results import ClaimResult, Evidence, FalseVariantResult, HypothesisResult, Series, Step, Verdict
from reports.text.summary import ran_on, shorten_numbers

if TYPE_CHECKING:
    from proofs_check.engine.claims import Theorem
    from proofs_check.engine.context import Plan

NO_STEP = "nothing was checked"
Part = Claim | FalseVariant
PartResult = ClaimResult | FalseVariantResult
Heard = Callable[[Step | str], None]
"""Told of every step of a part as it is made; of a false variant first the law that it is checked on."""


class State:
    """A plan under way: how its hypotheses came out, and the memory that its parts share."""

    def __init__(self, plan: Plan, progress: Progress | None = None) -> None:
        self.plan = plan
        self.run = Run(plan.law, plan.settings, progress or Silent())
        self.hypotheses = [
            HypothesisResult(h.id, h.statement, holds, shorten_numbers(detail), h.decisive)
            for h in plan.hypotheses
            for holds, detail in [h.check(self.run)]
        ]
        self.parts: tuple[Part, ...] = (*plan.claims, *plan.variants)

    def name(self, index: int) -> str:
        """What is being worked on: ``theorem_6_2.limit``."""
        return f"{self.plan.theorem.name}.{self.parts[index].id}"

    def perform(self, index: int, heard: Heard | None = None) -> tuple[PartResult, float]:
        """The result of one part, and the seconds that it took."""
        part, begun = self.parts[index], time.perf_counter()
        record = Record(_weakest(self.plan.theorem, part), heard=heard, typeset=self.plan.typeset)
        failing = {h.id: h.detail for h in self.hypotheses if not h.holds}
        reason, law = "", ""
        if isinstance(part, Claim):
            reason = next((f"needs `{id}`: {failing[id]}" for id in part.needs if id in failing), "")
            if not reason:
                _check(part, record, self.run)
        else:
            where = _where(self.plan.theorem, part, self.run, failing)
            law = ran_on(where.law.kind, where.law.texts)
            if heard is not None:
                heard(law)
            _check(part, record, where)
        return self._result(part, record, time.perf_counter() - begun, reason, law)

    def stopped(
        self, index: int, heard: Sequence[Step | str], why: str, seconds: float
    ) -> tuple[PartResult, float]:
        """The result of a part that was broken off, from what had been heard of it."""
        part = self.parts[index]
        steps = [item for item in heard if isinstance(item, Step)]
        record = Record(_weakest(self.plan.theorem, part), steps)
        _end(record, why)
        laws, law = [item for item in heard if isinstance(item, str)], self.run.law
        return self._result(part, record, seconds, "", next(iter(laws), ran_on(law.kind, law.texts)))

    def _result(
        self, part: Part, record: Record, seconds: float, reason: str, law: str
    ) -> tuple[PartResult, float]:
        theorem = self.plan.theorem
        if isinstance(part, Claim):
            return _claim_result(theorem, part, record, seconds, reason), seconds
        return _variant_result(theorem.name, part, record, law), seconds


def _weakest(theorem: Theorem, part: Part) -> Evidence:
    """The weakest evidence that a claim, or the claim of a twin, accepts."""
    if isinstance(part, Claim):
        return part.weakest
    return next(claim.weakest for claim in theorem.claims if claim.id == part.claim)


def _where(theorem: Theorem, variant: FalseVariant, run: Run, failing: Mapping[str, str]) -> Run:
    """Where a false variant is checked: on its witness unless it is known to be false for the run's law."""
    claim = next(claim for claim in theorem.claims if claim.id == variant.claim)
    applies = not any(need in failing for need in claim.needs)
    return run if applies and _differs(variant, run) else run.on(variant.witness_law())


def _claim_result(theorem: Theorem, claim: Claim, record: Record, seconds: float, reason: str) -> ClaimResult:
    """`reason`: why the claim says nothing here; empty where it was checked."""
    said = shorten_numbers(reason or record.summary or ("" if record.steps else NO_STEP))
    return ClaimResult(
        id=f"{theorem.name}.{claim.id}",
        statement=claim.statement,
        verdict=Verdict.NOT_APPLICABLE if reason else record.verdict,
        kind=record.kind,
        steps=record.steps,
        values=_plain(record.values),
        series=msgspec.convert(_plain(record.series), dict[str, Series]),
        seconds=seconds,
        figure=said,
        proof=claim.proof,
        summary=said,
        decided_by=record.decided_by,
        universal=theorem.universal(claim),
        provenance=claim.provenance,
        option=claim.option,
        needs=list(claim.needs),
        uses=[f"{theorem.name}.{used}" for used in dict.fromkeys([*claim.uses, *claim.cites])],
    )


def _variant_result(theorem: str, variant: FalseVariant, record: Record, law: str) -> FalseVariantResult:
    decisive = [step.detail or step.statement for step in record.steps if step.verdict == record.verdict]
    return FalseVariantResult(
        id=f"{theorem}.{variant.id}",
        claim=f"{theorem}.{variant.claim}",
        statement=variant.statement,
        law=law,
        verdict=record.verdict,
        values=_plain(record.values),
        detail=next(iter(decisive), "" if record.steps else NO_STEP),
    )


def _differs(variant: FalseVariant, run: Run) -> bool:
    """Whether the twin is known to be false for the law of the run."""
    try:
        return variant.differs(run)
    except NumericsError:
        return False


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as a reader of the JSON gets them, so that a result equals what is stored of it."""
    plain: dict[str, Any] = msgspec.to_builtins(values)
    return plain


def _check(part: Part, record: Record, run: Run) -> None:
    """Fill the record, to where the numerics give up."""
    try:
        part.check(run, record)
    except NumericsError as error:
        _end(record, str(error) or type(error).__name__, error.remedy)


def _end(record: Record, why: str, remedy: str = "") -> None:
    """An undecided step for what stopped the numerics, and what would decide it."""
    detail = f"{why}; {remedy}" if remedy else why
    record.steps.append(Step(record.weakest, "the computation ends", "", Verdict.INCONCLUSIVE, None, detail))
    if record.verdict is Verdict.INCONCLUSIVE:
        record.summary = why
