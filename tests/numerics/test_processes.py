"""Work in several processes: the order of the results, what is heard on the way, and what ends it."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from numerics import processes
from numerics.processes import Child, ChildDied, Children, Late, in_order
from tests.imports import ROOT
from tests.waiting import wait_until


def slower_first(item: int) -> int:
    time.sleep(0.2 if item == 0 else 0.0)
    return item * item


def broken(item: int) -> int:
    raise ZeroDivisionError(item)


def endless(_: int) -> None:
    time.sleep(600)


def own_pid(*_: object) -> int:
    return os.getpid()


def main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def speak(text: str) -> str:
    print(text)
    os.write(1, b"to the descriptor")
    return text


class Foreseen(ValueError):
    pass


def read() -> tuple[str, bytes]:
    """As a prompt for input would, and a program that is called."""
    called = subprocess.run([sys.executable, "-c", "print(input())"], capture_output=True, check=False)
    return sys.stdin.read(), called.stdout


def refuse(text: str) -> None:
    raise Foreseen(text)


class StaysHome(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} {two}")


def stay() -> None:
    raise StaysHome(1, 2)


def end(signal_number: int, mark: str) -> str:
    """End this process, the first time alone if there is a file to mark that with."""
    if mark and os.path.exists(mark):
        return "survived"
    if mark:
        open(mark, "x").close()
    os.kill(os.getpid(), signal_number)
    time.sleep(60)
    return "never"


def tell(items: list[int], after: str, say: Callable[[int], None]) -> str:
    """Say the items, and then sleep, end, or be done."""
    for item in items:
        say(item)
    if after == "sleep":
        time.sleep(600)
    if after == "end":
        os._exit(3)
    return after


def leave_slowly() -> None:
    """Be at no end of a pipe any more, and end a while later."""
    os.closerange(3, 64)
    time.sleep(0.5)
    os._exit(5)


class OnceOnly(Executor):
    """Does the first task that it is given."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result(fn(*args))
        return self.futures[-1]


class Enough(Exception):
    """Stands for Ctrl-C."""


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.fixture
def child() -> Iterator[Child]:
    made = Child()
    yield made
    made.close()


@pytest.fixture
def nobody_left() -> Iterator[None]:
    """At the end there are no other processes than there were."""
    before = psutil.Process().children()
    yield
    assert psutil.Process().children() == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_work(jobs: int) -> None:
    assert list(in_order(slower_first, range(7), jobs)) == [(item, item * item) for item in range(7)]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("nobody_left")
def test_work_is_made_when_there_is_room_for_it(jobs: int) -> None:
    made: list[int] = []
    items = (made.append(item) or item for item in count())
    for item, _ in in_order(slower_first, items, jobs):
        if item == 3:
            break
    assert len(made) <= 4 + 2 * jobs


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("nobody_left")
def test_an_error_is_the_callers(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(broken, range(3), jobs))


@pytest.mark.usefixtures("nobody_left")
def test_what_waits_is_asked_and_may_break_off() -> None:
    def ask() -> None:
        raise Enough

    begun = time.monotonic()
    with pytest.raises(Enough):
        list(in_order(endless, range(3), 2, waiting_for=ask))
    assert time.monotonic() - begun < 60


def test_an_executor_that_is_given_is_left_open_and_has_nothing_left_to_do() -> None:
    with Children(1) as children:
        with closing(in_order(own_pid, range(9), executor=children)) as results:
            (_, first) = next(results)
        assert children.submit(own_pid).result() == first
    given = OnceOnly()
    with closing(in_order(slower_first, range(9), executor=given)) as results:
        assert next(results) == (0, 0)
    assert [future.cancelled() for future in given.futures] == [False, True]


def test_a_child_is_another_process_kept_between_tasks(child: Child) -> None:
    assert child.run(own_pid) == child.run(own_pid) != os.getpid()
    assert child.run(main_thread)


def test_what_a_task_prints_stands_among_no_answers(child: Child) -> None:
    assert child.run(speak, "words") == "words"
    assert child.run(speak, "x" * 10**6) == "x" * 10**6


def test_what_a_task_reads_is_none_of_the_requests(child: Child) -> None:
    for _ in range(2):
        assert child.attempt(read, within=60) == ("", b"")


def test_errors_come_back(child: Child) -> None:
    with pytest.raises(Foreseen, match="this text"):
        child.run(refuse, "this text")
    with pytest.raises(RuntimeError, match="StaysHome: 1 2"):
        child.run(stay)
    with pytest.raises(ZeroDivisionError) as raised:
        child.run(divmod, 1, 0)
    assert "in serve" in raised.value.__notes__[0]
    with pytest.raises(SystemExit):
        child.run(sys.exit, 4)


