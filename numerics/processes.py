"""Work in several processes, whose results come in the order of the work."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

T = TypeVar("T")
R = TypeVar("R")

POLL = 0.2
"""Seconds."""

AHEAD = 2
"""Pieces of work a process that are given out before their results are asked for."""


class Processes:
    """So many processes, this one alone if it is 1; to be used in a `with` statement.

    What is left undone at the end, after Ctrl-C say, is broken off.
    given: an executor that has the processes, and is left open; what is left undone there is cancelled.
    """

    def __init__(self, jobs: int, given: Executor | None = None) -> None:
        self.jobs, self._given = jobs, given
        self._executor = given

    def __enter__(self) -> Self:
        if self._given is None and self.jobs > 1:
            self._others = set(multiprocessing.active_children())
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self.jobs, context, initializer=_deaf)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is None or self._given is not None:
            return
        if kind is not None:
            # A process at work would otherwise be waited for.
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._executor.shutdown(cancel_futures=True)
        self._executor = None

    def in_order(
        self, work: Callable[[T], R], items: Iterable[T], waiting_for: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[T, R]]:
        """(item, its result), in the order of the items, which are made when there is room for them.

        waiting_for: called now and then where a result is waited for; may raise.
        """
        if self._executor is None:
            for item in items:
                yield item, work(item)
            return
        waiting: deque[tuple[T, Future[R]]] = deque()
        try:
            for item in items:
                with interrupts_held():
                    waiting.append((item, self._executor.submit(work, item)))
                if len(waiting) >= AHEAD * self.jobs:
                    first, future = waiting.popleft()
                    yield first, _result(future, waiting_for)
            while waiting:
                first, future = waiting.popleft()
                yield first, _result(future, waiting_for)
        finally:
            for _, future in waiting:
                future.cancel()


def _result(future: Future[R], waiting_for: Callable[[], None]) -> R:
    while not wait([future], POLL).done:
        waiting_for()
    return future.result()


def _deaf() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; the parent alone answers to it, after this block.

    Processes started in the block are deaf to it from their first moment on.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
