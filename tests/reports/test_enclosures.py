"""Enclosures as numbers: what their ends decide, and what they do not."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.vocabulary import Certified, UndecidedError, rational

GAP = Certified("0.0366", "0.0367")
EXACT = Certified("0.263157", "0.263158", "5/19")
FAR = Certified("1e-970", "2e-970")
ORDERS = [operator.lt, operator.le, operator.gt, operator.ge]


def test_ends_middle_and_radius() -> None:
    assert GAP.ends == (Fraction(366, 10000), Fraction(367, 10000))
    assert (GAP.middle, GAP.radius) == (Fraction(733, 20000), Fraction(1, 20000))
    assert (EXACT.middle, EXACT.radius) == (Fraction(5, 19), 0)
    assert FAR.middle == Fraction(3, 2) / 10**970
    assert (float(EXACT), float(FAR)) == (5 / 19, 0.0)


@pytest.mark.parametrize(
    "number", [0, Fraction(1, 30), 0.03, Decimal("0.03"), np.float32(0.03), -math.inf, EXACT]
)
def test_what_the_ends_decide(number: object) -> None:
    """In both directions: a number on the left asks the enclosure on the right."""
    below = number is not EXACT
    assert [(number < GAP), (number < GAP), (number <= GAP), (number != GAP)] == [below, below, below, True]
    assert [(number > GAP), (number >= GAP), (number >= GAP), (number == GAP)] == [not below] * 3 + [False]


@pytest.mark.parametrize("number", [Fraction("0.0366"), 0.03665, Decimal("0.0367"), GAP, math.nan])
def test_what_they_do_not_decide_is_an_error(number: object) -> None:
    """Even against itself: one enclosure may hold two different numbers."""
    undecided = [order for order in ORDERS if not _decides(order, GAP, number)]
    touching = {Fraction("0.0366"): 2, Decimal("0.0367"): 2}
    assert len(undecided) == touching.get(number, 4)  # type: ignore[call-overload]
    if number is not GAP and number == number:
        with pytest.raises(UndecidedError, match=r"\[0.0366, 0.0367\] and .* overlap"):
            assert number == GAP


def test_whole_numbers_of_numpy_do_not_overflow() -> None:
    small, many = Certified("1e-10", "2e-10"), np.int64(10**10)
    assert small < many
    assert many > small
    assert small != many
    assert many not in small


def _decides(order: object, left: object, right: object) -> bool:
    try:
        order(left, right)  # type: ignore[operator]
    except UndecidedError:
        return False
    return True


@given(st.lists(st.fractions(max_denominator=50), min_size=4, max_size=4))
def test_an_order_that_is_told_is_that_of_all_numbers_inside(ends: list[Fraction]) -> None:
    first, second = (
        Certified("0", "0", str(low)) if low == high else Certified(*(str(_tenths(x)) for x in (low, high)))
        for low, high in (sorted(ends[:2]), sorted(ends[2:]))
    )
    for order in ORDERS:
        found = [order(x, y) for x in first.ends for y in second.ends]
        if _decides(order, first, second):
            assert set(found) == {order(first, second)}
        else:
            assert len(set(found)) == 2


def _tenths(number: Fraction) -> Decimal:
    return Decimal(math.floor(10 * number)) / 10


def test_an_exact_number_is_one() -> None:
    assert Fraction(5, 19) == EXACT
    assert hash(EXACT) == hash(Fraction(5, 19))
    assert EXACT <= Fraction(5, 19) <= EXACT
    assert not Fraction(5, 19) > EXACT
    assert Certified("0.25", "0.25") == Certified("0.25", "0.25", "1/4") == 0.25


def test_equality_of_enclosures_is_that_of_their_ends() -> None:
    same, wider = Certified("0.0366", "0.0367"), Certified("0.0366", "0.0368")
    assert same == GAP
    assert hash(GAP) == hash(same)
    assert wider != GAP
    assert GAP != "0.0366"
    assert [copy.copy(GAP), copy.deepcopy(GAP), pickle.loads(pickle.dumps(GAP))] == [GAP] * 3


def test_truth_and_membership() -> None:
    assert GAP
    assert not Certified("0", "0", "0")
    with pytest.raises(UndecidedError):
        bool(Certified("-1", "1"))
    assert Fraction("0.03665") in GAP
    assert 0.0368 not in GAP
    assert Certified("0.03661", "0.03662") in GAP
    assert EXACT not in GAP


@pytest.mark.parametrize("other", ["0.03", None, 1j, []])
def test_what_is_no_number_does_not_compare(other: object) -> None:
    assert other != GAP
    for order in ORDERS:
        with pytest.raises(TypeError, match="does not compare"):
            order(GAP, other)
    with pytest.raises(TypeError):
        assert other in GAP


def test_numbers_of_any_length_are_read() -> None:
    """Python refuses to read an integer of over 4300 digits."""
    digits = "1" * 5000
    assert rational(f"{digits}/3") * 27 == 10**5000 - 1
    assert rational("-1.5e-3") == Fraction(-3, 2000)
