r"""Statements as they are written in the theorem files, split into words and formulas.

Three ways of writing are understood: LaTeX with formulas in ``$``; a formula with words in
``\text{}`` or bare; and plain words with ASCII notation such as ``alpha_T -> alpha*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a piece of a statement is to be read."""

    PLAIN = "characters that mean themselves"
    WORDS = "LaTeX outside of formulas"
    FORMULA = "LaTeX of a formula"


@dataclass(frozen=True)
class Piece:
    """Part of a statement; spaces around formulas belong to the words beside them."""

    kind: Kind
    text: str


_DOLLAR = re.compile(r"(?<!\\)\$")
_TEXT_COMMAND = re.compile(r"\\text\{([^{}]*)\}")
_BARE_WORDS = re.compile(r"(?<![\\_^A-Za-z])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,})*(?![A-Za-z_^({])")
# Of two letters in a row, these are words and the others products of symbols.
_WORD = re.compile(r"\b(?:[A-Za-z][a-z]{2,}|an|as|at|by|if|in|is|no|of|on|or|to|we)\b")
_OPENING = re.compile(r"\\left\b|\\begin\b|\\\{|(?<!\\)[{(\[]")
_CLOSING = re.compile(r"\\right\b|\\end\b|\\\}|(?<!\\)[})\]]")
_GREEK = {
    **{name: rf"\{name}" for name in ("alpha", "beta", "gamma", "delta", "zeta", "kappa", "rho", "mu")},
    **{name: rf"\{name}" for name in ("lambda", "Lambda", "epsilon")},
    "lam": r"\lambda",
    "eps": r"\epsilon",
}
_RELATIONS = {"->": r"\to", "<=": r"\le", ">=": r"\ge"}
_NOTATION = re.compile(
    rf"""(?P<quoted>"[^"]*"|'[^']*')
    |    (?P<relation>->|<=|>=)
    |    (?<![\w\\])
         (?:\|\|(?P<norm>\w)\|\||(?P<greek>{"|".join(_GREEK)})|(?P<letter>[A-Za-z]))
         (?:_(?P<sub>\w+|\([^()]*\)))?(?P<star>\*(?!\w))?(?:\^(?P<sup>\w+|\([^()]*\)))?(?!\w)""",
    re.VERBOSE,
)


def pieces(statement: str) -> list[Piece]:
    """The statement of a theorem, hypothesis, claim, step or assumption."""
    if _DOLLAR.search(statement):
        parts = _DOLLAR.split(statement)
        found = [Piece(Kind.FORMULA if i % 2 else Kind.WORDS, part) for i, part in enumerate(parts)]
    elif "\\" in statement:
        found = list(_formula_with_words(statement))
    else:
        found = list(notation(statement))
    return [piece for piece in found if piece.text]


def notation(text: str) -> Iterator[Piece]:
    """Plain text with its ASCII notation as formulas; what stands in quotes is left alone."""
    end = 0
    for match in _NOTATION.finditer(text):
        formula = _notation_formula(match)
        if formula:
            yield Piece(Kind.PLAIN, text[end : match.start()])
            yield Piece(Kind.FORMULA, formula)
            end = match.end()
    yield Piece(Kind.PLAIN, text[end:])


def _notation_formula(match: re.Match[str]) -> str:
    """LaTeX of one symbol or relation; empty where it is a word."""
    found = match.groupdict()
    if found["quoted"]:
        return ""
    if found["relation"]:
        return _RELATIONS[found["relation"]]
    marks = [found["sub"], found["star"], found["sup"]]
    if found["letter"] and not any(marks):
        return ""
    base = rf"\lVert {found['norm']}\rVert" if found["norm"] else _GREEK.get(found["greek"], found["letter"])
    sub, sup = (mark.strip("()") if mark else "" for mark in (found["sub"], found["sup"]))
    sub = rf"\mathrm{{{sub}}}" if len(sub) > 1 and sub.isalpha() else sub
    raised = ("*" if found["star"] else "") + sup
    return base + (f"_{{{sub}}}" if sub else "") + (f"^{{{raised}}}" if raised else "")


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
