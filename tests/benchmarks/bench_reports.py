"""A report from a stored result beside the import of Matplotlib, both as whole processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reports.results import to_json
from tests.reports.invented import run_of_all

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def seconds(*arguments: str) -> float:
    """Wall time of a Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True)
    return time.perf_counter() - start


@pytest.mark.usefixtures("quiet_machine")
def test_report_costs_at_most_five_imports(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    stored = tmp_path / "result.json"
    stored.write_bytes(to_json(run_of_all()))
    command = ("-m", "reports", str(stored), str(tmp_path / "report.tex"))
    imported = [seconds("-c", "import matplotlib.pyplot") for _ in range(ROUNDS)]
    reported = [seconds(*command) for _ in range(ROUNDS)]
    benchmark(seconds, *command)
    benchmark.extra_info["ratio"] = ratio = min(reported) / min(imported)
    assert ratio <= 5
