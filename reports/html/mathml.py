"""LaTeX to MathML: what latex2mathml makes of it, spaced as TeX would space it, and harmless.

A stored result may come from anybody, and latex2mathml passes on links, classes and styles, and does not
escape: only elements and attributes that do nothing stay, and the text is escaped when it is written.
"""

from __future__ import annotations

import html
import re
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import normalize
from xml.etree.ElementTree import tostring

from reports.latex.display import display
from reports.text.marked import visible
from reports.text.unicode_math import formula_to_unicode

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELEMENTS = _words(
    "math mrow mi mn mo ms mtext mspace msub msup msubsup mfrac msqrt mroot mover munder munderover "
    "mtable mtr mtd mstyle mpadded mphantom mmultiscripts mprescripts none"
)
ATTRIBUTES = _words(
    "accent accentunder columnalign depth display displaystyle fence form height largeop linethickness "
    "lspace mathvariant maxsize minsize movablelimits rspace scriptlevel separator stretchy symmetric width"
)
_ROWS = _words("math mrow mtd msqrt mstyle mpadded mphantom")
_SCRIPTED = _words("msub msup msubsup mover munder munderover")
_TALL = _words("mfrac mtable munder munderover msqrt mover")
_FUNCTIONS = _words("arg cos deg det dim exp inf lim ln log max min sin sup Pr")
_SIGNS, _OPENING, _CLOSING, _BARS = "+−±∓", "([{⟨", ")]}⟩!", "|‖"
_NAMES = re.compile(r"\\operatorname\*?\{([^{}]*)\}")
NOT = "\u29f8"
THIN = "0.167em"


class UnreadableError(ValueError):
    """latex2mathml cannot read the formula."""


def mathml(latex: str, *, block: bool = False, large: bool = False) -> str:
    """A `math` element for LaTeX without delimiters.  Raises UnreadableError.

    block: on a line of its own, broken where it is long.
    large: with its fractions at full size.
    """
    from latex2mathml.converter import Converter

    source = display(latex).replace("{aligned}", "{align*}") if block else latex
    source = _NAMES.sub(_named, source)
    try:
        root = Converter(display="block" if block else "inline").convert_to_element(source)
    except _unreadable() as error:
        raise UnreadableError(latex) from error
    del root.attrib["xmlns"]
    for element in root.iter():
        _clean(element)
    for element in root.iter():
        if element.tag in _ROWS:
            _negate(element)
            _join_letters(element)
            _space(element)
    if len(root[0]) and (first := _core(root[0][0])).tag == "mo":
        first.set("lspace", "0")
    if large:
        root.set("displaystyle", "true")
    return tostring(root, encoding="unicode")


def _named(name: re.Match[str]) -> str:
    """latex2mathml does not know the star, nor spaces in a name."""
    return rf"\operatorname{{{name[1]}}}".replace(r"\,", "\u2009")


def _unreadable() -> tuple[type[Exception], ...]:
    """The errors by which latex2mathml says so; they have no common one."""
    from latex2mathml import exceptions

    named = [kind for kind in vars(exceptions).values() if isinstance(kind, type)]
    return (*named, IndexError, KeyError, RecursionError, RuntimeError, StopIteration, TypeError, ValueError)


def _clean(element: Element) -> None:
    """Elements and attributes of MathML only, and text as characters."""
    if element.tag not in ELEMENTS:
        element.tag = "mrow"
    for name in element.attrib.keys() - ATTRIBUTES:
        del element.attrib[name]
    # latex2mathml leaves entities in the text, and commands that it does not know.
    text = html.unescape(element.text or "")
    element.text = visible(formula_to_unicode(text).strip() if text.startswith("\\") else text) or None
    if element.tag == "mi" and element.text in {*"ΓΔΘΛΞΠΣΦΨΩ"}:
        element.set("mathvariant", "normal")
    if element.tag == "mo" and element.text == "∞":
        element.tag = "mi"
    if element.tag == "mi" and element.text in _FUNCTIONS:
        element.tag = "mo"


def _negate(row: Element) -> None:
    r"""``\not`` and a relation are one sign; latex2mathml hides its slash behind the relation."""
    for slash, sign in list(pairwise(row)):
        if slash.get("width") == "0" and [inner.text for inner in slash] == [NOT]:
            sign.text = normalize("NFC", f"{sign.text}\u0338")
            row.remove(slash)


def _join_letters(row: Element) -> None:
    r"""The letters of a ``\mathrm`` are one name."""
    last: Element | None = None
    for child in list(row):
        upright = child.tag == "mi" and child.get("mathvariant") == "normal" and (child.text or "").isascii()
        if upright and last is not None:
            last.text = f"{last.text}{child.text}"
            row.remove(child)
        else:
            last = child if upright else None


def _space(row: Element) -> None:
    """Signs before a term, bars, slashes and names of functions as TeX sets them; plain brackets plain."""
    tall = any(child.tag in _TALL for child in row.iter())
    cores = [_core(child) for child in row if child.tag != "mspace"]
    opened = dict.fromkeys(_BARS, 0)
    for at, core in enumerate(cores):
        if core.tag != "mo" or not core.text:
            continue
        before, after = (cores[k] if 0 <= k < len(cores) else None for k in (at - 1, at + 1))
        if core.get("form") and not tall:
            core.set("stretchy", "false")
        if core.text in _BARS:
            opens = not (opened[core.text] and _ends_a_term(before))
            opened[core.text] += 1 if opens else -1
            core.attrib.setdefault("stretchy", "false")
            core.attrib |= {"form": "prefix" if opens else "postfix", "lspace": "0", "rspace": "0"}
        elif core.text == "/" or (core.text == "…" and before is not None and before.tag == "mn"):
            core.attrib |= {"lspace": "0", "rspace": "0"}
        elif core.text in _SIGNS and not _ends_a_term(before):
            core.attrib |= {"form": "prefix", "lspace": "0", "rspace": "0"}
        elif core.text[0].isalpha():
            bracketed = after is None or (after.tag == "mo" and (after.text or " ")[0] in _OPENING)
            core.set("lspace", THIN if _ends_a_term(before) else "0")
            core.set("rspace", "0" if bracketed else THIN)


def _core(element: Element) -> Element:
    """What a script hangs on."""
    return _core(element[0]) if element.tag in _SCRIPTED and len(element) else element


def _ends_a_term(element: Element | None) -> bool:
    if element is None:
        return False
    if element.tag == "mo":
        return (element.text or " ")[0] in _CLOSING or element.get("form") == "postfix"
    return True
