from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import ks_2samp, norm

from numerics.laws.syntax import parse_law
from numerics.simulation.arrays import (
    Backend,
    HostArray,
    MemoryBudgetError,
    SimulationInputError,
    load_backend,
)
from numerics.simulation.prompts import (
    LATENTS,
    Batch,
    FixedZeta,
    Latents,
    NormalZeta,
    PromptSource,
    Statistics,
    Tokens,
    batches,
    chunk_prompts,
    chunks,
    draw,
    excess_risk,
    sample_statistics,
    sample_tokens,
    statistics_of,
)

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
TWO = parse_law("modalities", "uniform(1, 2)", "point(9)")
MEMORY = 10**9
NUMPY = load_backend()

# Chance of a false alarm in one comparison; there are some hundreds below, at fixed seeds.
LEVEL = 1e-5


def same_latents(prompts: int, m: list[float], zeta: float, backend: Backend = NUMPY) -> Latents:
    return Latents(backend.asarray(np.tile(m, (prompts, 1))), backend.asarray(np.full(prompts, zeta)))


def by_tokens(latents: Latents, context: int, seed: int) -> Statistics:
    return statistics_of(sample_tokens(NUMPY.draws(np.random.SeedSequence(seed)), latents, context))


def by_wishart(latents: Latents, context: int, seed: int) -> Statistics:
    return sample_statistics(NUMPY.draws(np.random.SeedSequence(seed)), latents, context)


def assert_mean(sample: HostArray, mean: HostArray | float) -> None:
    """The mean over prompts (first axis) is `mean`, entry by entry."""
    error = sample.std(axis=0, ddof=1) / len(sample) ** 0.5
    assert np.all(np.abs(sample.mean(axis=0) - mean) <= norm.isf(LEVEL) * error + 1e-12)


def joined(found: list[Batch]) -> dict[str, HostArray]:
    parts = ("m", "zeta"), ("gram", "cross", "power", "mean_response")
    return {name: np.concatenate([getattr(b.latents, name) for b in found]) for name in parts[0]} | {
        name: np.concatenate([getattr(b.statistics, name) for b in found]) for name in parts[1]
    }


def test_m_has_the_norm_of_the_law_and_a_uniform_direction(backend: Backend) -> None:
    source = PromptSource(UNIFORM, (3, 2), seed=4)
    (batch,) = batches(source, 3, 4000, backend, MEMORY)
    m = backend.to_host(batch.latents.m)
    size = chunk_prompts(source, 3, backend)
    drawn = UNIFORM.sample(np.random.default_rng(source.seeds(3, 0, LATENTS)), size)[:4000]
    np.testing.assert_allclose((m**2).sum(axis=1), drawn, rtol=1e-13)
    outer = m[:, :, None] * m[:, None, :]
    assert_mean(outer / drawn[:, None, None], np.eye(5) / 5)
    assert_mean(m, 0.0)


def test_modalities_have_norms_of_their_own() -> None:
    (batch,) = batches(PromptSource(TWO, (3, 2)), 3, 2000, NUMPY, MEMORY)
    v, r = batch.latents.m[:, :3], batch.latents.m[:, 3:]
    p = (v**2).sum(axis=1)
    assert 1 <= p.min() < 1.01
    assert 1.99 < p.max() <= 2
    np.testing.assert_allclose((r**2).sum(axis=1), 9, rtol=1e-13)
    assert_mean(v[:, :, None] * r[:, None, :], 0.0)


def test_zeta() -> None:
    (batch,) = batches(PromptSource(UNIFORM, (2,), NormalZeta(3.0)), 1, 4000, NUMPY, MEMORY)
    assert_mean(batch.latents.zeta**2, NormalZeta(3.0).second_moment)
    (batch,) = batches(PromptSource(UNIFORM, (2,), FixedZeta(-2.0)), 1, 10, NUMPY, MEMORY)
    assert np.all(batch.latents.zeta == -2)
    assert FixedZeta(-2.0).second_moment == 4


