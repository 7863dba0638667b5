"""A family of laws: its name, its parameters, the numbers they are, and the components that they give."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal

from numerics.laws.base import Component, LawError, SourceFile, quoted

NOT_FAMILIES = {"bernstein", "contents", "mass_bounds", "sampling"}
"""Modules of this folder that load NumPy or flint: reading a law must stay cheap."""

Masses = tuple[tuple[Fraction, Fraction], ...]

DECIMAL = r"(?=\.?[0-9])[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
EXPECTED_NUMBER = "a number such as 2, 0.25, 1e-3 or 1/3"
NOT_FINITE = ("nan", "inf", "infinity")
MAX_DIGITS = 200
MAX_EXPONENT = 100

_DECIMAL = re.compile(DECIMAL)


@dataclass(frozen=True)
class BaseLaw:
    """The law of the variable x >= 0 that a text describes; s is x or x^2.

    files: every file read.
    """

    components: tuple[Component, ...]
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class NamedLaw:
    """A law as it stands inside another one: its canonical text, and what that describes."""

    text: str
    base: BaseLaw


WeightedLaws = tuple[tuple[NamedLaw, Fraction], ...]
Argument = Fraction | Masses | WeightedLaws | NamedLaw | str


def _all_keys(kind: type) -> Callable[[Argument], bool]:
    return lambda argument: isinstance(argument, tuple) and all(isinstance(key, kind) for key, _ in argument)


_KINDS: dict[str, tuple[Callable[[Argument], bool], str]] = {
    "number": (lambda argument: isinstance(argument, Fraction), EXPECTED_NUMBER),
    "masses": (_all_keys(Fraction), "values with their masses, such as {1: 1/3, 4: 2/3}"),
    "text": (lambda argument: isinstance(argument, str), 'text in quotes, such as "norms.csv"'),
    "law": (lambda argument: isinstance(argument, NamedLaw), "a law, such as uniform(1, 4)"),
    "laws": (_all_keys(NamedLaw), "laws with their masses, such as {uniform(1, 2): 1/2, point(4): 1/2}"),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a family.  One that is not required may be left out; `default` stands in for it.

    by_name: written with its name in the canonical text, as those that may be left out are.
    """

    name: str
    kind: Literal["number", "masses", "text", "law", "laws"] = "number"
    required: bool = True
    default: Argument | None = None
    by_name: bool = False


@dataclass(frozen=True)
class Family:
    """A family of laws, found by its file in this folder through the name `FAMILY`.

    build:   called with the parameters by name (a parameter that was left out
             is its default); returns the law of x, or raises LawError.
    example: a text that is valid input.
    note:    what it is, if the example does not say so, and what it cannot have; marked text.
    """

    name: str
    parameters: tuple[Parameter, ...]
    build: Callable[..., BaseLaw]
    example: str
    note: str = ""

    def bind(
        self, positional: Sequence[Argument], named: Sequence[tuple[str, Argument]]
    ) -> dict[str, Argument | None]:
        """The arguments by parameter name, defaults filled in.

        Raises LawError if one is unknown, missing, repeated or of the wrong kind.
        """
        names = [parameter.name for parameter in self.parameters]
        if len(positional) > len(names):
            raise LawError(
                f"{self.name} has the parameters {', '.join(names)}, and {len(positional)} values "
                f"were given: write {self.example}"
            )
        given = dict(zip(names, positional, strict=False))
        for name, argument in named:
            if name not in names:
                raise LawError(f"{self.name} has no parameter {quoted(name)}; it has {', '.join(names)}")
            if name in given:
                raise LawError(f"the parameter {name} of {self.name} is given twice")
            given[name] = argument
        return {parameter.name: self._checked(parameter, given) for parameter in self.parameters}

    def _checked(self, parameter: Parameter, given: dict[str, Argument]) -> Argument | None:
        if parameter.name not in given:
            if parameter.required:
                raise LawError(f"{self.name} needs the parameter {parameter.name}: write {self.example}")
            return parameter.default
        argument = given[parameter.name]
        fits, description = _KINDS[parameter.kind]
        if not fits(argument):
            raise LawError(f"the parameter {parameter.name} of {self.name} must be {description}")
        return argument

    def text(self, arguments: dict[str, Argument | None]) -> str:
        """The canonical text of a member of the family."""
        shown = []
        for parameter in self.parameters:
            argument = arguments[parameter.name]
            if argument is None or (not parameter.required and argument == parameter.default):
                continue
            named = parameter.by_name or not parameter.required
            prefix = f"{parameter.name}=" if named else ""
            shown.append(prefix + _argument_text(argument))
        return f"{self.name}({', '.join(shown)})"


