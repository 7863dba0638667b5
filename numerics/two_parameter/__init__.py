"""The two-parameter stack (Theorem 6.3): profile, minimum, all large depths, basin, starts, flow.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.two_parameter import all_large_depths, basin, end_masses, flow, minimum, profile, starts

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, ["all_large_depths", "basin", "end_masses", "flow", "minimum", "profile", "starts"]
)
