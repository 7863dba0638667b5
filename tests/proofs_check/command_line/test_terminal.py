"""What is seen in a shell: help, completion, widths, alphabets, tables."""

import csv
import os
import pty
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from tests.proofs_check.command_line.test_commands import ROOT, process, run

LIMIT = ("theorem_6_2", "--claim", "limit", "--depth", "1,8")


def real(*words, **variables):
    """The real command line in a process of its own: its standard output and error as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "proofs_check", *words],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
        env=os.environ | variables,
    )


def on_a_terminal(columns, *words):
    """The lines that the real command line shows on a terminal so wide, without their colours."""
    ours, theirs = pty.openpty()
    settings = {"stderr": subprocess.DEVNULL, "env": os.environ | {"COLUMNS": str(columns), "TERM": "xterm"}}
    words = [sys.executable, "-m", "proofs_check", *words]
    with subprocess.Popen(words, cwd=ROOT, stdout=theirs, **settings) as child:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert child.returncode == 0
    return re.sub(r"\x1b\[[\d;]*m", "", shown.decode()).replace("\r", "").split("\n")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (LIMIT, ["alpha_T -> alpha* = 2/(2 + m_lo + m_hi)", "||m||^2 ~ uniform(1, 4)", "lambda = 1 + s"]),
        (
            (*LIMIT, "--quiet"),
            ["theorem_6_2 (partial: 1 of 9 claims) is verified for ||m||^2 ~ uniform(1, 4)"],
        ),
        (("list",), ["kappa^(2T)", "Lambda^-1"]),
        (("explain", "latent_factor_model"), ["Lambda = I + m m^tr", "E[y x] = zeta m"]),
    ],
    ids=["result", "quiet", "list", "explain"],
)
def test_mathematics_is_spelled_out_where_it_cannot_be_shown(encoding, words, found):
    finished = real(*words, PYTHONIOENCODING=encoding)
    assert (finished.returncode, finished.stderr) == (0, b"")
    text = finished.stdout.decode(encoding)
    assert text.isascii()
    assert "?" not in text
    flat = " ".join(text.split())
    assert [each for each in found if each not in flat] == []


def test_letters_are_shown_where_they_can_be():
    text = real(*LIMIT, PYTHONIOENCODING="utf-8").stdout.decode()
    assert "α_T → α*" in text
    assert "‖m‖² ~ uniform(1, 4)" in text
    assert "alpha" not in text


def test_an_error_is_spelled_out_too():
    finished = process("arithmetic", "--squared-norm", "α(1)", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert finished.returncode == 2
    assert "?" not in finished.stderr


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", [LIMIT, ("list",)], ids=" ".join)
def test_lines_fit_the_terminal(columns, words):
    lines = on_a_terminal(columns, *words)
    assert max(map(cell_len, lines)) <= columns
    assert any("α_T" in line for line in lines)


def test_a_terminal_is_used_as_far_as_it_goes():
    """As many digits as fit."""
    words = ("theorem_6_2", "--claim", "minimiser_enclosure", "--depth", "8")
    wide = [any("0.280912103435076281658" in line for line in on_a_terminal(c, *words)) for c in (60, 160)]
    assert wide == [False, True]


def help_of(words, capsys):
    assert run(*words) == 0
    return capsys.readouterr().out


def test_help_has_the_options_of_the_theorem_alone(capsys):
    has = help_of(["arithmetic", "-h"], capsys)
    assert "--depth SPEC" in has
    assert "(default: 1,2; up to" in has
    assert "Arithmetic in" in has
    assert "Claims: sum, mean, candidate, varied, half." in has
    lacks = help_of(["failing", "--help"], capsys)
    assert "--depth" not in lacks
    assert "--candidate" not in lacks
    assert "--claim ID" in lacks


def test_help_of_all_has_what_is_not_meant_for_one(capsys):
    text = help_of(["all", "-h"], capsys)
    assert "--depth SPEC" in text
    assert "--start" not in text


@pytest.mark.parametrize(
    "words", [["-h"], ["list", "-h"], ["explain", "-h"], ["simulate", "-h"], ["sweep", "-h"]]
)
def test_every_command_has_the_short_option(words, capsys):
    assert "Usage: python -m proofs_check" in help_of(words, capsys)


@pytest.fixture
def script(tmp_path):
    """The console script as an installer writes it."""
    path = tmp_path / "proofs-check"
    lines = [
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(ROOT)!r})",
        "from proofs_check.command_line.commands import main",
        "sys.exit(main())",
    ]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def test_the_console_script_calls_itself_by_its_name(script):
    words = [str(script), "theorem_9"]
    finished = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (finished.returncode, finished.stdout) == (2, "")
    helped = subprocess.run(
        [str(script), "-h"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert helped.startswith("Usage: proofs-check ")
    assert "--install-completion" in helped
    assert b"--install-completion" not in real("-h").stdout


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("proofs-check theorem", ["theorem_4_1", "theorem_6_2", "theorem_6_3"]),
        ("proofs-check theorem_6_2 --ep", ["--epsilon"]),
        ("proofs-check theorem_4_1 --ep", []),
        ("proofs-check explain lay", ["layerwise"]),
        ("proofs-check sweep ex", ["export"]),
    ],
)
def test_completion(script, line, found):
    told = {"_PROOFS_CHECK_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    finished = subprocess.run(
        [str(script)], capture_output=True, text=True, timeout=60, check=True, env=os.environ | told
    )
    assert finished.stdout.split() == found


def test_numbers_are_shown_and_written(tmp_path, capsys):
    path = tmp_path / "numbers.csv"
    assert run("arithmetic", "--squared-norm", "point(7/3)", "--csv", str(path)) == 0
    shown = capsys.readouterr().out
    assert "7/3 = 2.33333333333333…" in shown
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [(row["theorem"], row["quantity"], row["text"]) for row in rows] == [("arithmetic", "mean", "7/3")]
    assert run("all", "--csv", str(path), "--quiet") == 0
    assert path.read_text().startswith("theorem,table,claim,quantity")


def test_a_table_that_cannot_be_written_is_an_output_that_failed(tmp_path, capsys):
    folder = tmp_path / "folder"
    assert run("arithmetic", "--csv", str(folder / "numbers.csv")) == 2
    assert "--csv: cannot write" in capsys.readouterr().err
    assert run("arithmetic", "--csv", "-") == 2
    assert "only --json writes to standard output" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_exit_code_5(capsys):
    assert run("arithmetic", "--csv", "/dev/full") == 5
    output = capsys.readouterr()
    assert output.err.startswith("error: --csv: ")
    assert "arithmetic is verified" in output.out
