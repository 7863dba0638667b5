"""What a table, a comparison and a drawing take from stored results."""

import csv
import io
import json

import msgspec
import pytest

from proofs_check import verify
from proofs_check.command_line.simulate import simulate
from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.comparing import difference_of, moved
from proofs_check.sweeps.drawing import tables
from proofs_check.sweeps.quantities import ends, quantities, to_csv, to_json
from proofs_check.sweeps.store import Store
from proofs_check.sweeps.tasks import Outcome, failed
from reports import results
from reports.html import sweep_page as page
from tests.proofs_check.sweeps import grids

TASKS = grids.tasks(1, 2, squared_norm=["point(1)", "point(2)"])
RESULT = verify("theorem_6_2", claim=["minimiser_enclosure", "limit"], depth=[1, 2])


def outcome(values, verdict="verified", code=0):
    claim = msgspec.structs.replace(RESULT.claims[0], id="paced.act", values=values)
    result = msgspec.structs.replace(RESULT, claims=[claim])
    return Outcome(code, verdict, "", results.to_json(result), 1.0)


def store(path, outcomes, tasks=TASKS):
    with Store.writing(path) as kept:
        kept.plan("paced", tasks)
        kept.add((task.address, made) for task, made in zip(tasks, outcomes, strict=False))
    return Store.reading(path)


def bounded(lower, upper):
    return {"lower": lower, "upper": upper}


def test_values_of_a_theorem_are_named_by_claim_and_depth():
    found = quantities(results.to_json(RESULT))
    assert found["limit.T0"] == 17
    assert found["limit.alpha_star"] == "2/7"
    assert found["minimiser_enclosure.alpha_T[T=1]"]["lower"].startswith("0.263157894")
    assert found["minimiser_enclosure.alpha_T[T=2]"]["lower"].startswith("0.270888684")
    assert not any(isinstance(value, list) for value in found.values())


def test_values_of_a_simulation_are_named_by_its_rows():
    options = SimulationOptions(prompts=2048, context=100, depth="2", models="one_parameter,least_squares")
    result = simulate(make_simulation(options))
    found = quantities(results.to_json(result))
    assert found["one_parameter[d=3+2, L=100, T=2].excess"]["mean"] == result.rows[0].excess.mean
    assert found["one_parameter[d=3+2, L=100, T=2].theory"] == result.rows[0].theory
    assert set(found) >= {"least_squares[d=3+2, L=100].excess", "least_squares[d=3+2, L=100].median"}


@pytest.mark.parametrize("value", [True, "text", {"a": 1}, [1]])
def test_what_is_no_number_has_no_ends(value):
    assert ends(value) is None


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("1/3", "2/6", False),
        ("1/3", "1/4", True),
        (1, 1, False),
        (1, 2, True),
        (0.5, "1/2", False),
        (bounded("1", "2"), bounded("1.5", "1.6"), False),
        (bounded("1", "2"), bounded("2", "3"), False),
        (bounded("1", "2"), bounded("2.1", "3"), True),
        (bounded("3", "4"), bounded("1", "2"), True),
        (bounded("1e-970", "2e-970"), bounded("3e-970", "4e-970"), True),
        (bounded("0", "1"), 0.5, False),
        (bounded("0", "1"), 1.5, True),
        ({"low": 0.0, "high": 1.0}, {"low": 1.1, "high": 2.0}, True),
        ("text", "text", False),
        ("text", "other", True),
        (None, 1, True),
        (None, None, False),
        (True, False, True),
    ],
)
def test_a_number_moves_when_it_leaves_its_bounds(old, new, found):
    assert moved(old, new) is moved(new, old) is found


def test_two_stores_are_compared_by_what_was_asked(tmp_path):
    same, then = outcome({"x": bounded("1", "2")}), outcome({"x": bounded("1", "2"), "gone": 1})
    now = outcome({"x": bounded("3", "4"), "new": 1}, "refuted", 1)
    with (
        store(tmp_path / "old.db", [same, then, failed("a bug"), same]) as old,
        store(tmp_path / "new.db", [same, now, outcome({"x": 1})]) as new,
    ):
        found = difference_of(old, new)
        assert difference_of(new, new).lines == []
    task = "paced --seed 1 --squared-norm point(2)"
    assert found.lines == [
        f"{task}: verified, now refuted",
        f"{task}: act.x: [1, 2], now [3, 4]",
        "paced --seed 2 --squared-norm point(1): failed, now verified",
    ]
    assert (found.compared, found.only_old, found.only_new) == (3, 1, 0)


