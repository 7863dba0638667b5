"""The result of `simulate` on a terminal, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import groupby
from typing import IO, TYPE_CHECKING

from reports.results import SimulationResult, SimulationRow
from reports.terminal.console import open_console, words
from reports.text import summary
from reports.text.grids import MAX_ROWS

if TYPE_CHECKING:
    from rich.table import Table

CSV_COLUMNS = (
    "model",
    "dims",
    "context",
    "depth",
    "mean",
    "low",
    "high",
    "confidence",
    "samples",
    "overflowed",
    "heavy_tailed",
    "median",
    "theory",
    "theory_kind",
    "rounding",
    "rounded",
)
NUMBER = "{:.4g}"


def print_simulation(result: SimulationResult, file: IO[str] | None = None) -> None:
    """Print a table for each size of prompt to `file` (standard output), and what to know about it."""
    console = open_console(file)
    console.print(words("Excess risk over Bayes, per unit 𝔼 ζ²", "bold"))
    console.print(words(f"{summary.law_text(result.law)}: {summary.support_text(result.law)}"))
    for (dims, context), rows in groupby(result.rows, lambda row: (tuple(row.dims), row.context)):
        console.print()
        console.print(words(f"d = {' + '.join(map(str, dims))}, L = {context}", "bold"))
        here = list(rows)
        console.print(_table(here))
        if len(here) > MAX_ROWS:
            console.print(words(f"{len(here)} rows; --csv writes all of them", "dim"))
    console.print()
    for line in remarks(result):
        console.print(words(line))


def _table(rows: list[SimulationRow]) -> Table:
    from rich.table import Table

    confidence = f"{100 * rows[0].excess.confidence:g}% interval"
    heavy = any(row.heavy_tailed for row in rows)
    titles = ["model", "T", "mean", confidence, *(["median"] if heavy else []), "theory", ""]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(width=0)
    for title in titles:
        table.add_column(title, justify="left" if title in {"model", confidence, ""} else "right")
    for row in _thinned(rows):
        if row is None:
            table.add_row("", *["..."] * len(titles))
            continue
        marked = f"{_number(row.excess.mean)}{'*' if row.heavy_tailed else ''}{'†' if row.rounded else ''}"
        low, high = row.excess.low, row.excess.high
        interval = "-" if low is None or high is None else f"[{_number(low)}, {_number(high)}]"
        cells = [row.model, "" if row.depth is None else str(row.depth), marked, interval]
        cells += [_number(row.median) if row.heavy_tailed else ""] if heavy else []
        cells += ["" if row.theory is None else _number(row.theory), row.theory_kind or ""]
        table.add_row("", *map(words, cells))
    return table


def _thinned(rows: list[SimulationRow]) -> Iterator[SimulationRow | None]:
    """The rows; of too many for a screen each model's first and last ones, None for those between."""
    models = [list(found) for _, found in groupby(rows, lambda row: row.model)]
    deep = sum(len(found) > 1 for found in models)
    half = max(1, (MAX_ROWS - len(models) + deep) // (2 * deep or 1))
    for found in models:
        if len(rows) > MAX_ROWS and len(found) > 2 * half + 1:
            yield from (*found[:half], None, *found[-half:])
        else:
            yield from found


def remarks(result: SimulationResult) -> list[str]:
    """What to know about the rows, line by line."""
    known = [summary.to_unicode(note) for note in result.notes]
    if any(row.theory_kind == "order 1/L" for row in result.rows):
        known.append("order 1/L: the population loss and the term of order 1/L; exact: nothing is left out.")
    if any(row.heavy_tailed for row in result.rows):
        known.append(
            "* rare prompts that such a sample may miss make up the mean: no interval; read the median."
        )
    if any(row.rounded for row in result.rows):
        known.append("† rounding may have moved the mean by a hundredth, or by a tenth of the half interval.")
    samples = sorted({row.excess.samples + row.overflowed for row in result.rows})
    counts = " to ".join(map(str, sorted({*samples[:1], *samples[-1:]}))) or "no"
    end = "" if result.complete else ", interrupted before the end"
    return [*known, f"{counts} prompts a row, seed {result.environment.seed}{end}."]


def _number(value: float | None) -> str:
    return "-" if value is None else NUMBER.format(value)


def to_csv(result: SimulationResult) -> bytes:
    """One line a row, UTF-8; empty cells where a number is null."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in result.rows:
        sampled = row.excess
        writer.writerow(
            (
                row.model,
                ",".join(map(str, row.dims)),
                row.context,
                row.depth,
                *map(_exactly, (sampled.mean, sampled.low, sampled.high, sampled.confidence)),
                sampled.samples,
                row.overflowed,
                str(row.heavy_tailed).lower(),
                *map(_exactly, (row.median, row.theory)),
                row.theory_kind,
                _exactly(row.rounding),
                str(row.rounded).lower(),
            )
        )
    return text.getvalue().encode()


def _exactly(value: float | None) -> str | None:
    """The shortest decimals that read back as the same number."""
    return None if value is None else repr(value)


def plot(result: SimulationResult, suffix: str) -> bytes:
    """Excess risk against depth as `.png` or `.pdf`.  Raises NoDataError without rows."""
    from reports.figures import simulation, to_pdf, to_png

    figure = simulation(result)
    return to_png(figure) if suffix == ".png" else to_pdf(figure)
