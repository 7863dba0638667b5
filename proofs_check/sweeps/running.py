"""Tasks out to processes, outcomes into the store."""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from functools import partial
from itertools import islice

from numerics.processes import ChildDied
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.store import Store
from proofs_check.sweeps.tasks import Outcome, Task, failed

AHEAD = 256
"""Tasks that are given out before their outcomes are stored: they and no others are in memory twice."""

Finished = tuple[Task, "Future[Outcome]"]


def missing(tasks: Iterable[Task], store: Store, *, retry: bool = False) -> list[Task]:
    """The tasks without an outcome in the store; with `retry` also those that failed."""
    there = store.addresses(with_failed=not retry)
    return [task for task in tasks if task.address not in there]


def run_tasks(
    tasks: Iterable[Task], perform: Callable[[Task], Outcome], store: Store, executor: Executor
) -> Generator[tuple[Task, Outcome]]:
    """The tasks with their outcomes, as they end and after they are stored.

    What has ended is stored also when the loop is left early; what has not is dropped.
    Raises UsageError for an executor that breaks, or whose processes differ from this one.
    """
    if isinstance(executor, ThreadPoolExecutor):
        raise UsageError("executor: threads would take turns; give one of processes")
    finished: queue.SimpleQueue[Finished] = queue.SimpleQueue()
    waiting: set[Future[Outcome]] = set()
    coming = iter(tasks)
    try:
        while True:
            for task in islice(coming, AHEAD - len(waiting)):
                future = executor.submit(perform, task)
                waiting.add(future)
                future.add_done_callback(partial(_note, finished, task))
            if not waiting:
                return
            ended = [finished.get(), *_at_hand(finished)]
            waiting -= {future for _, future in ended}
            yield from _stored(ended, store)
    finally:
        for future in waiting:
            future.cancel()
        _stored([(task, future) for task, future in _at_hand(finished) if _succeeded(future)], store)


def _note(finished: queue.SimpleQueue[Finished], task: Task, future: Future[Outcome]) -> None:
    finished.put((task, future))


def _at_hand(finished: queue.SimpleQueue[Finished]) -> list[Finished]:
    """What need not be waited for."""
    found = []
    while True:
        try:
            found.append(finished.get_nowait())
        except queue.Empty:
            return found


def _succeeded(future: Future[Outcome]) -> bool:
    return not future.cancelled() and future.exception() is None


def _stored(ended: list[Finished], store: Store) -> list[tuple[Task, Outcome]]:
    """The outcomes, once they are in the store: many short tasks in one transaction."""
    found = []
    try:
        for task, future in ended:
            found.append((task, _outcome(future)))
    finally:
        if found:
            store.add((task.address, outcome) for task, outcome in found)
    return found


def _outcome(future: Future[Outcome]) -> Outcome:
    """Raises UsageError."""
    try:
        return future.result()
    except ChildDied as error:
        return failed(str(error))
    except (BrokenExecutor, CancelledError) as error:
        why = str(error) or "its tasks were cancelled"
        raise UsageError(f"executor: {why}; run again to do what is missing") from error
