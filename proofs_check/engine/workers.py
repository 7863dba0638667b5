"""Parts of plans in processes of their own, each of which may be broken off.

A process that is broken off leaves nothing half done in this one: neither an import nor a library's caches.
"""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import signal
import sys
import time
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

import numerics
import theory
from numerics.processes import Child, ChildDied, Children, Late
from proofs_check.engine.context import Plan, Progress, Silent, UsageError
from proofs_check.engine.environment import own_state
from proofs_check.engine.parts import Heard, PartResult, State
from proofs_check.engine.registry import load_theorem
from reports.results import Step

Place = tuple[int, int]
"""Which plan, which part of it."""
Result = tuple[PartResult, float]


@dataclass
class Workers:
    """So many processes for the parts of some plans.

    timeout: seconds that a part may take, counted from when its process has loaded what it needs.
    """

    package: str
    states: Sequence[State]
    jobs: int
    timeout: float | None
    progress: Progress = field(default_factory=Silent)

    def results(self) -> Generator[tuple[Place, Result]]:
        """The parts, as they are done.  Raises what a part raises."""
        if not sys.executable:
            raise UsageError("--jobs, --timeout: no Python interpreter is known here to start processes of")
        recipes = recipes_of(self.package, [state.plan for state in self.states])
        places = iter([(i, j) for i, state in enumerate(self.states) for j in range(len(state.parts))])
        running: dict[Future[Result], tuple[Place, Generator[Place]]] = {}
        with Children(self.jobs) as children:
            while True:
                for i, j in islice(places, self.jobs - len(running)):
                    shown = self.progress.track(iter([(i, j)]), self.states[i].name(j))
                    running[children.lend(self._perform, recipes, (i, j))] = next(shown), shown
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    place, shown = running.pop(future)
                    shown.close()
                    yield place, future.result()

    def _perform(self, child: Child, recipes: bytes, place: Place) -> Result:
        """Raises RuntimeError where the child was ended neither by us nor by the system."""
        child.run(load, recipes)
        (i, j), begun = place, time.perf_counter()
        heard: list[Step | str] = []
        try:
            return child.attempt(perform, recipes, i, j, heard=heard.append, within=self.timeout)
        except Late:
            why = f"time limit: not finished within {self.timeout:g} s"
        except ChildDied as died:
            if died.code != -signal.SIGKILL:
                raise RuntimeError(f"a worker process ended by itself, with code {died.code}") from None
            why = "its process was killed, as happens where memory runs out"
        return self.states[i].stopped(j, heard, why, time.perf_counter() - begun)


def recipes_of(package: str, plans: Sequence[Plan]) -> bytes:
    """What a process makes the plans from: their functions do not travel, names do."""
    return pickle.dumps(
        [
            (package, plan.theorem.name, plan.law, plan.settings, [claim.id for claim in plan.claims])
            for plan in plans
        ]
    )


def load(recipes: bytes) -> None:
    """Import what parts need, and make the plans, so that no limit counts it."""
    for package in (theory, numerics):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    with own_state():
        _states(recipes)


def perform(recipes: bytes, i: int, j: int, heard: Heard) -> Result:
    """Part j of plan i, in the process that this is."""
    with own_state():
        return _states(recipes)[i].perform(j, heard)


@cache
def _states(recipes: bytes) -> list[State]:
    """Once in a process."""
    return [
        State(Plan.of(load_theorem(name, package), law, settings, claims))
        for package, name, law, settings, claims in pickle.loads(recipes)
    ]