def test_tokens_follow_the_model() -> None:
    m, zeta = np.array([1.0, -0.5, 2.0]), -1.5
    latents = same_latents(20_000, list(m), zeta)
    tokens = sample_tokens(NUMPY.draws(np.random.SeedSequence(1)), latents, 2)
    assert tokens.x.shape == (20_000, 2, 3)
    assert tokens.y.shape == (20_000, 2)
    assert tokens.x_query.shape == (20_000, 3)
    covariance = np.eye(3) + np.outer(m, m)
    for x, y in [(tokens.x[:, 0], tokens.y[:, 0]), (tokens.x_query, tokens.y_query)]:
        assert_mean(x[:, :, None] * x[:, None, :], covariance)
        assert_mean(x * y[:, None], zeta * m)
        assert_mean((y - x @ np.linalg.solve(covariance, zeta * m)) ** 2, zeta**2 / (1 + m @ m))
    # Tokens of one context are independent of each other and of the query.
    assert_mean(tokens.x[:, 0, :, None] * tokens.x[:, 1, None, :], 0.0)
    assert_mean(tokens.y[:, 0] * tokens.y_query, 0.0)


def test_statistics_of_tokens(backend: Backend) -> None:
    latents = same_latents(3, [1.0, 2.0], 0.5, backend)
    tokens = sample_tokens(backend.draws(np.random.SeedSequence(2)), latents, 7)
    found = statistics_of(tokens)
    x, y = backend.to_host(tokens.x), backend.to_host(tokens.y)
    expected = {
        "gram": np.einsum("nli,nlj->nij", x, x) / 7,
        "cross": np.einsum("nl,nli->ni", y, x) / 7,
        "power": (y**2).mean(axis=1),
        "mean_response": y.mean(axis=1),
    }
    for name, value in expected.items():
        np.testing.assert_allclose(backend.to_host(getattr(found, name)), value, rtol=1e-13, atol=1e-14)


SUMMARIES: dict[str, Callable[[Statistics], HostArray]] = {
    "trace": lambda s: np.trace(s.gram, axis1=1, axis2=2),
    "largest eigenvalue": lambda s: np.linalg.eigvalsh(s.gram)[:, -1],
    "third eigenvalue": lambda s: np.linalg.eigvalsh(s.gram)[:, -3],
    "gram entry": lambda s: s.gram[:, 0, 2],
    "cross": lambda s: s.cross[:, 1],
    "power": lambda s: s.power,
    "mean response": lambda s: s.mean_response,
    "response spread": lambda s: s.power - s.mean_response**2,
    "joint": lambda s: np.einsum("ni,nij,nj->n", s.cross, s.gram, s.cross) * s.mean_response,
}


def p_values(first: Statistics, second: Statistics) -> dict[str, float]:
    return {
        name: float(ks_2samp(np.round(summary(first), 12), np.round(summary(second), 12)).pvalue)
        for name, summary in SUMMARIES.items()
    }


@pytest.mark.parametrize("context", [1, 2, 3, 4, 5, 6, 40])
def test_the_two_samplers_have_one_distribution(context: int) -> None:
    latents = same_latents(4000, [1.0, 0.5, -1.0, 0.3], 1.5)
    found = p_values(by_tokens(latents, context, 1), by_wishart(latents, context, 2))
    assert min(found.values()) > LEVEL, found


def test_wrong_degrees_of_freedom_are_found_out() -> None:
    latents = same_latents(4000, [1.0, 0.5, -1.0, 0.3], 1.5)
    wrong = by_wishart(latents, 8, 2)
    assert min(p_values(by_tokens(latents, 6, 1), wrong).values()) < LEVEL


@pytest.mark.parametrize("sampler", [by_tokens, by_wishart])
@pytest.mark.parametrize("context", [2, 9])
def test_moments_of_the_statistics(sampler: Callable[..., Statistics], context: int) -> None:
    m, zeta = np.array([1.0, 0.5, -1.0]), 1.5
    found = sampler(same_latents(20_000, list(m), zeta), context, 3)
    lam = np.eye(3) + np.outer(m, m)
    assert_mean(found.gram, lam)
    assert_mean(found.cross, zeta * m)
    spread = (np.outer(np.diag(lam), np.diag(lam)) + lam**2) / context
    assert_mean((found.gram - lam) ** 2, spread)
    assert_mean((found.cross - zeta * m) ** 2, zeta**2 * (np.diag(lam) + m**2) / context)
    assert_mean(
        (found.gram - lam)[:, 0, 0] * (found.cross - zeta * m)[:, 1], 2 * zeta * m[0] * lam[0, 1] / context
    )
    assert_mean(found.power, zeta**2)
    assert_mean(found.mean_response**2, zeta**2 / context)


