"""triangular(low, mode, high): the density rises linearly from low to mode and falls linearly to high."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import BetaPiece, LawError
from numerics.laws.family import BaseLaw, Family, Parameter, interval


def build(low: Fraction, mode: Fraction, high: Fraction) -> BaseLaw:
    """The triangular law: a Beta(2, 1) law below the mode and a Beta(1, 2) law above it."""
    interval(low, high)
    if not low <= mode <= high:
        raise LawError(f"mode is {mode}: it must lie between low, {low}, and high, {high}")
    one, two = Fraction(1), Fraction(2)
    rising, falling = (mode - low) / (high - low), (high - mode) / (high - low)
    sides = (BetaPiece(rising, low, mode, a=two, b=one), BetaPiece(falling, mode, high, a=one, b=two))
    return BaseLaw(tuple(side for side in sides if side.mass))


FAMILY = Family(
    "triangular",
    (Parameter("low"), Parameter("mode"), Parameter("high")),
    build,
    example="triangular(1, 2, 4)",
    note="low, mode, high",
)
