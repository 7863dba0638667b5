"""The 1/L term of the excess in small cases: the package's perturbation against its exact Wishart moments."""

from __future__ import annotations

from functools import cache

from sympy import Add, Expr, Integer, Symbol, diff

from theory.finite_context import COORDINATES, correction, ddg, dg, exact_excess, g, g1
from theory.identities import Derivation, Identity
from theory.symbols import L, d, lam, s

#: Pairs (T, d).
SMALL_CASES = ((1, 2), (2, 1), (2, 3), (3, 2))


@cache
def small_cases(claimed: Expr | None = None) -> Derivation:
    """The 1/L term against the excess at all orders in 1/L, for small T and d and any weights.

    The exact excess comes from Wishart moments and shares nothing with the perturbation.
    `claimed`: the term.
    """
    term = correction() if claimed is None else claimed
    steps = [step for depth, size in SMALL_CASES for step in _small_case(depth, size, term)]
    return Derivation("The $1/L$ term in small cases", tuple(steps))


def _small_case(depth: int, size: int, term: Expr) -> tuple[Identity, Identity]:
    """The exact excess's first two coefficients in 1/L against the population excess and `term`."""
    exact, coefficients = exact_excess(depth, size)
    z = Symbol("z", positive=True)
    residual = 1 - z * Add(*(coefficient * z**k for k, coefficient in enumerate(coefficients)))
    values = tuple(
        (symbol, diff(residual, z, order).subs(z, point))
        for symbol, order, point in ((g, 0, lam), (g1, 0, 1), (dg, 1, lam), (ddg, 2, lam))
    )
    rules = (*values, (d, Integer(size)), *COORDINATES)
    name = f"$T = {depth}$, $d = {size}$, any weights"
    return (
        Identity(f"{name}: $L$ to infinity", exact.coeff(L, 0) / lam, s / lam * g**2, under=rules),
        Identity(f"{name}: order $1/L$", exact.coeff(L, -1) / lam, term, under=rules),
    )
