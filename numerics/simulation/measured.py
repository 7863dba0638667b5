"""What sampled prompts say of the model, of finite contexts and of reference predictors, value by value.

Each statement is about contexts given (m, zeta), and divided by a function of s that makes its noise
about the same for every norm: nothing depends on how rare a norm is.  zeta = 1 throughout, as every
loss is proportional to zeta^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from numerics.simulation.architectures import LeastSquares, ScalarStack
from numerics.simulation.arrays import Backend, HostArray, load_backend
from numerics.simulation.attention import LSAWeights, lsa_weight_vector
from numerics.simulation.finite_context import (
    Residual,
    first_order,
    first_order_size,
    linear_fluctuation,
    population,
    response_noise,
    stack_residual,
)
from numerics.simulation.hypothesis_tests import Measured
from numerics.simulation.prompts import Batch, PromptSource, Statistics, batches, excess_risk

MEMORY = 2**28
FIELDS = ("error", "twin", "scale")
Measure = Callable[[Batch], Sequence[Measured]]


def backend() -> Backend:
    """NumPy in float64."""
    return load_backend()


def gather(
    source: PromptSource,
    context: int,
    prompts: int,
    measure: Measure,
    *,
    tokens: bool = False,
    missing: int = 0,
) -> list[Measured]:
    """Measure so many prompts.

    missing: draw the statistics with so many degrees of freedom too few, while L stays what it is.
    """
    parts: list[Sequence[Measured]] = []
    for batch in batches(source, context - missing, prompts, backend(), MEMORY, tokens=tokens):
        if missing:
            batch = replace(batch, statistics=_rescaled(batch.statistics, context))
        parts.append(measure(batch))
    return [
        Measured(*(np.concatenate([getattr(part, name) for part in column]) for name in FIELDS))
        for column in zip(*parts, strict=True)
    ]


def _rescaled(statistics: Statistics, context: int) -> Statistics:
    ratio = statistics.context / context
    return Statistics(
        ratio * statistics.gram,
        ratio * statistics.cross,
        ratio * statistics.power,
        ratio * statistics.mean_response,
        context,
    )


def stack(alpha: float, beta: float, T: int, dimension: int, context: int) -> Measure:
    """L (excess - population excess) against the coefficient of 1/L; twin: the fluctuations of m^T b alone.

    The part linear in the fluctuations, of mean 0, is taken out; all is per unit of the coefficient's size.
    """
    model = ScalarStack("stack", {T: (alpha, beta)})

    def measure(batch: Batch) -> list[Measured]:
        s = batch.latents.squared_norm
        residual: Residual = stack_residual(alpha, beta, T, 1 + s)
        ((_, excess),) = model.excess(batch)
        size = first_order_size(residual, s, dimension)
        coefficient = first_order(residual, s, dimension) / size
        shift = context * (excess - population(residual, s) - linear_fluctuation(batch, residual)) / size
        return [
            Measured(shift - coefficient, response_noise(residual, s, 1) / size - coefficient, coefficient)
        ]

    return measure


def layer(weights: Sequence[float], context: int) -> Measure:
    """L (excess - population excess) of LSA with M = diag(weights) over tr(M Lambda M (Lambda + m m^T)): 1.

    Cov(y x) = E y^2 Lambda + m m^T, one term a pairing of the four factors; the twin leaves out the second.
    """
    diagonal = np.asarray(weights)

    def measure(batch: Batch) -> list[Measured]:
        m = batch.latents.m
        image = m * diagonal
        square, along = np.sum(image**2, axis=1), np.sum(m * image, axis=1)
        both = np.sum(diagonal**2) + 3 * square + 2 * along**2
        theta = lsa_weight_vector(batch.statistics, LSAWeights(1.0, np.diag(diagonal)))
        error = image - batch.latents.regression_vector
        fluctuation = theta - image
        carried = error + np.sum(m * error, axis=1)[:, None] * m
        limit = np.sum(error * carried, axis=1)
        linear = 2 * np.sum(carried * fluctuation, axis=1)
        shift = context * (excess_risk(batch.latents, theta) - limit - linear)
        return [Measured(shift / both - 1, -(square + along**2) / both, np.ones_like(both))]

    return measure


def least_squares(dimension: int, context: int) -> Measure:
    """lam times the excess of least squares against d/(L - d - 1); twin: d/(L - d)."""
    expected, twin = dimension / (context - dimension - 1), dimension / (context - dimension)

    def measure(batch: Batch) -> list[Measured]:
        ((_, excess),) = LeastSquares().excess(batch)
        return [_constant((1 + batch.latents.squared_norm) * excess, expected, twin)]

    return measure


def sample_mean(context: int) -> Measure:
    """L times the squared mean response against 1, what predicting it costs beyond predicting 0; twin: 0."""

    def measure(batch: Batch) -> list[Measured]:
        return [_constant(context * batch.statistics.mean_response**2, 1.0, 0.0)]

    return measure


MOMENTS = (
    r"$\mathbb{E}(\hat m^\top \hat\Lambda \hat m)/\lambda = 1$",
    r"$\mathbb{E}(e^\top \hat\Lambda e) = 1$ across $m$",
    r"$L\, \mathbb{E}(\hat m^\top \hat\Lambda e)^2/\lambda = 1$",
    r"$\mathbb{E}(m^\top b)/\lambda = s/\lambda$",
    r"$L\, \mathbb{E}(e^\top b)^2 = 1$",
    r"$L\, \mathbb{E}(\hat m^\top b - \lVert m\rVert)^2/(\lambda + s) = 1$",
    r"$\mathbb{E}\,\frac{1}{L} \sum y^2 = 1$",
    r"$L\, \mathbb{E}\,\bar y^2 = 1$",
)


def moments(context: int) -> Measure:
    """Moments of the statistics of a context, scaled, given m; twin: those of L - 1 tokens over L, and for
    the spread of m^T b one pairing of two.

    mhat = m/||m||, e a unit vector across m; d >= 2, prompts with m = 0 left out.
    """

    def measure(batch: Batch) -> list[Measured]:
        keep = batch.latents.squared_norm > 0
        m, given = batch.latents.m[keep], batch.statistics
        gram, cross, power = given.gram[keep], given.cross[keep], given.power[keep]
        s = np.sum(m**2, axis=1)
        along, across = directions(m)
        lam, less = 1 + s, 1 - 1 / context
        b_along = np.sum(along * cross, axis=1)
        mixed = _form(gram, along, across)
        spread = context * (b_along - np.sqrt(s)) ** 2 / (lam + s)
        return [
            _constant(_form(gram, along, along) / lam, 1.0, less),
            _constant(_form(gram, across, across), 1.0, less),
            _constant(context * mixed**2 / lam, 1.0, less),
            Measured((b_along * np.sqrt(s) - s) / lam, -s / lam / context, s / lam),
            _constant(context * np.sum(across * cross, axis=1) ** 2, 1.0, less),
            Measured(spread - 1, -s / (lam + s), np.ones_like(s)),
            _constant(power, 1.0, less),
            _constant(context * given.mean_response[keep] ** 2, 1.0, less),
        ]

    return measure


def directions(m: HostArray) -> tuple[HostArray, HostArray]:
    """m/||m||, and the unit vector across it nearest to the coordinate where m is smallest."""
    along = m / np.sqrt(np.sum(m**2, axis=1))[:, None]
    rows = np.arange(m.shape[0])
    smallest = np.argmin(np.abs(along), axis=1)
    across = -along * along[rows, smallest][:, None]
    across[rows, smallest] += 1
    return along, across / np.sqrt(np.sum(across**2, axis=1))[:, None]


def spreads(
    source: PromptSource, context: int, prompts: int, *, tokens: bool, missing: int = 0
) -> list[HostArray]:
    """L mhat^T Lhat mhat/lam and L e^T Lhat e, both chi-square with L degrees of freedom, and the largest
    eigenvalue of Lhat, of prompts with m != 0: what two samplers are compared by.
    """

    def measure(batch: Batch) -> list[Measured]:
        keep = batch.latents.squared_norm > 0
        m, gram = batch.latents.m[keep], batch.statistics.gram[keep]
        along, across = directions(m)
        values = (
            context * _form(gram, along, along) / (1 + np.sum(m**2, axis=1)),
            context * _form(gram, across, across),
            np.linalg.eigvalsh(gram)[:, -1],
        )
        return [_constant(value, 0.0, 0.0) for value in values]

    found = gather(source, context, prompts, measure, tokens=tokens, missing=missing)
    return [measured.error for measured in found]


def _form(gram: HostArray, left: HostArray, right: HostArray) -> HostArray:
    """left^T Lhat right, prompt by prompt."""
    found: HostArray = np.einsum("ni,nij,nj->n", left, gram, right)
    return found


def _constant(values: HostArray, expected: float, twin: float) -> Measured:
    ones = np.ones_like(values)
    return Measured(values - expected, (twin - expected) * ones, expected * ones)
