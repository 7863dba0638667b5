"""Laws of s = ||m||^2.

A new family of laws is one file in this folder that binds `FAMILY`; nothing else changes.
"""

from __future__ import annotations

import importlib
import pkgutil

from numerics.laws.base import (
    Atoms,
    BetaPiece,
    Component,
    GammaPiece,
    Law,
    LawError,
    LawKind,
    Piece,
    SumPiece,
)
from numerics.laws.family import Family
from numerics.laws.support_ends import EndBehaviour, Term, end_behaviour

__all__ = [
    "Atoms",
    "BetaPiece",
    "Component",
    "EndBehaviour",
    "Family",
    "GammaPiece",
    "Law",
    "LawError",
    "LawKind",
    "Piece",
    "SumPiece",
    "Term",
    "end_behaviour",
    "families",
]


NOT_FAMILIES = {"discretise", "mass_bounds"}
"""Modules of this folder that load NumPy or flint: reading a law must stay cheap."""


def families() -> dict[str, Family]:
    """The families of laws in this folder, by name, in alphabetical order."""
    names = [found.name for found in pkgutil.iter_modules(__path__) if found.name not in NOT_FAMILIES]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    found = [module.FAMILY for module in modules if hasattr(module, "FAMILY")]
    return {family.name: family for family in sorted(found, key=lambda family: str(family.name))}
