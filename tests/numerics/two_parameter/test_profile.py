"""The exact profile: against expectations, against floating point, and what was found for every law tried."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.polynomial import polyder, polyval

from numerics.arithmetic.polynomial_roots import value_at
from numerics.expectation.over_law import Expectation
from numerics.laws import BetaPiece, Law
from numerics.laws.syntax import parse_law
from numerics.two_parameter.profile import Profile
from tests.strategies import atomic_laws, laws
from theory.losses import two_parameter
from theory.stationarity import stationarity

weights = st.fractions(min_value=-2, max_value=2, max_denominator=9)
varying = laws().filter(lambda law: not law.is_constant)
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


@settings(max_examples=25, deadline=None)
@given(atomic_laws().filter(lambda law: not law.is_constant), weights, weights, st.integers(2, 7))
def test_the_gain_is_what_the_loss_lacks(law: Law, alpha: Fraction, beta: Fraction, T: int) -> None:
    profile, expectation = Profile.of(law, T), Expectation(law)
    constant = expectation.exact(stationarity().C.bind(T, beta or Fraction(1)))
    if beta:
        loss = expectation.exact(two_parameter().value.bind(T, alpha, beta))
        assert constant - profile.gain(alpha, beta) == loss
    assert profile.gain(profile.ridge(beta), beta) == profile.best_gain(beta)
    assert profile.gain(alpha, beta) <= profile.best_gain(beta)


@settings(max_examples=15, deadline=None)
@given(varying, st.integers(2, 9))
def test_at_zero(law: Law, T: int) -> None:
    """S = T at beta = 0."""
    profile = Profile.of(law, T)
    lam_mean = law.mean + law.moment(2)
    assert profile.ridge(Fraction(0)) == law.mean / (T * lam_mean)
    assert profile.best_gain(Fraction(0)) == law.mean**2 / lam_mean


@settings(max_examples=20, deadline=None)
@given(varying, st.integers(2, 8))
def test_critical_points_against_floating_point(law: Law, T: int) -> None:
    """Each is a zero of the gradient, of the kind that the Hessian says, and none is missed."""
    profile = Profile.of(law, T)
    N, D = (np.array([float(c) / profile.unit for c in poly.coeffs()]) for poly in (profile.N, profile.D))
    for point in profile.critical_points:
        beta = (point.beta.low + point.beta.high) / 2
        b, alpha = float(beta), 0.0 if point.on_axis else float(profile.ridge(beta))
        n, n1, n2 = (polyval(b, polyder(N, k)) for k in range(3))
        d, d1, d2 = (polyval(b, polyder(D, k)) for k in range(3))
        terms = max(abs(n), abs(alpha * d))
        assert abs(n - alpha * d) <= 1e-7 * max(terms, abs(n1 * b))
        slope = (2 * alpha * n1, alpha**2 * d1)
        assert abs(slope[0] - slope[1]) <= 1e-6 * max(abs(float(slope[0])), abs(float(slope[1])), 1e-30)
        determinant = 2 * d * (-2 * alpha * n2 + alpha**2 * d2) - (2 * n1 - 2 * alpha * d1) ** 2
        # The determinant loses digits where the profile is flat.
        if abs(determinant) > 1e-6 * (2 * n1 - 2 * alpha * d1) ** 2:
            assert (determinant > 0) == (point.kind == "minimum")


@settings(max_examples=25, deadline=None)
@given(varying, st.integers(2, 9))
def test_one_minimum_and_one_saddle(law: Law, T: int) -> None:
    """Found for every law tried; it is no theorem."""
    points = Profile.of(law, T).critical_points
    assert [point.kind for point in points] == ["saddle", "minimum"]
    assert [point.on_axis for point in points] == [T % 2 == 0, False]
    assert points[1].beta.high < 0
    l1, l2 = law.lambda_ends
    if T % 2 == 0 and l2 is not None:
        assert -2 / l1 < points[0].beta.low <= points[0].beta.high < -2 / l2


def test_depth_two_is_rational() -> None:
    saddle, minimum = Profile.of(UNIFORM, 2).critical_points
    assert (saddle.beta.low, minimum.beta.low) == (Fraction(-10, 19), Fraction(-11, 40))
    assert minimum.beta.is_exact


def test_two_atoms_are_found_exactly() -> None:
    law = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
    for T in (4, 8, 16):
        minimum = Profile.of(law, T).critical_points[1].beta
        assert minimum.low == minimum.high == Fraction(-2, 7)
    assert not Profile.of(law, 5).critical_points[1].beta.is_exact


def test_the_gain_at_infinity_is_a_limit() -> None:
    profile = Profile.of(UNIFORM, 3)
    for beta in (Fraction(-(10**9)), Fraction(10**9)):
        assert float(profile.best_gain(beta)) == pytest.approx(float(profile.gain_at_infinity), rel=1e-8)


@pytest.mark.parametrize("text", ["point(2)", "atoms({0: 1/2, 3: 1/2})"])
def test_a_constant_norm_has_a_curve(text: str) -> None:
    with pytest.raises(ValueError, match="curve"):
        _ = Profile.of(parse_law("squared_norm", text), 4).critical_points


def test_the_same_law_in_two_pieces() -> None:
    """uniform(1, 4) as a mixture of uniform(1, 2) and uniform(2, 4)."""
    one = Fraction(1)
    halves = (
        BetaPiece(Fraction(1, 3), one, 2 * one, one, one),
        BetaPiece(Fraction(2, 3), 2 * one, 4 * one, one, one),
    )
    mixture = Law("squared_norm", ("mixture",), halves)
    for T in (2, 5):
        first, second = Profile.of(UNIFORM, T), Profile.of(mixture, T)
        beta = Fraction(-1, 3)
        assert value_at(first.N, beta) / first.unit == value_at(second.N, beta) / second.unit
        assert first.best_gain(beta) == second.best_gain(beta)
