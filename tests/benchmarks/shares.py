"""One simulation in a process of its own, timed part by part: ``python -m tests.benchmarks.shares OPTIONS``.

OPTIONS is JSON, one key an option of `simulate`; so is what it prints.  What is imported is not timed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import wraps
from types import GeneratorType
from typing import Any
from unittest.mock import patch

import flint  # noqa: F401
import scipy.special  # noqa: F401
import sympy  # noqa: F401
import threadpoolctl

from numerics.simulation import by_name, sample_sizes, sweep, training, weights  # noqa: F401
from numerics.simulation.estimators import Accumulator
from proofs_check.command_line.simulate import _Sweep, simulate
from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
from proofs_check.engine import environment, runner  # noqa: F401
from theory import losses  # noqa: F401


@dataclass
class Shares:
    """Seconds in all, and those of each part."""

    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        named = [f"{name} {spent / self.seconds:.0%}" for name, spent in self.parts.items()]
        return f"{self.seconds:.2f} s: {', '.join(named)}"


PARTS = (
    ("weights", _Sweep, "weights_at"),
    ("sampling", sweep, "draw"),
    ("layers", sweep, "run_chunk"),
    ("statistics", Accumulator, "of"),
    ("statistics", Accumulator, "merge"),
    ("statistics", sweep.Sweep, "rows"),
    ("rounding", sweep, "relative_rounding"),
    ("theory", _Sweep, "row"),
)


@contextmanager
def timed(shares: Shares, part: str, owner: Any, name: str) -> Iterator[None]:
    """Count the time of a function as a part's; where they are nested the inner one's counts."""
    inner = getattr(owner, name)

    @wraps(inner)
    def outer(*args: Any, **options: Any) -> Any:
        before, begun = sum(shares.parts.values()), time.perf_counter()
        found = inner(*args, **options)
        if isinstance(found, GeneratorType):
            found = list(found)
        others = sum(shares.parts.values()) - before
        shares.parts[part] = shares.parts.get(part, 0.0) + time.perf_counter() - begun - others
        return found

    static = isinstance(owner, type) and isinstance(owner.__dict__[name], staticmethod)
    with patch.object(owner, name, staticmethod(outer) if static else outer):
        yield


def run(options: dict[str, Any]) -> Shares:
    """The simulation in this process, with two threads for linear algebra where it does not say."""
    shares = Shares()
    with threadpoolctl.threadpool_limits(2), ExitStack() as stack:
        for part, owner, name in PARTS:
            stack.enter_context(timed(shares, part, owner, name))
        begun = time.perf_counter()
        simulate(make_simulation(SimulationOptions(**options)))
        shares.seconds = time.perf_counter() - begun
    return shares


if __name__ == "__main__":
    print(json.dumps(asdict(run(json.loads(sys.argv[1])))))
