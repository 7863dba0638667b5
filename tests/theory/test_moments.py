"""Gaussian, isotropic and Wishart moments against routes that share no code with them."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import prod

import pytest
from sympy import Add, Expr, Integer, Matrix, Rational, Symbol, factorial2, symbols

from theory.finite_context import WishartMoments
from theory.gaussian import expectation, independent, isserlis
from theory.modalities import Block, block_moment, isotropic_moment

g1, g2, g3 = symbols("g_1:4", real=True)


@pytest.mark.parametrize("order", range(9))
def test_moments_of_one_gaussian(order: int) -> None:
    sigma = Symbol("sigma", positive=True)
    expected = 0 if order % 2 else factorial2(order - 1) * sigma**order
    assert isserlis([g1] * order, {(g1, g1): sigma**2}) == expected


def test_a_linear_map_of_independent_variables() -> None:
    """Correlated variables, by their covariance and by the independent ones they are made of."""
    rows = Matrix([[1, 2, 0], [Rational(1, 3), 0, -1]])
    made = rows * Matrix([g1, g2, g3])
    sigma = rows * rows.T
    a, b = symbols("a b", real=True)
    covariance = {(a, a): sigma[0, 0], (a, b): sigma[0, 1], (b, b): sigma[1, 1]}
    for polynomial in (a**2 * b**2, a**3 * b, a**4 + a * b, a**3 * b**3):
        direct = expectation(polynomial.subs({a: made[0], b: made[1]}), independent(g1, g2, g3))
        assert expectation(polynomial, covariance) == direct


def test_a_power_is_the_power() -> None:
    assert expectation(1 + g1, independent(g1), power=4) == expectation((1 + g1) ** 4, independent(g1)) == 10


def test_isotropic_moments_of_a_gaussian_vector() -> None:
    """A standard Gaussian vector is isotropic, with E|g|^2 = d and E|g|^4 = d (d + 2)."""
    for size in (1, 2, 3):
        block: Block = (size, (Integer(1), Integer(size), Integer(size * (size + 2))))
        variables = symbols(f"z_0:{size}", real=True)
        for indices in combinations_with_replacement(range(size), 4):
            word = [variables[index] for index in indices]
            assert isotropic_moment(indices, block) == isserlis(word, independent(*variables))
        assert isotropic_moment([0], block) == 0


def test_isotropic_moments_of_a_circle() -> None:
    """In the plane, fourth moments are those of eight equally spaced directions."""
    root = Rational(1, 2) ** Rational(1, 2)
    points = [(1, 0), (root, root), (0, 1), (-root, root), (-1, 0), (-root, -root), (0, -1), (root, -root)]
    block: Block = (2, (Integer(1), Integer(1), Integer(1)))
    for indices in product(range(2), repeat=4):
        mean = Add(*(prod(point[index] for index in indices) for point in points)) / 8
        assert isotropic_moment(indices, block) == mean


def test_blocks_are_independent() -> None:
    e_p, e_q = symbols("e_p e_q")
    blocks: tuple[Block, Block] = ((1, (1, e_p, e_p**2)), (2, (1, e_q, e_q**2)))
    assert block_moment((0, 0, 2, 2), blocks) == e_p * e_q / 2
    assert block_moment((0, 1), blocks) == 0


@pytest.mark.parametrize("length", [1, 2, 3])
def test_wishart_moments_against_the_tokens(length: int) -> None:
    """W of `length` tokens (a, b) written out, up to third order."""
    rho = Symbol("rho", real=True)
    tokens = [symbols(f"a_{i} b_{i}", real=True) for i in range(length)]
    gaussian: dict[tuple[Symbol, Symbol], Expr] = {}
    for a, b in tokens:
        gaussian |= {(a, a): Integer(2), (a, b): rho, (b, b): Integer(1)}
    W = {(i, j): Add(*(token[i] * token[j] for token in tokens)) for i in range(2) for j in range(2)}
    moments = WishartMoments(
        {(0, 0): Integer(2), (0, 1): rho, (1, 1): Integer(1)}, Integer(length), Integer(1)
    )
    for entries in (((0, 1),), ((0, 1), (0, 1)), ((0, 0), (1, 1)), ((1, 0), (0, 0), (0, 1))):
        direct = expectation(prod(W[entry] for entry in entries), gaussian)
        assert (moments(*entries) - direct).expand() == 0