def test_a_table_has_a_line_a_task_and_no_times(tmp_path):
    with store(tmp_path / "a.db", [outcome({"x": bounded("1", "2"), "y": True}), failed("a bug")]) as kept:
        rows = list(kept.rows())
    lines = list(csv.DictReader(io.StringIO(to_csv(rows).decode())))
    assert [line["state"] for line in lines] == ["done", "failed", "missing", "missing"]
    assert lines[0]["act.x.lower"] == "1"
    assert lines[0]["act.x.upper"] == "2"
    assert lines[0]["act.y"] == "True"
    assert lines[0]["squared_norm"] == "point(1)"
    assert lines[1]["error"] == "a bug"
    assert lines[1]["act.x.lower"] == ""
    document = json.loads(to_json(rows))
    assert document[0]["quantities"] == {"act.x": bounded("1", "2"), "act.y": True}
    assert document[1]["code"] == 70
    assert [row["position"] for row in document] == [1, 2, 3, 4]
    assert b"seconds" not in to_json(rows) + to_csv(rows)


def drawn(path, *wanted, over=None, values=None):
    values = values or [{"x": bounded(str(i), str(i + 1)), "text": "a"} for i in range(4)]
    with store(path, [outcome(value) for value in values]) as kept:
        (table,) = tables(list(kept.rows()), wanted, over)
    return table


def test_a_report_has_a_heat_map_over_two_options_and_lines_over_one(tmp_path):
    table = drawn(tmp_path / "a.db")
    (chart,) = table.charts
    assert (chart.title, chart.over) == ("act.x", ("seed", "squared_norm"))
    assert [(x, y, float(height)) for x, y, height in chart.points] == [
        ("1", "point(1)", 0.5),
        ("1", "point(2)", 1.5),
        ("2", "point(1)", 2.5),
        ("2", "point(2)", 3.5),
    ]
    (lines,) = drawn(tmp_path / "a.db", "act.x", over="seed").charts
    assert [point[:2] for point in lines.points][:2] == [
        ("1", "squared_norm point(1)"),
        ("1", "squared_norm point(2)"),
    ]
    assert table.columns == ["seed", "squared_norm", "verdict", "act.x"]
    assert table.rows[0] == ["1", "point(1)", "verified", "0.5(5)"]


def test_numbers_of_any_size_are_drawn(tmp_path):
    values = [{"x": f"1e-{100 * i}"} for i in range(4)]
    table = drawn(tmp_path / "a.db", values=values)
    assert table.charts[0].logarithmic
    assert [table.charts[0].height(point[2]) for point in table.charts[0].points] == [0, -100, -200, -300]
    with_zero = drawn(tmp_path / "b.db", values=[{"x": 0}, {"x": 1}, {"x": 10**6}, {"x": 5}])
    assert not with_zero.charts[0].logarithmic
    assert page("a", [table, with_zero]).count(b"<svg") == 2


@pytest.mark.parametrize("over", [None, "seed", "squared-norm", "squared_norm,seed"])
def test_a_page_holds_what_it_needs_and_escapes_what_it_is_given(tmp_path, over):
    values = [{"x": i, "note": "<script>&"} for i in range(4)]
    table = drawn(tmp_path / "a.db", "act.x", "act.note", over=over, values=values)
    document = page("<b>", [table]).decode()
    assert document.count("<svg") == 1
    assert document.count("<script>") == 1
    assert "&lt;script&gt;&amp;" in document
    assert "<title>&lt;b&gt;</title>" in document


@pytest.mark.parametrize(
    ("wanted", "over", "named"),
    [
        (("act.z",), None, r"--value 'act\.z'.*act\.x"),
        ((), "epsilon", "--over 'epsilon'.*seed, squared_norm"),
        ((), "seed,squared-norm,seed", "--over"),
    ],
)
def test_what_is_not_there_is_not_drawn(tmp_path, wanted, over, named):
    with pytest.raises(UsageError, match=named):
        drawn(tmp_path / "a.db", *wanted, over=over)


def test_a_store_without_outcomes_is_a_table_too(tmp_path):
    with store(tmp_path / "a.db", []) as kept:
        rows = list(kept.rows())
    (table,) = tables(rows, (), None)
    assert table.charts == []
    assert [row[-1] for row in table.rows] == ["missing"] * 4
    assert b"missing" in page("a", [table])
