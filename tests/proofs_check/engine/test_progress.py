"""What whoever watches a run is told of it."""

from contextlib import nullcontext

from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.context import Silent
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan

MADE_UP = "tests.proofs_check.made_up"
ARITHMETIC = load_theorem("arithmetic", MADE_UP)


def test_progress_sees_every_part():
    seen = []

    class Watching:
        def track(self, items, description, total=None):
            for item in items:
                yield item
                seen.append(description)

        def aside(self):
            return nullcontext()

    run_plan(make_plan(ARITHMETIC, Options(falsify=True)), ["test"], progress=Watching(), package=MADE_UP)
    parts = ["sum", "mean", "varied", "half", "mean_is_2"]
    assert seen == [name for part in parts for name in (f"arithmetic.{part}", "arithmetic")]


def test_progress_names_what_each_process_works_on():
    begun, ended = [], []

    class Watching(Silent):
        def track(self, items, description, total=None):
            begun.append(description)
            try:
                yield from items
            finally:
                ended.append(description)

    plan = make_plan(ARITHMETIC, Options())
    run_plan(plan, ["test"], jobs=2, progress=Watching(), package=MADE_UP)
    parts = {"arithmetic.sum", "arithmetic.mean", "arithmetic.varied", "arithmetic.half"}
    assert set(begun) == set(ended) == parts | {"claims"}
