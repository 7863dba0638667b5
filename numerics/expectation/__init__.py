"""E over the law of s of an integrand in normal form, and the evaluators that it chooses from.

Modules load on first use.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from numerics.expectation import (
        atom_moments,
        ball_evaluators,
        ball_moments,
        cut_moments,
        discretise,
        over_law,
        piece_moments,
        quadrature,
    )
    from numerics.expectation.over_law import Expectation as Expectation

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    [
        "atom_moments",
        "ball_evaluators",
        "ball_moments",
        "cut_moments",
        "discretise",
        "over_law",
        "piece_moments",
        "quadrature",
    ],
    {"over_law": ["Expectation"]},
)
