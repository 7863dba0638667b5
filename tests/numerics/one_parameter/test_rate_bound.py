"""Bounds for every depth from some T1 on: on an end's ratio, and on what the rate's formula leaves out."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import theory
from numerics.arithmetic.balls import ball
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter import all_large_depths, end_ratios, rate
from numerics.one_parameter.end_ratios import Deviation, side_deviation, side_ratio
from numerics.one_parameter.minimiser import minimiser
from numerics.one_parameter.rate_bound import RateBound, rate_bound
from tests.strategies import bounded_laws

RATE = theory.limits.rate()
FAR = 2**10
LAWS = [
    ("squared_norm", ("uniform(1, 4)",)),
    ("squared_norm", ("uniform(0, 3)",)),
    ("squared_norm", ("beta(5, 2, low=0, high=10)",)),
    ("squared_norm", ("atoms({0: 1/2, 1: 1/4, 2: 1/8, 3: 1/8})",)),
    ("norm", ("beta(2, 1/2)",)),
    ("norm", ("beta(1/2, 3, low=1, high=2)",)),
    ("modalities", ("uniform(0, 1)", "beta(2, 1/2)")),
    ("modalities", ("uniform(1, 2)", "atoms({0: 1/2, 1/3: 1/2})")),
]


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(256):
        yield


def band_of(law):
    l1, l2 = law.lambda_ends
    center, kappa = 2 / (l1 + l2), (l2 - l1) / (l1 + l2)
    reach = kappa / (2 * l2)
    return reach, all_large_depths.band(Expectation(law), center - reach, center + reach, 65536).T0


def bound_of(law):
    ends = rate.ends(law)
    reach, T0 = band_of(law)
    return rate_bound(law, (ends.low.exponent, ends.high.exponent), reach, T0)


def scale_of(law, T):
    l1, l2 = law.lambda_ends
    return -ball(2 * T * (l1 + l2) ** 2 / (l2 - l1))


def claimed(law, T):
    """The formula's bracket."""
    return scale_of(law, T) * rate.first_order(RATE, law, rate.ends(law), T)


def shown(law, T):
    """The bracket of alpha_T."""
    alpha = minimiser(Expectation(law), theory.losses.one_parameter(), T, 30, 65536).ball
    return scale_of(law, T) * (alpha - ball(2 / sum(law.lambda_ends)))


@pytest.mark.parametrize(("kind", "texts"), LAWS)
def test_the_remainder_is_within_its_bound_which_falls(kind, texts):
    law = parse_law(kind, *texts)
    bound = bound_of(law)
    for T in (bound.T1, 4 * bound.T1):
        assert abs(shown(law, T) - claimed(law, T)) <= bound.at(T, claimed(law, T))
    far = [bound.at(T, claimed(law, T)) for T in (FAR, 16 * FAR)]
    # O(log(T)^2/T), O(T^(-1/2)) where s = r^2 and r reaches 0.
    assert far[1] < far[0] / 3


@settings(max_examples=30)
@given(
    bounded_laws(),
    st.sampled_from(("low", "high")),
    st.integers(0, 4),
    st.integers(0, 6),
    st.integers(5, 11),
)
def test_a_bound_for_all_n_holds_at_each(law, end, place, doublings, start):
    assume(not law.is_constant)
    l1, l2 = law.lambda_ends
    width = ball(l2 - l1) * arb(0.5, 0.25)
    N = 2**start - 1
    deviation = side_deviation(law, end, width, N)
    assume(deviation.size.is_finite())
    n = (N + 1) * 2**doublings - 1
    found = side_ratio(law, end, ball((l2 - l1) * Fraction(2 + place, 8)), n)
    # An enclosure that is wider than the bound contradicts nothing.
    assert not abs(found - 1) > deviation.at(n)


@pytest.mark.parametrize(
    ("change", "end"),
    [("slope", "low"), ("slope", "high"), ("exponent", "low")],
)
def test_a_bound_that_lacks_a_term_is_seen(monkeypatch, change, end):
    """beta(9, 9): the terms that are left out carry most of the deviation."""
    law = parse_law("squared_norm", "beta(9, 9, low=100, high=101)")
    n = 2**12 - 1
    found = side_ratio(law, end, arb(0.5), n)
    assert abs(found - 1) <= side_deviation(law, end, arb(0.5), n).at(n)
    true = end_ratios._windowed_deviation

    def lacking(shape, *rest):
        k, lead, deviation = true(replace(shape, slope=arb(0)), *rest)
        if change == "exponent":
            _, _, whole = true(shape, *rest)
            deviation = Deviation(whole.size - ball(shape.exponent * (shape.exponent + 2) / 2), whole.order)
        return k, lead, deviation

    monkeypatch.setattr(end_ratios, "_windowed_deviation", lacking)
    assert abs(found - 1) > side_deviation(law, end, arb(0.5), n).at(n)


