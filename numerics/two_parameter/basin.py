"""Starts of the gradient flow whose destination is proved, in exact arithmetic.

The loss falls along the flow and is at least the profile f, so beta never crosses a value where
f exceeds the loss of the start.  Proofs: `flow_converges` and `initialisation_matters` in
`proofs_check.theorems.theorem_6_3`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from flint import arb, arb_poly, ctx, fmpz_poly

from numerics.arithmetic.balls import Number, alike, ball, ends, largest
from numerics.arithmetic.certified_roots import Root
from numerics.arithmetic.polynomial_roots import Polynomial, apart, on_balls, real_roots
from numerics.errors import NoConvergence
from numerics.two_parameter.profile import NARROW_BITS, CriticalPoint, Profile

Outcome = Literal["converged", "escaped"]

CROSSING_STEPS = 400
CROSSING_BITS = 256
BOX_TRIALS = 8


@dataclass(frozen=True)
class Basin:
    """What is proved about the flow near one minimum of the profile.

    minimum: its critical point; below, above: the neighbours by beta, None if there is none.
    """

    profile: Profile
    minimum: CriticalPoint
    below: CriticalPoint | None
    above: CriticalPoint | None

    @cached_property
    def barrier(self) -> Number:
        """What a start beside the minimum has to gain for its loss to be below f at both neighbours."""
        if self.below is None:
            gains = [self.profile.gain_at_infinity]
        else:
            gains = [_ridge_gain(self.profile, self.below, self.below.beta.high)]
        if self.above is not None:
            gains.append(_ridge_gain(self.profile, self.above, self.above.beta.low))
        return largest(gains)

    @cached_property
    def escape_barrier(self) -> Number | None:
        """A start below the saddle has to gain at least this never to return; None if that is not proved."""
        first = self.profile.critical_points[0]
        if self.below is None or first != self.below or first.kind != "saddle":
            return None
        return _ridge_gain(self.profile, self.below, self.below.beta.low)

    def proved(self, alpha: Fraction, beta: Fraction) -> Outcome | None:
        """Where the flow from this start provably goes: to the minimum, or to beta = -infinity."""
        outcome = self.settled(alpha, beta)
        if outcome is None and alpha < 0 and self.crosses(alpha, beta):
            return "converged"
        return outcome

    def settled(self, alpha: Fraction, beta: Fraction) -> Outcome | None:
        """The same by the regions alone, which a start with alpha < 0 may enter later."""
        if self.contains(alpha, beta):
            return "converged"
        return "escaped" if self.escapes(alpha, beta) else None

    def contains(self, alpha: Fraction, beta: Fraction) -> bool:
        """Whether the start lies below a barrier or under the ridge."""
        return self.below_barrier(alpha, beta) or self._under_ridge(alpha, beta)

    def below_barrier(self, alpha: Fraction, beta: Fraction) -> bool:
        """Whether beta lies between the neighbours, and the loss below f at both."""
        after = self.below is None or beta > self.below.beta.high
        before = self.above is None or beta < self.above.beta.low
        if not (after and before):
            return False
        gain = self.profile.gain(alpha, beta)
        # Without a saddle the barrier is a limit that f does not reach.
        return bool(gain >= self.barrier if self.below is not None else gain > self.barrier)

    @cached_property
    def ridge_from(self) -> Fraction | None:
        """beta_L: under the ridge, 0 <= alpha <= N/D, every start beyond it converges; None if not proved."""
        N_beta, R = self.profile.N_beta, self.profile.R
        if self.above is not None or self.below is None or _common(N_beta, R):
            return None
        last, minimum = self.below.beta.high, self.minimum.beta
        for zero in real_roots(N_beta):
            root, minimum = apart([zero.narrowed(NARROW_BITS), minimum])
            if root.source != N_beta:
                return None  # N' has a zero above the minimum.
            last = max(last, root.high)
        return last

    def _under_ridge(self, alpha: Fraction, beta: Fraction) -> bool:
        if self.ridge_from is None or beta <= self.ridge_from:
            return False
        weight, ridge = alike(alpha, self.profile.ridge(beta))
        return bool(alpha >= 0 and weight <= ridge)

    def escapes(self, alpha: Fraction, beta: Fraction) -> bool:
        """Whether the start lies beyond the saddle with a loss below f there."""
        if self.escape_barrier is None or self.below is None:
            return False
        return beta < self.below.beta.low and bool(self.profile.gain(alpha, beta) >= self.escape_barrier)

    def crosses(self, alpha: Fraction, beta: Fraction) -> bool:
        """Whether the flow from alpha < 0 provably arrives at alpha = 0 inside the basin.

        While N > alpha D and alpha < 0, alpha rises and
        d beta/d alpha = alpha (2 N' - alpha D') / (2 (N - alpha D)): enclosed step by step.
        """
        crossing = crossing_point(self.profile, alpha, beta)
        return crossing is not None and all(self.contains(Fraction(0), end) for end in crossing)


@dataclass(frozen=True)
class Reached:
    """The minimum (alpha_T, beta_T) that the flow from (alpha, -alpha) reaches, alpha the one-parameter
    minimiser; with its basin.

    proved: whether (alpha, -alpha) is shown to lie in that basin.
    """

    basin: Basin
    proved: bool


def reached(profile: Profile, alpha: Root) -> Reached:
    """What the flow from (alpha, -alpha) reaches; the last minimum if that is proved of none.

    Raises NoConvergence if the profile has no minimum.
    """
    minima = [point for point in profile.critical_points if point.kind == "minimum"]
    basins = [neighbours(profile, point) for point in minima]
    for basin in basins:
        # On the line beta = -alpha the loss is convex: what holds at both ends holds between.
        if all(basin.below_barrier(end, -end) for end in (alpha.lower, alpha.upper)):
            return Reached(basin, True)
    if not basins:
        raise NoConvergence(f"the profile has no minimum at $T = {profile.T}$")
    return Reached(basins[-1], False)


def neighbours(profile: Profile, minimum: CriticalPoint) -> Basin:
    """The basin of a minimum among the critical points of the profile."""
    points = profile.critical_points
    place = points.index(minimum)
    below = points[place - 1] if place else None
    return Basin(profile, minimum, below, points[place + 1] if place + 1 < len(points) else None)


def _common(N_beta: Polynomial, R: Polynomial) -> bool:
    """Whether N' and R have a common root; of intervals, their roots have to be told apart."""
    return isinstance(N_beta, fmpz_poly) and N_beta.gcd(R).degree() > 0


