import numpy as np
import pytest

from numerics.simulation.settling import newton

MATRIX = np.array([[3.0, 1.0, 0.2], [1.0, 2.0, -0.3], [0.2, -0.3, 0.7]])
MINIMISER = np.array([0.4, -1.5, 0.0])


def quadratic(matrix):
    return lambda at: matrix @ (at - MINIMISER)


def step_at(gradient, at, scale=1.0):
    at = np.array(at, dtype=float)
    return newton(gradient, at, gradient(at), scale)


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (1e-3, -2e-3, 0.0)])
def test_a_quadratic_is_solved(at):
    found = step_at(quadratic(MATRIX), at)
    error = np.array(at) - MINIMISER
    np.testing.assert_allclose(found.step, -error, rtol=1e-6, atol=1e-8)
    assert found.gain == pytest.approx(error @ MATRIX @ error / 2, rel=1e-8)


def test_directions_without_any_slope_cost_nothing():
    """W_V at depth 1: the loss does not depend on it."""
    matrix = np.diag([2.0, 1.0, 0.0])
    found = step_at(quadratic(matrix), (1.0, 0.0, 5.0))
    np.testing.assert_allclose(found.step, [-0.6, -1.5, 0.0], rtol=1e-8)


def test_where_it_is_not_convex_nothing_is_predicted():
    assert step_at(quadratic(np.diag([2.0, -1.0, 1.0])), (1.0, 1.0, 1.0)) is None
    assert step_at(lambda at: -at, (1.0, 1.0)) is None
    assert step_at(lambda at: np.full(2, np.nan), (1.0, 1.0)) is None
    assert step_at(lambda at: np.ones(2), (1.0, 1.0)) is None


def test_at_the_minimum_there_is_nothing_to_gain():
    found = step_at(quadratic(MATRIX), MINIMISER)
    assert found.gain == 0
    assert not found.step.any()


def test_a_far_start_of_a_deep_stack_is_seen_to_be_far():
    """(1 - a)^128 from a = 0: half of the loss is predicted to be left at least, all of it is."""
    found = step_at(lambda at: -128 * (1 - at) ** 127, (0.0,), scale=0.01)
    assert found.gain == pytest.approx(0.5, rel=0.02)
