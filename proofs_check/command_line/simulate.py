"""`simulate`: the architectures on sampled prompts, over widths, contexts and depths."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from proofs_check.command_line.simulation_options import TRAINING_KEY, Simulation
from proofs_check.engine.context import Progress, Silent, UsageError
from proofs_check.engine.environment import Interrupts, describe_environment, own_state

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from numerics.simulation.arrays import HostArray
    from numerics.simulation.by_name import Layer, PredictorWeights, Theory
    from numerics.simulation.sweep import Row, SweepPlan
    from numerics.simulation.training import Trained, Training
    from reports.results import Environment, SimulationResult, SimulationRow

TICKS = 1000
BATCH, STEPS, WINDOW = 256, 1000, 100
RATE = 1 / 20
"""Adam's rate per unit of the population weight."""


def simulate(
    simulation: Simulation,
    command: Sequence[str] = ("simulate",),
    progress: Progress | None = None,
    interrupts: Interrupts | None = None,
    executor: Executor | None = None,
) -> SimulationResult:
    """Run a simulation; after Ctrl-C the result holds what there is, and is not complete.

    interrupts: those of a process that watches already.
    executor:   has the processes, where they are not started here.
    Raises UsageError where the memory does not hold the smallest piece of work.
    """
    with ExitStack() as stack:
        if interrupts is None:
            interrupts = Interrupts()
            stack.enter_context(interrupts.watched())
        stack.enter_context(own_state())
        return _Sweep(simulation, progress or Silent(), interrupts, executor).run(command)


