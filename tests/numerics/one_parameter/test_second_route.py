"""The second route: against rational arithmetic, against the first, and where there is none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from numerics.errors import DepthLimit
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter import second_route
from numerics.one_parameter.all_large_depths import balance, certify_side, side_at
from numerics.one_parameter.minimiser import minimiser
from numerics.one_parameter.second_route import derivative, inequality
from tests.strategies import atomic_laws, bounded_laws
from theory.losses import one_parameter

F = Fraction
BITS = 4096
INTEGERS, MOMENTS, INTEGRAL = "integers over the atoms", "rational moments", "integration of the density"


def of(text: str, kind: str = "squared_norm") -> Expectation:
    return Expectation(parse_law(kind, text))


@pytest.mark.parametrize(
    ("expectation", "T", "route"),
    [
        (of("atoms({1: 1/3, 4: 2/3})"), 1, INTEGERS),
        (of("atoms({1: 1/3, 4: 2/3})"), 4096, INTEGERS),
        (of("uniform(1, 4)"), 32, MOMENTS),
        (of("uniform(1, 4)"), 33, INTEGRAL),
        (of("uniform(1, 4)"), 4096, INTEGRAL),
        (of("uniform(0, 3)"), 10**9, INTEGRAL),
        (of("beta(1/2, 1/3, low=1, high=4)"), 200, INTEGRAL),
        (of("uniform(1, 2)", "norm"), 200, INTEGRAL),
        (of("beta(1/97, 1/89)"), 9, MOMENTS),
        (of("truncated(chi2(5), high=9)"), 9, INTEGRAL),
        (of("truncated(beta(1/2, 7/2), low=1/10, high=1/3)"), 9, INTEGRAL),
        (of("truncated(chi2(5), low=1, high=3)", "norm"), 9, INTEGRAL),
        (of('density("(s^2-2)^2", low=0, high=4)'), 40, INTEGRAL),
    ],
)
def test_both_signs_at_the_ends_of_a_root_of_thirty_digits(expectation, T, route):
    root = minimiser(expectation, one_parameter(), T, 30, 65536)
    looks = [derivative(expectation, end, T, BITS) for end in (root.lower, root.upper)]
    assert [(look.sign, look.route) for look in looks] == [(1, route), (-1, route)]
    assert all((look.bits == 0) == (route != INTEGRAL) for look in looks)


@pytest.mark.parametrize(
    ("expectation", "T"),
    [
        (of("beta(1/97, 1/89)"), 33),
        (of("chi2(5)"), 33),
        (of("truncated(chi2(5), low=3)"), 3),
        (of("uniform(1, 4)"), 2**50),
        (of("atoms({1: 1/3, 4: 2/3})"), 2**23),
        (Expectation(parse_law("modalities", "uniform(0, 1)", "uniform(0, 1)")), 33),
    ],
)
def test_where_no_second_route_is_cheap_there_is_none(expectation, T):
    assert derivative(expectation, F(1, 3), T, BITS) is None


@given(bounded_laws(), st.integers(1, 12), st.integers(1, 30))
@settings(max_examples=30)
def test_integration_against_rational_moments(law, T, percent):
    assume(law.pieces)
    a = balance(law) * F(percent, 15)
    look = second_route._integrated(law, a, 2 * T - 1, [second_route.WHOLE], BITS)
    assume(look is not None)
    exact = Expectation(law).polynomial(1, a, 2 * T - 1)
    assert look.sign == (exact > 0) - (exact < 0) or (look.sign is None and exact == 0)


@given(atomic_laws(), st.integers(1, 40), st.integers(1, 30))
def test_integers_against_rational_moments(law, T, percent):
    expectation, a = Expectation(law), balance(law) * F(percent, 15)
    exact = expectation.polynomial(1, a, 2 * T - 1)
    assert derivative(expectation, a, T, BITS).sign == (exact > 0) - (exact < 0)


@given(atomic_laws(), st.integers(1, 60), st.booleans())
def test_the_inequality_holds_at_T0_and_not_before(law, percent, below):
    expectation = Expectation(law)
    found = certify_side(expectation, balance(law) * (1 + F(-percent if below else percent, 100)), BITS)
    look = inequality(expectation, found.point, found.side, found.T0, BITS)
    assert (look.sign, look.route) == (1, INTEGERS)
    if found.T0 > 1:
        assert inequality(expectation, found.point, found.side, found.T0 - 1, BITS).sign != 1


@pytest.mark.parametrize(
    "law",
    [
        ("squared_norm", "uniform(1, 4)"),
        ("squared_norm", "uniform(0, 3)"),
        ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
        ("squared_norm", "beta(5, 2, low=0, high=10)"),
        ("norm", "uniform(1, 2)"),
        ("modalities", "atoms({0: 1/2, 2: 1/2})", "uniform(0, 1)"),
    ],
    ids=str,
)
@pytest.mark.parametrize("off", [F(-1, 100), F(1, 100), F(-1, 5), F(1, 5)])
def test_the_inequality_of_densities(law, off):
    law = parse_law(*law)
    expectation = Expectation(law)
    try:
        found = certify_side(expectation, balance(law) * (1 + off), BITS)
    except DepthLimit:
        assume(False)
    look = inequality(expectation, found.point, found.side, found.T0, BITS)
    assert (look.sign, look.route) == (1, INTEGRAL)
    if found.T0 > 1:
        assert inequality(expectation, found.point, found.side, found.T0 - 1, BITS).sign == -1


def test_of_a_sum_the_exact_bound_is_looked_at():
    law = parse_law("modalities", "uniform(1/2, 1)", "uniform(1/2, 3)")
    expectation = Expectation(law)
    found = certify_side(expectation, balance(law) * F(9, 10), BITS)
    look = inequality(expectation, found.point, found.side, found.T0, BITS)
    assert (look.sign, look.route) == (1, MOMENTS)
    # Where the bound is missed nothing is known.
    assert found.T0 > 1
    assert inequality(expectation, found.point, found.side, found.T0 - 1, BITS).sign is None


def test_an_equality_is_not_taken_for_a_sign():
    """s dP is symmetric: E[s q^n] = 0 at alpha*."""
    assert derivative(of("beta(1, 2, low=0, high=3)"), F(2, 5), 9, BITS).sign == 0
    assert derivative(of("beta(1, 2, low=0, high=3)"), F(2, 5), 90, BITS).sign is None
    assert inequality(of("atoms({1: 1/3, 4: 2/3})"), F(3, 14), "above", 1, BITS).sign == 0


def test_the_precision_asked_for_is_the_limit():
    expectation = of("beta(50, 50, low=1, high=4)")
    root = minimiser(expectation, one_parameter(), 128, 30, BITS)
    assert derivative(expectation, root.lower, 128, 128).sign is None
    assert (
        derivative(expectation, root.lower, 128, BITS).sign
        == 1
        == side_at(expectation, root.lower, 128, BITS)
    )
