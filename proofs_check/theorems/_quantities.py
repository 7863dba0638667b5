"""What several theorems need of one law, computed once a run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, brief

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.certified_roots import Root
    from numerics.expectation.over_law import Expectation
    from numerics.one_parameter.all_large_depths import Band, Settled

MINIMISER_DIGITS = 30


def expectation(run: Run) -> Expectation:
    """E over the law of the run."""
    return run.remember("expectation", lambda: numerics.expectation.over_law.Expectation(run.law))


def alpha_star(run: Run) -> Fraction:
    """2/(l1 + l2); the law must be bounded and not 0."""
    value: Fraction = theory.limits.alpha_star(*_ends(run))
    return value


def kappa(run: Run) -> Fraction:
    """(l2 - l1)/(l2 + l1); the law must be bounded and not 0."""
    value: Fraction = theory.limits.kappa(*_ends(run))
    return value


def _ends(run: Run) -> tuple[Fraction, Fraction]:
    assert run.law.m_lo is not None and run.law.m_hi is not None
    return run.law.m_lo, run.law.m_hi


def minimiser(run: Run, T: int) -> Root:
    """alpha_T to MINIMISER_DIGITS digits."""
    return run.remember(
        ("minimiser", T),
        lambda: numerics.one_parameter.minimiser.minimiser(
            expectation(run), theory.losses.one_parameter(), T, MINIMISER_DIGITS, run.settings.max_bits
        ),
    )


def excess(run: Run, T: int) -> tuple[arb, int]:
    """The one-parameter excess at alpha_T, to 15 digits unless it is exactly 0; and the bits it took."""

    def compute() -> tuple[arb, int]:
        from flint import arb

        if run.law.is_constant:
            return arb(0), 0
        return numerics.one_parameter.minimiser.loss_at(
            expectation(run), theory.losses.one_parameter(), T, minimiser(run, T), run.settings.max_bits
        )

    return run.remember(("excess", T), compute)


def band(run: Run, epsilon: Fraction, center: Fraction | None = None) -> Band | None:
    """|alpha_T - center| < epsilon center for all T >= T0, 0 < epsilon < 1; center alpha* by default.

    None if an edge lies on the side of the centre where alpha_T does not go.
    """
    middle = alpha_star(run) if center is None else center
    return run.remember(
        ("band", epsilon, middle),
        lambda: numerics.one_parameter.all_large_depths.band(
            expectation(run),
            middle * (1 - epsilon),
            middle * (1 + epsilon),
            run.settings.max_bits,
            lambda depths: run.progress.track(depths, "depths below T0"),
        ),
    )


@dataclass(frozen=True)
class LimitVerdict:
    """Whether alpha_T tends to a candidate.

    band:      where it does, the band of relative width epsilon about it; 0 bits: its edges are so far
               apart that q has one sign at each, exactly.
    separated: where it does not, a point between the candidate and every later alpha_T.
    """

    holds: bool | None
    band: Band | None = None
    separated: Settled | None = None

    @property
    def bits(self) -> int:
        """The precision that decided."""
        found = self.band or self.separated
        return found.bits if found else 0


def tends_to(run: Run, candidate: tuple[Fraction, Fraction], epsilon: Fraction) -> LimitVerdict:
    """Does alpha_T tend to the number enclosed by `candidate`?

    Decided by the one-inequality argument, whatever the formula for alpha* says.  It does where |q|
    is the same at both ends of the support, the one number that no inequality separates from
    alpha_T, if alpha_T is certified to stay in the band about it; it does not where a point between
    is certified to separate the two.
    """
    lower, upper = candidate
    center = numerics.one_parameter.all_large_depths.balance(run.law)
    if lower == upper == center:
        found_band = band(run, epsilon, center)
        return LimitVerdict(None if found_band is None else True, band=found_band)
    if lower <= center <= upper:
        return LimitVerdict(None)
    between = (center + (upper if upper < center else lower)) / 2
    found = numerics.one_parameter.all_large_depths.settle(expectation(run), between, run.settings.max_bits)
    if found is None:
        return LimitVerdict(None)
    apart = (upper < between and found.side == "above") or (lower > between and found.side == "below")
    return LimitVerdict(False if apart else None, separated=found)


def decide_limit(run: Run, record: Record, candidate: tuple[Fraction, Fraction], name: str) -> LimitVerdict:
    """The step "alpha_T tends to the candidate"; every claim and twin about the limit comes here."""
    found = tends_to(run, candidate, run.settings.epsilon)
    if found.band is not None:
        detail = (
            f"|q| is the same at both ends of the support; within {run.settings.epsilon} of it, relatively, "
            f"for all T >= {found.band.T0}"
        )
    elif found.separated is not None:
        apart = found.separated
        point = numerics.arithmetic.balls.decimal(apart.point, 10, up=apart.side == "below")
        relation = ">" if apart.side == "above" else "<"
        detail = f"alpha_T {relation} {point} for all T >= {apart.T0}, the candidate is {brief(candidate[0])}"
    else:
        detail = "no inequality decides"
    record.check(ENCLOSURE, f"alpha_T tends to {name}", found.holds, bits=found.bits or None, detail=detail)
    return found


def unsquared(run: Run) -> tuple[Fraction, Fraction]:
    """2/(2 + sqrt(m_lo) + sqrt(m_hi)), between two rational numbers."""
    assert run.law.m_lo is not None and run.law.m_hi is not None
    return numerics.arithmetic.balls.unsquared_weight(run.law.m_lo, run.law.m_hi)


def excess_of_zero(run: Run) -> arb:
    """E[s/lam], the excess of predicting 0, to 15 digits."""

    def compute() -> arb:
        loss = theory.losses.one_parameter()
        value, _ = numerics.one_parameter.minimiser.loss_at(
            expectation(run), loss, 1, Fraction(0), run.settings.max_bits
        )
        return value

    return run.remember("excess_of_zero", compute)
