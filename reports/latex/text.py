"""Text and numbers of a result as LaTeX that any engine reads: plain ASCII, nothing taken literally."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import Any

from reports.results import LawRecord
from reports.text.marked import Kind, Piece, pieces, visible
from reports.text.numbers import bounds, certain_digits, decimal, rounded_digits
from reports.text.summary import law_name, short_id, shorten, to_unicode
from reports.text.unicode_math import SYMBOLS

TABLE_PLACES = 17
PAIR_PLACES = 6
MAX_CELL = 60
# A fraction with more characters is rounded, to so many digits.
MAX_RATIONAL = 20
ABOUT = 9
# A longer list of numbers that are not whole is given by its ends.
MAX_LIST = 5
# Words and runs of letters up to this length are never broken.
LONG_WORD = 24

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "{}$&#%_"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}
_TYPOGRAPHY = {
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "\u00a0": "~",
    "…": r"\dots{}",
}
_MATH = {
    char: f"\\{name}" for name, char in reversed(SYMBOLS.items()) if not char.isascii() and name.isalpha()
}
_MATH |= {
    "‖": r"\Vert",
    "−": "-",
    "⁻": "^{-}",
    "𝔼": r"\mathbb{E}",
    "√": r"\surd",
    "°": r"^\circ",
    "½": r"\tfrac12",
}
_MATH |= {char: f"^{digit}" for digit, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}
_MATH |= {char: f"_{digit}" for digit, char in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030b\u030c\u0327", "`'^~=.\"rHvc", strict=True)
)
_SUBJECTS = {
    "squared_norm": [r"\lVert m\rVert^2"],
    "norm": [r"\lVert m\rVert"],
    "factors": [rf"s_{{{j}}}" for j in range(1, 100)],
}
_NOTATION = {
    "alpha_plus_beta": r"$\alpha+\beta$",
    "alpha_unsquared": r"$\alpha^*$ of the unsquared norm",
    "balanced": "first-order term is 0",
    "bayes_risk": "Bayes risk",
    "lsa_risk": "LSA risk",
    "first_T": "least $T$",
    "loss_plane_depth": "depth of the loss plane",
}
_WEIGHTS = {"alpha", "beta", "kappa", "rho", "epsilon", "lambda", "zeta", "ell"}
OVERFLOW = r"\textit{overflow}"


def escape(text: str, unbroken: int = LONG_WORD) -> str:
    """Plain text from a user or a program; in words longer than `unbroken` a line may end."""
    words = re.split(r"(\s+)", visible(text.replace("\n", " ")))
    # Two hyphens or commas in a row would be set as another sign.
    return re.sub(r"([-,])(?=\1)", r"\1{}", "".join(_breakable(word, unbroken) for word in words))


def prose(statement: str) -> str:
    """A marked text; see `reports.text.marked`."""
    return "".join(map(_piece, pieces(statement)))


def claimed(statement: str) -> str:
    """A statement with its fractions at full size."""
    return "".join(
        rf"$\displaystyle {formula(piece.text)}$"
        if piece.kind is Kind.FORMULA and r"\frac" in piece.text
        else _piece(piece)
        for piece in pieces(statement)
    )


def argument(text: str) -> str:
    """The proof of a claim, a marked text: paragraphs; what is indented is displayed."""
    blocks = [block for block in re.split(r"\n[ \t]*\n", text) if block.strip()]
    return "\n\n".join(map(_block, blocks))


def _block(block: str) -> str:
    lines = block.splitlines()
    if not all(line.startswith("    ") for line in lines):
        return prose(" ".join(block.split()))
    rows = [rf"\fitted{{{prose(line.strip())}}}" for line in lines]
    return "\\begin{center}\n" + " \\\\\n".join(rows) + "\n\\end{center}"


def formula(latex: str) -> str:
    r"""A formula in ASCII; ``%`` and ``#`` mean themselves, α means ``\alpha``."""
    guarded = re.sub(r"(?<!\\)([%#])", r"\\\1", latex)
    return "".join(char if char.isascii() else _beyond_ascii(char) for char in guarded)


def bare(latex: str) -> str:
    """For inside of a formula: what is one already, or words."""
    inside = latex[1:-1]
    return inside if latex == f"${inside}$" and "$" not in inside else rf"\text{{{latex}}}"


def equation(name: str, value: str) -> str:
    """What a symbol or a quantity named in words is: ``$T_0 = 5$``, ``gap: $1/10$``."""
    if not name.startswith("$"):
        return f"{name}: {value}"
    relation = "" if value.startswith(r"$\approx") else "= "
    return f"${bare(name)} {relation}{bare(value)}$"


def _piece(piece: Piece) -> str:
    if piece.kind is Kind.PLAIN:
        # Before a number a hyphen is a minus sign.
        return escape(re.sub(r"(?<![^\s(\[])-(?=\d)", "\N{MINUS SIGN}", piece.text))
    if piece.kind is Kind.CODE:
        return rf"\texttt{{{escape(piece.text)}}}"
    return f"${formula(piece.text)}$"


