"""Speed and memory of `theorem_6_2`, as ratios measured in one run.

Run with ``pytest tests/benchmarks/bench_theorem_6_2.py``.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from mpmath import mp, mpf
from pytest_benchmark.fixture import BenchmarkFixture

from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter.minimiser import minimiser
from theory.losses import one_parameter

pytestmark = pytest.mark.usefixtures("quiet_machine")

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Our modules keep their bytecode, as those of the libraries that they are measured against do."""
REPEATS = 5
IMPORTS = ("-c", "import sympy, scipy.integrate, flint")
RUN = ("-m", "proofs_check", "theorem_6_2")
DEPTHS = (1, 2, 3, 8, 32, 128)
MEMORY = 500 * 10**6
LOSS = one_parameter()


def process(*words: str, code: int = 0) -> tuple[float, int]:
    """Wall time of a whole Python process, and its largest resident memory."""
    begun = time.perf_counter()
    nowhere = subprocess.DEVNULL
    running = psutil.Popen(
        [sys.executable, *words], cwd=ROOT, env=ENVIRONMENT, stdout=nowhere, stderr=nowhere
    )
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            try:
                peak[0] = max(peak[0], running.memory_info().rss)
            except psutil.Error:
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert running.wait(timeout=600) == code
    seconds = time.perf_counter() - begun
    done.set()
    watcher.join()
    return seconds, peak[0]


def ratio(words: tuple[str, ...], base: tuple[str, ...], code: int = 0) -> float:
    """The shortest run of one over the shortest of the other, in turn, so that both meet the same machine."""
    pairs = [(process(*words, code=code)[0], process(*base)[0]) for _ in range(REPEATS + 1)]
    one, other = zip(*pairs[1:], strict=True)
    return min(one) / min(other)


def test_all_against_one_theorem(benchmark: BenchmarkFixture) -> None:
    """`all` at most 7 times `theorem_6_2`."""
    found = ratio(("-m", "proofs_check", "all"), RUN)
    benchmark.extra_info["ratio"] = round(found, 2)
    benchmark.pedantic(process, args=("-m", "proofs_check", "all"), rounds=1)
    assert found <= 7, found


@pytest.mark.parametrize(
    ("words", "code", "limit"),
    [
        (RUN, 0, 2.3),
        (("-m", "proofs_check", "--help"), 0, 1 / 3),
        (("-m", "proofs_check", "list"), 0, 1 / 3),
        (("-m", "proofs_check", "--nothing"), 2, 1 / 3),
    ],
    ids=["default", "help", "list", "usage error"],
)
def test_whole_processes(
    benchmark: BenchmarkFixture, words: tuple[str, ...], code: int, limit: float
) -> None:
    """Against the import of the three libraries that carry the weight."""
    found = ratio(words, IMPORTS, code)
    benchmark.pedantic(process, words, {"code": code}, rounds=1)
    benchmark.extra_info["ratio to the imports"] = found
    assert found <= limit


