"""The order of the layers in which a product over them loses no digits."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log


def leja(nodes: Sequence[float]) -> list[float]:
    """Leja's order of distinct nodes: each as far as can be, by the product of distances, from those before.

    prod |1 - lam/z| over the first k of them stays within moderate factors of its size at the end, where in
    increasing order it may leave the range of floating point before it comes back.
    """
    left, ordered = list(nodes), list[float]()
    distances = [log(abs(node)) if node else -inf for node in nodes]
    while left:
        farthest = max(range(len(left)), key=distances.__getitem__)
        chosen = left.pop(farthest)
        distances.pop(farthest)
        if not ordered:
            distances = [0.0] * len(left)
        distances = [total + log(abs(node - chosen)) for total, node in zip(distances, left, strict=True)]
        ordered.append(chosen)
    return ordered
