"""What the README and CONTRIBUTING.md show works as shown, in a copy of the checkout and by itself."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_check.command_line.tasks import make_tasks
from proofs_check.sweeps.plan import read_plan
from tests.imports import PACKAGES, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {
    "proofs_check/theorems/theorem_0.py": 'name="theorem_0"',
    "proofs_check/theorems/second_moment.py": 'name="second_moment"',
    "numerics/laws/arcsine.py": "FAMILY =",
}
"""Where each example of CONTRIBUTING.md belongs, and what is in its block of code alone."""


def shown(part: str) -> str:
    """The one block of Python code that has this in it."""
    (source,) = [block for block in blocks(CONTRIBUTING, "python") if part in block]
    return source


def blocks(document: str, language: str = "") -> list[str]:
    """The blocks of code in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", document, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with the three files added."""
    folder = tmp_path_factory.mktemp("checkout")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path, part in FILES.items():
        assert not (folder / path).exists()
        (folder / path).write_text(shown(part), encoding="utf-8")
    return folder


def run(folder: Path, *words: str, module: str = "proofs_check") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_plan_of_a_sweep_is_one() -> None:
    (source,) = blocks(README, "toml")
    plan = read_plan(tomllib.loads(source))
    assert [task.shown["epsilon"] for task in make_tasks(plan)] == ["1/10", "1/100"] * 3


def test_two_complete_command_lines() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv ")]
    install = (
        "python3 -m venv .venv && .venv/bin/pip install -r requirements.lock -e . && .venv/bin/python -m "
    )
    assert lines == [f"{install}proofs_check theorem_6_2", f"{install}pytest -n 2 --dist loadfile"]


def unprinted(shown: str, printed: str) -> list[str]:
    """The parts, between lines of dots, that are not printed in this order up to the end, save for times."""
    shown, printed = (
        re.sub(r";\s+\d+(\.\d+)? s$", "", text, flags=re.MULTILINE) for text in (shown, printed)
    )
    parts = [part.strip("\n") for part in re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE)]
    wrong = []
    for part in parts:
        before, found, after = printed.partition(part)
        if not found or (part == parts[-1] and after.strip()):
            wrong.append(part)
        printed = after if found else before
    return wrong


def test_the_main_command_prints_what_is_shown(copy: Path) -> None:
    (shown,) = (block for block in blocks(README) if block.startswith("Claims"))
    printed = run(copy, "theorem_6_2").stdout
    assert unprinted(shown, printed) == []
    assert unprinted(shown.replace("T₀ = 17", "T₀ = 18"), printed) != []
    assert unprinted(shown + "more\n", printed) != []
    assert unprinted(shown, printed + "more\n") != []


def test_python_gives_what_is_shown() -> None:
    (source,) = blocks(README, "pycon")
    example = doctest.DocTestParser().get_doctest(source, {}, "README.md", None, None)
    assert len(example.examples) >= 4
    assert doctest.DocTestRunner().run(example).failed == 0


def test_what_is_linked_is_there() -> None:
    for document in (README, CONTRIBUTING):
        for path in re.findall(r'\]\((?!https?:)([^)]+)\)|src="([^"]+)"', document):
            target, _, section = "".join(path).partition("#")
            assert (ROOT / target).exists(), path
            headings = re.findall(r"^#+ (.*)", (ROOT / target).read_text("utf-8"), re.M) if section else []
            assert not section or section in {heading.lower().replace(" ", "-") for heading in headings}


def test_each_example_says_where_it_belongs() -> None:
    assert all(path in CONTRIBUTING for path in FILES)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["theorem_0", "--falsify"], 0),
        (["theorem_0", "--falsify", "--squared-norm", "beta(1/2, 3)"], 0),
        (["theorem_0", "--falsify", "--squared-norm", "atoms({0: 1/2, 10000: 1/2})"], 0),
        (["theorem_0", "--falsify", "--squared-norm", "point(2)"], 0),
        (["theorem_0", "--falsify", "--norm", "chi2(5)"], 0),
        (["theorem_0", "--squared-norm", "point(0)"], 4),
        (["second_moment", "--falsify"], 0),
        (["second_moment", "--falsify", "--squared-norm", "arcsine(1, 4)"], 0),
        (["second_moment", "--squared-norm", "point(2)"], 4),
        (["second_moment", "--squared-norm", "arcsine(4, 1)"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_a_theorem_and_a_law_take_one_file_each(copy: Path, words: list[str], code: int) -> None:
    finished = run(copy, *words)
    assert (finished.returncode, finished.stderr.count("\n")) == (code, int(code == 2))


def test_the_command_lines_of_contributing_run(copy: Path) -> None:
    lines = re.findall(r"`python -m proofs_check ([^`]*)`", CONTRIBUTING)
    assert [shlex.split(line)[0] for line in lines] == ["second_moment", "theorem_6_2"]
    assert [run(copy, *shlex.split(line)).returncode for line in lines] == [0, 0]


def test_the_numbers_are_those_of_the_law(copy: Path) -> None:
    """The arcsine law on [1, 4] has the mean 5/2 and the variance 9/8; E[s/lam] is 1 - 1/sqrt(2 * 5)."""
    law = ["--squared-norm", "arcsine(1, 4)", "--json", "-"]
    document = json.loads(run(copy, "second_moment", "--falsify", *law).stdout)
    assert document["claims"][0]["values"] == {"second_moment": "59/8"}
    assert [variant["verdict"] for variant in document["false_variants"]] == ["refuted"]
    (hypothesis,) = document["hypotheses"]
    assert hypothesis["detail"] == r"$\operatorname{Var} s = 9/8$"
    excess = json.loads(run(copy, "theorem_0", *law).stdout)["claims"][0]["values"]["excess"]
    below, above = (1 - Fraction(excess[end]) for end in ("upper", "lower"))
    assert below**2 <= Fraction(1, 10) <= above**2
    assert above - below < Fraction(1, 10**12)


def test_they_are_listed_explained_and_reported(copy: Path) -> None:
    listed = run(copy, "list").stdout
    assert "second_moment" in listed
    assert "theorem_0" in listed
    assert "𝔼 (s - 𝔼 s)² > 0" in " ".join(run(copy, "explain", "second_moment").stdout.split())
    assert run(copy, "second_moment", "--report", "report.tex").returncode == 0
    assert "The second moment" in (copy / "report.tex").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]], ids=" ".join)
def test_the_examples_pass_lint_and_types(copy: Path, words: list[str]) -> None:
    tool, *options = words
    pytest.importorskip(tool)
    finished = run(copy, *options, *([] if tool == "mypy" else FILES), module=tool)
    assert finished.returncode == 0, finished.stdout + finished.stderr
