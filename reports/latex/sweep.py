"""A sweep as a LaTeX document: its tables, and a figure for each chart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reports.latex.document import Included, Report
from reports.latex.templating import render
from reports.latex.text import escape
from reports.results import Verdict
from reports.sweep import SweepTable, drawn
from reports.text.summary import law_name, word

# About how many characters are as wide as the page, and how many of them stand between two columns.
LINE, BETWEEN = 84, 2
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?(?:\(\d\))?)(?:e([+-]?\d+))?|[+-]?\d+/\d+")
_VERDICTS = {word(verdict) for verdict in Verdict}


@dataclass(frozen=True)
class Shown:
    """A table with its cells in LaTeX, the widths of its columns as LaTeX takes them, and its figures."""

    title: str
    note: str
    widths: str
    columns: list[str]
    rows: list[list[str]]
    figures: list[Included]


def sweep_report(title: str, tables: Sequence[SweepTable], folder: str = "figures") -> Report:
    """The document, its figures as files in `folder`."""
    from reports.figures import to_pdf

    shown: list[Shown] = []
    files: dict[str, bytes] = {}
    for table in tables:
        included = []
        for chart in table.charts:
            if chart.points:
                over = escape(" and ".join(chart.over).replace("_", " "))
                name = f"sweep-{len(files) + 1}"
                files[f"{folder}/{name}.pdf"] = to_pdf(drawn(chart))
                included.append(
                    Included(f"{folder}/{name}.pdf", f"fig:{name}", f"{escape(chart.title)} over {over}.")
                )
        columns = [escape(name.replace("_", " ")) for name in table.columns]
        rows = [[_cell(text) for text in row] for row in table.rows]
        shown.append(Shown(table.title, table.note, _widths(table), columns, rows, included))
    return Report(render("sweep.tex.jinja", title=title, tables=shown), files)


def _cell(text: str) -> str:
    if text in _VERDICTS:
        return rf"\verdict{{{text}}}"
    number = _NUMBER.fullmatch(text)
    if number is None:
        return escape(law_name(text))
    return rf"${number[1]} \times 10^{{{int(number[2])}}}$" if number[2] else f"${text}$"


def _widths(table: SweepTable) -> str:
    """Columns as wide as what is in them; if the page is not, each has its share, and lines."""
    columns = zip(table.columns, *table.rows, strict=True)
    longest = [max(len(law_name(text)) for text in column) for column in columns]
    if sum(longest) + BETWEEN * len(longest) <= LINE:
        return "l" * len(longest)
    held = [min(length, LINE // 3) for length in longest]
    room = 1 - BETWEEN * len(held) / LINE
    shares = [room * length / max(sum(held), LINE) for length in held]
    return "".join(rf"P{{{share:.3f}\linewidth}}" for share in shares)
