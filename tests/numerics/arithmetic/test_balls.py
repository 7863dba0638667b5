"""Conversions, refinement and outward-rounded decimals."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic import balls
from numerics.arithmetic.balls import (
    ball,
    decimal,
    decimal_bounds,
    dyadic,
    ends,
    rational,
    refine,
    relative,
    sign,
    unsquared_weight,
)
from numerics.errors import PrecisionExhausted

RATIONALS = st.fractions() | st.builds(
    lambda x, e: x * Fraction(10) ** e, st.fractions(max_denominator=10**6), st.integers(-400, 400)
)


def significant(text: str) -> int:
    mantissa = text.lstrip("-").partition("e")[0].replace(".", "")
    return len(mantissa.strip("0"))


@given(RATIONALS, st.integers(1, 40))
def test_decimals_are_rounded_outward_and_no_further_than_one_unit(value, digits):
    below, above = Fraction(decimal(value, digits, up=False)), Fraction(decimal(value, digits, up=True))
    assert below <= value <= above
    assert above - below <= abs(value) * Fraction(10) ** (1 - digits)
    assert max(significant(decimal(value, digits, up=up)) for up in (True, False)) <= digits


@given(st.fractions(), st.integers(2, 40))
def test_a_short_decimal_is_kept_exactly(value, digits):
    text = decimal(value, digits, up=False)
    assert decimal(Fraction(text), digits, up=False) == text == decimal(Fraction(text), digits, up=True)


@pytest.mark.parametrize(
    ("value", "up", "text"),
    [
        (Fraction(2, 3), False, "0.66666"),
        (Fraction(2, 3), True, "0.66667"),
        (Fraction(-2, 3), False, "-0.66667"),
        (Fraction(-2, 3), True, "-0.66666"),
        (Fraction(99999999), True, "100000000"),
        (Fraction(99999999), False, "99999000"),
        (Fraction(12, 10**9), False, "1.2e-8"),
        (Fraction(10) ** 30, True, "1e30"),
        (Fraction(10) ** -9000 / 3, False, "3.3333e-9001"),
        (Fraction(0), True, "0"),
    ],
)
def test_decimal_texts(value, up, text):
    assert decimal(value, 5, up=up) == text


@given(RATIONALS, st.integers(2, 300))
def test_the_ends_of_a_ball_hold_the_number_and_are_close(value, bits):
    with ctx.workprec(bits):
        enclosure = ball(value)
    lower, upper = ends(enclosure)
    assert lower <= value <= upper
    assert upper - lower <= abs(value) * Fraction(2) ** (2 - bits)


def test_ends_are_exact_whatever_the_working_precision():
    with ctx.workprec(300):
        third = ball(Fraction(1, 3))
    with ctx.workprec(20):
        lower, upper = ends(third)
        texts = decimal_bounds(third, 60)
    assert lower < Fraction(1, 3) < upper
    assert upper - lower < Fraction(1, 2**295)
    assert texts == ("0." + "3" * 60, "0." + "3" * 59 + "4")


@given(st.fractions(), st.fractions(min_value=0, max_value=1))
def test_decimal_bounds_hold_every_point_of_the_ball(middle, radius):
    wide = ball(middle) + arb(0, ball(radius).upper())
    lower, upper = map(Fraction, decimal_bounds(wide))
    assert lower <= middle - radius
    assert middle + radius <= upper


def test_decimal_bounds_show_no_digits_that_the_ball_does_not_have():
    assert decimal_bounds(arb(1, 0.25)) == ("0.749", "1.26")
    lower, upper = decimal_bounds(arb("2.5 +/- 0.001"))
    assert (lower, upper) == ("2.4989", "2.5011")


@pytest.mark.parametrize("value", [arb("inf"), arb("nan"), arb(0, "inf")])
def test_an_infinite_ball_has_no_ends(value):
    with pytest.raises(ValueError, match="infinite"):
        ends(value)


def test_the_sign_of_a_ball():
    assert [sign(x) for x in (arb(2), arb(-2), arb(0), arb(0, 1), arb(1, 2), arb("nan"))] == [
        1,
        -1,
        0,
        None,
        None,
        None,
    ]


@given(st.fractions())
def test_dyadic_numbers_are_kept(value):
    middle = dyadic(ball(value))
    assert ball(middle).is_exact()
    assert abs(middle - value) <= abs(value) * Fraction(1, 2**50)


def difference(distance: Fraction):
    """1/3 - (1/3 - distance), which low precision cannot tell from 0."""
    return lambda: ball(Fraction(1, 3)) - ball(Fraction(1, 3) - distance)


def certified_sign(evaluate, max_bits: int) -> int | None:
    return sign(refine(evaluate, lambda value: sign(value) is not None, max_bits)[0])


def test_precision_is_raised_until_the_sign_is_certain():
    tiny = Fraction(1, 2**500)
    assert certified_sign(difference(tiny), 1024) == 1
    assert certified_sign(difference(-tiny), 1024) == -1
    _, bits = refine(difference(tiny), lambda value: sign(value) is not None, 1024)
    assert bits == 512


def test_the_limit_itself_is_tried():
    _, bits = refine(difference(Fraction(1, 2**500)), lambda value: sign(value) is not None, 510)
    assert bits == 510


@pytest.mark.parametrize("limit", [16, 64, 256, 490])
def test_an_undecided_sign_is_an_error(limit):
    with pytest.raises(PrecisionExhausted, match=str(limit)):
        certified_sign(difference(Fraction(1, 2**500)), limit)


def test_a_number_that_is_0_is_never_given_a_sign():
    with pytest.raises(PrecisionExhausted):
        certified_sign(difference(Fraction(0)), 4096)


@pytest.mark.parametrize(
    ("bits", "max_bits", "tried"),
    [
        (64, 256, [64, 128, 256]),
        (64, 200, [64, 128, 200]),
        (64, 150, [64, 128, 150]),
        (64, 64, [64]),
        (96, 64, []),
        (64, 127, [64, 127]),
    ],
)
def test_precisions_double_up_to_the_limit_itself(bits, max_bits, tried):
    assert list(balls.precisions(max_bits, bits)) == tried


def test_a_decision_is_taken_at_the_precision_that_it_reports():
    found, bits = balls.decide(lambda: ctx.prec if ctx.prec > 100 else None, 1000)
    assert found == bits == 128
    with pytest.raises(PrecisionExhausted, match="no root within 100 bits"):
        balls.decide(lambda: None, 100, failure="no root within")


def by_one_quotient(value: Fraction, digits: int, up: bool) -> Fraction:
    """The rounded decimal by integer division alone."""
    shift = Fraction(1)
    while abs(value) * shift >= 10**digits:
        shift /= 10
    while abs(value) * shift < 10 ** (digits - 1):
        shift *= 10
    return (ceil if up else floor)(value * shift) / shift


@given(RATIONALS.filter(bool), st.integers(1, 40), st.booleans())
def test_decimals_are_what_one_quotient_of_integers_gives(value, digits, up):
    assert Fraction(decimal(value, digits, up=up)) == by_one_quotient(value, digits, up)


@given(RATIONALS)
def test_a_dyadic_number_is_mantissa_times_power_of_two(value):
    mantissa, exponent = ball(value).mid().man_exp()
    assert dyadic(ball(value)) == Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def test_relative_accuracy_in_decimals():
    assert relative(15)(arb(1, 1e-17))
    assert not relative(15)(arb(1, 1e-14))
    assert relative(15)(arb(0))
    assert not relative(15)(arb(0, 1e-300))


def test_rational_numbers_for_flint():
    assert (rational(Fraction(-3, 7)) * 7, rational(5)) == (-3, 5)


@pytest.mark.parametrize("ends_of_s", [(Fraction(1), Fraction(4)), (Fraction(0), Fraction(9))])
def test_the_unsquared_weight_of_squares(ends_of_s):
    low, high = unsquared_weight(*ends_of_s)
    exact = Fraction(2, {4: 5, 9: 5}[int(ends_of_s[1])])
    assert low <= exact <= high
    assert high - low < Fraction(1, 2**250)


def test_the_unsquared_weight_of_an_irrational_root():
    low, high = unsquared_weight(Fraction(2), Fraction(2))
    # 1/a - 1 is the square root of 2.
    assert (1 / high - 1) ** 2 < 2 < (1 / low - 1) ** 2


@pytest.mark.parametrize("n", [0, 1, 2, 3, 8])
@pytest.mark.parametrize("middle", [0, Fraction(1, 3), Fraction(-1, 3)])
def test_a_power_holds_the_powers_of_both_ends(middle, n):
    base = arb(balls.rational(middle), 1e-3)
    value = balls.power(base, n)
    assert value.is_finite()
    for end in balls.ends(base):
        assert value.contains(balls.rational(end**n))
    assert value.contains(balls.rational(Fraction(middle) ** n))
