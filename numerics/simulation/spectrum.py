"""Contexts in the eigenbasis of their Gram matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from array_api_compat import array_namespace

from numerics.simulation.arrays import Array


@dataclass(frozen=True)
class Spectrum:
    """Lhat = V diag(l) V^T: l, and the cross moment, m and the Bayes predictor as V^T b, V^T m, V^T w.

    Each is (d, n), so that a sum over the eigenvectors runs along the prompts; l increases.  V is not kept.
    """

    values: Array
    cross: Array
    latent: Array
    best: Array

    @staticmethod
    def of(gram: Array, cross: Array, m: Array, share: Array) -> Spectrum:
        """Of Lhat (n, d, d), b and m (n, d), with w = share m, share (n,)."""
        xp = array_namespace(gram)
        values, vectors = xp.linalg.eigh(gram)
        image = xp.matmul(xp.matrix_transpose(vectors), xp.stack([cross, m], axis=-1))
        latent = _rows(image[:, :, 1])
        return Spectrum(_rows(values), _rows(image[:, :, 0]), latent, share * latent)

    @cached_property
    def smallest(self) -> float:
        """The smallest |l| of all prompts."""
        return float(array_namespace(self.values).min(abs(self.values)))

    def excess_risk(self, vector: Array) -> Array:
        """(theta - w)^T Lambda (theta - w), shape (n,), of V^T theta (d, n)."""
        xp = array_namespace(vector)
        error = vector - self.best
        along = xp.sum(self.latent * error, axis=0)
        return xp.sum(error * error, axis=0) + along * along

    def least_squares(self, rank: int) -> Array:
        """V^T theta of the least-squares vector of minimum norm, where Lhat has this rank; (d, n)."""
        xp = array_namespace(self.values)
        null = self.values.shape[0] - rank
        return xp.concat([xp.zeros_like(self.cross[:null, :]), self.cross[null:, :] / self.values[null:, :]])


def _rows(columns: Array) -> Array:
    """(n, d) -> (d, n), each row in one piece."""
    xp = array_namespace(columns)
    return xp.stack([columns[:, i] for i in range(columns.shape[1])])
