"""The outcomes of sweeps in one SQLite file: a task is in it whole or not at all.

One process writes: it holds SQLite's write lock as long as it is open, and readers read beside it.  The
journal is the rollback journal: write-ahead logs need memory shared between readers and writers, which
network disks do not have.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from proofs_check.engine.context import UsageError
from proofs_check.sweeps.tasks import FAILED, Outcome, Task, line_of

APPLICATION, VERSION = 0x70726F6F, 1
PATIENCE = 60.0
"""Seconds that a commit waits for readers."""

TABLES = """
CREATE TABLE outcomes (
    address TEXT PRIMARY KEY, code INTEGER NOT NULL, verdict TEXT NOT NULL, error TEXT NOT NULL,
    result BLOB NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE planned (
    sweep TEXT NOT NULL, position INTEGER NOT NULL, address TEXT NOT NULL, question TEXT NOT NULL,
    command TEXT NOT NULL, options TEXT NOT NULL, PRIMARY KEY (sweep, position)
) WITHOUT ROWID;
"""


class StoreError(UsageError):
    """A file that is no store, or cannot be read or written: one line that names it."""


@dataclass(frozen=True)
class Row:
    """A planned task, and its outcome if it is there."""

    sweep: str
    position: int
    command: str
    options: dict[str, str]
    question: str
    address: str
    outcome: Outcome | None

    @property
    def name(self) -> str:
        """As its reader knows it."""
        return line_of(self.command, self.options)

    @property
    def state(self) -> str:
        """`done`, `failed` or `missing`."""
        if self.outcome is None:
            return "missing"
        return "failed" if self.outcome.code == FAILED else "done"


class Store:
    """A store; a context manager.  Raises StoreError."""

    def __init__(self, path: str | os.PathLike[str], connection: sqlite3.Connection) -> None:
        self.path, self._connection = os.fspath(path), connection

    @classmethod
    def reading(cls, path: str | os.PathLike[str]) -> Self:
        """One that is there."""
        if not os.path.exists(path):
            raise StoreError(f"{os.fspath(path)!a}: no such file")
        store = cls(path, _connect(path, "rw"))
        with store._told():
            store._check_kind()
        return store

    @classmethod
    def writing(cls, path: str | os.PathLike[str]) -> Self:
        """One to write to, made if it is not there.  Raises StoreError while another process writes to it."""
        store = cls(path, _connect(path, "rwc"))
        try:
            with store._told():
                store._take()
                if not store._connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone():
                    store._create()
                store._check_kind()
        except BaseException:
            store._connection.close()
            raise
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _take(self) -> None:
        """Take the write lock, at once or not at all."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")

    def _create(self) -> None:
        for statement in TABLES.strip().rstrip(";").split(";\n"):
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {VERSION}")
        self._connection.execute("COMMIT")
        self._take()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """What is written in the block is kept whole, or, after an error or Ctrl-C, not at all."""
        with self._told():
            if not self._connection.in_transaction:
                # Ctrl-C came just after a commit.
                self._take()
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._take()

    def _check_kind(self) -> None:
        (kind,) = self._connection.execute("PRAGMA application_id").fetchone()
        (number,) = self._connection.execute("PRAGMA user_version").fetchone()
        if kind != APPLICATION:
            raise StoreError(f"{self.path!a}: not a store of sweeps")
        if number != VERSION:
            raise StoreError(
                f"{self.path!a}: a store of version {number}, this is version {VERSION}; take a new file"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        with _told(self.path):
            yield

    def plan(self, sweep: str, tasks: Iterable[Task]) -> None:
        """What the sweep consists of; replaces what it did before, and leaves outcomes alone."""
        rows = (
            (sweep, position, *_planned(task.address, task.question, task.command, task.shown))
            for position, task in enumerate(tasks, 1)
        )
        with self._whole():
            self._connection.execute("DELETE FROM planned WHERE sweep = ?", (sweep,))
            self._connection.executemany("INSERT INTO planned VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add(self, outcomes: Iterable[tuple[str, Outcome]]) -> None:
        """Keep outcomes by their addresses, all or none; a failure gives way, a result stays."""
        rows = [
            (address, made.code, made.verdict, made.error, made.result, made.seconds)
            for address, made in outcomes
        ]
        with self._whole():
            self._connection.executemany(
                "INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (address) DO UPDATE SET"
                " (code, verdict, error, result, seconds)"
                " = (excluded.code, excluded.verdict, excluded.error, excluded.result, excluded.seconds)"
                f" WHERE code = {FAILED}",
                rows,
            )

    def addresses(self, *, with_failed: bool = True) -> set[str]:
        """Of the tasks that have an outcome."""
        condition = "" if with_failed else f" WHERE code != {FAILED}"
        with self._told():
            return {
                address for (address,) in self._connection.execute(f"SELECT address FROM outcomes{condition}")
            }

    def sweeps(self) -> list[str]:
        """Their names."""
        with self._told():
            found = self._connection.execute("SELECT DISTINCT sweep FROM planned ORDER BY sweep").fetchall()
        return [name for (name,) in found]

    def rows(self, sweep: str | None = None, *, with_results: bool = True) -> Iterator[Row]:
        """The planned tasks of a sweep, or of all, in order."""
        result = "o.result" if with_results else "x''"
        query = (
            "SELECT p.sweep, p.position, p.command, p.options, p.question, p.address,"
            f" o.code, o.verdict, o.error, {result}, o.seconds"
            " FROM planned p LEFT JOIN outcomes o ON o.address = p.address"
            " WHERE ?1 IS NULL OR p.sweep = ?1 ORDER BY p.sweep, p.position"
        )
        with self._told(), closing(self._connection.cursor()) as cursor:
            for sweep_, position, command, options, question, address, *made in cursor.execute(
                query, (sweep,)
            ):
                outcome = None if made[0] is None else Outcome(*made)
                shown = msgspec.json.decode(options, type=dict[str, str])
                yield Row(sweep_, position, command, shown, question, address, outcome)

    def merge(self, others: Sequence[Store]) -> None:
        """Take the sweeps and outcomes of other stores; a result goes before a failure.

        Raises StoreError where two stores plan different tasks under one name.
        """
        for other in others:
            for sweep in other.sweeps():
                theirs = list(other.rows(sweep, with_results=False))
                ours = {row.address for row in self.rows(sweep, with_results=False)}
                if ours and ours != {row.address for row in theirs}:
                    raise StoreError(f"{other.path!a}: its sweep {sweep!a} has other tasks; not merged")
        for other in others:
            with self._whole(), other._told():
                self._connection.executemany(
                    "INSERT OR IGNORE INTO planned VALUES (?, ?, ?, ?, ?, ?)",
                    other._connection.execute("SELECT * FROM planned"),
                )
            for batch in other._outcomes():
                self.add(batch)

    def _outcomes(self, size: int = 256) -> Iterator[list[tuple[str, Outcome]]]:
        with self._told(), closing(self._connection.cursor()) as cursor:
            cursor.execute("SELECT * FROM outcomes ORDER BY address")
            while found := cursor.fetchmany(size):
                yield [(address, Outcome(*made)) for address, *made in found]


def _planned(address: str, question: str, command: str, options: dict[str, str]) -> tuple[str, ...]:
    return address, question, command, msgspec.json.encode(options).decode()


def _connect(path: str | os.PathLike[str], mode: str) -> sqlite3.Connection:
    with _told(os.fspath(path)):
        uri = f"{Path(path).absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        except sqlite3.Error:
            connection.close()
            raise
        return connection


@contextmanager
def _told(path: str) -> Iterator[None]:
    """SQLite's errors in a line that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        locked = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
        why = "another process writes to it; wait for that, or take another file" if locked else str(error)
        raise StoreError(f"{path!a}: {why}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path!a}: {error}") from error
