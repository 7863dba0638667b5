"""Weights that minimise the population losses, in float64: what a simulation runs at.

Where every weight has the same loss (s = 0), or a curve of weights has the least one (s constant),
the weights are those of the one-parameter stack in closed form: 0, or 1/lam.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq, minimize_scalar

from numerics.errors import NoConvergence
from numerics.expectation import Expectation
from numerics.laws import Law
from numerics.minimiser import minimiser
from numerics.quadrature import FloatRule
from theory import losses

Values = npt.NDArray[np.float64]

SMOOTH_DEGREE = 64
"""A polynomial degree that 1/lam is worth to a Gauss rule."""
DIGITS = 17
TOLERANCE, RELATIVE = 1e-18, 1e-15
GRID = 2000


class Population:
    """The minimisers for one law."""

    def __init__(self, law: Law, max_bits: int = 65536) -> None:
        self.law, self.max_bits = law, max_bits
        self._expectation = Expectation(law)
        self._rules: dict[int, FloatRule] = {}

    def one_parameter(self, T: int) -> float:
        """alpha_T.  Raises PrecisionExhausted."""
        if (closed := self._closed_form()) is not None:
            return closed
        loss = losses.one_parameter()
        return float(minimiser(self._expectation, loss, T, DIGITS, self.max_bits).middle)

    def two_parameter(self, T: int) -> tuple[float, float]:
        """(alpha_T, beta_T): the minimum that descent along the profile reaches from beta = -alpha.

        f(beta) = C Var_nu(z^T)/E_nu[(1 - z^T)^2], z = 1 + beta lam, nu = (s/lam) dP/C, is the least loss over
        alpha.  At T = 1 it does not depend on beta.  Raises NoConvergence.
        """
        alpha = self.one_parameter(T)
        if T == 1 or self._closed_form() is not None:
            return alpha, -alpha
        s, weight = self._nodes(2 * T)
        lam = 1 + s
        nu = weight * s / lam
        nu = nu / nu.sum()

        def slope(beta: float) -> float:
            """Has the sign of f': the sum of two half logarithmic derivatives, over T."""
            z = 1 + beta * lam
            largest = np.abs(z).max()
            if largest == 0:
                return 0.0
            # Scaled, as z^T underflows where s is nearly constant.
            h, dh = (z / largest) ** T, lam * (z / largest) ** (T - 1)
            apart = h - nu @ h
            variance = (nu @ (apart * dh)) / (nu @ apart**2) / largest
            power = z**T
            return float(variance + (nu @ ((1 - power) * lam * z ** (T - 1))) / (nu @ (1 - power) ** 2))

        beta = _root_downhill(slope, -alpha)
        z = 1 + beta * lam
        return float(-beta * (nu @ (1 - z**T)) / (nu @ (1 - z**T) ** 2)), beta

    def no_skip(self, T: int) -> float:
        """The best beta without skip from F^0 = X: the least of E[s lam ((1 + beta lam)^T - 1/lam)^2].

        All of them lie in [-2, 0], as the loss rises outwards beyond it.  Searched on a grid that is fine
        where z^T turns, near 0; 0 if s = 0.
        """
        if self.law.is_zero:
            return 0.0
        s, weight = self._nodes(2 * T)
        lam = 1 + s

        def loss(betas: Values) -> Values:
            z = 1 + np.multiply.outer(betas, lam)
            with np.errstate(over="ignore", invalid="ignore"):
                values: Values = (z**T - 1 / lam) ** 2 @ (weight * s * lam)
            return values

        near = np.linspace(0, min(2, 8 / T), GRID)
        grid = -np.unique(np.concatenate([near, np.linspace(0, 2, GRID)]))[::-1]
        best = int(np.nanargmin(loss(grid)))
        ends = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
        found = minimize_scalar(
            lambda beta: float(loss(np.array(beta))), bounds=ends, method="bounded", options={"xatol": 1e-13}
        )
        return float(found.x)

    def _closed_form(self) -> float | None:
        """The weight where s is constant on {s > 0}; None where it is not."""
        if self.law.is_zero:
            return 0.0
        return 1 / (1 + float(self.law.mean / (1 - self.law.mass_at_zero))) if self.law.is_constant else None

    def _nodes(self, degree: int) -> tuple[Values, Values]:
        """s and the masses of a Gauss rule of the law, s = 0 left out."""
        size = FloatRule.size(degree + SMOOTH_DEGREE)
        if size not in self._rules:
            self._rules[size] = FloatRule(self.law, size)
        rule = self._rules[size]
        positive = rule.s > 0
        return rule.s[positive], np.exp(rule.log_weight[positive])


def _root_downhill(slope: Callable[[float], float], start: float) -> float:
    """The first sign change of the slope met by going down from the start.  Raises NoConvergence."""
    here = slope(start)
    step = -np.sign(here) * abs(start) / 256
    point = start
    for _ in range(4096):
        if step == 0:
            return point
        further = point + step
        if slope(further) * here <= 0:
            return float(brentq(slope, *sorted((point, further)), xtol=TOLERANCE, rtol=RELATIVE))
        point, step = further, step * 1.05
    raise NoConvergence(
        f"the two-parameter loss falls from beta = {start:.6g} to {point:.6g} without a minimum"
    )
