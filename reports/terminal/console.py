"""Text on a terminal, or plain where there is none: in what it can show, as wide as it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from reports.results import RunResult, TheoremResult, Verdict
from reports.text import summary
from reports.text.summary import to_unicode

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.text import Text

PLAIN_WIDTH = 110
STYLES = {
    Verdict.VERIFIED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}


def print_closing(result: TheoremResult | RunResult, file: IO[str] | None = None) -> None:
    """Print the closing line to `file` (standard output)."""
    open_console(file).print(words(to_unicode(summary.closing_line(result)), STYLES[result.verdict]))


@dataclass(frozen=True)
class Words:
    """Texts with their styles, on one line; spelled out where the stream cannot show mathematics.

    User text may hold Rich's markup or terminal codes; neither is obeyed.
    """

    parts: tuple[tuple[str, str], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield self._shown(options.encoding)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        return Measurement.get(console, options, self._shown(options.encoding))

    def _shown(self, encoding: str) -> Text:
        from rich.text import Text

        return Text.assemble(*((summary.showable(text, encoding), style) for text, style in self.parts))


def words(text: str, style: str = "") -> Words:
    """One text in one style."""
    return Words(((text, style),))


class _Encodable:
    """Writes to a stream of any encoding; what it cannot encode becomes a question mark.

    Rich pads table cells with spaces; those at the end of a line go where nobody sees a table.
    """

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        if not self.isatty():
            text = re.sub(r" +$", "", text, flags=re.MULTILINE)
        return self.stream.write(text.encode(self.encoding, "replace").decode(self.encoding))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()


def open_console(file: IO[str] | None = None) -> Console:
    """A console on `file` (standard output), whatever its encoding; no markup, colour on a terminal only."""
    from rich.console import Console

    stream = sys.stdout if file is None else file
    encodable: IO[str] = _Encodable(stream)  # type: ignore[assignment]
    width = None if stream.isatty() else PLAIN_WIDTH
    return Console(file=encodable, width=width, markup=False, highlight=False, emoji=False)


def heading(console: Console, title: str, source: str) -> None:
    """A title, and where it is from."""
    parts = [(to_unicode(title), "bold")] + ([(f"  ({to_unicode(source)})", "dim")] if source else [])
    console.print(Words(tuple(parts)))
    console.print()


def block(console: Console, text: str, indent: int = 2, *, space: bool = True, style: str = "") -> None:
    """An indented paragraph, if there is any text; `space`: and a line below it."""
    from rich.padding import Padding

    if text:
        console.print(Padding(words(text, style), (0, 0, 1 if space else 0, indent)))


def bullets(console: Console, title: str, texts: Sequence[str]) -> None:
    """A section of paragraphs, each behind a dash."""
    section(console, title, [[words("-"), words(to_unicode(text))] for text in texts])


def section(console: Console, title: str, rows: Sequence[Sequence[RenderableType]]) -> None:
    """A title and a table without lines; all but the longest columns keep their width."""
    if rows:
        console.print(words(title, "bold"))
        grid(console, rows, [0] * len(rows[0]))
        console.print()


def grid(console: Console, rows: Sequence[Sequence[RenderableType]], widths: Sequence[int]) -> None:
    """Indented rows of cells, columns of these widths (0: as wide as they need) two spaces apart."""
    from rich.table import Table

    *others, last = widths
    left = console.width - 2 - sum(width + 2 for width in others)
    known = all(others) and left > 0
    # Where all widths are known Rich need neither measure nor pad each cell.
    table = Table.grid(padding=(0, 0 if known else 2, 0, 0), pad_edge=False)
    table.add_column(width=2 if known else 0)
    for width in others:
        table.add_column(overflow="fold", width=width + 2 if known else width or None)
    table.add_column(overflow="fold", width=last or (left if known else None))
    for row in rows:
        table.add_row("", *row)
    console.print(table)
