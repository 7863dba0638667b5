"""The flow of the weights: its field against finite differences, where it ends, and ties."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.expectation.quadrature import FloatRule
from numerics.laws.syntax import parse_law
from numerics.layerwise import flow
from numerics.layerwise.best_excess import BestStacks, support_size
from numerics.one_parameter.minimiser import minimiser
from tests.strategies import laws
from theory.losses import one_parameter

MAX_BITS = 65536
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
ATOMS = parse_law("squared_norm", "atoms({0: 1/8, 1/2: 3/8, 2: 1/4, 5: 1/8, 6: 1/8})")


def loss_of(law):
    """E[(s/lam) prod (1 - alpha lam)^2], by a finer rule, layer by layer."""
    rule = FloatRule(law, 96)
    weight = np.exp(rule.log_weight) * rule.s / rule.lam

    def loss(weights):
        residual = np.ones_like(rule.lam)
        for alpha in weights:
            residual = residual * (1 - alpha * rule.lam)
        return float(weight @ residual**2)

    return loss


def tied_weight(law, T):
    return float(minimiser(Expectation(law), one_parameter(), T, 20, MAX_BITS).middle)


def optimum(law, T):
    return sorted(1 / float(root.middle) for root in BestStacks(Expectation(law), T, MAX_BITS).nodes(T)[0])


@pytest.mark.parametrize("law", [UNIFORM, ATOMS], ids=["uniform", "atoms"])
@pytest.mark.parametrize("shared", [(1, 1), (1, 2), (2, 1, 1), (3,), (1, 1, 1, 1)], ids=str)
def test_the_field_against_finite_differences(law, shared):
    """Each layer's own derivative, and the second ones along the ties."""
    h, values = 1e-4, np.linspace(0.1, 0.5, len(shared))
    loss, found = loss_of(law), flow.LayerFlow(law, shared)
    first = np.concatenate([[0], np.cumsum(shared)[:-1]])

    def slopes(at):
        layers = np.repeat(at, shared)
        one = np.eye(len(layers))
        # The loss is quadratic in each weight: central differences leave rounding alone.
        return np.array([-(loss(layers + h * one[i]) - loss(layers - h * one[i])) / (2 * h) for i in first])

    slope, rounding = found.slope(values)
    assert slope == pytest.approx(slopes(values), rel=1e-7, abs=1e-11)
    assert (rounding < 1e-12).all()
    for g, one in enumerate(np.eye(len(shared))):
        # A polynomial of degree 2m - 1 at most in one value: Richardson's step is exact to degree 4.
        near = (slopes(values + 1e-3 * one) - slopes(values - 1e-3 * one)) / 2e-3
        far = (slopes(values + 2e-3 * one) - slopes(values - 2e-3 * one)) / 4e-3
        assert found.jacobian(values)[:, g] == pytest.approx((4 * near - far) / 3, rel=1e-5, abs=1e-7)


