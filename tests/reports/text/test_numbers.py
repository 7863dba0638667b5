"""Enclosures as certain digits."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.text.numbers import (
    best_digits,
    bounds,
    certain_digits,
    decimal,
    difference,
    log10,
    middle,
    outward,
    rounded_digits,
    shared_digits,
)

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40)


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("0.28091210343507626", "0.28091210343507630", "0.28091210343507628(2)"),
        ("0.1", "0.9", "0.5(4)"),
        ("1.269e-97", "1.275e-97", "1.272(3)e-97"),
        ("1e-970", "1.0002e-970", "1.0001(1)e-970"),
        ("-3.00001", "-2.99999", "-3.00000(1)"),
        ("-1e-50", "1e-50", "0(1)e-50"),
        ("1200", "1250", "1.22(3)e3"),
        ("2", "2", "2"),
        ("1200", "1200", "1200"),
        ("0", "0", "0"),
    ],
)
def test_examples(lower: str, upper: str, text: str) -> None:
    assert certain_digits(Decimal(lower), Decimal(upper)).plain == text


def interval(text: str) -> tuple[Decimal, Decimal]:
    """What a reader takes 1.27(3)e-97 to mean."""
    match = re.fullmatch(r"(-?\d+(?:\.(\d+))?)(?:\((\d)\))?(?:e(-?\d+))?", text)
    assert match, text
    scale = Decimal(10) ** int(match[4] or 0)
    doubt = int(match[3] or 0) * Decimal(10) ** -len(match[2] or "")
    return (Decimal(match[1]) - doubt) * scale, (Decimal(match[1]) + doubt) * scale


@given(DECIMALS, DECIMALS, st.integers(3, 40))
def test_what_is_printed_contains_the_enclosure(first: Decimal, second: Decimal, places: int) -> None:
    lower, upper = sorted((first, second))
    low, high = interval(certain_digits(lower, upper, places).plain)
    assert low <= lower <= upper <= high


@given(st.decimals(min_value=1, max_value=10, places=30), st.integers(4, 25))
def test_no_digit_is_given_away(centre: Decimal, digits: int) -> None:
    """The printed interval is at most ten times as wide as the enclosure."""
    radius = Decimal(10) ** -digits
    low, high = interval(certain_digits(centre - radius, centre + radius).plain)
    assert high - low <= 20 * radius


def test_a_reversed_interval_is_refused() -> None:
    with pytest.raises(ValueError, match="not an interval"):
        certain_digits(Decimal(2), Decimal(1))


def test_what_counts_as_a_number() -> None:
    assert str(decimal("2/7")).startswith("0.285714285714285714285714285714285714")
    assert decimal(None) is None
    assert decimal(math.inf) is None
    assert decimal(math.nan) is None
    assert bounds({"lower": "1", "upper": "3"}) == (Decimal(1), Decimal(3))
    assert bounds({"mean": 2.0, "low": None, "high": 3.0}) is None
    assert middle({"mean": 2.5, "low": 1.0, "high": 3.0}) == Decimal("2.5")
    with pytest.raises(ValueError, match="not a number"):
        decimal("seven")


def test_log10_beyond_the_range_of_a_float() -> None:
    assert log10(Decimal("1e-970")) == -970
    assert math.isclose(log10(Decimal("-2e5000")), 5000 + math.log10(2))
    assert log10(Decimal(0)) == -math.inf


def test_floats_are_rounded_without_padding() -> None:
    assert rounded_digits(Decimal("0.06720000000000001")).plain == "0.0672"
    assert rounded_digits(Decimal("123456789.1")).plain == "1.23457e8"


@pytest.mark.parametrize(
    ("lower", "upper", "places", "text"),
    [
        ("0.28091210343507626", "0.28091210343507630", 40, "0.280912103435076..."),
        ("0.28091210343507626", "0.28091210343507630", 6, "0.280912..."),
        ("-0.0148256013", "-0.0148256012", 9, "-0.014825601..."),
        ("1.27387e-97", "1.27388e-97", 9, "1.2738...e-97"),
        ("7.75", "7.75", 9, "7.75"),
        ("17", "17", 2, "17"),
        ("0.4285714285", "0.4285714285", 4, "0.4285..."),
        ("1200", "1250", 9, "1.2...e3"),
        ("0", "0", 9, "0"),
    ],
)
def test_shared_digits(lower: str, upper: str, places: int, text: str) -> None:
    found = shared_digits(Decimal(lower), Decimal(upper), places)
    assert found is not None
    assert found.plain == text


@pytest.mark.parametrize(("lower", "upper"), [("-1", "1"), ("0", "1"), ("0.99", "1.01"), ("1e-9", "1e-8")])
def test_ends_that_share_no_digit(lower: str, upper: str) -> None:
    assert shared_digits(Decimal(lower), Decimal(upper)) is None


def test_ends_in_the_wrong_order() -> None:
    with pytest.raises(ValueError, match="not an interval"):
        shared_digits(Decimal(1), Decimal(0))


@given(st.fractions(), st.fractions())
def test_exact_numbers_and_their_difference_lie_between(one: Fraction, other: Fraction) -> None:
    low, high = outward(str(one))
    assert Fraction(low) <= one <= Fraction(high)
    low, high = difference(str(one), str(other))
    assert Fraction(low) <= one - other <= Fraction(high)


def test_no_number_has_no_bounds() -> None:
    with pytest.raises(ValueError, match="no number"):
        outward(None)
    with pytest.raises(ValueError, match="not a number"):
        difference("x", "1")


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("0.2809121034", "0.2809121038", "0.280912103..."),
        ("0.12499999999", "0.12500000001", "0.12500000000(1)"),
        ("-1e-50", "1e-50", "0(1)e-50"),
        ("7.75", "7.75", "7.75"),
    ],
)
def test_best_digits(lower: str, upper: str, text: str) -> None:
    assert best_digits(Decimal(lower), Decimal(upper)).plain == text
