"""Numbers of a result as a reader wants them: the digits that are certain, and the doubt in the last one.

Certified numbers arrive as decimals far beyond the range of a float (1e-970),
so everything here works on `decimal.Decimal`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    localcontext,
)
from typing import Any

from reports.results import NotANumberError, bounded

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

    Rationals are rounded to 60 digits.  Raises NotANumberError.
    """
    if value is None:
        return None
    rational = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    try:
        if rational:
            return _CONTEXT.divide(Decimal(rational[1]), Decimal(rational[2]))
        number = bounded(Decimal(repr(value) if isinstance(value, float) else value))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise NotANumberError(f"{value!r} is not a number") from error
    return number if number.is_finite() else None


def is_fraction(text: str) -> bool:
    """Whether it is the text of a rational number that is not whole."""
    return _RATIONAL.fullmatch(text) is not None


def bounds(value: Any) -> tuple[Decimal, Decimal] | None:
    """The ends of a certified number or of a sampled one's interval, a plain number twice; None if null.

    Raises NotANumberError.
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


def outward(value: Any) -> tuple[Decimal, Decimal]:
    """Decimals, of 60 digits, on either side of a certified or exact number.

    Raises NotANumberError, also for null.
    """
    rational = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if rational is None or not int(rational[2]):
        ends = bounds(value)
        if ends is None:
            raise NotANumberError("no number is given")
        return ends
    top, bottom = Decimal(rational[1]), Decimal(rational[2])
    return _rounded(ROUND_FLOOR).divide(top, bottom), _rounded(ROUND_CEILING).divide(top, bottom)


def difference(value: Any, other: Any) -> tuple[Decimal, Decimal]:
    """Decimals on either side of the difference of two certified or exact numbers.

    Raises NotANumberError, also for null.
    """
    (lower, upper), (least, most) = outward(value), outward(other)
    return _rounded(ROUND_FLOOR).subtract(lower, most), _rounded(ROUND_CEILING).subtract(upper, least)


def _rounded(direction: str) -> Context:
    context = _CONTEXT.copy()
    context.rounding = direction
    return context


def log10(number: Decimal) -> float:
    """log10 |number| at any magnitude; -inf at 0."""
    if number.is_zero():
        return -math.inf
    exponent = number.adjusted()
    return exponent + math.log10(abs(float(number.scaleb(-exponent, _CONTEXT))))


def certain_digits(lower: Decimal, upper: Decimal, places: int = 40) -> Digits:
    """The decimals shared by [lower, upper] and a one-digit uncertainty: 0.2809121(2) is 0.2809121 +- 2e-7.

    The printed interval contains [lower, upper] and has at most `places` (<= 60) significant digits;
    a number known exactly has no uncertainty.  Raises NotANumberError if lower > upper.
    """
    if lower > upper:
        raise NotANumberError(f"not an interval: [{lower}, {upper}]")
    with localcontext(_CONTEXT) as context:
        centre, radius = (lower + upper) / 2, (upper - lower) / 2
        if radius.is_zero() and lower.adjusted() - _last_place(lower) < places:
            return _layout(lower, _last_place(lower))
        place = radius.adjusted() if not radius.is_zero() else _last_place(lower)
        if not centre.is_zero():
            place = max(place, centre.adjusted() - places + 1)
        context.rounding = ROUND_CEILING
        while True:
            unit = Decimal(1).scaleb(place)
            rounded = centre.quantize(unit, ROUND_HALF_EVEN)
            doubt = (max(upper - rounded, rounded - lower) / unit).to_integral_value()
            if doubt < 10:
                return _layout(rounded, place, f"({int(doubt)})")
            place += 1


def shared_digits(lower: Decimal, upper: Decimal, places: int = 40) -> Digits | None:
    """The digits in which both ends begin, cut off: ``0.2809...``; none of them is in doubt.

    At most `places`; a number known exactly that has no more is written out, without dots.
    None if the ends share no digit that is not 0.  Raises NotANumberError if lower > upper.
    """
    if lower > upper:
        raise NotANumberError(f"not an interval: [{lower}, {upper}]")
    if lower == upper and lower.adjusted() - _last_place(lower) < places:
        return _layout(lower, _last_place(lower))
    if lower.is_zero() or upper.is_zero() or lower.adjusted() != upper.adjusted():
        return None
    with localcontext(_CONTEXT):
        for place in range(lower.adjusted() - places + 1, lower.adjusted() + 1):
            cut = [end.quantize(Decimal(1).scaleb(place), ROUND_DOWN) for end in (lower, upper)]
            if cut[0] == cut[1]:
                return _layout(cut[0], place, "...")
    return None


def best_digits(lower: Decimal, upper: Decimal, places: int = 40) -> Digits:
    """`shared_digits`; where many more are certain, as of 0.124999 and 0.125000, `certain_digits`."""
    shared, certain = shared_digits(lower, upper, places), certain_digits(lower, upper, places)
    return certain if shared is None or _count(shared) + 3 < _count(certain) else shared


def _count(digits: Digits) -> int:
    """How many digits it shows, without what is in doubt."""
    return sum(char.isdigit() for char in digits.mantissa.partition("(")[0].lstrip("-0."))


def rounded_digits(number: Decimal, places: int = FLOAT_PLACES) -> Digits:
    """`number` to `places` significant digits, with no word about its error."""
    with localcontext(_CONTEXT):
        place = max(_last_place(number), number.adjusted() - places + 1)
        rounded = number.quantize(Decimal(1).scaleb(place))
        return _layout(rounded, _last_place(rounded))


def _last_place(number: Decimal) -> int:
    """The exponent of the last digit that is not a trailing zero."""
    if number.is_zero():
        return 0
    _, digits, exponent = number.as_tuple()
    trailing = next(i for i, digit in enumerate(reversed(digits)) if digit)
    return int(exponent) + trailing


def _layout(number: Decimal, place: int, doubt: str = "") -> Digits:
    """`number`, a multiple of 10**place, written out with the mark of what is in doubt after that place."""
    top = place if number.is_zero() else number.adjusted()
    plain = top in PLAIN_EXPONENTS and (not doubt or place <= 0)
    exponent = 0 if plain else top
    return Digits(f"{number.scaleb(-exponent, _CONTEXT):.{max(0, exponent - place)}f}{doubt}", exponent)