def test_the_jacobian_in_gaps_against_finite_differences():
    found, state = flow.LayerFlow(UNIFORM, (1, 2, 1)), np.array([0.1, np.log(0.05), np.log(0.2)])
    h = 1e-6
    for k, one in enumerate(np.eye(3)):
        measured = (found.field(0, state + h * one) - found.field(0, state - h * one)) / (2 * h)
        assert found.field_jacobian(0, state)[:, k] == pytest.approx(measured, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("law", [UNIFORM, ATOMS, parse_law("squared_norm", "chi2(3)")], ids=str)
@pytest.mark.parametrize("T", [1, 2, 3, 4])
def test_distinct_weights_end_at_the_nodes(law, T):
    center, target = tied_weight(law, T), optimum(law, T) if T < 4 or law is not ATOMS else None
    if target is None:
        target = sorted(1 / (1 + float(s)) for s in law.atoms.values if s > 0)
    for start in (
        [center * (1 + 1e-7 * k) for k in range(T)],
        [-center * (k + 1) for k in range(T)],
        [10 * center * (k + 1) for k in range(T)],
    ):
        ended = flow.follow(law, start)
        assert ended.start == tuple(sorted(start))
        distance = np.abs(np.array(ended.weights) - target).max()
        assert distance <= 2 * ended.error < 1e-4
        assert len(ended.orbit) == ended.steps + 1


@pytest.mark.parametrize("T", [2, 3, 5])
def test_a_tied_start_ends_at_the_tied_optimum_and_not_at_the_nodes(T):
    ended = flow.follow(UNIFORM, [0.0] * T)
    assert len({*ended.weights}) == 1
    assert abs(ended.weights[0] - tied_weight(UNIFORM, T)) <= 2 * ended.error < 1e-4
    assert np.abs(np.array(ended.weights) - optimum(UNIFORM, T)).max() > 1e-2


def test_some_ties_are_kept_and_end_at_a_saddle():
    """At T = 3 with two tied: a critical point, worse than the optimum and better than the tied one."""
    loss, ended = loss_of(UNIFORM), flow.follow(UNIFORM, [0.1, 0.1, 0.5])
    first, second, third = ended.weights
    assert first == second < third
    tied = flow.LayerFlow(UNIFORM, (2, 1))
    assert np.abs(tied.newton(np.array([second, third]))).max() <= ended.error < 1e-5
    values = [
        loss(weights) for weights in (optimum(UNIFORM, 3), ended.weights, [tied_weight(UNIFORM, 3)] * 3)
    ]
    assert values == sorted(values)
    assert values[1] > 1.1 * values[0]
    off = np.linalg.eigvalsh(-flow.LayerFlow(UNIFORM, (1, 1, 1)).jacobian(np.array(ended.weights)))
    assert off[0] < 0 < off[1]


def test_the_order_is_kept_along_the_orbit():
    ended = flow.follow(UNIFORM, [0.3, 0.3 + 1e-9, -0.2, 2.0])
    orbit = np.array(ended.orbit)
    assert (np.diff(orbit, axis=1) > 0).all()
    loss = loss_of(UNIFORM)
    heights = [loss(weights) for weights in orbit]
    assert all(after <= before * (1 + 1e-3) for before, after in pairwise(heights))


@given(laws(), st.integers(2, 3), st.integers(0, 3))
def test_the_hessian_at_the_optimum_is_diagonal_and_positive(law, T, shift):
    size = support_size(law)
    assume(size is None or size > T)
    values = np.array(optimum(law, T))
    M = flow.LayerFlow(law, [1] * T).products(values)
    scale = np.sqrt(np.outer(np.diag(M), np.diag(M)))
    assert (np.diag(M) > 0).all()
    assert (M / scale)[~np.eye(T, dtype=bool)] == pytest.approx(0, abs=1e-5)


def test_a_start_that_is_a_critical_point_stays():
    for start in (optimum(UNIFORM, 3), [tied_weight(UNIFORM, 4)] * 4):
        ended = flow.follow(UNIFORM, start)
        assert (ended.weights, ended.steps) == (tuple(sorted(start)), 0)
        assert ended.error < 1e-8


def test_no_end(monkeypatch):
    monkeypatch.setattr(flow, "LONGEST", 1e-3)
    with pytest.raises(NoConvergence, match="flow of 2 weights"):
        flow.follow(UNIFORM, [0.1, 0.2])


def test_the_landscape_of_two_layers_is_their_excess():
    """By the loss of the other tests; symmetric in the two layers."""
    loss = loss_of(UNIFORM)
    heights = {(one, other): height for one, other, height in flow.loss_plane(UNIFORM, -0.1, 0.7)}
    assert len(heights) == flow.PLANE_POINTS**2
    for (one, other), height in heights.items():
        assert heights[other, one] == height
        assert height == pytest.approx(np.log10(loss(np.array([one, other]))), abs=1e-4)
