"""EnclosedMinimum minima against reference figures, closed forms and an independent route."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ends
from numerics.errors import PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.one_parameter.minimiser import loss_at, minimiser
from numerics.two_parameter.minimum import EnclosedMinimum, Number, enclose
from numerics.two_parameter.profile import Profile
from tests.numerics.by_mpmath import mpmath_mean
from tests.strategies import laws
from theory.losses import one_parameter, two_parameter

varying = laws().filter(lambda law: not law.is_constant)

#: alpha, beta, excess
REFERENCE = {
    ("uniform(1, 4)", 2): ("0.290065264684554", "-0.275", "0.0020389366"),
    ("uniform(1, 4)", 3): ("0.273453824819286", "-0.272338004815327", "0.00048694926"),
    ("uniform(1, 4)", 8): ("0.281437651178712", "-0.281408057942875", "3.3358646e-8"),
    ("uniform(0, 3)", 2): ("0.383561643835616", "-0.357142857142857", "0.0036553043"),
    ("uniform(0, 3)", 3): ("0.356569278751894", "-0.354500817545541", "0.001247898"),
    ("uniform(0, 3)", 8): ("0.377692566964436", "-0.377449778610639", "1.4850186e-6"),
    ("atoms({1: 1/3, 4: 2/3})", 2): ("0.35", "-0.285714285714286", "0.0"),
    ("atoms({1: 1/3, 4: 2/3})", 3): ("0.263177114971792", "-0.264110105645933", "0.0024075747"),
    ("atoms({1: 1/3, 4: 2/3})", 8): ("0.286039831615216", "-0.285714285714286", "0.0"),
}


def find(law: Law, T: int, max_bits: int = 8192) -> EnclosedMinimum:
    profile = Profile.of(law, T)
    (point,) = [point for point in profile.critical_points if point.kind == "minimum"]
    return enclose(Expectation(law), profile, point, max_bits)


@cache
def minimum(text: str, T: int) -> EnclosedMinimum:
    return find(parse_law("squared_norm", text), T)


def interval(number: Number | tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    if isinstance(number, tuple):
        return number
    return (number, number) if isinstance(number, Fraction) else ends(number)


def agrees(number: Number | tuple[Fraction, Fraction], decimal: str) -> bool:
    """The figure is the number rounded to its digits."""
    low, high = interval(number)
    mantissa, _, exponent = decimal.partition("e")
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    half = Fraction(1, 2 * 10**places) if places >= 0 else Fraction(1, 2)
    return low - half <= Fraction(decimal) <= high + half


@pytest.mark.parametrize(("text", "T"), REFERENCE)
def test_reference(text: str, T: int) -> None:
    found = minimum(text, T)
    for number, decimal in zip((found.alpha, found.beta, found.excess), REFERENCE[text, T], strict=True):
        assert agrees(number, decimal)
    alpha = REFERENCE[text, T][0]
    assert not agrees(found.alpha, f"{alpha[:-1]}{(int(alpha[-1]) + 2) % 10}")


@pytest.mark.parametrize(
    ("T", "total", "excess"),
    [(8, "3.0e-5", "3.3e-8"), (64, "9.8e-27", "3.1e-50"), (256, "5.5e-98", "4.0e-192")],
)
def test_alpha_plus_beta_is_resolved(T: int, total: str, excess: str) -> None:
    found = minimum("uniform(1, 4)", T)
    assert agrees(found.alpha_plus_beta, total)
    assert agrees(found.excess, excess)
    assert isinstance(found.alpha_plus_beta, arb)
    assert found.alpha_plus_beta.rel_accuracy_bits() >= 34


def test_two_atoms_at_even_depth() -> None:
    for T in (2, 4, 64):
        found = minimum("atoms({1/2: 1/2, 2: 1/2})", T)
        beta = -2 / (Fraction(3, 2) + 3)
        assert found.beta == (beta, beta)
        assert found.alpha == -beta / (1 - (1 + beta * Fraction(3, 2)) ** T)
        assert found.excess == 0
    assert interval(minimum("atoms({1/2: 1/2, 2: 1/2})", 5).excess)[0] > 0


@settings(max_examples=15, deadline=None)
@given(varying, st.integers(2, 8))
def test_below_the_one_parameter_excess(law: Law, T: int) -> None:
    """And both curvatures are positive."""
    found, expectation, loss = find(law, T), Expectation(law), one_parameter()
    one, _ = loss_at(expectation, loss, T, minimiser(expectation, loss, T, 30, 8192), 8192)
    assert interval(found.excess)[0] <= ends(one)[1]
    assert all(curvature > 0 for curvature in found.curvatures)


@settings(max_examples=8, deadline=None)
@given(varying, st.integers(2, 6))
def test_the_gradient_vanishes_by_mpmath(law: Law, T: int) -> None:
    """mpmath's own derivative of the loss, by moments: no ball, no profile."""
    found, loss = find(law, T), two_parameter()
    with mpmath.workdps(60):
        alpha, beta = (
            mpmath.mpf(x.numerator) / x.denominator for x in map(_middle, (found.alpha, found.beta))
        )

        def value(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
            return mpmath_mean(law, loss.value.bind(T, a, b))

        h = mpmath.mpf(10) ** -20
        for direction in ((h, 0), (0, h)):
            forward, back = (
                value(alpha + sign * direction[0], beta + sign * direction[1]) for sign in (1, -1)
            )
            here = value(alpha, beta)
            bend = forward - 2 * here + back
            # A step h changes the loss by f'' h^2/2; the slope is 0 to the digits of the weights.
            assert bend > 0
            assert abs(forward - back) < mpmath.mpf(10) ** -4 * bend


def _middle(number: Number | tuple[Fraction, Fraction]) -> Fraction:
    low, high = interval(number)
    return (low + high) / 2


def test_the_profile_rises_on_both_sides() -> None:
    found, law = minimum("uniform(1, 4)", 8), parse_law("squared_norm", "uniform(1, 4)")
    profile = Profile.of(law, 8)
    best = profile.best_gain(found.beta[0])
    for step in (Fraction(1, 10**4), Fraction(1, 10)):
        assert profile.best_gain(found.beta[0] - step) < best > profile.best_gain(found.beta[1] + step)


def test_the_precision_limit_is_loud() -> None:
    with pytest.raises(PrecisionExhausted):
        find(parse_law("squared_norm", "uniform(1, 4)"), 8, max_bits=64)


def test_a_saddle_is_not_enclosed() -> None:
    """The isolated saddle has no sign change of the right direction."""
    law = parse_law("squared_norm", "uniform(1, 4)")
    profile = Profile.of(law, 3)
    saddle = profile.critical_points[0]
    assert saddle.kind == "saddle"
    with pytest.raises(PrecisionExhausted):
        enclose(Expectation(law), profile, saddle, 512)
