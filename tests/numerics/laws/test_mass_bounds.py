"""Certified masses of intervals, against SciPy and sampling."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from numerics.laws.mass_bounds import at_most, mass, signal
from numerics.laws.syntax import parse_law
from tests.strategies import laws, rationals

TEXTS = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "chi2(5)"),
    ("norm", "uniform(1, 2)"),
    ("norm", "chi2(3)"),
]
REFERENCES = [
    stats.uniform(1, 3).cdf,
    stats.beta(1 / 2, 1 / 3, loc=1, scale=3).cdf,
    stats.chi2(5).cdf,
    lambda s: stats.uniform(1, 1).cdf(np.sqrt(s)),
    lambda s: stats.chi2(3).cdf(np.sqrt(s)),
]


@pytest.mark.parametrize(("law", "cdf"), list(zip(TEXTS, REFERENCES, strict=True)))
@pytest.mark.parametrize(("low", "high"), [(Fraction(3, 2), Fraction(5, 2)), (Fraction(0), Fraction(3))])
def test_one_density(law, cdf, low, high):
    assert float(mass(parse_law(*law), low, high)) == pytest.approx(
        cdf(float(high)) - cdf(float(low)), rel=1e-9
    )


def test_atoms_are_summed_with_both_ends():
    law = parse_law("squared_norm", "atoms({0: 1/2, 1: 1/4, 3: 1/4})")
    assert float(mass(law, Fraction(1), Fraction(3))) == 0.5
    assert float(signal(law, Fraction(1), Fraction(3))) == pytest.approx(1 / 8 + 3 / 16)
    assert float(mass(law, Fraction(2), Fraction(5, 2))) == 0


@pytest.mark.parametrize(("low", "high"), [(Fraction(1), Fraction(4)), (Fraction(2), Fraction(5, 2))])
def test_the_signal_of_a_density_is_bounded_from_below(low, high):
    true = (float(high - low) - log((1 + high) / (1 + low))) / 3
    found = float(signal(parse_law("squared_norm", "uniform(1, 4)"), low, high))
    assert float(low / (1 + low) * (1 + high) / high) * true <= found * (1 + 1e-12) <= true


@pytest.mark.parametrize("texts", [("uniform(0, 1)", "beta(2, 1/2)"), ("uniform(0, 1)", "chi2(5)")])
def test_a_sum_is_bounded_from_below_and_not_far_off(texts):
    law = parse_law("modalities", *texts)
    low, high = Fraction(1, 2), Fraction(3, 2)
    draws = law.sample(np.random.default_rng(0), 200_000)
    share = np.mean((draws >= float(low)) & (draws <= float(high)))
    error = 4 * np.sqrt(share * (1 - share) / len(draws))
    found = float(mass(law, low, high))
    assert 0.6 * share < found < share + error


@settings(max_examples=60)
@given(laws(bounded=True), st.fractions(-1, 6, max_denominator=8))
def test_the_upper_bounds_are_above_the_lower_ones(law, cut):
    below, above = at_most(law, cut, "below"), at_most(law, cut, "above")
    if cut >= 0:
        assert mass(law, Fraction(0), cut) <= below + 1e-12
    assert mass(law, max(cut, Fraction(0)), max(cut, law.hi)) <= above + 1e-12
    assert below >= (cut >= law.hi)
    assert above >= (cut <= law.lo)
    assert below + above >= 1 - 1e-12


@pytest.mark.parametrize(
    ("law", "cut", "side", "exact"),
    [
        (("squared_norm", "beta(2, 50)"), "9/10", "above", 10.0**-50 * 46),
        (("squared_norm", "beta(50, 2)"), "1/10", "below", 10.0**-50 * 46),
        (("norm", "beta(2, 50)"), "81/100", "above", 10.0**-50 * 46),
        (("squared_norm", "atoms({1: 1/4, 2: 3/4})"), "1", "below", 0.25),
        (("squared_norm", "atoms({1: 1/4, 2: 3/4})"), "2", "above", 0.75),
        (("modalities", "uniform(0, 1)", "uniform(1, 4)"), "9/2", "above", 1 / 24),
        (("squared_norm", "truncated(chi2(2), low=1, high=2)"), "3/2", "below", 0.5621),
    ],
    ids=str,
)
def test_near_an_end_the_upper_bound_is_of_the_size_of_the_mass(law, cut, side, exact):
    found = float(at_most(parse_law(*law), Fraction(cut), side))
    assert exact * (1 - 1e-12) <= found <= 4.1 * exact


def test_an_interval_outside_the_law_has_no_mass():
    for law in (parse_law(*text) for text in TEXTS):
        assert float(mass(law, Fraction(0), Fraction(0))) == 0
    assert float(mass(parse_law("squared_norm", "uniform(1, 4)"), Fraction(5), Fraction(6))) == 0


@settings(max_examples=20)
@given(laws(), rationals(), st.sampled_from((Fraction(1, 3), Fraction(2))))
def test_masses_add_up_to_at_most_one(law, low, width):
    parts = [mass(law, low + k * width, low + (k + 1) * width) for k in (0, 2)]
    assert all(part >= 0 for part in parts)
    assert sum(float(part) for part in parts) <= 1 + 1e-12


def test_the_signal_of_atoms_is_the_sum_over_them_rounded_down():
    atoms = parse_law("squared_norm", "atoms({0: 1/7, 1/3: 2/7, 2: 1/7, 5: 3/7})").atoms
    pairs = list(zip(atoms.values, atoms.masses, strict=True))
    for low, high in combinations_with_replacement(
        [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5)], 2
    ):
        exact = sum((p * s / (1 + s) for s, p in pairs if low <= s <= high), Fraction(0))
        assert 0 <= exact - atoms.signal(low, high) <= Fraction(4, 2**2048)
    assert atoms.signal(Fraction(3), Fraction(1)) == 0
