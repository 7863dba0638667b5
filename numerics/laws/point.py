"""point(value): one value with probability 1."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import Atoms
from numerics.laws.family import BaseLaw, Family, Parameter, non_negative


def build(value: Fraction) -> BaseLaw:
    """The law of a constant."""
    return BaseLaw((Atoms((non_negative("value", value),), (Fraction(1),)),))


FAMILY = Family("point", (Parameter("value"),), build, example="point(2)", note="a constant")
