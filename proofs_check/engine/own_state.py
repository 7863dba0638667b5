"""What libraries keep for the whole process: as we need it while we compute, and put back."""

from __future__ import annotations

import decimal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

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
