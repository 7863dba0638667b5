"""Tables joined from a result, and as CSV."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest

from reports import tables
from reports.layouts import TableColumn, TableLayout
from reports.results import Series, TheoremResult, from_json, to_json
from tests.reports import invented

ALPHA = TableColumn("enclosed", "alpha_T", r"$\alpha_T$")
TABLES = [
    TableLayout(
        "numbers",
        [
            TableColumn("limit", "alpha_star", r"$\alpha^{\ast}$"),
            TableColumn("limit", "T0", "$T_0$"),
            TableColumn("limit", "rate", "rate"),
            TableColumn("limit", "falls", "falls"),
        ],
    ),
    TableLayout(
        "by_depth",
        [
            ALPHA,
            msgspec.structs.replace(ALPHA, minus="alpha_star"),
            TableColumn("flow", "time", "time", y=["log10"], where={"start": "0"}),
            TableColumn("limit", "points", "about", y=["beta"], rounded=True),
        ],
        rows=["T"],
    ),
]


def result() -> TheoremResult:
    ends = [[8, "0.2809", "0.2810"], [128, "0.28538", "0.28539"]]
    times = [[1, "0", -0.25], [1, "10", 3.5], [8, "0", 4.25], [8, "10", None]]
    claims = [
        invented.claim(
            "t.limit",
            values={
                "alpha_star": "2/7",
                "T0": 17,
                "rate": r"$\alpha_T = 2/7$",
                "falls": True,
                "points": [{"T": 8, "beta": "-0.18"}],
            },
        ),
        invented.claim(
            "t.enclosed",
            values={"alpha_star": "2/7"},
            series={"alpha_T": Series(["T", "lower", "upper"], ends)},
        ),
        invented.claim("t.flow", series={"time": Series(["T", "start", "log10"], times)}),
    ]
    return msgspec.structs.replace(invented.theorem("t", claims), tables=TABLES)


def test_rows_are_joined_by_their_key() -> None:
    numbers, by_depth = tables.of(result())
    assert numbers.rows == [((), ["2/7", 17, r"$\alpha_T = 2/7$", True])]
    assert [key for key, _ in by_depth.rows] == [("1",), ("8",), ("128",)]
    alpha, distance, times, about = zip(*(cells for _, cells in by_depth.rows), strict=True)
    assert alpha == (
        None,
        {"lower": "0.2809", "upper": "0.2810"},
        {"lower": "0.28538", "upper": "0.28539"},
    )
    assert times == (-0.25, 4.25, None)
    assert about == (None, "-0.18", None)
    assert distance[0] is None
    assert Fraction(distance[1]["lower"]) <= Fraction("0.2809") - Fraction(2, 7)
    assert Fraction(distance[1]["upper"]) >= Fraction("0.2810") - Fraction(2, 7)


def test_a_stored_result_has_the_same_tables() -> None:
    stored = from_json(to_json(result()))
    assert isinstance(stored, TheoremResult)
    assert tables.of(stored) == tables.of(result())


def test_what_was_not_run_is_left_out() -> None:
    whole = result()
    some = msgspec.structs.replace(whole, claims=whole.claims[2:])
    (by_depth,) = tables.of(some)
    assert [column.source for column in by_depth.columns] == ["time"]
    assert tables.of(msgspec.structs.replace(whole, claims=[])) == []
    unbounded = msgspec.structs.replace(whole.claims[1], values={})
    (by_depth,) = tables.of(msgspec.structs.replace(whole, claims=[unbounded]))
    assert [column.quantity for column in by_depth.columns] == ["alpha_T"]


@pytest.mark.parametrize("accuracies", [["0.001", "1e-06", "1e-12"], ["1e-12", "word", "0.001"]])
def test_the_order_of_one_source_is_kept(accuracies: list[str]) -> None:
    rows = [[accuracy, 3] for accuracy in accuracies]
    claim = invented.claim("t.limit", series={"depths": Series(["accuracy", "tied"], rows)})
    layout = TableLayout("d", [TableColumn("limit", "depths", "tied", y=["tied"])], rows=["accuracy"])
    found = msgspec.structs.replace(invented.theorem("t", [claim]), tables=[layout])
    assert [key for (key,), _ in tables.of(found)[0].rows] == accuracies


def test_a_value_in_csv_lies_between_its_bounds() -> None:
    ends = {"lower": "0.28538486697000995424617", "upper": "0.28538486697000995424618"}
    claim = invented.claim("t.limit", values={"alpha": ends})
    layout = TableLayout("n", [TableColumn("limit", "alpha", "alpha")])
    document = tables.to_csv(msgspec.structs.replace(invented.theorem("t", [claim]), tables=[layout]))
    (row,) = csv.DictReader(io.StringIO(document.decode()))
    assert Fraction(row["lower"]) <= Fraction(row["value"]) <= Fraction(row["upper"])


def test_csv_has_a_line_for_each_number() -> None:
    document = tables.to_csv(result())
    rows = list(csv.DictReader(io.StringIO(document.decode())))
    assert list(rows[0]) == ["theorem", "table", "claim", "quantity", "T", "value", "lower", "upper", "text"]
    found = {(row["quantity"], row["T"]): row for row in rows}
    star = found["alpha_star", ""]
    assert (star["theorem"], star["table"], star["claim"]) == ("t", "numbers", "limit")
    assert star["text"] == "2/7"
    assert Fraction(star["lower"]) < Fraction(2, 7) < Fraction(star["upper"])
    assert float(star["value"]) == 2 / 7
    whole = found["T0", ""]
    assert (whole["value"], whole["lower"], whole["upper"], whole["text"]) == ("17", "17", "17", "")
    assert found["rate", ""]["text"] == r"$\alpha_T = 2/7$"
    assert (found["falls", ""]["text"], found["falls", ""]["value"]) == ("true", "")
    alpha = found["alpha_T", "8"]
    assert (alpha["lower"], alpha["upper"], alpha["value"]) == ("0.2809", "0.2810", "0.28095")
    assert ("alpha_T", "1") not in found
    assert Decimal(found["alpha_T_minus_alpha_star", "8"]["lower"]) < 0
    assert (found["log10", "1"]["value"], found["log10", "1"]["lower"]) == ("-0.25", "")
    assert (found["beta", "8"]["value"], found["beta", "8"]["lower"]) == ("-0.18", "")
