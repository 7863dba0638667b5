from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from numerics.errors import NumericsError
from numerics.laws.syntax import parse_law
from numerics.simulation.arrays import Backend, HostArray, SimulationInputError, load_backend
from numerics.simulation.gradients import WeightFamily
from numerics.simulation.prompts import FixedZeta, PromptSource
from numerics.simulation.training import (
    Adam,
    CurvePoint,
    GradientDescent,
    Optimiser,
    StopRule,
    Training,
    TrainingDiverged,
    TrainingTask,
)

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
SOURCE = PromptSource(UNIFORM, (3, 2), FixedZeta(), seed=5)
NUMPY = load_backend()


def training(
    family: WeightFamily = WeightFamily.ONE_PARAMETER,
    optimiser: Optimiser = GradientDescent(0.01),  # noqa: B008
    *,
    context: int = 20,
    depth: int = 1,
    steps: int = 60,
    backend: Backend | None = None,
    memory: int = 10**9,
    start: tuple[float, ...] | None = None,
    **stop: Any,
) -> Training:
    task = TrainingTask(SOURCE, context, depth, family, batch=64)
    return Training(task, optimiser, StopRule(steps, **stop), backend or NUMPY, memory, start)


def optimum(d: int, context: float) -> float:
    """The exact minimiser at T = 1: E s / E[s lam + (d + 3s + 2s^2)/L]."""
    s, square = float(UNIFORM.moment(1)), float(UNIFORM.moment(2))
    return s / (s + square + (d + 3 * s + 2 * square) / context)


@pytest.mark.parametrize("integrate", [True, False])
@pytest.mark.parametrize("optimiser", [GradientDescent(0.01), Adam(0.01)])
def test_training_reaches_the_finite_context_optimum(optimiser: Optimiser, integrate: bool) -> None:
    """The loss is quadratic in alpha: the iterates fluctuate about the minimiser.

    The mean over windows, each longer than the memory of the iteration (1 / (rate times curvature),
    at most 10 steps here), with Student's interval from their spread.
    """
    trained = training(optimiser=optimiser, steps=1200, window=40, patience=10**6)
    task = replace(trained.task, integrate_query=integrate, batch=128)
    state = replace(trained, task=task).run().state
    windows = np.array([point.parameters[0] for point in state.curve[5:]])
    half = student.isf(5e-5, len(windows) - 1) * windows.std(ddof=1) / len(windows) ** 0.5
    assert abs(windows.mean() - optimum(5, 20)) <= half
    # Told from the population's alpha_1.
    assert abs(windows.mean() - optimum(5, np.inf)) > half


@pytest.mark.parametrize("family", list(WeightFamily))
def test_every_family_learns(backend: Backend, family: WeightFamily) -> None:
    run = training(family, Adam(0.02), depth=3, backend=backend, context=60, window=10)
    states = list(run.states())
    last = states[-1].step
    assert [state.step for state in states] == list(range(1, last + 1))
    assert last == 60 or run.stop.settled(states[-1].curve)
    curve = states[-1].curve
    assert [point.step for point in curve] == list(range(10, last + 1, 10))
    # Predicting 0 has excess E s/(1+s) = 0.69; the first window is below 0.6 already.
    assert curve[-1].loss < 0.25 * curve[0].loss


@pytest.mark.usefixtures("library")
def test_learning_curve_is_the_mean_over_its_window() -> None:
    trained = training(window=4, steps=8)
    states = list(trained.states())
    parameters = [state.parameters[0] for state in states]
    before = [0.0, *parameters[:-1]]
    losses = [trained.loss_and_gradient(np.array([a]), step)[0] for step, a in enumerate(before, start=1)]
    for point, window in zip(states[-1].curve, (slice(0, 4), slice(4, 8)), strict=True):
        assert point.loss == pytest.approx(np.mean(losses[window]), rel=1e-13)
        assert point.parameters[0] == pytest.approx(np.mean(parameters[window]), rel=1e-13)


@pytest.mark.usefixtures("library")
def test_every_step_has_fresh_prompts() -> None:
    trained = training()
    losses = {trained.loss_and_gradient(np.array([0.2]), step)[0] for step in range(5)}
    assert len(losses) == 5


def test_gradient_descent_and_adam_written_out() -> None:
    gradient = np.array([2.0, -0.5])
    rule = GradientDescent(0.1)
    change, _ = rule.change(gradient, rule.moments(2), 1)
    np.testing.assert_array_equal(change, [-0.2, 0.05])
    adam = Adam(0.1, beta1=0.5, beta2=0.75, epsilon=0.0)
    change, moments = adam.change(gradient, adam.moments(2), 1)
    np.testing.assert_allclose(change, [-0.1, 0.1], rtol=1e-15)
    change, moments = adam.change(2 * gradient, moments, 2)
    first, second = (0.5 * 0.5 + 0.5 * 2) / 0.75, (0.75 * 0.25 + 0.25 * 4) / (1 - 0.75**2)
    np.testing.assert_allclose(change, [-0.1 * first / second**0.5, 0.1 * first / second**0.5], rtol=1e-14)
    assert moments.shape == (2, 2)


