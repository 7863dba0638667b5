"""Ctrl-C: noted until it can be heeded, so that it ends no run without its result."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupts:
    """Whether Ctrl-C was pressed; a second time it ends the process at once."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if it was."""
        if self.asked:
            raise KeyboardInterrupt

    def _press(self, *_: object) -> None:
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._at_once:
            raise KeyboardInterrupt

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note Ctrl-C inside the block, where this is the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.signal(signal.SIGINT, self._press)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Raise KeyboardInterrupt inside the block as soon as it is pressed."""
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False
