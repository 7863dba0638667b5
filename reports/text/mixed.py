r"""Statements as they are written in the theorem files, split into words and formulas.

Three ways of writing are understood: LaTeX with formulas in ``$``; a formula with words in
``\text{}`` or bare; and plain words with ASCII notation such as ``alpha_T -> alpha*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from reports.text.notation import Kind, Piece, notation

_DOLLAR = re.compile(r"(?<!\\)\$")
_TEXT_COMMAND = re.compile(r"\\text\{([^{}]*)\}")
_BARE_WORDS = re.compile(r"(?<![\\_^A-Za-z])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,})*(?![A-Za-z_^({])")
# Of two letters in a row, these are words and the others products of symbols.
_WORD = re.compile(r"\b(?:[A-Za-z][a-z]{2,}|an|as|at|by|if|in|is|no|of|on|or|to|we)\b")
_OPENING = re.compile(r"\\left\b|\\begin\b|\\\{|(?<!\\)[{(\[]")
_CLOSING = re.compile(r"\\right\b|\\end\b|\\\}|(?<!\\)[})\]]")


def pieces(statement: str) -> list[Piece]:
    """The statement of a theorem, hypothesis, claim, step or assumption."""
    if _DOLLAR.search(statement):
        parts = _DOLLAR.split(statement)
        found = [
            piece
            for i, part in enumerate(parts)
            for piece in ([Piece(Kind.FORMULA, part)] if i % 2 else _words_and_names(part))
        ]
    elif "\\" in statement:
        found = list(_formula_with_words(statement))
    else:
        found = list(notation(statement))
    return [piece for piece in found if piece.text]


def _words_and_names(text: str) -> list[Piece]:
    """Words with names of the command line in backquotes."""
    return [Piece(Kind.CODE if i % 2 else Kind.WORDS, part) for i, part in enumerate(text.split("`"))]


def _formula_with_words(statement: str) -> Iterator[Piece]:
    r"""A formula cut at ``\text{}`` and at bare words, outside of brackets."""
    end = 0
    for start, stop, words in sorted(_words_outside_brackets(statement)):
        if start >= end:
            yield from _formula(statement[end:start])
            yield Piece(Kind.WORDS, words)
            end = stop
    yield from _formula(statement[end:])


def _words_outside_brackets(statement: str) -> Iterator[tuple[int, int, str]]:
    for match in _TEXT_COMMAND.finditer(statement):
        if _depth(statement[: match.start()]) == 0:
            yield match.start(), match.end(), match[1]
    for match in _BARE_WORDS.finditer(statement):
        if _depth(statement[: match.start()]) == 0 and _WORD.search(match[0]):
            yield match.start(), match.end(), match[0]


def _depth(before: str) -> int:
    """How many brackets are open; half-open intervals close like others."""
    return len(_OPENING.findall(before)) - len(_CLOSING.findall(before))


def _formula(text: str) -> Iterator[Piece]:
    """A formula with the spaces and the punctuation around it as words."""
    body = text.strip()
    core = body.rstrip(":;,.")
    if not core:
        yield Piece(Kind.WORDS, text)
        return
    yield Piece(Kind.WORDS, text[: len(text) - len(text.lstrip())])
    yield Piece(Kind.FORMULA, core)
    yield Piece(Kind.WORDS, body[len(core) :] + text[len(text.rstrip()) :])