def non_negative(name: str, value: Fraction) -> Fraction:
    """`value`, which is a norm or a squared norm.  Raises LawError if it is negative."""
    if value < 0:
        raise LawError(f"{name} is {value}: a norm or squared norm cannot be negative")
    return value


def positive(name: str, value: Fraction) -> Fraction:
    """`value`.  Raises LawError if it is not positive."""
    if value <= 0:
        raise LawError(f"{name} is {value}: it must be positive")
    return value


def interval(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """(low, high).  Raises LawError unless 0 <= low < high."""
    non_negative("low", low)
    if low >= high:
        raise LawError(f"low is {low} and high is {high}: low must be less than high")
    return low, high


def _argument_text(argument: Argument) -> str:
    if isinstance(argument, Fraction):
        return str(argument)
    if isinstance(argument, str):
        quote = "'" if '"' in argument else '"'
        return f"{quote}{argument}{quote}"
    if isinstance(argument, NamedLaw):
        return argument.text
    laws = [f"{key.text}: {mass}" for key, mass in argument if isinstance(key, NamedLaw)]
    atoms = sorted((key, mass) for key, mass in argument if isinstance(key, Fraction))
    return "{" + ", ".join(laws or [f"{value}: {mass}" for value, mass in atoms]) + "}"


def families() -> dict[str, Family]:
    """The families of laws in this folder, by name, in alphabetical order."""
    package = __name__.rpartition(".")[0]
    return _listed(package, tuple(importlib.import_module(package).__path__))


@cache
def _listed(package: str, folders: tuple[str, ...]) -> dict[str, Family]:
    names = [found.name for found in pkgutil.iter_modules(folders) if found.name not in NOT_FAMILIES]
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    found = [module.FAMILY for module in modules if hasattr(module, "FAMILY")]
    return {family.name: family for family in sorted(found, key=lambda family: family.name)}


def read_decimal(text: str) -> tuple[int, int]:
    """(n, e) with n 10^e equal to an unsigned decimal.  Raises LawError if it is none, or out of range."""
    if not _DECIMAL.fullmatch(text):
        raise LawError(f"{quoted(text)} is not {EXPECTED_NUMBER}")
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(whole) + len(fraction) > MAX_DIGITS or len(exponent) > 6:
        raise out_of_range(text)
    digits = int(whole + fraction)
    shift = int(exponent or "0") - len(fraction)
    if digits and abs(shift + len(str(digits)) - 1) > MAX_EXPONENT:
        raise out_of_range(text)
    return digits, shift if digits else 0


def exact(digits: int, shift: int) -> Fraction:
    """The number digits 10^shift."""
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def in_range(number: Fraction) -> bool:
    """Whether a number is 0 or of a size from 10^-100 to 10^100, so that its square is a float64."""
    return not number or Fraction(1, 10**MAX_EXPONENT) <= abs(number) <= 10**MAX_EXPONENT


def out_of_range(text: str) -> LawError:
    """The error for a numeral that is too long, too large or too small."""
    return LawError(
        f"{quoted(text)} is out of range: numbers have at most {MAX_DIGITS} digits "
        f"and lie between 1e-{MAX_EXPONENT} and 1e{MAX_EXPONENT}"
    )
