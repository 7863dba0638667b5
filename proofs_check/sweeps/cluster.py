"""Dask's distributed scheduler as an executor; its workers hand tasks to children."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, Self, TypeVar

from numerics.processes import Child, ChildDied
from proofs_check.engine.context import UsageError
from proofs_check.sweeps.tasks import Versions, versions

P = ParamSpec("P")
T = TypeVar("T")

LOCAL = "local"
ADDRESS = re.compile(r"[a-z]+://\S+:\d{1,5}")
SECONDS_TO_CONNECT = 4
TO_INSTALL = "install the extra, pip install -e .[dask]"


_of_thread = threading.local()


def in_child(work: Callable[..., T], *args: Any) -> T:
    """work(*args), in the child of this thread, which is kept."""
    if not hasattr(_of_thread, "child"):
        _of_thread.child = Child()
    child: Child = _of_thread.child
    return child.run(work, *args)


class Cluster(Executor):
    """The workers of a scheduler, as a `concurrent.futures.Executor`; it leaves them running.

    client: Dask's.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """fn(*args), in a child of whichever worker is free."""
        outcome: Future[T] = Future()
        inner = self._executor.submit(in_child, fn, *args, **kwargs)
        inner.add_done_callback(lambda done: _pass_on(done, outcome))
        outcome.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        return outcome

    @property
    def threads(self) -> int:
        """How many tasks are done at a time, 1 while no worker is there yet."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def require_same(self) -> None:
        """Raise UsageError unless every worker has our versions and source."""
        mine = versions()
        try:
            found: dict[str, Versions] = self.client.run(versions)
        except ImportError as error:
            raise UsageError(
                f"--dask: a worker lacks what it needs: {error}; install this package there"
            ) from error
        for worker, theirs in found.items():
            if different := mine.differences(theirs):
                raise UsageError(f"--dask: the worker {worker} differs: {'; '.join(different)}")

    def __exit__(self, *_: object) -> None:
        self.shutdown(cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the scheduler; what it still has of ours is forgotten there."""
        self.client.close()


class LocalCluster(Cluster):
    """Workers on this machine, for as long as it is open."""

    @classmethod
    def of(cls, jobs: int) -> Self:
        """So many workers."""
        distributed = _distributed()
        made = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, silence_logs=logging.ERROR)
        return cls(distributed.Client(made))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers."""
        cluster = self.client.cluster
        self.client.close()
        cluster.close()


def connect(address: str, jobs: int = 1) -> Cluster:
    """The workers of the scheduler at tcp://HOST:PORT; for `local`, so many on this machine.

    Raises UsageError: without Dask, and where no scheduler answers or a worker differs from this process.
    """
    if address != LOCAL and not ADDRESS.fullmatch(address):
        raise UsageError(f"--dask {address[:80]!a}: no address; write tcp://HOST:PORT, or local")
    distributed = _distributed()
    if address == LOCAL:
        return LocalCluster.of(jobs)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        why = str(error).partition("\n")[0] or "no answer"
        raise UsageError(
            f"--dask {address[:80]!a}: no scheduler: {why}; write tcp://HOST:PORT, or local"
        ) from error
    cluster = Cluster(client)
    try:
        cluster.require_same()
    except BaseException:
        cluster.shutdown()
        raise
    return cluster


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise UsageError(f"--dask: needs Dask; {TO_INSTALL}") from error
    return distributed


def _pass_on(done: Future[T], outcome: Future[T]) -> None:
    """What came of the work; a worker that ended again and again is a child that died."""
    from distributed.scheduler import KilledWorker

    if not outcome.set_running_or_notify_cancel():
        return
    if done.cancelled():
        outcome.set_exception(UsageError("--dask: the scheduler is gone; run again to do what is missing"))
        return
    error = done.exception()
    if isinstance(error, KilledWorker):
        outcome.set_exception(ChildDied("every worker that ran it ended"))
    elif error is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(done.result())
