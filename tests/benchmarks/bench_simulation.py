"""Speed and memory of the simulation, as ratios measured in one run.

Run with ``pytest tests/benchmarks/bench_simulation.py [--backend cupy]``.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from numerics.laws.syntax import parse_law
from numerics.simulation.arrays import Array, Backend
from numerics.simulation.attention import (
    LayerWeights,
    all_rows,
    embeddings,
    read_out,
)
from numerics.simulation.prompts import (
    Batch,
    Latents,
    PromptSource,
    Tokens,
    batches,
    sample_latents,
    sample_statistics,
    sample_tokens,
    statistics_of,
)
from tests.numerics.simulation.routes import (
    embeddings_through_gram,
    one_parameter,
    one_parameter_stack,
    weight_vectors,
)

pytestmark = pytest.mark.usefixtures("quiet_machine")

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
WEIGHTS = one_parameter(0.2)
MEMORY_OVER_BUDGET = 200 * 10**6


def synchronize(backend: Backend) -> None:
    if backend.name == "cupy":
        backend.xp.cuda.Device().synchronize()


def seconds(action: Callable[[], Any], backend: Backend, rounds: int = 7) -> float:
    """Median time of the action, after one run to warm up."""
    times = []
    for _ in range(rounds + (rounds > 1)):
        synchronize(backend)
        start = time.perf_counter()
        action()
        synchronize(backend)
        times.append(time.perf_counter() - start)
    return float(np.median(times[rounds > 1 :]))


def ratio(first: Callable[[], Any], second: Callable[[], Any], backend: Backend, rounds: int = 41) -> float:
    """Median over rounds of the time of the first action over that of the second, run in turn."""
    pairs = [(seconds(first, backend, 1), seconds(second, backend, 1)) for _ in range(rounds)]
    return float(np.median([one / other for one, other in pairs[1:]]))


def draw(backend: Backend, prompts: int, context: int, dimension: int) -> tuple[Latents, Tokens]:
    draws = backend.draws(np.random.SeedSequence(0))
    rng = np.random.default_rng(0)
    latents = sample_latents(PromptSource(UNIFORM, (dimension,)), rng, draws, prompts)
    return latents, sample_tokens(draws, latents, context)


def matmul_rate(backend: Backend, size: int = 2048) -> float:
    """Floating-point operations a second of a large square product."""
    square = backend.draws(np.random.SeedSequence(1)).normal((size, size))
    return 2 * size**3 / seconds(lambda: square @ square, backend)


def last(iterator: Any) -> Any:
    return deque(iterator, maxlen=1)[0]


def fast_path(tokens: Tokens, weights: LayerWeights, depth: int) -> Array:
    theta = last(weight_vectors(statistics_of(tokens), weights, depth))
    return (theta * tokens.x_query).sum(axis=-1)


def through_gram(tokens: Tokens, weights: LayerWeights, depth: int) -> Array:
    f = last(embeddings_through_gram(all_rows(tokens), statistics_of(tokens).gram, weights, depth))
    return read_out(tokens, f[:, -1, :])


def by_definition(tokens: Tokens, weights: LayerWeights, depth: int, at_once: int = 8) -> list[Array]:
    """In slices: the scores of all prompts, (n, L+1, L), are 2 GB."""
    found = []
    for first in range(0, tokens.x.shape[0], at_once):
        here = slice(first, first + at_once)
        part = Tokens(tokens.x[here], tokens.y[here], tokens.x_query[here], tokens.y_query[here])
        found.append(read_out(part, last(embeddings(all_rows(part), part.x, weights, depth))[:, -1, :]))
    return found


def test_fast_path(benchmark: BenchmarkFixture, backend: Backend) -> None:
    prompts, context, dimension, depth = 256, 1000, 32, 16
    _, tokens = draw(backend, prompts, context, dimension)
    fast = seconds(lambda: fast_path(tokens, WEIGHTS, depth), backend)
    gram_once = seconds(lambda: through_gram(tokens, WEIGHTS, depth), backend, rounds=3)
    plain = seconds(lambda: by_definition(tokens, WEIGHTS, depth), backend, rounds=1)
    benchmark.extra_info.update(fast=fast, over_gram_once=gram_once / fast, over_definition=plain / fast)
    benchmark(lambda: fast_path(tokens, WEIGHTS, depth))
    if backend.name == "numpy":
        assert gram_once >= 25 * fast
        assert plain >= 500 * fast


def test_gram_rate(benchmark: BenchmarkFixture, backend: Backend) -> None:
    """Half the rate of a large matrix product; on a GPU the share is reported."""
    prompts, context, dimension = (64, 4000, 64) if backend.name == "numpy" else (4096, 1024, 128)
    _, tokens = draw(backend, prompts, context, dimension)

    def gram() -> Array:
        return backend.xp.matmul(backend.xp.matrix_transpose(tokens.x), tokens.x)

    rate = 2 * prompts * context * dimension**2 / seconds(gram, backend)
    whole = 2 * prompts * context * dimension**2 / seconds(lambda: statistics_of(tokens), backend)
    peak = matmul_rate(backend)
    benchmark.extra_info.update(share=rate / peak, share_with_cross_moment=whole / peak)
    benchmark(gram)
    if backend.name == "numpy":
        assert rate >= 0.5 * peak


def test_sampling_does_not_grow_with_the_context(benchmark: BenchmarkFixture, backend: Backend) -> None:
    latents, _ = draw(backend, 512, 1, 16)
    draws = backend.draws(np.random.SeedSequence(2))

    def sample(context: int) -> Callable[[], Any]:
        return lambda: sample_statistics(draws, latents, context)

    found = ratio(sample(10**6), sample(10**3), backend)
    benchmark.extra_info.update(ratio=found)
    benchmark(sample(10**6))
    # A tenth for the clock.
    assert found <= 1.1


@pytest.mark.parametrize(("prompts", "dimension"), [(4096, 5), (256, 32), (64, 128)])
def test_all_depths(benchmark: BenchmarkFixture, backend: Backend, prompts: int, dimension: int) -> None:
    latents, tokens = draw(backend, prompts, 2 * dimension, dimension)
    batch, depth = Batch(latents, statistics_of(tokens)), 64

    def run(depths: range) -> list[Any]:
        return list(one_parameter_stack(dict.fromkeys(depths, 0.2)).excess(batch))

    found = ratio(lambda: run(range(1, depth + 1)), lambda: run(range(depth, depth + 1)), backend)
    benchmark.extra_info.update(ratio=found)
    benchmark(lambda: run(range(1, depth + 1)))
    assert found <= 2


SWEEP = """
import re, sys
from pathlib import Path
from numerics.simulation.arrays import load_backend
from numerics.simulation.sweep import Sweep, SweepPlan
from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import LeastSquares, ScalarStack, Softmax
from numerics.simulation.prompts import PromptSource
budget, tokens = int(sys.argv[1]), sys.argv[2] == "tokens"
models = [ScalarStack("stack", {t: (0.2 / t, -0.2 / t) for t in range(1, 33)}), LeastSquares()]
models += [Softmax({4: (0.1, 0.1)})] if tokens else []
source = PromptSource(parse_law("squared_norm", "uniform(1, 4)"), (32, 32))
prompts = 2000 if tokens else 20000
list(Sweep(SweepPlan(source, [(32, 32)], [1000], prompts, lambda *_: models, load_backend(), budget)))
print(1024 * int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]))
"""


@pytest.mark.parametrize("sampler", ["tokens", "statistics"])
@pytest.mark.parametrize("budget", [10**8, 10**9])
def test_peak_memory(sampler: str, budget: int, pytestconfig: pytest.Config) -> None:
    """Of a whole process, on the host; the peak in getrusage would be that of its parent as well."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak of a process is read as Linux tells it")
    command = [sys.executable, "-c", SWEEP, str(budget), sampler]
    done = subprocess.run(command, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=True)
    assert int(done.stdout) <= budget + MEMORY_OVER_BUDGET


def test_sampling_and_passes_together(benchmark: BenchmarkFixture, backend: Backend) -> None:
    """The time of a row of the command line's table, for the record."""
    source = PromptSource(UNIFORM, (3, 2))

    def run() -> None:
        for batch in batches(source, 200, 10_000, backend, 10**9):
            list(one_parameter_stack(dict.fromkeys(range(1, 65), 0.2)).excess(batch))

    benchmark(run)
