"""One command line of a sweep, and the address under which its outcome is kept."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from proofs_check.engine.context import UsageError
from proofs_check.engine.environment import COMPUTING, DISTRIBUTION, own_version

FAILED = 70
ROOT = Path(__file__).parents[2]
PACKAGES = ("theory", "numerics", "reports", "proofs_check")
THEOREMS = ROOT / "proofs_check" / "theorems"


class ForeignWorker(UsageError):
    """A process would answer another question than the one asked: its source, versions or files differ."""


class Versions(msgspec.Struct, frozen=True):
    """What computes: Python, the packages, and the SHA-256 of our source, files of theorems left out."""

    python: str
    packages: dict[str, str]
    source: str

    def differences(self, other: Versions) -> list[str]:
        """What the other has that is not so here."""
        found = [f"Python {other.python}, not {self.python}"] if self.python != other.python else []
        for name in sorted({*self.packages, *other.packages}):
            here, there = self.packages.get(name), other.packages.get(name)
            if here != there:
                found.append(f"{name} {there}, not {here}")
        return found + ["other source code of this package"] * (self.source != other.source)


@cache
def versions() -> Versions:
    """Those of this process, as they were when it was first asked."""
    packages = {DISTRIBUTION: own_version()} | {name: version(name) for name in COMPUTING}
    return Versions(platform.python_version(), packages, source_hash(_source_files()))


def _source_files() -> list[Path]:
    """Our source; of the theorems only what they share: one theorem's edit leaves the others alone."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return [path for path in files if path.parent != THEOREMS or path.name.startswith("_")]


def source_hash(files: Iterable[Path]) -> str:
    """SHA-256 of files, with their places."""
    digest = hashlib.sha256()
    for path in sorted(files):
        place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
        digest.update(f"{place}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Task:
    """One command line.

    options:  what was given, by the option's name: its words.
    question: the command and its checked options with all defaults, the same however they were written.
    address:  SHA-256 of the question, of the input files, the command's own file, and the versions.
    """

    command: str
    package: str
    options: tuple[tuple[str, tuple[str, ...]], ...]
    question: str
    address: str
    versions: Versions = field(hash=False)

    @classmethod
    def of(
        cls,
        command: str,
        package: str,
        options: Mapping[str, tuple[str, ...]],
        question: Mapping[str, Any],
        files: Mapping[str, str],
        own_file: Path | None,
    ) -> Task:
        """The task; `files`: the hashes of the input files by their names."""
        asked = json.dumps({"command": command, **question}, sort_keys=True)
        computed_by = {
            "question": asked,
            "files": sorted(files.items()),
            "own_file": "" if own_file is None else source_hash([own_file]),
            "versions": msgspec.to_builtins(versions()),
        }
        address = hashlib.sha256(json.dumps(computed_by, sort_keys=True).encode()).hexdigest()
        return cls(command, package, tuple(options.items()), asked, address, versions())

    @property
    def shown(self) -> dict[str, str]:
        """The options as a table has them."""
        return {name: " ".join(words) if words else "yes" for name, words in self.options}

    @property
    def name(self) -> str:
        """As its reader knows it."""
        return line_of(self.command, self.shown)

    def require_versions(self) -> None:
        """Raise ForeignWorker unless this process has the versions and source of the one that asks."""
        if different := self.versions.differences(versions()):
            raise ForeignWorker(f"a worker on {platform.node()} differs: {'; '.join(different)}")

    def require_same(self, here: Task) -> None:
        """Raise ForeignWorker unless the task as this process reads it has the same address."""
        if self.address != here.address:
            raise ForeignWorker(
                f"a worker on {platform.node()} differs: the theorem's file or an input file is another"
            )


class Outcome(msgspec.Struct, frozen=True):
    """What came of a task: the JSON of its result, or else an error.

    code: of the command line, 70 where it failed.
    """

    code: int
    verdict: str
    error: str
    result: bytes
    seconds: float


def line_of(command: str, options: Mapping[str, str]) -> str:
    """A task as its reader knows it."""
    return " ".join([command, *(f"--{name.replace('_', '-')} {text}" for name, text in options.items())])


def failed(error: str, seconds: float = 0.0) -> Outcome:
    """The outcome of a task that has no result."""
    return Outcome(FAILED, "", " ".join(error.split()), b"", seconds)


def shard_of(tasks: Iterable[Task], shard: tuple[int, int]) -> list[Task]:
    """Every n-th task, from the i-th on, for (i, n)."""
    return list(tasks)[shard[0] - 1 :: shard[1]]
