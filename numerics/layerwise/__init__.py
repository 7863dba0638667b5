"""Weights of their own for every layer: least excess, optimal weights, depths, gradient flow.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.layerwise import best_excess, depths, flow, gauss, order, recurrence

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, ["best_excess", "depths", "flow", "gauss", "order", "recurrence"]
)