def law(record: LawRecord) -> str:
    """What the law is of, its text, and the support of s over {s > 0}."""
    subjects = _SUBJECTS.get(record.kind, ["s"] * len(record.texts))
    if record.kind == "modalities":
        names = ("v", "r") if len(record.texts) == 2 else [f"v_{i + 1}" for i in range(len(record.texts))]
        subjects = [rf"\lVert {name}\rVert^2" for name in names]
    pairs = zip(subjects, record.texts, strict=False)
    laws = ", ".join(rf"${subject} \sim {{}}${escape(law_name(text))}" for subject, text in pairs)
    if record.m_lo is None:
        return f"{laws}; $s = 0$ almost surely"
    ends = [equation(r"$m_{\mathrm{lo}}$", number(record.m_lo))]
    ends.append("unbounded" if record.m_hi is None else equation(r"$m_{\mathrm{hi}}$", number(record.m_hi)))
    if record.mass_at_zero != "0":
        ends.append(equation(r"$\mathbb{P}(s = 0)$", number(record.mass_at_zero)))
    return f"{laws}; {', '.join(ends)}"


def heading(latex: str) -> str:
    """A title: LaTeX on the page, plain text in the outline of the PDF."""
    return rf"\texorpdfstring{{{prose(latex)}}}{{{outline(latex)}}}"


def outline(latex: str) -> str:
    """A title as plain text, for the outline and the properties of the PDF."""
    return "".join(
        _SPECIAL.get(char, char) if char.isascii() else rf"\unichar{{{ord(char)}}}"
        for char in to_unicode(latex)
    )


def title(id: str) -> str:
    """The short id of a claim in words: ``best_depth_T`` is Best depth $T$."""
    first, *rest = short_id(id).split("_")
    words = [f"{first[:1].upper()}{first[1:]}", *rest]
    return " ".join(f"${word}$" if re.fullmatch("[A-Z]", word) else escape(word) for word in words)


def number(value: Any, places: int = TABLE_PLACES) -> str:
    """A number of a result: certain digits, an exact rational, a mean with its interval; else its text."""
    if value is None:
        return "---"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _exact(value, places)
    if isinstance(value, list):
        inner = [
            f"[{number(item, PAIR_PLACES)}]" if isinstance(item, list) else number(item, places)
            for item in value
        ]
        cut = len(inner) > MAX_LIST and not all(isinstance(item, int) for item in value)
        return ", ".join([*inner[:2], r"$\dots$", *inner[-2:]] if cut else inner)
    if isinstance(value, float):
        found = decimal(value)
        return OVERFLOW if found is None else f"${rounded_digits(found).latex}$"
    if isinstance(value, dict) and "mean" in value:
        level = f"{100 * value['confidence']:g}\\%, ${value['samples']}$ samples"
        if None in (value["mean"], value["low"], value["high"]):
            return f"{OVERFLOW} ({level})"
        mean, low, high = (number(value[key]) for key in ("mean", "low", "high"))
        return f"{mean} in [{low}, {high}] ({level})"
    if isinstance(value, dict) and value.get("exact") is not None:
        return _exact(str(value["exact"]), places)
    if isinstance(value, dict) and "lower" not in value:
        return escape(", ".join(f"{key}: {item}" for key, item in value.items()))
    ends = bounds(value)
    return OVERFLOW if ends is None else f"${certain_digits(*ends, places=places).latex}$"


def symbol(name: str) -> str:
    r"""The notation for a key of a result: ``alpha_star`` is $\alpha^*$, ``T0`` is $T_0$, a word stays."""
    if name in _NOTATION:
        return _NOTATION[name]
    parts = re.fullmatch(r"([A-Za-z]|[a-z]+?)_?(\d+|[A-Z]|star|)", name)
    if parts is None or (len(parts[1]) > 1 and parts[1] not in _WEIGHTS):
        return escape(name.replace("_", " "))
    letter = f"\\{parts[1]}" if len(parts[1]) > 1 else parts[1]
    mark = {"": "", "star": "^*"}.get(parts[2], f"_{{{parts[2]}}}")
    return f"${letter}{mark}$"


def _exact(text: str, places: int) -> str:
    """A decimal or rational as it stands, rounded if it is too long to print; else plain text."""
    if not re.fullmatch(r"[+-]?(\d+(/\d+)?|\d*\.\d+)([eE][+-]?\d+)?", text):
        return escape(shorten(law_name(text), MAX_CELL))
    found = decimal(text)
    if found is None:
        return OVERFLOW
    if "/" in text and len(text) <= min(places, MAX_RATIONAL):
        return f"${text}$"
    if "/" in text:
        terminates = Fraction(found) == Fraction(text) and len(found.normalize().as_tuple().digits) <= places
        if not terminates:
            return rf"$\approx {rounded_digits(found, min(places, ABOUT)).latex}$"
    return f"${certain_digits(found, found, places).latex}$"


def _breakable(word: str, unbroken: int) -> str:
    """A word, escaped; if it is long, a line may end after its signs and in its long runs of letters."""
    if len(word) <= unbroken:
        return "".join(map(_escaped, word))
    pieces = re.findall(rf"[^\W_]{{1,{LONG_WORD}}}[\W_]?|[\W_]", word)
    return r"\allowbreak{}".join("".join(map(_escaped, piece)) for piece in pieces)


def _escaped(char: str) -> str:
    if char.isspace():
        return " "
    return _SPECIAL.get(char, char) if char.isascii() else _beyond_ascii(char)


def _beyond_ascii(char: str) -> str:
    """Mathematics, typography and accented letters as commands; other scripts by their code."""
    if char in _TYPOGRAPHY:
        return _TYPOGRAPHY[char]
    if char in _MATH:
        return rf"\ensuremath{{{_MATH[char]}}}"
    base, *marks = list(unicodedata.normalize("NFD", char))
    if base.isascii() and len(marks) == 1 and marks[0] in _ACCENTS:
        return rf"\{_ACCENTS[marks[0]]}{{{base}}}"
    return f"[U+{ord(char):04X}]"
