"""Real processes, killed in the middle: what is waited for is a sign of life, never a time."""

import signal
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import proofs_check
from proofs_check.command_line.tasks import perform
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.running import AHEAD, missing, run_tasks
from proofs_check.sweeps.store import Store
from proofs_check.sweeps.tasks import ForeignWorker, Outcome
from tests.proofs_check.sweeps import grids
from tests.waiting import PATIENCE, wait_until

DONE = Outcome(0, "verified", "", b"{}", 0.0)
SEEDS = (1, 2, 3, 100, 101)


class AtOnce:
    """An executor that has done a task when it is handed in; it counts those not yet collected."""

    def __init__(self, answers=()):
        self.answers, self.given, self.most, self.collected = dict(answers), 0, 0, 0

    def submit(self, work, task):
        self.given += 1
        self.most = max(self.most, self.given - self.collected)
        future = Future()
        answer = self.answers.get(self.given, DONE)
        if answer == "cancelled":
            future.cancel()
        elif isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer)
        return future


def exported(folder, path):
    code, out, err = grids.ended(folder, "sweep", "export", path, "--json", "-")
    assert (code, err) == (0, "")
    return out


def table(folder, *words):
    path = str(folder / "plain.db")
    code, out, _ = grids.ended(folder, "sweep", "run", *words, "--store", path)
    return code, out, exported(folder, path)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_killed_and_started_again_does_what_is_missing(tmp_path, jobs):
    plan, path = grids.written(tmp_path, *SEEDS), str(tmp_path / "killed.db")
    words = ("sweep", "run", plan, "--store", path, "--jobs", jobs)
    process = grids.started(tmp_path, *words)
    for _ in range(3):
        assert "verified" in process.stderr.readline()
    wait_until(lambda: 100 in grids.marks(tmp_path))
    grids.kill(process)
    code, out, err = grids.ended(tmp_path, "sweep", "status", path)
    assert (code, out, err) == (0, "paced: 5 tasks: 2 missing, 3 verified\n", "")

    (tmp_path / "gate").touch()
    before = len(grids.marks(tmp_path))
    code, out, err = grids.ended(tmp_path, *words)
    assert (code, out) == (0, "paced: 5 tasks: 5 verified\n")
    assert [line.partition(" ")[0] for line in err.splitlines()] == ["4/5", "5/5"]
    assert len(grids.marks(tmp_path)) == before + 2
    assert [grids.marks(tmp_path).count(seed) for seed in (1, 2, 3)] == [1, 1, 1]
    assert exported(tmp_path, path) == table(tmp_path, plan)[2]

    code, out, err = grids.ended(tmp_path, *words)
    assert (code, out, err) == (0, "paced: 5 tasks: 5 verified\n", "")


def test_ctrl_c_keeps_what_is_done_and_ends_what_is_not(tmp_path):
    plan, path = grids.written(tmp_path, *SEEDS), str(tmp_path / "a.db")
    process = grids.started(tmp_path, "sweep", "run", plan, "--store", path)
    for _ in range(3):
        process.stderr.readline()
    wait_until(lambda: 100 in grids.marks(tmp_path))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1].startswith("interrupted: ")
    assert "has 3 of 5 tasks" in err
    assert "Traceback" not in err
    assert grids.ended(tmp_path, "sweep", "status", path)[1] == "paced: 5 tasks: 2 missing, 3 verified\n"


def test_failed_tasks_are_recorded_count_most_and_are_run_again_if_asked(tmp_path):
    plan, path = grids.written(tmp_path, 1, 13, 66, 200), str(tmp_path / "a.db")
    words = ("sweep", "run", plan, "--store", path)
    code, out, err = grids.ended(tmp_path, *words, "--jobs", "2")
    assert (code, out) == (70, "paced: 4 tasks: 2 failed, 1 refuted, 1 verified\n")
    assert "failed: ZeroDivisionError: a bug of two lines" in err
    assert grids.marks(tmp_path).count(200) == 2
    code, out, _ = grids.ended(tmp_path, "sweep", "status", path)
    assert "  paced --seed 200: the process that ran it exited with code 3, twice\n" in out
    assert grids.ended(tmp_path, *words)[0] == 70
    assert grids.marks(tmp_path).count(66) == 1
    (tmp_path / "gate").touch()
    code, out, _ = grids.ended(tmp_path, *words, "--retry")
    assert (code, out) == (70, "paced: 4 tasks: 1 failed, 1 refuted, 2 verified\n")
    assert [grids.marks(tmp_path).count(seed) for seed in (1, 13, 66, 200)] == [1, 1, 2, 3]


