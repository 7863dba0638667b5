"""The one-parameter stack (Theorem 6.2): minimiser, all large depths, rate, gradient flow.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.one_parameter import (
        all_large_depths,
        end_ratios,
        flow,
        minimiser,
        rate,
        rate_bound,
        second_route,
    )

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, ["all_large_depths", "end_ratios", "flow", "minimiser", "rate", "rate_bound", "second_route"]
)
