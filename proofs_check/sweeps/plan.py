"""A sweep as its author writes it: a command, or several, and the values of their options."""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proofs_check.engine.context import UsageError

KEYS = ("name", "command", "combine", "values")
COMBINE = ("product", "zip")
MOST_TASKS = 1_000_000


@dataclass(frozen=True)
class SweepPlan:
    """What to run.

    combine: `product`, every combination of the values, the last option running fastest; or `zip`, the
             first values of all, the second values, ...
    values:  of each option, as the command's line would have it without `--`.
    """

    name: str
    commands: tuple[str, ...]
    combine: str
    values: Mapping[str, Any]

    def points(self, axes: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
        """Each option's value, for one task after the other.  Raises UsageError."""
        combinations: Iterable[tuple[Any, ...]]
        if self.combine == "product":
            if (tasks := _product(len(values) for values in axes.values())) > MOST_TASKS:
                raise UsageError(f"values: {tasks} combinations; at most {MOST_TASKS}")
            combinations = itertools.product(*axes.values())
        else:
            lengths = {name: len(values) for name, values in axes.items() if len(values) != 1}
            if len(set(lengths.values())) > 1:
                told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
                raise UsageError(f"values: zip takes equally many of each; {told}")
            longest = max(lengths.values(), default=1)
            combinations = zip(*(v * longest if len(v) == 1 else v for v in axes.values()), strict=True)
            if not axes:
                combinations = [()]
        for values in combinations:
            yield dict(zip(axes, values, strict=True))


def _product(lengths: Iterator[int]) -> int:
    total = 1
    for length in lengths:
        total *= length
    return total


def load_plan(path: str | os.PathLike[str]) -> SweepPlan:
    """The plan in a TOML file.  Raises UsageError, which names the file."""
    shown = ascii(os.fspath(path))
    try:
        with open(path, "rb") as stream:
            document = tomllib.load(stream)
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{shown}: not TOML: {error}") from error
    try:
        return read_plan(document)
    except UsageError as error:
        raise UsageError(f"{shown}: {error}") from error


def read_plan(document: Mapping[str, Any]) -> SweepPlan:
    """The plan that a mapping describes, as in a TOML file.  Raises UsageError."""
    for key in document:
        if key not in KEYS:
            raise UsageError(f"{key!a}: no such key; one of {', '.join(KEYS)}")
    name = document.get("name", "sweep")
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= 200:
        raise UsageError('name: not a name; write name = "limits"')
    commands = document.get("command")
    commands = [commands] if isinstance(commands, str) else commands
    if not isinstance(commands, list) or not commands or not all(isinstance(c, str) for c in commands):
        raise UsageError('command: missing; write command = "theorem_6_2", or a list')
    if len(set(commands)) < len(commands):
        raise UsageError("command: the same command twice; give each once")
    combine = document.get("combine", COMBINE[0])
    if combine not in COMBINE:
        raise UsageError(f"combine: {combine!a} is unknown; one of {', '.join(COMBINE)}")
    values = document.get("values", {})
    if not isinstance(values, Mapping):
        raise UsageError('values: not a table; write [values] and lines such as epsilon = ["1/10", "1/100"]')
    return SweepPlan(name, tuple(commands), combine, dict(values))


def read_shard(text: str) -> tuple[int, int]:
    """``3/10``: (3, 10).  Raises UsageError."""
    part, slash, parts = text.strip().partition("/")
    if not slash or not (part + parts).isdecimal() or not (part + parts).isascii():
        raise UsageError(f"--shard {text[:60]!a}: not a shard; write 3/10, the third of ten")
    if not 1 <= int(part) <= int(parts):
        raise UsageError(f"--shard {text[:60]!a}: counts from 1/{int(parts)} to {int(parts)}/{int(parts)}")
    return int(part), int(parts)
