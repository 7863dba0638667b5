"""Parts of plans in other processes: what no run shows."""

import sys

import pytest

from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.context import UsageError
from proofs_check.engine.parts import State
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from proofs_check.engine.workers import Workers, recipes_of

MADE_UP = "tests.proofs_check.made_up"
PLAN = make_plan(load_theorem("arithmetic", MADE_UP), Options())


class Child:
    """Notes what it is told, and under which limit."""

    def __init__(self):
        self.told = []

    def run(self, work, *args):
        self.told.append((work.__name__, None))

    def attempt(self, work, *args, heard, within):
        self.told.append((work.__name__, within))


def test_no_limit_counts_what_is_loaded():
    child, workers = Child(), Workers(MADE_UP, [State(PLAN)], 1, 2.0)
    for part in (0, 1):
        workers._perform(child, recipes_of(MADE_UP, [PLAN]), (0, part))
    assert child.told == [("load", None), ("perform", 2.0)] * 2


def test_without_an_interpreter_to_start_one_line_says_so(monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(UsageError, match="--jobs, --timeout: no Python interpreter is known"):
        run_plan(PLAN, ["test"], jobs=2, package=MADE_UP)
