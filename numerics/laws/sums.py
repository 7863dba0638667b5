"""The law of a sum of two independent squared norms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from numerics.laws.base import Law, LawError
from numerics.laws.components import Atoms, Component, SumPiece, merged

MAX_ATOMS = 250_000
MAX_PIECES = 1000


def sum_of(first: Law, second: Law) -> Law:
    """The law of s = p + q, independent.  Raises LawError where that has too many components."""
    pairs = [(p, q) for p in first.components for q in second.components]
    components = merged(component for p, q in pairs for component in _sums(p, q))
    files = tuple(dict.fromkeys(first.files + second.files))
    return Law("modalities", first.texts + second.texts, components, (first, second), files)


def _sums(p: Component, q: Component) -> Iterator[Component]:
    if isinstance(q, Atoms):
        p, q = q, p
    if isinstance(q, Atoms):
        assert isinstance(p, Atoms)
        yield _convolution(p, q)
    elif isinstance(q, SumPiece) or isinstance(p, SumPiece):
        raise TypeError("the sum of three densities is not a component")
    elif isinstance(p, Atoms):
        if len(p.values) > MAX_PIECES:
            raise LawError(
                f"the sum of {len(p.values)} atoms and a density has as many pieces: "
                f"it must have at most {MAX_PIECES}"
            )
        for value, mass in zip(p.values, p.masses, strict=True):
            yield replace(q, mass=mass * q.mass, shift=q.shift + value)
    else:
        one = Fraction(1)
        yield SumPiece(p.mass * q.mass, replace(p, mass=one), replace(q, mass=one))


def _convolution(p: Atoms, q: Atoms) -> Atoms:
    if len(p.values) * len(q.values) > MAX_ATOMS:
        raise LawError(
            f"the sum of laws with {len(p.values)} and {len(q.values)} atoms has their product of atoms: "
            f"it must have at most {MAX_ATOMS}"
        )
    unit_p, unit_q = p.scaled.value_unit, q.scaled.value_unit
    masses: dict[int, int] = {}
    for value_p, mass_p in zip(p.scaled.values, p.scaled.masses, strict=True):
        for value_q, mass_q in zip(q.scaled.values, q.scaled.masses, strict=True):
            value = value_p * unit_q + value_q * unit_p
            masses[value] = masses.get(value, 0) + mass_p * mass_q
    value_unit, mass_unit = unit_p * unit_q, p.scaled.mass_unit * q.scaled.mass_unit
    values = sorted(masses)
    return Atoms(
        tuple(Fraction(value, value_unit) for value in values),
        tuple(Fraction(masses[value], mass_unit) for value in values),
    )
