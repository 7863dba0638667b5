"""The whole command `simulate`, as ratios measured in one run, imports taken off.

Run with ``pytest tests/benchmarks/bench_simulate.py -s``; each prints what share of the time went where.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import threadpoolctl
from pytest_benchmark.fixture import BenchmarkFixture

from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import ScalarStack
from numerics.simulation.arrays import MissingBackend, load_backend
from numerics.simulation.prompts import (
    Batch,
    PromptSource,
    Tokens,
    sample_latents,
    sample_tokens,
    statistics_of,
)
from tests.benchmarks.shares import Shares
from tests.imports import ROOT

pytestmark = pytest.mark.usefixtures("quiet_machine", "two_threads")

DEEP = {
    "squared_norm": "atoms({1: 1/2, 3: 1/2})",
    "dims": ("4,3",),
    "context": "40",
    "prompts": "20000",
    "models": "one_parameter,least_squares",
}
LONG = {"prompts": "40000", "depth": "1:16"}


@pytest.fixture
def two_threads() -> Iterator[None]:
    """As a machine with two processors has them."""
    with threadpoolctl.threadpool_limits(2):
        yield


def run(options: dict[str, Any]) -> Shares:
    """One simulation in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.shares", json.dumps(options)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return Shares(**json.loads(done.stdout))


def measured(benchmark: BenchmarkFixture, **cases: dict[str, Any]) -> list[Shares]:
    """The cases in turn, three times over; the fastest of each."""
    rounds = [{name: run(options) for name, options in cases.items()} for _ in range(3)]
    best = [min((found[name] for found in rounds), key=lambda shares: shares.seconds) for name in cases]
    for name, shares in zip(cases, best, strict=True):
        print(f"\n{name}: {shares}", end="")
        benchmark.extra_info[name] = str(shares)
    benchmark.pedantic(lambda: None, rounds=1)
    return best


def test_400_depths_against_one(benchmark: BenchmarkFixture) -> None:
    one, many = measured(benchmark, one=DEEP | {"depth": "1"}, many=DEEP | {"depth": "1:400"})
    assert many.seconds <= 15 * one.seconds


def test_the_work_grows_as_the_depths(benchmark: BenchmarkFixture) -> None:
    few, many = measured(benchmark, few=DEEP | {"depth": "1:100"}, many=DEEP | {"depth": "1:400"})
    assert many.seconds <= 4.2 * few.seconds
    assert many.parts["theory"] <= 4.5 * few.parts["theory"]


def test_the_context_costs_nothing(benchmark: BenchmarkFixture) -> None:
    short, long = measured(benchmark, short={"context": "1000"} | LONG, long={"context": "1000000"} | LONG)
    assert long.seconds <= 1.2 * short.seconds


def test_two_processes(benchmark: BenchmarkFixture) -> None:
    options = DEEP | {"depth": "1:400", "prompts": "1200000"}
    one, two = (run(options | {"jobs": jobs}) for jobs in ("1", "2"))
    print(f"\n1 job {one.seconds:.1f} s, 2 jobs {two.seconds:.1f} s", end="")
    benchmark.extra_info.update(one=one.seconds, two=two.seconds)
    benchmark.pedantic(lambda: None, rounds=1)
    assert one.seconds >= 25
    assert one.seconds >= 1.7 * two.seconds


PROMPTS, CONTEXT, WIDTH, DEPTH, ALPHA = 256, 1000, 32, 16, 0.2


def query_alone(x: Any, y: Any, x_query: Any) -> Any:
    """The predictions as a user would write them: the query through the layers, then the read-out."""
    f = np.zeros_like(x_query)
    for _ in range(DEPTH):
        scores = (x @ f[:, :, None])[:, :, 0]
        f = f + ALPHA * x_query - ALPHA * (scores[:, None, :] @ x)[:, 0, :] / x.shape[1]
    return (y * (x @ f[:, :, None])[:, :, 0]).mean(axis=1)


def tokens_of(dtype: str) -> tuple[Any, Tokens]:
    backend = load_backend("numpy", dtype)
    draws = backend.draws(np.random.SeedSequence(0))
    source = PromptSource(parse_law("squared_norm", "uniform(1, 4)"), (WIDTH,))
    latents = sample_latents(source, np.random.default_rng(0), draws, PROMPTS)
    return latents, sample_tokens(draws, latents, CONTEXT)


def excesses(latents: Any, tokens: Tokens) -> Any:
    """The excess risk, for every query at once."""
    batch = Batch(latents, statistics_of(tokens))
    ((_, found),) = ScalarStack("stack", {DEPTH: (ALPHA, -ALPHA)}).excess(batch)
    return found


def fastest(*actions: Callable[[], Any]) -> list[float]:
    """The least time of each in seven rounds, in which they run in turn."""
    rounds = []
    for _ in range(8):
        times = []
        for action in actions:
            begun = time.perf_counter()
            action()
            times.append(time.perf_counter() - begun)
        rounds.append(times)
    return [min(times) for times in zip(*rounds[1:], strict=True)]


def test_a_plain_program_that_carries_the_query(benchmark: BenchmarkFixture) -> None:
    latents, tokens = tokens_of("float64")
    ours, plain = fastest(
        lambda: excesses(latents, tokens), lambda: query_alone(tokens.x, tokens.y, tokens.x_query)
    )
    benchmark.extra_info.update(ours=ours, plain=plain)
    print(f"\nours {ours:.4f} s, plain {plain:.4f} s", end="")
    benchmark(lambda: excesses(latents, tokens))
    assert ours <= 2 * plain


def test_float32(benchmark: BenchmarkFixture) -> None:
    wide, narrow = tokens_of("float64"), tokens_of("float32")
    double, single = fastest(lambda: excesses(*wide), lambda: excesses(*narrow))
    benchmark.extra_info.update(float64=double, float32=single)
    print(f"\nfloat64 {double:.4f} s, float32 {single:.4f} s", end="")
    benchmark(lambda: excesses(*narrow))
    assert single <= 0.65 * double


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_gpu(benchmark: BenchmarkFixture, dtype: str) -> None:
    """For the record: many prompts on the GPU and on the host."""
    try:
        load_backend("cupy")
    except MissingBackend as missing:
        pytest.skip(str(missing))
    options = DEEP | {"depth": "1:64", "prompts": "2000000", "dtype": dtype}
    measured(benchmark, host=options, gpu=options | {"backend": "cupy"})
