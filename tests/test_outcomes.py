"""A step that only ever passes makes a run of the whole suite fail, and no other run."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.outcomes import EXCEPTIONS, ROOT, SOURCES, Outcomes, Sites

CLAIMS = """\
from reports.results import Evidence


def both(record, x):
    record.check(Evidence.EXACT, "x > 0", x > 0)
    for bound in (1, 2):
        record.check(
            Evidence.EXACT,
            f"x < {bound}",
            x < bound,
        )


def hand_on(record, holds):
    record.check(Evidence.EXACT, "handed on", holds)


class Steps:
    def first(self, record):
        hand_on(record, None)

    def second(self):
        self.record.check(Evidence.EXACT, "1 = 1", True)


def caller(record):
    hand_on(record, True)
    outputs.check(record)
"""
TESTS = """\
import pytest
from made_up import claims
from proofs_check.engine.claims import Record
from reports.results import Evidence


def test_one():
    claims.both(Record(Evidence.EXACT), 3)
    claims.Steps().first(Record(Evidence.EXACT))


def test_two():
    claims.both(Record(Evidence.EXACT), {x})


@pytest.mark.nightly
def test_three():
    assert False
"""
CONFTEST = """\
from pathlib import Path
from tests.outcomes import Outcomes, Sites


def pytest_configure(config):
    sites = Sites(config.rootpath / "made_up")
    config.pluginmanager.register(Outcomes(sites, config.rootpath / "exceptions.toml"), "outcomes")
"""
SETTINGS = """\
[pytest]
testpaths = checks
addopts = -m "not nightly" --import-mode=importlib -p no:cacheprovider
markers = nightly
"""
NEVER = '"claims:Steps.second" = "not run"\n"claims:caller" = "not run"\n'


@pytest.fixture
def project(tmp_path):
    """A small suite of its own, in which x > 0 fails if x = 0, and the two calls of NEVER are excepted."""

    def make(x, exceptions=NEVER):
        for name, text in {
            "made_up/__init__.py": "",
            "made_up/claims.py": CLAIMS,
            "checks/test_claims.py": TESTS.replace("{x}", str(x)),
            "checks/conftest.py": CONFTEST,
            "pytest.ini": SETTINGS,
            "exceptions.toml": exceptions,
        }.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(*words):
        paths = os.pathsep.join([str(tmp_path), str(ROOT)])
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return make, run


def test_calls_are_named_by_function_wherever_they_stand(tmp_path):
    (tmp_path / "claims.py").write_text(CLAIMS, encoding="utf-8")
    names = [site.name for site in Sites(tmp_path).all]
    assert names == [
        "claims:both",
        "claims:both#2",
        "claims:Steps.first",
        "claims:Steps.second",
        "claims:caller",
    ]
    (tmp_path / "claims.py").write_text("\n\n# moved\n" + CLAIMS, encoding="utf-8")
    assert [site.name for site in Sites(tmp_path).all] == names


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "two processes"])
def test_a_step_that_only_passes_fails_the_whole_suite(project, words):
    make, run = project
    make(1)
    found = run(*words)
    assert found.returncode == 1
    assert "claims:both: only ever passed" in found.stdout
    assert "2 passed" in found.stdout


def test_a_suite_in_which_every_step_fails_somewhere_passes(project):
    make, run = project
    make(0)
    assert run().returncode == 0


def test_a_part_of_the_suite_is_not_judged(project):
    make, run = project
    make(1)
    assert run("-k", "one").returncode == 0


COMPARED = """\
def compare(record, kind, statement, left, relation, right):
    holds = left < right if relation == "<" else left > right
    record.check(kind, statement, holds, compared=(left, relation, right))


def compare_with_0(record, left, relation):
    compare(record, None, "so", left, relation, 0)


def below(record, x):
    compare(record, None, "x < 1", x, "<", 1)
    compare_with_0(record, x, ">")
"""


def test_what_compares_numbers_is_named_by_its_callers(tmp_path):
    (tmp_path / "claims.py").write_text(COMPARED, encoding="utf-8")
    assert [site.name for site in Sites(tmp_path).all] == ["claims:below", "claims:below#2"]


def test_exceptions_are_held_to_what_they_say():
    sites = Sites(ROOT / SOURCES)
    outcomes = Outcomes(sites)
    first, second, *others = sorted(site.name for site in sites.all)
    outcomes.passed, outcomes.failed = {first, *others}, set(others)
    assert outcomes.judge({}) == [f"{first}: only ever passed", f"{second}: never reached"]
    assert outcomes.judge({first: "x", second: "x"}) == []
    assert outcomes.judge({first: "x", second: "x", others[0]: "x", "no:such": "x"}) == sorted(
        [f"{others[0]}: excepted, but it has failed", "no:such: excepted, but there is no such call"]
    )


def test_the_exceptions_lie_where_they_are_read():
    assert Path(EXCEPTIONS).is_file()


def test_a_name_that_hands_on_is_that_of_one_function():
    """Frames and calls are told by it."""
    names = Sites(ROOT / SOURCES).conduits
    assert {"compare", "compare_gap"} <= names
    defined = Counter(
        node.name
        for path in (ROOT / SOURCES).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name in names
    )
    assert set(defined.values()) == {1}
