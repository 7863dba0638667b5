"""What the claims about the two-parameter stack need of one law, computed once a run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.context import Run, once_a_run
from proofs_check.engine.evidence import agree
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems._quantities import LimitDecision

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.balls import Number
    from numerics.two_parameter.all_large_depths import PairBand
    from numerics.two_parameter.basin import Reached
    from numerics.two_parameter.minimum import EnclosedMinimum
    from numerics.two_parameter.profile import CriticalPoint, Profile
    from numerics.two_parameter.starts import StartOutcomes

FOLLOWED = 1e-6
"""How near to the minimum a flow is followed, relative to beta_T."""
AGREED = 9
"""Digits to which the enclosures and the exact profile are seen to agree."""
PLANE_DEPTH = 8
"""The depth shown in the plane, or the nearest to it among those asked for."""


def depths(run: Run) -> tuple[int, ...]:
    """The depths asked for at which beta matters: T >= 2."""
    return tuple(T for T in run.settings.depths if T > 1)


def plane_depth(run: Run) -> int:
    """The depth at which orbits, basin and level sets are drawn."""
    return min(depths(run), key=lambda T: (abs(T - PLANE_DEPTH), T))


def constant(run: Run) -> arb:
    """C = E[s/lam], at the working precision."""
    C = theory.stationarity.stationarity().C
    return run.expectation.ball(C.bind(2, Fraction(1)))


@once_a_run
def precise_constant(run: Run) -> arb:
    """C in a ball narrower than the masses near the ends of the support are known."""
    from flint import ctx

    with ctx.workprec(2 * numerics.two_parameter.all_large_depths.RECHECK_BITS):
        return constant(run)


def geometric_bound(run: Run, T: int) -> arb:
    """C kappa^(2T), at a precision of its own."""
    bound: arb = numerics.one_parameter.rate.geometric_bound(precise_constant(run), quantities.kappa(run), T)
    return bound


def profile_exceeds(run: Run, b: Fraction, T: int) -> bool | None:
    """Whether the profile at beta = -b, not 0, is above C kappa^(2T): by the integrals of its normal form."""
    forms, expectation = theory.stationarity.stationarity(), run.expectation
    ball, kappa = numerics.arithmetic.balls.ball, quantities.kappa(run)

    def difference() -> arb:
        C, a1, a2 = (expectation.ball(form.bind(T, ball(-b))) for form in (forms.C, forms.a1, forms.a2))
        return (C * a2 - a1 * a1) - C * ball(kappa) ** (2 * T) * (a2 - 2 * a1 + C)

    side, _ = numerics.one_parameter.all_large_depths.decided_sign(difference, run.settings.max_bits)
    return None if side is None else side > 0


@once_a_run
def profile(run: Run, T: int) -> Profile:
    """N, D and the critical points at depth T >= 2."""
    return numerics.two_parameter.profile.Profile.of(run.law, T)


@once_a_run
def reached(run: Run, T: int) -> Reached:
    """The critical point that the theorem speaks of.  Raises NoConvergence if the profile has no minimum."""
    return numerics.two_parameter.basin.reached(profile(run, T), quantities.minimiser(run, T))


def minima(run: Run, T: int) -> list[CriticalPoint]:
    """All minima, by increasing beta."""
    return [point for point in profile(run, T).critical_points if point.kind == "minimum"]


def enclosed(
    run: Run, T: int, point: CriticalPoint | None = None, excess_digits: int | None = None
) -> EnclosedMinimum:
    """The minimum reached, or another one, enclosed."""
    chosen = reached(run, T).basin.minimum if point is None else point
    return enclosed_at(run, T, chosen.beta.low, excess_digits or numerics.two_parameter.minimum.WEIGHT_DIGITS)


@once_a_run
def enclosed_at(run: Run, T: int, low: Fraction, excess_digits: int) -> EnclosedMinimum:
    """The critical point whose beta lies between `low` and the next one, enclosed."""
    point = next(point for point in profile(run, T).critical_points if point.beta.low == low)
    return numerics.two_parameter.minimum.enclose(
        run.expectation,
        profile(run, T),
        point,
        run.settings.max_bits,
        -quantities.minimiser(run, T).middle,
        excess_digits,
    )


def agrees(run: Run, T: int, found: EnclosedMinimum) -> bool | None:
    """Whether weights and excess are, to AGREED digits, what the exact profile gives within beta's ends."""
    from flint import ctx

    exact, beta = profile(run, T), sum(found.beta, Fraction(0)) / 2
    ball = numerics.arithmetic.balls.as_ball
    with ctx.workprec(max(found.bits, numerics.arithmetic.balls.MOMENT_BITS)):
        alpha = exact.ridge(beta)
        total = alpha + (beta if isinstance(alpha, Fraction) else ball(beta))
        second = alpha, total, _profile_excess(run, T, beta, found.bits)
        first = found.alpha, found.alpha_plus_beta, found.excess
        near = [agree(ball(one), ball(other), AGREED) for one, other in zip(first, second, strict=True)]
    return False if False in near else None if None in near else True


