"""Mathematics in letters that every terminal can show: alpha for α, <= for ≤, ||m||^2 for ‖m‖²."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

SAMPLE = "αΛ𝔼‖ᵀ≤→⁻₀√"
"""What a terminal that shows mathematics can encode."""

_SIGNS = {
    char: plain
    for line in """
        ≤ <= ≥ >= ≠ != ≪ << ≫ >> ≈ ~= ≡ == ≃ ~= ∝ ~ ∈ in ∉ not-in ⊂ < ⊆ <= ∩ & ∪ u ⊥ _|_ ∅ {}
        → -> ⟶ --> ← <- ↦ |-> ↑ up ↓ down ⇒ => ⟹ ==> ⟺ <=> ⇔ <=> ↛ -/-> ∀ all ∃ some ¬ not ∧ and ∨ or ∖ minus
        ± +- ∓ -+ × x · * ∘ o ⊗ (x) ⊕ (+) ⋆ * − - – - — - ′ ' √ sqrt ∞ infinity ∂ d ∇ grad ∑ sum ∏ prod
        ∫ int ‖ || ⟨ < ⟩ > ⌊ [ ⌋ ] ⌈ [ ⌉ ] … ... ⋯ ... ℓ l □ [] ■ [] † + 𝔼 E ℕ N ℙ P ℝ R ℤ Z ℚ Q ℂ C 𝟙 1
        ℰ E ℒ L 𝒩 N
    """.splitlines()
    for char, plain in zip(line.split()[::2], line.split()[1::2], strict=True)
}
_MARKS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0307": "dot", "\u0308": "ddot"}
_MARKS |= {"\u20d7": "vec", "\u0338": "/"}
_SCRIPT = re.compile(r"<(super|sub)> ([0-9A-F]+)")
_GREEK = re.compile(r"GREEK (CAPITAL|SMALL) LETTER (.+)|GREEK (?:LUNATE )?(.+) SYMBOL")
_NAMES = {"lamda": "lambda", "final sigma": "sigma"}


def shows_mathematics(encoding: str) -> bool:
    """Whether a text of this encoding can hold the letters and signs of mathematics."""
    try:
        SAMPLE.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def spelled_out(text: str) -> str:
    """The text with its mathematics in ASCII; other characters stay as they are.

    A letter's name stands apart from letters and digits beside it: ``2 alpha lambda``.
    """
    written, after_name = "", False
    for kind, part in _parts(text):
        if part in _MARKS:
            written += _MARKS[part]
            continue
        spelled = _in_line(kind, part) if kind else _SIGNS.get(part) or _letter(part)
        name = spelled != part and spelled[-1].isalpha()
        touches = written[-1:].isalnum() and spelled[0].isalnum()
        written += f" {spelled}" if touches and (name or after_name) else spelled
        after_name = name
    return written


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Runs of exponents and of indices on the line, and single characters (of kind "")."""
    marked = ((match[1] if (match := _script(char)) else "", char) for char in _marks_apart(text))
    for kind, run in groupby(marked, key=itemgetter(0)):
        chars = [char for _, char in run]
        yield from [(kind, "".join(chars))] if kind else [("", char) for char in chars]


def _script(char: str) -> re.Match[str] | None:
    return _SCRIPT.fullmatch(unicodedata.decomposition(char))


def _marks_apart(text: str) -> str:
    """A letter under a hat as two characters; those under an accent are of languages."""
    pairs = (unicodedata.normalize("NFD", char) for char in text)
    return "".join(pair if pair[1:] == "\u0302" else char for char, pair in zip(text, pairs, strict=True))


def _in_line(kind: str, run: str) -> str:
    """An exponent or index: ``^2``, ``^(2n)``, ``_12``; the transpose is ``^tr``."""
    plain = "".join(chr(int(match[2], 16)) for char in run if (match := _script(char)))
    plain = "tr" if run == "ᵀ" else plain.replace("\N{MINUS SIGN}", "-")
    alone = re.fullmatch(r"-?\d+|[a-z]|tr", plain)
    return ("^" if kind == "super" else "_") + (plain if alone else f"({plain})")


def _letter(char: str) -> str:
    """The name of a Greek letter, with a capital if it is one; anything else as it is."""
    match = re.fullmatch(
        r"GREEK (CAPITAL|SMALL) LETTER (.+)|GREEK (?:LUNATE )?(.+) SYMBOL", unicodedata.name(char, "")
    )
    if match is None:
        return char
    name = (match[2] or match[3]).lower()
    name = _NAMES.get(name, name)
    return name.capitalize() if match[1] == "CAPITAL" else name
