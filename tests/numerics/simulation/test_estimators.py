from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm, ttest_1samp

from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import (
    LSA,
    LeastSquares,
    Model,
    SampleMean,
    Softmax,
    no_skip_stack,
)
from numerics.simulation.arrays import Backend, HostArray, SimulationInputError, load_backend
from numerics.simulation.attention import LSAWeights
from numerics.simulation.estimators import Accumulator, Estimate
from numerics.simulation.prompts import FixedZeta, PromptSource
from numerics.simulation.sweep import Sweep, SweepPlan
from tests.numerics.simulation.routes import one_parameter_stack

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
NUMPY = load_backend()
ALPHA = 2 / 7

# Of the intervals below, each at a fixed seed, one in ten thousand would miss by chance.
CONFIDENCE = 0.9999


def estimate_of(values: HostArray, pieces: int = 1, confidence: float = 0.99) -> Estimate:
    accumulator = Accumulator()
    for piece in np.array_split(values, pieces):
        accumulator.add(piece[None, :])
    return accumulator.estimate(confidence=confidence)


def test_mean_and_interval() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=1001)
    for pieces in (1, 7, 1001):
        found = estimate_of(values, pieces, 0.95)
        interval = ttest_1samp(values, 0).confidence_interval(0.95)
        assert found.mean == pytest.approx(values.mean(), rel=1e-13)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
        assert (found.samples, found.confidence, found.overflowed) == (1001, 0.95, 0)


def test_intervals_hold_the_mean_as_often_as_stated() -> None:
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(2000):
        found = estimate_of(rng.standard_normal(20), confidence=0.9)
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 0 <= found.high
    low, high = binom.ppf([1e-5, 1 - 1e-5], 2000, 0.1)
    assert low <= missed <= high


def test_a_large_common_part_does_not_spoil_the_variance() -> None:
    values = 1e8 + np.random.default_rng(0).standard_normal(5000)
    found = estimate_of(values, 50)
    half = norm.ppf(0.995) * values.std(ddof=1) / 5000**0.5
    assert found.high is not None
    assert found.mean is not None
    assert found.high - found.mean == pytest.approx(half, rel=1e-3)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e140])
def test_median(scale: float) -> None:
    rng = np.random.default_rng(2)
    for values in (scale * rng.lognormal(0, 3, 4001), scale * rng.standard_normal(4001) - scale / 2):
        found = estimate_of(values, 13).median
        assert found == pytest.approx(np.median(values), rel=2**-9)
    for value in scale * (1 + rng.random(20)):
        assert estimate_of(np.array([value])).median == pytest.approx(value, rel=2**-9)
    assert estimate_of(np.array([0.0, 0.0, 0.0, 5.0])).median == 0
    assert estimate_of(np.array([-2.0])).median == pytest.approx(-2, rel=2**-9)


def test_heavy_tails_are_flagged() -> None:
    rng = np.random.default_rng(3)
    assert not estimate_of(rng.standard_normal(1000) ** 2).heavy_tailed
    assert not estimate_of(np.zeros(10)).heavy_tailed
    assert estimate_of(rng.standard_cauchy(100_000)).heavy_tailed
    assert estimate_of(np.append(rng.random(1000), 1e10)).heavy_tailed


def test_overflow_is_counted_and_never_nan() -> None:
    found = estimate_of(np.array([1.0, np.inf, 2.0, np.nan]))
    assert found == Estimate(None, None, None, 0.99, 2, found.median, True, 2)
    # What overflowed counts as the largest: the lower middle one of four is 2.
    assert found.median == pytest.approx(2.0, rel=2**-9)
    assert estimate_of(np.array([1.0, np.inf, np.inf])).median is None
    huge = estimate_of(np.array([1e200, 3e200]))
    assert huge.mean == pytest.approx(2e200)
    assert huge.low is None
    assert huge.heavy_tailed
    assert estimate_of(np.array([1e308, 1.7e308])).mean is None
    assert estimate_of(np.array([np.inf])).median is None


