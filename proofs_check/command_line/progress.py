"""Progress bars on a terminal, for work that lasts."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")


@dataclass
class _Bar:
    description: str
    total: int | None
    done: int = 0
    task: TaskID | None = None


class TerminalProgress:
    """Rich bars on standard error, one for each loop under way, from `delay` seconds on.

    A context manager; outside of it nothing is shown.
    """

    def __init__(self, delay: float = 1.0) -> None:
        self._lock = threading.RLock()
        self._bars: list[_Bar] = []
        self._display: Progress | None = None
        self._closed = False
        self._timer = threading.Timer(delay, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._display is not None:
                self._display.stop()

    def track(self, items: Iterable[T], description: str, total: int | None = None) -> Generator[T]:
        """Yield the items, showing how far it is."""
        if total is None and isinstance(items, Sized):
            total = len(items)
        bar = _Bar(description, total)
        with self._lock:
            self._bars.append(bar)
            self._draw(bar)
        try:
            for item in items:
                yield item
                with self._lock:
                    bar.done += 1
                    self._draw(bar)
        finally:
            with self._lock:
                self._bars.remove(bar)
                if self._display is not None and bar.task is not None:
                    self._display.remove_task(bar.task)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bars away while the block prints on the same terminal."""
        with self._lock:
            if self._display is not None:
                self._display.stop()
            try:
                yield
            finally:
                if self._display is not None:
                    self._display.start()

    def _show(self) -> None:
        # Loading Rich takes longer than most runs, so it waits until there is something to show.
        from rich.console import Console
        from rich.progress import Progress

        with self._lock:
            if self._closed:
                return
            console = Console(file=sys.stderr)
            self._display = Progress(
                console=console, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._display.start()
            for bar in self._bars:
                self._draw(bar)

    def _draw(self, bar: _Bar) -> None:
        if self._display is None or self._closed:
            return
        if bar.task is None:
            bar.task = self._display.add_task(bar.description, total=bar.total)
        self._display.update(bar.task, completed=bar.done)
