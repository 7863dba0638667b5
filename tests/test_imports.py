"""Which package and which room may import which, that there is no circle, what a light command loads."""

import ast
import importlib.util
import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.imports import ROOT, graph, imported, modules

MAY_IMPORT = {
    "theory": set(),
    "reports": set(),
    "numerics": {"theory"},
    "proofs_check": {"theory", "numerics", "reports"},
}
"""Of the packages; imports for the type checker count as well."""

BELOW = {
    "numerics.errors": set(),
    "numerics.arithmetic": {"numerics.errors"},
    "numerics.laws": {"numerics.errors", "numerics.arithmetic"},
    "numerics.expectation": {"numerics.errors", "numerics.arithmetic", "numerics.laws"},
    "proofs_check.engine": {"proofs_check.formal"},
    "proofs_check.theorems": {"proofs_check.engine"},
    "proofs_check.formal": set(),
    "proofs_check.sweeps": {"proofs_check.engine"},
    "proofs_check.command_line": {"proofs_check.engine", "proofs_check.formal", "proofs_check.sweeps"},
    "reports.layouts": set(),
    "reports.vocabulary": set(),
    "reports.reading": {"reports.vocabulary"},
    "reports.results": {"reports.layouts", "reports.reading", "reports.vocabulary"},
    "reports.text": {"reports.results"},
    "reports.terminal": {"reports.layouts", "reports.results", "reports.tables", "reports.text"},
    "reports.figures": {"reports.results", "reports.text"},
}
"""What a room may import of its own package.  A further room of `numerics` is an architecture."""

SPECIAL_CASES: dict[tuple[str, str], str] = {
    ("numerics.layerwise", "numerics.one_parameter"): "a_t = alpha, b_t = -alpha in every layer",
    ("numerics.layerwise", "numerics.two_parameter"): "a_t = alpha, b_t = beta in every layer",
}
"""(room, room that it imports): why the second architecture is a special case of the first."""

HEAVY = {"sympy", "scipy", "flint", "numpy", "matplotlib", "mpmath"}


def mentioned(source, module):
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
    return sorted({name for name in mentioned(source, module) if name.partition(".")[0] in forbidden})


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_import_runs_against_an_arrow(package):
    read = {
        module: against_the_arrows(path.read_text(encoding="utf-8"), module)
        for module, path in modules().items()
        if module.partition(".")[0] == package
    }
    assert read
    assert {module: found for module, found in read.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "module", "found"),
    [
        ("import numerics.laws", "theory.losses", ["numerics.laws"]),
        ("def f():\n    from proofs_check import verify", "numerics.arithmetic.balls", ["proofs_check"]),
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


def room(module):
    return ".".join(module.split(".")[:2])


def allowed(importing, rooms):
    """The rooms of its own package that a room may import; None: no rule."""
    foundations = {name for name in BELOW if name.startswith("numerics.")}
    if importing == "numerics.simulation":
        return {name for name in rooms if name.startswith("numerics.")}
    if importing.startswith("numerics.") and importing not in BELOW:
        return foundations | {special for general, special in SPECIAL_CASES if general == importing}
    return BELOW.get(importing)


def sideways(imports):
    """The imports from room to room of one package that no rule allows."""
    rooms = {room(module) for module in imports}
    return sorted(
        (module, other)
        for module, others in imports.items()
        for other in others
        if (rule := allowed(room(module), rooms)) is not None
        and module.partition(".")[0] == other.partition(".")[0]
        and room(other) not in rule | {room(module)}
    )


def circle(imports):
    """Modules that import one another in a circle; None if there is no circle."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return None


def test_no_import_runs_sideways():
    assert sideways(graph()) == []


def test_no_imports_run_in_a_circle():
    assert circle(graph()) is None


def test_each_rule_is_about_a_room_and_each_exception_is_used():
    imports = graph()
    assert set(BELOW) <= {room(module) for module in imports}
    used = {(room(module), room(other)) for module, others in imports.items() for other in others}
    assert set(SPECIAL_CASES) <= used


@pytest.mark.parametrize(
    ("module", "other"),
    [
        ("numerics.arithmetic.balls", "numerics.laws.base"),
        ("numerics.laws.base", "numerics.expectation"),
        ("numerics.expectation.over_law", "numerics.one_parameter.minimiser"),
        ("numerics.one_parameter.flow", "numerics.two_parameter.flow"),
        ("numerics.no_skip.best_weight", "numerics.simulation.arrays"),
        ("proofs_check.engine.registry", "proofs_check.command_line.options"),
        ("proofs_check.engine.hypotheses", "proofs_check.theorems._quantities"),
        ("proofs_check.theorems.theorem_6_2", "proofs_check.command_line"),
        ("proofs_check.sweeps.running", "proofs_check.command_line.tasks"),
        ("reports.results", "reports.text.summary"),
    ],
)
def test_an_import_that_runs_sideways_is_seen(module, other):
    assert sideways({module: {other}, other: set()}) == [(module, other)]


@pytest.mark.parametrize(
    ("module", "other"),
    [
        ("numerics.simulation.weights", "numerics.two_parameter.minimum"),
        ("numerics.two_parameter.flow", "numerics.expectation.quadrature"),
        ("proofs_check.theorems.theorem_6_2", "numerics.one_parameter.minimiser"),
        ("reports", "reports.latex.templating"),
    ],
)
def test_an_import_along_the_arrows_is_none(module, other):
    assert sideways({module: {other}, other: set()}) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f():\n    from reports.latex import text", {"reports.latex.text"}),
        ("from reports.latex.text import escape", {"reports.latex.text"}),
        ("import reports\nreports.latex.text.escape('')", {"reports", "reports.latex.text"}),
        ("from reports import latex as tex\ntex.text.escape('')", {"reports.latex", "reports.latex.text"}),
        ("import lazy_loader\nlazy_loader.attach(__name__, ['latex'])", {"reports.latex"}),
        ("import importlib\nimportlib.import_module('reports.latex')", {"reports.latex"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import reports.latex", set()),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import reports.latex", {"reports.latex"}),
        ("from . import results", set()),
    ],
)
def test_what_a_module_imports_is_read_from_its_source(source, found):
    known = dict.fromkeys(["reports", "reports.latex", "reports.latex.text", "reports.results"])
    assert imported(source, "reports.results", known) == found


def test_a_circle_is_seen():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) is None
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) is not None


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
