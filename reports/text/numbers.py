"""Numbers of a result as a reader wants them: the digits that are certain, and the doubt in the last one.

Certified numbers arrive as decimals far beyond the range of a float (1e-970),
so everything here works on `decimal.Decimal`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, localcontext
from typing import Any

# Numbers of these orders of magnitude are written without a power of ten.
PLAIN_EXPONENTS = range(-4, 7)
FLOAT_PLACES = 6

_CONTEXT = Context(prec=60, Emax=10**12, Emin=-(10**12))
_RATIONAL = re.compile(r"\s*([+-]?\d+)\s*/\s*(\d+)\s*")


@dataclass(frozen=True)
class Digits:
    """A number as text: `mantissa` (with its uncertainty in parentheses) times ten to `exponent`."""

    mantissa: str
    exponent: int = 0

    @property
    def plain(self) -> str:
        """For a terminal: ``1.27(1)e-97``."""
        return f"{self.mantissa}e{self.exponent}" if self.exponent else self.mantissa

    @property
    def latex(self) -> str:
        r"""For math mode: ``1.27(1) \times 10^{-97}``."""
        return rf"{self.mantissa} \times 10^{{{self.exponent}}}" if self.exponent else self.mantissa


def decimal(value: Any) -> Decimal | None:
    """A finite number, decimal text or rational text as a Decimal; None for null, NaN and infinities.

    Rationals are rounded to 60 digits.  Raises ValueError for what is no number.
    """
    if value is None:
        return None
    rational = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    try:
        if rational:
            return _CONTEXT.divide(Decimal(rational[1]), Decimal(rational[2]))
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except (InvalidOperation, TypeError, ValueError) as error:
        raise ValueError(f"{value!r} is not a number") from error
    return number if number.is_finite() else None


def bounds(value: Any) -> tuple[Decimal, Decimal] | None:
    """The ends of a certified number or of a sampled one's interval, a plain number twice; None if null.

    Raises ValueError for what is no number.
    """
    if not isinstance(value, dict):
        number = decimal(value)
        return None if number is None else (number, number)
    ends = ("lower", "upper") if "lower" in value else ("low", "high")
    lower, upper = (decimal(value.get(end)) for end in ends)
    return None if lower is None or upper is None else (lower, upper)


def middle(value: Any) -> Decimal | None:
    """The number to draw for `value`: its mean, or the middle of its bounds; None if null."""
    if isinstance(value, dict) and "mean" in value:
        return decimal(value["mean"])
    ends = bounds(value)
    return None if ends is None else _CONTEXT.divide(_CONTEXT.add(*ends), Decimal(2))


def log10(number: Decimal) -> float:
    """log10 |number| at any magnitude; -inf at 0."""
    if number.is_zero():
        return -math.inf
    exponent = number.adjusted()
    return exponent + math.log10(abs(float(number.scaleb(-exponent, _CONTEXT))))


def certain_digits(lower: Decimal, upper: Decimal, places: int = 40) -> Digits:
    """The decimals shared by [lower, upper] and a one-digit uncertainty: 0.2809121(2) is 0.2809121 +- 2e-7.

    The printed interval contains [lower, upper] and has at most `places` (<= 60) significant digits;
    a number known exactly has no uncertainty.  Raises ValueError if lower > upper.
    """
    if lower > upper:
        raise ValueError(f"not an interval: [{lower}, {upper}]")
    with localcontext(_CONTEXT) as context:
        centre, radius = (lower + upper) / 2, (upper - lower) / 2
        if radius.is_zero() and lower.adjusted() - _last_place(lower) < places:
            return _layout(lower, _last_place(lower), None)
        place = radius.adjusted() if not radius.is_zero() else _last_place(lower)
        if not centre.is_zero():
            place = max(place, centre.adjusted() - places + 1)
        context.rounding = ROUND_CEILING
        while True:
            unit = Decimal(1).scaleb(place)
            rounded = centre.quantize(unit, ROUND_HALF_EVEN)
            doubt = (max(upper - rounded, rounded - lower) / unit).to_integral_value()
            if doubt < 10:
                return _layout(rounded, place, int(doubt))
            place += 1


def rounded_digits(number: Decimal, places: int = FLOAT_PLACES) -> Digits:
    """`number` to `places` significant digits, with no word about its error."""
    with localcontext(_CONTEXT):
        place = max(_last_place(number), number.adjusted() - places + 1)
        rounded = number.quantize(Decimal(1).scaleb(place))
        return _layout(rounded, _last_place(rounded), None)


def _last_place(number: Decimal) -> int:
    """The exponent of the last digit that is not a trailing zero."""
    if number.is_zero():
        return 0
    _, digits, exponent = number.as_tuple()
    trailing = next(i for i, digit in enumerate(reversed(digits)) if digit)
    return int(exponent) + trailing


def _layout(number: Decimal, place: int, doubt: int | None) -> Digits:
    """`number`, a multiple of 10**place, written out with its doubt in units of that place."""
    top = place if number.is_zero() else number.adjusted()
    plain = top in PLAIN_EXPONENTS and (doubt is None or place <= 0)
    exponent = 0 if plain else top
    text = f"{number.scaleb(-exponent, _CONTEXT):.{max(0, exponent - place)}f}"
    return Digits(text if doubt is None else f"{text}({doubt})", exponent)
