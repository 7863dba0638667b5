"""The profile of the two-parameter loss, and all critical points of the plane: in exact arithmetic.

With N = E[s S], D = E[s lam S^2], polynomials in beta with rational coefficients, the loss is
C - (2 alpha N - alpha^2 D).  What is subtracted from C = E[s/lam] is the *gain*; losses are
compared by their gains, which are rational at rational weights.  The profile is
f = C - N^2/D = min over alpha, and f' = -N R/D^2 with R = 2 N' D - N D'.  Where the moments of a law
are no rational numbers, N and D are polynomials with intervals for coefficients.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Literal

from flint import arb, ctx, fmpz_poly

from numerics.arithmetic.balls import Number, alike, precise
from numerics.arithmetic.interval_polynomials import IntervalPolynomial
from numerics.arithmetic.polynomial_roots import Polynomial, RealRoot, apart, real_roots, sign_at, value_at
from numerics.expectation.over_law import interval_bits, lam_balls
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
    N: Polynomial
    D: Polynomial
    unit: int
    exact_at: Fraction | None

    @classmethod
    def of(cls, law: Law, T: int) -> Profile:
        """The profile of a law."""
        # S = sum over k < T of z^k = ((1 + x)^T - 1)/x at x = beta lam
        geometric = fmpz_poly([comb(T, j + 1) for j in range(T)])
        weights = [int(c) for c in geometric.coeffs()], [int(c) for c in (geometric**2).coeffs()]
        if not law.is_rational:
            moments, unit = lam_balls(law, 2 * T), 2 ** interval_bits(T)
            with ctx.workprec(2 * interval_bits(T)):
                N, D = (
                    IntervalPolynomial.of([c * m for c, m in zip(row, moments[i:], strict=False)], unit)
                    for i, row in enumerate(weights)
                )
            return cls(T, N, D, unit, None)
        exact, unit = lam_moments(law.moments(2 * T + 1)[1:])
        n, d = (
            fmpz_poly([c * m for c, m in zip(row, exact[i:], strict=False)]) for i, row in enumerate(weights)
        )
        low, high = law.lambda_ends
        return cls(T, n, d, unit, None if high is None else -2 / (low + high))

    @cached_property
    def N_beta(self) -> Polynomial:
        """N', times `unit`."""
        return self.N.derivative()

    @cached_property
    def R(self) -> Polynomial:
        """2 N' D - N D', times a positive integer."""
        found = 2 * (self.N_beta * self.D) - self.N * self.D.derivative()
        # The coefficients of degree 3T - 4 cancel, of intervals only within their widths.
        return found.truncated(3 * self.T - 4) if isinstance(found, IntervalPolynomial) else found

    @precise
    def ridge(self, beta: Fraction) -> Number:
        """h = N/D, the best alpha for this beta."""
        return value_at(self.N, beta) / value_at(self.D, beta)

    @precise
    def best_gain(self, beta: Fraction) -> Number:
        """C - f(beta) = N^2/D."""
        return self.ridge(beta) * value_at(self.N, beta) / self.unit

    @precise
    def gain(self, alpha: Fraction, beta: Fraction) -> Number:
        """C - loss(alpha, beta) = 2 alpha N - alpha^2 D."""
        N, D, weight = alike(value_at(self.N, beta), value_at(self.D, beta), alpha)
        return (2 * weight * N - weight**2 * D) / self.unit

    @cached_property
    @precise
    def gain_at_infinity(self) -> Number:
        """Limit of N^2/D as beta -> +-infinity: E[s lam^(T-1)]^2 / E[s lam^(2T-1)]."""
        n, d = self.N[self.T - 1], self.D[2 * self.T - 2]
        if isinstance(n, arb):
            return n * n / (d * self.unit)
        return Fraction(int(n) ** 2, int(d) * self.unit)

    @cached_property
    def critical_points(self) -> list[CriticalPoint]:
        """All critical points, by increasing beta, their intervals disjoint.

        Raises ValueError if the profile is constant: s constant on {s > 0}.
        """
        if self.R.degree() < 0:
            raise ValueError("the critical points form a curve")
        rest = self.R
        if isinstance(rest, fmpz_poly):
            # At a common root of N and R, alpha = 0: it belongs to N.  Of intervals, roots are told apart.
            while (common := self.N.gcd(rest)).degree() > 0:
                rest //= common
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
