"""A sweep as a document."""

from __future__ import annotations

import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from reports.latex.sweep import sweep_report
from reports.sweep import Chart, SweepTable
from reports.write import write_sweep

NARROW = SweepTable(
    "limits: theorem_6_2",
    "2 tasks",
    ["squared_norm", "verdict", "excess"],
    [["uniform(1, 4)", "verified", "1.27(1)e-97"], ["atoms({1: 1/3})", "not applicable", "1/3"]],
    [Chart("limit.T0", ("epsilon",), [("1/10", "a_b", Decimal(2)), ("1/100", "a_b", Decimal(17))])],
)
MANY_ATOMS = f"atoms({{{', '.join(f'{k}: 1/100' for k in range(1, 101))}}})"
WIDE = SweepTable(
    "wide",
    "",
    ["squared_norm", "verdict", *(f"value_{k}" for k in range(8))],
    [[MANY_ATOMS, "refuted", *"12345678"]],
    [],
)


def test_numbers_verdicts_and_laws_are_set_as_such() -> None:
    tex = sweep_report("limits", [NARROW, WIDE]).tex
    assert r"uniform(1, 4) & \verdict{verified} & $1.27(1) \times 10^{-97}$" in tex
    assert r"\verdict{not applicable} & $1/3$" in tex
    assert "atoms at 100 points" in tex
    assert r"\begin{longtable}{@{}lll@{}}" in tex
    assert tex.isascii()


def test_a_wide_table_has_columns_that_fill_the_line() -> None:
    (widths,) = re.findall(r"\{@\{\}((?:P\{[\d.]+\\linewidth\})+)@\{\}\}", sweep_report("w", [WIDE]).tex)
    shares = [float(share) for share in re.findall(r"[\d.]+", widths)]
    assert len(shares) == len(WIDE.columns)
    assert 0.5 < sum(shares) < 1


@pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("pdflatex", "pdftotext")),
    reason="needs pdflatex and pdftotext",
)
def test_the_pdf_has_the_tables_and_the_charts(tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    assert write_sweep("limits & more", [NARROW, WIDE], path).paths == (path,)
    command = ["pdftotext", "-layout", str(path), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "limits & more" in text
    assert re.search(r"uniform\(1, 4\)\s+verified\s+1\.27\(1\) × 10", text)
    assert "Figure 1: limit.T0 over epsilon." in text
