"""Forward passes: linear cross-attention (LCA), linear self-attention (LSA), softmax, and references.

Rows are tokens: an embedding F is (n, rows, d).  Layer t of the LCA stack is

    F^t = F^(t-1) + W_S X + W_V (1/L) sum_i x_i x_i^T F^(t-1),    prediction (1/L) sum_i y_i x_i^T f_q,

with f_q the query's column.  As f_q = P_T x_q for a matrix P_T in the Gram matrix, the prediction is
theta_T^T x_q with theta_T = P_T^T (1/L) sum_i y_i x_i: the fast path carries that vector alone, and so
serves every query of the context and every depth on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from array_api_compat import array_namespace, device, is_array_api_obj

from numerics.simulation.arrays import Array, SimulationInputError
from numerics.simulation.prompts import Statistics, Tokens

Start = Literal["zero", "tokens"]
"""F^0: nothing, or the tokens themselves (no skip, with W_S = 0)."""

Attention = Callable[[Array, int], Array]
"""Scores (n, rows, L) and the width d -> the weights with which each row averages the context."""


def is_array(value: Any) -> bool:
    """Whether a weight is a matrix or vector; a number stands for a multiple of the identity."""
    return bool(is_array_api_obj(value)) and value.ndim > 0


def check_finite(name: str, value: Any) -> None:
    """Raises SimulationInputError for a weight that is not finite."""
    xp = array_namespace(value) if is_array(value) else None
    if not (math.isfinite(value) if xp is None else bool(xp.all(xp.isfinite(value)))):
        raise SimulationInputError(f"weights: {name} must be finite")


def check_depth(depth: int) -> None:
    """Raises SimulationInputError for a depth below 1."""
    if depth < 1:
        raise SimulationInputError(f"depth: must be at least 1, not {depth}")


@dataclass(frozen=True)
class LayerWeights:
    """W_S and W_V of every layer: (d, d) matrices, or numbers that stand for multiples of the identity."""

    w_s: float | Array
    w_v: float | Array

    def __post_init__(self) -> None:
        pair: tuple[tuple[str, Any], ...] = (("W_S", self.w_s), ("W_V", self.w_v))
        for name, value in pair:
            check_finite(name, value)
            if is_array(value) and (value.ndim != 2 or value.shape[0] != value.shape[1]):
                raise SimulationInputError(f"weights: {name} must be a square matrix, not {value.shape}")


def times(matrix: float | Array, rows: Array) -> Array:
    """W f for each row f."""
    if not is_array(matrix):
        return float(matrix) * rows
    xp = array_namespace(rows)
    return xp.matmul(rows, xp.matrix_transpose(matrix))


def times_transpose(matrix: float | Array, rows: Array) -> Array:
    """W^T f for each row f."""
    if not is_array(matrix):
        return float(matrix) * rows
    return array_namespace(rows).matmul(rows, matrix)


def gram_times(gram: Array, vectors: Array) -> Array:
    """Lhat f for one vector f a prompt: (n, d, d), (n, d) -> (n, d)."""
    return array_namespace(gram).matmul(gram, vectors[:, :, None])[:, :, 0]


def linear_attention(scores: Array, width: int) -> Array:
    """The paper's: the softmax replaced by the identity, over L."""
    return scores / scores.shape[-1]


def softmax_attention(temperature: float = 1.0) -> Attention:
    """softmax(scores / (temperature sqrt(d))).  Raises SimulationInputError unless temperature > 0."""
    if not 0 < temperature < math.inf:
        raise SimulationInputError(f"temperature: must be positive and finite, not {temperature}")

    def attention(scores: Array, width: int) -> Array:
        xp = array_namespace(scores)
        scaled = scores / (temperature * width**0.5)
        powers = xp.exp(scaled - xp.max(scaled, axis=-1, keepdims=True))
        return powers / xp.sum(powers, axis=-1, keepdims=True)

    return attention


