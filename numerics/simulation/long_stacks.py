"""Depth at a fixed context: the stack's predictor tends to least squares where lambda_max(Lhat) < 2/alpha.

theta_T = (I - (I - alpha Lhat)^T) theta, theta the least-squares vector: in the eigenbasis of Lhat the
distance in each direction is |1 - alpha mu|^T times what least squares has there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numerics.simulation.attention import least_squares
from numerics.simulation.measured import MEMORY, backend
from numerics.simulation.prompts import PromptSource, batches
from numerics.simulation.scalar_weights import ScalarSetting, scalar_weight_vectors


@dataclass(frozen=True)
class LongStacks:
    """How many of `prompts` contexts lie on the event, and the rates that hold.

    converging: on the event |theta_T - theta| <= rho^T |theta|, rho = max |1 - alpha mu| < 1.
    diverging:  off it the distance along the top eigenvector is |1 - alpha mu_max|^T times |theta| there.
    Both to rounding, at every depth tried.
    """

    prompts: int
    on_event: int
    converging: bool
    diverging: bool


def long_stacks(
    source: PromptSource, context: int, prompts: int, alpha: float, depths: tuple[int, ...], off_depth: int
) -> LongStacks:
    """Sample contexts with L >= d and compare; `off_depth` is where divergence is looked at."""
    on_event, converging, diverging = 0, True, True
    epsilon = float(np.finfo(np.float64).eps)
    for batch in batches(source, context, prompts, backend(), MEMORY):
        gram, best = batch.statistics.gram, least_squares(batch.statistics)
        mu, vectors = np.linalg.eigh(gram)
        size = np.sqrt(np.sum(best**2, axis=1))
        on = alpha * mu[:, -1] < 2
        on_event += int(np.sum(on))
        rate = np.max(np.abs(1 - alpha * mu), axis=1)
        # The solve loses the condition number; each layer adds a rounding of what it carries.
        solve = 8 * mu.shape[1] * epsilon * mu[:, -1] / mu[:, 0] * size
        top = np.abs(np.sum(vectors[:, :, -1] * best, axis=1))
        setting = ScalarSetting(alpha, -alpha, (*depths, off_depth))
        with np.errstate(over="ignore", invalid="ignore"):
            for _, depth, theta in scalar_weight_vectors(batch.statistics, [setting]):
                error = theta - best
                if depth == off_depth:
                    along = np.abs(np.sum(vectors[:, :, -1] * error, axis=1))
                    predicted = rate**depth * top
                    slack = depth * mu.shape[1] * 16 * epsilon * rate**depth * size + solve
                    diverging &= bool(np.all((np.abs(along - predicted) <= slack)[~on]))
                if depth in depths:
                    distance = np.sqrt(np.sum(error**2, axis=1))
                    slack = solve + depth * 8 * mu.shape[1] * epsilon * size
                    converging &= bool(np.all((distance <= rate**depth * size + slack)[on]))
    return LongStacks(prompts, on_event, converging, diverging)