def test_a_child_that_is_killed_once_is_replaced(child: Child, tmp_path: Path) -> None:
    assert child.run(end, signal.SIGKILL, str(tmp_path / "mark")) == "survived"


def test_a_task_that_kills_its_process_each_time_is_given_up(child: Child) -> None:
    with pytest.raises(ChildDied, match="ended by SIGSEGV, twice"):
        child.run(end, signal.SIGSEGV, "")
    with pytest.raises(ChildDied, match="exited with code 3, twice"):
        child.run(os._exit, 3)
    with pytest.raises(ChildDied, match="exited with code 5, twice"):
        child.run(leave_slowly)
    assert child.run(own_pid)


def test_what_is_said_on_the_way_is_heard_though_the_rest_is_not(child: Child) -> None:
    heard: list[int] = []
    assert child.attempt(tell, [1, 2], "done", heard=heard.append) == "done"
    with pytest.raises(ChildDied, match="code 3") as raised:
        child.attempt(tell, [3], "end", heard=heard.append)
    assert raised.value.code == 3
    with pytest.raises(Late, match="within 1 s"):
        child.attempt(tell, [4], "sleep", heard=heard.append, within=1)
    assert heard == [1, 2, 3, 4]
    assert child.attempt(own_pid, within=600)


def test_what_was_done_in_time_counts_however_late_it_is_read(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit passes between the answer and the moment when it is read."""
    first = child.run(own_pid)
    receive = processes._receive

    def late(stream: Any) -> bytes | None:
        wait_until(lambda: gone(first))
        return receive(stream)

    monkeypatch.setattr(processes, "_receive", late)
    assert child.attempt(own_pid, within=1) == first
    monkeypatch.undo()
    assert child.attempt(own_pid) != first


def test_who_stops_listening_gets_no_old_answer(child: Child) -> None:
    def enough(_: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        child.attempt(tell, [1], "done", heard=enough)
    assert child.attempt(tell, [], "new", heard=enough) == "new"


def test_what_was_added_to_the_path_is_found_there(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "added_to_the_path.py").write_text("def here():\n    return __file__\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    found: str = child.run(importlib.import_module("added_to_the_path").here)
    assert Path(found) == tmp_path / "added_to_the_path.py"
    monkeypatch.delitem(sys.modules, "added_to_the_path")


@pytest.mark.skipif(os.name == "nt", reason="no process groups")
def test_ctrl_c_on_the_terminal_does_not_reach_a_child(child: Child) -> None:
    pid = child.run(own_pid)
    assert os.getpgid(pid) != os.getpgid(0)
    os.kill(pid, signal.SIGINT)
    assert child.run(own_pid) == pid


def test_children_end_with_their_parent_even_in_the_middle_of_a_task() -> None:
    script = (
        "import os, time\nfrom numerics.processes import Children\nchildren = Children(1)\n"
        "print(children.submit(os.getpid).result(), flush=True)\n"
        "children.submit(time.sleep, 600)\ntime.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        parent.kill()
    wait_until(lambda: gone(pid))


def test_several_are_an_executor() -> None:
    with Children(2) as children:
        assert len(set(children.map(own_pid, range(8)))) <= 2
        failing = children.submit(divmod, 1, 0)
        assert isinstance(failing.exception(), ZeroDivisionError)
        with pytest.raises(TypeError, match="by name"):
            children.submit(int, "1", base=2)


def test_cancelling_ends_what_is_under_way() -> None:
    children = Children(1)
    pid = children.submit(own_pid).result()
    under_way, waiting = children.submit(time.sleep, 600), children.submit(own_pid)
    waiting.cancel()
    wait_until(under_way.running)
    children.shutdown(cancel_futures=True)
    assert gone(pid)
    assert isinstance(under_way.exception(), ChildDied)


SCRIPT = """
import proofs_check
from numerics.processes import Child

def square(number):
    return number * number

print("once")
two = {"context": 20, "prompts": 9000, "depth": 1, "models": "lsa", "jobs": 2}
print(proofs_check.simulate(**two).complete)
print(proofs_check.verify("theorem_6_2", claim="limit", jobs=2).ok)
try:
    Child().run(square, 3)
except TypeError as error:
    print(error)
"""


def test_a_script_without_a_guard_is_not_run_again(tmp_path: Path) -> None:
    """And what is in the script alone is refused in words."""
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr == ""
    *lines, last = done.stdout.splitlines()
    assert lines == ["once", "True", "True"]
    assert last.startswith("another process has no such work, move it to a module: ")
    assert "square" in last
