"""empirical("file.csv", column="name"): every row of a column of a CSV file, with equal masses."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from numerics.laws.base import Atoms, LawError, SourceFile, quoted
from numerics.laws.family import NOT_FINITE, BaseLaw, Family, Parameter, read_decimal

MAX_BYTES = 64 * 2**20
SKIP = "skip"
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}

Row = tuple[int, list[str]]


def build(path: str, column: str | None, missing: str | None) -> BaseLaw:
    """The law of the observed values: UTF-8, comma-separated, exact decimals, blank lines ignored.

    column:  its name in the first line; may be left out where there is one column, with or without a name.
    missing: "skip" leaves out the rows whose cell is empty, which are an error else.
    Raises LawError where the file cannot be read that way.
    """
    if missing not in (None, SKIP):
        raise LawError(
            f"the parameter missing of empirical is {quoted(missing)}: it can only be {quoted(SKIP)}"
        )
    data = _read(path)
    cells = _cells(path, data, column)
    numbers = [_number(path, line, cell) for line, cell in cells if cell or missing is None]
    if not numbers:
        raise LawError(f"{quoted(path)} has no values: it must have at least one")
    lowest = min(shift for _, shift in numbers)
    counts = Counter(digits * 10 ** (shift - lowest) for digits, shift in numbers)
    numerator, denominator = 10 ** max(lowest, 0), 10 ** max(-lowest, 0)
    masses = {count: Fraction(count, len(numbers)) for count in set(counts.values())}
    values = sorted(counts)
    atoms = Atoms(
        tuple(Fraction(value * numerator, denominator) for value in values),
        tuple(masses[counts[value]] for value in values),
    )
    import hashlib

    return BaseLaw((atoms,), (SourceFile(path, hashlib.sha256(data).hexdigest(), len(numbers)),))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise LawError(f"{quoted(path)} cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise LawError(f"{quoted(path)} is over {MAX_BYTES // 2**20} MB: it must be smaller")
    return data


def _rows(path: str, data: bytes) -> Iterator[Row]:
    """The lines that are not blank, as cells, each with its number."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LawError(f"{quoted(path)}, line {line}: not UTF-8 text") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            # A blank line has no cell, or one of spaces; a missing value alone in its line is "", of nothing.
            if row and (len(row) > 1 or not row[0] or row[0].strip()):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise LawError(f"{quoted(path)}, line {reader.line_num}: {error}") from None


def _cells(path: str, data: bytes, column: str | None) -> Iterator[tuple[int, str]]:
    """The cells of the column, each with its line."""
    rows = _rows(path, data)
    first = next(rows, None)
    if first is None:
        raise LawError(f"{quoted(path)} is empty: it must have at least one value")
    line, header = first
    if column is None:
        index, width = 0, 1
        if len(header) > 1:
            raise LawError(f"{quoted(path)} has {len(header)} columns: name one with column={_names(header)}")
        if _is_value(header[0]):
            yield line, header[0]
    else:
        index, width = _index(path, header, column), len(header)
        if all(map(_is_value, header)):
            raise LawError(
                f"{quoted(path)}, line 1: numbers where the names of the columns must be: add a line of names"
            )
    for line, row in rows:
        if len(row) != width:
            raise LawError(
                f"{quoted(path)}, line {line}: it has {len(row)} cells where there must be {width}"
            )
        yield line, row[index]


def _index(path: str, header: list[str], column: str) -> int:
    found = [i for i, name in enumerate(header) if name == column]
    if not found:
        other = next((mark for mark in OTHER_SEPARATORS if len(header) == 1 and mark in header[0]), None)
        if other is not None:
            raise LawError(f"{quoted(path)} has {OTHER_SEPARATORS[other]} between its columns: write commas")
        raise LawError(f"{quoted(path)} has no column {quoted(column)}: its first line has {_names(header)}")
    if len(found) > 1:
        raise LawError(f"{quoted(path)} has {len(found)} columns {quoted(column)}: names must differ")
    return found[0]


def _names(header: list[str]) -> str:
    return ", ".join(quoted(name) for name in header[:10]) + (", ..." if len(header) > 10 else "")


def _is_value(cell: str) -> bool:
    """Whether the first line of a single column is meant as a value, right or wrong, and not as its name."""
    word = cell.lstrip("+-")
    return word.lower() in NOT_FINITE or word[:1] in tuple(".0123456789")


def _number(path: str, line: int, cell: str) -> tuple[int, int]:
    try:
        digits, shift = read_decimal(cell[1:] if cell[:1] in ("+", "-") else cell)
    except LawError:
        if not cell:
            hint = f'missing="{SKIP}" leaves such rows out'
            raise LawError(f"{quoted(path)}, line {line}: the value is missing; {hint}") from None
        raise LawError(
            f"{quoted(path)}, line {line}: {quoted(cell)} is not a decimal number in range"
        ) from None
    if digits and cell[0] == "-":
        raise LawError(f"{quoted(path)}, line {line}: {cell} is negative, which no norm or square is")
    return digits, shift


FAMILY = Family(
    "empirical",
    (
        Parameter("path", "text"),
        Parameter("column", "text", required=False),
        Parameter("missing", "text", required=False),
    ),
    build,
    example='empirical("norms.csv", column="norm")',
    note="observed values",
)
