"""Exact mathematics: every formula of the paper derived in SymPy.  No floats, no input or output.

Submodules load on first use, so that `import theory` costs nothing.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory import (
        attention,
        convexity,
        covariate_shift,
        exclusions,
        finite_context,
        finite_optimum,
        gap,
        gap_moments,
        gaussian,
        identities,
        latent_factor,
        limits,
        losses,
        modalities,
        no_skip,
        normal_form,
        predictor,
        profile,
        stationarity,
        symbols,
        wishart,
    )

__all__ = [
    "attention",
    "convexity",
    "covariate_shift",
    "exclusions",
    "finite_context",
    "finite_optimum",
    "gap",
    "gap_moments",
    "gaussian",
    "identities",
    "latent_factor",
    "limits",
    "losses",
    "modalities",
    "no_skip",
    "normal_form",
    "predictor",
    "profile",
    "stationarity",
    "symbols",
    "wishart",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
