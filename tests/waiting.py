"""Waiting for signs of life: never for a time, which would depend on the machine."""

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a program is broken, not slow."""


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for a sign of life; the limit is there for a broken program only."""
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, "no sign of life"
        time.sleep(0.02)
