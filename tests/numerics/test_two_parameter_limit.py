"""The four exclusions: against the profile itself, against enclosed minima, and their end masses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics import two_parameter_limit as module
from numerics.end_masses import EndMasses
from numerics.errors import DepthLimit
from numerics.expectation import Expectation
from numerics.law_syntax import parse_law
from numerics.laws import Law
from numerics.profile import Profile
from numerics.two_parameter_limit import Band, Exclusion, band, recheck
from tests.strategies import bounded_laws
from theory.stationarity import stationarity

varying = bounded_laws().filter(lambda law: not law.is_constant)
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def constant(law: Law) -> arb:
    return Expectation(law).ball(stationarity().C.bind(2, Fraction(1)))


@cache
def uniform(epsilon: str) -> Band:
    return band(UNIFORM, Fraction(epsilon), constant(UNIFORM))


@pytest.mark.parametrize(("epsilon", "most"), [("1/20", 21), ("1/50", 60), ("1/100", 140)])
def test_depths_are_no_larger_than_known(epsilon: str, most: int) -> None:
    found = uniform(epsilon)
    assert 8 < found.T0 <= most
    assert found.inner < found.epsilon == Fraction(epsilon)


@pytest.mark.parametrize("T", [19, 20, 33, 64, 101])
def test_minima_lie_in_the_band(T: int) -> None:
    """Exact isolation at depths T >= T0 of the band of 1/20."""
    found = uniform("1/20")
    assert found.T0 <= T
    profile = Profile.of(UNIFORM, T)
    (minimum,) = [point.beta for point in profile.critical_points if point.kind == "minimum"]
    for beta in (minimum.low, minimum.high):
        assert abs(beta + Fraction(2, 7)) < found.inner
        assert abs(profile.ridge(beta) - Fraction(2, 7)) < found.epsilon


def region(exclusion: Exclusion, found: Band, law: Law) -> list[float]:
    """Values of b = -beta that the exclusion speaks of, far ones among them."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    low, high = found.setting.region(exclusion.case)
    start = -8 / float(l1) if low is None else float(low)
    end = 8 / float(l1) if high is None else float(high)
    points = [start + (end - start) * i / 6 for i in range(7)]
    return [b or 1e-6 / float(l2) for b in points]


def relative_profile(law: Law, b: float, T: int) -> mpmath.mpf:
    """f/C at beta = -b, by moments in mpmath."""
    forms, expectation = stationarity(), Expectation(law)
    beta = -mpmath.mpf(b)
    C, a1, a2 = (expectation.mpmath(form.bind(T, beta)) for form in (forms.C, forms.a1, forms.a2))
    return (C * a2 - a1**2) / (a2 - 2 * a1 + C) / C


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({1: 1/2, 2: 1/3, 5: 1/6})"])
def test_the_profile_exceeds_the_bound_where_it_is_excluded(text: str) -> None:
    law = parse_law("squared_norm", text)
    l1, l2 = law.lambda_ends
    assert l2 is not None
    found = band(law, 2 / (l1 + l2) / 10, constant(law))
    kappa = (l2 - l1) / (l2 + l1)
    with mpmath.workdps(40):
        for exclusion in found.exclusions:
            bound = (mpmath.mpf(kappa.numerator) / kappa.denominator) ** (2 * exclusion.T0)
            for b in region(exclusion, found, law):
                assert relative_profile(law, b, exclusion.T0) > bound
        T = max(exclusion.T0 for exclusion in found.exclusions)
        best = mpmath.mpf(2) / (
            mpmath.mpf(l1.numerator) / l1.denominator + mpmath.mpf(l2.numerator) / l2.denominator
        )
        bound = (mpmath.mpf(kappa.numerator) / kappa.denominator) ** (2 * T)
        assert relative_profile(law, best, T) <= bound


def test_each_depth_is_the_first() -> None:
    """At T0 the inequality holds, one depth before it does not; with larger masses than there are, before."""
    found = uniform("1/50")
    for exclusion in found.exclusions:
        T = exclusion.T0
        assert recheck(UNIFORM, found, exclusion, T)
        assert not recheck(UNIFORM, found, exclusion, T - 1)
        assert not recheck(
            UNIFORM, found, replace(exclusion, masses=(Fraction(1, 10**9), Fraction(1, 10**9))), T
        )
        swapped = replace(exclusion, l_m=exclusion.l_h, l_h=exclusion.l_m)
        assert not recheck(UNIFORM, found, swapped, T)


@settings(max_examples=10, deadline=None)
@given(varying, st.sampled_from(["1/3", "1/20"]))
def test_every_bounded_law_has_a_depth(law: Law, epsilon: str) -> None:
    l1, l2 = law.lambda_ends
    assert l2 is not None
    asked = Fraction(epsilon) * 2 / (l1 + l2)
    found = band(law, asked, constant(law))
    assert found.epsilon <= asked
    assert found.setting.rho < 1
    assert all(recheck(law, found, exclusion, found.T0) for exclusion in found.exclusions)


def test_the_depth_grows_like_one_over_epsilon() -> None:
    first, second = (band(UNIFORM, Fraction(1, n), constant(UNIFORM)).T0 for n in (10**4, 10**5))
    assert 9 < second / first < 16


@settings(max_examples=25, deadline=None)
@given(varying, st.integers(1, 4))
def test_end_masses_are_lower_bounds(law: Law, part: int) -> None:
    """Against 40,000 draws: never above the frequency by 6 standard errors, and not idle."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    cut = l1 + (l2 - l1) * Fraction(part, 5)
    masses = EndMasses(law, constant(law))
    s = law.sample(np.random.default_rng(1), 40_000)
    weight = s / (1 + s)
    for bound, inside in ((masses.low(cut), s + 1 <= float(cut)), (masses.high(cut), s + 1 >= float(cut))):
        share = (weight * inside) / weight.mean()
        error = 6 * share.std() / 200 + 1e-3
        assert 0 <= bound < share.mean() + error
        if share.mean() > 0.3 and law.kind != "modalities":
            assert float(bound) > 0.05


def test_ends_that_carry_mass_count() -> None:
    law = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
    masses = EndMasses(law, constant(law))
    low, high = masses.low(Fraction(2)), masses.high(Fraction(5))
    # nu: 1/3 * 1/2 against 2/3 * 4/5
    assert low / high == Fraction(1, 6) / Fraction(8, 15)
    assert float(low + high) == pytest.approx(1)
    assert masses.low(Fraction(2) - Fraction(1, 10**9)) == 0


def test_the_limit_of_depth_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEEPEST", 64)
    with pytest.raises(DepthLimit):
        band(UNIFORM, Fraction(1, 10**4), constant(UNIFORM))
