"""The simulation's table and CSV, from a result made by hand."""

import csv
import io

import msgspec
import pytest

from reports.latex.tables import simulation_sizes
from reports.results import (
    Environment,
    LawRecord,
    Sampled,
    SimulationResult,
    SimulationRow,
    from_json,
    to_json,
)
from reports.simulation import CSV_COLUMNS, plot, print_simulation, to_csv

LAW = LawRecord("squared_norm", ["uniform(1, 4)"], "1", "4", "0")
ROWS = [
    SimulationRow(
        "lsa", [3, 2], 50, None, Sampled(0.07, 0.06, 0.08, 0.99, 100), 0.01, 0.0734, False, 0, "exact"
    ),
    SimulationRow(
        "one_parameter",
        [3, 2],
        50,
        8,
        Sampled(4e9, -2e9, 1e10, 0.99, 100),
        0.0045,
        0.02,
        True,
        0,
        "order 1/L",
    ),
    SimulationRow("softmax", [3, 2], 200, 4, Sampled(None, None, None, 0.99, 97), 0.3, None, True, 3),
    SimulationRow("lsa", [4], 200, None, Sampled(0.05, 0.04, 0.06, 0.99, 100), 0.01, 0.05, False, 0, "exact"),
]


def result(rows=ROWS, complete=True, notes=()):
    environment = Environment("3.11", {}, 7)
    return SimulationResult(1, LAW, complete, list(rows), environment, 1.0, ["simulate"], list(notes))


def printed(*arguments, **options):
    stream = io.StringIO()
    print_simulation(result(*arguments, **options), stream)
    return stream.getvalue()


def test_the_table():
    text = printed()
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("d = ")] == [
        "d = 3 + 2, L = 50",
        "d = 3 + 2, L = 200",
        "d = 4, L = 200",
    ]
    heavy = next(line for line in lines if "one_parameter" in line)
    assert heavy.split() == [
        "one_parameter",
        "8",
        "4e+09*",
        "[-2e+09,",
        "1e+10]",
        "0.0045",
        "0.02",
        "order",
        "1/L",
    ]
    light = next(line for line in lines if "lsa" in line)
    assert light.split() == ["lsa", "0.07", "[0.06,", "0.08]", "0.0734", "exact"]
    overflowed = next(line for line in lines if "softmax" in line)
    assert overflowed.split() == ["softmax", "4", "-*", "-", "0.3"]
    assert "read the median" in text
    assert lines[-1] == "100 prompts a row, seed 7."
    assert "\x1b" not in text


def test_of_many_depths_the_first_and_last_of_each_model_are_shown():
    def deep(depths):
        stacks = [
            msgspec.structs.replace(ROWS[1], model=model, depth=T)
            for model in ("one_parameter", "two_parameter")
            for T in range(1, depths + 1)
        ]
        lines = printed([*stacks, ROWS[0]]).splitlines()
        cells = [line.split() for line in lines]
        return lines, [cell[1] for cell in cells if cell and cell[0] in ("one_parameter", "two_parameter")]

    lines, shown = deep(64)
    assert shown == [*map(str, [*range(1, 10), *range(56, 65)])] * 2
    assert [line for line in lines if "rows" in line] == ["129 rows; --csv writes all of them"]
    assert sum(line.split()[:1] == ["..."] for line in lines) == 2
    lines, shown = deep(19)
    assert shown == [*map(str, range(1, 20))] * 2
    assert not [line for line in lines if "..." in line or "rows" in line]


def test_a_rounded_mean_is_marked():
    row = msgspec.structs.replace(ROWS[0], rounding=0.01, rounded=True)
    text, plain = printed([row]), printed(ROWS[:1])
    assert "0.07†" in text
    assert "† rounding may have moved the mean" in text
    assert "†" not in plain
    (line,) = csv.DictReader(io.StringIO(to_csv(result([row])).decode()))
    assert (line["rounding"], line["rounded"]) == ("0.01", "true")
    (marked,), (unmarked,) = (simulation_sizes(rows)[0].rows for rows in ([row], ROWS[:1]))
    assert (r"\textdagger" in marked[2], r"\textdagger" in unmarked[2]) == (True, False)


def test_a_document_groups_rows_by_size_and_prints_no_interval_where_there_is_none():
    first, second, third = simulation_sizes(ROWS)
    assert [first.title, third.title] == ["$d = 3 + 2$, $L = 50$", "$d = 4$, $L = 200$"]
    assert [row[0] for row in first.rows] == ["single-layer LSA", "LCA, one parameter"]
    assert second.rows[0][3] == r"[\textit{overflow}, \textit{overflow}]"
    heavy = msgspec.structs.replace(ROWS[1], excess=Sampled(4e9, None, None, 0.99, 100))
    assert simulation_sizes([heavy])[0].rows[0][3] == "---"


def test_what_is_missing_is_said():
    text = printed(ROWS[:1], complete=False, notes=["one_parameter: training diverged"])
    assert "interrupted before the end" in text
    assert "training diverged" in text
    assert "read the median" not in text
    assert "no prompts" in printed([], complete=False)


def test_the_csv_reads_back():
    table = list(csv.DictReader(io.StringIO(to_csv(result()).decode())))
    assert tuple(table[0]) == CSV_COLUMNS
    for line, row in zip(table, ROWS, strict=True):
        assert line["model"] == row.model
        assert [int(width) for width in line["dims"].split(",")] == row.dims
        assert (float(line["mean"]) if line["mean"] else None) == row.excess.mean
        assert (float(line["theory"]) if line["theory"] else None) == row.theory
        assert line["heavy_tailed"] == ("true" if row.heavy_tailed else "false")
        assert int(line["overflowed"]) == row.overflowed


def test_the_json_reads_back():
    assert from_json(to_json(result())) == result()


def test_rows_of_an_older_file_have_defaults():
    older = b'{"schema": 1, "law": {"kind": "norm", "texts": ["point(1)"], "m_lo": "1", "m_hi": "1",'
    older += b' "mass_at_zero": "0"}, "complete": true, "rows": [{"model": "lsa", "dims": [5], "context": 9,'
    older += b' "depth": null, "excess": {"mean": 1.0, "low": 0.5, "high": 1.5, "confidence": 0.99,'
    older += b' "samples": 9}, "median": 1.0, "theory": null}], "environment": {"python": "3.11",'
    older += b' "packages": {}, "seed": 0}, "seconds": 0.1}'
    read = from_json(older)
    assert read.rows[0].heavy_tailed is False
    assert read.rows[0].overflowed == 0


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_the_plot_is_the_same_every_time(suffix, start):
    first = plot(result(), suffix)
    assert first.startswith(start)
    assert first == plot(result(), suffix)


def test_a_heavy_tail_is_drawn_at_its_median():
    from reports.figures import simulation

    figure = simulation(result(ROWS[:2]))
    heights = [line.get_ydata()[0] for line in figure.axes[0].lines if line.get_fillstyle() == "none"]
    assert heights == [0.0045]
