"""From text such as `uniform(1, 4)` to a law: parsed, never evaluated, every number exact.

law      = name "(" [argument {"," argument} [","]] ")"
argument = [name "="] (number | masses | law | text)
masses   = "{" [key ":" number {"," key ":" number} [","]] "}"
key      = number | law
number   = ["+" | "-"] decimal ["/" decimal]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from numerics.laws import Atoms, Component, CutPiece, Law, LawError, LawKind, SignedPiece, SumPiece, families
from numerics.laws.base import quoted
from numerics.laws.components import each_part, merged, times
from numerics.laws.family import (
    DECIMAL,
    EXPECTED_NUMBER,
    NOT_FINITE,
    Argument,
    BaseLaw,
    NamedLaw,
    exact,
    in_range,
    out_of_range,
    read_decimal,
)
from numerics.laws.sums import sum_of

MAX_LENGTH = 2**20
MAX_NESTING = 100
MAX_LAWS = 16
_TOKEN = re.compile(
    rf"""(?P<decimal>{DECIMAL})
    |    (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |    (?P<text>"[^"]*"|'[^']*')
    |    (?P<mark>[(){{}}:,=/+-])""",
    re.VERBOSE,
)


def parse_law(kind: LawKind, *texts: str) -> Law:
    """The law of s = ||m||^2.

    kind: what the texts are laws of: `squared_norm` ||m||^2, `norm` ||m||,
          `modalities` ||v_1||^2, ||v_2||^2, ..., independent (two texts or more);
          `factors` the eigenvalues of M^T M, of which s is one drawn at random (one text or more).
    Raises LawError if a text is not a law.

    >>> law = parse_law("norm", "uniform(1, 2)")
    >>> law.m_lo, law.m_hi, law.mean
    (Fraction(1, 1), Fraction(4, 1), Fraction(7, 3))
    """
    least, most = {"modalities": (2, MAX_LAWS), "factors": (1, MAX_LAWS)}.get(kind, (1, 1))
    if not least <= len(texts) <= most:
        wanted = f"{least} law{'s' * (least > 1)}" + (f" to {most}" if most > least else "")
        raise LawError(f"{kind} takes {wanted}, not {len(texts)}")
    if kind == "factors":
        return _drawn_from([_law_of("squared_norm", text) for text in texts])
    if kind == "modalities":
        return sum_of(*(_law_of("squared_norm", text) for text in texts))
    return _law_of(kind, texts[0])


def _law_of(kind: LawKind, text: str) -> Law:
    """The law of s = x, or of s = x^2, for the variable x that a text describes."""
    canonical, base = _parse(text)
    components = base.components if kind == "squared_norm" else tuple(map(_squared, base.components))
    return Law(kind, (canonical,), components, files=base.files)


def _drawn_from(laws: list[Law]) -> Law:
    """One of several laws at random; the law itself where there is one."""
    if len(laws) == 1:
        return laws[0]
    share = Fraction(1, len(laws))
    components = merged(part for law in laws for part in times(law.components, share))
    files = tuple(dict.fromkeys(file for law in laws for file in law.files))
    return Law("factors", tuple(text for law in laws for text in law.texts), components, files=files)


def _squared(component: Component) -> Component:
    if isinstance(component, Atoms):
        return replace(component, values=tuple(value**2 for value in component.values))
    if isinstance(component, SignedPiece):
        return each_part(component, lambda part: replace(part, power=2))
    if isinstance(component, CutPiece):
        squared = replace(component.window.piece, power=2)
        return replace(component, window=replace(component.window, piece=squared))
    if isinstance(component, SumPiece) or component.shift or component.power != 1:
        raise TypeError(f"not a component of a base variable: {component}")
    return replace(component, power=2)


def parse_number(text: str) -> Fraction:
    """The exact number written as 2, 0.25, 1e-3 or 1/3.  Raises LawError if it is none."""
    reader = _Reader(text, EXPECTED_NUMBER)
    number = reader.number()
    reader.end()
    return number


def _parse(text: str) -> tuple[str, BaseLaw]:
    """The canonical text and the law of the variable that it describes."""
    reader = _Reader(text, f"a law such as {families()['uniform'].example}")
    law = reader.law()
    reader.end()
    return law.text, law.base


def _unknown(name: str, known: list[str]) -> LawError:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), known, n=1)
    hint = f": did you mean {near[0]}?" if near else "."
    return LawError(f"there is no law {quoted(name)}{hint} The laws are {', '.join(known)}")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int


class _Reader:
    """Reads tokens from left to right; each method reads one thing or raises LawError."""

    def __init__(self, text: str, whole: str) -> None:
        if len(text) > MAX_LENGTH:
            raise LawError(f"{quoted(text)} has {len(text)} characters: at most {MAX_LENGTH} are read")
        if not text.strip():
            raise LawError(f"the text is empty: write {whole}")
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0

    @property
    def ahead(self) -> _Token:
        return self.tokens[self.next]

    def accept(self, mark: str) -> bool:
        """Read this mark if it comes next."""
        found = self.ahead.kind == "mark" and self.ahead.text == mark
        self.next += found
        return found

    def expect(self, mark: str, wanted: str) -> None:
        if not self.accept(mark):
            raise self.wrong(wanted)

    def wrong(self, wanted: str) -> LawError:
        token = self.ahead
        found = "the text ends" if token.kind == "end" else f"there is {quoted(token.text)}"
        return LawError(f"expected {wanted} at character {token.place}, where {found}")

    def end(self) -> None:
        if self.ahead.kind != "end":
            raise self.wrong("nothing more")

    def name(self) -> str:
        if self.ahead.kind != "name":
            raise self.wrong("the name of a law")
        self.next += 1
        return self.tokens[self.next - 1].text

    def law(self) -> NamedLaw:
        """A law, built; the laws inside it first."""
        known = families()
        name = self.name()
        if name not in known:
            raise _unknown(name, list(known))
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise LawError(f"laws are nested more than {MAX_NESTING} deep: write fewer, larger mixtures")
        family = known[name]
        arguments = family.bind(*self.arguments())
        self.depth -= 1
        return NamedLaw(family.text(arguments), family.build(**arguments))

    def arguments(self) -> tuple[list[Argument], list[tuple[str, Argument]]]:
        positional: list[Argument] = []
        named: list[tuple[str, Argument]] = []
        self.expect("(", "'(' after the name of the law")
        while not self.accept(")"):
            after = self.tokens[self.next + 1] if self.ahead.kind == "name" else None
            if after and after.kind == "mark" and after.text == "=":
                name = self.ahead.text
                self.next += 2
                named.append((name, self.argument()))
            elif named:
                raise self.wrong("a parameter with its name")
            else:
                positional.append(self.argument())
            if not self.accept(","):
                self.expect(")", "',' or ')'")
                break
        return positional, named

    def argument(self) -> Argument:
        if self.ahead.kind == "text":
            self.next += 1
            text = self.tokens[self.next - 1].text[1:-1]
            if not text.isprintable():
                raise LawError(f"{quoted(text)} has characters that cannot be printed: rename it")
            return text
        if self.accept("{"):
            return self.masses()
        return self.law() if self.at_law() else self.number()

    def at_law(self) -> bool:
        """Whether a law comes next, and not a number or a word that is neither."""
        after = self.tokens[self.next + 1] if self.ahead.kind == "name" else None
        return after is not None and after.kind == "mark" and after.text == "("

    def masses(self) -> Argument:
        """Numbers or laws, each with its mass; the brace before them has been read."""
        found = []
        while not self.accept("}"):
            key = self.law() if self.at_law() else self.number()
            self.expect(":", "':' and a mass")
            found.append((key, self.number()))
            if not self.accept(","):
                self.expect("}", "',' or '}'")
                break
        return tuple(found)  # type: ignore[return-value]

    def number(self) -> Fraction:
        start = self.ahead.place
        sign = -1 if self.accept("-") else 1
        if sign > 0:
            self.accept("+")
        value = sign * self.decimal()
        if self.accept("/"):
            divisor = self.decimal()
            if not divisor:
                raise LawError(f"the number at character {start} divides by 0")
            value /= divisor
        if not in_range(value):
            raise out_of_range(str(value))
        return value

    def decimal(self) -> Fraction:
        token = self.ahead
        if token.kind == "name" and token.text.lower() in NOT_FINITE:
            raise LawError(f"{quoted(token.text)} is not finite: write {EXPECTED_NUMBER}")
        if token.kind != "decimal":
            raise self.wrong(EXPECTED_NUMBER)
        self.next += 1
        return exact(*read_decimal(token.text))


def _tokens(text: str) -> list[_Token]:
    """The tokens, places counted from 1, and one of kind `end`.  Raises LawError for any other character."""
    tokens = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            character = text[place]
            wrong = "this quotation mark is not closed" if character in "\"'" else "it has no meaning here"
            raise LawError(f"{quoted(character)} at character {place + 1}: {wrong}")
        tokens.append(_Token(str(match.lastgroup), match.group(), place + 1))
        place = match.end()
    return [*tokens, _Token("end", "", len(text) + 1)]
