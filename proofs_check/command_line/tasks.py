"""From a sweep's plan to its tasks; and what a process does with one."""

from __future__ import annotations

import importlib
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.command_line.options import Option, Options, OptionSet, flag_of
from proofs_check.command_line.planning import make_plan
from proofs_check.command_line.simulation_options import SimulationOptions, make_simulation
from proofs_check.engine.context import OF_SOME_THEOREMS, UsageError
from proofs_check.engine.registry import THEOREMS, load_theorem
from proofs_check.sweeps.plan import SweepPlan
from proofs_check.sweeps.tasks import ForeignWorker, Outcome, Task, failed

if TYPE_CHECKING:
    from numerics.laws import Law

SIMULATE = "simulate"
NOT_IN_A_SWEEP = frozenset({"jobs", "dask", "json", "csv", "plot", "report", "report_style", "debug"})
"""Where results go, and how many processes there are, is said once for the sweep."""
UNSEEN = frozenset({"law", "jobs", "backend"})
"""Fields of a simulation that its question tells otherwise, or that do not change its rows."""


class _Command(ABC):
    """A command that a sweep may run."""

    def __init__(self, name: str, package: str, options: type[OptionSet]) -> None:
        self.name, self.package, self.options = name, package, options

    def known(self) -> dict[str, Option[Any]]:
        """The options that a plan may give, by name."""
        return {o.name: o for o in self.options.declared() if o.name not in NOT_IN_A_SWEEP}

    def has(self, name: str) -> bool:
        """Whether an option makes a difference to it."""
        return name in self.known()

    def task(self, given: Mapping[str, Any]) -> Task:
        """The task with these options, checked.  Raises UsageError."""
        options = self.options(**given)
        # As in the plan, so that tables and axes follow it.
        options.words = {name: options.words[name] for name in given if name in options.words}
        if options.words.get("seed") == ("random",):
            raise UsageError("--seed random: a sweep that is run again has to ask the same; give a number")
        return self.addressed(options)

    def addressed(self, options: OptionSet) -> Task:
        """The task as this process would do it.  Raises UsageError."""
        question, law, own_file = self.question(options)
        question["law"] = [law.kind, *law.texts]
        files = {file.path: file.sha256 for file in law.files}
        return Task.of(self.name, self.package, options.words, question, files, own_file)

    @abstractmethod
    def question(self, options: Any) -> tuple[dict[str, Any], Law, Path | None]:
        """The checked options, the law and the file of its own.  Raises UsageError."""

    @abstractmethod
    def run(self, options: Any, line: list[str]) -> Outcome:
        """Do it in this process."""


class _Theorem(_Command):
    def __init__(self, name: str, package: str) -> None:
        super().__init__(name, package, Options)
        self.theorem = load_theorem(name, package)
        self.file = Path(str(importlib.import_module(f"{package}.{name}").__file__))

    def has(self, name: str) -> bool:
        return super().has(name) and (name not in OF_SOME_THEOREMS or name in self.theorem.options)

    def question(self, options: Options) -> tuple[dict[str, Any], Law, Path | None]:
        plan = make_plan(self.theorem, options)
        asked = {field.name: _plain(getattr(plan.settings, field.name)) for field in fields(plan.settings)}
        asked["claims"] = sorted(claim.id for claim in plan.claims) if options.claim else None
        return asked, plan.law, self.file

    def run(self, options: Options, line: list[str]) -> Outcome:
        from proofs_check.command_line.outputs import exit_code
        from proofs_check.engine.runner import run_plan
        from reports.results import to_json

        result = run_plan(make_plan(self.theorem, options), line, package=self.package)
        return Outcome(exit_code(result), result.verdict.value, "", to_json(result), result.seconds)


