"""Starts of the two-parameter flow: those a claim states, those it is given, and grids of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from numerics.arithmetic.balls import Number, decimal, ends
from numerics.arithmetic.polynomial_roots import value_at
from numerics.errors import DepthLimit
from numerics.two_parameter.basin import Basin, Outcome
from numerics.two_parameter.flow import FloatProfile, Flows, Goal, integrate

if TYPE_CHECKING:
    from numerics.laws import Law

Start = tuple[Fraction, Fraction]

OUTCOMES: dict[int, Outcome | None] = {1: "converged", -1: "escaped", 0: None}
PLANE_POINTS = 41
PLANE_NODES = 40
RESOLUTION = 1e-6


@dataclass(frozen=True)
class StartOutcomes:
    """Flows from some starts.

    proved:     what is proved about each start.
    integrated: where the integrated flow went: its end lies where that is proved; None if it does not.
    """

    starts: list[Start]
    proved: list[Outcome | None]
    integrated: list[Outcome | None]
    flows: Flows

    @property
    def consistent(self) -> bool | None:
        """Whether integration and proof agree wherever there is a proof; None if integration fails there."""
        pairs = [(p, i) for p, i in zip(self.proved, self.integrated, strict=True) if p is not None]
        if any(i is not None and p != i for p, i in pairs):
            return False
        return None if any(i is None for _, i in pairs) else True


def goal(basin: Basin, beta: float, distance: float | None) -> Goal:
    """The basin in float64; beta: the minimum's."""
    below, above = basin.below, basin.above
    between = (
        -inf if below is None else float(below.beta.high),
        inf if above is None else float(above.beta.low),
    )
    escape = None
    if below is not None and basin.escape_barrier is not None:
        escape = float(below.beta.low), float(basin.escape_barrier)
    return Goal(beta, between, float(basin.barrier), distance, escape)


def follow(
    law: Law,
    basin: Basin,
    beta: float,
    starts: Sequence[Start],
    distance: float | None,
    *,
    crossing: bool = True,
    track: Callable[[Sequence[Start]], Iterable[Start]] = iter,
) -> StartOutcomes:
    """Integrate the flow from each start, and compare with what is proved.

    distance: how near to the minimum it is followed, relative to beta; None: into the certified basin.
    crossing: prove starts with alpha < 0 as well, some milliseconds each.
    track:    shows how far the proofs are.
    Raises DepthLimit where float64 does not resolve the depth.
    """
    profile = _resolved(FloatProfile(law, basin.profile.T), basin)
    weights = np.array(starts, dtype=float).reshape(-1, 2)
    flows = integrate(
        profile, weights[:, 0], weights[:, 1], goal(basin, beta, distance), trail=distance is not None
    )
    prove = basin.proved if crossing else basin.settled
    proved = [prove(*start) for start in track(starts)]
    integrated = []
    for code, *end in zip(flows.outcome.tolist(), flows.alpha.tolist(), flows.beta.tolist(), strict=True):
        outcome = OUTCOMES[code]
        confirmed = outcome is not None and basin.settled(*map(Fraction, end)) == outcome
        integrated.append(outcome if confirmed else None)
    return StartOutcomes(list(starts), proved, integrated, flows)


def _resolved(profile: FloatProfile, basin: Basin) -> FloatProfile:
    """The profile, if its Gauss rule agrees with the exact N and D at the minimum."""
    exact, beta = basin.profile, basin.minimum.beta.high
    local = profile.at(np.array([float(beta)]))
    for value, polynomial in ((local.N[0], exact.N), (local.D[0], exact.D)):
        expected = float(value_at(polynomial, beta) / exact.unit)
        if not abs(value - expected) <= RESOLUTION * abs(expected):
            raise DepthLimit(f"float64 quadrature does not resolve depth {exact.T} for this law")
    return profile


def stated_starts(basin: Basin, one_parameter: Fraction) -> list[Start]:
    """Where training may start: at 0, at small weights, and at the one-parameter minimiser."""
    zero, alpha = Fraction(0), _rounded(basin.profile.ridge(Fraction(0)), 1) / 4
    beta = _rounded(abs(basin.minimum.beta.high) / basin.profile.T, 1) / 4
    middle = one_parameter.limit_denominator(10**12)
    return [(zero, zero), (alpha, zero), (alpha, -beta), (zero, beta), (middle, -middle)]


