"""Whether a certificate proves what it says: Coq compiles it, and says what it rests on."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from proofs_check.formal.coq import LIBRARY, PERMITTED, Coq, DoesNotCompile, FormalError
from proofs_check.formal.library import ask, axioms, compiled, sources, statement

MODULE = "Certificate"
SHOWN = 400
"""Characters of a definition that are shown."""


class NotProved(FormalError):
    """A certificate does not prove what it states."""


@dataclass(frozen=True)
class Certified:
    """What a certificate defines and proves, as Coq prints it, and the axioms that all of it rests on."""

    definitions: list[str]
    theorems: list[tuple[str, str]]
    axioms: tuple[str, ...]


def check_certificate(coq: Coq, text: str, tell: Callable[[str], None]) -> Certified:
    """Check the text of a certificate, which may come from anybody.

    Raises DoesNotCompile if it is none; NotProved if a computation comes out false, or if it adds an axiom or
    rests on one that the library does not, or has a string: Coq does not see it then.
    """
    # Redirect, Extraction, Load and the like name their files in strings; no certificate has one.
    before, string, _ = text.partition('"')
    if string:
        raise NotProved(f"it has a string (line {1 + before.count(chr(10))}), which may name a file")
    texts = sources()
    library = compiled(coq, texts, tell)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"{MODULE}.v").write_text(text, encoding="utf-8")
        paths = (library, LIBRARY), (folder, "")
        try:
            coq.compile(folder, MODULE, *paths)
        except DoesNotCompile as error:
            raise _explained(error, text) from error
        declared = re.findall(
            r"^(ax|prf|def) \S+ (\S+) (\S+)$",
            (folder / f"{MODULE}.glob").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        names = {
            kind: [_qualified(*where) for of, *where in declared if of == kind]
            for kind in ("ax", "prf", "def")
        }
        if names["ax"]:
            raise NotProved(f"it adds an axiom: {', '.join(names['ax'])}")
        if not names["prf"]:
            raise NotProved("it proves nothing")
        together = (
            f"Definition together := ({', '.join(f'@{name}' for name in names['prf'] + names['def'])})."
        )
        asked = [
            "Print Assumptions together.",
            *(f"Check @{name}." for name in names["prf"]),
            *(f"Print {name}." for name in names["def"]),
        ]
        rests, *answers = ask(coq, asked, texts, *paths, first=f"Require {MODULE}. {together}")
    if refused := [axiom for axiom in axioms(rests) if axiom not in PERMITTED]:
        raise NotProved(f"it rests on {'; '.join(refused)}")
    stated, defined = answers[: len(names["prf"])], answers[len(names["prf"]) :]
    return Certified(
        [_cut(" ".join(answer.split())) for answer in defined],
        [(name, statement(answer)) for name, answer in zip(names["prf"], stated, strict=True)],
        axioms(rests),
    )


def _qualified(module: str, name: str) -> str:
    return ".".join([MODULE, *([] if module == "<>" else [module]), name])


def _explained(error: DoesNotCompile, text: str) -> FormalError:
    """The same error by the theorem where it occurred; NotProved where a computation came out false."""
    if error.line is None or 'type "true = true"' not in error.why:
        return error
    before = "\n".join(text.splitlines()[: error.line])
    names = re.findall(r"^\s*(?:Theorem|Lemma)\s+([\w']+)", before, re.MULTILINE)
    return NotProved(f"{names[-1] if names else MODULE}: false by computation (line {error.line})")


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
