"""`simulate`: options, documents, interruption."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import numerics
from proofs_check import UsageError
from proofs_check.command_line.commands import main
from proofs_check.command_line.simulate import simulate
from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
from proofs_check.engine.environment import Interrupts
from reports.__main__ import main as reports_main
from reports.files import OutputError
from reports.results import from_json, json_schema

ROOT = Path(__file__).parents[3]
SMALL = {"prompts": "2048", "context": "100", "depth": "1,2,8"}


def run(**options):
    return simulate(make_simulation(SimulationOptions(**SMALL | options)))


BAD = [
    ({"dims": ("0",)}, "--dims"),
    ({"dims": ("3,x",)}, "--dims"),
    ({"dims": ("3,2", "3,2")}, "--dims"),
    ({"dims": ("5",), "modalities": ("point(1)", "point(2)")}, "--dims"),
    ({"factor": ("point(1)", "point(2)")}, "--factor"),
    ({"context": "0"}, "--context"),
    ({"context": "50,50"}, "--context"),
    ({"context": "1e3"}, "--context"),
    ({"depth": "0"}, "--depth"),
    ({"depth": "1:5000"}, "--depth"),
    ({"prompts": "0"}, "--prompts"),
    ({"models": "lsa,transformer"}, "--models"),
    ({"models": "lsa,lsa"}, "--models"),
    ({"models": ""}, "--models"),
    ({"weights": "best"}, "--weights"),
    ({"weights": "trained", "models": "no_skip"}, "--weights"),
    ({"backend": "torch"}, "--backend"),
    ({"dtype": "int8"}, "--dtype"),
    ({"memory": "9000TB"}, "--memory"),
    ({"memory": "much"}, "--memory"),
    ({"seed": "-1"}, "--seed"),
    ({"jobs": "0"}, "--jobs"),
    ({"jobs": "2", "backend": "cupy"}, "--jobs"),
    ({"squared_norm": "uniform(4, 1)"}, "--squared-norm"),
    ({"squared_norm": "point(1)", "norm": "point(1)"}, "--squared-norm"),
]


@pytest.mark.parametrize(("options", "named"), BAD, ids=str)
def test_bad_input_is_named_in_one_line(options, named):
    with pytest.raises(UsageError) as caught:
        make_simulation(SimulationOptions(**options))
    assert str(caught.value).startswith(named)
    assert "\n" not in str(caught.value)


def test_a_missing_cupy_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match=r"--backend.*install.*cupy-cuda12x"):
        make_simulation(SimulationOptions(backend="cupy"))


def test_a_budget_too_small_for_a_later_size_is_seen_before_the_first(monkeypatch):
    monkeypatch.setattr(numerics.simulation.sweep, "run_chunk", None)
    with pytest.raises(UsageError, match=r"--memory.*context 1000000"):
        run(models="softmax", context="50,1000000", memory="50MB", prompts="100000")


def command(*words):
    return main(["simulate", "--prompts", "256", "--context", "50,60", "--depth", "1,2", *words])


def test_the_command_line_writes_every_form(tmp_path, capsys):
    paths = {name: tmp_path / f"s.{name}" for name in ("json", "csv", "png", "pdf")}
    words = ["--json", str(paths["json"]), "--csv", str(paths["csv"]), "--plot", str(paths["png"])]
    assert command(*words) == 0
    out = capsys.readouterr().out
    assert "d = 3 + 2, L = 60" in out
    assert "seed 0" in out
    document = json.loads(paths["json"].read_bytes())
    jsonschema.validate(document, json_schema())
    assert document["complete"] is True
    assert document["command"][0] == "simulate"
    table = list(csv.DictReader(io.StringIO(paths["csv"].read_text())))
    assert len(table) == len(document["rows"]) == 2 * (3 * 2 + 3)
    for line, row in zip(table, document["rows"], strict=True):
        assert float(line["mean"]) == row["excess"]["mean"]
        assert line["depth"] == ("" if row["depth"] is None else str(row["depth"]))
    assert paths["png"].read_bytes().startswith(b"\x89PNG")
    assert command("--plot", str(paths["pdf"])) == 0
    assert paths["pdf"].read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(("name", "style"), [("s.html", "full"), ("s.tex", "short"), ("s.tex", "fragment")])
def test_a_report_is_the_one_of_the_stored_result(tmp_path, capsys, name, style):
    report, stored, again = tmp_path / name, tmp_path / "s.json", tmp_path / f"again-{name}"
    assert command("--report", str(report), "--report-style", style, "--json", str(stored)) == 0
    assert from_json(stored.read_bytes()).outputs["report"] == str(report)
    assert reports_main([str(stored), str(again), "--report-style", style]) == 0
    text, other = report.read_text(encoding="utf-8"), again.read_text(encoding="utf-8")
    assert "one-parameter" in text or "one parameter" in text
    assert text == other.replace("again-s-figures", "s-figures")
    assert "--report" not in text


def test_a_report_that_fails_leaves_the_rows(tmp_path, monkeypatch, capsys):
    def full(*_):
        raise OutputError("cannot write it: No space left on device")

    monkeypatch.setattr("reports.write.write_report", full)
    table = tmp_path / "s.csv"
    assert command("--report", str(tmp_path / "s.html"), "--csv", str(table)) == 5
    assert capsys.readouterr().err == "error: --report: cannot write it: No space left on device\n"
    assert table.exists()


def test_json_on_standard_output_stands_alone(capsys):
    assert command("--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--plot", "plot.svg"],
        ["--csv", "-"],
        ["--csv", "/nowhere/rows.csv"],
        ["--json", "same", "--csv", "same"],
        ["--report", "report.doc"],
        ["--report", "/nowhere/report.html"],
        ["--report", "report.html", "--report-style", "short"],
        ["--report-style", "short"],
        ["--plot", "same.pdf", "--report", "same.pdf"],
        ["--dims", "0"],
        ["--nothing"],
    ],
    ids=" ".join,
)
def test_bad_usage_ends_in_one_line(words, capsys):
    assert command(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("error: ")


SIGN = """
import sys
import {module} as module

