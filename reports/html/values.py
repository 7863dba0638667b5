"""Numbers of a result, and its law, as HTML."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from markupsafe import Markup, escape

from reports.figures.style import CURVES
from reports.html.mathematics import formula, marked
from reports.latex.text import symbol
from reports.results import LawRecord
from reports.text.marked import visible
from reports.text.numbers import Digits, bounds, certain_digits, decimal, rounded_digits, shared_digits
from reports.text.summary import law_text, shorten

PLACES, MAX_CELL = 30, 200
OVERFLOW = Markup("<em>overflow</em>")
_NUMBER = re.compile(r"[+-]?(\d+(/\d+)?|\d*\.\d+)([eE][+-]?\d+)?")


def named(key: str) -> Markup:
    """The notation for a key of a result: ``alpha_star`` is α*, a word stays."""
    return marked(symbol(key))


def number(value: Any, places: int = PLACES) -> Markup:
    """A number of a result: certain digits, an exact rational, a mean with its interval; else its text."""
    if value is None:
        return Markup("–")
    if isinstance(value, bool):
        return Markup("yes" if value else "no")
    if isinstance(value, str | int):
        return _exact(str(value), places)
    if isinstance(value, list):
        return Markup(", ").join(
            Markup("[{}]").format(number(item)) if isinstance(item, list) else number(item) for item in value
        )
    if isinstance(value, dict):
        return _of_keys(value, places)
    found = decimal(value)
    return OVERFLOW if found is None else digits(rounded_digits(found))


def _of_keys(value: dict[str, Any], places: int) -> Markup:
    if "mean" in value:
        level = f"{100 * value['confidence']:g}%, {value['samples']} samples"
        if None in (value["mean"], value["low"], value["high"]):
            return Markup("{} ({})").format(OVERFLOW, level)
        mean, low, high = (number(value[key]) for key in ("mean", "low", "high"))
        return Markup("{} in [{}, {}] ({})").format(mean, low, high, level)
    if value.get("exact") is not None:
        return _exact(str(value["exact"]), places)
    if "lower" not in value:
        return escape(visible(", ".join(f"{key}: {item}" for key, item in value.items())))
    ends = bounds(value)
    return OVERFLOW if ends is None else certain(*ends, places)


def certain(lower: Decimal, upper: Decimal, places: int = PLACES) -> Markup:
    """The digits that both ends begin with, else a number with its doubt in parentheses."""
    return digits(shared_digits(lower, upper, places) or certain_digits(lower, upper, places))


def digits(found: Digits) -> Markup:
    """``1.27(1) × 10⁻⁹⁷``, whose line is not broken."""
    mantissa = found.mantissa.replace("-", "−").replace("...", "…")
    if not found.exponent:
        return Markup('<span class="number">{}</span>').format(mantissa)
    exponent = str(found.exponent).replace("-", "−")
    return Markup('<span class="number">{} × 10<sup>{}</sup></span>').format(mantissa, exponent)


def _exact(text: str, places: int = PLACES) -> Markup:
    """A decimal or rational as it stands, rounded if it is too long to show; else plain text."""
    found = decimal(text) if _NUMBER.fullmatch(text) else None
    if found is None:
        return marked(text) if len(text) <= MAX_CELL else escape(visible(shorten(text)))
    if "/" in text and len(text) <= places:
        return Markup('<span class="number">{}</span>').format(text.replace("-", "−"))
    if "/" in text and Fraction(found) != Fraction(text):
        return Markup("≈ {}").format(digits(rounded_digits(found, places)))
    return digits(certain_digits(found, found, places))


def law(record: LawRecord) -> Markup:
    """The law of the run, the ends of its support over {s > 0}, the mass at 0."""
    named_law = escape(visible(law_text(record)))
    if record.m_lo is None:
        return named_law + Markup("; {} almost surely").format(formula("s = 0"))
    ends = [Markup("{} = {}").format(formula(r"m_{\mathrm{lo}}"), _exact(record.m_lo))]
    ends.append(
        Markup("unbounded")
        if record.m_hi is None
        else Markup("{} = {}").format(formula(r"m_{\mathrm{hi}}"), _exact(record.m_hi))
    )
    if record.mass_at_zero != "0":
        ends.append(Markup("{} = {}").format(formula(r"\mathbb{P}(s = 0)"), _exact(record.mass_at_zero)))
    return Markup("{}; {}").format(named_law, Markup(", ").join(ends))


def model(name: str) -> Markup:
    """A simulated model as the figures name it."""
    label = CURVES[name]["label"] if name in CURVES else ""
    return marked(label) if label else escape(visible(name.replace("_", " ")))
