"""density("s*(4-s)", low=0, high=4): a density proportional to a polynomial, with rational coefficients.

sum     = ["+" | "-"] product {("+" | "-") product}
product = power {("*" | "/") power}
power   = (decimal | "s" | "(" sum ")") [("^" | "**") whole number]
"""

from __future__ import annotations

import re
from fractions import Fraction

from numerics.laws.base import LawError, quoted
from numerics.laws.family import DECIMAL, BaseLaw, Family, Parameter, exact, in_range, interval, read_decimal
from numerics.laws.polynomials import Polynomial, added, scaled, times

MAX_DEGREE = 24
MAX_PARENTHESES = 50
_TOKEN = re.compile(rf"\s*(?:(?P<decimal>{DECIMAL})|(?P<name>[A-Za-z_]\w*)|(?P<mark>\*\*|[-+*/^()]))")


def build(polynomial: str, low: Fraction, high: Fraction) -> BaseLaw:
    """The law with that density on [low, high], normalised exactly.

    Raises LawError where the text is no polynomial in s, or is negative between low and high.
    """
    interval(low, high)
    coefficients = read(polynomial)
    from numerics.laws.bernstein import mixture

    return BaseLaw(mixture(coefficients, low, high))


def read(text: str) -> Polynomial:
    """The coefficients of a polynomial in s.  Raises LawError where the text is none."""
    return _Reader(text).whole()


class _Reader:
    """Reads a polynomial from left to right; each method reads one thing or raises LawError."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0
        self.kind, self.token, self.start = "end", "", 0
        self.advance()

    def advance(self) -> None:
        """To the next token."""
        match = _TOKEN.match(self.text, self.place)
        if match is not None:
            self.kind, self.start = str(match.lastgroup), match.start(str(match.lastgroup))
            self.token, self.place = match.group(self.kind), match.end()
            return
        rest = self.text[self.place :].lstrip()
        self.kind, self.token, self.start = "end", "", len(self.text)
        if rest:
            raise LawError(f"{quoted(rest[0])} in the density {quoted(self.text)} has no meaning there")

    def accept(self, *marks: str) -> str:
        """Read one of these marks if it comes next; else the empty text."""
        token = self.token
        if self.kind != "mark" or token not in marks:
            return ""
        self.advance()
        return token

    def wrong(self, wanted: str) -> LawError:
        found = "it ends" if self.kind == "end" else f"there is {quoted(self.token)}"
        place = f"character {self.start + 1} of the density {quoted(self.text)}"
        return LawError(f"expected {wanted} at {place}, where {found}")

    def whole(self) -> Polynomial:
        found = self.sum()
        if self.kind != "end":
            raise self.wrong("+, -, *, / or ^")
        return found

    def sum(self) -> Polynomial:
        sign = self.accept("+", "-")
        found = scaled(self.product(), Fraction(-1 if sign == "-" else 1))
        while sign := self.accept("+", "-"):
            found = added(found, scaled(self.product(), Fraction(-1 if sign == "-" else 1)))
        return found

    def product(self) -> Polynomial:
        found = self.power()
        while sign := self.accept("*", "/"):
            factor = self.power()
            if sign == "*":
                found = self.checked(times(found, factor))
            elif len(factor) > 1 or not factor[0]:
                raise LawError(f"the density {quoted(self.text)} divides by what is no number other than 0")
            else:
                found = self.checked(scaled(found, 1 / factor[0]))
        return found

    def power(self) -> Polynomial:
        base = self.factor()
        if not self.accept("^", "**"):
            return base
        if self.kind != "decimal" or not self.token.isdecimal() or int(self.token[:9]) > MAX_DEGREE:
            raise self.wrong(f"a whole exponent, at most {MAX_DEGREE},")
        exponent, found = int(self.token), [Fraction(1)]
        self.advance()
        for _ in range(exponent):
            found = self.checked(times(found, base))
        return found

    def factor(self) -> Polynomial:
        if self.accept("("):
            self.depth += 1
            if self.depth > MAX_PARENTHESES:
                raise LawError(f"the density has over {MAX_PARENTHESES} parentheses inside one another")
            found = self.sum()
            if not self.accept(")"):
                raise self.wrong("')'")
            self.depth -= 1
            return found
        if self.kind == "name" and self.token == "s":
            found = [Fraction(0), Fraction(1)]
        elif self.kind == "decimal":
            found = [exact(*read_decimal(self.token))]
        else:
            raise self.wrong("a number, s or '('")
        self.advance()
        return found

    def checked(self, found: Polynomial) -> Polynomial:
        """The polynomial.  Raises LawError if its degree or a coefficient is too large."""
        if len(found) - 1 > MAX_DEGREE:
            raise LawError(f"the density {quoted(self.text)} has a degree over {MAX_DEGREE}")
        if not all(in_range(c) for c in found):
            raise LawError(f"the density {quoted(self.text)} has a coefficient that is out of range")
        return found


FAMILY = Family(
    "density",
    (Parameter("polynomial", "text"), Parameter("low", by_name=True), Parameter("high", by_name=True)),
    build,
    example='density("s*(4-s)", low=0, high=4)',
    note="proportional to a polynomial in $s$ with rational coefficients, nowhere negative",
)
