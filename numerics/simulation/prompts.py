"""Prompts of the latent factor model, and what a linear predictor's risk on them is.

A prompt draws m in R^d and zeta.  Token i has a latent u_i ~ N(0, 1), covariate
x_i = u_i m + noise with standard normal noise, and response y_i = zeta u_i.
Given (m, zeta), Cov(x) = Lambda = I + m m^T and the Bayes predictor is w^T x
with w = zeta m / (1 + ||m||^2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from array_api_compat import array_namespace, device

from numerics.simulation.arrays import (
    Array,
    Backend,
    HostArray,
    MemoryBudgetError,
    SimulationInputError,
    format_bytes,
    like,
)
from numerics.simulation.spectrum import Spectrum
from numerics.simulation.streams import Draws

LATENTS, TOKENS = 0, 1
"""The parts of a chunk that have a stream each: norms and zeta; directions and tokens."""


class SquaredNormLaw(Protocol):
    """A law of s = ||m||^2, or of the two squared norms of m = [v; r]."""

    @property
    def modalities(self) -> tuple[Any, ...] | None:
        """The laws of ||v||^2 and ||r||^2, independent; None if m as a whole is isotropic."""
        ...

    def sample(self, rng: np.random.Generator, size: int) -> HostArray:
        """Independent values of s, shape (size,)."""
        ...


class ZetaLaw(Protocol):
    """A law of zeta."""

    @property
    def second_moment(self) -> float:
        """E zeta^2 > 0, the unit of every loss."""
        ...

    def sample(self, rng: np.random.Generator, size: int) -> HostArray:
        """Independent values of zeta, shape (size,)."""
        ...


@dataclass(frozen=True)
class NormalZeta:
    """zeta ~ N(0, scale^2); zeta and -zeta have one law."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.scale < np.inf:
            raise SimulationInputError(f"zeta: the scale must be positive and finite, not {self.scale}")

    @property
    def second_moment(self) -> float:
        """E zeta^2."""
        return self.scale**2

    def sample(self, rng: np.random.Generator, size: int) -> HostArray:
        """See :class:`ZetaLaw`."""
        return self.scale * rng.standard_normal(size)


@dataclass(frozen=True)
class FixedZeta:
    """zeta = value in every prompt, so of one sign."""

    value: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < abs(self.value) < np.inf:
            raise SimulationInputError(f"zeta: the value must be finite and not 0, not {self.value}")

    @property
    def second_moment(self) -> float:
        """E zeta^2."""
        return self.value**2

    def sample(self, rng: np.random.Generator, size: int) -> HostArray:
        """See :class:`ZetaLaw`."""
        return np.full(size, self.value)


@dataclass(frozen=True)
class PromptSource:
    """The law of the prompts, and the seed that fixes them.

    dims: widths of the blocks of m, each >= 1; one for each law in `law.modalities` if there are any.
    key:  sources that differ in it are independent.
    """

    law: SquaredNormLaw
    dims: tuple[int, ...]
    zeta: ZetaLaw = field(default_factory=NormalZeta)
    seed: int = 0
    key: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.dims or any(width < 1 for width in self.dims):
            raise SimulationInputError(f"dims: every width must be at least 1, not {self.dims}")
        parts = self.law.modalities
        if parts is not None and len(parts) != len(self.dims):
            raise SimulationInputError(f"dims: {len(parts)} modalities need as many widths, not {self.dims}")
        if self.seed < 0:
            raise SimulationInputError(f"seed: must be at least 0, not {self.seed}")

    @property
    def dimension(self) -> int:
        """d, the width of m."""
        return sum(self.dims)

    def seeds(self, context: int, chunk: int, part: int) -> np.random.SeedSequence:
        """The seeds of one stream; each width, context, chunk and part (`LATENTS`, `TOKENS`) has its own."""
        shape = (len(self.dims), *self.dims, context)
        return np.random.SeedSequence(self.seed, spawn_key=(*self.key, *shape, chunk, part))


@dataclass(frozen=True)
class Latents:
    """What a prompt fixes before its tokens: m (n, d) and zeta (n,)."""

    m: Array
    zeta: Array

    @cached_property
    def squared_norm(self) -> Array:
        """s = ||m||^2, shape (n,)."""
        return array_namespace(self.m).vecdot(self.m, self.m)

    @property
    def share(self) -> Array:
        """zeta/(1 + s), shape (n,)."""
        return self.zeta / (1 + self.squared_norm)

    @cached_property
    def regression_vector(self) -> Array:
        """w = Lambda^-1 zeta m, shape (n, d)."""
        return self.m * self.share[:, None]