def test_shards_make_the_table_of_the_whole(tmp_path):
    plan = grids.written(tmp_path, 1, 2, 3, 4, 5)
    parts = [str(tmp_path / f"{part}.db") for part in (1, 2)]
    for part, path in enumerate(parts, 1):
        code, out, _ = grids.ended(tmp_path, "sweep", "run", plan, "--store", path, "--shard", f"{part}/2")
        assert (code, out) == (0, f"paced: {4 - part} tasks: {4 - part} verified\n")
    whole = str(tmp_path / "whole.db")
    assert grids.ended(tmp_path, "sweep", "merge", whole, *parts)[1] == "paced: 5 tasks: 5 verified\n"
    assert exported(tmp_path, whole) == table(tmp_path, plan)[2]
    assert grids.marks(tmp_path) == sorted([1, 2, 3, 4, 5] * 2)


def test_any_executor_of_processes_will_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PACED", str(tmp_path))
    tasks = grids.tasks(1, 2, 13)
    with (
        ProcessPoolExecutor(2, get_context("spawn")) as executor,
        Store.writing(tmp_path / "a.db") as store,
    ):
        store.plan("paced", tasks)
        done = dict(run_tasks(tasks, perform, store, executor))
        assert [done[task].code for task in tasks] == [0, 0, 1]
        assert [row.outcome for row in store.rows()] == [done[task] for task in tasks]


def test_from_python_a_sweep_is_a_table(tmp_path):
    plan = {"command": "theorem_6_2", "values": {"claim": "limit", "epsilon": ["1/10", "1/100"]}}
    rows = proofs_check.sweep(plan, store=tmp_path / "a.db")
    assert [row.outcome.verdict for row in rows] == ["verified", "verified"]
    again = proofs_check.sweep(plan, store=tmp_path / "a.db", executor=AtOnce())
    assert again == rows


def test_threads_are_refused(tmp_path):
    with (
        ThreadPoolExecutor(1) as executor,
        Store.writing(tmp_path / "a.db") as store,
        pytest.raises(UsageError, match="threads would take turns"),
    ):
        list(run_tasks(grids.tasks(1), perform, store, executor))


def test_tasks_wait_in_bounded_number(tmp_path):
    tasks = grids.tasks(*range(3 * AHEAD))
    executor = AtOnce()
    with Store.writing(tmp_path / "a.db") as store:
        for _ in run_tasks(tasks, perform, store, executor):
            executor.collected += 1
        assert len(store.addresses()) == 3 * AHEAD
    assert executor.given == 3 * AHEAD
    assert executor.most <= 2 * AHEAD


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("cancelled", UsageError),
        (BrokenExecutor("all gone"), UsageError),
        (ForeignWorker("other"), ForeignWorker),
    ],
)
def test_an_executor_that_breaks_ends_the_run_and_what_is_done_stays(tmp_path, answer, error):
    tasks = grids.tasks(*range(9))
    with Store.writing(tmp_path / "a.db") as store:
        with pytest.raises(error):
            list(run_tasks(tasks, perform, store, AtOnce({5: answer})))
        assert store.addresses() >= {task.address for task in tasks[:4]}
        assert tasks[4].address not in store.addresses()
        assert [task for task in missing(tasks, store) if task in tasks[:4]] == []


def test_leaving_early_keeps_what_has_ended(tmp_path):
    tasks = grids.tasks(*range(9))
    with Store.writing(tmp_path / "a.db") as store:
        running = run_tasks(tasks, perform, store, AtOnce({9: None}))
        next(running)
        running.close()
        assert store.addresses() == {task.address for task in tasks[:8]}
