"""The comparisons of a statistical claim: samples, intervals, and the level that they share.

Every comparison has its share of the claim's level (Bonferroni) and is decided by
`numerics.simulation.hypothesis_tests`: an interval, a band that ends half way to a false twin at the
latest.  The sample size comes from a pilot sample of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numerics
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import approx
from reports.results import Evidence, Sampled

if TYPE_CHECKING:
    from numerics.laws import Law
    from numerics.simulation.hypothesis_tests import Decision, Measured
    from numerics.simulation.measured import Measure
    from numerics.simulation.prompts import PromptSource

LEVEL = 0.01
DIMS = (3, 2)
DIMENSION = sum(DIMS)


def widths(law: Law) -> tuple[int, ...]:
    """Of the modalities in DIMENSION dimensions.  Raises NoConvergence where there is no room for them."""
    count = len(law.modalities or DIMS)
    if count > DIMENSION:
        from numerics.errors import NoConvergence

        raise NoConvergence(f"{count} modalities have no room in {DIMENSION} dimensions")
    share, more = divmod(DIMENSION, count)
    return tuple(share + (place < more) for place in range(count))


PILOT, FEWEST, LEAST, MOST = 2048, 64, 4096, 2**18


@dataclass
class Comparisons:
    """The comparisons of one claim.

    place: tells its random streams from those of other claims.
    count: how many intervals share the level.
    false: hold the samples against the false twins instead.
    """

    run: Run
    record: Record
    place: int
    count: int
    false: bool = False

    @property
    def confidence(self) -> float:
        """Of a single interval."""
        return 1 - LEVEL / self.count

    def source(self, *address: int) -> PromptSource:
        """Prompts with zeta = 1."""
        zeta = numerics.simulation.prompts.FixedZeta(1.0)
        key = (self.place, *address)
        return numerics.simulation.prompts.PromptSource(
            self.run.law, widths(self.run.law), zeta, self.run.settings.seed, key
        )

    def sampled(
        self,
        statements: Sequence[str],
        context: int,
        measure: Measure,
        *,
        nearer: tuple[int, Measure] | None = None,
        tokens: bool = False,
        missing: int = 0,
    ) -> None:
        """Decide statements on one sample.

        nearer: a longer context and its measure, where the statement is about the limit.
        """
        flags = int(tokens), missing
        gather = partial(numerics.simulation.measured.gather, tokens=tokens, missing=missing)
        pilot = gather(self.source(context, *flags, 0), context, PILOT, measure)
        if min(measured.error.size for measured in pilot) < FEWEST:
            raise numerics.errors.NoConvergence(f"fewer than {FEWEST} of {PILOT} prompts have $m \\ne 0$")
        decisions = numerics.simulation.hypothesis_tests
        share = decisions.SHARE if nearer is None else decisions.LIMIT_SHARE
        # Prompts that say nothing (m = 0) count for the sample size, too.
        wanted = [
            measured.planned(self.confidence, share) * PILOT / measured.error.size for measured in pilot
        ]
        size = decisions.rounded_up(wanted, LEAST, MOST)
        found = gather(self.source(context, *flags, 1), context, size, measure)
        further: Sequence[Measured | None] = [None] * len(found)
        if nearer is not None:
            further = gather(self.source(nearer[0], *flags, 1), nearer[0], size, nearer[1])
        for statement, measured, second in zip(statements, found, further, strict=True):
            self.decide(statement, measured, second)

    def decide(self, statement: str, measured: Measured, nearer: Measured | None = None) -> None:
        """Add the step for a sample of prompts; see `numerics.simulation.hypothesis_tests.decide`."""
        measured, last = self._sided(measured), nearer and self._sided(nearer)
        decision = numerics.simulation.hypothesis_tests.decide(measured, self.confidence, last)
        self._add(statement, last or measured, decision, decision.holds, "prompts")

    def decide_trained(
        self, statement: str, ended: Measured, predicted: Measured | None, unsettled: int
    ) -> None:
        """Add the step for the ends of trainings.

        A training that has not settled decides nothing, nor does one from which Newton's step
        (`predicted`, None where it is missing) leads back into the band.
        """
        ended = self._sided(ended)
        decision = numerics.simulation.hypothesis_tests.decide(ended, self.confidence, averages=True)
        holds = decision.holds if unsettled == 0 else None
        if holds is False:
            ahead = predicted and numerics.simulation.hypothesis_tests.decide(
                self._sided(predicted), self.confidence, averages=True
            )
            holds = False if ahead and ahead.holds is False else None
        remark = f", {unsettled} of them not settled" if unsettled else ""
        self._add(statement, ended, decision, holds, "trainings" + remark)

    def _add(
        self, statement: str, measured: Measured, decision: Decision, holds: bool | None, unit: str
    ) -> None:
        expected = float(measured.scale.mean())
        low, high = expected + decision.low, expected + decision.high
        self.record.check(
            Evidence.STATISTICAL,
            statement,
            holds,
            detail=(
                rf"$[{approx(low, 5)}, {approx(high, 5)}]$ against ${approx(expected, 5)} \pm "
                f"{approx(decision.band, 2)}$, {decision.estimate.samples} {unit}"
            ),
        )
        self.record.values.setdefault("comparisons", []).append(
            _entry(statement, expected, decision, self.confidence)
        )

    def _sided(self, measured: Measured) -> Measured:
        return measured.swapped() if self.false else measured

    def close(self) -> None:
        """State what the intervals share."""
        self.record.values["level"] = LEVEL
        self.record.values["seed"] = self.run.settings.seed
        steps = [step for step in self.record.steps if step.kind is Evidence.STATISTICAL]
        self.record.summary = f"{len(steps)} comparisons at level {LEVEL:g} in all"


def _entry(statement: str, expected: float, decision: Decision, confidence: float) -> dict[str, Any]:
    """A comparison as results keep it."""
    estimate = decision.estimate
    finite = decision.low > -inf
    sampled = Sampled(
        None if estimate.mean is None else expected + estimate.mean,
        expected + decision.low if finite else None,
        expected + decision.high if finite else None,
        confidence,
        estimate.samples,
    )
    return {
        "statement": statement,
        "sampled": sampled,
        "expected": expected,
        "band": decision.band,
        "twin_distance": decision.distance,
    }