def _ridge_gain(profile: Profile, point: CriticalPoint, end: Fraction) -> Number:
    """C - f at the near end of a neighbour's interval: at least the gain at the neighbour itself."""
    gain = profile.best_gain(end)
    return 0 * gain if point.on_axis else gain


@dataclass(frozen=True)
class _OnBalls:
    """A polynomial on balls, by the mean value theorem."""

    polynomial: arb_poly
    slope: arb_poly

    @classmethod
    def of(cls, polynomial: Polynomial) -> _OnBalls:
        return cls(on_balls(polynomial), on_balls(polynomial.derivative()))

    def __call__(self, beta: arb) -> arb:
        middle = beta.mid()
        return self.polynomial(middle) + self.slope(beta) * (beta - middle)


def crossing_point(
    profile: Profile, alpha: Fraction, beta: Fraction, most_steps: int = CROSSING_STEPS
) -> tuple[Fraction, Fraction] | None:
    """Bounds on beta where the flow from alpha < 0 reaches alpha = 0; None if that is not proved.

    Euler steps in alpha with the remainder enclosed: beta stays in a box as long as the slope
    over the whole box cannot carry it out.  A step that finds no box is halved.
    """
    with ctx.workprec(CROSSING_BITS):
        polynomials = (profile.N, profile.N_beta, profile.D, profile.D.derivative())
        N, N_beta, D, D_beta = (_OnBalls.of(polynomial) for polynomial in polynomials)

        def slope(weight: arb, box: arb) -> arb | None:
            rise = N(box) - weight * D(box)
            return weight * (2 * N_beta(box) - weight * D_beta(box)) / (2 * rise) if rise > 0 else None

        here, step = ball(beta), -alpha / 16
        for _ in range(most_steps):
            following = min(alpha + step, Fraction(0))
            moved = _step(slope, ball(alpha).union(ball(following)), here, ball(following - alpha))
            if moved is None:
                step /= 2
                continue
            if following == 0:
                return ends(moved)
            alpha, here = following, moved
        return None


def _step(slope: Callable[[arb, arb], arb | None], weight: arb, here: arb, step: arb) -> arb | None:
    """beta after one step; None if no box holds it."""
    first = slope(weight, here)
    if first is None:
        return None
    reach = 2 * (abs(first) * step).upper()
    for _ in range(BOX_TRIALS):
        box = here + reach * arb(0, 1)
        found = slope(weight, box)
        if found is None:
            return None
        moved = found * step
        if abs(moved) <= reach:
            return here + moved
        reach = 2 * abs(moved).upper()
    return None
