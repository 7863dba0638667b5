"""The result of a theorem, or of all, as a terminal shows it."""

from __future__ import annotations

import re
from itertools import repeat
from typing import IO, TYPE_CHECKING, Any

from reports import tables
from reports.results import ClaimResult, RunResult, TheoremResult, Verdict
from reports.terminal.console import (
    STYLES,
    Words,
    block,
    bullets,
    grid,
    heading,
    open_console,
    print_closing,
    section,
    words,
)
from reports.text import numbers, summary
from reports.text.summary import to_unicode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from reports.layouts import TableColumn

MAX_ROWS = 40
PLACES = (30, 20, 16, 12, 9, 7, 5)
"""Significant digits of a table's numbers: as many as its width allows."""
LIST_PLACES, ROUNDED_PLACES = 15, 9
LONGEST_FRACTION = 16


def print_result(result: TheoremResult | RunResult, file: IO[str] | None = None) -> None:
    """Print a result and its closing line to `file` (standard output)."""
    for theorem in summary.theorems(result):
        print_theorem(theorem, file)
        if isinstance(result, RunResult):
            print_closing(theorem, file)
            open_console(file).print("\n")
    print_closing(result, file)


def print_theorem(result: TheoremResult, file: IO[str] | None = None) -> None:
    """Print what a theorem's run found, down to its numbers; without the closing line."""
    console = open_console(file)
    heading(console, result.title, result.source)
    block(console, to_unicode(result.statement))
    block(console, " ".join(map(to_unicode, result.definitions)), style="dim")
    law = f"{summary.law_text(result.law)}: {summary.support_text(result.law)}"
    section(console, "Law", [[words(law)]])
    section(console, "Hypotheses", [_hypothesis_row(h.holds, h.id, h.detail) for h in result.hypotheses])
    _print_claims(console, result.claims)
    for claim in result.claims:
        _print_failure(console, claim)
    _print_variants(console, result)
    bullets(console, summary.NOT_PROVED, result.assumptions)
    for table in tables.of(result):
        _print_table(console, table)


def _said(text: str) -> Words:
    return words(to_unicode(text))


def _hypothesis_row(holds: bool, id: str, detail: str) -> list[RenderableType]:
    mark = words("holds", "green") if holds else words("fails", "bold red")
    return [mark, words(id), _said(detail)]


def _print_claims(console: Console, claims: Sequence[ClaimResult]) -> None:
    """Two lines a claim: what came out; for which laws it is argued how, and how this law was checked."""
    if not claims:
        return
    console.print(words("Claims", "bold"))
    ids = [summary.short_id(claim.id) for claim in claims]
    widths = [max(len(summary.word(claim.verdict)) for claim in claims), max(map(len, ids)), 0]
    for claim, id in zip(claims, ids, strict=True):
        mark = words(summary.word(claim.verdict), STYLES[claim.verdict])
        grid(console, [[mark, words(id), _said(summary.decided(claim))]], widths)
        scope = "; ".join([*summary.scope(claim), summary.seconds_text(claim.seconds)])
        block(console, to_unicode(scope), widths[0] + 4, space=False, style="dim")
    console.print()


def _print_variants(console: Console, result: TheoremResult) -> None:
    """What became of each, and on which law where that is not this one."""
    if not result.false_variants:
        return
    here = summary.ran_on(result.law.kind, result.law.texts)
    ids = [summary.short_id(variant.id) for variant in result.false_variants]
    rows = []
    for variant, id in zip(result.false_variants, ids, strict=True):
        where = "" if variant.law == here else f"on {variant.law}: "
        found = Words(((where, "dim"), (to_unicode(variant.detail), "")))
        rows.append([_variant_mark(variant.verdict), words(id), found])
    console.print(words("False variants", "bold"))
    grid(console, rows, [0, max(map(len, ids)), 0])
    console.print()


