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
from numerics.laws.ends import EndBehaviour, Term, end_behaviour
from numerics.laws.family import Family

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


def families() -> dict[str, Family]:
    """The families of laws in this folder, by name, in alphabetical order."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    found = [module.FAMILY for module in modules if hasattr(module, "FAMILY")]
    return {family.name: family for family in sorted(found, key=lambda family: str(family.name))}
