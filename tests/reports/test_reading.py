"""Values as numbers, tables as rows, names that a result does not hold."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from reports.reading import ResultKeyError, as_numbers, as_rows
from reports.results import (
    Certified,
    ClaimResult,
    RunResult,
    Sampled,
    Series,
    SimulationResult,
    TheoremResult,
)
from tests.reports import invented

SAMPLED = Sampled(0.5, 0.4, 0.6, 0.99, 100)


@pytest.mark.parametrize(
    ("recorded", "number"),
    [
        ("2/7", Fraction(2, 7)),
        ("-0.0001", Fraction(-1, 10**4)),
        ("1.5e-970", Fraction(3, 2) / 10**970),
        ("converged", "converged"),
        ("1/0", "1/0"),
        ("0,0", "0,0"),
        ("atoms({1: 1/2})", "atoms({1: 1/2})"),
        (17, 17),
        (True, True),
        (None, None),
        ({"lower": "1", "upper": "2"}, Certified("1", "2")),
        ({"lower": "1", "upper": "1", "exact": "1"}, Certified("1", "1", "1")),
        (msgspec.to_builtins(SAMPLED), SAMPLED),
        ([{"beta": {"lower": "1", "upper": "2"}}], [{"beta": Certified("1", "2")}]),
        ({"T": 1, "lower": "1", "upper": "2"}, {"T": 1, "enclosure": Certified("1", "2")}),
        ({"lower": None, "upper": "2"}, {"lower": None, "upper": Fraction(2)}),
    ],
)
def test_a_recorded_value_as_numbers(recorded: Any, number: Any) -> None:
    found = as_numbers(recorded)
    assert found == number
    assert type(found) is type(number)


def test_ends_are_rounded_outward() -> None:
    draw = random.Random(1)
    for _ in range(300):
        text = (
            f"{draw.choice(['', '-'])}{draw.random():.17f}{draw.randrange(10**9)}e{draw.randrange(-330, 320)}"
        )
        (row,) = as_rows([{"low": text, "x_lower": text, "upper": text}])
        number = Fraction(text)
        assert row["x_lower"] <= number <= row["upper"]
        assert math.nextafter(row["x_lower"], math.inf) >= row["upper"] or row["x_lower"] == row["upper"]
        assert row["low"] in (row["x_lower"], row["upper"])


def test_what_does_not_fit_a_float_stays_enclosed() -> None:
    ends = {"lower": "1e-970", "upper": "2e-970"}
    assert as_rows([ends]) == [{"lower": 0.0, "upper": math.nextafter(0, 1)}]
    assert as_rows([{"lower": "1e400", "upper": "1e400"}]) == [
        {"lower": 1.7976931348623157e308, "upper": math.inf}
    ]
    assert as_rows([{"lower": "-1e400", "upper": None}]) == [{"lower": -math.inf, "upper": None}]


def test_a_column_is_of_numbers_or_of_texts() -> None:
    rows = as_rows([{"start": "1/2", "T": 2, "at": "0,0"}, {"start": "far", "T": 3, "at": "1,0"}])
    assert rows == [{"start": "1/2", "T": 2, "at": "0,0"}, {"start": "far", "T": 3, "at": "1,0"}]
    assert as_rows([{"start": "1/2"}, {"start": None}]) == [{"start": 0.5}, {"start": None}]
    exact = {"lower": "0.333", "upper": "0.334", "exact": "1/3"}
    below, above = 1 / 3, math.nextafter(1 / 3, 1)
    assert as_rows([{"alpha": exact}]) == [{"alpha_lower": below, "alpha_upper": above}]
    nodes = [{"lower": "1/3", "upper": "1/3"}, {"kind": "none"}]
    assert as_rows([{"nodes": nodes}]) == [{"nodes": [{"lower": below, "upper": above}, {"kind": "none"}]}]


@pytest.fixture
def result() -> TheoremResult:
    """Two claims, of which each has a table `starts`, one as a value."""
    table = Series(["T", "lower", "upper"], [[1, "0.1", "0.2"]])
    first = invented.claim(
        "theorem_6_2.limit", values={"T0": 17, "alpha_star": "2/7"}, series={"alpha_T": table}
    )
    starts = [{"alpha0": "1/4", "outcome": "escaped"}]
    second = invented.claim("theorem_6_2.flow", values={"starts": starts}, series={"orbits": table})
    third = invented.claim("theorem_6_2.other", values={"starts": starts, "none": []})
    return invented.theorem("theorem_6_2", [first, second, third])


def test_claims_values_and_rows_by_name(result: TheoremResult) -> None:
    assert result["limit"] is result["theorem_6_2.limit"] is result.claim("limit")
    assert (result["limit"]["T0"], result["limit"]["alpha_star"]) == (17, Fraction(2, 7))
    assert result.rows("alpha_T") == result["limit"].rows("alpha_T")
    assert [list(row) for row in result.rows("alpha_T")] == [["T", "lower", "upper"]]
    assert result["flow"].rows("starts") == [{"alpha0": 0.25, "outcome": "escaped"}]
    assert "limit" in result
    assert "theorem_6_2.limit" in result
    assert "limits" not in result
    assert "T0" in result["limit"]
    assert "T1" not in result["limit"]
    assert list(result) == result.claims
    assert {name: result["limit"][name] for name in result["limit"]}["T0"] == 17


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        (lambda r: r["limits"], "no claim 'limits' in this result; did you mean 'limit'?"),
        (lambda r: r[""], "no claim '' in this result; there are: limit, flow, other"),
        (lambda r: r[0], "no claim 0 in this result; there are: limit, flow, other"),
        (lambda r: r["theorem_6_2"], "no claim 'theorem_6_2' in this result; there are: limit, flow, other"),
        (
            lambda r: r["limit"]["alpha_start"],
            "no value 'alpha_start' in this result; did you mean 'alpha_star'?",
        ),
        (lambda r: r.rows("alpha"), "no table 'alpha' in this result; did you mean 'alpha_T'?"),
        (lambda r: r.rows("T0"), "no table 'T0' in this result; there are: alpha_T, starts, orbits"),
        (lambda r: r["limit"].rows("orbit"), "no table 'orbit' in this result; there are: alpha_T"),
        (lambda r: r["other"].rows("none"), "no table 'none' in this result; there are: starts"),
        (
            lambda r: r.rows("starts"),
            "flow and other have a table 'starts'; ask one: result[...].rows('starts')",
        ),
    ],
)
def test_a_wrong_name_is_one_line_with_the_nearest(result: TheoremResult, wrong: Any, line: str) -> None:
    with pytest.raises(ResultKeyError) as raised:
        wrong(result)
    assert str(raised.value) == line
    assert isinstance(raised.value, KeyError)


def test_a_run_has_theorems(run_result: RunResult) -> None:
    name = run_result.theorems[-1].theorem
    assert run_result[name] is run_result.theorems[-1]
    assert name in run_result
    assert list(run_result) == run_result.theorems
    with pytest.raises(KeyError, match="no theorem 'theorem_9' in this result; did you mean 'theorem_"):
        run_result["theorem_9"]
    assert "theorem_9" not in run_result


def test_a_notebook_completes_names(run_result: RunResult, result: TheoremResult) -> None:
    for holder in (run_result, result, result["limit"]):
        names = holder._ipython_key_completions_()  # type: ignore[attr-defined]
        assert names
        assert all(holder[name] is not None for name in names)  # type: ignore[index]


def test_a_claim_that_was_not_run_names_those_that_were() -> None:
    with pytest.raises(KeyError, match="there are: none"):
        invented.theorem("theorem_6_2", [])["limit"]


def test_records_of_a_simulation(simulation_result: SimulationResult) -> None:
    records = simulation_result.records()
    row, record = simulation_result.rows[0], records[0]
    assert len(records) == len(simulation_result.rows)
    assert (record["mean"], record["model"], record["dims"]) == (row.excess.mean, row.model, "3,2")
    assert not any(isinstance(cell, dict | list) for record in records for cell in record.values())
    assert all(record.keys() == records[0].keys() for record in records)


def test_a_claims_values_may_be_certified_already() -> None:
    claim: ClaimResult = invented.claim("theorem_4_1.gap", values={"gap": Certified("1", "2")})
    assert claim["gap"] == Certified("1", "2")
