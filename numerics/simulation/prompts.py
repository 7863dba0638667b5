"""Prompts of the latent factor model, and what a linear predictor's risk on them is.

A prompt draws m in R^d and zeta.  Token i has a latent u_i ~ N(0, 1), covariate
x_i = u_i m + noise with standard normal noise, and response y_i = zeta u_i.
Given (m, zeta), Cov(x) = Lambda = I + m m^T and the Bayes predictor is w^T x
with w = zeta m / (1 + ||m||^2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from array_api_compat import array_namespace

from numerics.simulation.arrays import (
    Array,
    Backend,
    Draws,
    HostArray,
    MemoryBudgetError,
    SimulationInputError,
    check_budget,
    format_bytes,
)
from numerics.simulation.spectrum import Spectrum

BLOCK_PROMPTS = 64
BLOCK_NUMBERS = 2**20
CHUNK_BLOCKS = 64
LATENTS, TOKENS = 0, 1
"""The parts of a block that have a stream each: norms and zeta; directions and tokens."""


class SquaredNormLaw(Protocol):
    """A law of s = ||m||^2, or of the two squared norms of m = [v; r]."""

    @property
    def modalities(self) -> tuple[Any, Any] | None:
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

    def seeds(self, context: int, block: int, part: int) -> np.random.SeedSequence:
        """The seeds of one stream; each width, context, block and part (`LATENTS`, `TOKENS`) has its own."""
        shape = (len(self.dims), *self.dims, context)
        return np.random.SeedSequence(self.seed, spawn_key=(*self.key, *shape, block, part))


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


def sample_latents(source: PromptSource, rng: np.random.Generator, draws: Draws, prompts: int) -> Latents:
    """m with a uniform direction in each independent block, zeta from its law.

    The norms come from `rng`, on the host: one number a prompt and modality.
    """
    whole = source.law.modalities is None
    laws: tuple[Any, ...] = (source.law,) if source.law.modalities is None else source.law.modalities
    squares = np.stack([law.sample(rng, prompts) for law in laws], axis=-1)
    zeta = source.zeta.sample(rng, prompts)
    xp = array_namespace(normal := draws.normal((prompts, source.dimension)))
    norms = xp.astype(xp.asarray(np.sqrt(squares)), normal.dtype)
    blocks, first = [], 0
    for index, width in enumerate([source.dimension] if whole else source.dims):
        direction = normal[:, first : first + width]
        length = xp.sqrt(xp.vecdot(direction, direction))
        blocks.append(direction * (norms[:, index] / length)[:, None])
        first += width
    return Latents(xp.concat(blocks, axis=1), xp.astype(xp.asarray(zeta), normal.dtype))


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
        shifted = xp.eye(dimension, columns - 1, dtype=normal.dtype)
        root[:, :, 1:] += shifted * xp.sqrt(chi_square[:, None, 1:])
    root[:, :, 0] += length[:, None] * latents.m
    gram = xp.matmul(root, xp.matrix_transpose(root))
    gram /= context
    scaled = latents.zeta * length
    cross = root[:, :, 0] * (scaled / context)[:, None]
    return Statistics(gram, cross, scaled * scaled / context, latents.zeta * along / context**0.5, context)


def block_prompts(numbers: int) -> int:
    """Prompts a block, where one prompt takes `numbers` numbers: a power of 2, fixed by the shape alone."""
    return 1 << (max(1, min(BLOCK_PROMPTS, BLOCK_NUMBERS // numbers)).bit_length() - 1)


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
    """`prompts` prompts in chunks of whole blocks that keep within the memory budget.

    tokens:    draw token by token and keep the tokens; otherwise from the sufficient statistics.
    memory:    bytes for everything, the caller's own work included.
    workspace: numbers a prompt that the caller needs for its own work.

    Every block has its own stream, so the prompts depend on the seed, the shape and `tokens`, but
    not on the budget.  Raises SimulationInputError for a context or a number of prompts below 1, and
    MemoryBudgetError if the budget is more than there is or does not hold one block.
    """
    if context < 1:
        raise SimulationInputError(f"context: must be at least 1, not {context}")
    if prompts < 1:
        raise SimulationInputError(f"prompts: must be at least 1, not {prompts}")
    check_budget(memory, backend)
    width = source.dimension
    # A Bartlett factor has at most d + 1 columns; tokens are L rows of (x, y) and the query.
    numbers = (context + 1 if tokens else min(context, width + 1)) * (width + 1)
    block = block_prompts(numbers)
    kept = width * (width + 4) + (numbers if tokens else 0)
    # The last batch is still there while the next one is drawn.
    held = kept + max(kept, workspace)
    fixed = 4 * block * (numbers + width * width) * backend.item_bytes
    fitting = (memory - fixed) // (block * held * backend.item_bytes)
    if fitting < 1:
        least = fixed + block * held * backend.item_bytes
        raise MemoryBudgetError(
            f"memory: the smallest batch ({block} prompts of context {context} and width {width}) needs"
            f" {format_bytes(least)}, the budget is {format_bytes(memory)}"
        )
    return _chunks(source, context, prompts, backend, block, min(fitting, CHUNK_BLOCKS), tokens)


def _chunks(
    source: PromptSource, context: int, prompts: int, backend: Backend, block: int, blocks: int, tokens: bool
) -> Iterator[Batch]:
    for start in range(0, prompts, blocks * block):
        stop = min(prompts, start + blocks * block)
        drawn = (
            _block(source, context, backend, index, block, tokens)
            for index in range(start // block, -(-stop // block))
        )
        yield _batch(drawn, stop - start)


def _block(
    source: PromptSource, context: int, backend: Backend, index: int, prompts: int, tokens: bool
) -> tuple[Latents, Statistics | Tokens]:
    rng = np.random.default_rng(source.seeds(context, index, LATENTS))
    draws = backend.draws(source.seeds(context, index, TOKENS))
    latents = sample_latents(source, rng, draws, prompts)
    if tokens:
        return latents, sample_tokens(draws, latents, context)
    return latents, sample_statistics(draws, latents, context)


def _batch(blocks: Iterable[tuple[Latents, Statistics | Tokens]], prompts: int) -> Batch:
    """The first `prompts` prompts of the blocks, of which one at a time is held."""
    whole: tuple[Any, Any] | None = None
    filled = 0
    for block in blocks:
        count = min(prompts - filled, block[0].m.shape[0])
        if whole is None:
            whole = _room(block[0], prompts), _room(block[1], prompts)
        for target, part in zip(whole, block, strict=True):
            for name in _array_names(part):
                getattr(target, name)[filled : filled + count, ...] = getattr(part, name)[:count, ...]
        filled += count
    assert whole is not None
    latents, data = whole
    return Batch(latents, statistics_of(data), data) if isinstance(data, Tokens) else Batch(latents, data)


def _array_names(part: Any) -> list[str]:
    return [field.name for field in fields(part) if field.name != "context"]


def _room(part: Any, prompts: int) -> Any:
    """Arrays like those of `part`, not yet filled, for this many prompts."""
    xp = array_namespace(getattr(part, _array_names(part)[0]))
    room = {
        name: xp.empty((prompts, *getattr(part, name).shape[1:]), dtype=getattr(part, name).dtype)
        for name in _array_names(part)
    }
    return replace(part, **room)
