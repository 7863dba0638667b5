"""How far rounding may have moved a sampled excess: the same prompts, each stored number moved by a rounding.

A product with a Gram matrix in floating point is the exact one of a matrix whose entries are off by at most
n u, n terms an entry, and typically by sqrt(n) u (Higham and Mary 2019, Theorem 2.4); solving with it is
stable in the same sense; and what the read-out and the risk add is of the size of one such error in m, zeta
or the response.  So a run whose data are moved by sqrt(n) u differs by about what rounding did to it.  One
move serves all layers, which then add up, as roundings of their own would at most do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from numerics.simulation.architectures import Model
from numerics.simulation.arrays import Array, Backend
from numerics.simulation.prompts import Batch, PromptSource
from numerics.simulation.streams import Draws

SAMPLE = 1024
SHARE = 4
"""A batch is looked at up to SAMPLE prompts, and up to this part of it, so that memory suffices."""
MOVED = 2
"""The part of a block's seeds that these random numbers have."""


def relative_rounding(
    models: Sequence[Model], batch: Batch, source: PromptSource, context: int, backend: Backend
) -> Iterator[tuple[str, int | None, float | None]]:
    """(model, depth, mean |change| of the excess over its mean) for the first prompts of a batch.

    None where a number overflowed; 0 where nothing changed.
    """
    count = max(1, min(SAMPLE, batch.latents.zeta.shape[0] // SHARE))
    given = _mapped(batch, lambda values: values[:count, ...])
    unit = float(np.finfo(backend.numpy_dtype).eps) / 2 * (source.dimension + 1) ** 0.5
    draws = backend.draws(source.seeds(context, 0, MOVED))
    moved = _mapped(given, lambda values: _moved(values, unit, draws))
    for model in models:
        with np.errstate(over="ignore", invalid="ignore"):
            for (depth, here), (_, there) in zip(model.excess(given), model.excess(moved), strict=True):
                first, second = backend.to_host(here), backend.to_host(there)
                yield model.name, depth, _ratio(np.mean(np.abs(second - first)), np.mean(np.abs(first)))


def _ratio(change: Any, size: Any) -> float | None:
    if change == 0:
        return 0.0
    ratio = float(change / size) if size else np.inf
    return ratio if np.isfinite(ratio) else None


def _moved(values: Array, unit: float, draws: Draws) -> Array:
    return values * (1 + unit * draws.normal(values.shape))


def _mapped(part: Any, change: Any) -> Any:
    """A batch, or a part of one, with every array changed."""
    found = {}
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, int) or value is None:
            continue
        found[field.name] = change(value) if hasattr(value, "shape") else _mapped(value, change)
    return replace(part, **found)
