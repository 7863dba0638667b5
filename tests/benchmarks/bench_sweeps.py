"""The cost of handing in an empty task and storing its outcome, among 10^2 to 10^4, here and through Dask."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from numerics.processes import Children
from proofs_check.sweeps.running import run_tasks
from proofs_check.sweeps.store import Store
from proofs_check.sweeps.tasks import Outcome, Task
from tests.proofs_check.sweeps import grids

SIZES = (100, 1_000, 10_000)
GROWTH = 1.5
"""The cost of a task among 10^4 over that among 10^3; among 10^2 the start still shows."""


def empty(task: Task) -> Outcome:
    """Nothing, done."""
    return Outcome(0, "verified", "", b"", 0.0)


@pytest.fixture(params=["children", "dask"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    """Two processes, warm."""
    if request.param == "dask":
        pytest.importorskip("distributed")
        from proofs_check.sweeps.cluster import connect

        made: Executor = connect("local", 2)
    else:
        made = Children(2)
    (task,) = grids.tasks(1)
    for future in [made.submit(empty, task) for _ in range(8)]:
        future.result()
    yield made
    made.shutdown(cancel_futures=True)


@pytest.mark.usefixtures("quiet_machine")
def test_a_task_costs_the_same_among_many(executor: Executor, tmp_path: Path) -> None:
    (task,) = grids.tasks(1)
    cost, memory = {}, {}
    for size in SIZES:
        tasks = [replace(task, address=f"{size}-{number}") for number in range(size)]
        with Store.writing(tmp_path / f"{size}.db") as store:
            begun = time.perf_counter()
            store.plan("empty", tasks)
            for _ in run_tasks(tasks, empty, store, executor):
                pass
            cost[size] = (time.perf_counter() - begun) / size
        memory[size] = psutil.Process().memory_info().rss / 2**20
        print(f"{size} tasks: {1e3 * cost[size]:.2f} ms each, {memory[size]:.0f} MiB")
    assert cost[10_000] <= GROWTH * cost[1_000]
    assert memory[10_000] - memory[1_000] < 64