def all_rows(tokens: Tokens) -> Array:
    """X: the context and, last, the query; shape (n, L+1, d)."""
    return array_namespace(tokens.x).concat([tokens.x, tokens.x_query[:, None, :]], axis=1)


def embeddings(
    rows: Array,
    context: Array,
    weights: LayerWeights,
    depth: int,
    *,
    start: Start = "zero",
    attention: Attention = linear_attention,
) -> Iterator[Array]:
    """F^1, ..., F^depth by the plain definition, for the rows given (all of X, or the query alone).

    rows (n, r, d), context (n, L, d).  Each layer costs n r L d.
    """
    check_depth(depth)
    xp = array_namespace(rows)
    f = xp.zeros_like(rows) if start == "zero" else rows
    for _ in range(depth):
        scores = xp.matmul(f, xp.matrix_transpose(context))
        attended = xp.matmul(attention(scores, rows.shape[-1]), context)
        f = f + times(weights.w_s, rows) + times(weights.w_v, attended)
        yield f


def read_out(tokens: Tokens, f_query: Array) -> Array:
    """(1/L) sum_i y_i x_i^T f_q, shape (n,)."""
    xp = array_namespace(f_query)
    scores = xp.matmul(tokens.x, f_query[:, :, None])[:, :, 0]
    return xp.vecdot(tokens.y, scores) / tokens.x.shape[1]


@dataclass(frozen=True)
class LSAWeights:
    """Value row (p^T, c) and key-query block [K; k^T] of a single LSA layer.

    p and k are (d,) or None for 0; K is (d, d), or a number that stands for a multiple of the identity.
    """

    c: float
    key_query: float | Array = 1.0
    p: Array | None = None
    k: Array | None = None

    def __post_init__(self) -> None:
        for name in ("c", "key_query", "p", "k"):
            if (value := getattr(self, name)) is not None:
                check_finite(name, value)


def lsa_weight_vector(statistics: Statistics, weights: LSAWeights) -> Array:
    """theta = K^T (Lhat p + c b) + (p^T b + c q) k with q the power of the responses; (n, d)."""
    xp = array_namespace(statistics.gram)
    c = float(weights.c)
    value, scale = c * statistics.cross, c * statistics.power
    if weights.p is not None:
        value = value + statistics.gram @ weights.p
        scale = scale + statistics.cross @ weights.p
    theta = times_transpose(weights.key_query, value)
    return theta if weights.k is None else theta + scale[:, None] * xp.expand_dims(weights.k, axis=0)


def least_squares(statistics: Statistics) -> Array:
    """The least-squares vector, of minimum norm if L < d, from the statistics; (n, d).

    The Gram matrix has rank min(L, d) almost surely: that many eigenvalues are inverted.  Not finite where
    rounding has made it singular all the same.
    """
    xp = array_namespace(statistics.gram)
    dimension = statistics.gram.shape[-1]
    if statistics.context >= dimension:
        columns = statistics.cross[:, :, None]
        try:
            return xp.linalg.solve(statistics.gram, columns)[:, :, 0]
        except np.linalg.LinAlgError:
            # For all prompts because of one; CuPy divides by the pivot 0.
            singular = xp.linalg.slogdet(statistics.gram)[0] == 0
            unit = xp.eye(dimension, dtype=columns.dtype, device=device(columns))
            gram = xp.where(singular[:, None, None], unit, statistics.gram)
            return xp.where(singular[:, None], math.nan, xp.linalg.solve(gram, columns)[:, :, 0])
    values, vectors = xp.linalg.eigh(statistics.gram)
    values, vectors = values[:, -statistics.context :], vectors[:, :, -statistics.context :]
    coordinates = xp.matmul(xp.matrix_transpose(vectors), statistics.cross[:, :, None])
    return xp.matmul(vectors, coordinates / values[:, :, None])[:, :, 0]
