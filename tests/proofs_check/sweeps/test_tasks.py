"""From a plan to its tasks, and what their addresses depend on."""

from dataclasses import replace

import msgspec
import pytest

from proofs_check.command_line.options import Options
from proofs_check.command_line.simulation_options import SimulationOptions
from proofs_check.command_line.tasks import make_tasks, perform, values_of
from proofs_check.engine.context import UsageError
from proofs_check.sweeps import tasks as addressing
from proofs_check.sweeps.plan import read_plan
from proofs_check.sweeps.tasks import ForeignWorker, Versions, versions

MADE_UP = "tests.proofs_check.made_up"


def made(command="arithmetic", combine="product", **values):
    plan = read_plan({"command": command, "combine": combine, "values": values})
    return make_tasks(plan, MADE_UP)


def address(**values):
    (task,) = made(**values)
    return task.address


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"epsilon": "1/10"}, {"epsilon": 0.1}),
        ({"epsilon": "0.10"}, {"epsilon": "1/10"}),
        ({}, {"epsilon": "1/100"}),
        ({"squared-norm": "uniform(1,4)"}, {}),
        ({"squared_norm": "uniform(1, 4)"}, {"squared-norm": " uniform( 1.0, 8/2 )"}),
        ({"depth": "1:3"}, {"depth": [3, 2, 1]}),
        ({"depth": "1,2"}, {}),
        ({"falsify": False}, {}),
        ({"seed": 0}, {"seed": "0"}),
        ({"claim": ["sum"]}, {"claim": "arithmetic.sum"}),
    ],
)
def test_the_same_question_has_one_address_however_it_is_written(first, second):
    assert address(**first) == address(**second)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", "1/11"),
        ("squared-norm", "uniform(1, 5)"),
        ("norm", "uniform(1, 4)"),
        ("depth", "1"),
        ("seed", 1),
        ("candidate", 0),
        ("claim", "sum"),
        ("falsify", True),
        ("timeout", 5),
        ("max-bits", 128),
        ("start", "0.1,0.2"),
        ("basin", [3, 3]),
    ],
)
def test_every_option_changes_the_address(name, value):
    assert address(**{name: value}) != address()


def test_the_command_changes_the_address():
    assert made("arithmetic")[0].address != made("failing")[0].address


def test_an_input_file_changes_the_address_by_what_is_in_it(tmp_path):
    path = tmp_path / "norms.csv"
    path.write_text("norm\n1\n2\n")
    law = f'empirical("{path}", column="norm")'
    first = address(squared_norm=law)
    path.write_text("norm\n1\n3\n")
    second = address(squared_norm=law)
    path.write_text("norm\n1\n2\n")
    assert first == address(squared_norm=law) != second


def test_versions_and_source_change_the_address(monkeypatch):
    mine = versions()
    before = address()
    for theirs in (
        msgspec.structs.replace(mine, python="3.99"),
        msgspec.structs.replace(mine, packages=mine.packages | {"sympy": "9"}),
        msgspec.structs.replace(mine, source="0" * 64),
    ):
        monkeypatch.setattr(addressing, "versions", lambda theirs=theirs: theirs)
        assert address() != before
        monkeypatch.undo()
        assert len(mine.differences(theirs)) == 1
    assert mine.differences(mine) == []


def test_our_source_is_hashed_but_a_theorem_counts_for_itself_alone():
    files = {path.relative_to(addressing.ROOT).as_posix() for path in addressing._source_files()}
    assert {"numerics/laws/base.py", "theory/normal_form.py", "reports/results.py"} <= files
    assert "proofs_check/theorems/_quantities.py" in files
    assert "proofs_check/theorems/theorem_6_2.py" not in files


def test_a_theorems_own_file_changes_its_address(tmp_path):
    path = tmp_path / "theorem.py"
    path.write_text("1")
    first = addressing.source_hash([path])
    path.write_text("2")
    assert addressing.source_hash([path]) != first


def test_theorem_files_do_not_import_one_another():
    """Else the file of one would not be all that its address has to know."""
    from tests.imports import graph

    theorems = {name for name in graph() if name.startswith("proofs_check.theorems.")}
    public = {name for name in theorems if not name.rpartition(".")[2].startswith("_")}
    assert public
    assert [name for name in theorems if graph()[name] & public - {name}] == []


