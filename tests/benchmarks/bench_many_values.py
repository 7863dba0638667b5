"""What once had no end: many atoms, and an end of the support that carries almost no mass.

Run with ``pytest tests/benchmarks/bench_many_values.py``.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.usefixtures("quiet_machine")

ROOT = Path(__file__).parents[2]
ROWS, PICTURE = 178, (427, 640)
MOST_SECONDS = 120.0
"""Of processor time, imports counted."""


def run(*words: str, code: int = 0) -> float:
    """The processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "proofs_check", *words, "--quiet"], cwd=ROOT, capture_output=True, timeout=600
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == code, done.stderr.decode()
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measured(benchmark: BenchmarkFixture, *words: str, code: int = 0) -> None:
    seconds = benchmark.pedantic(run, words, {"code": code}, rounds=1)
    benchmark.extra_info["processor seconds"] = round(seconds, 1)
    assert seconds <= MOST_SECONDS


def test_all_on_the_sums_of_two_columns(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """31,684 sums, nearly all different."""
    draws = np.random.default_rng(0)
    columns = zip(draws.gamma(30, 0.4, ROWS), draws.gamma(4, 0.6, ROWS), strict=True)
    table = tmp_path / "two.csv"
    table.write_text("a,b\n" + "".join(f"{a:.4f},{b:.4f}\n" for a, b in columns))
    measured(benchmark, "all", "--modalities", *(f'empirical("{table}", column="{name}")' for name in "ab"))


def test_the_flow_on_the_pixels_of_a_picture(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """273,280 sums of three squares up to 255^2, of which 90,000 differ."""
    y, x = np.mgrid[: PICTURE[0], : PICTURE[1]]
    light = 128 + 80 * np.sin(x / 90) * np.cos(y / 70)
    noise = np.random.default_rng(0).normal(0, 30, (3, *PICTURE))
    colours = np.clip((light + noise).round(), 0, 255).astype(int)
    table = tmp_path / "pixels.csv"
    table.write_text("s\n" + "".join(f"{value}\n" for value in (colours**2).sum(axis=0).ravel()))
    law = f'empirical("{table}", column="s")'
    measured(benchmark, "theorem_6_2", "--claim", "flow_converges", "--squared-norm", law)


def test_an_end_with_almost_no_mass(benchmark: BenchmarkFixture) -> None:
    """T0 is beyond 2.7e9: inconclusive, and said at once."""
    law = "beta(76, 66334470, low=1, high=4)"
    measured(benchmark, "theorem_6_2", "--squared-norm", law, code=3)