@pytest.mark.parametrize(
    ("m", "x", "N", "expected"),
    [(2, 0.5, 3, 9 / 8), (2, 0.5, 2, None), (0, 0.0, 5, 0.0), (1, 1.0, 100, None), (0, 0.5, 4, 1 / 16)],
)
def test_the_largest_of_a_power_times_a_geometric_term(m, x, N, expected):
    """n^2 2^-n rises up to n = 2/log 2 = 2.885."""
    found = end_ratios._largest(Fraction(m), arb(x), N)
    assert not found.is_finite() if expected is None else float(found) == expected


def test_a_width_that_may_be_0_has_no_bound():
    law = parse_law("squared_norm", "uniform(1, 4)")
    for width in (arb(1, 2), arb.nan()):
        assert not side_deviation(law, "low", width, 63).size.is_finite()


def test_a_slower_power_at_the_same_end():
    """Half uniform(1, 2), half of density 2(s - 1): the second is 1/n of the first."""
    first, second = (
        replace(parse_law("squared_norm", text).pieces[0], mass=Fraction(1, 2))
        for text in ("uniform(1, 2)", "beta(2, 1, low=1, high=2)")
    )
    law = replace(parse_law("squared_norm", "uniform(1, 2)"), components=(first, second))
    deviation = side_deviation(law, "low", arb(0.5, 0.1), 63)
    assert deviation.order == 1
    for n in (63, 1023):
        found = side_ratio(law, "low", arb(0.5), n)
        # E h^2 2/(E h) = 2 W/n, and (1 + h) adds W/n; n/(n+1) takes 1/n.
        assert float(n * (found - 1)) == pytest.approx(2 * 0.5 + 0.5 - 1, abs=0.05)
        assert abs(found - 1) <= deviation.at(n)


def test_the_bound_by_hand():
    """n = 3: |delta| <= 2 (1 + 3)/3; 5 (8/3) + 7 3 (8/3)^2 + 1/3, and x/(1 - x) = 1/5 at x = 1/6."""
    bound = RateBound(
        1,
        arb(2),
        arb(3),
        arb(5),
        arb(7),
        Fraction(1),
        (Deviation(arb(0.5), Fraction(1)), Deviation(arb(0), Fraction(1))),
    )
    assert float(bound.at(2, arb(-1))) == pytest.approx(163.2, rel=1e-12)


def test_the_first_bound_on_delta_counts_both_ends():
    law = parse_law("squared_norm", "atoms({1: 1/4, 2: 1/4, 3: 1/4, 4: 1/4})")
    bound = bound_of(law)
    x = [deviation.at(2 * bound.T1 - 1) for deviation in bound.deviations]
    assert float(bound.rest) == pytest.approx(sum(float(one / (1 - one)) for one in x))
    assert bound.rest > 0


@pytest.mark.parametrize(
    "text", ["atoms({1: 1/100, 11/10: 98/100, 2: 1/100})", "atoms({1: 1/1000, 21/20: 998/1000, 2: 1/1000})"]
)
def test_what_begins_further_in_counts(text):
    law = parse_law("squared_norm", text)
    for n in (63, 127):
        found = side_ratio(law, "low", arb(0.5), n)
        assert found > 1
        # Equal at n = 63.
        assert not found - 1 > side_deviation(law, "low", arb(0.5), 63).at(n)


def test_a_density_further_in_counts():
    near, heavy = (
        replace(parse_law("squared_norm", text).pieces[0], mass=mass)
        for text, mass in (("uniform(1, 2)", Fraction(1, 100)), ("uniform(11/10, 6/5)", Fraction(99, 100)))
    )
    law = replace(parse_law("squared_norm", "uniform(1, 2)"), components=(near, heavy))
    n, a = 31, 1 / Fraction(5, 2)
    root = 1 / a - 1
    seen = sum((e.window(1, ball(a), n, None, root) for e in Expectation(law).evaluators), arb(0))
    # c = 1 - 2a = 1/5, A = 1/100, k = 1, W = 1/2
    leading = ball(Fraction(1, 100) / n / 2) * ball(Fraction(1, 5)) ** n
    assert seen / leading > 1.5
    assert side_ratio(law, "low", arb(0.5), n).overlaps(seen / leading)
    assert seen / leading - 1 <= side_deviation(law, "low", arb(0.5), n).at(n)


def test_a_heavy_part_of_a_slower_power_counts():
    first, second = (
        replace(parse_law("squared_norm", text).pieces[0], mass=mass)
        for text, mass in (
            ("uniform(1, 2)", Fraction(1, 100)),
            ("beta(2, 1, low=1, high=2)", Fraction(99, 100)),
        )
    )
    law = replace(parse_law("squared_norm", "uniform(1, 2)"), components=(first, second))
    for n in (255, 1023):
        found = side_ratio(law, "low", arb(0.5), n)
        assert found - 1 > 0.05
        assert found - 1 <= side_deviation(law, "low", arb(0.5), 255).at(n)