@dataclass(frozen=True)
class Tokens:
    """x (n, L, d), y (n, L), and the query x_query (n, d), y_query (n,)."""

    x: Array
    y: Array
    x_query: Array
    y_query: Array


@dataclass(frozen=True)
class Statistics:
    """All that a predictor linear in the query needs of a context of L tokens.

    gram (n, d, d) = (1/L) sum x_i x_i^T, cross (n, d) = (1/L) sum y_i x_i,
    power (n,) = (1/L) sum y_i^2, mean_response (n,) = (1/L) sum y_i.
    """

    gram: Array
    cross: Array
    power: Array
    mean_response: Array
    context: int


@dataclass(frozen=True)
class Batch:
    """Prompts with their statistics, and their tokens if those were asked for."""

    latents: Latents
    statistics: Statistics
    tokens: Tokens | None = None

    @cached_property
    def spectrum(self) -> Spectrum:
        """The contexts in the eigenbasis of their Gram matrices."""
        given, latents = self.statistics, self.latents
        return Spectrum.of(given.gram, given.cross, latents.m, latents.share)


def excess_risk(latents: Latents, theta: Array, intercept: Array | None = None) -> Array:
    """E[(theta^T x_q + intercept - w^T x_q)^2] over the query, given the rest; shape (n,).

    theta (n, d), intercept (n,).  Equals (theta - w)^T Lambda (theta - w) + intercept^2: the excess
    over the Bayes risk, as y_q - w^T x_q is uncorrelated with x_q.
    """
    xp = array_namespace(theta)
    error = theta - latents.regression_vector
    along = xp.vecdot(latents.m, error)
    excess = xp.vecdot(error, error) + along * along
    return excess if intercept is None else excess + intercept * intercept


def sample_latents(
    source: PromptSource, rng: np.random.Generator, draws: Draws, prompts: int, of: int | None = None
) -> Latents:
    """m with a uniform direction in each independent block, zeta from its law.

    The norms come from `rng`, on the host: one number a prompt and modality.
    of: how many prompts there are in all, of which these are the first.
    """
    whole = source.law.modalities is None
    laws: tuple[Any, ...] = (source.law,) if source.law.modalities is None else source.law.modalities
    size = prompts if of is None else of
    squares = np.stack([law.sample(rng, size) for law in laws], axis=-1)[:prompts]
    zeta = source.zeta.sample(rng, size)[:prompts]
    xp = array_namespace(normal := draws.normal((prompts, source.dimension)))
    norms = like(normal, np.sqrt(squares))
    blocks, first = [], 0
    for index, width in enumerate([source.dimension] if whole else source.dims):
        direction = normal[:, first : first + width]
        length = xp.sqrt(xp.vecdot(direction, direction))
        blocks.append(direction * (norms[:, index] / length)[:, None])
        first += width
    return Latents(xp.concat(blocks, axis=1), like(normal, zeta))


def sample_tokens(draws: Draws, latents: Latents, context: int) -> Tokens:
    """Contexts of `context` tokens and a query, token by token."""
    prompts, dimension = latents.m.shape
    u = draws.normal((prompts, context + 1))
    x = draws.normal((prompts, context, dimension))
    x += u[:, :context, None] * latents.m[:, None, :]
    query = draws.normal((prompts, dimension)) + u[:, context, None] * latents.m
    y = latents.zeta[:, None] * u
    return Tokens(x, y[:, :context], query, y[:, context])


def statistics_of(tokens: Tokens) -> Statistics:
    """The statistics of the contexts; the query is not among them."""
    xp = array_namespace(tokens.x)
    context = tokens.x.shape[1]
    gram = xp.matmul(xp.matrix_transpose(tokens.x), tokens.x)
    gram /= context
    cross = xp.matmul(tokens.y[:, None, :], tokens.x)[:, 0, :] / context
    power = xp.vecdot(tokens.y, tokens.y) / context
    return Statistics(gram, cross, power, xp.mean(tokens.y, axis=1), context)


