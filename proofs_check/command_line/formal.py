"""`formal` and `--certificate`: the formal library, and certificates that Coq checks against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from proofs_check.engine.context import UsageError

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.formal.coq import Coq
    from reports.results import TheoremResult

NOT_PROVED = 1


def formal(certificate: str | None) -> int:
    """Print the library's theorems with what they assume, or check a certificate; the exit code.

    Raises UsageError.
    """
    from proofs_check.formal.coq import FormalError, find_coq

    try:
        coq = find_coq()
        return _library(coq) if certificate is None else _check(coq, certificate)
    except FormalError as error:
        raise UsageError(f"formal: {error}") from error


def _library(coq: Coq) -> int:
    from proofs_check.command_line.outputs import reader_may_leave
    from proofs_check.formal.coq import PERMITTED
    from proofs_check.formal.library import compiled, sources, theorems

    texts = sources()
    folder = compiled(coq, texts, _compiling)
    found = theorems(coq, folder, texts)
    refused = [each.name for each in found if not PERMITTED.issuperset(each.assumes)]
    with reader_may_leave():
        for each in found:
            print(f"{each.name}:\n  {each.statement}\n  rests on {_axioms(each.assumes)}")
        print(f"{len(found)} theorems in {len(texts)} files, Coq {coq.version}; compiled in {folder}")
        if refused:
            print(f"not proved, they rest on something else: {', '.join(refused)}")
    return NOT_PROVED if refused else 0


def _check(coq: Coq, path: str) -> int:
    from proofs_check.command_line.outputs import reader_may_leave, tell
    from proofs_check.formal.checking import NotProved, check_certificate
    from proofs_check.formal.coq import DoesNotCompile

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"formal {path!a}: {why}; give a file that --certificate wrote") from error
    try:
        found = check_certificate(coq, text, _compiling)
    except NotProved as error:
        tell(f"not proved: {error}")
        return NOT_PROVED
    except DoesNotCompile as error:
        raise UsageError(f"formal {path!a}: {error}; give a file that --certificate wrote") from error
    with reader_may_leave():
        print("\n".join(found.definitions))
        for name, statement in found.theorems:
            print(f"{name}:\n  {statement}")
        print(f"proved, Coq {coq.version}; it rests on {_axioms(found.axioms)}")
    return 0


def _compiling(name: str) -> None:
    from proofs_check.command_line.outputs import tell

    tell(f"compiling {name}.v")


def _axioms(names: Sequence[str]) -> str:
    return ", ".join(name.rpartition(".")[2] for name in names) or "no axiom"


def check_exportable(theorems: Sequence[str], law: Law) -> None:
    """Raise UsageError if no certificate can come of these theorems on this law."""
    from proofs_check.formal.certificates import WRITERS, NoInstance, exporting, instance_of

    if not set(theorems) & set(exporting(WRITERS)):
        raise UsageError(f"--certificate: not of {theorems[0]}; of {', '.join(exporting(WRITERS))}")
    try:
        instance_of(law)
    except NoInstance as error:
        raise UsageError(f"--certificate: {error}") from error


def write_certificate(path: str, law: Law, results: Sequence[TheoremResult]) -> None:
    """Write the certificate of a run.  Raises OutputError."""
    from proofs_check.engine.environment import own_version
    from proofs_check.formal.certificates import certificate
    from proofs_check.formal.coq import FormalError
    from reports.files import OutputError, write_whole

    try:
        text = certificate(law, results, own_version())
    except FormalError as error:
        raise OutputError(f"{error}; nothing is written") from error
    write_whole(path, text.encode())