def escaping_start(basin: Basin) -> Start | None:
    """A start beyond the saddle, on the ridge, that provably escapes; None if none is proved."""
    if basin.below is None:
        return None
    for digits in (2, 4, 8, 16, 32, 64, 128, 256, 512):
        for share in (Fraction(11, 10), Fraction(3, 2), Fraction(101, 100)):
            beta = _rounded(share * basin.below.beta.low, 4)
            alpha = _rounded(basin.profile.ridge(beta), digits)
            if basin.escapes(alpha, beta):
                return alpha, beta
    return None


def negative_start(basin: Basin) -> Start | None:
    """A start with alpha < 0 and beta = 0 that provably converges; None if none is proved."""
    small = _rounded(basin.profile.ridge(Fraction(0)), 1)
    for share in (1, 4, 32, 1024):
        start = -small / share, Fraction(0)
        if basin.proved(*start) == "converged":
            return start
    return None


def _rounded(value: Number, digits: int) -> Fraction:
    """The next number below with this many significant decimals."""
    lower = value if isinstance(value, Fraction) else ends(value)[0]
    return Fraction(decimal(lower, digits, up=False))


def grid(width: float, count: tuple[int, int]) -> list[Start]:
    """count[0] values of alpha in [-width, 3 width] times count[1] of beta in [-4 width, 2 width]."""
    unit = _rounded(Fraction(width), 3)
    alphas, betas = _spaced(-unit, 3 * unit, count[0]), _spaced(-4 * unit, 2 * unit, count[1])
    return [(alpha, beta) for beta in betas for alpha in alphas]


def _spaced(low: Fraction, high: Fraction, count: int) -> list[Fraction]:
    if count == 1:
        return [(low + high) / 2]
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def loss_plane(law: Law, T: int, width: float) -> list[list[float | None]]:
    """Rows (alpha, beta, log10 of the loss) on the grid that `grid` spans; None where it overflows."""
    points = np.array(grid(width, (PLANE_POINTS, PLANE_POINTS)), dtype=float)
    local = FloatProfile(law, T, PLANE_NODES).at(points[:, 1])
    with np.errstate(all="ignore"):
        heights = np.log10(local.f + local.D * (points[:, 0] - local.h) ** 2)
    return [
        [float(f"{a:.6g}"), float(f"{b:.6g}"), float(f"{height:.5g}") if np.isfinite(height) else None]
        for (a, b), height in zip(points.tolist(), heights.tolist(), strict=True)
    ]


def orbits(mapped: StartOutcomes, count: int = 60) -> list[list[str | float]]:
    """Rows (start, alpha, beta), at most `count` points a start, thinned evenly."""
    rows: list[list[str | float]] = []
    for index, (alpha, beta) in enumerate(mapped.starts):
        path = [(a, b) for i, a, b in mapped.flows.trail if i == index]
        every = max(1, len(path) // count)
        rows += [[f"{alpha},{beta}", a, b] for a, b in [*path[:-1:every], path[-1]]]
    return rows


def escaping_flow(law: Law, basin: Basin, start: Start) -> StartOutcomes:
    """The flow from an escaping start, integrated towards four times the saddle's beta.

    Past twice the saddle's beta it counts as escaped, back above the saddle's as converged: by
    the orbit alone, whatever the barriers are.  At a large depth it may stop on its way.
    """
    assert basin.below is not None and basin.escape_barrier is not None
    saddle = float(basin.below.beta.low)
    never = Goal(0.0, (inf, inf), inf, None, (4 * saddle, float(basin.escape_barrier)))
    weights = np.array([start], dtype=float)
    flows = integrate(FloatProfile(law, basin.profile.T), weights[:, 0], weights[:, 1], never, trail=True)
    end = float(flows.beta[0])
    outcome: Outcome | None = "escaped" if end < 2 * saddle else "converged" if end > saddle else None
    return StartOutcomes([start], [basin.proved(*start)], [outcome], flows)