@pytest.mark.parametrize("context", [1, 2, 5])
def test_rank_of_a_short_context(context: int) -> None:
    found = by_wishart(same_latents(5, [1.0, 0.5, -1.0, 0.3, 0.0, 2.0], 1.0), context, 0)
    assert list(np.linalg.matrix_rank(found.gram)) == [context] * 5


def test_excess_risk_is_the_quadratic_form(backend: Backend) -> None:
    rng = np.random.default_rng(5)
    m, zeta, theta, shift = (
        rng.standard_normal((6, 4)),
        rng.standard_normal(6),
        rng.standard_normal((6, 4)),
        0.7,
    )
    latents = Latents(backend.asarray(m), backend.asarray(zeta))
    found = excess_risk(latents, backend.asarray(theta), backend.asarray(np.full(6, shift)))
    for i in range(6):
        lam = np.eye(4) + np.outer(m[i], m[i])
        error = theta[i] - np.linalg.solve(lam, zeta[i] * m[i])
        assert backend.to_host(found)[i] == pytest.approx(error @ lam @ error + shift**2, rel=1e-12)
    best = excess_risk(latents, latents.regression_vector)
    assert np.all(backend.to_host(best) == 0)


def test_prompts_do_not_depend_on_the_work_done_with_them() -> None:
    source = PromptSource(UNIFORM, (3, 2), seed=7)
    for tokens in (False, True):
        size = chunk_prompts(source, 20, NUMPY, tokens=tokens)
        whole = list(batches(source, 20, 2 * size + 70, NUMPY, MEMORY, tokens=tokens))
        small = list(batches(source, 20, 2 * size + 70, NUMPY, MEMORY // 3, tokens=tokens, workspace=500))
        assert [len(batch.latents.zeta) for batch in whole] == [size, size, 70]
        alone = draw(source, 20, NUMPY, 1, size, tokens=tokens)
        for name, values in joined(whole).items():
            assert np.array_equal(values, joined(small)[name]), name
            assert np.array_equal(values[size : 2 * size], joined([alone])[name]), name


def test_fewer_prompts_are_the_first_ones() -> None:
    source = PromptSource(UNIFORM, (3, 2), seed=7)
    many, few = (joined(list(batches(source, 20, count, NUMPY, MEMORY))) for count in (200, 70))
    assert all(np.array_equal(many[name][:70], few[name]) for name in many)


def test_seeds_and_keys_give_other_prompts() -> None:
    def m(seed: int, key: tuple[int, ...] = ()) -> HostArray:
        return joined(list(batches(PromptSource(UNIFORM, (3,), seed=seed, key=key), 5, 70, NUMPY, MEMORY)))[
            "m"
        ]

    assert np.array_equal(m(1), m(1))
    assert not np.any(m(1) == m(2))
    assert not np.any(m(1) == m(1, (0,)))
    # Chunks have streams of their own.
    source = PromptSource(UNIFORM, (3,), seed=1)
    first, second = (draw(source, 5, NUMPY, index, 6).latents.m for index in (0, 1))
    assert not np.any(first == second)


def test_contexts_and_widths_have_streams_of_their_own() -> None:
    def drawn(dims: tuple[int, ...], context: int) -> set[float]:
        found = joined(list(batches(PromptSource(UNIFORM, dims), context, 70, NUMPY, MEMORY)))
        return {*found["zeta"], *np.round((found["m"] ** 2).sum(axis=1), 12)}

    shapes = [((3, 2), 5), ((3, 2), 6), ((5,), 5), ((2, 3), 5), ((3,), 5)]
    found = [drawn(*shape) for shape in shapes]
    assert len(set().union(*found)) == 140 * len(shapes)


class Constant:
    """A squared norm that takes nothing from the stream, so that zeta is the first to be drawn."""

    modalities = None

    def sample(self, rng: np.random.Generator, size: int) -> HostArray:
        return np.full(size, 2.0)


@pytest.mark.parametrize("tokens", [False, True])
def test_zeta_says_nothing_of_the_direction_and_the_tokens(tokens: bool) -> None:
    found = joined(
        list(batches(PromptSource(Constant(), (1,), seed=3), 4, 20_000, NUMPY, MEMORY, tokens=tokens))
    )
    zeta, gram, m = found["zeta"], found["gram"][:, 0, 0], found["m"][:, 0]
    for pair in (zeta * m, np.abs(zeta) * m, zeta * (gram - 3), (zeta**2 - 1) * (gram - 3)):
        assert_mean(pair, 0.0)
    assert_mean(found["mean_response"] / zeta * np.sign(m), 0.0)


def test_the_standard_to_the_letter_gives_the_same_prompts(backend: Backend) -> None:
    source = PromptSource(TWO, (3, 2), seed=7)
    for tokens in (False, True):
        (expected,) = batches(source, 4, 70, NUMPY, MEMORY, tokens=tokens)
        (found,) = batches(source, 4, 70, backend, MEMORY, tokens=tokens)
        gram = backend.to_host(found.statistics.gram)
        assert gram.shape == (70, 5, 5)
        if backend.name != "cupy":
            np.testing.assert_allclose(gram, expected.statistics.gram, rtol=1e-12)


def test_chunks_are_fixed_by_the_shape() -> None:
    def size(context: int, dims: tuple[int, ...], tokens: bool = False) -> int:
        return chunk_prompts(PromptSource(UNIFORM, dims), context, NUMPY, tokens=tokens)

    assert size(50, (3, 2)) == size(10**9, (3, 2)) == size(10**9, (2, 3)) == 4096
    assert size(1000, (64,)) == 128
    assert size(1000, (64,), tokens=True) == 8
    assert size(10**6, (5,), tokens=True) == 1
    assert list(chunks(PromptSource(UNIFORM, (5,)), 50, 10_000, NUMPY)) == [(0, 4096), (1, 4096), (2, 1808)]


@pytest.mark.parametrize(
    ("context", "dims", "tokens"), [(2000, (8, 8), True), (10**6, (60, 40), False), (50, (3, 2), False)]
)
def test_peak_memory_is_what_is_asked_for(context: int, dims: tuple[int, ...], tokens: bool) -> None:
    source = PromptSource(UNIFORM, dims)
    prompts = 3 * chunk_prompts(source, context, NUMPY, tokens=tokens) + 7
    with pytest.raises(MemoryBudgetError) as small:
        batches(source, context, prompts, NUMPY, 1000, tokens=tokens)
    needed = re.search(r"needs ([0-9.]+) (.)B", str(small.value))
    assert needed is not None
    budget = round(1.01 * float(needed[1]) * {"k": 1e3, "M": 1e6}[needed[2]])
    list(batches(source, 2, 1, NUMPY, budget))
    tracemalloc.start()
    count = sum(
        len(batch.latents.zeta) for batch in batches(source, context, prompts, NUMPY, budget, tokens=tokens)
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == prompts
    assert budget / 4 <= peak <= budget


def test_bad_input() -> None:
    source = PromptSource(UNIFORM, (3, 2))
    for dims in ((), (0,), (3, 0), (-1, 2)):
        with pytest.raises(SimulationInputError, match=r"^dims: every width must be at least 1"):
            PromptSource(UNIFORM, dims)
    with pytest.raises(SimulationInputError, match="2 modalities need as many widths"):
        PromptSource(TWO, (5,))
    with pytest.raises(SimulationInputError, match="seed"):
        PromptSource(UNIFORM, (5,), seed=-1)
    with pytest.raises(SimulationInputError, match="context: must be at least 1"):
        batches(source, 0, 10, NUMPY, MEMORY)
    with pytest.raises(SimulationInputError, match="prompts: must be at least 1"):
        batches(source, 10, 0, NUMPY, MEMORY)
    with pytest.raises(MemoryBudgetError, match=r"^memory: a chunk \(10 prompts .* needs .*, there are 1 kB"):
        batches(source, 10, 10, NUMPY, 1000, tokens=True)
    for value in (0.0, np.nan, np.inf):
        with pytest.raises(SimulationInputError, match="zeta"):
            FixedZeta(value)
        with pytest.raises(SimulationInputError, match="zeta"):
            NormalZeta(value)


def test_tokens_are_kept_if_asked_for() -> None:
    (batch,) = batches(PromptSource(UNIFORM, (3,)), 9, 5, NUMPY, MEMORY, tokens=True)
    assert isinstance(batch.tokens, Tokens)
    assert batch.tokens.x.shape == (5, 9, 3)
    (batch,) = batches(PromptSource(UNIFORM, (3,)), 9, 5, NUMPY, MEMORY)
    assert batch.tokens is None
