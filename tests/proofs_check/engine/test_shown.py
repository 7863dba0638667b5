"""What a theorem wants drawn and tabulated is there, or said to be missing."""

import pytest

from proofs_check.engine.claims import Theorem
from reports.layouts import TableColumn
from reports.results import Evidence, Series, Verdict
from tests.proofs_check.engine.test_runner import one_claim, run


def squares(run, record, holds=True):
    record.series["squares"] = Series(["n", "square"], [[1, 1], [2, 4]])
    record.values |= {"four": "4", "rows": [{"n": 1, "cube": "1"}]}
    record.check(Evidence.EXACT, "2^2 = 4", holds)


def test_a_figure_of_a_column_that_its_series_lacks_is_an_error():
    theorem = one_claim(squares)
    theorem.figure("squares", claim="only", series="squares", x="n", y="square")
    assert [part.claim for part in run(theorem).figures] == ["small.only"]
    theorem.figure("squares", claim="only", series="squares", x="n", y="cube")
    with pytest.raises(ValueError, match=r"series squares of small\.only has no cube"):
        run(theorem)


def test_a_table_of_a_column_that_its_series_lacks_is_an_error():
    theorem = one_claim(squares)
    theorem.claim("late", "nothing", Evidence.EXACT, option="statistical")(squares)
    columns = [TableColumn(claim, "squares", "square", y=["square"]) for claim in ("only", "late")]
    theorem.table("squares", *columns, rows=["n"])
    assert [column.claim for column in run(theorem).tables[0].columns] == ["only"]
    assert len(run(theorem, statistical=True).tables[0].columns) == 2
    theorem.table("cubes", TableColumn("only", "squares", "cube", y=["cube"]), rows=["n"])
    with pytest.raises(ValueError, match=r"table cubes: series squares of small\.only has no cube"):
        run(theorem)


def figure(theorem: Theorem, **how):
    theorem.figure("squares", claim="only", **{"series": "squares", "x": "n", "y": "square"} | how)


def table(theorem: Theorem, column: TableColumn, rows=("n",)):
    theorem.table("squares", column, rows=rows)


SLIPS = {
    "no series 'square'; did you mean 'squares'?": lambda of: figure(of, series="square"),
    "no value 'for'; did you mean 'four'?": lambda of: figure(of, kind="level", series="", y="for"),
    "no value 'fourth'; did you mean 'four'?": lambda of: figure(of, minus="fourth"),
    "no series 'row'; did you mean 'rows'?": lambda of: table(of, TableColumn("only", "row", "", y=["cube"])),
    "no series 'four'; there are: rows, squares": lambda of: table(of, TableColumn("only", "four", "")),
    "has no cubes; did you mean 'cube'?": lambda of: table(of, TableColumn("only", "rows", "", y=["cubes"])),
    "no value 'fuor'; did you mean 'four'?": lambda of: table(of, TableColumn("only", "fuor", ""), rows=()),
}


@pytest.mark.parametrize("error", SLIPS)
def test_a_name_that_a_verified_claim_left_nothing_under_is_an_error(error):
    theorem = one_claim(squares)
    SLIPS[error](theorem)
    with pytest.raises(ValueError, match="squares: .*" + error.replace("?", "[?]")):
        run(theorem)


def test_what_is_optional_or_of_a_claim_that_is_not_verified_may_be_missing():
    theorem = one_claim(squares)
    figure(theorem, series="for_some_laws", optional=True)
    table(theorem, TableColumn("only", "for_some_laws", "", optional=True))
    assert run(theorem).verdict is Verdict.VERIFIED
    theorem = one_claim(lambda run, record: squares(run, record, holds=None))
    figure(theorem, series="when_decided")
    assert run(theorem).verdict is Verdict.INCONCLUSIVE
