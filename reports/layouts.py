"""How a theorem wants its numbers shown: what is drawn, what is in a table, where each is in the result."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

# A part of a file's name, which a result from elsewhere does not lead out of its folder.
FigureName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]+(?!\n)$")]


class FigurePart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A series of a claim as a theorem wants it drawn; parts of one figure are put together.

    figure, panel: where it goes; parts of several theorems may go to one place.
    kind:    `lines` and `intervals` (y: one column, or two ends) over x; `level`, a value of the claim at any
             x (y: its key); `heatmap`, level sets of y[1] over (x, y[0]); `plane`, the points (x, y[0]).
    by:      for `plane`, the column that tells the points apart: a word for each kind of point, or the
             number or text of an orbit, whose points are joined.
    scale, x_scale: `linear` or `log`; a log y axis shows the absolute value.
    minus:   the key of a value of the claim that is taken off y.
    curve:   the quantity; of the parts of a panel that draw the same one, the fullest stays.
    label:   in the legend, or beside a level; LaTeX's mathematics in `$`, as in all texts here.
    zoom:    shown a second time up to this x, if there is more.
    caption, heading: what there is to see of this part, and of the figure as a whole.
    each:    a panel for each value of this column; `only` is that value, and set by nobody else.
    title:   of the panel; `{key}` stands for a value of the claim.
    optional: its claim may be verified and leave nothing to draw, for some laws.
    """

    figure: FigureName
    claim: str
    series: str = ""
    kind: Literal["lines", "intervals", "level", "heatmap", "plane"] = "lines"
    x: str = ""
    y: list[str] = []
    scale: Literal["linear", "log"] = "linear"
    x_scale: Literal["linear", "log"] = "linear"
    by: str = ""
    minus: str = ""
    curve: str = ""
    label: str = ""
    x_label: str = ""
    y_label: str = ""
    caption: str = ""
    heading: str = ""
    title: str = ""
    panel: str = ""
    zoom: float | None = None
    each: str = ""
    only: str = ""
    optional: bool = False


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
    optional: its claim may be verified and leave none of it, for some laws.
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
    optional: bool = False

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
