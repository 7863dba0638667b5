"""The formal library: its files, its theorems, and its compiled form in a cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from importlib.resources import files
from pathlib import Path

from proofs_check.formal.coq import LIBRARY, Coq, FormalError
from proofs_check.formal.index import FormalTheorem, read_index, write_index

MARK = "I"
"""What separates answers: Coq says of it that it proves True."""


def sources() -> dict[str, str]:
    """The text of each file of the library by its name, in an order in which they compile."""
    folder = files("theory").joinpath("formal")
    texts = {
        path.name.removesuffix(".v"): path.read_text(encoding="utf-8")
        for path in folder.iterdir()
        if path.name.endswith(".v")
    }
    needs = {name: required(text) & texts.keys() for name, text in texts.items()}
    order = TopologicalSorter({name: sorted(needs[name]) for name in sorted(needs)}).static_order()
    return {name: texts[name] for name in order}


def required(text: str) -> set[str]:
    """The files of the library that a Coq text requires."""
    found = re.findall(rf"From {LIBRARY} Require (?:Import |Export )?([\w\s]+)\.", without_comments(text))
    return {name for names in found for name in names.split()}


def theorem_names(text: str) -> list[str]:
    """The theorems in a Coq text, in its order."""
    return re.findall(r"^\s*Theorem\s+([\w']+)", without_comments(text), re.MULTILINE)


def without_comments(text: str) -> str:
    """A Coq text without its comments, which nest."""
    kept, depth = [], 0
    for part in re.split(r"(\(\*|\*\))", text):
        if part == "(*":
            depth += 1
        elif part == "*)" and depth:
            depth -= 1
        elif not depth:
            kept.append(part)
    return "".join(kept)


def names(texts: Mapping[str, str]) -> list[str]:
    """The theorems of the library, File.theorem."""
    return [f"{file}.{name}" for file, text in texts.items() for name in theorem_names(text)]


def compiled(coq: Coq, texts: Mapping[str, str], tell: Callable[[str], None]) -> Path:
    """The folder of the compiled library, made if the cache has none for this Coq and these texts.

    `tell` is given the name of each file before it is compiled.  Raises FormalError.
    """
    key = hashlib.sha256("\0".join([coq.version, *texts, *texts.values()]).encode()).hexdigest()[:20]
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "proofs-check" / "formal"
    final = root / key
    if final.is_dir():
        return final
    try:
        root.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=root))
    except OSError as error:
        raise FormalError(f"cannot write the cache {root}: {error.strerror}; set XDG_CACHE_HOME") from error
    try:
        for name, text in texts.items():
            tell(name)
            (temporary / f"{name}.v").write_text(text, encoding="utf-8")
            coq.compile(temporary, name, (temporary, LIBRARY))
        try:
            temporary.rename(final)
        except OSError:
            # Another process was faster.
            if not final.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return final


def theorems(coq: Coq, folder: Path, texts: Mapping[str, str]) -> list[FormalTheorem]:
    """Every theorem of the compiled library, as Coq states it; asked once, then remembered."""
    remembered = folder / "theorems.json"
    if remembered.is_file():
        return read_index(remembered.read_text(encoding="utf-8"))
    known = names(texts)
    questions = [f"{question} {name}." for name in known for question in ("Check", "Print Assumptions")]
    answers = ask(coq, questions, texts, (folder, LIBRARY))
    pairs = zip(known, answers[::2], answers[1::2], strict=True)
    found = [FormalTheorem(name, statement(said), axioms(assumed)) for name, said, assumed in pairs]
    text = write_index(found, coq.version)
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as stream:
        stream.write(text)
    Path(stream.name).replace(remembered)
    return found


def ask(
    coq: Coq, questions: Sequence[str], imported: Iterable[str], *paths: tuple[Path, str], first: str = ""
) -> list[str]:
    """What Coq answers to each of several commands that print.

    imported: files of the library whose notations and short names the answers may use.
    first:    commands to run before.
    """
    lines = [
        "From Coq Require Import Reals ZArith List. Import ListNotations.",
        f"From {LIBRARY} Require Import {' '.join(imported)}.",
        first,
        "Open Scope R_scope. Set Printing Width 1000000. Set Printing Depth 1000000.",
        *(f"{question} Check {MARK}." for question in questions),
    ]
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "Asked.v").write_text("\n".join(lines), encoding="utf-8")
        printed = coq.compile(Path(place), "Asked", *paths)
    answers = re.split(rf"^{MARK}\n.*\n?", printed, flags=re.MULTILINE)[:-1]
    if len(answers) != len(questions):
        raise FormalError(f"Coq answered {len(answers)} of {len(questions)} questions")
    return answers


def statement(answer: str) -> str:
    """The statement in the answer to `Check`."""
    return " ".join(answer.split("\n", 1)[1].split()).removeprefix(": ")


def axioms(answer: str) -> tuple[str, ...]:
    """The axioms, sorted, in the answer to `Print Assumptions`; "x is assumed to be guarded" is one too."""
    _, headed, listed = answer.partition("Axioms:\n")
    if not headed and "Closed under the global context" not in answer:
        raise FormalError(f"Coq answered: {' '.join(answer.split())}")
    lines = [line for line in listed.splitlines() if line.strip() and not line.startswith(" ")]
    return tuple(sorted(line if " is " in line.partition(":")[0] else line.split()[0] for line in lines))
