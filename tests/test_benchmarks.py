"""Benchmarks on a busy machine: skipped, or failed where `--busy-is-failure` asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT

CONFTEST = """\
import psutil
from tests.benchmarks import conftest as shared
from tests.benchmarks.conftest import *

shared.LONGEST_WAIT = 0
psutil.cpu_percent = lambda interval: {percent}
"""
MEASURED = """\
import pytest


@pytest.mark.usefixtures("quiet_machine")
def test_ratio():
    pass
"""


@pytest.mark.parametrize(
    ("percent", "options", "found"),
    [
        (100, [], "1 skipped"),
        (100, ["--busy-is-failure"], "1 error"),
        (1, ["--busy-is-failure"], "1 passed"),
    ],
)
def test_a_busy_machine(tmp_path: Path, percent: int, options: list[str], found: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.format(percent=percent), encoding="utf-8")
    (tmp_path / "test_ratio.py").write_text(MEASURED, encoding="utf-8")
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path), *options],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found in finished.stdout
    assert (finished.returncode == 0) is ("error" not in found)


def test_every_night_a_benchmark_that_measured_nothing_fails() -> None:
    nightly = (ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8")
    assert "pytest tests/benchmarks --busy-is-failure" in nightly
