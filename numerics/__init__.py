"""Numerics over the law of s = ||m||^2: expectations, enclosures, flows, and the simulation.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics import (
        arithmetic,
        errors,
        expectation,
        laws,
        layerwise,
        no_skip,
        one_parameter,
        processes,
        self_attention,
        simulation,
        two_parameter,
    )

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    [
        "arithmetic",
        "errors",
        "expectation",
        "laws",
        "layerwise",
        "no_skip",
        "one_parameter",
        "processes",
        "self_attention",
        "simulation",
        "two_parameter",
    ],
)
