"""The process that a run is in: what it is made of, what libraries keep for it, and Ctrl-C."""

from __future__ import annotations

import decimal
import gc
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numerics.laws import Law
    from reports.results import Environment

DISTRIBUTION = "proofs-check"
EXACT_NUMBERS = 2**53
"""Up to here every reader of JSON keeps a whole number."""
COMPUTING = ("sympy", "python-flint", "mpmath", "numpy", "scipy")
COLLECTED_AFTER = 500_000
"""New objects between two passes of the garbage collector; a default run makes some 200,000."""
PRECISION = 53
"""Bits of the balls that no code asks another precision for; mpmath's too."""
WARNINGS: Any = "ignore"
"""What becomes of warnings: they are no outcome.  The tests make errors of them."""
_FLINT = {"prec": PRECISION, "cap": 10, "threads": 1, "unicode": False, "pretty": True}
_MPMATH = {"prec": PRECISION, "trap_complex": False, "pretty": False}
_FLOATS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_DECIMAL = decimal.Context(
    prec=28,
    rounding=decimal.ROUND_HALF_EVEN,
    Emin=-999999,
    Emax=999999,
    capitals=1,
    clamp=0,
    flags=[],
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
# Flint's and mpmath's precision, and warnings, are the process's: two threads would take turns at them.
_turn = threading.RLock()


def own_version() -> str:
    """The version of this package; ``0+unknown`` for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+unknown"


def describe_environment(seed: int, law: Law) -> Environment:
    """Python, the packages that computed, the seed, and the SHA-256 of each file that the law read."""
    import platform
    from importlib.metadata import version

    from reports.results import Environment

    packages = {DISTRIBUTION: own_version()} | {name: version(name) for name in COMPUTING}
    kept = seed if seed <= EXACT_NUMBERS else str(seed)
    return Environment(
        platform.python_version(), packages, kept, {file.path: file.sha256 for file in law.files}
    )


@contextmanager
def own_state() -> Iterator[None]:
    """Inside, the same in every process; another thread that comes waits its turn.

    Flint, mpmath, NumPy's errors, decimal, warnings, and how long a number may be as text.
    """
    import flint
    import mpmath
    import numpy as np

    with _turn, ExitStack() as stack:
        stack.enter_context(_attributes(flint.ctx, _FLINT))
        stack.enter_context(_attributes(mpmath.mp, _MPMATH))
        stack.enter_context(np.errstate(**_FLOATS))  # type: ignore[arg-type]
        stack.enter_context(decimal.localcontext(_DECIMAL))
        stack.enter_context(warnings.catch_warnings())
        warnings.resetwarnings()
        warnings.simplefilter(WARNINGS)
        stack.enter_context(long_numbers())
        yield


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Fewer passes of the garbage collector: over libraries that load they take a twentieth of a run."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def long_numbers() -> Iterator[None]:
    """A number may have any length as text: laws with hundreds of denominators have such moments."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


@contextmanager
def _attributes(of: Any, values: Mapping[str, Any]) -> Iterator[None]:
    before = {name: getattr(of, name) for name in values}
    try:
        for name, value in values.items():
            setattr(of, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(of, name, value)


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
