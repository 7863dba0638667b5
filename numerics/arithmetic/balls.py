"""Ball arithmetic with a stated precision: conversion, refinement, and outward-rounded decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import wraps
from math import isqrt
from typing import Any, ParamSpec, TypeAlias, TypeVar

from flint import arb, ctx, fmpq

from numerics.errors import PrecisionExhausted

V = TypeVar("V")
P = ParamSpec("P")
Number: TypeAlias = Any
"""A Fraction where it is rational, else an arb; one formula serves both."""

WORKING_BITS = 64
MOMENT_BITS = 1024
"""To which moments are enclosed that are no rational numbers."""


def precise(function: Callable[P, V]) -> Callable[P, V]:
    """A function whose balls are computed to MOMENT_BITS, whatever the working precision."""

    @wraps(function)
    def at_bits(*args: P.args, **kwargs: P.kwargs) -> V:
        with ctx.workprec(max(ctx.prec, MOMENT_BITS)):
            return function(*args, **kwargs)

    return at_bits


def as_ball(number: Number) -> arb:
    """A number as a ball, at the working precision where it is rational."""
    return number if isinstance(number, arb) else ball(number)


def alike(*numbers: Number) -> tuple[Number, ...]:
    """Fractions where all are, else balls."""
    if all(isinstance(number, Fraction) for number in numbers):
        return numbers
    return tuple(map(as_ball, numbers))


def largest(numbers: Sequence[Number]) -> Number:
    """The largest number; of balls, a ball that holds it."""
    found, *others = alike(*numbers)
    for number in others:
        found = found.max(number) if isinstance(found, arb) else max(found, number)
    return found


def rational(value: Fraction | int) -> fmpq:
    """The same rational number for flint."""
    return fmpq(value.numerator, value.denominator)


def ball(value: Fraction | int) -> arb:
    """The ball of a rational number at the working precision."""
    return arb(rational(value))


def power(base: arb, n: int) -> arb:
    """base^n, n >= 0; flint gives nan for a ball about exactly 0, where |base|^n is a bound."""
    value = base**n
    if not value.is_nan() or not base.is_finite():
        return value
    most = base.abs_upper() ** n
    return arb(0, most) if n % 2 else arb(most / 2, most / 2)


def sign(value: arb) -> int | None:
    """The sign that every point of the ball has; None if the ball holds both."""
    if value > 0:
        return 1
    if value < 0:
        return -1
    if value.is_zero():
        return 0
    return None


def precisions(max_bits: int, bits: int = WORKING_BITS) -> Iterator[int]:
    """`bits` and its doublings, the last of them cut to `max_bits`; none where `bits` is more."""
    while bits <= max_bits:
        yield bits
        bits = max_bits if bits < max_bits < 2 * bits else 2 * bits


def decide(
    evaluate: Callable[[], V | None], max_bits: int, bits: int = WORKING_BITS, failure: str = "undecided at"
) -> tuple[V, int]:
    """Evaluate at doubling precision until it is not None; the answer and the bits it took.

    Raises PrecisionExhausted, with the text `failure`, past `max_bits`.
    """
    for precision in precisions(max_bits, bits):
        with ctx.workprec(precision):
            value = evaluate()
        if value is not None:
            return value, precision
    raise PrecisionExhausted(f"{failure} {max_bits} bits")


def refine(
    evaluate: Callable[[], arb],
    good: Callable[[arb], bool],
    max_bits: int,
    bits: int = WORKING_BITS,
) -> tuple[arb, int]:
    """Evaluate at doubling precision until `good`; the ball and the bits it took.

    Raises PrecisionExhausted past `max_bits`.

    >>> value, bits = refine(lambda: arb(2).sqrt() - arb(2).sqrt().floor(), relative(30), 1024)
    >>> decimal_bounds(value, 10), bits
    (('0.4142135623', '0.4142135624'), 128)
    """
    return decide(lambda: value if good(value := evaluate()) else None, max_bits, bits)


def relative(digits: int) -> Callable[[arb], bool]:
    """Whether a ball is narrow enough for this many significant decimals."""
    bits = int(digits * 3.3219281) + 4
    return lambda value: value.is_zero() or bool(value.rel_accuracy_bits() >= bits)


def dyadic(value: arb) -> Fraction:
    """The exact midpoint of a ball."""
    middle = value.mid().fmpq()
    return Fraction(int(middle.p), int(middle.q))


def ends(value: arb) -> tuple[Fraction, Fraction]:
    """The two ends of a ball, exactly, whatever the working precision.

    Raises ValueError for a ball that is not finite.
    """
    if not value.is_finite():
        raise ValueError("an infinite enclosure has no ends")
    middle, radius = dyadic(value), dyadic(value.rad())
    return middle - radius, middle + radius


def decimal_bounds(value: arb, digits: int | None = None) -> tuple[str, str]:
    """Decimals below and above every point of the ball, `digits` significant ones each.

    Without `digits`: two more than the ball determines, at least 3, at most 60.
    Raises ValueError for a ball that is not finite.
    """
    lower, upper = ends(value)
    if digits is None:
        digits = max(3, min(60, int(max(value.rel_accuracy_bits(), 0) * 0.30103) + 2))
    return decimal(lower, digits, up=False), decimal(upper, digits, up=True)


def decimal(value: Fraction, digits: int, *, up: bool) -> str:
    """A rational number as a decimal of `digits` significant digits, rounded up or down.

    Without an exponent where that is short.

    >>> decimal(Fraction(2, 7), 5, up=False), decimal(Fraction(2, 7), 5, up=True)
    ('0.28571', '0.28572')
    """
    if value == 0:
        return "0"
    context = Context(digits, ROUND_CEILING if up else ROUND_FLOOR, MIN_EMIN, MAX_EMAX)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    return f"{rounded:f}" if -5 <= rounded.adjusted() <= 20 else f"{rounded:e}".replace("e+", "e")


def _square_root(value: Fraction) -> Fraction | None:
    """The rational square root; None if there is none."""
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root**2 == value else None


def unsquared_weight(m_lo: Fraction, m_hi: Fraction, bits: int = 256) -> tuple[Fraction, Fraction]:
    """2/(2 + sqrt(m_lo) + sqrt(m_hi)) between two rational numbers; exact where the roots are."""
    low, high = _square_root(m_lo), _square_root(m_hi)
    if low is not None and high is not None:
        exact = 2 / (2 + low + high)
        return exact, exact
    with ctx.workprec(bits):
        return ends(2 / (2 + ball(m_lo).sqrt() + ball(m_hi).sqrt()))
