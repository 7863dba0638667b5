"""What is mutated, and which changes are known to survive, from the two files beside this one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Target:
    """A module and the tests that have to notice a change of it.

    seconds: the time after which a changed module counts as noticed.
    """

    group: str
    module: str
    tests: tuple[str, ...]
    seconds: int


@dataclass(frozen=True, order=True)
class Change:
    """One line of a module, and what it was changed to."""

    module: str
    line: str
    mutant: str

    @classmethod
    def of_diff(cls, module: str, diff: str) -> Change:
        """From the first line that a diff removes and the first that it adds."""
        lines = diff.splitlines()
        removed, added = (
            next((line[1:].strip() for line in lines if line[:1] == mark and line[:3] != 3 * mark), "")
            for mark in "-+"
        )
        return cls(module, removed, added)

    def entry(self) -> str:
        """As `survivors.toml` lists it, the reason to be filled in."""
        return (
            f"[[survivor]]\nmodule = \"{self.module}\"\nline = '''{self.line}'''\n"
            f"mutants = ['''{self.mutant}''']\nreason = \"\"\n"
        )


def _read(name: str) -> dict[str, list[dict[str, object]]]:
    return tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def read_targets() -> list[Target]:
    """In the order of the file."""
    return [
        Target(str(entry["group"]), str(entry["module"]), tuple(entry["tests"]), entry.get("seconds", 120))
        for entry in _read("targets.toml")["target"]
    ]


def survivor_entries() -> list[dict[str, object]]:
    """The entries of `survivors.toml`: module, line, mutants, reason."""
    return _read("survivors.toml").get("survivor", [])


def read_survivors() -> Iterator[Change]:
    """Every change that is listed."""
    for entry in survivor_entries():
        for mutant in entry["mutants"]:
            yield Change(str(entry["module"]), str(entry["line"]), str(mutant))
