"""Displayed formulas that fit on a line: broken at relations, then at sums."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reports.text.unicode_math import formula_to_unicode

# As many characters of a formula, as shown on a terminal, fit on a line of the report.
LINE = 72
SHORT_SIDE = 24
# What is no wider is kept together in a line of text.
NARROW = 30
# A side of a relation that would take more lines is left to the stored result.
MOST_LINES = 9
DEEPEST = 3
LEFT_OUT = r"\cdots\ \text{(written out in the stored result)}"

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
# In brackets a line can end; in a group of TeX it cannot.
_BRACKETS = ({"(", "[", r"\{"}, {")", "]", r"\}"})
_GROUPS = ({"{", r"\left", r"\begin"}, {"}", r"\right", r"\end"})
_RELATIONS = {
    "=",
    "<",
    ">",
    *(rf"\{name}" for name in ["le", "leq", "ge", "geq", "ne", "neq", "to", "approx", "sim", "equiv", "iff"]),
}
_SIGNS = {"+", "-"}
_SCRIPT = re.compile(r"[_^]\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_NEW_ROW = {r"\\"}


def display(formula: str) -> str:
    r"""The formula, or its parts one below the other in an ``aligned`` environment.

    formula: LaTeX without delimiters; with ``\\`` of its own, its rows are kept.
    """
    formula = formula.strip()
    if len(list(_pieces(formula, _NEW_ROW))) > 1:
        return _aligned([formula])
    if width(formula) <= LINE:
        return formula
    head, *tails = _pieces(formula, _RELATIONS)
    rows = []
    if tails and width(head) <= SHORT_SIDE:
        first, *rest = _wrapped(tails.pop(0))
        rows = [f"{head} & {first}", *(rf"& \qquad {line}" for line in rest)]
        indents = ("", r"\qquad ")
    else:
        first, *rest = _wrapped(head)
        rows = [f"& {first}", *(rf"& \qquad {line}" for line in rest)]
        indents = (r"\quad ", r"\qquad ")
    for tail in tails:
        first, *rest = _wrapped(tail)
        rows += [f"& {indents[0]}{first}", *(f"& {indents[1]}{line}" for line in rest)]
    return _aligned(rows)


def _aligned(rows: list[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def width(formula: str) -> int:
    """Characters side by side: a fraction is as wide as its longer part, a script half its size."""
    while (shorter := _FRACTION.sub(_longer, _SCRIPT.sub(_half, formula))) != formula:
        formula = shorter
    return len(formula_to_unicode(formula))


def _half(script: re.Match[str]) -> str:
    return "x" * -(-len(formula_to_unicode(script[1])) // 2)


def _longer(fraction: re.Match[str]) -> str:
    return max(fraction.groups(), key=lambda part: len(formula_to_unicode(part)))


def inline(formula: str) -> list[str]:
    """A formula in a line of text, in parts after which the line may end: relations, commas, then signs."""
    return [part for long in _ended(formula, _RELATIONS | {","}) for part in _ended(long, _SIGNS)]


def _ended(formula: str, marks: set[str]) -> list[str]:
    """The formula, if it is wide in parts that end with one of `marks` each."""
    if width(formula) <= NARROW:
        return [formula]
    parts: list[str] = []
    for piece in _pieces(formula, marks):
        mark = _TOKEN.match(piece)
        if parts and mark and mark[0] in marks:
            parts[-1] += mark[0]
            piece = piece[mark.end() :]
        parts.append(piece)
    return [part for part in parts if part.strip()]


def _wrapped(formula: str) -> list[str]:
    """Lines that fit, as far as breaking before the terms of a sum can do it, in brackets if need be."""
    if width(formula) > MOST_LINES * LINE:
        relation = next((name for name in _RELATIONS if formula.lstrip().startswith(name)), "")
        return [f"{relation} {LEFT_OUT}"]
    terms, depth = list(_pieces(formula, _SIGNS)), 0
    while max(map(width, terms)) > LINE and depth < DEEPEST and r"\frac" not in formula:
        # Brackets that grow have to close on their line.
        depth += 1
        fixed = formula.replace(r"\left", r"\bigl").replace(r"\right", r"\bigr")
        terms = list(_pieces(fixed, _SIGNS, within=depth))
    lines = [""]
    for term in terms:
        if lines[-1] and width(lines[-1] + term) > LINE:
            lines.append("")
        lines[-1] += term
    return lines


def _pieces(formula: str, marks: set[str], within: int = 0) -> Iterator[str]:
    """The formula cut before each of `marks` that stands between two operands, in so many brackets at most.

    In the groups of TeX, which are no brackets, it is never cut.
    """
    brackets, groups, piece = 0, 0, ""
    for token in _TOKEN.findall(formula):
        groups += (token in _GROUPS[0]) - (token in _GROUPS[1])
        brackets += (token in _BRACKETS[0]) - (token in _BRACKETS[1])
        inside = groups or brackets > within
        if not inside and token in marks and piece.strip() and piece.strip() not in _RELATIONS:
            yield piece
            piece = ""
        piece += token
    yield piece
