"""Mathematics in letters that every terminal can show: alpha for α, <= for ≤, ||m||^2 for ‖m‖²."""

from __future__ import annotations

import re
import unicodedata

from reports.text.unicode_math import SUBSCRIPTS, SUPERSCRIPTS, SYMBOLS

SAMPLE = "αΛ𝔼‖ᵀ≤→⁻₀√"
"""What a terminal that shows mathematics can encode."""

# The first name of a letter is the common one: epsilon before varepsilon.
_LETTERS = {char: name for name, char in reversed(SYMBOLS.items()) if "GREEK" in unicodedata.name(char, "")}
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
_UP = {char: plain for plain, char in SUPERSCRIPTS.items() if char != plain} | {"ᵀ": "tr"}
_DOWN = {char: plain for plain, char in SUBSCRIPTS.items() if char != plain}
_PART = re.compile(f"(?P<up>[{''.join(_UP)}]+)|(?P<down>[{''.join(_DOWN)}]+)|(?P<char>.)", re.DOTALL)


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
    for match in _PART.finditer(_marks_apart(text)):
        part = match[0]
        if part in _MARKS:
            written += _MARKS[part]
            continue
        spelled = _LETTERS.get(part) or _SIGNS.get(part) or _script(part, str(match.lastgroup))
        name = spelled != part and spelled[-1].isalpha()
        touches = written[-1:].isalnum() and spelled[0].isalnum()
        written += f" {spelled}" if touches and (name or after_name) else spelled
        after_name = name
    return written


def _marks_apart(text: str) -> str:
    """A letter under a hat as two characters; those under an accent are of languages."""
    pairs = (unicodedata.normalize("NFD", char) for char in text)
    return "".join(pair if pair[1:] == "\u0302" else char for char, pair in zip(text, pairs, strict=True))


def _script(part: str, kind: str) -> str:
    """An exponent or index in a line; anything else as it is."""
    if kind == "char":
        return part
    mark, table = ("^", _UP) if kind == "up" else ("_", _DOWN)
    plain = "".join(table[char] for char in part)
    alone = re.fullmatch(r"-?\d+|[a-z]|tr", plain)
    return mark + (plain if alone else f"({plain})")
