"""Certified roots."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball
from numerics.arithmetic.certified_roots import Root, certain_digits, isolate_root
from numerics.errors import PrecisionExhausted

F = Fraction


def cubic(root: Fraction):
    """(root - x) (x^2 + 1): falls from positive to negative, and its slope."""
    return (
        lambda x: (ball(root) - x) * (x**2 + 1),
        lambda x: 2 * x * (ball(root) - x) - (x**2 + 1),
    )


@given(
    st.fractions(min_value=F(1, 1000), max_value=1000),
    st.integers(1, 60),
    st.fractions(min_value=F(1, 1000), max_value=1000) | st.none(),
)
def test_the_root_is_inside_and_the_interval_as_narrow_as_asked(root, digits, guess):
    found = isolate_root(*cubic(root), (F(0), F(1001)), digits, 4096, guess)
    assert found.lower < root < found.upper
    assert found.upper - found.lower <= root * F(10) ** -digits * F(11, 10)
    assert found.bits >= 64


@pytest.mark.parametrize(
    ("root", "bracket"), [(4 - F(1, 10**300), (F(1), F(4))), (F(1, 8) + F(1, 10**300), (F(1, 8), F(3)))]
)
def test_a_root_at_the_end_of_the_bracket_is_not_bisected_for(root, bracket):
    """From inside Newton's steps pass it: f is curved towards 0 there."""
    calls = []
    sign = 1 if root > 1 else -1

    def f(x):
        calls.append(x)
        return (ball(root) - x) * arb.exp(-sign * x)

    def slope(x):
        return -arb.exp(-sign * x) - sign * f(x)

    found = isolate_root(f, slope, bracket, 235, 4096)
    assert found.lower < root < found.upper
    assert len(calls) < 200


@pytest.mark.parametrize("n", [3, 9, 49])
def test_a_root_of_high_order(n):
    """Newton's steps shrink the distance by 1 - 1/n only, and the slope at the root is 0."""
    root = F(2, 7)
    found = isolate_root(
        lambda x: (ball(root) - x) ** n,
        lambda x: -n * (ball(root) - x) ** (n - 1),
        (F(0), F(1)),
        30,
        65536,
    )
    assert found.lower < root < found.upper
    assert found.upper - found.lower < F(1, 10**30)


def test_a_bracket_of_many_decades():
    root = F(1, 10**40)
    found = isolate_root(*cubic(root), (F(1, 10**90), F(1)), 30, 4096)
    assert found.lower < root < found.upper
    assert found.upper - found.lower < root / 10**29


def test_an_irrational_root_to_many_digits():
    found = isolate_root(lambda x: 2 - x**2, lambda x: -2 * x, (F(0), F(2)), 1000, 65536)
    assert found.lower**2 < 2 < found.upper**2
    assert found.upper - found.lower < F(2, 10**1000)


def test_a_function_that_cannot_be_told_from_0_exhausts_the_precision():
    with pytest.raises(PrecisionExhausted, match="512"):
        isolate_root(lambda x: (1 - x) + arb(0, 1), lambda x: arb(-1), (F(0), F(2)), 30, 512)


def test_newton_is_left_alone_where_it_converges():
    """From one side, so that the other end of the bracket stays where it is."""
    seen = []
    isolate_root(lambda x: (seen.append(x), 2 - x**2)[1], lambda x: -2 * x, (F(0), F(2)), 1000, 65536)
    assert len(seen) < 20


def test_precision_that_never_sufficed_is_not_used():
    with pytest.raises(PrecisionExhausted):
        isolate_root(*cubic(F(1, 3)), (F(0), F(1)), 30, 64)


def test_the_limit_itself_is_tried():
    """131 bits are too few for this function, and twice as many over the limit."""

    def f(x: arb) -> arb:
        return (ball(F(1, 3)) - x) if ctx.prec >= 200 else arb(0, 1)

    assert isolate_root(f, lambda x: arb(-1), (F(0), F(1)), 30, 200).bits == 200


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_an_unknown_sign_at_one_end_is_not_taken_for_the_right_one(end):
    """Below 200 bits the function tells its sign on one side of the root only."""
    root = F(1, 3)

    def f(x: arb) -> arb:
        known = x < ball(root) if end == "upper" else x > ball(root)
        return ball(root) - x if known or ctx.prec >= 200 else arb(0, 1)

    assert isolate_root(f, lambda x: arb(-1), (F(0), F(1)), 20, 200, guess=F(1, 3)).bits == 200
    with pytest.raises(PrecisionExhausted):
        isolate_root(f, lambda x: arb(-1), (F(0), F(1)), 20, 199, guess=F(1, 3))


@pytest.mark.parametrize(
    ("lower", "upper", "digits"),
    [
        (F("0.28"), F("0.29"), 1),
        (F("0.9999"), F("1.0001"), 3),
        (F(1), F(1) + F(2, 10**30), 30),
        (F(1), F(1) + F(201, 10**32), 29),
        (F(1, 10**50), F(1, 10**50) * (1 + F(1, 10**30)), 30),
        (F(1, 10), F(10), 0),
    ],
)
def test_certain_digits(lower, upper, digits):
    assert certain_digits(lower, upper) == digits


def test_a_function_that_rises_is_not_given_a_root():
    f, slope = cubic(F(1, 3))
    with pytest.raises(PrecisionExhausted):
        isolate_root(lambda x: -f(x), lambda x: -slope(x), (F(0), F(1)), 30, 512)


@pytest.mark.parametrize(
    "unknown",
    [arb(0, 1), arb(0), arb("nan"), arb(0, "inf")],
    ids=["straddles", "zero", "nan", "anything"],
)
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("guess", [F(1, 2), F(1, 4), F(3, 4)])
def test_a_sign_that_is_unknown_on_one_side_of_the_root_certifies_nothing(unknown, side, guess):
    """Only a sign at either end tells that a root is enclosed: neither may be taken for granted."""

    def f(x: arb) -> arb:
        return unknown if side * (x - ball(F(1, 2))) > 0 else ball(F(1, 2)) - x

    with pytest.raises(PrecisionExhausted):
        isolate_root(f, lambda x: arb(-1), (F(0), F(1)), 30, 512, guess)


@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_function_of_one_sign_is_not_given_a_root(wrong):
    with pytest.raises(PrecisionExhausted):
        isolate_root(lambda x: arb(wrong), lambda x: arb(-1), (F(0), F(1)), 30, 256, F(1, 2))


def test_no_root_in_the_bracket():
    with pytest.raises(PrecisionExhausted):
        isolate_root(*cubic(F(2)), (F(0), F(1)), 30, 512)


def test_a_root_knows_its_middle_and_its_ball():
    root = Root(F(1, 3), F(2, 3), 64)
    assert root.middle == F(1, 2)
    assert root.ball.contains(ball(F(1, 3)))
    assert root.ball.contains(ball(F(2, 3)))
