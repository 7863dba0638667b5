"""From what theory and numerics found to what a result keeps."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from proofs_check.engine.claims import Record
from reports.results import Certified, Compared, Evidence, Valued

if TYPE_CHECKING:
    from flint import arb
    from sympy import Expr, Symbol

    from theory.identities import Derivation, Point

    Number = arb | Fraction | int | tuple[Fraction, Fraction]

Relation = Literal["<", "<=", ">", ">=", "="]
Ends = tuple[Fraction, Fraction]
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!="}
_LATEX = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne"}
MAX_EXACT_BITS = 8192
MOST_DIGITS = 60
SHORT_BITS = 40

SYMBOLIC, EXACT, ENCLOSURE, NUMERIC, STATISTICAL = Evidence


def derive(record: Record, derivation: Derivation) -> None:
    """A symbolic step for each identity of the derivation."""
    for step in derivation.steps:
        witness = getattr(step, "witness", None) if step.holds is False else None
        detail = f"differs at {_point(witness)}" if witness else ""
        latex = step.latex if record.typeset else ""
        record.check(SYMBOLIC, step.statement, step.holds, latex=latex, detail=detail, case=step.case)


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


def compare(
    record: Record,
    kind: Evidence,
    statement: str,
    left: Number,
    relation: Relation,
    right: Number,
    note: str = "",
    **how: Any,
) -> bool | None:
    """The step that two numbers compare so, decided and recorded here; whether they do.

    None where the enclosures do not tell.  A pair of rational numbers encloses the number.
    note: what to know of the two numbers, shown before them.
    how:  of `Record.check`.
    """
    if not (_is_finite(left) and _is_finite(right)):
        record.check(kind, statement, None, detail="an enclosure is not finite", **how)
        return None
    first, second = _ends(left), _ends(right)
    holds = _decided(first, relation, second)
    detail = (f"{note}: " if note else "") + _compared(first, relation, second, holds)
    compared = _kept(left, relation, right, holds)
    record.check(kind, statement, holds, detail=detail, compared=compared, **how)
    return holds


def _is_finite(value: Number) -> bool:
    return isinstance(value, tuple | int | Fraction) or bool(value.is_finite())


def _ends(value: Number) -> Ends:
    """The ends of a number's enclosure, exactly."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, int | Fraction):
        return Fraction(value), Fraction(value)
    from numerics.arithmetic.balls import ends

    return ends(value)


def _kept(left: Number, relation: Relation, right: Number, holds: bool | None) -> Compared:
    """Both numbers, in so many digits that these decide it, too; of enclosures that touch none would."""
    values = [Fraction(value) if isinstance(value, int) else value for value in (left, right)]
    ends = [_ends(value) for value in values]
    first, second = map(certified, values)
    touch = ends[0][1] == ends[1][0] or ends[1][1] == ends[0][0]
    digits = MOST_DIGITS
    while holds is not None and not touch and _decided(first.ends, relation, second.ends) is not holds:
        digits *= 2
        first, second = (certified(value if value[0] < value[1] else value[0], digits) for value in ends)
    return Compared(first, relation, second)


def _decided(left: Ends, relation: Relation, right: Ends) -> bool | None:
    if relation in {">", ">="}:
        return _decided(right, "<" if relation == ">" else "<=", left)
    if relation == "=":
        apart = left[1] < right[0] or right[1] < left[0]
        return False if apart else True if left[0] == left[1] == right[0] == right[1] else None
    if left[1] < right[0] or (relation == "<=" and left[1] == right[0]):
        return True
    return False if left[0] > right[1] or (relation == "<" and left[0] == right[1]) else None


def _compared(left: Ends, relation: Relation, right: Ends, holds: bool | None) -> str:
    """Both numbers and how they compare in fact, rounded so that it is true of what is shown."""
    if holds is None:
        return f"${_enclosed(left)}$ and ${_enclosed(right)}$ are not told apart"
    found = relation if holds else _NEGATED[relation]
    rises = found in {"<", "<="} or (found == "!=" and left[1] < right[0])
    if all(ends[0] == ends[1] and _is_short(ends[0]) for ends in (left, right)):
        first, second = str(left[0]), str(right[0])
    else:
        first, second = _told_apart(left[rises], right[not rises], (rises, not rises))
    return f"${first} {_LATEX.get(found, found)} {second}$"


def _is_short(value: Fraction) -> bool:
    """Whether a fraction is read more easily than its decimals."""
    return value.numerator.bit_length() + value.denominator.bit_length() <= SHORT_BITS


def _enclosed(ends: Ends) -> str:
    if ends[0] == ends[1]:
        return brief(ends[0])
    from numerics.arithmetic.balls import decimal

    return f"[{in_formula(decimal(ends[0], 10, up=False))}, {in_formula(decimal(ends[1], 10, up=True))}]"


def told_apart(first: arb | Fraction, second: arb | Fraction, *, up: bool = False) -> tuple[str, str]:
    """Both in a few digits, for formulas, the second cut; in as many more as they need to differ.

    up: whether the first is rounded up, as what bounds another number from above has to be.
    """
    return _told_apart(_ends(first)[up], _ends(second)[0], (up, False))


def _told_apart(first: Fraction, second: Fraction, up: tuple[bool, bool]) -> tuple[str, str]:
    from numerics.arithmetic.balls import decimal

    order = (first > second) - (first < second)
    if order == 0:
        return (brief(first),) * 2
    for digits in range(10, MOST_DIGITS + 1, 5):
        texts = decimal(first, digits, up=up[0]), decimal(second, digits, up=up[1])
        one, other = map(Decimal, texts)
        if order == (one > other) - (one < other):
            return in_formula(texts[0]), in_formula(texts[1])
    return f"{brief(second)} {'+' if order > 0 else '-'} {brief(abs(first - second))}", brief(second)


def kind_of(number: object) -> Evidence:
    """Exact for a rational number, an enclosure for a ball."""
    return EXACT if isinstance(number, Fraction) else ENCLOSURE


def count(number: int, thing: str) -> str:
    """``1 range``, ``2 ranges``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def agree(first: arb, second: arb, digits: int) -> bool | None:
    """Whether two enclosures meet, both known to so many digits; False where they do not meet.

    This shows two numbers near, never equal: a statement names the digits.
    """
    from numerics.arithmetic.balls import relative

    if not first.overlaps(second):
        return False
    return True if relative(digits)(first) and relative(digits)(second) else None


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