class _Sweep:
    """A simulation under way."""

    def __init__(
        self, simulation: Simulation, progress: Progress, interrupts: Interrupts, executor: Executor | None
    ) -> None:
        self.simulation, self.progress, self.interrupts = simulation, progress, interrupts
        self.executor = executor
        self.notes: list[str] = []
        self.weights: dict[tuple[tuple[int, ...], int], PredictorWeights] = {}
        self.population: PredictorWeights | None = None

    def run(self, command: Sequence[str]) -> SimulationResult:
        """Sweep, and make the document."""
        from numerics.simulation.by_name import TheoryTable
        from numerics.simulation.sweep import Sweep
        from proofs_check.engine.runner import describe_law
        from reports.results import SCHEMA_VERSION, SimulationResult

        begun = time.perf_counter()
        self.check_memory()
        self.theory = TheoryTable(self.simulation.law)
        sweep = Sweep(self.plan(), self.simulation.jobs, self.executor)
        try:
            self.interrupts.check()
            for _ in self.progress.track(_ticks(sweep), "prompts", TICKS):
                self.interrupts.check()
        except KeyboardInterrupt:
            pass
        return SimulationResult(
            schema_version=SCHEMA_VERSION,
            law=describe_law(self.simulation.law),
            complete=sweep.complete,
            rows=[self.row(row) for row in sweep.rows()],
            environment=self.environment(),
            seconds=time.perf_counter() - begun,
            command=list(command),
            notes=self.notes,
        )

    def check_memory(self) -> None:
        """Raise UsageError unless the memory holds a chunk of every size of prompt in each process."""
        from numerics.simulation.arrays import MemoryBudgetError
        from numerics.simulation.by_name import LAYERWISE, STACKS, PredictorWeights, models
        from numerics.simulation.sweep import check_sweep

        wanted = self.simulation
        pairs = {T: (float(T), 0.0) for T in wanted.depths}
        stacks = {name: pairs for name in STACKS if name in wanted.models}
        layers = {T: (0.0,) * T for T in wanted.depths if LAYERWISE in wanted.models}
        for dims in wanted.dims:
            found = models(wanted.models, PredictorWeights((0.0,), stacks, layers), dims)
            source = replace(wanted.source, dims=dims)
            for context in wanted.contexts:
                each = wanted.memory // wanted.jobs
                try:
                    check_sweep(found, source, context, wanted.prompts, wanted.backend, each)
                except MemoryBudgetError as error:
                    raise UsageError(f"--{error}") from error

    def environment(self) -> Environment:
        """With the version of CuPy where that computed."""
        import msgspec

        found = describe_environment(self.simulation.seed, self.simulation.law)
        if self.simulation.backend.name != "cupy":
            return found
        version = importlib.import_module("cupy").__version__
        return msgspec.structs.replace(found, packages=found.packages | {"cupy": version})

    def plan(self) -> SweepPlan:
        """The sweep; weights are made when it comes to a width and context."""
        from numerics.simulation.by_name import models
        from numerics.simulation.sweep import SweepPlan

        wanted = self.simulation
        return SweepPlan(
            wanted.source,
            wanted.dims,
            wanted.contexts,
            wanted.prompts,
            lambda dims, context: models(wanted.models, self.weights_at(dims, context), dims),
            wanted.backend,
            wanted.memory,
        )

    def weights_at(self, dims: tuple[int, ...], context: int) -> PredictorWeights:
        """The weights of a width and context."""
        from numerics.simulation.by_name import PopulationWeights

        wanted = self.simulation
        if self.population is None:
            made = PopulationWeights(wanted.law, wanted.models, wanted.depths, self.watch("weights"))
            self.population = made.weights
            self.notes += made.notes
        found = self.population
        if wanted.trained:
            found = self.trained(found, dims, context)
        self.weights[dims, context] = found
        return found

    def watch(self, description: str) -> Any:
        """Progress that Ctrl-C can end."""

        def track(items: Iterable[Any]) -> Iterator[Any]:
            for item in self.progress.track(items, description):
                self.interrupts.check()
                yield item

        return track

    def trained(self, population: PredictorWeights, dims: tuple[int, ...], context: int) -> PredictorWeights:
        """Weights trained on fresh prompts; where training diverges there are none, and a note.

        From 0; those of layers of their own from weights spread below their largest, as ties stay ties.
        """
        from numerics.simulation.by_name import LAYERWISE, PredictorWeights
        from numerics.simulation.gradients import WeightFamily

        layer, wanted = population.layer, {}
        if layer is not None:
            family = WeightFamily.ONE_PARAMETER if len(layer) == 1 else WeightFamily.MATRICES
            wanted["lsa", 1] = self.training("lsa", family, 1, float(max(layer)), dims, context)
        for name, pairs in population.stacks.items():
            for T, (alpha, _) in pairs.items():
                wanted[name, T] = self.training(name, WeightFamily(name), T, alpha, dims, context)
        for T, alphas in population.layers.items():
            most = max(alphas)
            start = tuple(most * (place + 1) / (T + 1) for place in range(T))
            wanted[LAYERWISE, T] = self.training(
                LAYERWISE, WeightFamily.LAYERWISE, T, most, dims, context, start
            )
        ends = self.train(wanted)
        if layer is not None:
            found = ends.pop(("lsa", 1), None)
            layer = None if found is None else _layer(found, len(layer), sum(dims))
        stacks: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in population.stacks}
        layers = {}
        for (name, T), found in ends.items():
            if name == LAYERWISE:
                layers[T] = _in_order_of(population.layers[T], found)
                continue
            first, last = float(found[0]), float(found[-1])
            stacks[name][T] = first, -first if name == "one_parameter" else last
        return PredictorWeights(layer, stacks, layers)

    def training(
        self,
        name: str,
        family: Any,
        T: int,
        scale: float,
        dims: tuple[int, ...],
        context: int,
        start: tuple[float, ...] | None = None,
    ) -> Training:
        """By Adam, from 0 where no start is given, at a rate that suits weights of this size."""
        from numerics.simulation.training import Adam, StopRule, Training, TrainingTask

        wanted = self.simulation
        key = (TRAINING_KEY, wanted.models.index(name), T, context, *dims)
        task = TrainingTask(replace(wanted.source, dims=dims, key=key), context, T, family, BATCH)
        stop, memory = StopRule(STEPS, window=WINDOW), wanted.memory // wanted.jobs
        return Training(task, Adam(RATE * abs(scale) or RATE), stop, wanted.backend, memory, start)

    def train(self, wanted: dict[tuple[str, int], Training]) -> dict[tuple[str, int], Any]:
        """Model and depth -> the parameters that training ended at, without those that diverged."""
        from numerics.processes import in_order
        from numerics.simulation.training import outcome

        jobs, executor, found = self.simulation.jobs, self.executor, {}
        one = jobs == 1 and executor is None
        work = self.followed if one else outcome
        with closing(in_order(work, wanted.values(), jobs, executor, self.interrupts.check)) as results:
            for place, (training, ended) in zip(
                wanted, results if one else self.progress.track(results, "training", len(wanted)), strict=True
            ):
                task, (name, T) = training.task, place
                where = f"{name}, d = {' + '.join(map(str, task.source.dims))}, L = {task.context}, T = {T}"
                if isinstance(ended, str):
                    self.notes.append(f"{where}: {ended}")
                    continue
                found[place] = ended.parameters
                if not ended.settled:
                    self.notes.append(
                        f"{where}: training had not settled after {ended.state.step} steps:"
                        " its weights are not the best at L"
                    )
        return found

    def followed(self, training: Training) -> Trained | str:
        """The outcome, with progress at every step."""
        from numerics.simulation.training import outcome

        task = training.task
        return outcome(training, self.watch(f"training {task.family}, L = {task.context}, T = {task.depth}"))

    def reference(self, row: Row) -> Theory | None:
        """The theory's value; None, with a note, where its computation gives up."""
        from numerics.errors import NumericsError

        try:
            weights = self.weights[row.dims, row.context]
            return self.theory.excess(weights, row.dims, row.context, row.model, row.depth)
        except NumericsError as error:
            if (note := f"{row.model}: no value of the theory: {error}") not in self.notes:
                self.notes.append(note)
            return None

    def bears(self, row: Row) -> bool:
        """Whether the model says that so many prompts bear an interval for the mean."""
        from numerics.errors import NumericsError
        from numerics.simulation.sample_sizes import rarity

        estimate, weights = row.excess, self.weights[row.dims, row.context]
        rare = rarity(max(estimate.samples, 1), estimate.confidence)
        try:
            shape = self.theory.shape(weights, (row.dims, row.context, row.model, row.depth), rare)
        except NumericsError:
            return False
        return shape is not None and shape.bears(estimate.samples, estimate.confidence)

    def row(self, row: Row) -> SimulationRow:
        """A row with the theory's value beside it."""
        from reports.results import Sampled, SimulationRow

        found, estimate = self.reference(row), row.excess
        heavy = estimate.heavy_tailed or not self.bears(row)
        low, high = (None, None) if heavy else (estimate.low, estimate.high)
        kind = None if found is None else "exact" if found.exact else "order 1/L"
        return SimulationRow(
            row.model,
            list(row.dims),
            row.context,
            row.depth,
            Sampled(estimate.mean, low, high, estimate.confidence, estimate.samples),
            estimate.median,
            None if found is None else found.value,
            heavy,
            estimate.overflowed,
            kind,
            row.rounding,
            row.rounded,
        )


def _in_order_of(population: tuple[float, ...], found: Any) -> tuple[float, ...]:
    """Trained weights of layers in the order, one of moderate products, of those of the population."""
    ranks = sorted(range(len(population)), key=population.__getitem__)
    ordered = [0.0] * len(population)
    for rank, weight in zip(ranks, sorted(float(weight) for weight in found), strict=True):
        ordered[rank] = weight
    return tuple(ordered)


def _layer(parameters: HostArray, blocks: int, size: int) -> Layer:
    """LSA's M from what was trained: a number, or W_S as a matrix where there are blocks."""
    return (float(parameters[0]),) if blocks == 1 else parameters[: size * size].reshape(size, size)


def _ticks(sweep: Any) -> Iterator[int]:
    """A sweep as so many equal steps."""
    last = 0
    for done in sweep:
        now = done * TICKS // sweep.plan.total
        yield from range(last, now) if now > last else ()
        last = now
