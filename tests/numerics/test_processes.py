"""Work in several processes: the order of the results, and what ends it."""

from __future__ import annotations

import multiprocessing
import time
from itertools import count

import pytest

from numerics.processes import Processes


def slower_first(item: int) -> int:
    time.sleep(0.2 if item == 0 else 0.0)
    return item * item


def broken(item: int) -> int:
    raise ZeroDivisionError(item)


def endless(_: int) -> None:
    time.sleep(600)


class Enough(Exception):
    """Stands for Ctrl-C."""


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_work(jobs: int) -> None:
    with Processes(jobs) as processes:
        found = list(processes.in_order(slower_first, range(7)))
    assert found == [(item, item * item) for item in range(7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_work_is_made_when_there_is_room_for_it(jobs: int) -> None:
    made: list[int] = []
    items = (made.append(item) or item for item in count())
    with Processes(jobs) as processes:
        for item, _ in processes.in_order(slower_first, items):
            if item == 3:
                break
    assert len(made) <= 4 + 2 * jobs
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_the_callers(jobs: int) -> None:
    with pytest.raises(ZeroDivisionError), Processes(jobs) as processes:
        list(processes.in_order(broken, range(3)))
    assert multiprocessing.active_children() == []


def test_what_waits_is_asked_and_may_break_off() -> None:
    def ask() -> None:
        raise Enough

    begun = time.monotonic()
    with pytest.raises(Enough), Processes(2) as processes:
        list(processes.in_order(endless, range(3), ask))
    assert time.monotonic() - begun < 60
    assert multiprocessing.active_children() == []
