"""Draws from the components of a law, in float64.

A density on condition that it lies in a window is drawn by rejection, cell by cell.  In a cell the density
is that of a Beta variable, which is drawn, times a factor that varies by at most 2: half of the draws or
more are kept, however little of the whole density the window holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, exp, inf, lgamma, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from numerics.laws.components import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    SignedPiece,
    SumPiece,
    Window,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]

MOST_VARIATION = log(2)
LEFT_OUT = 60.0
"""Cells with less than e^-60 of the whole are left out: no sample would meet one."""


@dataclass(frozen=True)
class _Cell:
    """r - start from `low` to low + width, and stop - r from high + width to `high`."""

    low: float
    high: float
    width: float
    touches: tuple[bool, bool]

    def halves(self) -> list[_Cell]:
        half = self.width / 2
        left = replace(self, high=self.high + half, width=half, touches=(self.touches[0], False))
        return [left, replace(self, low=self.low + half, width=half, touches=(False, self.touches[1]))]


class CutDensity:
    """(r - start)^p (stop - r)^q exp(-fall r)."""

    def __init__(self, window: Window) -> None:
        piece = window.piece
        if isinstance(piece, BetaPiece):
            assert window.high is not None
            self.p, self.q, self.fall = float(piece.a) - 1, float(piece.b) - 1, 0.0
            start, high = piece.low, float(piece.high - window.high)
            touches = (window.low == piece.low, window.high == piece.high)
            width = float(window.high - window.low)
        else:
            self.p, self.q, self.fall = float(piece.shape) - 1, 0.0, 1 / float(piece.scale)
            start, high, touches = 0 * window.low, inf, (window.low == 0, False)
            reach = (self.p + 80 + 20 * sqrt(self.p + 1)) / self.fall
            width = reach if window.high is None else float(window.high - window.low)
        self.low = float(window.low)
        self.start = _Cell(float(window.low - start), high, width, touches)
        self.cells = self._split(self.start)

    def smooth(self, cell: _Cell, t: FloatArray) -> FloatArray:
        """The logarithm at a distance t from the lower end, without powers of 0 at ends that are touched."""
        x, y = cell.low + t, cell.high + (cell.width - t)
        found: FloatArray = -self.fall * x
        if self.p and not cell.touches[0]:
            found = found + self.p * np.log(x)
        if self.q and not cell.touches[1]:
            found = found + self.q * np.log(y)
        return found

    def radius(self, cell: _Cell, t: FloatArray) -> FloatArray:
        """r at a distance t from the lower end of the cell."""
        found: FloatArray = self.low + (cell.low - self.start.low) + t
        return found

    def exponents(self, cell: _Cell) -> tuple[float, float]:
        """Of the Beta variable that is drawn."""
        low, high = cell.touches
        return 1 + self.p * low, 1 + self.q * high

    def log_mass(self, cell: _Cell) -> float:
        """Of the Beta density without its constant."""
        a, b = self.exponents(cell)
        return lgamma(a) + lgamma(b) - lgamma(a + b) + (a + b - 1) * log(cell.width)

    def _extremes(self, cell: _Cell) -> tuple[float, float]:
        """The least and the largest value of `smooth`: at the ends or at its one critical point."""
        points: list[float] = [0.0, cell.width]
        p, q = self.p * (not cell.touches[0]), self.q * (not cell.touches[1])
        if self.fall:
            points.append(p / self.fall - cell.low)
        elif p + q:
            points.append((p * (cell.high + cell.width) - q * cell.low) / (p + q))
        inside = np.array([t for t in points if 0 <= t <= cell.width])
        values = self.smooth(cell, inside)
        return float(values.min()), float(values.max())

    def _split(self, whole: _Cell) -> list[tuple[_Cell, float, float]]:
        """Cells, the largest value of the factor on each, and the logarithm of what is proposed there."""
        pending, found, most = [whole], [], -inf
        while pending:
            cell = pending.pop()
            least, largest = self._extremes(cell)
            mass = self.log_mass(cell)
            most = max(most, least + mass)
            if largest + mass < most - LEFT_OUT:
                continue
            if largest - least > MOST_VARIATION and cell.width > 0:
                pending += cell.halves()
            else:
                found.append((cell, largest, largest + mass))
        return found


def sample(component: Component, rng: np.random.Generator, size: int) -> FloatArray:
    """`size` independent draws of s given this component, float64."""
    draws: FloatArray
    match component:
        case Atoms():
            values, masses = component.floats
            weights = np.asarray(masses)
            draws = rng.choice(np.asarray(values), size=size, p=weights / weights.sum())
            return draws
        case SumPiece(first=first, second=second):
            return sample(first, rng, size) + sample(second, rng, size)
        case BetaPiece(low=low, high=high, a=a, b=b):
            radius = float(low) + float(high - low) * rng.beta(float(a), float(b), size)
        case GammaPiece(shape=shape, scale=scale):
            radius = float(scale) * rng.gamma(float(shape), 1.0, size)
        case SignedPiece():
            return _signed(component, rng, size)
        case CutPiece(window=window):
            return float(window.piece.shift) + radii(window, rng, size) ** window.piece.power
    draws = float(component.shift) + radius**component.power
    return draws


def _signed(piece: SignedPiece, rng: np.random.Generator, size: int) -> FloatArray:
    """By rejection from the uniform law: a polynomial is at most its largest Bernstein coefficient."""
    first = piece.parts[0][1]
    degree = int(first.a + first.b) - 2
    coefficients = np.zeros(degree + 1)
    for weight, part in piece.parts:
        coefficients[int(part.a) - 1] = float(weight) * (degree + 1)
    found, missing = np.empty(size), np.arange(size)
    binomials = np.array([comb(degree, k) for k in range(degree + 1)], dtype=float)
    k = np.arange(degree + 1)
    while len(missing):
        u = rng.random(len(missing))
        density = (u[:, None] ** k * (1 - u[:, None]) ** (degree - k)) @ (binomials * coefficients)
        kept = rng.random(len(missing)) * coefficients.max() <= density
        found[missing[kept]] = u[kept]
        missing = missing[~kept]
    radius: FloatArray = float(first.low) + float(first.high - first.low) * found
    return float(first.shift) + radius**first.power


def radii(window: Window, rng: np.random.Generator, size: int) -> FloatArray:
    """`size` independent draws of r, float64."""
    density = CutDensity(window)
    top = max(mass for _, _, mass in density.cells)
    masses = np.array([exp(mass - top) for _, _, mass in density.cells])
    found, missing = np.empty(size), np.arange(size)
    while len(missing):
        labels = rng.choice(len(masses), size=len(missing), p=masses / masses.sum())
        kept = np.zeros(len(missing), dtype=bool)
        for label in np.unique(labels):
            here = np.flatnonzero(labels == label)
            cell, largest, _ = density.cells[label]
            t = cell.width * rng.beta(*density.exponents(cell), len(here))
            accepted = np.log(rng.random(len(here))) <= density.smooth(cell, t) - largest
            kept[here] = accepted
            found[missing[here]] = density.radius(cell, t)
        missing = missing[~kept]
    return found
