"""The theorems there are: one a file of `proofs_check/theorems/`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from proofs_check.engine.plan import UsageError

if TYPE_CHECKING:
    from proofs_check.engine.claims import Theorem

THEOREMS = "proofs_check.theorems"
READING_ORDER = (
    "latent_factor_model",
    "theorem_4_1",
    "theorem_6_2",
    "theorem_6_3",
    "depth_minimax",
    "skip_ablation",
)


def theorem_names(package: str = THEOREMS) -> list[str]:
    """The modules of the package in reading order; those that it does not name come last."""
    folder = importlib.import_module(package).__path__
    names = [module.name for module in pkgutil.iter_modules(folder) if not module.name.startswith("_")]
    order = {name: position for position, name in enumerate(READING_ORDER)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def load_theorem(name: str, package: str = THEOREMS) -> Theorem:
    """The theorem of this name.  Raises UsageError if there is none."""
    if name not in (known := theorem_names(package)):
        raise unknown_theorem(name, known)
    theorem: Theorem = importlib.import_module(f"{package}.{name}").THEOREM
    if theorem.name != name:
        raise ValueError(f"{package}.{name} binds a theorem named {theorem.name}")
    return theorem


def unknown_theorem(name: str, known: Iterable[str]) -> UsageError:
    """The error for a word that is not among those known."""
    known = list(known)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"
    return UsageError(f"THEOREM {name[:60]!a}: unknown; {hint}")
