"""Real roots isolated exactly: against roots that are known, and against floating point."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import cos, pi

import numpy as np
import pytest
from flint import fmpz_poly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from numerics.arithmetic import descartes
from numerics.arithmetic.interval_polynomials import IntervalPolynomial, isolated
from numerics.arithmetic.polynomial_roots import apart, real_roots, sign_at, value_at
from numerics.errors import NoConvergence, PrecisionExhausted

rationals = st.fractions(min_value=-5, max_value=5, max_denominator=12)
X = fmpz_poly([0, 1])


def product(roots: list[Fraction], powers: list[int]) -> fmpz_poly:
    result = fmpz_poly([1])
    for root, power in zip(roots, powers, strict=True):
        result *= fmpz_poly([-root.numerator, root.denominator]) ** power
    return result


@settings(max_examples=60, deadline=None)
@given(st.lists(rationals, min_size=1, max_size=5, unique=True), st.data())
def test_rational_roots_with_multiplicity(roots: list[Fraction], data: st.DataObject) -> None:
    powers = data.draw(st.lists(st.integers(1, 3), min_size=len(roots), max_size=len(roots)))
    polynomial = product(roots, powers) * (X**2 + 1) * (X**2 - X + 1)
    found = real_roots(polynomial)
    expected = sorted(zip(roots, powers, strict=True))
    assert [root.multiplicity for root in found] == [power for _, power in expected]
    for root, (value, _) in zip(found, expected, strict=True):
        assert root.low == value == root.high or root.low < value < root.high


def test_chebyshev() -> None:
    """T_20 has 20 real roots, cos((2k+1) pi/40)."""
    found = [root.narrowed(40) for root in real_roots(fmpz_poly.chebyshev_t(20))]
    expected = sorted(cos((2 * k + 1) * pi / 40) for k in range(20))
    assert [float(root.low) for root in found] == pytest.approx(expected, rel=1e-11)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=3, max_size=9).filter(lambda c: c[-1] != 0))
def test_against_floating_point(coefficients: list[int]) -> None:
    polynomial = fmpz_poly(coefficients)
    found = real_roots(polynomial)
    assert sum(root.multiplicity for root in found) <= polynomial.degree()
    numeric = np.roots(coefficients[::-1])
    for root in found:
        middle = float(root.narrowed(40).low) if root.low or root.high else 0.0
        assert np.min(np.abs(numeric - middle)) < 1e-2
    surely_real = {round(z.real, 1) for z in numeric if z.imag == 0}
    assert len(found) >= len(surely_real) - 1


def test_roots_that_nearly_are_real_are_not_counted() -> None:
    assert real_roots(10**24 * (X - 1) ** 2 + 1) == []
    assert len(real_roots(10**24 * (X - 1) ** 2 - 1)) == 2


def test_intervals_are_disjoint_and_change_sign() -> None:
    """Roots 1e-9 apart, of different multiplicity."""
    polynomial = (10**9 * X - 10**9 - 1) ** 2 * (X**2 - 1) * (X**2 - 2)
    found = real_roots(polynomial)
    assert [root.multiplicity for root in found] == [1, 1, 1, 2, 1]
    assert all(a.high < b.low for a, b in pairwise(found))
    for root in found:
        if not root.is_exact:
            assert sign_at(root.polynomial, root.low) * sign_at(root.polynomial, root.high) == -1


def test_candidates_are_returned_exactly() -> None:
    polynomial = (7 * X + 2) * (X**3 - 3 * X + 1)
    assert not any(root.is_exact for root in real_roots(polynomial))
    exact = [root for root in real_roots(polynomial, [Fraction(-2, 7), Fraction(1, 2)]) if root.is_exact]
    assert [root.low for root in exact] == [Fraction(-2, 7)]


def test_apart_keeps_the_source() -> None:
    first, second = X**2 - 2, X**2 - 3
    roots = apart(real_roots(first) + real_roots(second))
    assert [root.source for root in roots] == [second, first, first, second]


@given(rationals, st.lists(st.integers(-50, 50), min_size=1, max_size=6))
def test_value(point: Fraction, coefficients: list[int]) -> None:
    expected = sum(c * point**i for i, c in enumerate(coefficients))
    assert value_at(fmpz_poly(coefficients), point) == expected


def test_the_limit_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descartes, "MAX_NODES", 3)
    with pytest.raises(NoConvergence):
        real_roots(fmpz_poly.chebyshev_t(20))


COEFFICIENTS = st.lists(st.integers(-20, 20), min_size=2, max_size=6)


@given(COEFFICIENTS, st.integers(0, 3))
def test_exact_coefficients_are_intervals_without_a_width(coefficients: list[int], error: int) -> None:
    """What is isolated of intervals holds for the polynomial in their middle; or nothing is said."""
    polynomial = fmpz_poly(coefficients)
    assume(polynomial.degree() > 0 and coefficients[0] != 0)
    assume(polynomial.gcd(polynomial.derivative()).degree() == 0)
    between = IntervalPolynomial(polynomial, fmpz_poly([error] * len(polynomial.coeffs())))
    try:
        found = isolated(between)
    except PrecisionExhausted:
        return
    roots = real_roots(polynomial)
    assert len(found) == len(roots)
    for low, high in found:
        inside = [(root.low, root.high) for root in (root.narrowed(60) for root in roots)]
        assert sum(low < first <= last < high for first, last in inside) == 1


def test_a_width_that_hides_a_sign_is_said() -> None:
    hidden = IntervalPolynomial(X**2 - 2, fmpz_poly([2, 0, 0]))
    with pytest.raises(PrecisionExhausted):
        isolated(hidden)
    assert len(isolated(IntervalPolynomial(X**2 - 2, fmpz_poly([1, 0, 0])))) == 2
