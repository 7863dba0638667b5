"""Processes that are kept between tasks, and do one at a time in their main thread.

There flint's precision is nobody else's, and one that dies takes no other along.  `--jobs` uses them, and so
does each thread of a Dask worker.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import IO, Any, ParamSpec, TypeVar

from proofs_check.engine.workers import portable

P = ParamSpec("P")
T = TypeVar("T")

LENGTH = struct.Struct(">Q")
START = "import sys; sys.path[:] = {path!r}; from proofs_check.sweeps.children import serve; serve()"


class ChildDied(Exception):
    """The process that had the task ended, and so did another one after it."""


class _Gone(Exception):
    """The process at the other end of the pipe is not there any more."""


class Child:
    """A process that starts when there is something to do."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def run(self, work: Callable[..., T], *args: Any) -> T:
        """work(*args), done in the process.  Raises what the work raises, or ChildDied."""
        request = pickle.dumps((work, args))
        try:
            answer = self._ask(request)
        except _Gone:
            # Something else may have ended it, for want of memory say.
            self._stop()
            try:
                answer = self._ask(request)
            except _Gone:
                raise ChildDied(f"the process that ran it {self._stop()}, twice") from None
        succeeded, value = pickle.loads(answer)
        if not succeeded:
            raise value
        result: T = value
        return result

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        self._stop()

    def _ask(self, request: bytes) -> bytes:
        if self._closed:
            raise _Gone
        if self._process is None:
            start = START.format(path=sys.path)
            # A group of its own, so that Ctrl-C on a terminal does not reach it.
            self._process = subprocess.Popen(
                [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, request)
        except OSError as error:
            raise _Gone from error
        if (answer := _receive(process.stdout)) is None:
            raise _Gone
        return answer

    def _stop(self) -> str:
        """End the process; how it ended."""
        process, self._process = self._process, None
        if process is None:
            return "was ended"
        process.kill()
        code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                _close(pipe)
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


class Children(Executor):
    """So many children, as a `concurrent.futures.Executor`."""

    def __init__(self, jobs: int) -> None:
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]] | None] = (
            SimpleQueue()
        )
        self._children = [Child() for _ in range(jobs)]
        self._threads = [threading.Thread(target=self._serve, args=(c,), daemon=True) for c in self._children]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """fn(*args), in the next child that is free."""
        if kwargs:
            raise TypeError("arguments by name do not travel")
        future: Future[T] = Future()
        self._waiting.put((future, fn, args))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, in the middle of their tasks if `cancel_futures`."""
        if cancel_futures:
            for child in self._children:
                child.close()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _serve(self, child: Child) -> None:
        while (found := self._waiting.get()) is not None:
            future, work, args = found
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(child.run(work, *args))
            # It is raised again for whoever asks the future.
            except Exception as error:  # noqa: BLE001
                future.set_exception(error)
        child.close()


_of_thread = threading.local()


def in_child(work: Callable[..., T], *args: Any) -> T:
    """work(*args), in the child of this thread, which is kept."""
    if not hasattr(_of_thread, "child"):
        _of_thread.child = Child()
    child: Child = _of_thread.child
    return child.run(work, *args)


def serve() -> None:
    """What a child does: one request after the other, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What tasks print must not stand among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        try:
            work, args = pickle.loads(requests.get())
            answer = pickle.dumps((True, work(*args)))
        # It is raised again at the other end.
        except Exception as error:  # noqa: BLE001
            answer = pickle.dumps((False, portable(error)))
        _send(answers, answer)


def _listen(requests: SimpleQueue[bytes]) -> None:
    """A thread of its own sees that the parent is gone while a task runs: nobody would read the answer."""
    while (request := _receive(sys.stdin.buffer)) is not None:
        requests.put(request)
    os._exit(0)


def _send(stream: IO[bytes], message: bytes) -> None:
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None if the other end is gone."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    message = stream.read(length)
    return message if len(message) == length else None


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        # What was left to write has no reader.
        return
