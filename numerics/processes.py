"""Work in other processes, which are kept between tasks and do one at a time in their main thread.

There flint's precision is nobody else's, and one that dies takes no other along.  A child is a plain
interpreter that is told what to do on its standard input: the calling script is not run again, and any
thread may call.  What is to be done is found by its name, so that it has to be in a module.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from queue import SimpleQueue
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

START = "import sys; sys.path[:] = {path!a}; from numerics.processes import serve; serve()"
KEEPING = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}
"""Has glibc keep freed arrays for the next task, which would get them cleared by the system, page by page."""
POLL, PATIENCE = 0.2, 5
"""Seconds."""
AHEAD = 2
"""Pieces of work a process that are given out before their results are asked for."""


class ChildDied(Exception):
    """The process that had a task ended before it; `code` is its exit code, None where that is not known."""

    def __init__(self, text: str, code: int | None = None) -> None:
        super().__init__(text)
        self.code = code


class Late(Exception):
    """A task was not done in time, and its process was ended."""


class Child:
    """A process that starts when there is something to do.  One thread at a time gives it work."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._starting = threading.Lock()

    def run(self, work: Callable[..., T], *args: Any) -> T:
        """work(*args), done in the process.  Raises what the work raises, or ChildDied."""
        # Something else may have ended it, for want of memory say.
        with suppress(ChildDied):
            return self.attempt(work, *args)
        try:
            return self.attempt(work, *args)
        except ChildDied as died:
            raise ChildDied(f"{died}, twice", died.code) from None

    def attempt(
        self,
        work: Callable[..., T],
        *args: Any,
        heard: Callable[[Any], None] | None = None,
        within: float | None = None,
    ) -> T:
        """work(*args), tried once.  Raises what the work raises, ChildDied, or Late.

        heard:  told what the work says on the way; the work has one argument more, a function to say it with.
        within: seconds; what was said before they were over counts, however late it is read.
        """
        request, answer = pickle.dumps((work, args, heard is not None)), None
        process = self._started()
        try:
            with _killed_after(process, within) as late:
                answer = _asked(process, request, heard)
        finally:
            if answer is None or late.is_set():
                self._end()
        if answer is None:
            if late.is_set():
                raise Late(f"not done within {within:g} s")
            raise ChildDied(f"the process that ran it {_ended(process.returncode)}", process.returncode)
        kind, value = answer
        if kind == "failed":
            raise value
        result: T = value
        return result

    def kill(self) -> None:
        """End the process, whatever it is doing, for whichever thread waits for it."""
        with self._starting:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process, with nothing under way."""
        self.kill()
        self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._closed:
                raise ChildDied("the process that ran it was ended")
            if self._process is None:
                # What a notebook or a script added to the path is needed there too.
                start = START.format(path=[os.path.abspath(entry) for entry in sys.path])
                # A group of its own: Ctrl-C on a terminal reaches every process of the terminal's group.
                self._process = subprocess.Popen(
                    [sys.executable, "-c", start],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    process_group=0,
                    env=KEEPING | os.environ,
                )
            return self._process

    def _end(self) -> None:
        with self._starting:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in filter(None, (process.stdin, process.stdout)):
            # What was left to write has no reader.
            with suppress(BrokenPipeError):
                pipe.close()


def _asked(
    process: subprocess.Popen[bytes], request: bytes, heard: Callable[[Any], None] | None
) -> tuple[str, Any] | None:
    """The answer of a child; None if it ended before."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        _send(process.stdin, request)
    except OSError:
        return None
    while (message := _receive(process.stdout)) is not None:
        kind, value = pickle.loads(message)
        if kind != "heard" or heard is None:
            return kind, value
        heard(value)
    # It may be on its way out, with a code of its own.
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    return None


@contextmanager
def _killed_after(process: subprocess.Popen[bytes], seconds: float | None) -> Iterator[threading.Event]:
    """A limit on the block; whether it was reached."""
    late = threading.Event()
    if seconds is None:
        yield late
        return

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), end)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        timer.join()


