"""Powers and logarithms on integers over a power of 2: `theory/formal/Computed.v`, `Logarithm.v`."""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.formal.coq import FormalError

PRECISIONS = tuple(1 << k for k in range(6, 16))
"""In binary places, tried in turn."""


def precision(name: str, holds: Callable[[int], bool]) -> int:
    """The least of PRECISIONS at which a check comes out true.  Raises FormalError."""
    for bits in PRECISIONS:
        if holds(bits):
            return bits
    raise FormalError(f"{name}: not decided on integers of {PRECISIONS[-1]} binary places")


def power(x: int, n: int, bits: int, up: int) -> int:
    """x^n of numbers over 2^bits, in the order of Computed.power, each product rounded down, plus `up`."""
    if n == 1:
        return x
    half = power(x, n // 2, bits, up)
    square = (half * half >> bits) + up
    return square if n % 2 == 0 else (x * square >> bits) + up


def ln_down(bits: int, terms: int, a: int, b: int) -> int:
    """2^bits ln(b/a), rounded down, 0 < a <= b: so many terms of y + y^3/3 + ..., y = (b - a)/(b + a)."""
    u, v = b - a, b + a
    power_of_y, total = (u << bits) // v, 0
    for k in range(1, 2 * terms, 2):
        total += power_of_y // k
        power_of_y = power_of_y * u * u // (v * v)
    return 2 * total


def ln_up(bits: int, terms: int, a: int, b: int) -> int:
    """The same rounded up, with a bound on what the terms leave out."""
    u, v = b - a, b + a
    power_of_y, total = (u << bits) // v + 1, 0
    for k in range(1, 2 * terms, 2):
        total += power_of_y // k + 1
        power_of_y = power_of_y * u * u // (v * v) + 1
    rest = power_of_y * v * v // ((2 * terms + 1) * (v * v - u * u)) + 1
    return 2 * (total + rest)
