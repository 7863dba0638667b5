"""Numerics over the law of s = ||m||^2: expectations, enclosures, flows, and the simulation.

Submodules load on first use, so that `import numerics` costs nothing.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numerics import (
        arrays,
        attention,
        balls,
        enclosures,
        estimators,
        expectation,
        formula,
        gradient_flow,
        large_depth,
        law_syntax,
        laws,
        minimiser,
        prompts,
        training,
    )

__all__ = [
    "arrays",
    "attention",
    "balls",
    "enclosures",
    "estimators",
    "expectation",
    "formula",
    "gradient_flow",
    "large_depth",
    "law_syntax",
    "laws",
    "minimiser",
    "prompts",
    "training",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
