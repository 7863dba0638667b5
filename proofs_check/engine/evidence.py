"""From what theory and numerics found to what a result keeps."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from proofs_check.engine.claims import Record
from reports.results import Certified, Evidence, Valued

if TYPE_CHECKING:
    from flint import arb
    from sympy import Expr, Symbol

    from theory.identities import Derivation, Point

MAX_EXACT_BITS = 8192
MOST_DIGITS = 60

SYMBOLIC, EXACT, ENCLOSURE, NUMERIC, STATISTICAL = Evidence


def derive(record: Record, derivation: Derivation) -> None:
    """A symbolic step for each identity of the derivation."""
    for step in derivation.steps:
        witness = getattr(step, "witness", None) if step.holds is False else None
        detail = f"differs at {_point(witness)}" if witness else ""
        record.check(SYMBOLIC, step.statement, step.holds, latex=step.latex, detail=detail, case=step.case)


def _point(witness: Point) -> str:
    from theory.identities import to_latex

    return ", ".join(f"${to_latex(name)} = {value}$" for name, value in witness.items())


def valued(
    name: str, formula: Expr, at: Mapping[Symbol, Fraction], value: arb | Fraction | None = None
) -> Valued:
    """A formula of `theory` with its letters' values, and the number that it is there.

    value: that number where it was found by another route than by putting the letters in.
    """
    from sympy import Rational, srepr

    from theory.identities import to_latex

    if value is None:
        number = formula.subs({letter: Rational(str(given)) for letter, given in at.items()})
        value = Fraction(int(number.p), int(number.q))
    letters = {to_latex(letter): str(given) for letter, given in at.items()}
    return Valued(name, to_latex(formula), srepr(formula), letters, certified(value))


def certified(value: arb | Fraction | tuple[Fraction, Fraction], digits: int | None = None) -> Certified:
    """A ball, a rational number or an interval, its decimals rounded outward.

    `exact` is left out of a rational number of thousands of digits.
    """
    from numerics.arithmetic.balls import decimal, decimal_bounds

    exact = None
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) <= MAX_EXACT_BITS:
            exact = str(value)
        value = value, value
    if isinstance(value, tuple):
        lower, upper = value
        return Certified(decimal(lower, digits or 30, up=False), decimal(upper, digits or 30, up=True), exact)
    return Certified(*decimal_bounds(value, digits))


def rounded(value: Certified | Fraction | arb, digits: int = 10) -> str:
    """A few digits as data; an interval as its lower end, cut."""
    if isinstance(value, Certified):
        value = Fraction(value.lower) if value.exact is None else Fraction(value.exact)
    if isinstance(value, Fraction):
        from numerics.arithmetic.balls import decimal

        return decimal(value, digits, up=False)
    return rounded(certified(value), digits)


def brief(value: Certified | Fraction | arb, digits: int = 10) -> str:
    """The same for a formula in a line of text."""
    return in_formula(rounded(value, digits))


def approx(value: float, digits: int = 6) -> str:
    """A float to a few digits, for a formula in a line of text."""
    return in_formula(f"{value:.{digits}g}")


def in_formula(decimal: str) -> str:
    r"""A decimal as LaTeX: ``1.2e-30`` as ``1.2 \times 10^{-30}``."""
    mantissa, _, exponent = decimal.partition("e")
    power = f"10^{{{int(exponent)}}}" if exponent else ""
    return power if power and mantissa == "1" else rf"{mantissa} \times {power}" if power else mantissa


def told_apart(
    first: arb | Fraction, second: arb | Fraction, digits: int = 10, *, up: bool = False
) -> tuple[str, str]:
    """Both in a few digits, for formulas; in as many more as they need to differ, where they do differ.

    up: whether the first is rounded up, as what bounds another number from above has to be.
    """
    from numerics.arithmetic.balls import decimal, ends

    outer = [value if isinstance(value, Fraction) else ends(value)[0] for value in (first, second)]
    while True:
        texts = in_formula(decimal(outer[0], digits, up=up)), brief(outer[1], digits)
        if texts[0] != texts[1] or digits >= MOST_DIGITS or outer[0] == outer[1]:
            return texts
        digits += 5


def kind_of(number: object) -> Evidence:
    """Exact for a rational number, an enclosure for a ball."""
    return EXACT if isinstance(number, Fraction) else ENCLOSURE


def count(number: int, thing: str) -> str:
    """``1 range``, ``2 ranges``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def at_most(smaller: arb, larger: arb) -> bool | None:
    """Whether smaller <= larger; None where the balls do not tell."""
    if smaller <= larger:
        return True
    return False if smaller > larger else None


def below(smaller: arb, larger: arb) -> bool | None:
    """Whether smaller < larger; None where the balls do not tell."""
    if smaller < larger:
        return True
    return False if smaller >= larger else None
