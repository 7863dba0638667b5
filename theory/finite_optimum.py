"""The best polynomial p_T at context length L: the excess is a quadratic in its coefficients.

With p_T(z) = c_0 + c_1 z + ... the excess given s is c^T A c - 2 v^T c + s/lam, A and v polynomials in s
and 1/L.  Two parameters reach every c at T = 2, c = (2 alpha, alpha beta); one reaches every c at T = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, ImmutableMatrix, Integer, Matrix, Poly, expand

from theory.finite_context import exact_excess, r
from theory.identities import Derivation, Identity
from theory.symbols import s


@dataclass(frozen=True)
class Quadratic:
    """A (T, T) and v (T,), polynomials in s with coefficients in Q[1/L]."""

    matrix: ImmutableMatrix
    vector: ImmutableMatrix
    derivation: Derivation


@cache
def quadratic(depth: int, size: int) -> Quadratic:
    """The quadratic at depth T and width d, from Wishart moments, exact at every L > 0."""
    scaled, coefficients = exact_excess(depth, size)
    form = Poly(scaled.subs(r, s ** (Integer(1) / 2)), *coefficients)
    zero = tuple(Integer(0) for _ in coefficients)

    def entry(i: int, j: int) -> Expr:
        powers = list(zero)
        powers[i] += 1
        powers[j] += 1
        return _over_lam(form.coeff_monomial(tuple(powers))) / (1 if i == j else 2)

    def single(i: int, _: int) -> Expr:
        powers = list(zero)
        powers[i] = 1
        return -_over_lam(form.coeff_monomial(tuple(powers))) / 2

    matrix = ImmutableMatrix(depth, depth, entry)
    vector = ImmutableMatrix(depth, 1, single)
    c = Matrix(coefficients)
    again = (c.T * matrix * c)[0] - 2 * (vector.T * c)[0] + s / (1 + s)
    step = Identity(
        r"the excess is $c^T A c - 2 v^\top c + s/\lambda$",
        scaled.subs(r, s ** (Integer(1) / 2)) / (1 + s),
        again,
        case={"T": depth, "d": size},
    )
    return Quadratic(matrix, vector, Derivation("The excess as a quadratic in the coefficients", (step,)))


def _over_lam(polynomial: Expr) -> Expr:
    """The polynomial in s over 1 + s, which divides it."""
    quotient, remainder = Poly(expand(polynomial), s).div(Poly(1 + s, s))
    if not remainder.is_zero:
        raise ValueError(f"not a multiple of 1 + s: {polynomial}")
    return quotient.as_expr()
