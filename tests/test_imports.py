"""Which package may import which, what a light command loads, what lies in the top-level folder."""

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "theory": set(),
    "reports": set(),
    "numerics": {"theory"},
    "proofs_check": {"theory", "numerics", "reports"},
}
HEAVY = {"sympy", "scipy", "flint", "numpy", "matplotlib", "mpmath"}


def imported(source, module):
    """The names of all modules that a module's source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            yield importlib.util.resolve_name(relative, module.rpartition(".")[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            yield from (word.value for word in node.args if isinstance(word, ast.Constant))


def against_the_arrows(source, module):
    package = module.partition(".")[0]
    forbidden = {*MAY_IMPORT, "tests"} - MAY_IMPORT[package] - {package}
    return sorted({name for name in imported(source, module) if name.partition(".")[0] in forbidden})


def modules(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts), path


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_import_runs_against_an_arrow(package):
    read = {
        module: against_the_arrows(path.read_text(encoding="utf-8"), module)
        for module, path in modules(package)
    }
    assert read
    assert {module: found for module, found in read.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "module", "found"),
    [
        ("import numerics.laws", "theory.losses", ["numerics.laws"]),
        ("def f():\n    from proofs_check import cli", "numerics.arithmetic.balls", ["proofs_check"]),
        ("from theory import losses", "reports.latex.document", ["theory"]),
        (
            "import importlib\nimportlib.import_module('reports.latex.document')",
            "numerics.arithmetic.balls",
            ["reports.latex.document"],
        ),
        ("from . import base\nfrom ..errors import TimeLimit", "numerics.laws.uniform", []),
        ("import tests.strategies", "proofs_check.engine.runner", ["tests.strategies"]),
        ("import theory.losses, numerics, reports", "proofs_check.engine.runner", []),
    ],
)
def test_an_import_against_an_arrow_is_seen(source, module, found):
    assert against_the_arrows(source, module) == found


def loaded_after(*words):
    """The top-level modules that a command leaves behind in its process, and its exit code."""
    script = (
        "import json, sys\nfrom proofs_check.command_line.commands import main\ncode = main()\n"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, names = json.loads(finished.stderr.splitlines()[-1])
    return code, {name.partition(".")[0] for name in names}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["list"], 0),
        (["list", "--json"], 0),
        (["theorem_6_2", "--help"], 0),
        (["nothing"], 2),
        (["theorem_6_2", "--nothing"], 2),
        (["theorem_6_2", "--depth", "0"], 2),
        (["theorem_6_2", "--squared-norm", "uniform(4, 1)"], 2),
        (["theorem_6_2", "--epsilon", "0"], 2),
        (["theorem_6_2", "--json", "/nowhere/result.json"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_a_light_command_loads_nothing_heavy(words, code):
    found, names = loaded_after(*words)
    assert found == code
    assert names & HEAVY == set()


def test_loading_something_heavy_is_seen():
    _, names = loaded_after("theorem_6_2", "--claim", "embedding_closed_form")
    assert "sympy" in names


def test_the_top_level_folder_holds_what_it_should():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    top = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert top <= {
        *MAY_IMPORT,
        "tests",
        ".ci",
        ".github",
        ".gitignore",
        "CITATION.cff",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "requirements.lock",
    }
