"""Runs that are cut short, in time or in extent, and outputs that fail."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_check.command_line import commands
from reports.results import from_json
from tests.proofs_check.command_line.test_commands import ROOT, SCRIPT, run
from tests.waiting import PATIENCE, wait_until


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--timeout", "1000"]], ids=" ".join)
def test_ctrl_c_ends_it_at_once_and_leaves_what_is_whole(options, tmp_path):
    sign, path, junit = tmp_path / "sign", tmp_path / "result.json", tmp_path / "result.xml"
    files = ["--json", str(path), "--junit", str(junit)]
    words = [sys.executable, "-c", SCRIPT, "all", "--seed", "6", *files, *options]
    running = subprocess.Popen(
        words,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=os.environ | {"SIGN_OF_LIFE": str(sign)},
    )
    wait_until(lambda: sign.exists() or running.poll() is not None)
    assert running.poll() is None, running.communicate()
    # As a terminal does: to every process of the group.
    os.killpg(running.pid, signal.SIGINT)
    # The claim sleeps for longer, and communicate() returns only when no worker holds the pipes.
    out, error = running.communicate(timeout=PATIENCE)
    assert (running.returncode, error) == (130, b"")
    assert "Interrupted, not all theorems: inconclusive" in out.decode()
    result = from_json(path.read_bytes())
    assert (result.complete, result.verdict) == (False, "inconclusive")
    last = result.theorems[-1]
    assert (last.complete, last.partial, last.verdict) == (False, True, "inconclusive") or len(
        result.theorems
    ) == 1
    for theorem in result.theorems:
        assert all(claim.verdict == "verified" for claim in theorem.claims)
        assert f'name="{theorem.theorem}"' in junit.read_text()
    if "2" not in options:
        # One after the other: when `failing` sleeps, `arithmetic` is done, and was shown.
        assert (result.theorems[0].theorem, result.theorems[0].verdict) == ("arithmetic", "verified")
        assert "arithmetic is verified" in out.decode()


def test_ctrl_c_before_the_run_leaves_a_result_of_nothing(tmp_path, monkeypatch, capsys):
    """From the first line of `main` on: here while the words are read."""
    made = commands._application

    def interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        return made(*given)

    monkeypatch.setattr(commands, "_application", interrupted)
    path = tmp_path / "result.json"
    assert run("arithmetic", "--json", str(path)) == 130
    result = from_json(path.read_bytes())
    assert (result.complete, result.partial, result.claims) == (False, True, [])
    assert "(interrupted, partial: 0 of 4 claims) is inconclusive" in capsys.readouterr().out
    path.unlink()
    assert run("simulate", "--json", str(path)) == 130
    assert from_json(path.read_bytes()).complete is False


def test_a_part_of_a_theorem_says_so_in_every_form(tmp_path, capsys):
    names = ["json", "xml", "tex"]
    paths = [tmp_path / f"result.{name}" for name in names]
    files = [
        word
        for flag, path in zip(("--json", "--junit", "--report"), paths, strict=True)
        for word in (flag, str(path))
    ]
    assert run("arithmetic", "--claim", "sum", *files) == 0
    assert "arithmetic (partial: 1 of 4 claims) is verified" in capsys.readouterr().out
    assert json.loads(paths[0].read_bytes())["partial"] is True
    assert b'name="extent" value="partial: 1 of 4 claims"' in paths[1].read_bytes()
    title = next(line for line in paths[2].read_text().splitlines() if line.startswith("\\heading"))
    assert "partial: 1 of 4 claims" in title
    assert run("arithmetic", "--json", str(paths[0])) == 0
    assert json.loads(paths[0].read_bytes())["partial"] is False
    assert "partial" not in capsys.readouterr().out


def test_every_theorem_is_shown_as_soon_as_it_is_done(capsys, monkeypatch):
    """`failing` ends in a bug: what was done before has been printed."""
    for jobs in ("1", "2"):
        assert run("all", "--seed", "5", "--jobs", jobs) == 70
        assert ("arithmetic is verified" in capsys.readouterr().out) or jobs == "2"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(("seed", "code"), [("0", 5), ("1", 1), ("2", 3)])
def test_a_failed_output_is_a_line_and_loses_no_other(tmp_path, capsys, seed, code):
    """5 comes after 1 and 3 in the order of exit codes."""
    path = tmp_path / "result.xml"
    assert run("failing", "--seed", seed, "--json", "/dev/full", "--junit", str(path)) == code
    output = capsys.readouterr()
    assert output.err == "error: --json: cannot write /dev/full: No space left on device\n"
    assert "failing is" in output.out
    assert b"testsuite" in path.read_bytes()
