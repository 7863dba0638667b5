"""Gradient flow of the loss of a stack with a weight of its own for each layer, in float64.

Ties stay ties and the order of the weights is kept, so the state is the smallest weight and the logarithms
of the gaps between different ones: near ties keep their digits, and rounding breaks no tie.  With q_g the
factor 1 - beta_g lam of a weight that m_g layers share, R_g the product of the other q, and
M_gh = E[s lam prod q^(2m-2) R_g R_h], a gap grows at the rate 2 M_gh per unit of itself, and the Jacobian of
the flow of the weights is -(4 M diag(m) - 2 diag(M)).  All are expectations of polynomials in s, for which
a Gauss rule of T + 1 nodes is exact.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.errors import NoConvergence
from numerics.expectation.quadrature import FloatRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from numerics.laws import Law

    Array = NDArray[np.float64]

RTOL, ATOL = 1e-5, 1e-8
SETTLED = 1e-5
"""An orbit ends where Newton's step is this small, relative to the smallest gap or, without gaps, weight."""
LONGEST = 1e250
EPSILON = 2.0**-52
PLANE_POINTS, PLANE_NODES = 41, 64
"""Of the grid, and of the Gauss rule of the polynomial times 1/lam that is drawn."""


@dataclass(frozen=True)
class Ended:
    """Where a flow ended.

    start:      the weights of the layers, in increasing order; `weights` those at the end.
    error:      how far from a critical point they may be: Newton's step, and what rounding adds to it.
    log10_time: of the flow time, in so many steps.
    orbit:      the weights on the way.
    """

    start: tuple[float, ...]
    weights: tuple[float, ...]
    error: float
    log10_time: float
    steps: int
    orbit: tuple[tuple[float, ...], ...]


class LayerFlow:
    """The flow of one law from starts that tie the same layers: `shared` says how many have each weight."""

    def __init__(self, law: Law, shared: Sequence[int]) -> None:
        rule = FloatRule(law, sum(shared) + 1)
        self.shared = np.array(shared, dtype=float)
        self.lam, self.weight = rule.lam, np.exp(rule.log_weight) * rule.s

    def slope(self, values: Array) -> tuple[Array, Array]:
        """d beta/dt, and a bound, to first order, on the rounding error of each component."""
        q, others, weight = self._products(values)
        terms = others * (weight * q.prod(axis=0))
        noise = 4 * float(self.shared.sum()) * EPSILON
        rise, error = 2 * terms.sum(axis=1), noise * np.abs(terms).sum(axis=1)
        return rise, error

    def products(self, values: Array) -> Array:
        """M."""
        _, others, weight = self._products(values)
        found: Array = (others * (weight * self.lam)) @ others.T
        return found

    def jacobian(self, values: Array) -> Array:
        """Of d beta/dt."""
        M = self.products(values)
        found: Array = 2 * np.diag(np.diag(M)) - 4 * M * self.shared
        return found

    def _products(self, values: Array) -> tuple[Array, Array, Array]:
        """q, R, and the weights of the nodes times what all M have in common."""
        q = 1 - np.multiply.outer(values, self.lam)
        before, after = np.ones_like(q), np.ones_like(q)
        np.cumprod(q[:-1], axis=0, out=before[1:])
        np.cumprod(q[:0:-1], axis=0, out=after[1:])
        common: Array = (q ** (2 * self.shared[:, None] - 2)).prod(axis=0)
        return q, before * after[::-1], self.weight * common

    def field(self, _: float, state: Array) -> Array:
        """d/dt of the smallest weight and of the logarithms of the gaps."""
        values = _values(state)
        return np.array([self.slope(values)[0][0], *(2 * np.diag(self.products(values), 1))])

    def field_jacobian(self, _: float, state: Array) -> Array:
        """Of `field`."""
        values, gaps = _values(state), np.exp(state[1:])
        inner = self.jacobian(values) @ np.tril(np.array([1.0, *gaps]) * np.ones((len(state), 1)))
        found: Array = np.vstack([inner[:1], np.diff(inner, axis=0) / gaps[:, None]])
        found[1:, 1:] -= np.diag(2 * np.diag(self.products(values), 1))
        return found

    def newton(self, values: Array) -> Any:
        """Newton's step towards a critical point; infinite where the Jacobian is singular."""
        try:
            return -np.linalg.solve(self.jacobian(values), self.slope(values)[0])
        except np.linalg.LinAlgError:
            return np.full_like(values, np.inf)

    def uncertainty(self, values: Array) -> float:
        """How far a critical point may be: Newton's step and the rounding of the slope."""
        rounding = np.abs(np.linalg.inv(self.jacobian(values))) @ self.slope(values)[1]
        return float(np.abs(self.newton(values)).max() + rounding.max())


