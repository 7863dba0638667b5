"""Numerics over the law of s = ||m||^2: expectations, enclosures, flows, and the simulation.

Submodules load on first use, so that `import numerics` costs nothing.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numerics import (
        all_depths_floor,
        arrays,
        attention,
        balls,
        basin,
        basin_map,
        decisions,
        discretise,
        enclosures,
        end_masses,
        end_ratios,
        errors,
        estimators,
        expectation,
        finite_context,
        finite_optimum,
        formula,
        full_layer,
        gradient_flow,
        gradients,
        large_depth,
        law_syntax,
        laws,
        long_stacks,
        lsa,
        masses,
        measurements,
        minimiser,
        models,
        no_skip,
        plane_flow,
        population,
        predictors,
        profile,
        prompts,
        rate_bound,
        rates,
        real_roots,
        reference_predictors,
        rounding,
        second_route,
        skip_floor,
        training,
        two_parameter,
        two_parameter_limit,
    )

__all__ = [
    "all_depths_floor",
    "arrays",
    "attention",
    "balls",
    "basin",
    "basin_map",
    "decisions",
    "discretise",
    "enclosures",
    "end_masses",
    "end_ratios",
    "errors",
    "estimators",
    "expectation",
    "finite_context",
    "finite_optimum",
    "formula",
    "full_layer",
    "gradient_flow",
    "gradients",
    "large_depth",
    "law_syntax",
    "laws",
    "long_stacks",
    "lsa",
    "masses",
    "measurements",
    "minimiser",
    "models",
    "no_skip",
    "plane_flow",
    "population",
    "predictors",
    "profile",
    "prompts",
    "rate_bound",
    "rates",
    "real_roots",
    "reference_predictors",
    "rounding",
    "second_route",
    "skip_floor",
    "training",
    "two_parameter",
    "two_parameter_limit",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
