"""Exact moments of W = sum over L tokens of t t^T, t centred Gaussian: polynomials in L."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Entry = tuple[int, int]


class WishartMoments:
    """E of products of entries of W.

    By Isserlis' rule the pairings of the tokens' coordinates join the entries into cycles; a cycle
    is a sum over one token, which gives a factor L.

    covariance: non-zero entries of the tokens' covariance, in either order, as numbers or
                elements of any commutative ring; length: L in the same ring; one: its unit.
    """

    def __init__(self, covariance: Mapping[Entry, Any], length: Any, one: Any) -> None:
        self._covariance = {**covariance, **{(j, i): value for (i, j), value in covariance.items()}}
        self._length = length
        self._one = one
        self._known: dict[tuple[int, int, tuple[Entry, ...]], Any] = {}

    def __call__(self, *entries: Entry) -> Any:
        """E of the product of W[i, j] over `entries`."""
        if not entries:
            return self._one
        ordered = sorted((min(entry), max(entry)) for entry in entries)
        return self._cycles(*ordered[0], tuple(ordered[1:]))

    def _cycles(self, start: int, end: int, rest: tuple[Entry, ...]) -> Any:
        """Sum over the ways to continue an open cycle from `end` back to `start`."""
        key = (start, end, rest)
        if key not in self._known:
            total = 0 * self._one
            if (end, start) in self._covariance:
                total += self._length * self._covariance[end, start] * self(*rest)
            for index, (i, j) in enumerate(rest):
                others = rest[:index] + rest[index + 1 :]
                for near, far in ((i, j), (j, i)):
                    if (end, near) in self._covariance:
                        total += self._covariance[end, near] * self._cycles(start, far, others)
            self._known[key] = total
        return self._known[key]
