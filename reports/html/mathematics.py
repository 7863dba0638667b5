"""Marked text as HTML: words escaped, formulas as MathML."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

from reports.html.mathml import UnreadableError, mathml
from reports.latex.display import inline
from reports.text.marked import Kind, Piece, pieces, visible
from reports.text.summary import to_unicode


def marked(text: str, large: bool = False) -> Markup:
    """A statement, detail or argument: formulas in ``$``, names of the command line in backquotes.

    large: with fractions at full size.
    """
    return Markup("").join(_piece(piece, large) for piece in pieces(text))


def plain(text: str) -> str:
    """The same in plain characters, for titles and descriptions."""
    return to_unicode(text)


def argument(text: str) -> Markup:
    """The proof of a claim: paragraphs; what is indented is a line of its own."""
    blocks = [block for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    return Markup("\n").join(map(_block, blocks))


def _block(block: str) -> Markup:
    lines = block.splitlines()
    if not all(line.startswith("    ") for line in lines):
        return Markup("<p>{}</p>").format(marked(" ".join(block.split())))
    rows = Markup("<br>\n").join(marked(line.strip()) for line in lines)
    return Markup('<p class="lines">{}</p>').format(rows)


def _piece(piece: Piece, large: bool) -> Markup:
    if piece.kind is Kind.FORMULA:
        parts = (formula(part, large=large and r"\frac" in part) for part in inline(piece.text))
        return Markup("").join(parts)
    if piece.kind is Kind.CODE:
        return Markup("<code>{}</code>").format(visible(piece.text))
    return escape(visible(piece.text))


@lru_cache(maxsize=4096)
def formula(latex: str, block: bool = False, large: bool = False) -> Markup:
    """LaTeX without delimiters as MathML; what cannot be read is shown as it is written."""
    try:
        return Markup(mathml(latex, block=block, large=large))
    except UnreadableError:
        return Markup('<code class="unread">{}</code>').format(visible(latex))
