"""Parts of plans in processes of their own, each of which may be broken off.

A process that is broken off leaves nothing half done in this one: neither an import nor a library's
caches.  A worker is a plain interpreter that is told what to do on its standard input, so that the calling
script is not run again and any thread may call.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from proofs_check.engine.context import Plan, Progress, Silent, UsageError
from proofs_check.engine.parts import PartResult, State
from proofs_check.engine.registry import load_theorem

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.context import Settings
    from reports.results import Step

Recipe = tuple[str, tuple[str, ...], "Law", "Settings"]
"""A plan: functions do not travel between processes, so a worker makes it again from names."""
Place = tuple[int, int]
"""Which plan, which part of it."""
Message = tuple[str, Any]

_BOOT = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from proofs_check.engine.workers import serve; serve()"
)


def recipe(plan: Plan) -> Recipe:
    """What a worker makes the plan from."""
    return plan.theorem.name, tuple(claim.id for claim in plan.claims), plan.law, plan.settings


class _Worker:
    """A worker process; what it says goes to `said`, with the worker."""

    def __init__(self, package: str, recipes: Sequence[Recipe], said: queue.Queue[Said]) -> None:
        if not sys.executable:
            raise UsageError("--jobs, --timeout: no Python interpreter is known here to start processes of")
        self.place: Place | None = None
        self.heard: list[Step | str] = []
        self.begun = 0.0
        self.shown: Generator[Place] | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-c", _BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C reaches every process of a terminal's session; this process alone answers to it.
            start_new_session=True,
        )
        # What a notebook or a script added to the path is needed there too.
        self.tell([os.path.abspath(entry) for entry in sys.path])
        self.tell((package, list(recipes)))
        threading.Thread(target=self._listen, args=(said,), daemon=True).start()

    def tell(self, message: Any) -> None:
        """Say something; a worker that is gone says so itself."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            pickle.dump(message, self.process.stdin)
            self.process.stdin.flush()

    def give(self, place: Place) -> None:
        """Give it a part to perform."""
        self.place, self.heard, self.begun = place, [], time.perf_counter()
        self.tell(place)

    def _listen(self, said: queue.Queue[Said]) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                said.put((self, pickle.load(self.process.stdout)))
        except (EOFError, pickle.UnpicklingError):
            said.put((self, ("gone", self.process.wait())))
        finally:
            self.process.stdout.close()

    def end(self) -> None:
        """Break it off."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()


Said = tuple[_Worker, Message]


@dataclass
class Workers:
    """So many worker processes for the parts of some plans.

    timeout: seconds that a part may take, counted from when its worker has loaded what it needs.
    """

    package: str
    states: Sequence[State]
    jobs: int
    timeout: float | None
    progress: Progress = field(default_factory=Silent)
    _said: queue.Queue[Said] = field(default_factory=queue.Queue)
    _workers: list[_Worker] = field(default_factory=list)

    def results(self) -> Generator[tuple[Place, tuple[PartResult, float]]]:
        """The parts, as they are done.  Raises what a part raises."""
        waiting = [(i, j) for i, state in enumerate(self.states) for j in range(len(state.parts))][::-1]
        left = len(waiting)
        try:
            for _ in range(min(self.jobs, left)):
                self._start()
            while left:
                worker, (kind, value) = self._next()
                if worker not in self._workers:
                    continue  # broken off since
                if kind == "heard":
                    worker.heard.append(value)
                    continue
                if kind == "failed":
                    raise value
                place, worker.place = worker.place, None
                if worker.shown is not None:
                    worker.shown.close()
                if kind in {"late", "gone"}:
                    self._workers.remove(worker)
                    worker.end()
                    value = self._stopped(worker, place, None if kind == "late" else value)
                    if waiting:
                        self._start()
                elif waiting:
                    self._give(worker, waiting.pop())
                if place is not None:
                    left -= 1
                    yield place, value
        finally:
            for worker in self._workers:
                worker.end()
            self._workers.clear()

    def _give(self, worker: _Worker, place: Place) -> None:
        worker.give(place)
        worker.shown = self.progress.track(iter([place]), self.states[place[0]].name(place[1]))
        next(worker.shown)

    def _start(self) -> None:
        self._workers.append(_Worker(self.package, [recipe(state.plan) for state in self.states], self._said))

    def _next(self) -> Said:
        """What is said next, or that a part is late."""
        while True:
            busy = [worker for worker in self._workers if worker.place is not None]
            ends = [(worker.begun + self.timeout, worker) for worker in busy if self.timeout is not None]
            end, first = min(ends, key=lambda pair: pair[0], default=(None, None))
            try:
                # The queue first: what was done in time counts, however late it is heard.
                return self._said.get(timeout=None if end is None else max(0.0, end - time.perf_counter()))
            except queue.Empty:
                assert first is not None
                return first, ("late", None)

    def _stopped(self, worker: _Worker, place: Place | None, code: int | None) -> tuple[PartResult, float]:
        """The result of a part whose process was broken off, by us (None) or with this exit code.

        Raises RuntimeError where that was neither us nor the system.
        """
        if place is None or code not in (None, -signal.SIGKILL):
            raise RuntimeError(f"a worker process ended by itself, with code {code}")
        why = "its process was killed, as happens where memory runs out"
        if code is None:
            why = f"time limit: not finished within {self.timeout:g} s"
        seconds = time.perf_counter() - worker.begun
        return self.states[place[0]].stopped(place[1], worker.heard, why, seconds)


def serve() -> None:
    """The life of a worker: make the plans, then perform the parts that are named on standard input."""
    from proofs_check.engine.environment import own_state

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    # What a library prints is no message.
    os.dup2(2, 1)
    package, recipes = pickle.load(sys.stdin.buffer)
    places: queue.SimpleQueue[Place] = queue.SimpleQueue()
    with own_state():
        try:
            _load()
            states = [
                State(Plan.of(load_theorem(name, package), law, settings, claims))
                for name, claims, law, settings in recipes
            ]
            _say(out, "ready", None)
            threading.Thread(target=_obey, args=(places,), daemon=True).start()
            while True:
                i, j = places.get()
                _say(out, "done", states[i].perform(j, heard=lambda item: _say(out, "heard", item)))
        # Whatever it is, it is raised again in the process that asked.
        except Exception as error:  # noqa: BLE001
            error.add_note("".join(traceback.format_exception(error)))
            _say(out, "failed", portable(error))
    # Not by way of the interpreter's end, which the thread that reads would hold up.
    os._exit(0)


def portable(error: Exception) -> Exception:
    """The error, or its text where its kind does not travel."""
    try:
        pickle.loads(pickle.dumps(error))
    # Whatever its class makes of pickling.
    except Exception:  # noqa: BLE001
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _load() -> None:
    """Import what parts need, so that no limit counts it."""
    import importlib
    import pkgutil

    import numerics
    import theory

    for package in (theory, numerics):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _obey(places: queue.SimpleQueue[Place]) -> None:
    """Pass on what is asked; the end of the input is the end of the process."""
    try:
        while True:
            places.put(pickle.load(sys.stdin.buffer))
    except EOFError:
        os._exit(0)


def _say(out: IO[bytes], kind: str, value: Any) -> None:
    out.write(pickle.dumps((kind, value)))
    out.flush()