whole = module.{owner}.{method}


def told(*given):
    result = whole(*given)
    print("alive", file=sys.stderr, flush=True)
    return result


module.{owner}.{method} = told
from proofs_check.command_line.commands import main

sys.exit(main())
"""
SWEEP = {"module": "numerics.simulation.sweep", "owner": "Sweep", "method": "_merge"}
TRAINING = {"module": "numerics.simulation.training", "owner": "Training", "method": "initial"}


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        (["--prompts", "100000000", "--context", "50"], SWEEP),
        (["--prompts", "100000000", "--context", "50", "--jobs", "2"], SWEEP),
        (["--weights", "trained", "--context", "200000000"], TRAINING),
    ],
    ids=["sweep", "processes", "training"],
)
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for a child process")
def test_an_interrupt_leaves_a_valid_file(tmp_path, words, sign):
    """The process says when it has come to the work."""
    path = tmp_path / "result.json"
    arguments = [sys.executable, "-c", SIGN.format(**sign), "simulate", "--json", str(path), *words]
    child = subprocess.Popen(
        arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        assert child.stderr.readline() == b"alive\n"
        # As a terminal does: to every process.
        os.killpg(child.pid, signal.SIGINT)
        out, error = child.communicate()
    finally:
        child.kill()
    assert child.returncode == 130
    assert error.replace(b"alive\n", b"") == b""
    assert b"interrupted before the end" in out
    result = from_json(path.read_bytes())
    assert result.complete is False
    for row in result.rows:
        assert 0 < row.excess.samples < 100_000_000


def test_a_second_interrupt_ends_at_once():
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    with interrupts.watched():
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_help_is_light():
    script = "import sys; from proofs_check.command_line.commands import main; "
    script += "code = main(['simulate', '--help']); "
    script += "sys.exit(code or bool({'numpy', 'sympy', 'scipy', 'flint'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=False).returncode
        == 0
    )
