"""beta(a, b, low=0, high=1): low + (high - low) u with u ~ Beta(a, b)."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import BetaPiece
from numerics.laws.family import BaseLaw, Family, Parameter, interval, positive


def build(a: Fraction, b: Fraction, low: Fraction, high: Fraction) -> BaseLaw:
    """The beta law on [low, high], a, b > 0."""
    return BaseLaw((BetaPiece(Fraction(1), *interval(low, high), a=positive("a", a), b=positive("b", b)),))


FAMILY = Family(
    "beta",
    (
        Parameter("a"),
        Parameter("b"),
        Parameter("low", required=False, default=Fraction(0)),
        Parameter("high", required=False, default=Fraction(1)),
    ),
    build,
    example="beta(2, 5, low=1, high=4)",
)
