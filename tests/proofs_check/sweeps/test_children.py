import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from proofs_check.command_line.tasks import make_tasks, perform
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.children import Child, ChildDied, Children, in_child
from proofs_check.sweeps.plan import read_plan
from tests.proofs_check.sweeps import grids
from tests.waiting import wait_until


def own_pid(*_):
    return os.getpid()


def main_thread():
    return threading.current_thread() is threading.main_thread()


def speak(text):
    print(text)
    os.write(1, b"to the descriptor")
    return text


def refuse(text):
    raise UsageError(text)


class StaysHome(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def stay():
    raise StaysHome(1, 2)


def end(signal_number, mark):
    """End this process, the first time alone if there is a file to mark that with."""
    if mark and os.path.exists(mark):
        return "survived"
    if mark:
        open(mark, "x").close()
    os.kill(os.getpid(), signal_number)
    time.sleep(60)
    return None


@pytest.fixture
def child():
    made = Child()
    yield made
    made.close()


def test_a_child_is_another_process_kept_between_tasks(child):
    assert child.run(own_pid) == child.run(own_pid) != os.getpid()
    assert child.run(main_thread)


def test_what_a_task_prints_stands_among_no_answers(child):
    assert child.run(speak, "words") == "words"
    assert child.run(speak, "x" * 10**6) == "x" * 10**6


def test_errors_come_back(child):
    with pytest.raises(UsageError, match="this text"):
        child.run(refuse, "this text")
    with pytest.raises(RuntimeError, match="StaysHome: 1 2"):
        child.run(stay)
    with pytest.raises(ZeroDivisionError):
        child.run(divmod, 1, 0)


def test_a_child_that_is_killed_once_is_replaced(child, tmp_path):
    assert child.run(end, signal.SIGKILL, str(tmp_path / "mark")) == "survived"


def test_a_task_that_kills_its_process_each_time_is_given_up(child):
    with pytest.raises(ChildDied, match="ended by SIGSEGV, twice"):
        child.run(end, signal.SIGSEGV, "")
    with pytest.raises(ChildDied, match="exited with code 3, twice"):
        child.run(os._exit, 3)
    assert child.run(own_pid)


def test_ctrl_c_on_the_terminal_does_not_reach_a_child(child):
    pid = child.run(own_pid)
    assert os.getpgid(pid) != os.getpgid(0)
    os.kill(pid, signal.SIGINT)
    assert child.run(own_pid) == pid


def test_children_end_with_their_parent_even_in_the_middle_of_a_task():
    script = (
        "import os, time\nfrom proofs_check.sweeps.children import Children\nchildren = Children(1)\n"
        "print(children.submit(os.getpid).result(), flush=True)\n"
        "children.submit(time.sleep, 600)\ntime.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=grids.ROOT, stdout=subprocess.PIPE, text=True
    )
    pid = int(parent.stdout.readline())
    assert not grids.gone(pid)
    grids.kill(parent)
    wait_until(lambda: grids.gone(pid))


def test_a_childs_home_is_this_thread():
    pids = [in_child(own_pid), in_child(own_pid)]
    other = []
    thread = threading.Thread(target=lambda: other.append(in_child(own_pid)))
    thread.start()
    thread.join()
    assert pids[0] == pids[1] != other[0]


def test_several_are_an_executor():
    with Children(2) as children:
        assert len(set(children.map(own_pid, range(8)))) <= 2
        failing = children.submit(divmod, 1, 0)
        assert isinstance(failing.exception(), ZeroDivisionError)
        with pytest.raises(TypeError, match="by name"):
            children.submit(int, "1", base=2)


def test_cancelling_ends_what_is_under_way():
    children = Children(1)
    pid = children.submit(own_pid).result()
    under_way, waiting = children.submit(time.sleep, 600), children.submit(own_pid)
    waiting.cancel()
    children.shutdown(cancel_futures=True)
    assert grids.gone(pid)
    assert isinstance(under_way.exception(), ChildDied)


def test_a_time_limit_holds_in_a_child(child):
    values = {"seed": 6, "timeout": 0.5, "claim": "act"}
    (task,) = make_tasks(read_plan({"command": "failing", "values": values}), "tests.proofs_check.made_up")
    outcome = child.run(perform, task)
    assert (outcome.code, outcome.verdict) == (3, "inconclusive")
    assert b"not finished within 0.5 s" in outcome.result
