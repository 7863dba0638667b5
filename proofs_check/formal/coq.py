"""Coq as a program: find it, compile with it, ask it what a theorem says and assumes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIBRARY = "Formal"
PERMITTED = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms of the standard library's reals; `classic` comes with Coquelicot."""


class FormalError(Exception):
    """Something about the formal library or a certificate is wrong; the message is one line."""


class CoqMissing(FormalError):
    """Coq, or a library of its own that ours needs, is not installed."""


class DoesNotCompile(FormalError):
    """Coq refused a file: at this line, and why."""

    def __init__(self, name: str, line: int | None, why: str) -> None:
        place = f"Coq refuses {name}" if line is None else f"Coq refuses line {line} of {name}"
        super().__init__(f"{place}: {why}")
        self.line, self.why = line, why


@dataclass(frozen=True)
class Coq:
    """An installed Coq: its compiler, its version."""

    compiler: str
    version: str

    def compile(self, folder: Path, name: str, *paths: tuple[Path, str]) -> str:
        """Compile `name`.v in `folder`; what Coq printed.  `paths`: folders of compiled files, and names.

        Raises DoesNotCompile.
        """
        finished = _call([self.compiler, "-q", *_roots(paths), f"{name}.v"], folder)
        if finished.returncode != 0:
            raise _refusal(name, finished.stderr)
        return finished.stdout


def find_coq() -> Coq:
    """The Coq on the path.  Raises CoqMissing."""
    compiler = shutil.which("coqc")
    if compiler is None:
        raise CoqMissing("no Coq on the path: install it (Debian: apt-get install coq libcoq-coquelicot)")
    version = _call([compiler, "--print-version"], Path()).stdout.split()[0]
    home = Path(_call([compiler, "-where"], Path()).stdout.strip())
    if not any((home / "user-contrib" / "Coquelicot").glob("*.vo")):
        raise CoqMissing(
            "Coq lacks Coquelicot: install it (Debian: apt-get install libcoq-coquelicot; "
            "opam: coq-coquelicot)"
        )
    return Coq(compiler, version)


def _roots(paths: Sequence[tuple[Path, str]]) -> list[str]:
    return [word for folder, name in paths for word in ("-Q", str(folder), name)]


def _call(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _refusal(name: str, printed: str) -> DoesNotCompile:
    """What coqc says on standard error: a place, then the error."""
    line = re.search(r'^File "[^"]*", line (\d+)', printed, re.MULTILINE)
    _, _, error = printed.partition("Error:")
    why = " ".join((error or printed).split()) or "no reason given"
    return DoesNotCompile(f"{name}.v", int(line[1]) if line else None, why)
