"""A sweep: its rows, its memory, its processes, its interruption."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import psutil
import pytest
import threadpoolctl

from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import LSA, LeastSquares, Model, SampleMean, Softmax
from numerics.simulation.arrays import MemoryBudgetError, SimulationInputError, load_backend
from numerics.simulation.attention import LSAWeights
from numerics.simulation.estimators import Accumulator
from numerics.simulation.prompts import PromptSource
from numerics.simulation.sweep import Sweep, SweepPlan
from tests.numerics.simulation.routes import one_parameter_stack

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
NUMPY = load_backend()
ALPHA = 2 / 7


def plan(models: Sequence[Model], memory: int = 10**9) -> SweepPlan:
    source = PromptSource(UNIFORM, (3, 2), seed=2)
    return SweepPlan(source, [(3, 2), (4,)], [10, 20], 300, lambda _, __: models, NUMPY, memory)


@pytest.mark.usefixtures("library")
def test_rows_of_a_sweep() -> None:
    sweep = Sweep(plan([one_parameter_stack({1: ALPHA, 3: ALPHA}), SampleMean()]))
    assert not sweep.complete
    assert list(sweep) == [300, 600, 900, 1200]
    assert sweep.complete
    rows = sweep.rows()
    assert [(row.model, row.depth) for row in rows[:3]] == [
        ("one_parameter", 1),
        ("one_parameter", 3),
        ("sample_mean", None),
    ]
    assert [(row.dims, row.context) for row in rows[::3]] == [
        ((3, 2), 10),
        ((3, 2), 20),
        ((4,), 10),
        ((4,), 20),
    ]
    assert all(row.complete and row.excess.samples == 300 for row in rows)
    # A second run starts afresh and finds the same.
    list(sweep)
    assert sweep.rows() == rows


def test_rows_depend_neither_on_the_budget_nor_on_the_processes() -> None:
    """To the last digit: the same chunks are merged in the same order."""
    models: list[Model] = [
        one_parameter_stack({T: ALPHA - T / 1e4 for T in range(1, 70)}),
        LSA(LSAWeights(0.2)),
    ]
    long = replace(plan(models), prompts=10_000)
    expected = Sweep(long)
    assert list(expected)[:4] == [4096, 8192, 10_000, 14_096]
    found = Sweep(replace(long, memory=3 * 10**8), jobs=3)
    assert list(found) == list(expected)
    assert found.rows() == expected.rows()


def test_another_order_of_the_chunks_would_be_seen() -> None:
    """The last digits depend on it, so that equal rows say something."""
    values = np.random.default_rng(0).lognormal(0, 2, (20, 1, 1000))
    first, second = Accumulator(), Accumulator()
    for one, other in zip(values, values[::-1], strict=True):
        first.add(one)
        second.add(other)
    assert first.estimate() != second.estimate()
    assert first.estimate().mean == pytest.approx(second.estimate().mean, rel=1e-14)


@pytest.mark.parametrize("tokens", [False, True])
def test_peak_memory_of_a_sweep_stays_within_its_budget(tokens: bool) -> None:
    models: list[Model] = [one_parameter_stack({t: ALPHA / t for t in range(1, 17)}), LeastSquares()]
    if tokens:
        models.append(Softmax({4: (0.1, 0.1)}))
    budget, source = 40_000_000, PromptSource(UNIFORM, (16,))
    plan = SweepPlan(source, [(16,)], [500], 6000, lambda _, __: models, NUMPY, budget)
    tracemalloc.start()
    steps = len(list(Sweep(plan)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert steps > 1
    assert peak <= budget


class Interrupting(SampleMean):
    """Fails like Ctrl-C after some chunks."""

    batches: ClassVar[list[int]] = []

    def excess(self, batch):  # type: ignore[no-untyped-def]
        self.batches.append(batch.statistics.context)
        if len(self.batches) == 5:
            raise KeyboardInterrupt
        return super().excess(batch)


@pytest.mark.usefixtures("library")
def test_an_interrupted_sweep_keeps_its_rows() -> None:
    Interrupting.batches.clear()
    sweep = Sweep(replace(plan([one_parameter_stack({1: ALPHA}), Interrupting()]), prompts=10_000))
    with pytest.raises(KeyboardInterrupt):
        list(sweep)
    rows = sweep.rows()
    assert not sweep.complete
    assert 0 < sweep.done < sweep.plan.total
    assert any(row.excess.samples < 10_000 and not row.complete for row in rows)
    assert all(row.excess.mean is not None for row in rows)


def test_what_is_left_is_broken_off() -> None:
    """Whoever stops listening has the rows of whole chunks, and no process is left."""
    sweep = Sweep(replace(plan([SampleMean()]), prompts=10**7), jobs=2)
    before = psutil.Process().children()
    for done in sweep:
        assert done % 4096 == 0
        break
    assert all(row.excess.samples == 4096 for row in sweep.rows())
    assert psutil.Process().children() == before


class Threads(SampleMean):
    """Notes in how many threads linear algebra runs."""

    seen: ClassVar[set[int]] = set()

    def excess(self, batch):  # type: ignore[no-untyped-def]
        found = threadpoolctl.threadpool_info()
        self.seen.update(pool["num_threads"] for pool in found if pool["user_api"] == "blas")
        return super().excess(batch)


@pytest.mark.usefixtures("library")
def test_linear_algebra_runs_in_one_thread() -> None:
    before = threadpoolctl.threadpool_info()
    list(Sweep(plan([Threads()])))
    assert Threads.seen == {1}
    assert threadpoolctl.threadpool_info() == before


def test_no_memory_for_a_chunk_in_every_process() -> None:
    wanted = plan([one_parameter_stack({1: ALPHA})], 10**7)
    list(Sweep(wanted))
    with pytest.raises(MemoryBudgetError, match=r"a chunk \(300 prompts .*, there are 200 kB for it"):
        list(Sweep(wanted, jobs=50))


@pytest.mark.usefixtures("library")
def test_two_models_of_one_name() -> None:
    with pytest.raises(SimulationInputError, match="same name"):
        list(Sweep(plan([SampleMean(), SampleMean()])))
