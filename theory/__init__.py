"""Exact mathematics: every formula of the paper derived in SymPy.  No floats, no input or output.

Submodules load on first use, so that `import theory` costs nothing.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from theory import (
        attention,
        covariate_shift,
        exclusions,
        finite_context,
        finite_optimum,
        gap,
        gaussian,
        identities,
        landscape,
        latent_factor,
        layerwise,
        limits,
        losses,
        modalities,
        no_skip,
        normal_form,
        predictor,
        profile,
        several_factors,
        several_modalities,
        stationarity,
        symbols,
    )

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    [
        "attention",
        "covariate_shift",
        "exclusions",
        "finite_context",
        "finite_optimum",
        "gap",
        "gaussian",
        "identities",
        "landscape",
        "latent_factor",
        "layerwise",
        "limits",
        "losses",
        "modalities",
        "no_skip",
        "normal_form",
        "predictor",
        "profile",
        "several_factors",
        "several_modalities",
        "stationarity",
        "symbols",
    ],
)