def sample_statistics(draws: Draws, latents: Latents, context: int) -> Statistics:
    """The statistics of contexts of `context` tokens, from one Wishart draw a prompt.

    With g_i = (u_i, noise_i), the matrix sum g_i g_i^T is Wishart(I, L) and equals T T^T in law,
    T lower trapezoidal with K = min(L, d+1) columns, standard normal below the diagonal and
    T_jj^2 ~ chi2(L - j) on it (Bartlett).  As (x, y) is linear in g, so are the rows of T that
    give the statistics.  The cost does not depend on L once L > d.
    """
    prompts, dimension = latents.m.shape
    columns = min(context, dimension + 1)
    normal = draws.normal((prompts, dimension, columns))
    xp = array_namespace(normal)
    # sum u_i = sqrt(L) along, and sum u_i^2 = along^2 + chi2(L - 1): their joint law.
    along = draws.normal((prompts,))
    chi_square = draws.chi_square(prompts, [context - max(j, 1) for j in range(columns)])
    length = xp.sqrt(along * along + chi_square[:, 0])
    root = xp.tril(normal)
    if columns > 1:
        shifted = xp.eye(dimension, columns - 1, dtype=normal.dtype, device=device(normal))
        root[:, :, 1:] += shifted * xp.sqrt(chi_square[:, None, 1:])
    root[:, :, 0] += length[:, None] * latents.m
    gram = xp.matmul(root, xp.matrix_transpose(root))
    gram /= context
    scaled = latents.zeta * length
    cross = root[:, :, 0] * (scaled / context)[:, None]
    return Statistics(gram, cross, scaled * scaled / context, latents.zeta * along / context**0.5, context)


def chunk_prompts(source: PromptSource, context: int, backend: Backend, *, tokens: bool = False) -> int:
    """Prompts a chunk: a power of 2 that the shape of a prompt and the array library fix."""
    numbers, kept = _numbers(source, context, tokens)
    most = min(backend.chunk_prompts, backend.chunk_numbers // (numbers + kept))
    return 1 << (max(1, most).bit_length() - 1)


def _numbers(source: PromptSource, context: int, tokens: bool) -> tuple[int, int]:
    """Numbers that one prompt is drawn from, and that are kept of it."""
    width = source.dimension
    # A Bartlett factor has at most d + 1 columns; tokens are L rows of (x, y) and the query.
    numbers = (context + 1 if tokens else min(context, width + 1)) * (width + 1)
    return numbers, width * (width + 4) + (numbers if tokens else 0)


def chunks(
    source: PromptSource, context: int, prompts: int, backend: Backend, *, tokens: bool = False
) -> Iterator[tuple[int, int]]:
    """(index, prompts) of each chunk; only the last one may be smaller.

    Raises SimulationInputError for a context or a number of prompts below 1.
    """
    if context < 1:
        raise SimulationInputError(f"context: must be at least 1, not {context}")
    if prompts < 1:
        raise SimulationInputError(f"prompts: must be at least 1, not {prompts}")
    size = chunk_prompts(source, context, backend, tokens=tokens)
    return ((index, min(size, prompts - index * size)) for index in range(-(-prompts // size)))


def check_memory(
    source: PromptSource,
    context: int,
    prompts: int,
    backend: Backend,
    memory: int,
    *,
    tokens: bool = False,
    workspace: int = 0,
) -> None:
    """Raises MemoryBudgetError if so many bytes do not hold a chunk and the caller's work on it.

    workspace: numbers a prompt that the caller needs for its own work.
    """
    size = min(prompts, chunk_prompts(source, context, backend, tokens=tokens))
    numbers, kept = _numbers(source, context, tokens)
    # The last chunk is still there while the next one is drawn.
    held = kept + max(3 * numbers + source.dimension**2 + kept, workspace)
    if (least := size * held * backend.item_bytes + backend.drawing_bytes) > memory:
        raise MemoryBudgetError(
            f"memory: a chunk ({size} prompts of context {context} and width {source.dimension}) needs"
            f" {format_bytes(least)}, there are {format_bytes(memory)} for it"
        )


def draw(
    source: PromptSource, context: int, backend: Backend, index: int, prompts: int, *, tokens: bool = False
) -> Batch:
    """The first prompts of a chunk: token by token, the tokens kept, or from the sufficient statistics.

    Every chunk has streams of its own, so that its prompts depend on the seed, the shape and `tokens` alone.
    """
    rng = np.random.default_rng(source.seeds(context, index, LATENTS))
    draws = backend.draws(source.seeds(context, index, TOKENS))
    size = chunk_prompts(source, context, backend, tokens=tokens)
    latents = sample_latents(source, rng, draws, prompts, size)
    if not tokens:
        return Batch(latents, sample_statistics(draws, latents, context))
    drawn = sample_tokens(draws, latents, context)
    return Batch(latents, statistics_of(drawn), drawn)


def batches(
    source: PromptSource,
    context: int,
    prompts: int,
    backend: Backend,
    memory: int,
    *,
    tokens: bool = False,
    workspace: int = 0,
) -> Iterator[Batch]:
    """`prompts` prompts, chunk by chunk; see `chunks`, `check_memory` and `draw`."""
    parts = chunks(source, context, prompts, backend, tokens=tokens)
    check_memory(source, context, prompts, backend, memory, tokens=tokens, workspace=workspace)
    return (draw(source, context, backend, index, count, tokens=tokens) for index, count in parts)
