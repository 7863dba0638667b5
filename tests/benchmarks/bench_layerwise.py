"""Speed of `layerwise`, as ratios to the default run of `theorem_6_2` measured beside it.

Run with ``pytest tests/benchmarks/bench_layerwise.py``.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.imports import ROOT

pytestmark = pytest.mark.usefixtures("quiet_machine")

REPEATS = 5
ROWS = 10_000
EXCESS = ("--claim", "best_depth_T", "--claim", "reciprocal_gauss_nodes")


def seconds(theorem: str, *options: str) -> float:
    """Wall time of a whole process."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "proofs_check", theorem, *options], cwd=ROOT, capture_output=True, check=True
    )
    return time.perf_counter() - start


def ratio(*options: str, repeats: int = REPEATS) -> float:
    """The quickest run of `layerwise` over the quickest of `theorem_6_2`, in turn."""
    pairs = [(seconds("layerwise", *options), seconds("theorem_6_2")) for _ in range(repeats)]
    one, other = zip(*pairs, strict=True)
    return min(one) / min(other)


def test_default_run() -> None:
    assert ratio() <= 2


def test_depth_64() -> None:
    """e_T and the nodes, each by its two routes, to 25 digits."""
    assert ratio("--depth", "64", *EXCESS) <= 3


def test_observed_values(tmp_path: Path) -> None:
    """10,000 rows at depth 32."""
    draw = random.Random(0)
    path = tmp_path / "norms.csv"
    path.write_text("\n".join(f"{draw.uniform(1, 4):.6f}" for _ in range(ROWS)), encoding="utf-8")
    assert ratio("--squared-norm", f'empirical("{path}")', "--depth", "32", *EXCESS, repeats=2) <= 20
