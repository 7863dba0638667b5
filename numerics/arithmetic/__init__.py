"""Balls, certified roots, roots of polynomials, and the value of a formula at numbers.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.arithmetic import (
        balls,
        certified_roots,
        descartes,
        formula,
        interval_polynomials,
        polynomial_roots,
    )

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, ["balls", "certified_roots", "descartes", "formula", "interval_polynomials", "polynomial_roots"]
)
