"""The profile of the two-parameter loss in exact arithmetic, and all critical points of the plane.

With N = E[s S], D = E[s lam S^2], polynomials in beta with rational coefficients, the loss is
C - (2 alpha N - alpha^2 D).  What is subtracted from C = E[s/lam] is the *gain*; losses are
compared by their gains, which are rational at rational weights.  The profile is
f = C - N^2/D = min over alpha, and f' = -N R/D^2 with R = 2 N' D - N D'.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Literal

from flint import fmpz_poly

from numerics.arithmetic.polynomial_roots import RealRoot, apart, real_roots, sign_at, value_at
from numerics.laws import Law
from numerics.laws.base import lam_moments

NARROW_BITS = 32
"""Relative width of the intervals of critical points."""

Kind = Literal["minimum", "saddle", "degenerate"]


@dataclass(frozen=True)
class CriticalPoint:
    """A critical point of the loss in the plane.

    beta:    its second weight.
    on_axis: alpha = 0 (a zero of N); else alpha = N/D (a zero of R).
    """

    beta: RealRoot
    on_axis: bool
    kind: Kind


@dataclass(frozen=True)
class Profile:
    """N and D at one depth T >= 2, times the integer `unit`.  D > 0 unless s is constant on {s > 0}.

    exact_at: -2/(l1 + l2), the minimum for two atoms and even T; None if s is unbounded.
    """

    T: int
    N: fmpz_poly
    D: fmpz_poly
    unit: int
    exact_at: Fraction | None

    @classmethod
    def of(cls, law: Law, T: int) -> Profile:
        """The profile of a law."""
        moments, unit = lam_moments(law.moments(2 * T + 1)[1:])
        # S = sum over k < T of z^k = ((1 + x)^T - 1)/x at x = beta lam
        geometric = fmpz_poly([comb(T, j + 1) for j in range(T)])
        N = fmpz_poly([c * m for c, m in zip(geometric.coeffs(), moments, strict=False)])
        D = fmpz_poly([c * m for c, m in zip((geometric**2).coeffs(), moments[1:], strict=True)])
        low, high = law.lambda_ends
        return cls(T, N, D, unit, None if high is None else -2 / (low + high))

    @cached_property
    def N_beta(self) -> fmpz_poly:
        """N', times `unit`."""
        return self.N.derivative()

    @cached_property
    def R(self) -> fmpz_poly:
        """2 N' D - N D', times a positive integer."""
        return 2 * self.N_beta * self.D - self.N * self.D.derivative()

    def ridge(self, beta: Fraction) -> Fraction:
        """h = N/D, the best alpha for this beta."""
        return value_at(self.N, beta) / value_at(self.D, beta)

    def best_gain(self, beta: Fraction) -> Fraction:
        """C - f(beta) = N^2/D."""
        return self.ridge(beta) * value_at(self.N, beta) / self.unit

    def gain(self, alpha: Fraction, beta: Fraction) -> Fraction:
        """C - loss(alpha, beta) = 2 alpha N - alpha^2 D."""
        return (2 * alpha * value_at(self.N, beta) - alpha**2 * value_at(self.D, beta)) / self.unit

    @cached_property
    def gain_at_infinity(self) -> Fraction:
        """Limit of N^2/D as beta -> +-infinity: E[s lam^(T-1)]^2 / E[s lam^(2T-1)]."""
        n, d = int(self.N[self.T - 1]), int(self.D[2 * self.T - 2])
        return Fraction(n * n, d * self.unit)

    @cached_property
    def critical_points(self) -> list[CriticalPoint]:
        """All critical points, by increasing beta, their intervals disjoint.

        Raises ValueError if the profile is constant: s constant on {s > 0}.
        """
        if self.R.degree() < 0:
            raise ValueError("the critical points form a curve")
        # At a common root of N and R, alpha = 0: it belongs to N.
        rest, common = self.R, self.N.gcd(self.R)
        while common.degree() > 0:
            rest //= common
            common = self.N.gcd(rest)
        candidates = () if self.exact_at is None else (self.exact_at,)
        found = real_roots(rest, candidates) + real_roots(self.N)
        roots = apart([root.narrowed(NARROW_BITS) for root in found])
        slopes = [self._slope(beta) for beta in _between(roots)]
        return [
            _classified(root, root.source == self.N, sides)
            for root, sides in zip(roots, itertools.pairwise(slopes), strict=True)
        ]

    def _slope(self, beta: Fraction) -> int:
        """The sign of f' = -N R/D^2."""
        return -sign_at(self.N, beta) * sign_at(self.R, beta)


def _between(roots: Sequence[RealRoot]) -> list[Fraction]:
    """Points before, between and after roots in disjoint intervals."""
    if not roots:
        return [Fraction(0)]
    inner = [(a.high + b.low) / 2 for a, b in itertools.pairwise(roots)]
    return [roots[0].low - 1, *inner, roots[-1].high + 1]


def _classified(root: RealRoot, on_axis: bool, sides: tuple[int, int]) -> CriticalPoint:
    """By the Hessian: 2 D > 0 in alpha; its determinant is -4 N'^2 on the axis, else 2 D f''.

    sides: signs of f' before and after; at a simple root of R, f'' has the sign of the second.
    """
    kind: Kind = "minimum" if not on_axis and sides == (-1, 1) else "saddle"
    return CriticalPoint(root, on_axis, kind if root.multiplicity == 1 else "degenerate")
