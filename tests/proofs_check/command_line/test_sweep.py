"""`sweep` on the command line: words, documents, exit codes."""

import csv
import json
from pathlib import Path

import pytest

from proofs_check.command_line.commands import main
from proofs_check.command_line.sweep import summary, worst_code
from proofs_check.sweeps.store import Row
from proofs_check.sweeps.tasks import Outcome

MADE_UP = "tests.proofs_check.made_up"
PLAN = """
name = "means"
command = "arithmetic"
[values]
squared-norm = ["point(1/2)", "uniform(1, 4)"]
epsilon = ["1/10", "1/100"]
"""


def sweep(*words):
    return main(["sweep", *map(str, words)], package=MADE_UP)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    plan, path = folder / "plan.toml", folder / "results.db"
    plan.write_text(PLAN)
    assert sweep("run", plan, "--store", path, "--quiet") == 1
    return path


def test_a_run_ends_with_a_line_and_logs_one_a_task(store, tmp_path, capsys):
    plan = store.parent / "plan.toml"
    assert sweep("run", plan, "--store", tmp_path / "a.db") == 1
    found = capsys.readouterr()
    assert found.out == "means: 4 tasks: 2 refuted, 2 verified\n"
    lines = found.err.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["1/4", "2/4", "3/4", "4/4"]
    assert lines[0].startswith("1/4 arithmetic --squared-norm point(1/2) --epsilon 1/10: refuted, ")
    assert sweep("run", plan, "--store", store, "--quiet") == 1
    assert capsys.readouterr().err == ""


def test_what_is_there_is_counted(store, capsys):
    assert sweep("status", store) == 0
    assert capsys.readouterr().out == "means: 4 tasks: 2 refuted, 2 verified\n"


def test_the_table_is_written(store, tmp_path, capsys):
    assert sweep("export", store, "--csv", tmp_path / "a.csv", "--json", tmp_path / "a.json") == 0
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert [line["mean.mean"] for line in lines] == ["1/2", "1/2", "5/2", "5/2"]
    assert [line["verdict"] for line in lines] == ["refuted", "refuted", "verified", "verified"]
    assert sweep("export", store, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "a.json").read_text())


def test_the_report_is_a_page(store, tmp_path):
    path = tmp_path / "a.html"
    assert sweep("report", store, path, "--value", "mean.mean") == 0
    assert path.read_text(encoding="utf-8").count("<svg") == 1


def test_the_report_is_a_document(store, tmp_path):
    path = tmp_path / "a.tex"
    assert sweep("report", store, path, "--value", "mean.mean") == 0
    tex = path.read_text(encoding="ascii")
    assert tex.count(r"\includegraphics") == 1
    assert (tmp_path / "a-figures").is_dir()
    assert tex.count(r"\verdict{refuted}") == 2


def test_stores_are_compared(store, tmp_path, capsys):
    assert sweep("diff", store, store) == 0
    assert capsys.readouterr().out == "4 tasks in both, 0 only in the old, 0 only in the new: 0 differences\n"
    assert sweep("merge", tmp_path / "b.db", store) == 0
    assert capsys.readouterr().out == "means: 4 tasks: 2 refuted, 2 verified\n"
    assert sweep("diff", store, tmp_path / "b.db") == 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "sweep: missing"),
        (["runs"], "sweep 'runs': unknown; did you mean run?"),
        (["run"], "PLAN.toml"),
        (["run", "none.toml"], "'none.toml': No such file"),
        (["run", "PLAN", "--store", "PLAN"], "not a database"),
        (["run", "PLAN", "--shard", "3"], "--shard '3'"),
        (["run", "PLAN", "--shard", "0/3"], "--shard '0/3'"),
        (["run", "PLAN", "--jobs", "0"], "--jobs '0'"),
        (["run", "PLAN", "--dask", "here"], "--dask 'here'"),
        (["run", "PLAN", "--store"], "--store"),
        (["status", "none.db"], "'none.db': no such file"),
        (["status", "PLAN"], "not a database"),
        (["export", "STORE"], "--csv PATH or --json PATH"),
        (["export", "STORE", "--csv", "/nowhere/a.csv"], "--csv"),
        (["report", "STORE", "a.docx"], "ends in .html, .pdf or .tex"),
        (["report", "STORE", "/nowhere/a.html"], "cannot write"),
        (["report", "STORE", "PLACE.html", "--value", "nothing"], "--value 'nothing'"),
        (["report", "STORE", "PLACE.html", "--over", "seed"], "--over 'seed'"),
        (["diff", "STORE"], "NEW.db"),
        (["diff", "STORE", "none.db"], "none.db"),
        (["merge", "STORE"], "PART..."),
    ],
)
def test_bad_usage_is_a_line_and_code_2(words, named, store, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    places = {"PLAN": str(store.parent / "plan.toml"), "STORE": str(store)}
    assert sweep(*(places.get(word, word) for word in words)) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert len(found.err.splitlines()) == 1
    assert named in found.err
    assert not Path("PLACE.html").exists()


def rows(*outcomes):
    return [Row("a", i, "b", {}, "", str(i), made) for i, made in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("codes", "worst"),
    [([], 0), ([0], 0), ([0, 4], 4), ([4, 3], 3), ([3, 1], 1), ([1, 70, 0], 70), ([0, None], 0)],
)
def test_the_exit_code_is_the_worst_of_the_tasks(codes, worst):
    outcomes = [code if code is None else Outcome(code, "", "", b"", 0.0) for code in codes]
    assert worst_code(rows(*outcomes)) == worst


def test_a_sweep_in_a_line():
    done, failed = Outcome(0, "not_applicable", "", b"", 0.0), Outcome(70, "", "a bug", b"", 0.0)
    assert summary("x", rows(done, failed, None, None)) == "x: 4 tasks: 1 failed, 2 missing, 1 not applicable"
