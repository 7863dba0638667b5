"""Other routes to the predictions of `numerics.simulation`: matrices, all rows, definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from array_api_compat import array_namespace

from numerics.simulation.architectures import ScalarStack
from numerics.simulation.arrays import Array, like
from numerics.simulation.attention import (
    LayerWeights,
    LSAWeights,
    Start,
    check_depth,
    gram_times,
    times,
    times_transpose,
)
from numerics.simulation.prompts import Statistics, Tokens


def one_parameter(alpha: float) -> LayerWeights:
    """W_S = -W_V = alpha I."""
    return LayerWeights(alpha, -alpha)


def embeddings_through_gram(
    rows: Array, gram: Array, weights: LayerWeights, depth: int, *, start: Start = "zero"
) -> Iterator[Array]:
    """The same with linear attention, where the Gram matrix is formed once: n r d^2 a layer."""
    check_depth(depth)
    xp = array_namespace(rows)
    f = xp.zeros_like(rows) if start == "zero" else rows
    for _ in range(depth):
        f = f + times(weights.w_s, rows) + times(weights.w_v, xp.matmul(f, gram))
        yield f


def weight_vectors(
    statistics: Statistics, weights: LayerWeights, depth: int, *, start: Start = "zero"
) -> Iterator[Array]:
    """theta_1, ..., theta_depth, each (n, d): the fast path.

    With A = Lhat W_V^T and b the cross moment, P_t^T b = W_S^T sum_{k<t} (I + A)^k b, plus
    (I + A)^t b if F^0 = X.  Each depth costs one product with the Gram matrix.
    """
    check_depth(depth)
    power = statistics.cross
    total = 0 * power
    for t in range(1, depth + 1):
        total = total + power
        if t < depth or start == "tokens":
            power = power + gram_times(statistics.gram, times_transpose(weights.w_v, power))
        theta = times_transpose(weights.w_s, total)
        yield theta if start == "zero" else theta + power


def lsa_predictions(tokens: Tokens, weights: LSAWeights) -> Array:
    """(p^T, c) (1/L) sum_i e_i e_i^T [K; k^T] x_q with e_i = [x_i; y_i], by the plain definition; (n,)."""
    xp = array_namespace(tokens.x)
    context, dimension = tokens.x.shape[1:]
    zero = like(tokens.x, [0.0] * dimension)
    e = xp.concat([tokens.x, tokens.y[:, :, None]], axis=-1)
    key_query = times(weights.key_query, tokens.x_query)
    last = tokens.x_query @ (zero if weights.k is None else weights.k)
    query = xp.concat([key_query, last[:, None]], axis=-1)
    value = xp.concat([zero if weights.p is None else weights.p, like(tokens.x, [float(weights.c)])])
    scores = xp.matmul(e, query[:, :, None])[:, :, 0]
    return xp.vecdot(e @ value, scores) / context


def least_squares_of_tokens(tokens: Tokens) -> Array:
    """The least-squares vector of minimum norm, from the tokens by singular values; (n, d)."""
    xp = array_namespace(tokens.x)
    return xp.matmul(xp.linalg.pinv(tokens.x), tokens.y[:, :, None])[:, :, 0]


def one_parameter_stack(alphas: Mapping[int, float]) -> ScalarStack:
    """W_S = -W_V = alpha I, from depth -> alpha."""
    return ScalarStack("one_parameter", {depth: (alpha, -alpha) for depth, alpha in alphas.items()})