@pytest.mark.parametrize("optimiser", [GradientDescent(0.01), Adam(0.01)])
@pytest.mark.usefixtures("library")
def test_training_follows_its_rule(optimiser: Optimiser) -> None:
    trained = training(WeightFamily.TWO_PARAMETER, optimiser, depth=2, start=(0.1, -0.1))
    parameters, moments = np.array([0.1, -0.1]), optimiser.moments(2)
    for step, state in zip(range(1, 6), trained.states(), strict=False):
        _, gradient = trained.loss_and_gradient(parameters, step)
        change, moments = optimiser.change(gradient, moments, step)
        parameters = parameters + change
        np.testing.assert_array_equal(state.parameters, parameters)


def curve(*missing: float | None) -> tuple[CurvePoint, ...]:
    return tuple(CurvePoint(step, 1.0, (), part) for step, part in enumerate(missing))


def test_stop_rule() -> None:
    rule = StopRule(1000, tolerance=0.01, patience=2)
    assert not rule.settled(())
    assert not rule.settled(curve(0.001))
    assert not rule.settled(curve(0.001, 0.02))
    assert not rule.settled(curve(0.02, 0.001))
    assert not rule.settled(curve(0.001, None))
    assert rule.settled(curve(None, 0.01, 0.001))


@pytest.mark.usefixtures("library")
def test_training_stops_by_its_rule() -> None:
    settled = training(
        WeightFamily.ONE_PARAMETER, GradientDescent(0.05), steps=5000, window=20, patience=3
    ).run()
    assert settled.settled
    assert settled.state.step < 5000
    assert settled.state.step % 20 == 0
    assert tuple(settled.parameters) == settled.state.curve[-1].parameters
    limited = training(steps=7).run()
    assert not limited.settled
    assert limited.state.step == 7
    np.testing.assert_array_equal(limited.parameters, limited.state.parameters)


@pytest.mark.parametrize("optimiser", [GradientDescent(3e-7), Adam(1e-6)])
@pytest.mark.usefixtures("library")
def test_a_slow_training_has_not_settled(optimiser: Optimiser) -> None:
    """Its loss falls by less than its noise from window to window: by the loss alone it stands still."""
    ended = training(optimiser=optimiser, steps=600, window=50).run()
    assert not ended.settled
    assert ended.state.step == 600
    assert all(point.missing is not None and point.missing > 0.5 for point in ended.state.curve)
    losses = [point.loss for point in ended.state.curve]
    assert all(after > 0.98 * before for before, after in pairwise(losses))


@pytest.mark.usefixtures("library")
def test_what_is_left_to_gain_is_what_the_loss_says() -> None:
    """At T = 1 the risk is 1 - 2 a E s + a^2 c, from a = 0: its gain is E s^2/c less c (a - alpha_L)^2."""
    ended = training(optimiser=GradientDescent(1e-4), steps=200, window=100).run()
    best = optimum(5, 20)
    for point in ended.state.curve:
        share = (1 - point.parameters[0] / best) ** 2
        assert point.missing is not None
        assert point.missing == pytest.approx(share / (1 - share), rel=0.15)
    assert ended.predicted is not None
    assert ended.predicted[0] == pytest.approx(best, rel=0.05)
    assert abs(ended.parameters[0] - best) > 0.5 * best


@pytest.mark.parametrize("family", list(WeightFamily))
@pytest.mark.usefixtures("library")
def test_every_family_settles(family: WeightFamily) -> None:
    depth = 1 if family is WeightFamily.MATRICES else 2
    ended = training(family, Adam(0.01), depth=depth, steps=2000, window=100, context=60).run()
    assert ended.settled
    assert ended.state.step < 2000
    assert ended.predicted is not None


@pytest.mark.parametrize("optimiser", [GradientDescent(5.0), Adam(50.0)])
@pytest.mark.usefixtures("library")
def test_divergence(optimiser: Optimiser) -> None:
    with pytest.raises(TrainingDiverged) as caught:
        training(WeightFamily.TWO_PARAMETER, optimiser, depth=3).run()
    assert isinstance(caught.value, NumericsError)
    message = str(caught.value)
    assert re.fullmatch(
        r"training diverged at step \d+: the loss is \S+ .*use a lower rate than 50?, .*", message
    )


@pytest.mark.usefixtures("library")
def test_budget_changes_nothing() -> None:
    def end(memory: int) -> HostArray:
        many = training(steps=10, memory=memory)
        return replace(many, task=replace(many.task, batch=640)).run().parameters

    np.testing.assert_array_equal(end(10**9), end(2_000_000))


@pytest.mark.usefixtures("library")
def test_bad_input() -> None:
    for rate in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(SimulationInputError, match=r"^rate"):
            GradientDescent(rate)
        with pytest.raises(SimulationInputError, match=r"^rate"):
            Adam(rate)
    with pytest.raises(SimulationInputError, match="stop rule"):
        StopRule(0)
    with pytest.raises(SimulationInputError, match="stop rule"):
        StopRule(10, tolerance=1.0)
    with pytest.raises(SimulationInputError, match="start: two_parameter has 2 parameters here, not 1"):
        training(WeightFamily.TWO_PARAMETER, start=(0.1,))
    with pytest.raises(SimulationInputError, match="finite"):
        training(start=(np.nan,))
    with pytest.raises(SimulationInputError, match="depth"):
        training(depth=0)
    with pytest.raises(SimulationInputError, match="context"):
        training(context=0).run()
    with pytest.raises(SimulationInputError, match="prompts"):
        replace(training(), task=TrainingTask(SOURCE, 3, 1, WeightFamily.ONE_PARAMETER, batch=0)).run()
