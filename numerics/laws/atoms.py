"""atoms({value: mass, ...}): finitely many values, whose masses add up to 1."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import Atoms, LawError
from numerics.laws.family import BaseLaw, Family, Masses, Parameter, non_negative, positive


def build(masses: Masses) -> BaseLaw:
    """The law with these values and masses.

    Raises LawError for no value, a negative or repeated one, a mass <= 0, or masses that miss 1.
    """
    if not masses:
        raise LawError(f"atoms has no value: write {FAMILY.example}")
    seen: set[Fraction] = set()
    for value, mass in masses:
        non_negative("a value of atoms", value)
        positive(f"the mass of {value}", mass)
        if value in seen:
            raise LawError(f"the value {value} is given twice: add its masses up")
        seen.add(value)
    total = sum(mass for _, mass in masses)
    if total != 1:
        raise LawError(f"the masses add up to {total}: they must add up to 1")
    values, weights = zip(*sorted(masses), strict=True)
    return BaseLaw((Atoms(values, weights),))


FAMILY = Family(
    "atoms", (Parameter("masses", "masses"),), build, example="atoms({1: 1/3, 4: 2/3})", note="value: mass"
)