class GaussLegendre:
    """E[s q^n] for uniform(1, 4) by a Gauss-Legendre rule of T + 1 nodes: exact for its 2T degrees."""

    def __init__(self, T: int) -> None:
        self.n = 2 * T - 1
        self.rule = [self.node(T + 1, k) for k in range(T + 1)]

    @staticmethod
    def node(count: int, k: int) -> tuple[mpf, mpf]:
        """Newton's steps from Tricomi's guess; s = 5/2 + 3x/2."""
        x = mp.cos(mp.pi * (k + mpf(3) / 4) / (count + mpf(1) / 2))
        while True:
            before, value = mpf(1), x
            for j in range(2, count + 1):
                before, value = value, ((2 * j - 1) * x * value - (j - 1) * before) / j
            slope = count * (x * value - before) / (x * x - 1)
            step = value / slope
            x -= step
            if abs(step) < mpf(2) ** (-mp.prec * 3 // 5):
                return mpf(5) / 2 + 3 * x / 2, 1 / ((1 - x * x) * slope**2)

    def derivative(self, alpha: mpf) -> mpf:
        """Of the loss, up to a negative factor."""
        return sum(w * s * (1 - alpha * (1 + s)) ** self.n for s, w in self.rule)

    def minimiser(self, digits: int) -> mpf:
        """By bisection between 1/l2 and 1/l1."""
        low, high = mpf(1) / 5, mpf(1) / 2
        while high - low > low * mpf(10) ** -digits:
            middle = (low + high) / 2
            low, high = (middle, high) if self.derivative(middle) > 0 else (low, middle)
        return (low + high) / 2


def by_bisection() -> tuple[list[mpf], float]:
    """The minimisers, and the seconds of the bisections alone, the rules not counted."""
    with mp.workdps(40):
        rules = [GaussLegendre(T) for T in DEPTHS]
        begun = time.perf_counter()
        return [rule.minimiser(25) for rule in rules], time.perf_counter() - begun


def by_enclosure() -> list[Fraction]:
    expectation = Expectation(parse_law("squared_norm", "uniform(1, 4)"))
    return [minimiser(expectation, LOSS, T, 25, 65536).middle for T in DEPTHS]


def test_minimisers_against_bisection(benchmark: BenchmarkFixture) -> None:
    """A rule as fine as the depth needs has to be made: its nodes count."""
    begun = time.perf_counter()
    slow, bisection = by_bisection()
    seconds = time.perf_counter() - begun
    fast = benchmark.pedantic(by_enclosure, rounds=20, warmup_rounds=2)
    with mp.workdps(40):
        for one, other in zip(fast, slow, strict=True):
            assert abs(mpf(one.numerator) / one.denominator - other) < 2 * other * mpf(10) ** -25
    faster = seconds / benchmark.stats.stats.min
    benchmark.extra_info["times faster"] = faster
    benchmark.extra_info["times faster than the bisections alone"] = bisection / benchmark.stats.stats.min
    assert faster >= 200


def shortest(action: Callable[[], object], repeats: int = 20) -> float:
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return min(times)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "uniform(0, 3)"])
def test_depth_4096_against_depth_8(benchmark: BenchmarkFixture, text: str) -> None:
    expectation = Expectation(parse_law("squared_norm", text))
    shallow = shortest(lambda: minimiser(expectation, LOSS, 8, 30, 65536))
    benchmark.pedantic(minimiser, (expectation, LOSS, 4096, 30, 65536), rounds=20, warmup_rounds=1)
    found = benchmark.stats.stats.min / shallow
    benchmark.extra_info["ratio to depth 8"] = found
    assert found <= 20


def test_a_hundred_thousand_rows(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    draws = random.Random(0).sample(range(10**6, 4 * 10**6), 100_000)
    path.write_text("s\n" + "".join(f"{draw / 10**6:.6f}\n" for draw in draws))
    default = min(process(*RUN)[0] for _ in range(REPEATS))
    words = (*RUN, "--squared-norm", f'empirical("{path}", column="s")')
    _, peak = benchmark.pedantic(process, words, rounds=1)
    found = benchmark.stats.stats.min / default
    benchmark.extra_info.update({"ratio to the default run": found, "peak memory in MB": peak / 10**6})
    assert found <= 60
    assert peak <= MEMORY


@pytest.mark.parametrize(
    "options",
    [
        ("--falsify",),
        ("--depth", "16384"),
        ("--depth", "1:64"),
        ("--squared-norm", "beta(1/2, 1/3, low=1, high=4)", "--depth", "4096"),
        ("--norm", "uniform(1, 2)", "--depth", "512"),
    ],
    ids=" ".join,
)
def test_memory(benchmark: BenchmarkFixture, options: tuple[str, ...]) -> None:
    _, peak = benchmark.pedantic(process, (*RUN, *options), rounds=1)
    benchmark.extra_info["peak memory in MB"] = peak / 10**6
    assert peak <= MEMORY
