"""The three exclusions: against the profile itself, against enclosed minima, and their end masses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.errors import DepthLimit
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.two_parameter import all_large_depths as module
from numerics.two_parameter import end_masses
from numerics.two_parameter.all_large_depths import Exclusion, PairBand, band, recheck
from numerics.two_parameter.end_masses import EndMasses
from numerics.two_parameter.profile import Profile
from tests.numerics.by_mpmath import mpmath_mean
from tests.strategies import bounded_laws
from theory.stationarity import stationarity

varying = bounded_laws().filter(lambda law: not law.is_constant)
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def constant(law: Law) -> arb:
    return Expectation(law).ball(stationarity().C.bind(2, Fraction(1)))


@cache
def uniform(epsilon: str) -> PairBand:
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


def region(exclusion: Exclusion, found: PairBand, law: Law) -> list[float]:
    """Values of b = -beta that the exclusion speaks of, far ones among them."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    low, high = found.setting.region(exclusion.case)
    start = -8 / float(l1) if low is None else float(low)
    end = 8 / float(l1) if high is None else float(high)
    points = [start + (end - start) * i / 6 for i in range(7)]
    if exclusion.case.name == r"$b \le 1/\ell_2$":
        points += [0, end / 2, end / 100, -end / 100]
    return [b or 1e-6 / float(l2) for b in points]


def relative_profile(law: Law, b: float, T: int) -> mpmath.mpf:
    """f/C at beta = -b, by moments in mpmath."""
    forms = stationarity()
    beta = -mpmath.mpf(b)
    C, a1, a2 = (mpmath_mean(law, form.bind(T, beta)) for form in (forms.C, forms.a1, forms.a2))
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
    # Each is rounded down, at 2048 bits.
    assert abs(low / high / (Fraction(1, 6) / Fraction(8, 15)) - 1) < Fraction(1, 2**500)
    assert float(low + high) == pytest.approx(1)
    assert masses.low(Fraction(2) - Fraction(1, 10**9)) == 0


def test_the_limit_of_depth_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEEPEST", 64)
    with pytest.raises(DepthLimit):
        band(UNIFORM, Fraction(1, 10**4), constant(UNIFORM))


# --- T0: the first depth of each condition, none left out, no larger for a larger epsilon

NARROW = "atoms({1: 1/2, 11/10: 1/2})"
RARE = "atoms({1: 999/1000, 11/10: 1/1000})"
ATOMS = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
THREE = parse_law("squared_norm", "atoms({1: 1/2, 2: 1/3, 5: 1/6})")
EPSILONS = ["1/200", "1/50", "1/10", "3/20", "1/5", "2/5", "1/2", "9/10"]


@cache
def relative(text: str, epsilon: str) -> PairBand:
    law = parse_law("squared_norm", text)
    l1, l2 = law.lambda_ends
    assert l2 is not None
    return band(law, Fraction(epsilon) * 2 / (l1 + l2), constant(law))


@pytest.mark.parametrize(
    "text",
    [
        "uniform(1, 4)",
        "atoms({1: 1/2, 2: 1/3, 5: 1/6})",
        "atoms({1: 1/2, 1000: 1/2})",
    ],
)
def test_a_larger_epsilon_has_no_larger_depth(text: str) -> None:
    found = [relative(text, epsilon) for epsilon in EPSILONS]
    depths = [band.T0 for band in found]
    assert all(band.inner < band.epsilon and band.alpha_T0 <= band.T0 for band in found)
    assert depths == sorted(depths, reverse=True)
    assert len(set(depths)) > 2


