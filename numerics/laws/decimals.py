"""Decimal numerals, read exactly and within limits."""

from __future__ import annotations

import re
from fractions import Fraction

from numerics.laws.base import LawError, quoted

DECIMAL = r"(?=\.?[0-9])[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
EXPECTED_NUMBER = "a number such as 2, 0.25, 1e-3 or 1/3"
NOT_FINITE = ("nan", "inf", "infinity")
MAX_DIGITS = 200
MAX_EXPONENT = 100

_DECIMAL = re.compile(DECIMAL)


def read_decimal(text: str) -> tuple[int, int]:
    """(n, e) with n 10^e equal to an unsigned decimal.  Raises LawError if it is none, or out of range."""
    if not _DECIMAL.fullmatch(text):
        raise LawError(f"{quoted(text)} is not {EXPECTED_NUMBER}")
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(whole) + len(fraction) > MAX_DIGITS or len(exponent) > 6:
        raise out_of_range(text)
    digits = int(whole + fraction)
    shift = int(exponent or "0") - len(fraction)
    if digits and abs(shift + len(str(digits)) - 1) > MAX_EXPONENT:
        raise out_of_range(text)
    return digits, shift if digits else 0


def exact(digits: int, shift: int) -> Fraction:
    """The number digits 10^shift."""
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def in_range(number: Fraction) -> bool:
    """Whether a number is 0 or of a size from 10^-100 to 10^100, so that its square is a float64."""
    return not number or Fraction(1, 10**MAX_EXPONENT) <= abs(number) <= 10**MAX_EXPONENT


def out_of_range(text: str) -> LawError:
    """The error for a numeral that is too long, too large or too small."""
    return LawError(
        f"{quoted(text)} is out of range: numbers have at most {MAX_DIGITS} digits "
        f"and lie between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}"
    )
