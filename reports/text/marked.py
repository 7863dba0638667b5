r"""Texts of theorem files and results: words, formulas in dollars, names of the command line in backquotes.

So ``$\alpha_T \to \alpha^*$`` is a formula, ``\$`` a dollar and ``\``` a backquote.  What is outside of
marks is words: nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a piece of a text is to be read."""

    PLAIN = "characters that mean themselves"
    CODE = "a name of the command line"
    FORMULA = "LaTeX of a formula"


@dataclass(frozen=True)
class Piece:
    """Part of a text; spaces around formulas belong to the words beside them."""

    kind: Kind
    text: str


_INVISIBLE = {"Cc", "Cf", "Cs", "Cn"}
_MARKED = re.compile(r"\\(?P<mark>[$`\\])|\$(?P<formula>(?:\\.|[^$\\])+)\$|`(?P<code>[^`]+)`", re.DOTALL)


def pieces(text: str) -> list[Piece]:
    """The words, names and formulas of a text; a mark without its partner means itself."""
    found: list[Piece] = []
    words, end = "", 0
    for match in _MARKED.finditer(text):
        words += text[end : match.start()]
        end = match.end()
        if match["mark"]:
            words += match["mark"]
            continue
        found += [Piece(Kind.PLAIN, words)] if words else []
        words = ""
        found.append(
            Piece(Kind.FORMULA, match["formula"]) if match["formula"] else Piece(Kind.CODE, match["code"])
        )
    words += text[end:]
    return [*found, Piece(Kind.PLAIN, words)] if words else found


def visible(text: str) -> str:
    """`text` with control characters, which a terminal would obey, replaced by U+FFFD."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(char) in _INVISIBLE else char for char in text)


def plain(text: str) -> str:
    """A user's or a program's text, fit to stand in a marked one: there it means itself."""
    return re.sub(r"([$`\\])", r"\\\1", text)


def as_formula(text: str) -> str:
    """A marked text as part of a formula."""
    return "".join(
        piece.text if piece.kind is Kind.FORMULA else rf"\text{{{piece.text}}}" for piece in pieces(text)
    )


def in_case(words: str, case: Mapping[str, str]) -> str:
    """The sentence about one case: ``the flow from $0$ rises, $T = 8$``."""
    after = [f"${name} = {value}$" for name, value in case.items() if f"{{{name}}}" not in words]
    for name, value in case.items():
        words = words.replace(f"{{{name}}}", value)
    return ", ".join([words, *after])
