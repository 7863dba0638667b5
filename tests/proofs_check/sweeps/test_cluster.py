"""Real schedulers and workers on this machine."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from proofs_check.command_line.tasks import make_tasks, perform
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.cluster import SECONDS_TO_CONNECT, connect, in_child
from proofs_check.sweeps.plan import read_plan
from proofs_check.sweeps.running import run_tasks
from proofs_check.sweeps.store import Store
from proofs_check.sweeps.tasks import Outcome
from tests.proofs_check.sweeps import grids
from tests.waiting import PATIENCE, wait_until

DASK = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the extra `dask`")
SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
FOREIGN = """
import msgspec, proofs_check.sweeps.tasks as tasks
mine = tasks.versions()
tasks.versions = lambda: msgspec.structs.replace(mine, packages=mine.packages | {"sympy": "0.1"})
tasks.versions.__module__, tasks.versions.__qualname__ = "proofs_check.sweeps.tasks", "versions"
"""


class Machines:
    """A scheduler and workers, processes of their own."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        place = folder / "scheduler.json"
        where = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(place))
        self.start(SCHEDULER, *where, "--no-dashboard")
        wait_until(lambda: place.exists() and place.read_text().strip().endswith("}"))
        self.address = json.loads(place.read_text())["address"]

    def start(self, script, *words):
        process = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, '.')\n{script}", *words],
            cwd=grids.ROOT,
            env=os.environ | {"PACED": str(self.folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def worker(self, before=""):
        return self.start(
            before + WORKER,
            self.address,
            *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"),
            *("--local-directory", str(self.folder)),
        )

    def workers(self, number):
        """Wait until so many are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(number, timeout=PATIENCE)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def machines(tmp_path):
    found = Machines(tmp_path)
    yield found
    found.stop()


def exported(folder, path):
    return grids.ended(folder, "sweep", "export", path, "--json", "-")[1]


@DASK
def test_two_workers_give_the_rows_of_one_process_and_lose_nothing_when_one_is_killed(machines, tmp_path):
    plan = grids.written(tmp_path, 1, 2, 100, 101, 3, 13)
    first, _ = machines.worker(), machines.worker()
    machines.workers(2)
    path = str(tmp_path / "two.db")
    running = grids.started(tmp_path, "sweep", "run", plan, "--store", path, "--dask", machines.address)
    wait_until(lambda: {100, 101} <= set(grids.marks(tmp_path)))
    first.kill()
    (tmp_path / "gate").touch()
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (1, "paced: 6 tasks: 1 refuted, 5 verified\n"), err
    one = str(tmp_path / "one.db")
    assert grids.ended(tmp_path, "sweep", "run", plan, "--store", one)[0] == 1
    assert exported(tmp_path, path) == exported(tmp_path, one)


@DASK
def test_a_worker_with_other_versions_is_refused(machines, tmp_path):
    machines.worker(FOREIGN)
    machines.workers(1)
    plan, path = grids.written(tmp_path, 1, 2), str(tmp_path / "a.db")
    code, out, err = grids.ended(tmp_path, "sweep", "run", plan, "--store", path, "--dask", machines.address)
    assert (code, out) == (2, "")
    assert "differs: sympy 0.1, not" in err
    assert grids.marks(tmp_path) == []


@DASK
def test_a_later_worker_with_another_source_is_refused_by_the_task(machines, tmp_path, monkeypatch):
    machines.worker()
    machines.workers(1)
    monkeypatch.setenv("PACED", str(tmp_path))
    (task,) = grids.tasks(1)
    task = replace(task, versions=type(task.versions)("3.99", task.versions.packages, "0"))
    with (
        connect(machines.address) as cluster,
        Store.writing(tmp_path / "a.db") as store,
        pytest.raises(UsageError, match=r"Python .*, not 3\.99; other source code"),
    ):
        list(run_tasks([task], perform, store, cluster))


@DASK
def test_local_workers_are_started_and_ended(tmp_path):
    plan, path = grids.written(tmp_path, 1, 2), str(tmp_path / "a.db")
    words = ("sweep", "run", plan, "--store", path, "--dask", "local", "--jobs", "2")
    code, out, err = grids.ended(tmp_path, *words)
    assert (code, out) == (0, "paced: 2 tasks: 2 verified\n"), err


@DASK
def test_a_task_that_ends_its_process_is_recorded_and_its_worker_lives(machines, tmp_path):
    machines.worker()
    machines.workers(1)
    plan, path = grids.written(tmp_path, 200, 1), str(tmp_path / "a.db")
    code, out, _ = grids.ended(tmp_path, "sweep", "run", plan, "--store", path, "--dask", machines.address)
    assert (code, out) == (70, "paced: 2 tasks: 1 failed, 1 verified\n")
    assert grids.marks(tmp_path).count(200) == 2


@DASK
def test_ctrl_c_leaves_the_scheduler_and_keeps_what_is_done(machines, tmp_path):
    machines.worker()
    machines.workers(1)
    plan, path = grids.written(tmp_path, 1, 100), str(tmp_path / "a.db")
    words = ("sweep", "run", plan, "--store", path, "--dask", machines.address)
    running = grids.started(tmp_path, *words)
    assert "verified" in running.stderr.readline()
    wait_until(lambda: 100 in grids.marks(tmp_path))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (130, "")
    assert "has 1 of 2 tasks" in err
    (tmp_path / "gate").touch()
    assert grids.ended(tmp_path, *words)[:2] == (0, "paced: 2 tasks: 2 verified\n")


@DASK
def test_a_scheduler_that_goes_away_ends_the_run_in_a_line(machines, tmp_path):
    machines.worker()
    machines.workers(1)
    plan, path = grids.written(tmp_path, 1, 100), str(tmp_path / "a.db")
    words = ("sweep", "run", plan, "--store", path, "--dask", machines.address)
    running = grids.started(tmp_path, *words)
    assert "verified" in running.stderr.readline()
    wait_until(lambda: 100 in grids.marks(tmp_path))
    machines.processes[0].kill()
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (2, "")
    assert err.splitlines()[-1] == "error: --dask: the scheduler is gone; run again to do what is missing"
    assert grids.ended(tmp_path, "sweep", "status", path)[1] == "paced: 2 tasks: 1 missing, 1 verified\n"


@DASK
@pytest.mark.parametrize("weights", ["population", "trained"])
def test_a_simulation_has_the_same_rows_on_workers(machines, tmp_path, weights):
    for _ in range(2):
        machines.worker()
    machines.workers(2)
    words = ["simulate", "--context", "20", "--depth", "1,2", "--prompts", "9000", "--weights", weights]
    words += ["--models", "one_parameter,least_squares", "--json", "-"]
    rows = []
    for more in ([], ["--dask", machines.address]):
        code, out, err = grids.ended(tmp_path, *words, *more)
        assert code == 0, err
        rows.append(json.loads(out)["rows"])
    assert rows[0] == rows[1]


def test_a_childs_home_is_this_thread():
    pids = [in_child(os.getpid), in_child(os.getpid)]
    other = []
    thread = threading.Thread(target=lambda: other.append(in_child(os.getpid)))
    thread.start()
    thread.join()
    assert os.getpid() != pids[0] == pids[1] != other[0]


def test_a_time_limit_holds_in_a_child():
    values = {"seed": 6, "timeout": 0.5, "claim": "act"}
    (task,) = make_tasks(read_plan({"command": "failing", "values": values}), "tests.proofs_check.made_up")
    outcome = in_child(perform, task)
    assert (outcome.code, outcome.verdict) == (3, "inconclusive")
    assert b"not finished within 0.5 s" in outcome.result


@DASK
def test_a_scheduler_that_does_not_answer_is_a_line_within_ten_seconds(tmp_path):
    plan = grids.written(tmp_path, 1)
    assert SECONDS_TO_CONNECT <= 10
    words = ("--store", str(tmp_path / "a.db"), "--dask", "tcp://127.0.0.1:1")
    code, out, err = grids.ended(tmp_path, "sweep", "run", plan, *words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert "--dask 'tcp://127.0.0.1:1': no scheduler" in err


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:80", "tcp://host", "tcp://host:port", ""])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(UsageError, match=r"--dask.*tcp://HOST:PORT"):
        connect(address)


def test_without_dask_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"\.\[dask\]"):
        connect("local")


@DASK
@pytest.mark.nightly
def test_ten_thousand_empty_tasks_take_bounded_memory(machines, tmp_path):
    import psutil

    machines.worker()
    machines.workers(1)
    (task,) = grids.tasks(1)
    tasks = [replace(task, address=str(number)) for number in range(10_000)]
    process, most = psutil.Process(), {}
    with connect(machines.address) as cluster, Store.writing(tmp_path / "a.db") as store:
        for number, _ in enumerate(run_tasks(tasks, empty, store, cluster), 1):
            if number in (2_000, 10_000):
                most[number] = process.memory_info().rss
        assert len(store.addresses()) == 10_000
    assert most[10_000] - most[2_000] < 32 * 2**20


def empty(task):
    return Outcome(0, "verified", "", b"", 0.0)