def _profile_excess(run: Run, T: int, beta: Fraction, bits: int) -> Number:
    """C - N^2/D at a rational beta: exactly for few atoms; else to AGREED digits, or as far as N and D go.

    bits: to begin with; the difference loses as many as its size asks for.
    """
    from flint import ctx

    C, gain = theory.stationarity.stationarity().C, profile(run, T).best_gain(beta)
    if numerics.self_attention.best_layer.is_exact(run.law):
        return run.expectation.exact(C.bind(T, beta)) - gain
    balls, last = numerics.arithmetic.balls, run.settings.max_bits
    if not run.law.is_rational:
        last = min(last, numerics.expectation.over_law.interval_bits(T))
    for precision in balls.precisions(max(bits, last), bits):
        with ctx.workprec(precision):
            difference = constant(run) - balls.as_ball(gain)
        if balls.relative(AGREED)(difference):
            break
    return difference


def middle(found: EnclosedMinimum) -> float:
    """beta in float64."""
    return float(sum(found.beta) / 2)


def escaped_loss(run: Run, T: int) -> arb:
    """The loss where beta tends to infinity, to 15 digits: C - E[s lam^(T-1)]^2 / E[s lam^(2T-1)]."""
    gain = profile(run, T).gain_at_infinity
    return numerics.arithmetic.balls.refine(
        lambda: constant(run) - numerics.arithmetic.balls.as_ball(gain),
        numerics.arithmetic.balls.relative(15),
        run.settings.max_bits,
    )[0]


@once_a_run
def followed(run: Run, T: int) -> tuple[StartOutcomes, StartOutcomes]:
    """Flows from the stated starts, and from those given by the user, near to the minimum."""
    basin = reached(run, T).basin
    beta = middle(enclosed(run, T))
    stated = numerics.two_parameter.starts.stated_starts(basin, quantities.minimiser(run, T).middle)
    return (
        numerics.two_parameter.starts.follow(run.law, basin, beta, stated, FOLLOWED),
        numerics.two_parameter.starts.follow(run.law, basin, beta, run.settings.starts, FOLLOWED),
    )


@once_a_run
def band(run: Run, epsilon: Fraction) -> PairBand:
    """|beta_T + alpha*| and |alpha_T - alpha*| below epsilon alpha* for all T >= T0."""
    return numerics.two_parameter.all_large_depths.band(
        run.law, epsilon * quantities.alpha_star(run), precise_constant(run)
    )


def tends_to(run: Run, candidate: tuple[Fraction, Fraction], epsilon: Fraction) -> LimitDecision:
    """Does beta_T tend to the number between these two?

    Every later beta_T lies in a band about its limit: of relative width epsilon if that is the
    candidate, else narrow enough to leave the candidate outside.
    """
    center = band(run, epsilon).center

    def apart(edge: Fraction) -> LimitDecision:
        return LimitDecision(False, band(run, min(epsilon, abs(edge + center) / center / 2)))

    return quantities.compare_limit(candidate, -center, lambda: band(run, epsilon), apart)
