"""The model's skewness against samples, and how often the intervals that it allows hold the mean."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from numerics.laws.syntax import parse_law
from numerics.simulation import sample_sizes
from numerics.simulation.architectures import (
    LSA,
    LeastSquares,
    SampleMean,
    no_skip_stack,
)
from numerics.simulation.arrays import load_backend
from numerics.simulation.attention import LSAWeights
from numerics.simulation.by_name import PredictorWeights, TheoryTable
from numerics.simulation.estimators import Accumulator
from numerics.simulation.prompts import FixedZeta, NormalZeta, PromptSource, batches
from tests.numerics.simulation.routes import one_parameter_stack

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
RARE = parse_law("squared_norm", "atoms({1: 999/1000, 40: 1/1000})")
ALPHA, DIMS, D, LEVEL = 2 / 7, (3, 2), 5, 0.01
FIXED = (1.0, 1.0, 1.0)


def excesses(law, model, context, prompts, zeta=None, dims=DIMS, seed=1):
    """Shape (prompts,), per unit E zeta^2."""
    source = PromptSource(law, dims, zeta or NormalZeta(), seed)
    return np.concatenate(
        [
            values
            for batch in batches(source, context, prompts, load_backend(), 2**28)
            for _, values in model.excess(batch)
        ]
    )


def moments(values):
    return [float(np.mean(values**k)) for k in (1, 2, 3)]


def stack(T, beta=-ALPHA):
    return sample_sizes.Filter(ALPHA, beta, T)


CASES = {
    "one layer": (
        one_parameter_stack({1: ALPHA}),
        20,
        lambda zeta: sample_sizes.stack(UNIFORM, stack(1), D, 20, 0, zeta),
    ),
    "two layers": (
        one_parameter_stack({2: ALPHA}),
        200,
        lambda zeta: sample_sizes.stack(UNIFORM, stack(2), D, 200, 0, zeta),
    ),
    "eight layers": (
        one_parameter_stack({8: ALPHA}),
        1000,
        lambda zeta: sample_sizes.stack(UNIFORM, stack(8), D, 1000, 0, zeta),
    ),
    "no skip": (
        no_skip_stack({3: -0.2}),
        100,
        lambda zeta: sample_sizes.stack(
            UNIFORM, sample_sizes.Filter(0.0, -0.2, 3, tokens=True), D, 100, 0, zeta
        ),
    ),
    "least squares": (LeastSquares(), 40, lambda zeta: sample_sizes.least_squares(UNIFORM, D, 40, zeta)),
    "sample mean": (SampleMean(), 10, lambda zeta: sample_sizes.sample_mean(UNIFORM, 10, zeta)),
}


@pytest.mark.parametrize("name", CASES)
def test_moments_against_samples(name):
    """The first two, to five standard errors and 3% for what the reduction leaves out."""
    model, context, shape = CASES[name]
    values = excesses(UNIFORM, model, context, 100_000, FixedZeta())
    found = shape(FIXED)
    assert found.mean == pytest.approx(found.moments[0], rel=1e-12)
    for k, expected in enumerate(found.moments[:2], start=1):
        error = float(np.std(values**k)) / math.sqrt(values.size)
        assert abs(float(np.mean(values**k)) - expected) <= 5 * error + 0.03 * expected
    # A normal zeta multiplies the moments by 1, 3 and 15.
    np.testing.assert_allclose(
        shape(sample_sizes.NORMAL_ZETA).moments, np.multiply(found.moments, (1, 3, 15))
    )


def test_a_layer_of_two_blocks():
    law = parse_law("modalities", "uniform(0, 1)", "beta(2, 1/2)")
    weights = (0.5, 0.3)
    model = LSA(LSAWeights(1.0, np.diag(np.repeat(weights, DIMS))))
    values = excesses(law, model, 20, 100_000, FixedZeta())
    found = sample_sizes.layer(law.modalities, weights, DIMS, 20, FIXED)
    for k, expected in enumerate(found.moments, start=1):
        error = float(np.std(values**k)) / math.sqrt(values.size)
        assert abs(float(np.mean(values**k)) - expected) <= 5 * error
    assert found.skewness == pytest.approx(sample_sizes.Shape(0.0, tuple(moments(values))).skewness, rel=0.1)


def test_quadratic_forms_against_samples():
    mean, cholesky = np.array([0.3, -0.7]), np.array([[0.5, 0.0], [0.2, 0.4]])
    covariance, metric = cholesky @ cholesky.T, np.array([[2.0, 0.3], [0.3, 1.0]])
    rng = np.random.default_rng(0)
    v = mean + rng.standard_normal((400_000, 2)) @ cholesky.T
    values = np.einsum("ni,ij,nj->n", v, metric, v) + 0.1 * rng.chisquare(3, 400_000)
    found = sample_sizes.quadratic_moments(
        tuple(mean),
        (covariance[0, 0], covariance[0, 1], covariance[1, 1]),
        (metric[0, 0], metric[0, 1], metric[1, 1]),
        [(3, np.array(0.1))],
    )
    for k, expected in enumerate(found, start=1):
        error = float(np.std(values**k)) / values.size**0.5
        assert abs(float(np.mean(values**k)) - expected) <= 5 * error


def test_skewness():
    exponential = sample_sizes.Shape(1.0, (1.0, 2.0, 6.0))
    assert exponential.skewness == pytest.approx(2)
    assert sample_sizes.Shape(3.0, (3.0, 9.0, 27.0)).skewness == 0
    assert sample_sizes.Shape(3.0, (3.0, 10.0, math.inf)).skewness == math.inf
    assert sample_sizes.Shape(3.0, (3.0, 10.0, math.nan)).skewness == math.inf
    size = sample_sizes.needed(2.0, 0.99)
    assert exponential.bears(math.ceil(size), 0.99)
    assert not exponential.bears(math.floor(size), 0.99)


def test_a_mean_beside_what_a_sample_holds_bears_no_interval():
    """What is left out of the moments moves the mean by MISSED standard errors at most."""
    error = math.sqrt(1 / 10_000)
    assert sample_sizes.Shape(1.0 + 0.04 * error, (1.0, 2.0, 6.0)).bears(10_000, 0.99)
    assert not sample_sizes.Shape(1.0 + 0.06 * error, (1.0, 2.0, 6.0)).bears(10_000, 0.99)
    assert not sample_sizes.Shape(math.inf, (1.0, 2.0, 6.0)).bears(10_000, 0.99)


@pytest.mark.parametrize(
    ("T", "context", "prompts", "bears"),
    [
        (1, 20, 1000, False),
        (1, 20, 100_000, True),
        (4, 50, 10_000, False),
        (4, 50, 10**6, False),
        (4, 1000, 10_000, True),
        (64, 200, 400_000, False),  # its mean is 3e25, of which no sample knows
        (64, 1000, 10_000, True),  # its third moment is as large, but not where a sample could be
    ],
)
def test_what_bears_an_interval(T, context, prompts, bears):
    shape = sample_sizes.stack(UNIFORM, stack(T), D, context, sample_sizes.rarity(prompts, 0.99))
    assert shape.bears(prompts, 0.99) is bears


def test_a_rare_norm_bears_none_until_it_is_sampled():
    for prompts, bears in ((1000, False), (10_000, False), (10**8, True)):
        shape = sample_sizes.stack(RARE, stack(1), D, 1000, sample_sizes.rarity(prompts, 0.99))
        assert shape.bears(prompts, 0.99) is bears
    never = parse_law("squared_norm", "atoms({1: 999999999/1000000000, 100000: 1/1000000000})")
    assert not sample_sizes.stack(never, stack(1), D, 1000, sample_sizes.rarity(1000, 0.99)).bears(1000, 0.99)
    assert sample_sizes.stack(UNIFORM, stack(1), D, 1000, sample_sizes.rarity(10_000, 0.99)).bears(
        10_000, 0.99
    )


def test_least_squares_without_a_third_moment():
    assert sample_sizes.least_squares(UNIFORM, 5, 10) is None
    assert sample_sizes.least_squares(UNIFORM, 5, 11) is not None


@pytest.mark.parametrize(("d", "context"), [(1, 5), (2, 3), (5, 1), (300, 10), (4096, 10**9), (5, 10**9)])
@pytest.mark.parametrize("T", [1, 3, 64, 4096])
def test_every_shape_has_an_answer(d, context, T):
    found = sample_sizes.stack(UNIFORM, stack(T, -0.28), d, context, 1e-6)
    assert found.bears(10_000, 0.99) in {True, False}
    if context == 10**9 and d == 5:
        assert found.skewness < 20


def misses(law, model, context, mean, size, replicates):
    """How many of so many intervals of confidence 99% do not hold the mean."""
    values = excesses(law, model, context, size * replicates, seed=3).reshape(replicates, size)
    missed = 0
    for row in values:
        found = Accumulator.of(row[None, :]).estimate(confidence=1 - LEVEL)
        missed += not found.low <= mean <= found.high
    return missed


def theory(law, name, context, T=None, model_weights=None):
    weights = PredictorWeights(None, {} if T is None else {name: {T: model_weights}})
    return TheoryTable(law).excess(weights, DIMS, context, name, T).value


def most(replicates):
    """Misses that a non-coverage of 1.2 levels exceeds once in ten thousand times."""
    return binom.ppf(1 - 1e-4, replicates, (1 + sample_sizes.ALLOWED) * LEVEL)


def test_intervals_hold_their_level_at_the_smallest_sample_allowed():
    size = math.ceil(sample_sizes.needed(sample_sizes.sample_mean(UNIFORM, 10).skewness, 1 - LEVEL))
    mean = theory(UNIFORM, "sample_mean", 10)
    assert misses(UNIFORM, SampleMean(), 10, mean, size, 500) <= most(500)
    # A tenth of it does not bear them.
    assert misses(UNIFORM, SampleMean(), 10, mean, size // 40, 2000) > most(2000)


@pytest.mark.parametrize(
    ("law", "context", "size", "replicates"), [(UNIFORM, 20, 100, 3000), (RARE, 1000, 1000, 300)]
)
def test_where_none_is_given_none_would_hold(law, context, size, replicates):
    shape = sample_sizes.stack(law, stack(1), D, context, sample_sizes.rarity(size, 1 - LEVEL))
    assert not shape.bears(size, 1 - LEVEL)
    mean = theory(law, "one_parameter", context, 1, (ALPHA, -ALPHA))
    assert mean == pytest.approx(shape.mean, rel=0.05)
    missed = misses(law, one_parameter_stack({1: ALPHA}), context, mean, size, replicates)
    assert missed > most(replicates)


@pytest.mark.nightly
def test_four_layers_on_fifty_tokens():
    """One interval in six from 10,000 prompts does not hold the mean: none is given."""
    model = one_parameter_stack({4: ALPHA})
    mean = float(np.mean(excesses(UNIFORM, model, 50, 3_000_000, FixedZeta(), seed=9)))
    assert misses(UNIFORM, model, 50, mean, 10_000, 100) > most(100)
    shape = sample_sizes.stack(UNIFORM, stack(4), D, 50, sample_sizes.rarity(10_000, 1 - LEVEL))
    assert not shape.bears(10_000, 1 - LEVEL)


@pytest.mark.nightly
@pytest.mark.parametrize(("T", "context"), [(1, 20), (1, 200), (4, 1000), (2, 1000)])
def test_stacks_hold_their_level_at_the_smallest_sample_allowed(T, context):
    """The mean of a deep stack by a sample fifty times as large."""
    shape = sample_sizes.stack(UNIFORM, stack(T), D, context)
    size = math.ceil(sample_sizes.needed(shape.skewness, 1 - LEVEL))
    model = one_parameter_stack({T: ALPHA})
    if T == 1:
        mean = theory(UNIFORM, "one_parameter", context, 1, (ALPHA, -ALPHA))
    else:
        mean = float(np.mean(excesses(UNIFORM, model, context, 10_000_000, FixedZeta(), seed=9)))
    assert misses(UNIFORM, model, context, mean, size, 500) <= most(500)


@pytest.mark.nightly
def test_least_squares_holds_its_level_at_the_smallest_sample_allowed():
    size = math.ceil(sample_sizes.needed(sample_sizes.least_squares(UNIFORM, D, 30).skewness, 1 - LEVEL))
    assert misses(UNIFORM, LeastSquares(), 30, theory(UNIFORM, "least_squares", 30), size, 1000) <= most(1000)
