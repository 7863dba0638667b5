"""The weights that minimise the risk at context length L: rational functions of the moments of s."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Integer, Poly, Symbol

from numerics.arithmetic.balls import Number, alike, precise
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from theory.finite_context import depth_one
from theory.finite_optimum import quadratic
from theory.symbols import L, alpha, d, lam, s

inverse = Symbol("h", nonnegative=True)


@dataclass(frozen=True)
class DepthTwo:
    """The normal equations at depth 2 for c = (2 alpha, alpha beta), in the mean over the law.

    determinant: 0 where the minimiser is not unique: for a constant norm, L -> infinity.
    minimiser:   (alpha, beta); ZeroDivisionError where there is none.
    """

    matrix: tuple[Number, Number, Number]
    vector: tuple[Number, Number]

    @property
    @precise
    def determinant(self) -> Number:
        """Of the matrix [[a, b], [b, c]]."""
        a, b, c = self.matrix
        return a * c - b * b

    @property
    @precise
    def minimiser(self) -> tuple[Number, Number]:
        """By Cramer's rule."""
        (a, b, c), (u, v) = self.matrix, self.vector
        first, second = (u * c - v * b) / self.determinant, (a * v - b * u) / self.determinant
        return first / 2, 2 * second / first


@precise
def one_parameter(law: Law, dimension: int, context: int) -> Number:
    """The minimiser at depth 1 and context length L, from the derived excess, a quadratic in alpha."""
    slope = depth_one().excess.diff(alpha).subs({d: dimension, L: context, lam: 1 + s})
    rise, fall = (_mean(law, slope.expand().coeff(alpha, power)) for power in (1, 0))
    return -fall / rise


def two_parameter(law: Law, dimension: int, context: int | None) -> DepthTwo:
    """The equations at context length L; None: for L -> infinity."""
    form = quadratic(2, dimension)
    at = Integer(0) if context is None else Integer(1) / context

    def mean(entry: Expr) -> Number:
        return _mean(law, entry.subs(L, 1 / inverse).expand().subs(inverse, at))

    a, b, c = (mean(form.matrix[index]) for index in ((0, 0), (0, 1), (1, 1)))
    u, v = (mean(entry) for entry in form.vector)
    return DepthTwo((a, b, c), (u, v))


@precise
def _mean(law: Law, polynomial: Expr) -> Number:
    """E of a polynomial in s with rational coefficients."""
    expectation = Expectation(law)
    total: Number = Fraction(0)
    for (power,), coefficient in Poly(polynomial, s).terms():
        moment, factor = alike(expectation.moment(power), Fraction(int(coefficient.p), int(coefficient.q)))
        total, term = alike(total, factor * moment)
        total += term
    return total
