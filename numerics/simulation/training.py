"""Training the LCA stack on fresh prompts: gradient descent and Adam, stop rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from numerics.errors import NoConvergence
from numerics.simulation.arrays import Backend, HostArray, SimulationInputError, one_thread
from numerics.simulation.attention import check_depth
from numerics.simulation.gradients import WeightFamily, layerwise_loss_and_gradient, loss_and_gradients
from numerics.simulation.prompts import PromptSource, batches
from numerics.simulation.settling import newton

DIVERGED = 1e6
"""A loss this many times E zeta^2 is divergence: predicting 0 has an excess below 1 of them."""

CHECKS = 2**31
"""The prompts that judge a window have the stream of its last step plus this."""


class TrainingDiverged(NoConvergence):
    """The loss or its gradient overflowed or ran away."""


@dataclass(frozen=True)
class TrainingTask:
    """The empirical loss: mean over prompts of a squared error, per unit E zeta^2.

    source:          its key is extended by the step, so that every step has fresh prompts.
    batch:           prompts a step.
    integrate_query: the excess risk given the context (less noise, the same minimum) in place of the
                     squared error on the prompt's own query.
    """

    source: PromptSource
    context: int
    depth: int
    family: WeightFamily
    batch: int = 256
    integrate_query: bool = True

    def __post_init__(self) -> None:
        check_depth(self.depth)
        if self.family is WeightFamily.LAYERWISE and not self.integrate_query:
            raise SimulationInputError("layerwise is trained on the excess risk given the context")


class Optimiser(Protocol):
    """A rule for the next parameters."""

    @property
    def rate(self) -> float:
        """The learning rate, > 0."""
        ...

    def moments(self, size: int) -> HostArray:
        """What it remembers before the first step, shape (rows, size)."""
        ...

    def change(self, gradient: HostArray, moments: HostArray, step: int) -> tuple[HostArray, HostArray]:
        """The change of the parameters at this step (from 1 on), and the moments after it."""
        ...


@dataclass(frozen=True)
class GradientDescent:
    """Minus rate times the gradient."""

    rate: float

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def moments(self, size: int) -> HostArray:
        """See :class:`Optimiser`."""
        return np.zeros((0, size))

    def change(self, gradient: HostArray, moments: HostArray, step: int) -> tuple[HostArray, HostArray]:
        """See :class:`Optimiser`."""
        return -self.rate * gradient, moments


@dataclass(frozen=True)
class Adam:
    """Adam (Kingma and Ba 2015, algorithm 1)."""

    rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        _check_rate(self.rate)

    def moments(self, size: int) -> HostArray:
        """See :class:`Optimiser`."""
        return np.zeros((2, size))

    def change(self, gradient: HostArray, moments: HostArray, step: int) -> tuple[HostArray, HostArray]:
        """See :class:`Optimiser`."""
        first = self.beta1 * moments[0] + (1 - self.beta1) * gradient
        second = self.beta2 * moments[1] + (1 - self.beta2) * gradient**2
        scale = np.sqrt(second / (1 - self.beta2**step)) + self.epsilon
        return -self.rate * first / (1 - self.beta1**step) / scale, np.stack([first, second])


def _check_rate(rate: float) -> None:
    if not 0 < rate < np.inf:
        raise SimulationInputError(f"rate: must be positive and finite, not {rate}")


@dataclass(frozen=True)
class StopRule:
    """Stop after `steps` steps, or once the training has settled: at the mean parameters of each of the
    last `patience` windows of steps, what is left to gain is at most `tolerance` of the loss and of what
    has been gained over predicting 0.
    """

    steps: int
    window: int = 50
    tolerance: float = 0.01
    patience: int = 2

    def __post_init__(self) -> None:
        if self.steps < 1 or self.window < 1 or self.patience < 1 or not 0 <= self.tolerance < 1:
            raise SimulationInputError(
                "stop rule: steps, window and patience must be at least 1, the tolerance in [0, 1)"
            )

    def settled(self, curve: tuple[CurvePoint, ...]) -> bool:
        """Whether the last windows show that no more is to be gained."""
        last = curve[-self.patience :]
        return len(last) == self.patience and all(
            point.missing is not None and point.missing <= self.tolerance for point in last
        )


@dataclass(frozen=True)
class CurvePoint:
    """Mean loss over the window of steps that ends with `step`, and the mean parameters in it.

    missing: what is left to gain from there, per unit of the loss or of what has been gained over
             predicting 0, whichever is less, predicted by Newton's step on fresh prompts; None where the
             loss is not convex or nothing has been gained.
    ahead:   Newton's step, None with `missing`.
    """

    step: int
    loss: float
    parameters: tuple[float, ...]
    missing: float | None = None
    ahead: tuple[float, ...] | None = None


@dataclass(frozen=True)
class TrainingState:
    """Where a training stands: all that the next step depends on, and the learning curve.

    loss_sum, parameter_sum: over the steps of the window under way.
    """

    step: int
    parameters: HostArray
    moments: HostArray
    loss_sum: float
    parameter_sum: HostArray
    curve: tuple[CurvePoint, ...] = ()


Track = Callable[[Iterable[TrainingState]], Iterable[TrainingState]]
"""Yields what it is given, watching."""


@dataclass(frozen=True)
class Trained:
    """The end of a training.

    parameters: their mean over the last whole window of steps (the last ones if there is none).
    settled:    whether the last windows show that no more is to be gained.
    """

    parameters: HostArray
    settled: bool
    state: TrainingState

    @property
    def predicted(self) -> HostArray | None:
        """Where Newton's step from the parameters leads; None if there is none."""
        ahead = self.state.curve[-1].ahead if self.state.curve else None
        return None if ahead is None else self.parameters + np.array(ahead)


