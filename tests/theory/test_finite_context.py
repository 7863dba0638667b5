"""Finite context against the definition, written out token by token in Gaussian variables."""

from __future__ import annotations

import pytest
from sympy import Add, Expr, Rational, Symbol, symbols

from theory import finite_context
from theory.attention import layer
from theory.gaussian import expectation
from theory.symbols import L, T, alpha, beta, d, lam, s

r = Rational(3, 2)
POINT = {finite_context.r: r, s: r**2, lam: 1 + r**2}


def excess_in_one_dimension(depth: int, length: int, w_s: Expr, w_v: Expr) -> Expr:
    """E lam (p_T(Lhat) b - r/lam)^2, d = 1, from the tokens' Gaussian variables."""
    tokens = [symbols(f"x_{i} u_{i}", real=True) for i in range(length)]
    gaussian: dict[tuple[Symbol, Symbol], Expr] = {}
    for x, u in tokens:
        gaussian |= {(x, x): 1 + r**2, (x, u): r, (u, u): Rational(1)}
    gram = Add(*(x**2 for x, _ in tokens)) / length
    cross = Add(*(x * u for x, u in tokens)) / length
    embedding = Rational(0)
    for _ in range(depth):
        embedding = layer(embedding, Rational(1), gram, w_s, w_v)
    return (1 + r**2) * expectation(embedding * cross - r / (1 + r**2), gaussian, power=2)


@pytest.mark.parametrize(("depth", "length"), [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
def test_wishart_route_against_the_tokens(depth: int, length: int) -> None:
    step = Rational(1, 5)
    scaled, coefficients = finite_context.exact_excess(depth, 1)
    z = Symbol("z")
    polynomial = Add(*(step * (1 - step * z) ** k for k in range(depth))).expand()
    weights = {c: polynomial.coeff(z, k) for k, c in enumerate(coefficients)}
    found = (scaled / lam).subs({**weights, **POINT, L: length})
    assert found == excess_in_one_dimension(depth, length, step, -step)


def test_depth_one_against_the_tokens() -> None:
    risk = finite_context.depth_one().excess.subs({**POINT, d: 1, L: 2, alpha: Rational(1, 5)})
    assert risk == excess_in_one_dimension(1, 2, Rational(1, 5), Rational(7))


@pytest.mark.parametrize("depth", [2, 3])
def test_remainder_is_of_second_order(depth: int) -> None:
    """L^2 times (exact - formula) stays bounded and tends to the next coefficient."""
    a, b = Rational(1, 5), Rational(-1, 7)
    scaled, coefficients = finite_context.exact_excess(depth, 2)
    z = Symbol("z")
    polynomial = Add(*(a * (1 + b * z) ** k for k in range(depth))).expand()
    exact = (scaled / lam).subs({c: polynomial.coeff(z, k) for k, c in enumerate(coefficients)}).subs(POINT)
    formula = finite_context.two_parameter().excess.subs({**POINT, d: 2, T: depth, alpha: a, beta: b})
    remainder = (exact - formula).expand()
    assert remainder.coeff(L, 0) == remainder.coeff(L, -1) == 0
    assert remainder.coeff(L, -2) != 0


def test_least_squares_of_one_dimension() -> None:
    """d = 1, L = 4: E[1/chi^2_4] = 1/2."""
    found = finite_context.least_squares().excess.subs({d: 1, L: 4, lam: 3})
    assert found == Rational(1, 6)
