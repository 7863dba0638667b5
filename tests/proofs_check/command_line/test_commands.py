"""The command line, on made-up theorems; the last section runs the real one."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

import proofs_check
from numerics.laws import families
from proofs_check import UsageError, verify
from proofs_check.command_line.commands import main
from proofs_check.command_line.outputs import exit_code
from reports.results import from_json, json_schema, to_json

ROOT = Path(__file__).parents[3]
MADE_UP = "tests.proofs_check.made_up"
SCRIPT = f"""
import sys
from proofs_check.command_line import commands
from proofs_check.command_line.commands import main
if __name__ == "__main__":
    sys.exit(main(package={MADE_UP!r}))
"""
# What Python leaves in a buffer it writes on its way out.
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(*words):
    return main(list(words), package=MADE_UP)


def process(*words, **options):
    """The same in a process of its own."""
    words = [sys.executable, "-c", SCRIPT, *words]
    return subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, **options)


def process_in_shell(redirection, *words):
    """The same under a redirection."""
    script = f'exec "$0" -c "$1" "${{@:2}}" {redirection}'
    words = ["bash", "-c", script, sys.executable, SCRIPT, *words]
    return subprocess.run(
        words, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False, env=BUFFERED
    )


def real(*words):
    """The real command line on the real theorems."""
    words = [sys.executable, "-m", "proofs_check", *words]
    return subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("arithmetic", 0),
        ("arithmetic --squared-norm uniform(0,1)", 1),
        ("arithmetic --candidate 3", 1),
        ("arithmetic --candidate 5/2", 0),
        ("arithmetic --squared-norm chi2(5)", 4),
        ("arithmetic --squared-norm point(0) --claim varied", 4),
        ("arithmetic --squared-norm chi2(5) --allow-not-applicable", 0),
        ("arithmetic --squared-norm uniform(0,1) --allow-not-applicable", 1),
        ("arithmetic --falsify", 0),
        ("arithmetic --falsify --squared-norm uniform(1,3)", 0),
        ("arithmetic --squared-norm chi2(5) --falsify", 4),
        ("arithmetic --squared-norm chi2(5) --candidate 3", 1),
        ("failing --seed 1", 1),
        ("failing --seed 2", 3),
        ("failing --seed 3", 3),
        ("failing --seed 4", 0),
        ("failing --seed 5", 70),
        ("failing --seed 6 --timeout 0.05", 3),
        ("failing --seed 7", 130),
        ("failing --falsify", 1),
        ("failing --falsify --claim strong", 1),
        ("failing --falsify --claim weak", 3),
        ("failing --falsify --claim weak --claim act --seed 1", 1),
        ("all", 0),
        ("all --squared-norm chi2(5)", 4),
        ("all --squared-norm chi2(5) --seed 2", 3),
        ("all --squared-norm chi2(5) --seed 1", 1),
        ("all --squared-norm chi2(5) --allow-not-applicable", 0),
        ("all --claim arithmetic.half", 0),
        ("list", 0),
        ("list --json", 0),
        ("explain arithmetic", 0),
        ("explain failing", 0),
        ("--version", 0),
        ("--help", 0),
        ("arithmetic --help", 0),
    ],
)
def test_exit_codes(words, code, capsys):
    assert run(*words.split()) == code
    error = capsys.readouterr().err
    assert error == "" or code == 70


BAD = [
    ([], "THEOREM"),
    (["nothing"], "THEOREM"),
    (["aritmetic"], "did you mean arithmetic"),
    (["theorem\n6"], "THEOREM"),
    (["explain"], "THEOREM"),
    (["explain", "all"], "THEOREM"),
    (["explain", "nothing"], "THEOREM"),
    (["simulate", "surplus"], "surplus"),
    (["simulate", "--dims", "0"], "--dims"),
    (["--nothing"], "--nothing"),
    (["list", "--nothing"], "--nothing"),
    (["arithmetic", "--dept", "3"], "--depth"),
    (["arithmetic", "--depth"], "--depth"),
    (["arithmetic", "--depth", "0"], "--depth"),
    (["arithmetic", "--depth", "-3"], "--depth"),
    (["arithmetic", "--depth=-3:2"], "--depth"),
    (["arithmetic", "surplus"], "surplus"),
    (["arithmetic", "--falsify=yes"], "--falsify"),
    (["arithmetic", "--modalities", "point(1)"], "--modalities"),
    (["arithmetic", "--norm", "point(1)", "--squared-norm", "point(1)"], "--norm"),
    (["arithmetic", "--squared-norm", "point(1"], "--squared-norm"),
    (["arithmetic", "--squared-norm", 'empirical("nowhere.csv")'], "nowhere.csv"),
    (["arithmetic", "--epsilon", "0"], "--epsilon"),
    (["arithmetic", "--candidate", "x"], "--candidate"),
    (["arithmetic", "--claim", "x"], "--claim"),
    (["arithmetic", "--claim", "candidate"], "--candidate"),
    (["arithmetic", "--start", "1"], "--start"),
    (["arithmetic", "--basin", "1"], "--basin"),
    (["arithmetic", "--seed", "x"], "--seed"),
    (["arithmetic", "--max-bits", "1"], "--max-bits"),
    (["arithmetic", "--timeout", "0"], "--timeout"),
    (["arithmetic", "--jobs", "0"], "--jobs"),
    (["arithmetic", "--statistical"], "--statistical"),
    (["arithmetic", "--depth", "1", "--depth", "2"], "--depth: given 2 times"),
    (
        ["arithmetic", "--squared-norm", "point(1)", "--squared-norm=point(1)"],
        "--squared-norm: given 2 times",
    ),
    (["simulate", "--seed", "1", "--seed", "1"], "--seed: given 2 times"),
    (["arithmetic", "--modalities", "point(1)", "--depth", "2"], "--modalities: 1 law; give two or more"),
    (["arithmetic", "--json", "--quiet"], "--json PATH"),
    (["arithmetic", "--nothing"], "arithmetic --help"),
    (["arithmetic", "--report", "report.docx"], "report.docx"),
    (["arithmetic", "--report", "/nowhere/report.tex"], "/nowhere/report.tex"),
    (["arithmetic", "--report", "-"], "--report"),
    (["arithmetic", "--json", "/nowhere/result.json"], "/nowhere/result.json"),
    (["arithmetic", "--junit", "/nowhere/result.xml"], "/nowhere/result.xml"),
    (["arithmetic", "--junit", "-"], "--junit"),
    (["arithmetic", "--json", ""], "--json '': no path"),
    (["arithmetic", "--json", "a\udcff.json"], "--json 'a\\udcff.json': not UTF-8"),
    (["arithmetic", "--junit", "tests"], "--junit: cannot write tests"),
    (["arithmetic", "--report", "/nowhere/report.pdf"], "--report: cannot write"),
    (["simulate", "--csv", "/nowhere/rows.csv"], "--csv: cannot write"),
    (["arithmetic", "--json", "/dev/null", "--junit", "/dev/null"], "--junit"),
    (["failing", "--depth", "3"], "--depth"),
    (["all", "--candidate", "1"], "--candidate"),
    (["all", "--claim", "half"], "did you mean arithmetic.half?"),
]


@pytest.mark.parametrize(("words", "named"), BAD, ids=lambda value: " ".join(value) if value else "none")
@pytest.mark.parametrize("debug", [False, True])
def test_bad_usage_is_one_line_that_names_the_argument(words, named, debug, capsys):
    words = (
        [*words, "--debug"] if debug and len(words) > 1 and words[0] in {"arithmetic", "failing"} else words
    )
    assert run(*words) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert named in output.err


def test_nothing_runs_before_every_output_is_known_to_be_writable(capsys):
    """Seed 5 would end in 70."""
    assert run("failing", "--seed", "5", "--json", "/nowhere/result.json") == 2


def test_a_bug_is_one_line_and_a_traceback_on_demand(capsys):
    assert run("failing", "--seed", "5") == 70
    line = capsys.readouterr().err
    assert line == "internal error: ZeroDivisionError: a bug of two lines; --debug shows where\n"
    assert run("failing", "--seed", "5", "--debug") == 70
    assert "Traceback" in capsys.readouterr().err


def test_quiet_prints_the_closing_line_only(capsys):
    run("arithmetic")
    full = capsys.readouterr().out
    run("arithmetic", "--quiet")
    closing = capsys.readouterr().out
    assert closing.count("\n") == 1
    assert closing.startswith("arithmetic is verified")
    assert "Claims" in full
    assert (
        run("arithmetic", "--quiet", "--squared-norm", "atoms({1: 1/3, 2: 1/3, 300000000000000000: 1/3})")
        == 0
    )
    assert capsys.readouterr().out.count("\n") == 1


def test_json_on_standard_output_has_it_to_itself(capsys):
    words = ["arithmetic", "--falsify", "--json", "-"]
    assert run(*words) == 0
    output = capsys.readouterr()
    document = json.loads(output.out)
    jsonschema.validate(document, json_schema())
    assert document["command"] == words
    assert exit_code(from_json(output.out.encode())) == 0
    assert output.err == ""


def test_all_in_one_document(capsys):
    assert run("all", "--json", "-", "--seed", "1") == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json_schema())
    assert [each["theorem"] for each in document["theorems"]] == ["arithmetic", "failing"]
    assert document["verdict"] == "refuted"


def test_the_schema_tells_results_from_other_documents():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": 1, "verdict": "verified"}, json_schema())


def test_files_are_written_beside_the_console_output(tmp_path, capsys):
    paths = tmp_path / "result.json", tmp_path / "result.xml"
    assert run("failing", "--seed", "1", "--json", str(paths[0]), "--junit", str(paths[1])) == 1
    assert "is refuted" in capsys.readouterr().out
    assert from_json(paths[0].read_bytes()).verdict == "refuted"
    assert b"<failure" in paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_report_implies_false_variants(tmp_path, capsys):
    assert run("arithmetic", "--report", str(tmp_path / "report.tex"), "--json", "-") == 0
    assert len(json.loads(capsys.readouterr().out)["false_variants"]) == 1
    assert (tmp_path / "report.tex").read_text(encoding="ascii").startswith("\\documentclass")


def test_an_interrupted_run_replaces_the_file_by_what_is_whole(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("old")
    assert run("failing", "--seed", "7", "--json", str(path)) == 130
    result = from_json(path.read_bytes())
    assert (result.complete, result.partial, result.claims) == (False, True, [])
    assert list(tmp_path.iterdir()) == [path]


def test_list_as_json(capsys):
    assert run("list", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["json_schema"] == json_schema()
    laws = {law["name"]: law for law in document["laws"]}
    assert list(laws) == list(families())
    assert laws["truncated"]["example"] == "truncated(chi2(5), high=9)"
    assert "moments are not rational" in laws["truncated"]["note"]
    arithmetic = document["theorems"][0]
    assert arithmetic["max_depth"] == 4096
    assert arithmetic["claims"][1] == {
        "id": "arithmetic.mean",
        "statement": r"$\mathbb{E}\,s \ge 1$",
        "evidence": "exact",
        "needs": ["bounded"],
        "option": None,
        "universal": None,
        "provenance": None,
    }


def test_list_and_explain_name_every_claim(capsys):
    claims = ["sum", "mean", "candidate", "varied", "half"]
    for command in (["list"], ["explain", "arithmetic"]):
        run(*command)
        text = capsys.readouterr().out
        assert all(claim in text for claim in claims)


def test_a_process_of_its_own_has_the_same_exit_codes():
    for words, code in [
        ("arithmetic --quiet", 0),
        ("failing --seed 1", 1),
        ("nothing", 2),
        ("failing --seed 2", 3),
        ("arithmetic --squared-norm chi2(5)", 4),
        ("failing --seed 5", 70),
        ("failing --seed 7", 130),
    ]:
        finished = process(*words.split())
        assert finished.returncode == code, finished.stderr
        assert "Traceback" not in finished.stderr


@pytest.mark.parametrize("words", [["list"], ["--help"], ["arithmetic"], ["arithmetic", "--json", "-"]])
def test_a_reader_that_leaves_is_no_error(words):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as stream:
        finished = subprocess.run(
            [sys.executable, "-c", SCRIPT, *words],
            cwd=ROOT,
            stdout=stream,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            env=BUFFERED,
        )
    assert (finished.returncode, finished.stderr) == (0, b"")


def test_options_that_may_be_repeated_and_values_like_options(capsys):
    assert run("arithmetic", "--claim", "sum", "--claim", "sum", "--quiet", "--quiet") == 0
    assert run("arithmetic", "--candidate", "-1/4", "--quiet") == 1
    assert capsys.readouterr().err == ""


EVERY_OUTPUT = [
    ["arithmetic"],
    ["arithmetic", "--quiet"],
    ["arithmetic", "--json", "-"],
    ["list"],
    ["list", "--json"],
    ["explain", "arithmetic"],
    ["simulate", "--prompts", "64", "--context", "20", "--depth", "1", "--models", "lsa"],
    ["--help"],
    ["--version"],
]


@pytest.mark.parametrize("words", EVERY_OUTPUT, ids=" ".join)
@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_standard_output_that_cannot_be_written_is_one_line(words, redirection):
    finished = process_in_shell(redirection, *words)
    assert finished.returncode == 5
    assert finished.stderr.startswith("error: ")
    assert "standard output" in finished.stderr
    assert finished.stderr.count("\n") == 1


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_without_standard_error_the_exit_code_says_it(redirection):
    for words, code in [(["arithmetic", "--depth", "0"], 2), (["failing", "--seed", "5", "--debug"], 70)]:
        finished = process_in_shell(redirection, *words)
        assert (finished.returncode, finished.stdout) == (code, "")


def test_simulation_json_is_utf_8_on_any_terminal(tmp_path):
    path = tmp_path / "größe.csv"
    path.write_text("norm\n1\n2\n")
    words = ["--squared-norm", f'empirical("{path}")', "--prompts", "64", "--context", "20", "--depth", "1"]
    finished = process("simulate", *words, "--json", "-", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert "größe.csv" in json.loads(finished.stdout)["law"]["texts"][0]


@pytest.mark.parametrize("words", [["arithmetic"], ["list"], ["explain", "arithmetic"]])
def test_output_that_the_terminal_cannot_show_is_no_error(words):
    finished = process(*words, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Arithmetic" in finished.stdout


@pytest.mark.parametrize("words", [["arithmetic", "--json", "-"], ["list", "--json"]])
def test_json_is_utf_8_on_any_terminal(words):
    finished = process(*words, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert "Arithmetic in ℕ" in finished.stdout


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (["--claim", "population_loss"], 0, "verified"),
        (["--claim", "candidate", "--candidate", "1/4"], 1, "refuted"),
        (["--claim", "minimiser_enclosure", "--depth", "4096", "--max-bits", "64"], 3, "inconclusive"),
        (["--claim", "minimiser_enclosure", "--timeout", "0.0001"], 3, "inconclusive"),
        (["--claim", "limit", "--squared-norm", "chi2(5)"], 4, "not_applicable"),
        (["--claim", "limit", "--squared-norm", "chi2(5)", "--allow-not-applicable"], 0, "not_applicable"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_every_verdict_on_the_real_command_line(words, code, verdict):
    finished = real("theorem_6_2", *words, "--json", "-")
    assert (finished.returncode, finished.stderr) == (code, "")
    document = json.loads(finished.stdout)
    jsonschema.validate(document, json_schema())
    assert document["verdict"] == verdict


def test_bad_usage_on_the_real_command_line():
    finished = real("theorem_6_2", "--depth", "0")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == "error: --depth '0': a depth is at least 1\n"


def test_verify_is_the_command_line_from_python():
    result = verify("theorem_6_2", squared_norm="uniform(1, 3)", depth=[2, 1], claim="minimiser_enclosure")
    options = ["--squared-norm", "uniform(1, 3)", "--depth", "2,1", "--claim", "minimiser_enclosure"]
    assert result.command == ["theorem_6_2", *options]
    finished = from_json(real(*result.command, "--json", "-").stdout.encode())
    assert finished.claim("minimiser_enclosure").values == result.claim("minimiser_enclosure").values
    assert [row["T"] for row in result.claim("minimiser_enclosure").values["alpha_T"]] == [1, 2]
    assert from_json(to_json(result)) == result


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, ["--depth", "0"]),
        ({"epsilon": -0.5}, ["--epsilon", "-0.5"]),
        ({"squared_norm": "uniform(4, 1)"}, ["--squared-norm", "uniform(4, 1)"]),
        ({"start": [(1, 2)]}, ["--start", "1,2"]),
        ({"claim": ["limits"]}, ["--claim", "limits"]),
        ({"timeout": 0.0}, ["--timeout", "0.0"]),
    ],
)
def test_verify_refuses_with_the_line_of_the_command_line(options, words, capsys):
    with pytest.raises(UsageError) as caught:
        verify("theorem_6_2", **options)
    assert main(["theorem_6_2", *words]) == 2
    assert capsys.readouterr().err == f"error: {caught.value}\n"


def test_one_version_number():
    with open(ROOT / "pyproject.toml", "rb") as stream:
        version = tomllib.load(stream)["project"]["version"]
    assert real("--version").stdout in {f"{version}\n", "0+unknown\n"}
    assert proofs_check.__version__ + "\n" == real("--version").stdout
    assert version not in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