class _Simulation(_Command):
    def __init__(self, package: str) -> None:
        super().__init__(SIMULATE, package, SimulationOptions)

    def question(self, options: SimulationOptions) -> tuple[dict[str, Any], Law, Path | None]:
        simulation = make_simulation(options)
        asked = {
            f.name: _plain(getattr(simulation, f.name)) for f in fields(simulation) if f.name not in UNSEEN
        }
        return asked | {"backend": options.backend, "dtype": options.dtype}, simulation.law, None

    def run(self, options: SimulationOptions, line: list[str]) -> Outcome:
        from proofs_check.command_line.outputs import INTERRUPTED
        from proofs_check.command_line.simulate import simulate
        from reports.results import to_json

        result = simulate(make_simulation(options), line)
        return Outcome(0 if result.complete else INTERRUPTED, "", "", to_json(result), result.seconds)


def _command(name: str, package: str) -> _Command:
    return _Simulation(package) if name == SIMULATE else _Theorem(name, package)


def _plain(value: Any) -> Any:
    """A checked option as JSON has it: numbers exactly, tuples as lists."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def make_tasks(plan: SweepPlan, package: str = THEOREMS) -> list[Task]:
    """The tasks of a sweep, each once, in the order of the plan.

    With several commands an option goes to those that have it.  Raises UsageError.
    """
    commands = [_command(name, package) for name in plan.commands]
    names = {given: given.replace("-", "_") for given in plan.values}
    axes: dict[str, list[Any]] = {}
    for given, name in names.items():
        owner = next((command for command in commands if command.has(name)), None)
        owner = owner or next((command for command in commands if name in command.known()), None)
        if owner is None:
            why = "said once for the whole sweep" if name in NOT_IN_A_SWEEP else "no such option"
            raise UsageError(f"values: {given!a}: {why}; leave it out")
        axes[name] = values_of(owner.known()[name], plan.values[given])
    tasks: dict[str, Task] = {}
    for command in commands:
        for point in plan.points(axes):
            if len(commands) > 1:
                point = {name: value for name, value in point.items() if command.has(name)}
            try:
                task = command.task(point)
            except UsageError as error:
                raise UsageError(f"{command.name}: {error}") from error
            tasks.setdefault(task.address, task)
    return list(tasks.values())


def values_of(option: Option[Any], given: Any) -> list[Any]:
    """What a plan gives for an option as the values that tasks take in turn.  Raises UsageError.

    A list is one value a task.  Options whose own value is a list (`depth`, `context`, `models`, `basin`,
    the laws of `modalities`) take a flat one as one value: there several are a list of lists.
    """
    takes_lists = not option.repeatable and any(mark in option.metavar for mark in (",", "SPEC", " "))
    inner = [item for item in given if isinstance(item, list)] if isinstance(given, list) else []
    if not isinstance(given, list) or (takes_lists and not inner):
        return [_checked(option, given)]
    if not given or (takes_lists and len(inner) < len(given)):
        raise UsageError(f"{flag_of(option.name)}: {str(given)[:60]!a}: not a list of values")
    return [_checked(option, item) for item in given]


def _checked(option: Option[Any], value: Any) -> Any:
    """One value, of a kind that the command line has words for."""
    flag, items = flag_of(option.name), value if isinstance(value, list) else [value]
    if not option.metavar:
        if not isinstance(value, bool):
            raise UsageError(f"{flag}: {value!a}: write true or false")
        return value
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise UsageError(f"{flag}: {str(item)[:60]!a}: neither a number nor a text")
    if option.repeatable and isinstance(value, list) and not any(isinstance(item, str) for item in value):
        # The widths [3, 2] are one value with a comma.
        return [",".join(map(str, value))] if "," in option.metavar else [str(item) for item in value]
    return value


def perform(task: Task) -> Outcome:
    """Do a task in this process; what goes wrong is its outcome.

    Raises ForeignWorker where this process would do something else.
    """
    begun = time.perf_counter()
    try:
        task.require_versions()
        command = _command(task.command, task.package)
        options = command.options()
        options.words = dict(task.options)
        task.require_same(command.addressed(options))
        return command.run(options, options.command(task.command))
    except ForeignWorker:
        raise
    except UsageError as error:
        return failed(str(error), time.perf_counter() - begun)
    # A bug in one task is no reason to lose the others; it is recorded, and counts as in the exit code.
    except Exception as error:  # noqa: BLE001
        return failed(f"{type(error).__name__}: {error}", time.perf_counter() - begun)
