"""The stack without skip from F^0 = X (Appendix F): its least excess at one depth and at all.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.no_skip import best_weight, floor_at_depth, floor_at_every_depth

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, ["best_weight", "floor_at_depth", "floor_at_every_depth"]
)
