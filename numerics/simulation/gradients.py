"""Gradients of the LCA stack's loss in its weights, by the adjoint recurrence.

theta = W_S^T sum_{k<T} g_k with g_0 = b, g_k = g_(k-1) + Lhat W_V^T g_(k-1) (see `attention`).
With dtheta the gradient of the loss in theta and lam = W_S dtheta,

    mu_(T-1) = lam,   mu_(k-1) = lam + mu_k + W_V Lhat mu_k,
    dW_S = (sum_k g_k) dtheta^T,   dW_V = sum_{k>=1} g_(k-1) (Lhat mu_k)^T.
"""

from __future__ import annotations

import enum

import numpy as np
from array_api_compat import array_namespace

from numerics.simulation.arrays import Array, Backend, HostArray
from numerics.simulation.attention import (
    LayerWeights,
    check_depth,
    gram_times,
    is_array,
    times,
    times_transpose,
)
from numerics.simulation.prompts import Batch, excess_risk


class WeightFamily(enum.StrEnum):
    """What is trained, as a vector of parameters.

    (alpha); (alpha, beta); (W_S, W_V) row by row; or (alpha_1, ..., alpha_T), the weights of the layers.
    """

    ONE_PARAMETER = "one_parameter"
    TWO_PARAMETER = "two_parameter"
    MATRICES = "matrices"
    LAYERWISE = "layerwise"

    def size(self, dimension: int, depth: int) -> int:
        """The number of parameters."""
        return {"one_parameter": 1, "two_parameter": 2, "layerwise": depth}.get(self.value, 2 * dimension**2)

    def weights(self, parameters: HostArray, dimension: int, backend: Backend) -> LayerWeights:
        """The weights that the parameters stand for.  Raises SimulationInputError unless they are finite."""
        if self is WeightFamily.MATRICES:
            w_s, w_v = parameters.reshape(2, dimension, dimension)
            return LayerWeights(backend.asarray(w_s), backend.asarray(w_v))
        alpha, beta = float(parameters[0]), float(parameters[-1])
        return LayerWeights(alpha, -alpha if self is WeightFamily.ONE_PARAMETER else beta)

    def gradient(self, w_s: HostArray, w_v: HostArray) -> HostArray:
        """The gradient in the parameters, from those in W_S and W_V (or their traces, shape ())."""
        if self is WeightFamily.ONE_PARAMETER:
            return np.asarray([w_s - w_v], dtype=np.float64)
        return np.concatenate([np.ravel(w_s), np.ravel(w_v)])


def weight_gradients(
    gram: Array, cross: Array, weights: LayerWeights, depth: int, dtheta: Array, powers: list[Array]
) -> tuple[Array, Array]:
    """Sums over prompts of dLoss/dW_S and dLoss/dW_V by the adjoint recurrence.

    dtheta (n, d); powers g_0, ..., g_(depth-1).  Where a weight is a number its gradient is the trace.
    """
    xp = array_namespace(gram)

    def outer(left: Array, right: Array, weight: float | Array) -> Array:
        if is_array(weight):
            return xp.matmul(xp.matrix_transpose(left), right)
        return xp.sum(left * right)

    dw_s = outer(sum(powers[1:], powers[0]), dtheta, weights.w_s)
    lam = times(weights.w_s, dtheta)
    dw_v = 0 * outer(cross, cross, weights.w_v)
    mu = lam
    for k in range(depth - 1, 0, -1):
        through = gram_times(gram, mu)
        dw_v = dw_v + outer(powers[k - 1], through, weights.w_v)
        mu = lam + mu + times(weights.w_v, through)
    return dw_s, dw_v


def layerwise_loss_and_gradient(batch: Batch, alphas: HostArray) -> tuple[Array, Array]:
    """Excess risks of the prompts (n,), and the gradient of their sum in the weights of the layers (T,).

    theta_t = theta_(t-1) + alpha_t (b - Lhat theta_(t-1)) with theta_0 = 0; backwards
    d theta_(t-1) = d theta_t - alpha_t Lhat d theta_t.
    """
    statistics, latents = batch.statistics, batch.latents
    xp = array_namespace(statistics.gram)
    theta, left = 0 * statistics.cross, []
    for alpha in alphas.tolist():
        left.append(statistics.cross - gram_times(statistics.gram, theta))
        theta = theta + alpha * left[-1]
    losses = excess_risk(latents, theta)
    error = theta - latents.regression_vector
    dtheta = 2 * (error + xp.vecdot(latents.m, error)[:, None] * latents.m)
    slopes = []
    for alpha, missing in zip(alphas.tolist()[::-1], left[::-1], strict=True):
        slopes.append(xp.sum(dtheta * missing))
        dtheta = dtheta - alpha * gram_times(statistics.gram, dtheta)
    return losses, xp.stack(slopes[::-1])


def loss_and_gradients(
    batch: Batch, weights: LayerWeights, depth: int, *, integrate_query: bool = True
) -> tuple[Array, Array, Array]:
    """Losses of the prompts (n,), and the gradients of their sum in W_S and W_V.

    The loss is the excess risk given the context, or (theta^T x_q - y_q)^2 (needs tokens).
    """
    check_depth(depth)
    statistics, latents = batch.statistics, batch.latents
    xp = array_namespace(statistics.gram)
    powers = [statistics.cross]
    for _ in range(1, depth):
        step = gram_times(statistics.gram, times_transpose(weights.w_v, powers[-1]))
        powers.append(powers[-1] + step)
    theta = times_transpose(weights.w_s, sum(powers[1:], powers[0]))
    if integrate_query:
        losses = excess_risk(latents, theta)
        error = theta - latents.regression_vector
        dtheta = 2 * (error + xp.vecdot(latents.m, error)[:, None] * latents.m)
    else:
        if batch.tokens is None:
            raise TypeError("the loss on the prompt's own query needs a batch with its tokens")
        residual = xp.vecdot(theta, batch.tokens.x_query) - batch.tokens.y_query
        losses = residual * residual
        dtheta = 2 * residual[:, None] * batch.tokens.x_query
    return losses, *weight_gradients(statistics.gram, statistics.cross, weights, depth, dtheta, powers)
