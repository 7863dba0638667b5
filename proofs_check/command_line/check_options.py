"""The options of a theorem on the command line."""

from __future__ import annotations

from proofs_check.command_line.options import Option, Options, flag, one_of, path
from reports.write import FULL, STYLES, SUFFIXES


class CheckOptions(Options):
    """The options of a theorem on the command line: those of a run, and where its result goes."""

    json = Option[str | None](
        "PATH",
        "Write the result; - is standard output, and nothing else there.",
        path(document=True),
        None,
    )
    csv = Option[str | None]("PATH", "Write the numbers of its tables, one a line.", path(), None)
    junit = Option[str | None]("PATH", "Write the result for a CI server.", path(), None)
    report = Option[str | None](
        "PATH",
        "Write a report, .html, .pdf or .tex.",
        path(kind="a report", endings=SUFFIXES),
        None,
        implies="falsify",
    )
    report_style = Option("STYLE", "Of a .pdf or .tex: full, short or fragment.", one_of(STYLES), FULL)
    certificate = Option[str | None](
        "PATH",
        "Write what was verified as a file that Coq checks, .v.",
        path(kind="a certificate", endings=(".v",)),
        None,
    )
    allow_not_applicable = flag("Exit 0 where it would be 4.")
    quiet = flag("Print the closing line only.")
    debug = flag("Show tracebacks.")
