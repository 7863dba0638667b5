"""What is mutated exists; every survivor is a line that is still there, and has a reason."""

import tomllib
from pathlib import Path

import pytest

from tests.mutation.listed import ROOT, Change, read_survivors, read_targets, survivor_entries

DIFF = """--- mutation diff ---
--- a/numerics/balls.py
+++ b/numerics/balls.py
@@ -1,3 +1,3 @@
 before
-    return x - y
+    return x + y
 after
"""


@pytest.mark.parametrize("target", read_targets(), ids=lambda target: target.module)
def test_a_target_and_its_tests_exist(target):
    assert (ROOT / target.module).is_file()
    assert target.tests
    assert all((ROOT / path).exists() for path in target.tests)


def test_no_target_is_named_twice():
    modules = [target.module for target in read_targets()]
    assert len(set(modules)) == len(modules)


@pytest.mark.parametrize("entry", survivor_entries(), ids=lambda entry: f"{entry['module']}: {entry['line']}")
def test_a_survivor_names_a_line_that_is_there_and_has_a_reason(entry):
    lines = [line.strip() for line in (ROOT / entry["module"]).read_text(encoding="utf-8").splitlines()]
    assert entry["line"] in lines
    assert len(entry["reason"].split()) > 2
    assert entry["mutants"]
    assert entry["line"] not in entry["mutants"]


def test_survivors_are_listed_once_and_of_targets_alone():
    listed = list(read_survivors())
    assert len(set(listed)) == len(listed)
    assert {change.module for change in listed} <= {target.module for target in read_targets()}


def test_a_diff_is_read_and_its_entry_reads_back():
    change = Change.of_diff("numerics/arithmetic/balls.py", DIFF)
    assert change == Change("numerics/arithmetic/balls.py", "return x - y", "return x + y")
    (entry,) = tomllib.loads(change.entry())["survivor"]
    assert Change(entry["module"], entry["line"], *entry["mutants"]) == change
    assert entry["reason"] == ""


def test_the_mutation_tool_is_no_part_of_what_the_tests_need():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line.partition(">")[0] for line in extras["optional-dependencies"]["mutation"]] == ["cosmic-ray"]
    assert "cosmic-ray" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert Path(__file__).with_name("__main__.py").is_file()