@dataclass(frozen=True)
class Training:
    """A training to be watched through `states`, or run to its end.

    start:  the first parameters; None for the zero weights (alpha = 0 and beta = 0).
    memory: budget in bytes.
    """

    task: TrainingTask
    optimiser: Optimiser
    stop: StopRule
    backend: Backend
    memory: int
    start: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        size = self.size
        if self.start is None:
            return
        if len(self.start) != size:
            raise SimulationInputError(
                f"start: {self.task.family} has {size} parameters here, not {len(self.start)}"
            )
        if not np.all(np.isfinite(self.start)):
            raise SimulationInputError("start: every parameter must be finite")

    @property
    def size(self) -> int:
        """The number of parameters."""
        return self.task.family.size(self.task.source.dimension, self.task.depth)

    def initial(self) -> TrainingState:
        """The state before the first step."""
        parameters = np.zeros(self.size) if self.start is None else np.array(self.start, dtype=np.float64)
        return TrainingState(0, parameters, self.optimiser.moments(self.size), 0.0, np.zeros(self.size))

    def finished(self, state: TrainingState) -> bool:
        """Whether the stop rule ends the training at this state."""
        whole = state.step > 0 and state.step % self.stop.window == 0
        return state.step >= self.stop.steps or (whole and self.stop.settled(state.curve))

    def states(self) -> Iterator[TrainingState]:
        """The state after each step, from the start on.

        Raises TrainingDiverged if the loss runs away.
        """
        state = self.initial()
        while not self.finished(state):
            state = self._after(state)
            yield state

    def run(self) -> Trained:
        """Train to the end.  Raises TrainingDiverged if the loss runs away."""
        state = self.initial()
        for state in self.states():  # noqa: B007
            pass
        return self.trained(state)

    def trained(self, state: TrainingState) -> Trained:
        """What a training that stops at this state has come to."""
        parameters = np.array(state.curve[-1].parameters) if state.curve else state.parameters
        return Trained(parameters, self.stop.settled(state.curve), state)

    def _after(self, state: TrainingState) -> TrainingState:
        step = state.step + 1
        loss, gradient = self.loss_and_gradient(state.parameters, step)
        change, moments = self.optimiser.change(gradient, state.moments, step)
        parameters = state.parameters + change
        if not (loss < DIVERGED and np.all(np.isfinite(parameters))):
            raise TrainingDiverged(
                f"training diverged at step {step}: the loss is {loss:.3g} (of E zeta^2);"
                f" use a lower rate than {self.optimiser.rate:g}, or a start nearer to 0"
            )
        loss_sum, parameter_sum = state.loss_sum + loss, state.parameter_sum + parameters
        window = self.stop.window
        if step % window:
            return TrainingState(step, parameters, moments, loss_sum, parameter_sum, state.curve)
        point = self._point(step, loss_sum / window, parameter_sum / window)
        return TrainingState(step, parameters, moments, 0.0, 0 * parameters, (*state.curve, point))

    def _point(self, step: int, loss: float, mean: HostArray) -> CurvePoint:
        """The window that ends with this step, judged on a quarter as many prompts of its own."""
        prompts = -(-self.task.batch * self.stop.window // 4)
        key = CHECKS + step

        def gradient(parameters: HostArray) -> HostArray:
            return self._on(parameters, key, prompts)[1]

        here, slope = self._on(mean, key, prompts)
        gained = self._on(0 * mean, key, prompts, depth=1)[0] - here
        found = newton(gradient, mean, slope, self.optimiser.rate)
        parameters = tuple(mean.tolist())
        if found is None or not 0 < min(here, gained) < np.inf:
            return CurvePoint(step, loss, parameters)
        return CurvePoint(step, loss, parameters, found.gain / min(here, gained), tuple(found.step.tolist()))

    def loss_and_gradient(self, parameters: HostArray, step: int) -> tuple[float, HostArray]:
        """The empirical loss on the prompts of this step, and its gradient in the parameters."""
        return self._on(parameters, step, self.task.batch)

    def _on(
        self, parameters: HostArray, key: int, prompts: int, depth: int | None = None
    ) -> tuple[float, HostArray]:
        """Loss and gradient on the prompts of a stream."""
        task, backend = self.task, self.backend
        depth = task.depth if depth is None else depth
        source = replace(task.source, key=(*task.source.key, key))
        own = task.family is WeightFamily.LAYERWISE
        weights = None if own else task.family.weights(parameters, source.dimension, backend)
        held = (depth + 8) * source.dimension
        loss, gradient = 0.0, np.zeros(self.size)
        for batch in batches(
            source,
            task.context,
            prompts,
            backend,
            self.memory,
            tokens=not task.integrate_query,
            workspace=held,
        ):
            # Whether anything overflowed is asked of the result.
            with np.errstate(over="ignore", invalid="ignore"):
                if weights is None:
                    losses, slope = layerwise_loss_and_gradient(batch, parameters)
                    gradient += backend.to_host(slope)
                else:
                    losses, w_s, w_v = loss_and_gradients(
                        batch, weights, depth, integrate_query=task.integrate_query
                    )
                    gradient += task.family.gradient(backend.to_host(w_s), backend.to_host(w_v))
                loss += float(np.sum(backend.to_host(losses)))
        unit = prompts * source.zeta.second_moment
        return loss / unit, gradient / unit


def outcome(
    training: Training, track: Callable[[Iterable[TrainingState]], Iterable[TrainingState]] = iter
) -> Trained | str:
    """The end of a training, or why there is none; in one thread.

    track: is handed the states on the way.
    """
    with one_thread():
        state = training.initial()
        try:
            for state in track(training.states()):  # noqa: B007
                pass
        except TrainingDiverged as error:
            return str(error)
        return training.trained(state)
