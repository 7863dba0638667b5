"""Machine checks of the theorems on multi-layer cross-attention for in-context learning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, overload

from proofs_check.engine.context import UsageError

if TYPE_CHECKING:
    import os
    from concurrent.futures import Executor

    from proofs_check.sweeps.store import Row
    from reports.results import RunResult, SimulationResult, TheoremResult

    Number = str | int | float | Fraction
    AnyLaw = Any

__all__ = ["UsageError", "__version__", "simulate", "sweep", "verify"]


@overload
def verify(theorem: Literal["all"], **options: Any) -> RunResult: ...
@overload
def verify(theorem: str, **options: Any) -> TheoremResult: ...
def verify(  # type: ignore[misc]  # what reads a signature shall find the options
    theorem: str,
    *,
    squared_norm: AnyLaw | None = None,
    norm: AnyLaw | None = None,
    modalities: tuple[AnyLaw, ...] | None = None,
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
) -> TheoremResult | RunResult:
    """Run one theorem, or `all`, as ``python -m proofs_check THEOREM`` does, with the same options.

    Numbers may be text ("1/3", "0.25"); a float means the decimal that it prints as.
    A law is text, a law object of `numerics.laws`, an array of observed values, or a frozen SciPy uniform,
    beta, chi2 or triang with rational parameters; several are a list or a tuple.
    Any thread may call; two at a time take turns, and calls with `jobs` or `timeout` use other processes.
    Raises UsageError, with the line that the command line would print.

    >>> result = verify("theorem_6_2", squared_norm="atoms({1: 1/3, 4: 2/3})", claim="limit")
    >>> result.ok, result.partial, result["limit"]["alpha_star"]
    (True, True, Fraction(2, 7))
    >>> verify("theorem_6_2", candidate="1/4", claim="candidate").ok
    False
    """
    return _verify(**locals())


def _verify(theorem: str, **given: Any) -> TheoremResult | RunResult:
    from proofs_check.command_line.options import Options
    from proofs_check.command_line.planning import make_plan, make_plans
    from proofs_check.engine.environment import long_numbers
    from proofs_check.engine.registry import load_theorem, theorem_names
    from proofs_check.engine.runner import run_plan, run_plans

    with long_numbers():
        options = Options(**given)
        command, jobs = options.command(theorem), options.jobs
        if theorem == "all":
            plans = make_plans([load_theorem(name) for name in theorem_names()], options)
            return run_plans(plans, command, jobs=jobs)
        return run_plan(make_plan(load_theorem(theorem), options), command, jobs=jobs)


def simulate(
    *,
    squared_norm: AnyLaw | None = None,
    norm: AnyLaw | None = None,
    modalities: tuple[AnyLaw, ...] | None = None,
    factor: AnyLaw | list[AnyLaw] | tuple[AnyLaw, ...] = (),
    dims: str | Iterable[str | tuple[int, ...]] = (),
    context: str | int | Iterable[int] | None = None,
    depth: str | int | Iterable[int] | None = None,
    prompts: int | str | None = None,
    models: str | Iterable[str] | None = None,
    weights: str | None = None,
    backend: str | None = None,
    dtype: str | None = None,
    memory: str | None = None,
    seed: int | str | None = None,
    jobs: int | str | None = None,
) -> SimulationResult:
    """Run the architectures on sampled prompts, as ``python -m proofs_check simulate`` does.

    The options are the same; `dims` is a list of widths, such as [(3, 2), (6, 4)].  After Ctrl-C the result
    holds what there is.  Raises UsageError, with the line that the command line would print.
    """
    return _simulate(**locals())


def _simulate(**given: Any) -> SimulationResult:
    from proofs_check.command_line.simulate import simulate
    from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
    from proofs_check.engine.environment import long_numbers

    with long_numbers():
        options = SimulationOptions(**given)
        return simulate(make_simulation(options), options.command("simulate"))


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
