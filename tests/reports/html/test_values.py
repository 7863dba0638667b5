"""Numbers and tables of a page."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from proofs_check.command_line.commands import main
from reports.html import page
from reports.html.tables import declared, tables
from reports.html.values import number
from reports.latex import tables as latex_tables
from reports.layouts import TableColumn, TableLayout
from reports.results import TheoremResult, from_json
from tests.reports import invented
from tests.reports.html.parsed import parse


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (2**60, "1.152921504606846976 × 10<sup>18</sup>"),
        ("-2/7", "−2/7"),
        ("1e-7", "1 × 10<sup>−7</sup>"),
        ({"lower": "0.28091", "upper": "0.28093"}, "0.2809…"),
        ({"lower": "-2e-7", "upper": "3e-7"}, "0(3) × 10<sup>−7</sup>"),
        ({"lower": "1", "upper": "1", "exact": "1"}, "1"),
        ({"lower": None, "upper": None}, "overflow"),
        (
            {"mean": 0.5, "low": 0.25, "high": 0.75, "confidence": 0.99, "samples": 9},
            "0.5 in [0.25, 0.75] (99%, 9 samples)",
        ),
        ([["1", "2"], ["3"]], "[1, 2], [3]"),
        ({"a": "<b>"}, "a: &lt;b&gt;"),
        ("<converged>", "&lt;converged&gt;"),
        (float("nan"), "overflow"),
    ],
)
def test_a_number_as_one_reads_it(value: object, text: str) -> None:
    shown = str(number(value)).replace('<span class="number">', "").replace("</span>", "")
    assert shown.replace("<em>", "").replace("</em>", "") == text


def test_values_are_tables_with_the_rows_that_fit() -> None:
    single, starts = tables({"T0": 5, "starts": [{"T": T, "x": None} if T else {"T": 0} for T in range(43)]})
    assert (len(single.columns), len(single.rows)) == (2, 1)
    assert (len(starts.rows), starts.left_out) == (40, 3)
    assert [str(cell) for cell in starts.rows[1]] == [str(number(1)), "–"]
    assert str(starts.rows[0][1]) == ""


@pytest.mark.parametrize(("note", "width"), [("", 2), ("a gap", 3)])
def test_what_numbers_are_has_a_column_where_it_is_said(note: str, width: int) -> None:
    result = invented.theorem("own", [invented.claim("own.c", values={"gap": "1/2"})])
    table = TableLayout("numbers", [TableColumn("c", "gap", "gap", note)])
    result = msgspec.structs.replace(result, tables=[table])
    for shown in (*declared(result), *latex_tables.declared(result)):
        assert [len(row) for row in (shown.columns, *shown.rows)] == [width] * 2


def test_the_tables_that_a_theorem_declares_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    assert main(["theorem_6_2", "--depth", "1,2,128", "--json", str(path), "--quiet"]) == 0
    result = from_json(path.read_bytes())
    assert isinstance(result, TheoremResult)
    single, by_depth = declared(result)
    assert [str(row[1]) for row in single.rows][:1] == ['<span class="number">2/7</span>']
    assert len(by_depth.rows) == 3
    assert "1.273877086… × 10<sup>−97</sup>" in str(by_depth.rows[-1][3])
    text = parse(page(result)).by_id("theorem_6_2").text
    assert "1.273877086… × 10−97" in text
