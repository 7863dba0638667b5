"""`sweep`: a grid of command lines, and what to do with its outcomes."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from proofs_check.command_line.check_options import CheckOptions
from proofs_check.command_line.options import (
    MOST_JOBS,
    Given,
    Option,
    OptionSet,
    all_given,
    as_given,
    flag,
    path,
    whole,
)
from proofs_check.command_line.simulation_options import SimulationOptions
from proofs_check.engine.context import UsageError
from proofs_check.engine.registry import THEOREMS
from proofs_check.sweeps.plan import read_shard
from proofs_check.sweeps.tasks import FAILED

if TYPE_CHECKING:
    from proofs_check.engine.context import Progress
    from proofs_check.sweeps.plan import SweepPlan
    from proofs_check.sweeps.store import Row, Store
    from proofs_check.sweeps.tasks import Outcome, Task


def _shard(given: Given) -> tuple[int, int]:
    return read_shard(given.text)


class SweepRunOptions(OptionSet):
    """The options of `sweep run`."""

    store = Option("DB", "Where outcomes are kept.", as_given, "results.db")
    jobs = Option("N", "Processes.", whole(1, MOST_JOBS), 1)
    shard = Option[tuple[int, int]]("I/N", "Only every N-th task, from the I-th on.", _shard, (1, 1), "")
    dask = SimulationOptions.dask
    retry = flag("Run tasks again that failed.")
    quiet = CheckOptions.quiet
    debug = CheckOptions.debug


class SweepExportOptions(OptionSet):
    """The options of `sweep export`."""

    csv = Option[str | None]("PATH", "Write the table as CSV.", path(), None)
    json = Option[str | None](
        "PATH", "Write the table as JSON; - is standard output.", path(document=True), None
    )
    debug = CheckOptions.debug


class SweepReportOptions(OptionSet):
    """The options of `sweep report`."""

    value = Option[tuple[str, ...]]("NAME", "Draw this value, limit.T0 say.", all_given, (), repeatable=True)
    over = Option[str | None]("X,Y", "Over these options; over one, lines.", as_given, None)
    debug = CheckOptions.debug


class NoOptions(OptionSet):
    """None of its own."""

    debug = CheckOptions.debug


def sweep(
    plan: str | os.PathLike[str] | Mapping[str, Any],
    *,
    store: str | os.PathLike[str],
    executor: Executor | None = None,
    retry: bool = False,
) -> list[Row]:
    """Run what is missing of a sweep, and return its table; see :func:`proofs_check.sweep`."""
    from proofs_check.command_line.tasks import make_tasks
    from proofs_check.sweeps.plan import load_plan, read_plan
    from proofs_check.sweeps.store import Store

    wanted = read_plan(plan) if isinstance(plan, Mapping) else load_plan(plan)
    tasks = make_tasks(wanted)
    with Store.writing(store) as kept:
        kept.plan(wanted.name, tasks)
        for _ in _performed(tasks, kept, executor, retry):
            pass
        return list(kept.rows(wanted.name))


def _performed(
    tasks: list[Task], store: Store, executor: Executor | None, retry: bool
) -> Generator[tuple[Task, Outcome]]:
    """What is missing, done in the executor, or else in a process of its own."""
    from numerics.processes import Children
    from proofs_check.command_line.tasks import perform
    from proofs_check.sweeps.running import missing, run_tasks

    wanted = missing(tasks, store, retry=retry)
    with (
        Children(1) if executor is None else nullcontext(executor) as used,
        closing(run_tasks(wanted, perform, store, used)) as done,
    ):
        yield from done


def run(plan: SweepPlan, options: SweepRunOptions, progress: Progress | None, package: str = THEOREMS) -> int:
    """`sweep run`.  `progress`: None where nobody watches, and a log has a line a task."""
    from proofs_check.command_line.outputs import tell
    from proofs_check.command_line.tasks import make_tasks
    from proofs_check.sweeps.running import missing
    from proofs_check.sweeps.store import Store
    from proofs_check.sweeps.tasks import shard_of

    shard, jobs = options.shard, options.jobs
    tasks = make_tasks(plan, package)
    mine = shard_of(tasks, shard)
    with Store.writing(options.store) as store:
        store.plan(plan.name, tasks)
        left = missing(mine, store, retry=options.retry)
        number = len(mine) - len(left)
        try:
            with (
                _executor(options.dask, jobs, needed=bool(left)) as executor,
                closing(_performed(left, store, executor, retry=True)) as done,
            ):
                for task, outcome in done if progress is None else progress.track(done, plan.name, len(left)):
                    number += 1
                    if progress is None and not options.quiet:
                        tell(f"{number}/{len(mine)} {task.name}: {_ended(outcome)}")
        except KeyboardInterrupt:
            tell(f"interrupted: {store.path!a} has {number} of {len(mine)} tasks; run again for the others")
            raise
        wanted = {task.address for task in mine}
        rows = [row for row in store.rows(plan.name, with_results=False) if row.address in wanted]
    print(summary(plan.name, rows))
    return worst_code(rows)


@contextmanager
def _executor(dask: str | None, jobs: int, *, needed: bool) -> Iterator[Executor | None]:
    """Where tasks run; ended with them, in the middle of a task after an error."""
    from numerics.processes import Children
    from proofs_check.sweeps.cluster import connect

    if not needed:
        yield None
        return
    with Children(jobs) if dask is None else connect(dask, jobs) as executor:
        yield executor


def _ended(outcome: Outcome) -> str:
    how = outcome.error or outcome.verdict.replace("_", " ") or "done"
    return f"{'failed: ' if outcome.error else ''}{how}, {outcome.seconds:.1f} s"


def summary(name: str, rows: Iterable[Row]) -> str:
    """A sweep in a line: how many tasks, and what came of them."""
    found = list(rows)
    states = Counter(
        row.outcome.verdict.replace("_", " ") if row.outcome and row.outcome.verdict else row.state
        for row in found
    )
    counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    return f"{name}: {len(found)} tasks: {counts}" if counts else f"{name}: no tasks"


def worst_code(rows: Iterable[Row]) -> int:
    """70 if a task failed; else that of `all`."""
    from proofs_check.command_line.outputs import SEVERITY

    codes = {row.outcome.code for row in rows if row.outcome is not None}
    return next((code for code in (FAILED, *SEVERITY) if code in codes), 0)


def status(place: str) -> int:
    """`sweep status`."""
    from proofs_check.command_line.outputs import reader_may_leave
    from proofs_check.sweeps.store import Store

    with Store.reading(place) as store, reader_may_leave():
        for name in store.sweeps():
            rows = list(store.rows(name, with_results=False))
            print(summary(name, rows))
            for row in rows:
                if row.outcome is not None and row.outcome.error:
                    print(f"  {row.name}: {row.outcome.error}")
    return 0


def export(place: str, options: SweepExportOptions) -> int:
    """`sweep export`."""
    from proofs_check.command_line.outputs import check_outputs, reader_may_leave, write_document
    from proofs_check.sweeps.quantities import to_csv, to_json
    from proofs_check.sweeps.store import Store
    from reports.files import write_together

    if options.csv is None and options.json is None:
        raise UsageError("sweep export: nowhere to write; give --csv PATH or --json PATH")
    check_outputs(options)
    with Store.reading(place) as store:
        rows = list(store.rows())
    files: dict[str | os.PathLike[str], bytes] = {}
    if options.csv is not None:
        files[options.csv] = to_csv(rows)
    if options.json is not None and options.json != "-":
        files[options.json] = to_json(rows)
    write_together(files)
    if options.json == "-":
        with reader_may_leave():
            write_document(to_json(rows))
    return 0


def report(place: str, target: str, options: SweepReportOptions) -> int:
    """`sweep report`."""
    from proofs_check.command_line.outputs import tell
    from proofs_check.sweeps.drawing import tables
    from proofs_check.sweeps.store import Store
    from reports.files import OutputError
    from reports.write import check_report_path, write_sweep

    try:
        check_report_path(target)
    except OutputError as error:
        raise UsageError(f"{error}; give such a file in a folder that can be written") from error
    with Store.reading(place) as store:
        made = list(tables(list(store.rows()), options.value, options.over))
        title = ", ".join(store.sweeps()) or "no sweep"
    if message := write_sweep(title, made, target).message:
        tell(message)
    return 0


def difference(old: str, new: str) -> int:
    """`sweep diff`; the code is 1 if something differs."""
    from proofs_check.command_line.outputs import reader_may_leave
    from proofs_check.sweeps.comparing import difference_of
    from proofs_check.sweeps.store import Store

    with Store.reading(old) as before, Store.reading(new) as after:
        found = difference_of(before, after)
    counts = (
        f"{found.compared} tasks in both, {found.only_old} only in the old, {found.only_new} only in the new"
    )
    with reader_may_leave():
        print("\n".join([*found.lines, f"{counts}: {len(found.lines)} differences"]))
    return 1 if found.lines else 0


def merge(place: str, parts: list[str]) -> int:
    """`sweep merge`."""
    from contextlib import ExitStack

    from proofs_check.sweeps.store import Store

    with ExitStack() as opened, Store.writing(place) as store:
        store.merge([opened.enter_context(Store.reading(part)) for part in parts])
        for name in store.sweeps():
            print(summary(name, store.rows(name, with_results=False)))
    return 0


def watched() -> bool:
    """Whether somebody sees a progress bar."""
    return sys.stderr is not None and sys.stderr.isatty()
