"""Power laws at the ends of a law, their first-order term, and the depth from which a bound holds."""

from fractions import Fraction
from math import gamma, log

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import theory
from numerics.arithmetic.balls import ball
from numerics.errors import DepthLimit, PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter import rate
from tests.strategies import bounded_laws

BITS = 4096


def ends_of(text, kind="squared_norm"):
    law = parse_law(kind, text)
    return law, rate.ends(law)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("uniform(1, 4)", (1, 1 / 3), (1, 4 / 3)),
        ("uniform(0, 3)", (2, 1 / 6), (1, 1)),
        ("atoms({1: 1/3, 4: 2/3})", (0, 1 / 3), (0, 8 / 3)),
        ("beta(1/2, 1/3, low=1, high=4)", (0.5, None), (1 / 3, None)),
    ],
)
def test_constants_by_hand(text, low, high):
    _, ends = ends_of(text)
    for end, (k, A) in ((ends.low, low), (ends.high, high)):
        assert float(end.exponent) == pytest.approx(k)
        if A is not None:
            assert float(rate.constant(end)) == pytest.approx(A)


def test_a_beta_constant_by_its_gamma_functions():
    _, ends = ends_of("beta(1/2, 1/3, low=1, high=4)")
    total = gamma(5 / 6) / (gamma(1 / 2) * gamma(1 / 3))
    assert float(rate.constant(ends.low)) == pytest.approx(2 * total / 3 ** (1 / 2))
    assert float(rate.constant(ends.high)) == pytest.approx(4 * 3 * total / 3 ** (1 / 3))


def test_the_first_order_term_by_hand():
    law, ends = ends_of("uniform(0, 3)")
    T, kappa, alpha = 64, 3 / 5, 2 / 5
    bracket = log(1 / (1 / 6 * 2)) + (2 - 1) * log(2 * T * alpha / kappa)
    expected = -kappa / (2 * T * 5) * bracket
    found = rate.first_order(theory.limits.rate(), law, ends, T)
    assert float(found) == pytest.approx(expected, rel=1e-12)
    assert found.rel_accuracy_bits() > 40


@pytest.mark.parametrize(
    ("text", "balanced"),
    [
        ("atoms({1: 2/3, 2: 1/3})", True),
        ("beta(2, 3)", True),
        ("uniform(1, 4)", False),
        ("atoms({1: 1/2, 2: 1/2})", False),
        ("beta(3, 3, low=1, high=4)", False),
    ],
)
def test_whether_the_ends_balance_is_exact(text, balanced):
    law, ends = ends_of(text)
    assert ends.balanced is balanced
    assert rate.first_order(theory.limits.rate(), law, ends, 8).is_zero() is balanced


@pytest.mark.parametrize("text", ["chi2(5)", "point(0)"])
def test_an_end_that_is_not_there(text):
    assert ends_of(text)[1] is None


@settings(max_examples=15)
@given(bounded_laws())
def test_power_laws_set_in_as_depth_grows(law):
    ends = rate.ends(law)
    if ends is None or law.is_constant:
        return
    expectation = Expectation(law)
    off = [
        max(abs(float(ratio.log())) for ratio in rate.laplace_ratios(expectation, ends, n, BITS))
        for n in (63, 511)
    ]
    # Both ratios tend to 1 at the order 1/n or faster, sqrt(n) at the least where s = r^2 with r near 0.
    assert off[1] < max(off[0] / 2, 1e-9)


def test_a_wrong_constant_does_not_set_in():
    law, ends = ends_of("uniform(1, 4)")
    wrong = rate.Ends(ends.high, ends.high)
    low, _ = rate.laplace_ratios(Expectation(law), wrong, 4095, BITS)
    assert float(low) == pytest.approx(1 / 4, rel=1e-2)


@given(
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
    st.fractions(Fraction(1, 10**6), Fraction(2), max_denominator=10**6),
)
def test_the_first_depth_below_a_level(kappa, level):
    T = rate.depth_below(arb(1), kappa, ball(level))
    assert kappa ** (2 * T) < level
    assert T == 1 or kappa ** (2 * (T - 1)) >= level


@pytest.mark.parametrize("k", [12, 17])
def test_the_first_depth_where_kappa_is_nearly_1(k):
    kappa = 1 - Fraction(1, 10**k)
    T = rate.depth_below(arb(1), kappa, ball(Fraction(1, 2)))
    # kappa^(2T) = 1/2 at T = -log 2/(2 log kappa)
    assert pytest.approx(log(2) / 2 * 10**k, rel=1e-9) == T
    bounds = [rate.geometric_bound(arb(1), kappa, depth) for depth in (T - 1, T)]
    assert bounds[1] < 0.5 < bounds[0]


def test_wide_sides_give_a_later_depth():
    level = arb(0.25, 0.01)
    T = rate.depth_below(arb(1), Fraction(999, 1000), level)
    assert rate.geometric_bound(arb(1), Fraction(999, 1000), T) < level
    assert rate.depth_below(arb(1), Fraction(999, 1000), arb(0.25)) < T


def test_no_depth_is_given_beyond_the_limit_or_for_an_unknown_sign():
    with pytest.raises(DepthLimit):
        rate.depth_below(arb(1), 1 - Fraction(1, 10**40), ball(Fraction(1, 2)))
    for level in (arb(0, 1), arb.nan()):
        with pytest.raises(PrecisionExhausted):
            rate.depth_below(arb(1), Fraction(1, 2), level)
