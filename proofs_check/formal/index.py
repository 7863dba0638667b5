"""The index of the formal library's theorems that the repository keeps; needs no Coq."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

INDEX = "index.json"


@dataclass(frozen=True)
class FormalTheorem:
    """A theorem File.theorem: its statement as Coq prints it, and the axioms that it rests on."""

    name: str
    statement: str
    assumes: tuple[str, ...]


def index() -> list[FormalTheorem]:
    """The library's theorems as the repository records them; needs no Coq."""
    return read_index(_index_text())


@cache
def statements() -> Mapping[str, str]:
    """The statement of each theorem of the index by its name."""
    return {each.name: each.statement for each in index()}


def read_index(text: str) -> list[FormalTheorem]:
    """Theorems as :func:`write_index` wrote them."""
    entries = json.loads(text)["theorems"]
    return [
        FormalTheorem(name, entry["statement"], tuple(entry["assumes"])) for name, entry in entries.items()
    ]


def index_version() -> str:
    """The version of Coq that the index is from; others may print statements otherwise."""
    version: str = json.loads(_index_text())["coq"]
    return version


def write_index(theorems: Iterable[FormalTheorem], version: str) -> str:
    """Theorems as JSON, by name."""
    entries = {each.name: {"statement": each.statement, "assumes": each.assumes} for each in theorems}
    document = {"coq": version, "theorems": dict(sorted(entries.items()))}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _index_text() -> str:
    return files("theory").joinpath("formal", INDEX).read_text(encoding="utf-8")
