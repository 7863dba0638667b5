"""Moments of centred Gaussian variables by Isserlis' rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import factorial

from sympy import Expr, Integer, Poly, Rational, Symbol, symbols

from theory.identities import Derivation, Identity

Covariance = Mapping[tuple[Symbol, Symbol], Expr]


def isserlis(variables: Sequence[Symbol], covariance: Covariance) -> Expr:
    """E of a product of centred Gaussian variables: the sum over all pairings.

    covariance: entries by pair, in either order; pairs left out are independent.
    """
    if not variables:
        return Integer(1)
    first, *others = variables
    total = Integer(0)
    for index, other in enumerate(others):
        paired = covariance.get((first, other), covariance.get((other, first), Integer(0)))
        if paired != 0:
            total += paired * isserlis(others[:index] + others[index + 1 :], covariance)
    return total


def expectation(polynomial: Expr, covariance: Covariance, power: int = 1) -> Expr:
    """E of a power of a polynomial in the centred Gaussian variables that `covariance` names."""
    variables = tuple(dict.fromkeys(variable for pair in covariance for variable in pair))
    total = Integer(0)
    for degrees, coefficient in (Poly(polynomial, *variables) ** power).terms():
        word = [variable for variable, degree in zip(variables, degrees, strict=True) for _ in range(degree)]
        total += coefficient * isserlis(word, covariance)
    return total


def independent(*variables: Symbol) -> dict[tuple[Symbol, Symbol], Expr]:
    """The covariance of independent standard Gaussian variables."""
    return {(variable, variable): Integer(1) for variable in variables}


@cache
def isserlis_rule(order: int = 6) -> Derivation:
    """Isserlis' rule for two correlated variables against exp(t^T Sigma t / 2), to an even order."""
    x1, x2, t1, t2, a, b, c = symbols("x_1 x_2 t_1 t_2 sigma_11 sigma_12 sigma_22", real=True)
    covariance = {(x1, x1): a, (x1, x2): b, (x2, x2): c}
    exponent = Poly((a * t1**2 + 2 * b * t1 * t2 + c * t2**2) / 2, t1, t2)
    steps = []
    for degree in range(2, order + 1, 2):
        series_term = exponent ** (degree // 2)
        for k in range(degree + 1):
            scale = Rational(factorial(k) * factorial(degree - k), factorial(degree // 2))
            steps.append(
                Identity(
                    f"moment of order ({k}, {degree - k})",
                    isserlis([x1] * k + [x2] * (degree - k), covariance),
                    scale * series_term.coeff_monomial(t1**k * t2 ** (degree - k)),
                    symbol=rf"\mathbb{{E}}\, x_1^{k} x_2^{degree - k}",
                )
            )
    return Derivation("Gaussian moments by Isserlis' rule", tuple(steps))
