"""The stack with scalar weights W_S = alpha I, W_V = beta I: layer by layer, or in the eigenbasis of Lhat.

There it is a filter, theta = V p_T(l) V^T b with p_T(l) = alpha sum_{k<T} (1 + beta l)^k, plus (1 + beta l)^T
if F^0 = X: after one decomposition a prompt every depth and every weight costs d numbers' work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from array_api_compat import array_namespace

from numerics.simulation.arrays import Array, SimulationInputError, like
from numerics.simulation.attention import Start, check_depth, check_finite
from numerics.simulation.prompts import Batch, Statistics, excess_risk
from numerics.simulation.spectrum import Spectrum

DECOMPOSITION = (160, 4)
"""Multiplications of a layer that a symmetric eigendecomposition is worth, per d^2 and per d^3; LAPACK has
short loops at small d.  Within a factor of 2 of what was measured from d = 2 to 128."""
PER_LAYER, PER_DEPTH, PER_DOUBLING = 4, 10, 3
"""Operations on d numbers: beside the product with Lhat; for an excess; for twice the depth."""


@dataclass(frozen=True)
class ScalarSetting:
    """W_S = alpha I, W_V = beta I, and the depths to be read off."""

    alpha: float
    beta: float
    depths: tuple[int, ...]

    def __post_init__(self) -> None:
        check_finite("alpha", self.alpha)
        check_finite("beta", self.beta)
        if not self.depths:
            raise SimulationInputError("depth: none given")
        check_depth(min(self.depths))


def scalar_weight_vectors(
    statistics: Statistics, settings: Sequence[ScalarSetting], *, start: Start = "zero"
) -> Iterator[tuple[int, int, Array]]:
    """(setting, depth, theta) for several scalar weights at once, by increasing depth.

    The settings are the columns of one matrix, so that a layer is a matrix product; a column is
    dropped at its last depth.
    """
    xp = array_namespace(statistics.gram)
    order = sorted(range(len(settings)), key=lambda j: -max(settings[j].depths))
    powers = xp.stack([statistics.cross] * len(order), axis=-1)
    totals = 0 * powers
    beta = like(powers, [float(settings[j].beta) for j in order])
    live = len(order)
    for t in range(1, max(settings[order[0]].depths) + 1):
        while max(settings[order[live - 1]].depths) < t:
            live -= 1
        powers, totals = powers[:, :, :live], totals[:, :, :live] + powers[:, :, :live]
        if start == "tokens" or max(settings[order[0]].depths) > t:
            powers = powers + beta[:live] * xp.matmul(statistics.gram, powers)
        for column in range(live):
            setting = settings[order[column]]
            if t in setting.depths:
                theta = float(setting.alpha) * totals[:, :, column]
                yield order[column], t, theta if start == "zero" else theta + powers[:, :, column]


def geometric(x: Array, terms: int) -> tuple[Array, Array]:
    """sum_{k<terms} x^k and x^terms, by doubling: without a division no digits are lost where x is near 1."""
    total, power = array_namespace(x).ones_like(x), x
    for bit in f"{terms:b}"[1:]:
        total, power = total + power * total, power * power
        if bit == "1":
            total, power = 1 + x * total, power * x
    return total, power


def _sums(beta: float, spectrum: Spectrum, terms: int) -> tuple[Array, Array]:
    """As `geometric`, of x = 1 + beta l; by the power itself where |beta l| >= 1/terms for every l.

    There (x^n - 1)/(beta l) loses no more than the sum does: |x|^n/|beta l| is at most twice sum |x|^k.
    """
    slope = beta * spectrum.values
    x = 1 + slope
    if abs(beta) * spectrum.smallest * terms < 1:
        return geometric(x, terms)
    # A power of a number below 0 is slow.
    power = abs(x) ** terms
    if terms % 2:
        power = power * array_namespace(x).sign(x)
    return (power - 1) / slope, power


def filtered_excess(
    spectrum: Spectrum, settings: Sequence[ScalarSetting], *, start: Start = "zero"
) -> Iterator[tuple[int, Array]]:
    """(depth, excess risk (n,)) by increasing depth, in the eigenbasis."""
    under_way: dict[int, tuple[int, Any, Any]] = {}
    for depth, j in sorted((depth, j) for j, setting in enumerate(settings) for depth in setting.depths):
        setting = settings[j]
        reached, before, through = under_way.pop(j, (0, None, None))
        total, power = _sums(float(setting.beta), spectrum, depth - reached)
        if reached:
            total, power = before + through * total, through * power
        if depth < max(setting.depths):
            under_way[j] = depth, total, power
        response = float(setting.alpha) * total
        if start == "tokens":
            response = response + power
        yield depth, spectrum.excess_risk(response * spectrum.cross)


def layered_excess(
    batch: Batch, settings: Sequence[ScalarSetting], *, start: Start = "zero"
) -> Iterator[tuple[int, Array]]:
    """The same, layer by layer."""
    for _, depth, theta in scalar_weight_vectors(batch.statistics, settings, start=start):
        yield depth, excess_risk(batch.latents, theta)


def decomposes(settings: Sequence[ScalarSetting], dimension: int) -> bool:
    """Whether the eigenbasis takes fewer operations a prompt than the layers."""
    return filtered_cost(settings, dimension) < layered_cost(settings, dimension)


def filtered_cost(settings: Sequence[ScalarSetting], dimension: int) -> int:
    """Operations a prompt of `filtered_excess`, the decomposition included."""
    square, cube = DECOMPOSITION
    total = square * dimension**2 + cube * dimension**3
    for setting in settings:
        depths = sorted(setting.depths)
        for gap in (after - before for before, after in pairwise([0, *depths])):
            total += dimension * (PER_DEPTH + PER_DOUBLING * gap.bit_length())
    return total


def layered_cost(settings: Sequence[ScalarSetting], dimension: int) -> int:
    """Operations a prompt of `layered_excess`."""
    layers = sum(max(setting.depths) for setting in settings)
    depths = sum(len(setting.depths) for setting in settings)
    return dimension * (layers * (dimension + PER_LAYER) + depths * PER_DEPTH)
