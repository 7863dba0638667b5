"""Where a comma is the decimal point, numbers for machines have their dot."""

import locale
import shutil
import subprocess

import pytest

from proofs_check.command_line.commands import main

COMMA = "de_DE.UTF-8"
WORDS = {
    "theorem_6_2": ["--claim", "limit", "--claim", "minimiser_enclosure", "--depth", "1,2"],
    "theorem_4_1": ["--claim", "gap_family"],
    "simulate": ["--prompts", "256", "--context", "50", "--depth", "1,2"],
}


@pytest.fixture
def comma(tmp_path, monkeypatch):
    """A locale with a decimal comma: the system's, or one made for the test."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, COMMA)
    except locale.Error:
        if shutil.which("localedef") is None:
            pytest.skip("neither the locale nor localedef is installed")
        made = ["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / COMMA)]
        if subprocess.run(made, capture_output=True, timeout=60, check=False).returncode:
            pytest.skip("the sources of the locale are not installed")
        monkeypatch.setenv("LOCPATH", str(tmp_path))
        locale.setlocale(locale.LC_ALL, COMMA)
    locale.setlocale(locale.LC_ALL, before)
    yield lambda: locale.setlocale(locale.LC_ALL, COMMA)
    locale.setlocale(locale.LC_ALL, before)


def written(folder, command):
    """The JSON without times, and the CSV."""
    paths = folder / "result.json", folder / "result.csv"
    words = [command, *WORDS[command], "--json", str(paths[0]), "--csv", str(paths[1])]
    assert main(words) == 0
    document = [line for line in paths[0].read_bytes().splitlines() if b'"seconds"' not in line]
    return document, paths[1].read_bytes()


@pytest.mark.parametrize("command", WORDS)
def test_a_decimal_comma_changes_no_byte(command, tmp_path, comma):
    expected = written(tmp_path, command)
    comma()
    assert f"{0.5:n}" == "0,5"
    assert written(tmp_path, command) == expected