@pytest.mark.parametrize(
    ("name", "given", "values"),
    [
        ("epsilon", "1/10", ["1/10"]),
        ("epsilon", ["1/10", 0.01], ["1/10", 0.01]),
        ("depth", [1, 2], [[1, 2]]),
        ("depth", [[1, 2], [4]], [[1, 2], [4]]),
        ("depth", "1:64", ["1:64"]),
        ("basin", [3, 4], [[3, 4]]),
        ("modalities", ["point(1)", "point(2)"], [["point(1)", "point(2)"]]),
        ("falsify", [True, False], [True, False]),
        ("claim", ["a", "b"], ["a", "b"]),
        ("claim", [["a", "b"]], [["a", "b"]]),
        ("start", ["0,1", [0.5, 1]], ["0,1", ["0.5,1"]]),
        ("dims", ["3,2", [5, 5]], ["3,2", ["5,5"]]),
        ("context", [50, 200], [[50, 200]]),
        ("models", ["lsa", "no_skip"], [["lsa", "no_skip"]]),
    ],
)
def test_a_list_is_one_value_where_the_option_takes_a_list(name, given, values):
    option = {o.name: o for o in [*Options.declared(), *SimulationOptions.declared()]}[name]
    assert values_of(option, given) == values


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"seed": "random"}, "--seed random"),
        ({"seed": [0, "random"]}, "--seed random"),
        ({"jobs": 2}, "once for the whole sweep"),
        ({"json": "x"}, "once for the whole sweep"),
        ({"nothing": 1}, "no such option"),
        ({"epsilon": []}, "--epsilon"),
        ({"epsilon": [2]}, "--epsilon"),
        ({"epsilon": True}, "--epsilon"),
        ({"depth": [[1], 2]}, "--depth"),
        ({"falsify": "yes"}, "--falsify"),
        ({"squared-norm": "uniform(4, 1)"}, "--squared-norm"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is(values, named):
    with pytest.raises(UsageError, match=named):
        made(**values)


def test_an_option_that_the_one_command_has_not_is_refused():
    with pytest.raises(UsageError, match="failing has no such option"):
        made("failing", epsilon=["1/10", "1/100"])


def test_of_several_commands_an_option_goes_to_those_that_have_it_and_each_task_is_there_once():
    found = made(["arithmetic", "failing"], epsilon=["1/10", "1/100"], seed=[1, 2])
    assert [task.command for task in found] == ["arithmetic"] * 4 + ["failing"] * 2
    assert [task.shown for task in found[4:]] == [{"seed": "1"}, {"seed": "2"}]


def test_simulate_is_a_command_with_its_own_options():
    found = made("simulate", dims=["3,2", "5"], seed=[1, 2], prompts=100)
    assert len({task.address for task in found}) == 4
    assert address(command="simulate") == address(command="simulate", depth="1,2,4,8,16,32,64")
    assert address(command="simulate") != address(command="simulate", dtype="float32")


def test_a_task_is_performed():
    (task,) = made(seed=3)
    outcome = perform(task)
    assert (outcome.code, outcome.verdict, outcome.error) == (0, "verified", "")
    assert b'"arithmetic.sum"' in outcome.result


def test_what_goes_wrong_in_a_task_is_its_outcome():
    outcomes = [perform(task) for task in made("failing", seed=[1, 5, 2])]
    assert [outcome.code for outcome in outcomes] == [1, 70, 3]
    assert outcomes[1].error == "ZeroDivisionError: a bug of two lines"
    assert outcomes[1].result == b""


def test_another_version_or_file_is_refused(tmp_path):
    (task,) = made()
    mine = task.versions
    other = Versions(mine.python, mine.packages | {"numpy": "0.1"}, mine.source)
    with pytest.raises(ForeignWorker, match=r"numpy .*, not 0\.1"):
        perform(replace(task, versions=other))
    path = tmp_path / "norms.csv"
    path.write_text("norm\n1\n2\n")
    (task,) = made(squared_norm=f'empirical("{path}", column="norm")')
    path.write_text("norm\n1\n3\n")
    with pytest.raises(ForeignWorker, match="file is another"):
        perform(task)
