"""A report on disk: `.html`, `.pdf`, or `.tex` with its figures beside it."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reports.files import OutputError, check_writable, write_together, write_whole
from reports.results import Result

if TYPE_CHECKING:
    from reports.latex.document import Report
    from reports.sweep import SweepTable

SUFFIXES = (".html", ".pdf", ".tex")
# What a report holds: everything; statements, numbers and figures; the same to be included in a paper.
FULL, FRAGMENT = "full", "fragment"
STYLES = (FULL, "short", FRAGMENT)


@dataclass(frozen=True)
class Written:
    """The files that were written, and what the user has to know (one line, or nothing)."""

    paths: tuple[Path, ...]
    message: str = ""


def check_report_path(path: str | os.PathLike[str]) -> None:
    """Raise OutputError unless `path` ends in .html, .pdf or .tex and can be written."""
    if suffix_of(path) not in SUFFIXES:
        raise OutputError(f"cannot write {str(path)!r}: a report ends in .html, .pdf or .tex")
    check_writable(path)


def check_style(path: str | os.PathLike[str], style: str) -> None:
    """Raise OutputError unless a report with this ending has this style."""
    if style != FULL and suffix_of(path) == ".html":
        raise OutputError(f"{str(path)!r} is a page, which unfolds: its style is {FULL}")
    if style == FRAGMENT and suffix_of(path) != ".tex":
        raise OutputError(f"{str(path)!r}: a {FRAGMENT} is LaTeX to be included and ends in .tex")


def write_report(result: Result, path: str | os.PathLike[str], style: str = FULL) -> Written:
    """Write the report of a result, in one of STYLES.

    Without a LaTeX engine a `.pdf` becomes a `.tex` with figures, and the message says what to
    install.  Raises OutputError if a file cannot be written, TypesettingError if LaTeX fails;
    then nothing is written.
    """
    check_report_path(path)
    check_style(path, style)
    if suffix_of(path) == ".html":
        from reports.html import page

        write_whole(path, page(result))
        return Written((Path(path),))
    from reports.latex.document import report

    return _typeset(lambda folder: report(result, folder, style), path)


def write_sweep(title: str, tables: Sequence[SweepTable], path: str | os.PathLike[str]) -> Written:
    """Write the report of a sweep, as :func:`write_report` does."""
    check_report_path(path)
    if suffix_of(path) == ".html":
        from reports.html import sweep_page

        write_whole(path, sweep_page(title, tables))
        return Written((Path(path),))
    from reports.latex.sweep import sweep_report

    return _typeset(lambda folder: sweep_report(title, tables, folder), path)


def _typeset(make: Callable[[str], Report], path: str | os.PathLike[str]) -> Written:
    """Make the document, with its figures in the folder that it is told, and write it."""
    from reports.latex.typeset import TO_INSTALL, to_pdf

    planned = place(path)
    if planned.engine is not None:
        write_whole(planned.path, to_pdf(make("figures"), planned.engine))
        return Written((planned.path,))
    written = _write_sources(make(_figure_folder(planned.path.stem)), planned.path)
    if suffix_of(path) == ".pdf":
        return Written(written.paths, f"no LaTeX found: wrote {planned.path}; {TO_INSTALL}")
    return written


@dataclass(frozen=True)
class Place:
    """The document that a report becomes, and the LaTeX engine that makes it, if it is a PDF."""

    path: Path
    engine: str | None


def place(path: str | os.PathLike[str]) -> Place:
    """Where the report asked for under `path` goes: without an engine a `.pdf` becomes a `.tex`."""
    target = Path(path)
    if suffix_of(target) != ".pdf":
        return Place(target, None)
    from reports.latex.typeset import engine

    found = engine()
    return Place(target if found else target.with_suffix(".tex"), found)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """The ending that says what a file is, whatever its case."""
    return Path(path).suffix.lower()


def _write_sources(made: Report, target: Path) -> Written:
    """The document and its figures, all or none."""
    files: dict[str | os.PathLike[str], bytes] = {target: made.tex.encode("ascii")}
    files |= {target.parent / name: data for name, data in made.figures.items()}
    folders = {target.parent / Path(name).parent for name in made.figures}
    created = [folder for folder in folders if not folder.is_dir()]
    try:
        for folder in created:
            folder.mkdir()
        write_together(files)
    except FileExistsError as error:
        raise OutputError(f"cannot write {error.filename}: it is not a folder") from error
    except OutputError:
        for folder in created:
            folder.rmdir()
        raise
    return Written(tuple(Path(file) for file in files))


def _figure_folder(stem: str) -> str:
    """A folder name that LaTeX takes as it is, different for different stems."""
    if re.fullmatch(r"[A-Za-z0-9-]+", stem):
        return f"{stem}-figures"
    bare = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9]+", "-", bare).strip("-") or "report"
    import hashlib

    return f"{plain}-{hashlib.sha256(stem.encode()).hexdigest()[:8]}-figures"
