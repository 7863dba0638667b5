"""The law of a sum of independent squared norms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from numerics.laws.base import Law, LawError
from numerics.laws.components import Atoms, Component, SumPiece, merged, moved

MAX_ATOMS = 250_000
MAX_PIECES = 1000


def sum_of(*laws: Law) -> Law:
    """The law of the sum of independent ones.  Raises LawError where it has too many components."""
    components = laws[0].components
    for law in laws[1:]:
        pairs = [(p, q) for p in components for q in law.components]
        components = merged(component for p, q in pairs for component in _sums(p, q))
        if len(components) > MAX_PIECES:
            raise LawError(
                f"the sum of the laws has {len(components)} pieces: it must have at most {MAX_PIECES}"
            )
    files = tuple(dict.fromkeys(file for law in laws for file in law.files))
    return Law("modalities", tuple(text for law in laws for text in law.texts), components, laws, files)


def _sums(p: Component, q: Component) -> Iterator[Component]:
    if isinstance(q, Atoms):
        p, q = q, p
    if isinstance(q, Atoms):
        assert isinstance(p, Atoms)
        yield _convolution(p, q)
    elif isinstance(p, Atoms):
        if len(p.values) > MAX_PIECES:
            raise LawError(
                f"the sum of {len(p.values)} atoms and a density has as many pieces: "
                f"it must have at most {MAX_PIECES}"
            )
        for value, mass in zip(p.values, p.masses, strict=True):
            yield replace(moved(q, value), mass=mass * q.mass)
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
