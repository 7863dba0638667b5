"""Monte-Carlo means with confidence intervals, and the sweep that fills a table of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from numerics.simulation.architectures import Model
from numerics.simulation.arrays import Backend, HostArray, SimulationInputError
from numerics.simulation.prompts import PromptSource, batches
from numerics.simulation.rounding import relative_rounding

CONFIDENCE = 0.99
HEAVY_SHARE = 0.1
MEDIAN_BITS = 8
ROUNDING_OF_MEAN, ROUNDING_OF_INTERVAL = 0.01, 0.1


@dataclass(frozen=True)
class Estimate:
    """The mean of a sample, with its confidence interval by Student's t.

    mean, low, high: None where a value or its square overflowed; low and high also for one value.
    median:          to a relative accuracy of 2^-9; what overflowed counts as larger than all else.
    heavy_tailed:    a single value makes up a tenth or more of the sum of squares, or some
                     overflowed: the interval then says little, and the median is the better number.
    """

    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    samples: int
    median: float | None
    heavy_tailed: bool
    overflowed: int


class Accumulator:
    """Gathers a sample piece by piece, in memory that does not grow with it.

    Mean and variance are merged by the pairwise update of Chan, Golub and LeVeque.  For the median
    values are counted in bins of relative width 2^-8: their leading bits as float64.
    The heavy-tail flag is the ratio of maximum to sum of the squares, which tends to 0 exactly
    if the second moment is finite (Embrechts, Klueppelberg, Mikosch 1997, section 6.2.6).
    """

    def __init__(self) -> None:
        self.samples = 0
        self.overflowed = 0
        self._mean = 0.0
        self._squares = 0.0
        self._largest = 0.0
        self._keys: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._counts: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def add(self, values: HostArray) -> None:
        """Add values, shape (n,).  Those that are not finite are counted as overflowed."""
        finite = values[np.isfinite(values)]
        self.overflowed += values.size - finite.size
        if finite.size == 0:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(np.mean(finite))
            squares = float(np.sum((finite - mean) ** 2))
            shift = mean - self._mean
            total = self.samples + finite.size
            self._squares += squares + shift * shift * self.samples * finite.size / total
            self._mean += shift * finite.size / total
        self.samples = total
        self._largest = max(self._largest, float(np.max(np.abs(finite))))
        self._count(finite)

    def _count(self, values: HostArray) -> None:
        bits = np.abs(values).view(np.int64) >> (52 - MEDIAN_BITS)
        keys, counts = np.unique(np.where(values < 0, -bits, bits), return_counts=True)
        self._keys, where = np.unique(np.concatenate([self._keys, keys]), return_inverse=True)
        merged = np.zeros(self._keys.size, dtype=np.int64)
        np.add.at(merged, where, np.concatenate([self._counts, counts]))
        self._counts = merged

    def _median(self) -> float | None:
        rank = (self.samples + self.overflowed + 1) // 2
        if not 1 <= rank <= self.samples:
            return None
        key = int(self._keys[np.searchsorted(np.cumsum(self._counts), rank)])
        # The middle of the bin; the values of the lowest bin are 0 for all purposes.
        bits = (2 * abs(key) + 1) << (51 - MEDIAN_BITS) if key else 0
        return math.copysign(float(np.array(bits, dtype=np.int64).view(np.float64)), key)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """The estimate from what was added so far.  Raises SimulationInputError unless 0 < confidence < 1."""
        if not 0 < confidence < 1:
            raise SimulationInputError(f"confidence: must lie between 0 and 1, not {confidence}")
        sound = self.samples > 0 and self.overflowed == 0 and math.isfinite(self._mean)
        mean = self._mean if sound else None
        low = high = None
        if mean is not None and self.samples > 1 and math.isfinite(self._squares):
            error = math.sqrt(self._squares / (self.samples - 1) / self.samples)
            half = float(stdtrit(self.samples - 1, (1 + confidence) / 2)) * error
            low, high = mean - half, mean + half
        return Estimate(
            mean, low, high, confidence, self.samples, self._median(), self._heavy(), self.overflowed
        )

    def _heavy(self) -> bool:
        if self.overflowed or not (math.isfinite(self._squares) and math.isfinite(self._mean)):
            return True
        second = self._squares + self.samples * self._mean**2
        return self._largest > 0 and self._largest**2 >= HEAVY_SHARE * second


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep runs: every model, at all its depths, for every width and context.

    source: the law of the prompts; each entry of `dims` takes the place of its dims.
    models: (dims, context) -> the models there, with their weights; distinct names.
    memory: budget in bytes.
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


Cell = tuple[str, tuple[int, ...], int, int | None]


class Sweep:
    """A sweep to be iterated over; `rows` may be asked at any time, after an interruption too.

    All models of one width and context see the same prompts, token by token if one of them needs that.
    """

    def __init__(self, plan: SweepPlan) -> None:
        self.plan = plan
        self.done = 0
        self._cells: dict[Cell, Accumulator] = {}
        self._rounding: dict[Cell, float | None] = {}

    @property
    def complete(self) -> bool:
        """Whether every prompt of the plan is in."""
        return self.done == self.plan.total

    def __iter__(self) -> Iterator[int]:
        """Yield the number of prompts done after each chunk.  Starts afresh.

        Raises SimulationInputError for a plan that cannot be run.
        """
        self.done, self._cells, self._rounding = 0, {}, {}
        for dims in self.plan.dims:
            for context in self.plan.contexts:
                yield from self._run(dims, context)

    def _run(self, dims: tuple[int, ...], context: int) -> Iterator[int]:
        plan, source = self.plan, replace(self.plan.source, dims=dims)
        models = plan.models(dims, context)
        if len({model.name for model in models}) < len(models):
            raise SimulationInputError("models: two models have the same name")
        first = True
        for batch in batches(
            source,
            context,
            plan.prompts,
            plan.backend,
            plan.memory,
            tokens=any(model.needs_tokens for model in models),
            workspace=max((model.workspace(source.dimension, context) for model in models), default=0),
        ):
            for model in models:
                # What overflows is counted by the accumulator.
                with np.errstate(over="ignore", invalid="ignore"):
                    for depth, excess in model.excess(batch):
                        values = plan.backend.to_host(excess) / source.zeta.second_moment
                        cell = (model.name, dims, context, depth)
                        self._cells.setdefault(cell, Accumulator()).add(values)
            if first:
                first = False
                for name, depth, ratio in relative_rounding(models, batch, source, context, plan.backend):
                    self._rounding[name, dims, context, depth] = ratio
            self.done += batch.latents.zeta.shape[0]
            yield self.done

    def rows(self) -> list[Row]:
        """What there is so far: by width, context, model and depth."""
        rows = []
        for (model, dims, context, depth), accumulator in self._cells.items():
            estimate = accumulator.estimate(self.plan.confidence)
            complete = estimate.samples + estimate.overflowed == self.plan.prompts
            ratio = self._rounding.get((model, dims, context, depth))
            moved = None if ratio is None or estimate.mean is None else ratio * abs(estimate.mean)
            rows.append(Row(model, dims, context, depth, estimate, complete, moved))
        return rows
