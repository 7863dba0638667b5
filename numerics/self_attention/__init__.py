"""One layer of linear self-attention (Theorem 4.1): the best layer and the full family.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.self_attention import best_layer, full_family

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, ["best_layer", "full_family"])
