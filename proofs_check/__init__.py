"""Machine checks of the theorems on multi-layer cross-attention for in-context learning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from proofs_check.engine.plan import UsageError

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor

    from proofs_check.sweeps.store import Row
    from reports.results import TheoremResult

    Number = str | int | float | Fraction
    AnyLaw = Any

__all__ = ["UsageError", "__version__", "sweep", "verify"]


def verify(
    theorem: str,
    *,
    squared_norm: AnyLaw | None = None,
    norm: AnyLaw | None = None,
    modalities: tuple[AnyLaw, AnyLaw] | None = None,
    factor: AnyLaw | list[AnyLaw] | tuple[AnyLaw, ...] = (),
    depth: str | int | Iterable[int] | None = None,
    epsilon: Number | None = None,
    candidate: Number | None = None,
    claim: str | Iterable[str] = (),
    start: str | Iterable[str | tuple[Number, Number]] = (),
    basin: str | tuple[int, int] | None = None,
    falsify: bool = False,
    statistical: bool = False,
    seed: int | str | None = None,
    max_bits: int | str | None = None,
    timeout: float | str | None = None,
    jobs: int | str | None = None,
) -> TheoremResult:
    """Run one theorem, as ``python -m proofs_check THEOREM`` does, with the same options.

    Numbers may be text ("1/3", "0.25"); a float means the decimal that it prints as.
    A law is text, a law object of `numerics.laws`, an array of observed values, or a frozen SciPy uniform,
    beta, chi2 or triang with rational parameters; several are a list or a tuple.
    Any thread may call; two at a time take turns, and calls with `jobs` or `timeout` use other processes.
    Raises UsageError, with the line that the command line would print.
    """
    return _verify(**locals())


def _verify(theorem: str, **given: Any) -> TheoremResult:
    from proofs_check.command_line.options import Options
    from proofs_check.command_line.planning import make_plan
    from proofs_check.engine.own_state import long_numbers
    from proofs_check.engine.registry import load_theorem
    from proofs_check.engine.runner import run_plan

    with long_numbers():
        options = Options(**given)
        plan = make_plan(load_theorem(theorem), options)
        return run_plan(plan, options.command(theorem), jobs=options.jobs)


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    *,
    store: str | os.PathLike[str],
    executor: Executor | None = None,
    retry: bool = False,
) -> list[Row]:
    """Run what is missing of a sweep, as ``python -m proofs_check sweep run`` does, and return its table.

    plan:     the path of a TOML file, or a mapping with the same keys.
    store:    the file that outcomes are kept in; made if it is not there.
    executor: any of `concurrent.futures` that has processes; without one, one process is started.
    retry:    run tasks again that failed.
    Raises UsageError, with the line that the command line would print.
    """
    from proofs_check.command_line.sweep import sweep as run

    return run(plan, store=store, executor=executor, retry=retry)


def __getattr__(name: str) -> str:
    if name == "__version__":
        from proofs_check.engine.environment import own_version

        return own_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