def _print_failure(console: Console, claim: ClaimResult) -> None:
    """The steps of a claim that is not verified: what failed, and where."""
    if claim.verdict in {Verdict.VERIFIED, Verdict.NOT_APPLICABLE}:
        return
    rows: list[list[RenderableType]] = [
        [words(summary.word(step.verdict), STYLES[step.verdict]), _said(step.statement), _said(step.detail)]
        for step in claim.steps
        if step.verdict is not Verdict.VERIFIED
    ]
    section(console, f"{claim.id}: steps not verified", rows)


def _variant_mark(verdict: Verdict) -> Words:
    """A false variant is good when it is refuted."""
    style = "green" if verdict is Verdict.REFUTED else "bold red"
    return words(summary.word(verdict), "dim" if verdict is Verdict.NOT_APPLICABLE else style)


def _print_table(console: Console, table: tables.Table) -> None:
    console.print(words(to_unicode(table.heading), "bold"))
    texts = _print_rows(console, table) if table.keys else _print_numbers(console, table)
    notes = [f"{column.label}: {column.note}" for column in table.columns if table.keys and column.note]
    if any(re.search(r"\d\(\d\)", text) for text in texts):
        notes.append("(1) after a number: so many units of its last digit up or down")
    for note in (*notes, table.note):
        block(console, to_unicode(note), space=False, style="dim")
    console.print()


def _print_numbers(console: Console, table: tables.Table) -> list[str]:
    """A line for each number: its letter, its value, what it is; the values as shown."""
    ((_, cells),) = table.rows
    values = [_with_fraction(cell, column) for column, cell in zip(table.columns, cells, strict=True)]
    rows = [
        [_said(column.label), words(value), words(to_unicode(column.note), "dim")]
        for column, value in zip(table.columns, values, strict=True)
    ]
    grid(console, rows, [0, 0, 0])
    return values


def _print_rows(console: Console, table: tables.Table) -> list[str]:
    """Columns under their headings, with as many digits as fit; the cells as shown."""
    half, left_out = MAX_ROWS // 2, len(table.rows) - MAX_ROWS
    shown = table.rows if left_out <= 0 else [*table.rows[:half], *table.rows[-half:]]
    labels = [summary.showable(to_unicode(column.label), console.encoding) for column in table.columns]
    wide = [max(map(len, column)) for column in zip(table.keys, *(key for key, _ in table.rows), strict=True)]
    heads = [*map(str.rjust, table.keys, wide), *labels]
    for places in PLACES:
        rows = [
            [*map(str.rjust, key, wide), *map(_text, cells, repeat(places), table.columns)]
            for key, cells in shown
        ]
        if sum(2 + max(map(len, column)) for column in zip(heads, *rows, strict=True)) <= console.width:
            break
    if left_out > 0:
        rows.insert(half, ["..."] * len(heads))
    lines = [[words(head, "dim") for head in heads], *([words(cell) for cell in row] for row in rows)]
    grid(console, lines, [0] * len(heads))
    if left_out > 0:
        block(console, f"{len(table.rows)} rows; --csv writes all of them", space=False, style="dim")
    return [cell for row in rows for cell in row]


def _with_fraction(cell: Any, column: TableColumn) -> str:
    """A number of a list: its fraction too, where that is short."""
    exact = cell.get("exact") if isinstance(cell, dict) else cell
    digits = _text(cell, LIST_PLACES, column)
    if isinstance(exact, str) and numbers.is_fraction(exact) and len(exact) <= LONGEST_FRACTION:
        return f"{exact} = {digits}"
    return digits


def _text(cell: Any, places: int, column: TableColumn) -> str:
    """The digits that are certain, then dots; a rounded number, a word or a formula as it is."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) or column.rounded:
        number = numbers.decimal(cell)
        return "-" if number is None else _shown(numbers.rounded_digits(number, min(places, ROUNDED_PLACES)))
    try:
        lower, upper = numbers.outward(cell)
    except ValueError:
        return to_unicode(str(cell))
    return _shown(numbers.best_digits(lower, upper, places))


def _shown(digits: numbers.Digits) -> str:
    """Digits left off show as dots."""
    latex = digits.latex.replace("...", r"\ldots ")
    return to_unicode(f"${latex}$")
