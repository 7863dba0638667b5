"""The architectures on sampled prompts, and what theory says of them at finite context.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.simulation import (
        architectures,
        arrays,
        attention,
        by_name,
        estimators,
        finite_context,
        finite_optimum,
        gradients,
        hypothesis_tests,
        layer_by_layer,
        long_stacks,
        measured,
        prompts,
        rounding,
        sample_sizes,
        scalar_weights,
        settling,
        spectrum,
        streams,
        sweep,
        training,
        weights,
    )

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    [
        "architectures",
        "arrays",
        "attention",
        "by_name",
        "estimators",
        "finite_context",
        "finite_optimum",
        "gradients",
        "hypothesis_tests",
        "layer_by_layer",
        "long_stacks",
        "measured",
        "prompts",
        "rounding",
        "sample_sizes",
        "scalar_weights",
        "settling",
        "spectrum",
        "streams",
        "sweep",
        "training",
        "weights",
    ],
)