def follow(law: Law, start: Sequence[float]) -> Ended:
    """The end of the flow from a start; equal weights are tied.  Raises NoConvergence if there is none."""
    from scipy.integrate import solve_ivp

    counts = sorted(Counter(start).items())
    flow, layers = LayerFlow(law, [count for _, count in counts]), [count for _, count in counts]
    values = np.array([value for value, _ in counts])
    scale = max(float(np.abs(values).max()), 1 / float(flow.lam.max()))

    def remaining(_: float, state: Array) -> float:
        here = _values(state)
        least = min([*np.exp(state[1:]), max(float(np.abs(here).max()), SETTLED * scale)])
        left = float(np.abs(flow.newton(here)).max() / least) - SETTLED
        # Near a saddle, where a near tie passes by, Newton's step is short, too.
        return 1.0 if left <= 0 and np.linalg.eigvals(flow.jacobian(here)).real.max() >= 0 else left

    first = np.array([values[0], *np.log(np.diff(values))])
    if remaining(0.0, first) <= 0:
        return _ended(flow, layers, start, first[:, None], np.array([0.0]))
    remaining.terminal = True  # type: ignore[attr-defined]
    # What LSODA warns of ends in the status.
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore", category=UserWarning):
        solution = solve_ivp(
            flow.field,
            (0.0, LONGEST),
            first,
            method="LSODA",
            jac=flow.field_jacobian,
            rtol=RTOL,
            atol=[ATOL * scale, *[ATOL] * (len(values) - 1)],
            events=remaining,
        )
    if solution.status != 1:
        raise NoConvergence(f"the flow of {len(start)} weights from {start[0]:g} on does not settle")
    return _ended(flow, layers, start, solution.y, solution.t)


def _ended(flow: LayerFlow, layers: list[int], start: Sequence[float], states: Array, times: Array) -> Ended:
    orbit = [np.repeat(_values(state), layers) for state in states.T]
    return Ended(
        tuple(sorted(start)),
        tuple(orbit[-1].tolist()),
        flow.uncertainty(_values(states[:, -1])),
        log10(times[-1]) if times[-1] > 0 else -inf,
        len(times) - 1,
        tuple(tuple(point.tolist()) for point in orbit),
    )


def _values(state: Array) -> Array:
    """The different weights, in increasing order."""
    found: Array = np.cumsum(np.concatenate([state[:1], np.exp(state[1:])]))
    return found


def loss_plane(law: Law, low: float, high: float) -> list[list[float | None]]:
    """Rows (alpha_1, alpha_2, log10 of the excess) on a square grid, two layers; None where it is 0."""
    rule = FloatRule(law, PLANE_NODES)
    weight = np.exp(rule.log_weight) * rule.s / rule.lam
    grid = np.linspace(low, high, PLANE_POINTS)
    factors = (1 - np.outer(grid, rule.lam)) ** 2
    with np.errstate(divide="ignore"):
        heights = np.log10(np.einsum("ik,jk,k->ij", factors, factors, weight))
    return [
        [float(f"{one:.6g}"), float(f"{other:.6g}"), float(f"{height:.5g}") if np.isfinite(height) else None]
        for one, row in zip(grid.tolist(), heights.tolist(), strict=True)
        for other, height in zip(grid.tolist(), row, strict=True)
    ]
