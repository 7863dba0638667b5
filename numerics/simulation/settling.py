"""What a training has left to gain: its loss as a quadratic about the parameters where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from numerics.simulation.arrays import HostArray

SHIFT = 1e-4
"""Step of the difference quotients, per unit of the largest parameter."""
MOST_DIRECTIONS = 24
NEGLIGIBLE = 1e-3
"""Share of the predicted gain below which another direction is not worth its gradient."""


@dataclass(frozen=True)
class Newton:
    """Newton's step for min f, and half its decrement, g^T H^-1 g/2: the gain if f is a quadratic."""

    step: HostArray
    gain: float


def newton(
    gradient: Callable[[HostArray], HostArray], at: HostArray, here: HostArray, scale: float
) -> Newton | None:
    """Newton's step at a point, by conjugate gradients on difference quotients of the gradient.

    gradient: of one and the same sample at every point, `here` what it is at `at`.
    scale:    size of a parameter, where all are 0.
    None where a direction was met along which f is not convex, or anything overflowed.
    """
    shift = SHIFT * (float(np.max(np.abs(at))) or scale)
    step, rest, direction = np.zeros_like(at), -here, -here
    gain, square = 0.0, float(here @ here)
    for _ in range(min(at.size, MOST_DIRECTIONS)):
        if square == 0:
            break
        length = float(np.sqrt(direction @ direction))
        image = (gradient(at + shift / length * direction) - here) * (length / shift)
        curvature = float(direction @ image)
        if not 0 < curvature < np.inf:
            return None
        step = step + square / curvature * direction
        rest = rest - square / curvature * image
        more = square * square / curvature / 2
        gain, last, square = gain + more, square, float(rest @ rest)
        if more < NEGLIGIBLE * gain:
            break
        direction = rest + square / last * direction
    return Newton(step, gain) if np.isfinite(gain) else None
