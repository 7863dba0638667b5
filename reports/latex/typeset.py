"""From a LaTeX document to a PDF, with whichever of latexmk, tectonic and pdflatex is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from reports.files import OutputError
from reports.latex.document import Report

ENGINES = ("latexmk", "tectonic", "pdflatex")
TO_INSTALL = (
    "install TeX Live (on Debian or Ubuntu: texlive-latex-recommended and lmodern) or tectonic for a PDF"
)
TIMEOUT = 300.0

_FLAGS = ("-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape")
_RERUN = ("Rerun to get", "Rerun LaTeX", "Table widths have changed")
_MAX_RUNS = 5
# The same document gives the same bytes: no date of today, nowhere.
_ENVIRONMENT = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "TZ": "UTC"}
# A stored result may come from anybody: its formulas reach no file outside the document's folder.
_ENVIRONMENT |= {"openin_any": "p", "openout_any": "p"}


class TypesettingError(OutputError):
    """LaTeX failed on the document; the message is one line with its first error."""


def engine() -> str | None:
    """The first of ENGINES that is installed; latexmk counts only with pdflatex."""
    installed = [name for name in ENGINES if shutil.which(name)]
    if "pdflatex" not in installed:
        installed = [name for name in installed if name != "latexmk"]
    return installed[0] if installed else None


def to_pdf(report: Report, engine: str) -> bytes:
    """The PDF of the report.  Raises TypesettingError if LaTeX fails or takes too long."""
    with tempfile.TemporaryDirectory(prefix="report-") as name:
        folder = Path(name)
        (folder / "report.tex").write_text(report.tex, encoding="ascii")
        for path, data in report.figures.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(data)
        _COMPILERS[engine](folder)
        return (folder / "report.pdf").read_bytes()


def _latexmk(folder: Path) -> None:
    _run(["latexmk", "-norc", "-pdf", *_FLAGS, "report.tex"], folder)


def _tectonic(folder: Path) -> None:
    _run(["tectonic", "--keep-logs", "--untrusted", "report.tex"], folder)


def _pdflatex(folder: Path) -> None:
    """As often as cross-references and the widths of tables need it."""
    for _ in range(_MAX_RUNS):
        _run(["pdflatex", *_FLAGS, "report.tex"], folder)
        if not any(mark in _log(folder) for mark in _RERUN):
            return


_COMPILERS: dict[str, Callable[[Path], None]] = {
    "latexmk": _latexmk,
    "tectonic": _tectonic,
    "pdflatex": _pdflatex,
}


def _run(command: Sequence[str], folder: Path) -> None:
    # A group of its own: Ctrl-C is for us to hear, and what it starts ends with it.
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | _ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            printed, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise TypesettingError(f"{command[0]} took more than {TIMEOUT:.0f} s") from error
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        output = printed.decode("utf-8", "replace").strip().splitlines()
        errors = [line for line in _log(folder).splitlines() if line.startswith("!")]
        reason = (errors or output[-1:] or [f"exit code {process.returncode}"])[0]
        raise TypesettingError(f"{command[0]} failed: {reason}")


def _log(folder: Path) -> str:
    log = folder / "report.log"
    return log.read_text(encoding="latin-1") if log.exists() else ""
