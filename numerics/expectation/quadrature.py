"""Numerical integration over a law, without certificates: Gauss rules in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np

from numerics.errors import NoConvergence
from numerics.laws import Atoms, BetaPiece, Component, GammaPiece, Law, SumPiece

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from theory.normal_form import BoundTerm

    Array = NDArray[np.float64]

MAX_NODES = 384
MAX_LAGUERRE_NODES = 150
MAX_PRODUCT_NODES = 96
SMOOTH_DEGREE = 64
"""A polynomial degree that 1/lam is worth to a Gauss rule."""


class FloatRule:
    """Nodes and weights for a whole law; exact for polynomials of degree < 2 size in s.

    Past MAX_NODES the Gauss nodes still resolve q^n, whose peaks at the ends are
    1/n wide, up to n of the order of MAX_NODES^2.
    """

    def __init__(self, law: Law, size: int) -> None:
        rules = [_rule(component, size) for component in law.components]
        s = np.concatenate([rule[0] for rule in rules])
        weight = np.concatenate([rule[1] for rule in rules])
        keep = weight > 0
        self.s, self.lam = s[keep], 1 + s[keep]
        with np.errstate(divide="ignore"):
            self.log_s = np.log(self.s)
        self.log_lam, self.log_weight = np.log1p(self.s), np.log(weight[keep])
        self._tables: dict[tuple[int, int], Array] = {}
        self._last: tuple[float, Array, Array] = (0.0, np.ones_like(self.lam), np.zeros_like(self.lam))

    @staticmethod
    def size(degree: int) -> int:
        """Nodes for this degree: enough, and few different sizes."""
        return min(MAX_NODES, max(32, 1 << (degree // 2 + 1).bit_length()))

    def term(self, term: BoundTerm) -> tuple[int, float]:
        """Sign and log-modulus of the expectation of one term with float weights."""
        q, log_q = self._base(float(term.slope))
        logs = self._log_weights(term.s_power, term.lam_power)
        if term.exponent:
            logs = logs + term.exponent * log_q
        top = float(logs.max())
        if top == -np.inf or term.coefficient == 0:
            return 0, -np.inf
        size = np.exp(logs - top)
        total = float(size @ np.sign(q) if term.exponent % 2 else size.sum())
        if total == 0:
            return 0, -np.inf
        outer = 1 if float(term.coefficient) > 0 else -1
        return (outer if total > 0 else -outer), top + log(abs(float(term.coefficient) * total))

    def _base(self, slope: float) -> tuple[Array, Array]:
        """q = 1 - slope lam and log |q| at the nodes; a loss and its derivatives ask for the same."""
        if self._last[0] != slope:
            q = 1 - slope * self.lam
            with np.errstate(divide="ignore"):
                self._last = slope, q, np.log(np.abs(q))
        return self._last[1], self._last[2]

    def _log_weights(self, i: int, k: int) -> Array:
        """log of weight s^i lam^-k at the nodes."""
        if (i, k) not in self._tables:
            log = self.log_weight - k * self.log_lam
            self._tables[i, k] = log + i * self.log_s if i else log
        return self._tables[i, k]


class FloatRules:
    """The Gauss rules of one law, by degree; keeps them."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self._rules: dict[int, FloatRule] = {}

    def of(self, degree: int) -> FloatRule:
        """A rule that is exact for polynomials in s of this degree, up to that of the largest rule."""
        size = FloatRule.size(degree)
        if size not in self._rules:
            self._rules[size] = FloatRule(self.law, size)
        return self._rules[size]

    def mean(self, degree: int, integrand: Callable[[Array], Array]) -> float:
        """E of a polynomial in s of this degree, or of that times 1/lam."""
        rule = self.of(degree + SMOOTH_DEGREE)
        return float(np.exp(rule.log_weight) @ integrand(rule.s))


def signed_log_sum(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    """Sign and log-modulus of a sum of numbers given so."""
    top = max((log for sign, log in parts if sign), default=-np.inf)
    if top == -np.inf:
        return 0, -np.inf
    total = sum(sign * np.exp(log - top) for sign, log in parts if sign)
    if total == 0:
        return 0, -np.inf
    return (1 if total > 0 else -1), float(top + np.log(abs(total)))


def _rule(component: Component, size: int) -> tuple[Array, Array]:
    """Nodes s and weights (the mass included) of one component."""
    if isinstance(component, Atoms):
        return np.array([float(s) for s in component.values]), np.array([float(p) for p in component.masses])
    if isinstance(component, BetaPiece):
        return _jacobi(component, size)
    if isinstance(component, GammaPiece):
        from scipy.special import roots_genlaguerre

        count = min(component.power * size, MAX_LAGUERRE_NODES)
        with np.errstate(all="ignore"):
            nodes, weights = _usable(*roots_genlaguerre(count, float(component.shape) - 1))
        s = float(component.shift) + (float(component.scale) * nodes) ** component.power
        return s, float(component.mass) * weights
    assert isinstance(component, SumPiece)
    (s1, w1), (s2, w2) = (
        _rule(part, min(size, MAX_PRODUCT_NODES)) for part in (component.first, component.second)
    )
    return np.add.outer(s1, s2).ravel(), float(component.mass) * np.multiply.outer(w1, w2).ravel()


def _jacobi(piece: BetaPiece, size: int) -> tuple[Array, Array]:
    """Gauss-Jacobi in u, of power * size nodes, so exact for the same degree in s."""
    from scipy.special import roots_jacobi

    count = min(piece.power * size, MAX_NODES)
    with np.errstate(all="ignore"):
        x, weights = _usable(*roots_jacobi(count, float(piece.b) - 1, float(piece.a) - 1))
    u = (x + 1) / 2
    r = float(piece.low) + float(piece.high - piece.low) * u
    return float(piece.shift) + r**piece.power, float(piece.mass) * weights


def _usable(nodes: Array, weights: Array) -> tuple[Array, Array]:
    """The rule with weights that add up to 1.  Raises NoConvergence where float64 could not hold it."""
    if not (np.isfinite(nodes).all() and np.isfinite(weights).all() and weights.sum() > 0):
        raise NoConvergence(f"no Gauss rule of {len(nodes)} nodes in float64 for this density")
    return nodes, weights / weights.sum()
