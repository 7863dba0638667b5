import math

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from numerics.simulation.hypothesis_tests import (
    Measured,
    chi_square_distance,
    decide,
    proportion,
    rounded_up,
    same_law,
)


def measured(mean, twin=-1.0, scale=1.0, n=4000, spread=0.1, seed=0):
    """A normal sample about `mean`, the statement being 0."""
    error = mean + spread * np.random.default_rng(seed).standard_normal(n)
    return Measured(error, np.full(n, twin), np.full(n, scale))


def hand_made(low, high, stated=1.0, twin=3.0):
    """Two values whose interval of confidence 1/2 about the mean is [low, high], `stated` being said."""
    middle, half = (low + high) / 2 - stated, (high - low) / 2
    # Of two values Student's quantile at 3/4 is 1, and the standard error half their distance.
    error = np.array([middle - half, middle + half])
    return Measured(error, np.full(2, twin - stated), np.full(2, stated))


@pytest.mark.parametrize(
    ("low", "high", "holds"),
    [
        (0.95, 1.05, True),
        (0.91, 1.001, True),
        (0.999, 1.09, True),
        (1.01, 1.09, None),  # inside the band, but beside the value
        (0.91, 0.99, None),
        (0.85, 1.05, None),
        (0.95, 1.15, None),
        (0.5, 3.5, None),
        (1.11, 1.2, False),
        (0.5, 0.89, False),
        (2.9, 3.1, False),
    ],
)
def test_an_interval_is_held_against_band_and_value(low, high, holds):
    decision = decide(hand_made(low, high), 0.5, averages=True)
    assert (1 + decision.low, 1 + decision.high) == pytest.approx((low, high), rel=1e-12)
    assert decision.holds is holds
    assert decide(hand_made(low, high), 0.5).holds is None


def test_the_band_is_relative_to_the_number_stated_not_to_its_twin():
    """As it was seen: [0.0307, 0.0366] for 0.03815 with a twin at 0.47 is 11% off."""
    assert decide(hand_made(0.0307, 0.0366, 0.03815, 0.47), 0.5, averages=True).holds is None
    assert hand_made(0.0307, 0.0366, 0.03815, 0.47).band == pytest.approx(0.003815)
    assert hand_made(0.0307, 0.0366, -0.03815, 0.47).band == pytest.approx(0.003815)


def test_what_never_moves_is_refuted():
    still = Measured(np.full(9, -0.01), np.full(9, 0.99), np.full(9, 0.01))
    assert decide(still, 0.99, averages=True).holds is False
    assert decide(still.swapped(), 0.99, averages=True).holds is False


def test_a_sample_beside_the_value_is_not_verified():
    """0.05 off, with a band of 0.1 and an interval of +- 0.005."""
    assert decide(measured(0.05), 0.999).holds is None
    assert decide(measured(0.05, twin=0.1), 0.999).holds is None


@pytest.mark.parametrize(("mean", "holds"), [(0.0, True), (0.1, None), (0.2, False), (-1.0, False)])
def test_a_band_of_a_tenth(mean, holds):
    assert decide(measured(mean), 0.999).holds is holds


@pytest.mark.parametrize(("mean", "holds"), [(0.0, True), (0.1, False)])
def test_the_band_ends_half_way_to_the_twin(mean, holds):
    assert decide(measured(mean, twin=0.1), 0.999).holds is holds


def test_an_interval_wider_than_the_distance_to_the_twin_decides_nothing():
    assert decide(measured(0.0, twin=0.1, spread=3.0), 0.999).holds is None


def test_a_twin_that_says_the_same_leaves_it_open():
    assert decide(measured(0.0, twin=0.0), 0.999).holds is None
    assert measured(0.0, twin=0.0).planned(0.99) == math.inf


def test_swapping_exchanges_statement_and_twin():
    sample = measured(0.0, twin=0.5)
    assert decide(sample, 0.999).holds is True
    assert decide(sample.swapped(), 0.999).holds is False
    assert sample.band == pytest.approx(0.1)
    assert sample.swapped().band == pytest.approx(0.15)
    assert np.allclose(sample.swapped().swapped().error, sample.error, rtol=0, atol=1e-15)


def test_a_heavy_tail_decides_nothing_unless_the_values_are_averages():
    sample = measured(0.0, n=9, spread=0.001)
    assert decide(sample, 0.99).holds is None
    assert decide(sample, 0.99, averages=True).holds is True


def test_an_overflow_decides_nothing():
    sample = measured(0.0)
    sample.error[7] = np.inf
    assert decide(sample, 0.99).holds is None


def test_a_rest_that_is_not_small_widens_the_interval():
    far, near = measured(0.4), measured(0.04, seed=1)
    assert decide(near, 0.999).holds is None
    assert decide(far, 0.999, near).holds is None
    assert decide(measured(0.16, seed=2), 0.999, near).holds is True
    assert decide(measured(0.05, seed=2), 0.999, near).holds is None
    assert decide(measured(1.0), 0.999, measured(1.0, seed=1)).holds is False


def test_the_planned_size_is_reached():
    pilot = measured(0.0, spread=2.0)
    size = rounded_up([pilot.planned(0.999)], 10, 10**6)
    decision = decide(measured(0.0, spread=2.0, n=size, seed=5), 0.999)
    assert (decision.high - decision.low) / 2 < 0.42 * decision.band


def test_sizes_within_limits():
    assert rounded_up([3.0, 7.0], 10, 100) == 10
    assert rounded_up([math.inf], 10, 100) == 100
    assert rounded_up([50.0], 10, 100) == 56


@pytest.mark.parametrize(("degrees", "other"), [(4, 3), (7, 6), (2, 1), (30, 20)])
def test_the_distance_of_chi_square_laws(degrees, other):
    grid = np.linspace(0, 200, 400_001)
    expected = np.max(np.abs(chi2.cdf(grid, degrees) - chi2.cdf(grid, other)))
    assert chi_square_distance(degrees, other) == pytest.approx(expected, abs=1e-6)
    assert chi_square_distance(degrees, degrees) == 0


def test_two_samples_of_one_law_and_of_two():
    rng = np.random.default_rng(0)
    first = rng.chisquare(7, 30_000)
    band = chi_square_distance(7, 6) / 2
    assert same_law(first, rng.chisquare(7, 30_000), band, 0.999).holds is True
    assert same_law(first, rng.chisquare(6, 30_000), band, 0.999).holds is False
    assert same_law(first[:100], rng.chisquare(7, 100), band, 0.999).holds is None


@pytest.mark.parametrize(("hits", "trials"), [(0, 50), (50, 50), (17, 50), (4080, 4096)])
def test_proportions_against_scipy(hits, trials):
    expected = binomtest(hits, trials).proportion_ci(0.99, method="exact")
    assert proportion(hits, trials, 0.99) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.nightly
def test_a_true_statement_is_seldom_missed():
    """At confidence 0.9 and a planned size: some 2 in 1000 are not verified, and none is refuted."""
    outcomes = []
    for seed in range(1000):
        pilot = measured(0.0, spread=1.0, n=400, seed=10_000 + seed)
        size = rounded_up([pilot.planned(0.9)], 10, 10**6)
        outcomes.append(decide(measured(0.0, spread=1.0, n=size, seed=seed), 0.9).holds)
    assert outcomes.count(False) == 0
    assert outcomes.count(None) <= 30