def _ended(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


class Children(Executor):
    """So many children, as a `concurrent.futures.Executor`; at the end of a `with` block they are ended."""

    def __init__(self, jobs: int) -> None:
        self._children: list[Child] = []
        self._of_thread = threading.local()
        self._threads = ThreadPoolExecutor(jobs, initializer=self._add)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """fn(*args), in the next child that is free."""
        if kwargs:
            raise TypeError("arguments by name do not travel")
        return self.lend(Child.run, fn, *args)

    def lend(self, use: Callable[Concatenate[Child, P], T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """use(child, *args), in a thread here, with the next child that is free."""
        return self._threads.submit(lambda: use(self._of_thread.child, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, in the middle of their tasks if `cancel_futures`."""
        if cancel_futures:
            self._threads.shutdown(wait=False, cancel_futures=True)
            for child in self._children:
                child.kill()
        self._threads.shutdown(wait)
        for child in self._children if wait else ():
            child.close()

    def __exit__(self, *_: object) -> None:
        self.shutdown(cancel_futures=True)

    def _add(self) -> None:
        self._of_thread.child = Child()
        self._children.append(self._of_thread.child)


def in_order(
    work: Callable[[T], R],
    items: Iterable[T],
    jobs: int = 1,
    executor: Executor | None = None,
    waiting_for: Callable[[], None] = lambda: None,
) -> Generator[tuple[T, R]]:
    """(item, its result), in the order of the items, which are made when there is room for them.

    In so many processes, this one alone if it is 1.  What is left undone, after Ctrl-C say, is broken off.
    executor:    has the processes, and is left open; what is left undone there is cancelled.
    waiting_for: called now and then where a result is waited for; may raise.
    """
    if executor is None and jobs == 1:
        for item in items:
            yield item, work(item)
        return
    waiting: deque[tuple[T, Future[R]]] = deque()
    with Children(jobs) if executor is None else nullcontext(executor) as processes:
        try:
            for item in items:
                waiting.append((item, processes.submit(work, item)))
                if len(waiting) >= AHEAD * jobs:
                    yield _first(waiting, waiting_for)
            while waiting:
                yield _first(waiting, waiting_for)
        finally:
            for _, future in waiting:
                future.cancel()


def _first(waiting: deque[tuple[T, Future[R]]], waiting_for: Callable[[], None]) -> tuple[T, R]:
    item, future = waiting.popleft()
    while not wait([future], POLL).done:
        waiting_for()
    return item, future.result()


def serve() -> None:
    """What a child does: one request after the other, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What tasks print must not stand among the answers, and what they read is none of the requests.
    answers, asked = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked, requests), daemon=True).start()
    say = partial(_say, answers)
    while True:
        try:
            work, args, is_heard = _loaded(requests.get())
            say("done", work(*args, partial(say, "heard")) if is_heard else work(*args))
        # It is raised again at the other end.
        except BaseException as error:  # noqa: BLE001
            error.add_note("".join(traceback.format_exception(error)))
            say("failed", portable(error))


def _loaded(request: bytes) -> Any:
    try:
        return pickle.loads(request)
    # Whatever it names that is not here.
    except Exception as error:
        raise TypeError(f"another process has no such work, move it to a module: {error}") from error


def portable(error: BaseException) -> BaseException:
    """The error, or its text where its kind does not travel."""
    try:
        pickle.loads(pickle.dumps(error))
    # Whatever its class makes of pickling.
    except Exception:  # noqa: BLE001
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _listen(asked: IO[bytes], requests: SimpleQueue[bytes]) -> None:
    """A thread of its own sees that the parent is gone while a task runs: nobody would read the answer."""
    while (request := _receive(asked)) is not None:
        requests.put(request)
    os._exit(0)


def _say(answers: IO[bytes], kind: str, value: Any) -> None:
    message = pickle.dumps((kind, value))
    try:
        _send(answers, message)
    except BrokenPipeError:
        os._exit(0)


def _send(stream: IO[bytes], message: bytes) -> None:
    # A pickle says where it ends.
    pickle.dump(message, stream)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None if the other end is gone."""
    try:
        message: bytes = pickle.load(stream)
    except (EOFError, pickle.UnpicklingError):
        return None
    return message
