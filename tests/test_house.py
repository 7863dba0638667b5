"""Each thing is where one looks for it, and short enough to be read there."""

import ast
import subprocess
import tomllib
from collections import Counter

import pytest

from tests.imports import PACKAGES, ROOT

LONGEST_FILE = 450
LONGEST_FUNCTION = 60
FULLEST_ROOM = 15
ONE_IDEA_A_FILE = {
    "numerics/laws": "a family of laws or one property of a law",
    "numerics/simulation": "an estimator, an architecture or one of their parts",
    "theory": "a topic of the mathematics",
    "proofs_check/theorems": "a theorem",
}
"""Rooms that may be fuller: what one file of theirs is.  The tests mirror them."""

SOURCES = sorted(
    path.relative_to(ROOT) for package in (*PACKAGES, "tests") for path in (ROOT / package).rglob("*.py")
)


def too_long(path, source):
    """The file and the functions in it, docstrings included, that have too many lines."""
    if (lines := len(source.splitlines())) > LONGEST_FILE:
        yield f"{path}: {lines} lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                yield f"{path}: {node.name} has {lines} lines"


def room(folder):
    """The folder, without `tests` where it mirrors one."""
    return folder.as_posix().removeprefix("tests/")


def test_files_are_read_in_one_sitting_and_functions_fit_on_a_screen():
    assert [
        line for path in SOURCES for line in too_long(path, (ROOT / path).read_text(encoding="utf-8"))
    ] == []


def test_what_is_too_long_is_seen():
    body = '    "A docstring."\n' + "    pass\n" * LONGEST_FUNCTION
    assert list(too_long("a.py", f"class A:\n  async def f(self):\n{body}")) == ["a.py: f has 62 lines"]
    assert list(too_long("a.py", "x = 0\n" * 451)) == ["a.py: 451 lines"]
    assert list(too_long("a.py", "x = 0\n" * 450)) == []


def test_no_room_is_crowded():
    files = Counter(path.parent for path in SOURCES)
    crowded = {
        str(folder): count
        for folder, count in files.items()
        if count > FULLEST_ROOM and room(folder) not in ONE_IDEA_A_FILE
    }
    assert crowded == {}


def test_every_room_is_installed():
    """Templates are data in a folder of their own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = {".".join(path.parent.parts) for path in SOURCES if path.parts[0] in PACKAGES}
    assert {*project["tool"]["setuptools"]["packages"]} == rooms | {
        "reports.html.templates",
        "reports.latex.templates",
    }
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)


def test_no_room_lies_within_a_room():
    deep = [str(path) for path in SOURCES if room(path.parent).count("/") > 1]
    assert deep == []


def test_the_top_level_folder_holds_what_it_should():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    top = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert top <= {
        *PACKAGES,
        "tests",
        ".ci",
        ".github",
        ".gitignore",
        ".pre-commit-config.yaml",
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "requirements.lock",
        "requirements-ci.lock",
    }
