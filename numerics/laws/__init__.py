"""Laws of s = ||m||^2.

A new family of laws is one file in this folder that binds `FAMILY`; nothing else changes.
"""

from __future__ import annotations

from numerics.laws.base import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    Law,
    LawError,
    LawKind,
    Piece,
    SignedPiece,
    SumPiece,
    Window,
)
from numerics.laws.family import Family, families
from numerics.laws.support_ends import EndBehaviour, Term, end_behaviour

__all__ = [
    "Atoms",
    "BetaPiece",
    "Component",
    "CutPiece",
    "EndBehaviour",
    "Family",
    "GammaPiece",
    "Law",
    "LawError",
    "LawKind",
    "Piece",
    "SignedPiece",
    "SumPiece",
    "Term",
    "Window",
    "end_behaviour",
    "families",
]