def exceeds(law: Law, found: PairBand, exclusion: Exclusion, T: int) -> bool:
    """The condition typed in once more, in exact arithmetic."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    best, kappa = 2 / (l1 + l2), (l2 - l1) / (l2 + l1)
    a, small, (lM, lH) = best + found.inner, best - found.inner, (exclusion.l_m, exclusion.l_h)
    p, k = exclusion.masses[0] * exclusion.masses[1], kappa ** (2 * T)
    match exclusion.case.name:
        case r"$b \ge a$":
            th, r, factor, bound = lM / lH, a * lH - 1, Fraction(1), 4
        case r"$1/\ell_2 \le b \le a'$":
            th = max((l2 - lH) / (l2 - lM), (small * l2 - 1) / (1 - small * lM))
            r, factor, bound = 1 - small * lM, Fraction(1), 1
        case _:
            th, r, factor, bound = Fraction(0), 1 - lM / l2, (lH - lM) / l2, 1
    assert r > kappa
    assert 0 <= th < 1
    return p * (factor * (1 - th**T) * r**T) ** 2 * (1 - k) > bound * k


@pytest.mark.parametrize("law", [ATOMS, THREE, UNIFORM])
@pytest.mark.parametrize("part", [3, 10, 40])
def test_each_case_has_its_first_depth(law: Law, part: int) -> None:
    l1, l2 = law.lambda_ends
    assert l2 is not None
    found = band(law, 2 / (l1 + l2) / part, constant(law))
    assert len(found.exclusions) == 3
    for exclusion in found.exclusions:
        assert exceeds(law, found, exclusion, exclusion.T0)
        assert not exceeds(law, found, exclusion, exclusion.T0 - 1)


@pytest.mark.parametrize(
    ("case", "text", "epsilon"),
    [
        (r"$b \ge a$", NARROW, "1/300"),
        (r"$1/\ell_2 \le b \le a'$", "uniform(1, 4)", "1/50"),
        (r"$b \le 1/\ell_2$", RARE, "1/10"),
    ],
)
def test_each_part_decides_the_depth_somewhere(case: str, text: str, epsilon: str) -> None:
    found = relative(text, epsilon)
    depths = {exclusion.case.name: exclusion.T0 for exclusion in found.exclusions} | {"alpha": found.alpha_T0}
    others = max(T for name, T in depths.items() if name != case)
    assert found.T0 == depths[case] > others


def test_no_part_is_left_out_of_the_depth() -> None:
    found = relative("uniform(1, 4)", "1/50")
    assert replace(found, alpha_T0=10**6).T0 == 10**6
    for place in range(len(found.exclusions)):
        later = [replace(e, T0=10**6) if i == place else e for i, e in enumerate(found.exclusions)]
        assert replace(found, exclusions=tuple(later)).T0 == 10**6


@pytest.mark.parametrize(("text", "epsilon"), [("uniform(0, 3)", "1/2"), ("atoms({1: 1/3, 4: 2/3})", "1/10")])
def test_alpha_has_its_first_depth(text: str, epsilon: str) -> None:
    """Exactly, and one depth before it does not follow from the band for beta."""
    found = relative(text, epsilon)
    low, high, rho = found.center - found.inner, found.center + found.inner, found.setting.rho

    def follows(T: int) -> bool:
        R = rho**T
        return high / (1 - R) < found.center + found.epsilon and low / (1 + R) > found.center - found.epsilon

    assert follows(found.alpha_T0)
    assert not follows(found.alpha_T0 - 1)


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("atoms({1: 1/3, 4: 2/3})", "1/2"),
        ("atoms({1: 1/2, 2: 1/3, 5: 1/6})", "1/2"),
        ("uniform(1, 4)", "1/2"),
        ("beta(1/2, 1/3, low=1, high=4)", "1/5"),
    ],
)
def test_the_minimum_itself_against_small_depths(text: str, epsilon: str) -> None:
    """(alpha_T, beta_T) by exact isolation lies in the band at T0 and the four depths after it."""
    law, found = parse_law("squared_norm", text), relative(text, epsilon)
    assert found.T0 <= 12
    for T in range(max(found.T0, 2), found.T0 + 5):
        profile = Profile.of(law, T)
        (minimum,) = [point.beta for point in profile.critical_points if point.kind == "minimum"]
        assert abs(minimum.low + found.center) < found.inner
        assert abs(profile.ridge(minimum.low) - found.center) < found.epsilon


def test_what_covers_the_line() -> None:
    low, high = Fraction(1), Fraction(2)
    whole: list[module.Region] = [(None, Fraction(0)), (Fraction(0), low), (high, None)]
    assert module.covers(whole, (low, high))
    assert module.covers([(None, None)], (low, high))
    assert module.covers([(high, None), (None, low)], (low, high))
    for left_out in range(3):
        assert not module.covers(whole[:left_out] + whole[left_out + 1 :], (low, high))
    # The ends of the open band have to be held, and a gap beside it is one.
    assert not module.covers([(None, low - Fraction(1, 9)), (high, None)], (low, high))
    assert not module.covers([(None, low), (high + Fraction(1, 9), None)], (low, high))
    assert not module.covers([(None, Fraction(-1)), (Fraction(0), low), (high, None)], (low, high))
    assert not module.covers([(Fraction(-5), low), (high, None)], (low, high))


@settings(max_examples=25, deadline=None)
@given(varying, st.integers(1, 9))
def test_end_masses_by_a_second_route(law: Law, part: int) -> None:
    """Windows of the ball evaluators against incomplete beta functions."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    cut, masses = l1 + (l2 - l1) * Fraction(part, 10), EndMasses(law, constant(law))
    with ctx.workprec(4 * end_masses.BITS):
        C = constant(law)
    for claimed, below in ((masses.low(cut), True), (masses.high(cut), False)):
        least, most = end_masses.bounds(law, C, cut, below=below)
        assert claimed <= least <= most
