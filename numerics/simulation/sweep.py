"""A sweep: every model on the prompts of every width and context, in chunks, by one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from numerics.processes import in_order
from numerics.simulation.architectures import Model
from numerics.simulation.arrays import Array, Backend, SimulationInputError, one_thread
from numerics.simulation.estimators import CONFIDENCE, Accumulator, Estimate
from numerics.simulation.prompts import Batch, PromptSource, check_memory, chunks, draw
from numerics.simulation.rounding import relative_rounding

ROUNDING_OF_MEAN, ROUNDING_OF_INTERVAL = 0.01, 0.1
GATHERING = 6
"""Numbers a prompt and depth that gathering its values takes."""


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep runs: every model, at all its depths, for every width and context.

    source: the law of the prompts; each entry of `dims` takes the place of its dims.
    models: (dims, context) -> the models there, with their weights; distinct names.
    memory: budget in bytes, of all processes together.
    """

    source: PromptSource
    dims: Sequence[tuple[int, ...]]
    contexts: Sequence[int]
    prompts: int
    models: Callable[[tuple[int, ...], int], Sequence[Model]]
    backend: Backend
    memory: int
    confidence: float = CONFIDENCE

    @property
    def total(self) -> int:
        """Prompts in all."""
        return len(self.dims) * len(self.contexts) * self.prompts


@dataclass(frozen=True)
class Row:
    """The excess risk of one model, per unit E zeta^2; `complete` if all its prompts are in.

    rounding: about how far rounding may have moved the mean; None where numbers overflowed.
    """

    model: str
    dims: tuple[int, ...]
    context: int
    depth: int | None
    excess: Estimate
    complete: bool
    rounding: float | None = None

    @property
    def rounded(self) -> bool:
        """Whether rounding may be seen: past a share of the interval's half-width, or of the mean."""
        mean, low = self.excess.mean, self.excess.low
        if self.rounding is None or mean is None:
            return False
        if self.rounding > ROUNDING_OF_MEAN * abs(mean):
            return True
        return low is not None and self.rounding > ROUNDING_OF_INTERVAL * (mean - low)


@dataclass(frozen=True)
class Chunk:
    """The models on some prompts of one width and context; the first of them also says what rounding does."""

    source: PromptSource
    context: int
    models: tuple[Model, ...]
    backend: Backend
    index: int
    prompts: int

    @property
    def cell(self) -> tuple[tuple[int, ...], int]:
        """Width and context."""
        return self.source.dims, self.context


@dataclass(frozen=True)
class Gathered:
    """What a chunk gave: model and depths -> their excess; (model, depth) -> what rounding did to it."""

    excess: dict[tuple[str, tuple[int | None, ...]], Accumulator]
    rounding: dict[tuple[str, int | None], float | None]


def run_chunk(chunk: Chunk) -> Gathered:
    """Draw the prompts and run the models."""
    tokens = any(model.needs_tokens for model in chunk.models)
    with one_thread():
        batch = draw(chunk.source, chunk.context, chunk.backend, chunk.index, chunk.prompts, tokens=tokens)
        excess = {
            (model.name, depths): accumulator
            for model in chunk.models
            for depths, accumulator in _gather(model, batch, chunk)
        }
        if chunk.index:
            return Gathered(excess, {})
        moved = relative_rounding(chunk.models, batch, chunk.source, chunk.context, chunk.backend)
        return Gathered(excess, {(name, depth): ratio for name, depth, ratio in moved})


def _gather(model: Model, batch: Batch, chunk: Chunk) -> Iterator[tuple[tuple[int | None, ...], Accumulator]]:
    xp, unit = chunk.backend.xp, chunk.source.zeta.second_moment
    # What overflows is counted by the accumulator.
    with np.errstate(over="ignore", invalid="ignore"):
        values_by_depth = iter(model.excess(batch))
        while some := list(islice(values_by_depth, chunk.backend.depths_at_once)):
            values: Array = xp.stack([excess for _, excess in some])
            yield (
                tuple(depth for depth, _ in some),
                Accumulator.of(chunk.backend.to_host(values) / unit),
            )


class Sweep:
    """A sweep to be iterated over; `rows` may be asked at any time, after an interruption too.

    All models of one width and context see the same prompts, token by token if one of them needs that.
    The rows do not depend on the number of processes: what chunks give is merged in the order of the plan.
    executor: has the processes, where they are not started here.
    """

    def __init__(self, plan: SweepPlan, jobs: int = 1, executor: Executor | None = None) -> None:
        self.plan, self.jobs, self.executor = plan, jobs, executor
        self.done = 0
        self._found: dict[tuple[tuple[int, ...], int], Gathered] = {}

    @property
    def complete(self) -> bool:
        """Whether every prompt of the plan is in."""
        return self.done == self.plan.total

    def __iter__(self) -> Iterator[int]:
        """Yield the number of prompts done after each chunk.  Starts afresh.

        Raises SimulationInputError for a plan that cannot be run.
        """
        self.done, self._found = 0, {}
        for chunk, gathered in in_order(run_chunk, self._chunks(), self.jobs, self.executor):
            self._merge(chunk.cell, gathered)
            self.done += chunk.prompts
            yield self.done

    def _chunks(self) -> Iterator[Chunk]:
        plan = self.plan
        for dims in plan.dims:
            source = replace(plan.source, dims=dims)
            for context in plan.contexts:
                models = tuple(plan.models(dims, context))
                if len({model.name for model in models}) < len(models):
                    raise SimulationInputError("models: two models have the same name")
                check_sweep(models, source, context, plan.prompts, plan.backend, plan.memory // self.jobs)
                tokens = any(model.needs_tokens for model in models)
                for index, prompts in chunks(source, context, plan.prompts, plan.backend, tokens=tokens):
                    yield Chunk(source, context, models, plan.backend, index, prompts)

    def _merge(self, cell: tuple[tuple[int, ...], int], more: Gathered) -> None:
        if cell not in self._found:
            self._found[cell] = more
            return
        for key, accumulator in more.excess.items():
            self._found[cell].excess[key].merge(accumulator)

    def rows(self) -> list[Row]:
        """What there is so far: by width, context, model and depth."""
        rows = []
        for (dims, context), gathered in self._found.items():
            for (model, depths), accumulator in gathered.excess.items():
                for place, depth in enumerate(depths):
                    estimate = accumulator.estimate(place, self.plan.confidence)
                    complete = estimate.samples + estimate.overflowed == self.plan.prompts
                    ratio = gathered.rounding[model, depth]
                    moved = None if ratio is None or estimate.mean is None else ratio * abs(estimate.mean)
                    rows.append(Row(model, dims, context, depth, estimate, complete, moved))
        return rows


def check_sweep(
    models: Sequence[Model], source: PromptSource, context: int, prompts: int, backend: Backend, memory: int
) -> None:
    """Raises MemoryBudgetError where the memory of a process does not hold a chunk at work."""
    largest = max((model.workspace(source.dimension, context) for model in models), default=0)
    tokens = any(model.needs_tokens for model in models)
    workspace = GATHERING * backend.depths_at_once + largest
    check_memory(source, context, prompts, backend, memory, tokens=tokens, workspace=workspace)
