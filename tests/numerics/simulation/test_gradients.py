from __future__ import annotations

import numpy as np
import pytest

from numerics.laws.syntax import parse_law
from numerics.simulation.arrays import Backend, HostArray
from numerics.simulation.attention import LayerWeights
from numerics.simulation.gradients import (
    WeightFamily,
    layerwise_loss_and_gradient,
    loss_and_gradients,
)
from numerics.simulation.prompts import Batch, PromptSource, batches

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
D = 3


def some_batch(backend: Backend, context: int) -> Batch:
    (batch,) = batches(PromptSource(UNIFORM, (2, 1), seed=3), context, 5, backend, 10**9, tokens=True)
    return batch


def loss(
    batch: Batch, family: WeightFamily, point: HostArray, depth: int, backend: Backend, integrate: bool
) -> float:
    weights = family.weights(point, D, backend)
    losses, _, _ = loss_and_gradients(batch, weights, depth, integrate_query=integrate)
    return float(np.sum(backend.to_host(losses)))


FAMILIES = [family for family in WeightFamily if family is not WeightFamily.LAYERWISE]


def gradient(
    batch: Batch, family: WeightFamily, point: HostArray, depth: int, backend: Backend, integrate: bool
) -> HostArray:
    weights = family.weights(point, D, backend)
    _, w_s, w_v = loss_and_gradients(batch, weights, depth, integrate_query=integrate)
    return family.gradient(backend.to_host(w_s), backend.to_host(w_v))


def start(family: WeightFamily, seed: int) -> HostArray:
    return np.random.default_rng(seed).normal(0, 0.3, family.size(D, 1))


@pytest.mark.parametrize("integrate", [True, False])
@pytest.mark.parametrize("context", [2, 8])
@pytest.mark.parametrize("depth", [1, 2, 3, 6])
@pytest.mark.parametrize("family", FAMILIES)
def test_gradients_are_those_of_finite_differences(
    backend: Backend, family: WeightFamily, depth: int, context: int, integrate: bool
) -> None:
    """Along a line the loss is a polynomial of degree at most 2T in the step.

    So its derivative by interpolation at 2T + 1 Chebyshev points is exact up to rounding: at most
    the Lebesgue-type constant sum |weights| times the error of the values.
    """
    batch, point = some_batch(backend, context), start(family, depth)
    analytic = gradient(batch, family, point, depth, backend, integrate)
    rng = np.random.default_rng(8)
    reach, count = 0.1, 2 * depth + 1
    nodes = reach * np.cos(np.pi * np.arange(count) / (count - 1))
    weights = derivative_at_zero(nodes)
    for direction in [np.eye(family.size(D, 1))[0], *rng.standard_normal((2, family.size(D, 1)))]:
        values = [loss(batch, family, point + h * direction, depth, backend, integrate) for h in nodes]
        error = 1e-13 * float(np.abs(weights) @ np.abs(values)) + 1e-14
        found = float(analytic @ direction)
        assert abs(found - float(weights @ values)) <= error
        # A gradient that is off by a hundred thousandth would be seen.
        assert error < 1e-5 * abs(found)


def derivative_at_zero(nodes: HostArray) -> HostArray:
    """Weights w with sum w_i p(nodes_i) = p'(0) for every polynomial of degree < len(nodes)."""
    scale = np.abs(nodes).max()
    powers = np.vander(nodes / scale, increasing=True).T
    target = np.zeros(len(nodes))
    target[1] = 1 / scale
    return np.asarray(np.linalg.solve(powers, target), dtype=np.float64)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_gradient_in_weights_of_their_own_is_that_of_finite_differences(
    backend: Backend, depth: int
) -> None:
    """In each weight the loss is a quadratic: its central difference is the derivative."""
    batch, point = some_batch(backend, 8), np.random.default_rng(depth).normal(0, 0.3, depth)
    _, slope = layerwise_loss_and_gradient(batch, point)
    for direction, expected in zip(np.eye(depth), backend.to_host(slope), strict=True):
        ahead, behind = (
            float(np.sum(backend.to_host(layerwise_loss_and_gradient(batch, point + h * direction)[0])))
            for h in (0.5, -0.5)
        )
        assert ahead - behind == pytest.approx(float(expected), rel=1e-9, abs=1e-10)


def test_equal_weights_of_layers_are_the_one_parameter_stack(backend: Backend) -> None:
    batch, depth = some_batch(backend, 8), 3
    losses, slope = layerwise_loss_and_gradient(batch, np.full(depth, 0.2))
    tied, _, _ = loss_and_gradients(batch, LayerWeights(0.2, -0.2), depth)
    np.testing.assert_allclose(backend.to_host(losses), backend.to_host(tied), rtol=1e-11)
    one = gradient(batch, WeightFamily.ONE_PARAMETER, np.array([0.2]), depth, backend, True)
    found = backend.to_host(slope)
    np.testing.assert_allclose(found, np.full(depth, found[0]), rtol=1e-9)
    np.testing.assert_allclose(found.sum(), one[0], rtol=1e-9)


def test_families_of_parameters(backend: Backend) -> None:
    assert [family.size(4, 3) for family in WeightFamily] == [1, 2, 32, 3]
    weights = WeightFamily.ONE_PARAMETER.weights(np.array([0.3]), D, backend)
    assert (weights.w_s, weights.w_v) == (0.3, -0.3)
    weights = WeightFamily.TWO_PARAMETER.weights(np.array([0.3, -0.2]), D, backend)
    assert (weights.w_s, weights.w_v) == (0.3, -0.2)
    weights = WeightFamily.MATRICES.weights(np.arange(18.0), D, backend)
    np.testing.assert_array_equal(backend.to_host(weights.w_v), np.arange(9.0, 18).reshape(3, 3))


def test_scalars_are_the_traces_of_the_matrices(backend: Backend) -> None:
    batch = some_batch(backend, 6)
    pair = np.array([0.3, -0.2])
    full = np.concatenate([(value * np.eye(D)).ravel() for value in pair])
    matrices = gradient(batch, WeightFamily.MATRICES, full, 4, backend, True).reshape(2, D, D)
    traces = np.trace(matrices, axis1=1, axis2=2)
    np.testing.assert_allclose(
        gradient(batch, WeightFamily.TWO_PARAMETER, pair, 4, backend, True), traces, rtol=1e-11
    )
    one = gradient(batch, WeightFamily.ONE_PARAMETER, np.array([0.3]), 4, backend, True)
    two = gradient(batch, WeightFamily.TWO_PARAMETER, np.array([0.3, -0.3]), 4, backend, True)
    np.testing.assert_allclose(one, two[0] - two[1], rtol=1e-12)


def test_the_loss_on_the_query_needs_tokens(backend: Backend) -> None:
    (batch,) = batches(PromptSource(UNIFORM, (2, 1)), 4, 5, backend, 10**9)
    with pytest.raises(TypeError, match="needs a batch with its tokens"):
        gradient(batch, WeightFamily.ONE_PARAMETER, np.array([0.1]), 1, backend, False)
