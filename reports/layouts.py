"""How a theorem wants its numbers shown: the columns of a table, and where each is found in the result."""

from __future__ import annotations

import msgspec


class TableColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column: numbers that a claim left, one a row.

    claim, source: the claim (short id), and its value or series of that name: a single number, a list of
                   records, or a series.
    label: its heading, in words and `$`LaTeX`$`; `note` says what it is, in a few words.
    y:     the column of the source, or two that are the ends of an interval; without it the ends `lower`
           and `upper`, or the single number itself.
    minus: the value of the claim that is taken off.
    where: only rows in which these columns have these values.
    rounded: its numbers are rounded texts, and no bounds.
    name:  what it is called where a machine reads it; made of the source, if not given.
    """

    claim: str
    source: str
    label: str
    note: str = ""
    y: list[str] = []
    minus: str = ""
    where: dict[str, str] = {}
    rounded: bool = False
    name: str = ""

    @property
    def quantity(self) -> str:
        """Its name for machines."""
        of = self.y[0] if len(self.y) == 1 else self.source
        return self.name or (f"{of}_minus_{self.minus}" if self.minus else of)


class TableLayout(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table, whose rows are joined by the columns `rows`; without any, one row of single numbers.

    note: what to know of it, in a sentence.
    """

    name: str
    columns: list[TableColumn]
    rows: list[str] = []
    heading: str = ""
    note: str = ""