def test_too_little_for_an_interval() -> None:
    assert estimate_of(np.array([2.0])).low is None
    assert estimate_of(np.array([])).mean is None
    for confidence in (0.0, 1.0, math.nan):
        with pytest.raises(SimulationInputError, match="confidence"):
            estimate_of(np.array([2.0]), confidence=confidence)


def run(
    models: Sequence[Model],
    contexts: Sequence[int],
    prompts: int,
    dims: tuple[int, ...] = (3, 2),
    backend: Backend | None = None,
    source: PromptSource | None = None,
) -> dict[tuple[str, int, int | None], Estimate]:
    source = source or PromptSource(UNIFORM, dims, FixedZeta(), seed=11)
    sweep = Sweep(
        SweepPlan(
            source, [dims], contexts, prompts, lambda _, __: models, backend or NUMPY, 10**9, CONFIDENCE
        )
    )
    assert list(sweep)[-1] == len(contexts) * prompts
    return {(row.model, row.context, row.depth): row.excess for row in sweep.rows()}


def holds(estimate: Estimate, value: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= value <= estimate.high


def moment(power: int) -> float:
    return float(UNIFORM.moment(power))


def bayes_risk() -> float:
    """E 1/(1+s) for s ~ uniform(1, 4)."""
    return math.log(5 / 2) / 3


def one_layer_excess(alpha: float, d: int, context: int) -> float:
    """E[1 - 2 alpha s + alpha^2 (s lam + (d + 3s + 2s^2)/L)] - E 1/lam, exact."""
    s, square = moment(1), moment(2)
    return 1 - 2 * alpha * s + alpha**2 * (s + square + (d + 3 * s + 2 * square) / context) - bayes_risk()


@pytest.mark.parametrize(("dims", "context"), [((3, 2), 50), ((3, 2), 3), ((20,), 10)])
@pytest.mark.usefixtures("library")
def test_one_layer_has_its_exact_excess(dims: tuple[int, ...], context: int) -> None:
    d = sum(dims)
    models: list[Model] = [one_parameter_stack({1: ALPHA}), LSA(LSAWeights(0.2))]
    found = run(models, [context], 20_000, dims)
    assert holds(found["one_parameter", context, 1], one_layer_excess(ALPHA, d, context))
    assert holds(found["lsa", context, None], one_layer_excess(0.2, d, context))
    # Its twins without the 1/L term, and at alpha* of the unsquared norm.
    assert not holds(found["one_parameter", context, 1], one_layer_excess(ALPHA, d, 10**9))
    assert not holds(found["one_parameter", context, 1], one_layer_excess(2 / 5, d, context))


@pytest.mark.usefixtures("library")
def test_token_by_token_the_excess_is_the_same() -> None:
    models: list[Model] = [one_parameter_stack({1: ALPHA}), Softmax({1: (0.1, 0.1)})]
    found = run(models, [50], 20_000)
    assert holds(found["one_parameter", 50, 1], one_layer_excess(ALPHA, 5, 50))


@pytest.mark.usefixtures("library")
def test_least_squares_has_its_exact_excess() -> None:
    for zeta in (1.0, -3.0):
        found = run(
            [LeastSquares()], [30], 20_000, source=PromptSource(UNIFORM, (3, 2), FixedZeta(zeta), seed=1)
        )
        assert holds(found["least_squares", 30, None], bayes_risk() * 5 / (30 - 5 - 1))
        assert not holds(found["least_squares", 30, None], bayes_risk() * 5 / 30)


@pytest.mark.usefixtures("library")
def test_sample_mean_and_no_skip_predict_nothing() -> None:
    found = run([SampleMean(), no_skip_stack({3: 0.2}, "zero")], [4], 20_000)
    assert holds(found["sample_mean", 4, None], 1 + 1 / 4 - bayes_risk())
    assert not holds(found["sample_mean", 4, None], 1 - bayes_risk())
    assert found["no_skip", 4, 3].mean == pytest.approx(1 - bayes_risk(), rel=0.01)


def averaged(integrand: Callable[[HostArray], HostArray]) -> float:
    """E over s ~ uniform(1, 4) by Gauss-Legendre, of a rational function of lam = 1 + s."""
    nodes, weights = np.polynomial.legendre.leggauss(80)
    return float(weights @ integrand(3.5 + 1.5 * nodes)) / 2


def population_excess(depth: int) -> float:
    """E (s/lam) (1 - alpha* lam)^(2T)."""
    return averaged(lambda lam: (lam - 1) / lam * (1 - ALPHA * lam) ** (2 * depth))


def first_order(depth: int, d: int) -> float:
    """The constant of the 1/L term, with g(z) = (1 - alpha* z)^T and D1, D2 its divided differences."""

    def integrand(lam: HostArray) -> HostArray:
        g, g1 = (1 - ALPHA * lam) ** depth, (1 - ALPHA) ** depth
        slope = -ALPHA * depth * (1 - ALPHA * lam) ** (depth - 1)
        bend = ALPHA**2 * depth * (depth - 1) * (1 - ALPHA * lam) ** max(depth - 2, 0)
        first = (g - g1) / (lam - 1)
        second = (slope - first) / (lam - 1)
        spread = 2 * lam**2 * (slope**2 + g * bend) + (d - 1) * (2 * lam * g * second + first**2)
        return ((lam - 1) * spread + (1 - g) ** 2 + (d - 1) * (1 - g1) ** 2) / lam

    return averaged(integrand)


@pytest.mark.usefixtures("library")
def test_law_of_large_numbers_in_the_context() -> None:
    """The excess is the population loss plus its term in 1/L."""
    contexts = [10**3, 10**4, 10**6]
    found = run([one_parameter_stack({1: ALPHA, 2: ALPHA, 3: ALPHA})], contexts, 20_000)
    for depth in (1, 2, 3):
        limit, term = population_excess(depth), first_order(depth, 5)
        small, middle, large = (found["one_parameter", context, depth] for context in contexts)
        assert holds(large, limit + term / contexts[2])
        assert holds(middle, limit + term / contexts[1])
        assert not holds(small, limit)
        assert not holds(middle, population_excess(depth + 1))
    assert first_order(1, 5) == pytest.approx(one_layer_excess(ALPHA, 5, 1) - population_excess(1), rel=1e-12)
    # The population loss at depth 3 is small enough for the term to be told from its halves and doubles.
    for twin in (first_order(3, 5) / 2, 2 * first_order(3, 5)):
        assert not holds(found["one_parameter", 10**4, 3], population_excess(3) + twin / 10**4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sweep_on_every_backend(backend: Backend, dtype: str) -> None:
    backend = replace(backend, dtype_name=dtype)
    models: list[Model] = [
        one_parameter_stack({1: ALPHA, 4: ALPHA}),
        LeastSquares(),
        SampleMean(),
        Softmax({2: (0.1, 0.1)}),
    ]
    found = run(models, [20], 2000, backend=backend)
    assert holds(found["one_parameter", 20, 1], one_layer_excess(ALPHA, 5, 20))
    assert found["softmax", 20, 2].samples == 2000


@pytest.mark.usefixtures("library")
def test_overflow_in_a_deep_stack_is_counted() -> None:
    found = run([one_parameter_stack({3000: 3.0})], [5], 200)["one_parameter", 5, 3000]
    assert found.mean is None
    assert found.overflowed > 0
    assert found.heavy_tailed


@pytest.mark.usefixtures("library")
def test_unit_of_the_excess() -> None:
    def mean(zeta: float) -> float | None:
        source = PromptSource(UNIFORM, (3, 2), FixedZeta(zeta), seed=1)
        return run([LeastSquares()], [30], 100, source=source)["least_squares", 30, None].mean

    assert mean(5.0) == pytest.approx(mean(1.0), rel=1e-10)
