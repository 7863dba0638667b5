"""uniform(low, high): the uniform law on [low, high], 0 <= low < high."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import BetaPiece
from numerics.laws.family import BaseLaw, Family, Parameter, interval


def build(low: Fraction, high: Fraction) -> BaseLaw:
    """The uniform law on [low, high]."""
    one = Fraction(1)
    return BaseLaw((BetaPiece(one, *interval(low, high), a=one, b=one),))


FAMILY = Family("uniform", (Parameter("low"), Parameter("high")), build, example="uniform(1, 4)")
