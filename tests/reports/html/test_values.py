"""Numbers and tables of a page."""

from __future__ import annotations

import pytest

from reports.html.values import number, tables


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        ("-2/7", "−2/7"),
        ("1e-7", "1 × 10<sup>−7</sup>"),
        ({"lower": "0.28091", "upper": "0.28093"}, "0.28092(1)"),
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
