"""Moments of centred Gaussian variables by Isserlis' rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from sympy import QQ, Add, Expr, Integer, Mul, Poly, Symbol, factorial2, ring, symbols

from theory.identities import Derivation, Identity

Covariance = Mapping[tuple[Symbol, Symbol], Expr]
Degrees = tuple[int, ...]


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
    for degrees, coefficient in _terms(polynomial, variables, power):
        word = [variable for variable, degree in zip(variables, degrees, strict=True) for _ in range(degree)]
        total += coefficient * isserlis(word, covariance)
    return total


def _terms(polynomial: Expr, variables: Sequence[Symbol], power: int) -> Iterable[tuple[Degrees, Expr]]:
    """The degrees in the variables, and the coefficient, of each term of a power of a polynomial in them."""
    others = sorted(polynomial.free_symbols.difference(variables), key=lambda symbol: symbol.sort_key())
    domain, *_ = ring([*variables, *others], QQ)
    try:
        found = domain.from_expr(polynomial) ** power
    except ValueError:
        # Its coefficients are no polynomials: 1/lam, q^T.
        terms: Iterable[tuple[Degrees, Expr]] = (Poly(polynomial, *variables) ** power).terms()
        return terms
    parts: dict[Degrees, list[Expr]] = {}
    for degrees, number in found.terms():
        inner, outer = degrees[: len(variables)], degrees[len(variables) :]
        factors = (symbol**degree for symbol, degree in zip(others, outer, strict=True))
        parts.setdefault(inner, []).append(Mul(QQ.to_sympy(number), *factors))
    return ((degrees, Add(*terms)) for degrees, terms in parts.items())


def independent(*variables: Symbol) -> dict[tuple[Symbol, Symbol], Expr]:
    """The covariance of independent standard Gaussian variables."""
    return {(variable, variable): Integer(1) for variable in variables}


@cache
def isserlis_rule(order: int = 6) -> Derivation:
    """Isserlis' rule for two correlated variables, to an even order.

    t^T x is Gaussian of variance t^T Sigma t: E (t^T x)^n = (n-1)!! (t^T Sigma t)^(n/2), a polynomial in t,
    so that every mixed moment is compared.
    """
    x1, x2, t1, t2, a, b, c = symbols("x_1 x_2 t_1 t_2 sigma_11 sigma_12 sigma_22", real=True)
    covariance = {(x1, x1): a, (x1, x2): b, (x2, x2): c}
    variance = a * t1**2 + 2 * b * t1 * t2 + c * t2**2
    steps = tuple(
        Identity(
            f"Isserlis' rule, two correlated variables, every moment of order {n}",
            expectation(t1 * x1 + t2 * x2, covariance, power=n),
            factorial2(n - 1) * variance ** (n // 2),
            symbol=rf"\mathbb{{E}} (t^{{\top}} x)^{n}",
        )
        for n in range(2, order + 1, 2)
    )
    return Derivation("Gaussian moments by Isserlis' rule", steps)
