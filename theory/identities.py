"""Identities and inequalities that know whether they hold.

`holds` is computed: True if computer algebra reduces the difference to 0, False
if the difference is exactly non-zero at a rational point (`witness`), None if
neither was achieved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import islice
from random import Random
from typing import Any

from sympy import (
    QQ,
    Add,
    Dummy,
    Expr,
    Integer,
    MatrixBase,
    Mul,
    Pow,
    Rational,
    Symbol,
    expand,
    factor_list,
    factorint,
    ring,
)
from sympy.printing.latex import LatexPrinter

#: Names of symbols for inner products: a_m is a^T m.
INNER_PRODUCT = re.compile(r"([abhmnx])_([abhmnx])")
IDENTITY_MATRIX = "I"
#: As many characters of LaTeX of a left side are shown beside the symbol for it.
MAX_LEFT = 150

Rules = tuple[tuple[Expr, Expr], ...]
Point = dict[Symbol, Rational]


@dataclass(frozen=True)
class Identity:
    """left = right, for all values of the symbols that their assumptions allow.

    under:    rewriting rules applied to both sides first, such as lam -> 1 + s; for letters
              that do not commute, rules of calculation such as m^T m -> s.
    instance: what makes a one-dimensional instance of an identity between letters that do
              not commute; a witness is looked for among these.
    symbol:   LaTeX of what both sides are; a matrix identity is shown by this alone.
    case:     which of several cases it is, such as {"T": 2}.
    """

    statement: str
    left: Expr | MatrixBase
    right: Expr | MatrixBase
    under: Rules = ()
    instance: Rules = ()
    symbol: str = ""
    case: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def holds(self) -> bool | None:
        """Whether the two sides are equal."""
        if all(_vanishes(_reduce(entry, self.under)) for entry in self._differences):
            return True
        return None if self.witness is None else False

    @cached_property
    def witness(self) -> Point | None:
        """A rational point at which the sides differ; None if none was found."""
        for entry in self._differences:
            for point, value in _values(_commuting(entry, self.under, self.instance)):
                if value != 0:
                    return point
        return None

    @property
    def latex(self) -> str:
        """``symbol = left = right``, fit to be read.

        Equal sides are written once, a number alone not at all, and a long left side not where
        a symbol stands for it.
        """
        if isinstance(self.left, MatrixBase) and self.symbol:
            return self.symbol
        left, right = to_latex(self.left), to_latex(self.right)
        if self.symbol and len(left) > MAX_LEFT:
            left = self.symbol
        if self.right == 1 and not self.left.is_commutative:
            right = IDENTITY_MATRIX
        sides = list(dict.fromkeys(filter(None, (self.symbol, left, right))))
        return "" if len(sides) == 1 and self.right.is_number else " = ".join(sides)

    @cached_property
    def _differences(self) -> tuple[Expr, ...]:
        if isinstance(self.left, MatrixBase):
            return tuple(self.left - self.right)
        return (self.left - self.right,)


@dataclass(frozen=True)
class Inequality:
    """left <= right (left < right if `strict`) for all non-negative values of the symbols.

    Proved by a quotient of polynomials whose coefficients are all non-negative; `under`
    parametrises the domain so that its symbols are free.
    """

    statement: str
    left: Expr
    right: Expr
    under: Rules = ()
    strict: bool = False
    case: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def holds(self) -> bool | None:
        """Whether the inequality holds."""
        rational, _ = _without_symbolic_powers(self._difference)
        numerator, denominator = quotient(rational)
        signs = {coefficient > 0 for poly in (numerator, denominator) for coefficient in poly.coeffs()}
        in_domain = all(symbol.is_nonnegative for symbol in rational.free_symbols)
        if in_domain and len(signs) == 1 and (not self.strict or _has_positive_monomial(numerator)):
            return True
        return None if self.witness is None else False

    @cached_property
    def witness(self) -> Point | None:
        """A rational point at which the inequality fails; None if none was found."""
        for point, value in _values(self._difference):
            if value < 0 or (self.strict and value == 0):
                return point
        return None

    @property
    def latex(self) -> str:
        """``left <= right``."""
        relation = "<" if self.strict else r"\le"
        return f"{to_latex(self.left)} {relation} {to_latex(self.right)}"

    @cached_property
    def _difference(self) -> Expr:
        return _reduce(self.right - self.left, self.under)


Steps = tuple[Identity | Inequality, ...]


@dataclass(frozen=True)
class Derivation:
    """A chain of identities and inequalities, in reading order; it holds if all of them do."""

    title: str
    steps: Steps

    @cached_property
    def holds(self) -> bool | None:
        """False if a step is false, None if one is undecided."""
        found = {step.holds for step in self.steps}
        return False if False in found else None if None in found or not found else True

    @property
    def failures(self) -> Steps:
        """The steps that do not hold."""
        return tuple(step for step in self.steps if not step.holds)


class _Printer(LatexPrinter):  # type: ignore[misc]
    """Sums in the paper's order, 1 + s and 1 - alpha lambda; inner products and the identity matrix."""

    def _as_ordered_terms(self, expr: Expr, order: str | None = None) -> list[Expr]:
        terms: list[Expr] = super()._as_ordered_terms(expr, order=order)
        counted = all(symbol.is_integer for symbol in expr.free_symbols)
        return sorted(
            terms, key=lambda term: (term.could_extract_minus_sign(), not (term.is_number or counted))
        )

    def _print_Add(self, expr: Expr, order: str | None = None) -> str:
        number, rest = expr.as_coeff_Add()
        if expr.is_commutative or number != 1:
            return str(super()._print_Add(expr, order))
        # Between matrices 1 is the identity.
        printed = str(self._print(rest))
        return f"{IDENTITY_MATRIX} {printed if printed.startswith('-') else f'+ {printed}'}"

    def parenthesize_super(self, s: str) -> str:
        return s if s[0] + s[-1] in {"()", "||"} else str(super().parenthesize_super(s))

    def _print_Symbol(self, expr: Symbol, style: str = "plain") -> str:
        inner = INNER_PRODUCT.fullmatch(expr.name)
        if inner:
            return rf"({inner[1]}^{{\top}} {inner[2]})"
        return str(super()._print_Symbol(expr, style))


def to_latex(value: Expr | MatrixBase) -> str:
    """LaTeX of an expression or a matrix."""
    return str(_Printer().doprint(value))


def _reduce(expr: Expr, rules: Rules) -> Expr:
    """Apply the rules; between letters that do not commute, until nothing changes."""
    if expr.is_commutative:
        return expr.subs(rules) if rules else expr
    current = expand(expr)
    while True:
        rewritten = expand(current.subs(rules))
        if rewritten == current:
            return rewritten
        current = rewritten


def _commuting(expr: Expr, under: Rules, instance: Rules) -> Expr:
    """The expression itself, or its instance in dimension 1 if it has letters that do not commute."""
    letters = {letter for letter in expr.atoms(Symbol) if not letter.is_commutative}
    if not letters:
        return expr.subs(under)
    one_dimensional = {letter: Symbol(letter.name, real=True) for letter in letters}
    return expr.subs(instance).xreplace(one_dimensional)


def _vanishes(expr: Expr) -> bool:
    """Whether the expression reduces to 0."""
    if not expr.is_commutative:
        return all(_vanishes(part) for part in _coefficients(expr))
    rational, signs = _without_symbolic_powers(expr)
    cases = [rational]
    for sign in signs:
        cases = [case.xreplace({sign: Integer(value)}) for case in cases for value in (1, -1)]
    return all(quotient(case)[0] == 0 for case in cases)


def _coefficients(expr: Expr) -> Iterable[Expr]:
    """The commuting coefficients of an expanded expression, one for each word."""
    words: dict[Expr, list[Expr]] = {}
    for term in Add.make_args(expand(expr)):
        commuting, word = term.args_cnc()
        words.setdefault(Mul(*word), []).append(Mul(*commuting))
    return [Add(*terms) for terms in words.values()]


def _without_symbolic_powers(expr: Expr) -> tuple[Expr, list[Symbol]]:
    """Replace base^n, for each irreducible base and each integer symbol n, by an unknown of its own.

    Also the unknowns that stand for (-1)^n, which are 1 or -1.
    """
    powers: dict[tuple[Expr, Expr], Symbol] = {}

    def unknown(base: Expr, exponent: Expr) -> Symbol:
        return powers.setdefault((base, exponent), Dummy(**_sign(base) if exponent.is_integer else {}))

    def walk(node: Expr) -> Expr:
        if node.is_Atom:
            return node
        if isinstance(node, Add | Mul):
            return node.func(*map(walk, node.args))
        if not isinstance(node, Pow):
            return unknown(node, Integer(1))
        base, exponent = node.args
        if exponent.is_Integer:
            return walk(base) ** exponent
        if not exponent.is_integer:
            return unknown(node, Integer(1))
        return Mul(*(power(base, term) for term in Add.make_args(expand(exponent))))

    def power(base: Expr, term: Expr) -> Expr:
        count, exponent = term.as_coeff_Mul()
        if not count.is_Integer:
            count, exponent = Integer(1), term
        if exponent == 1:
            return walk(base) ** count
        sign, factors = _factors(base)
        result = Mul(
            *(unknown(factor, exponent) ** (count * multiplicity) for factor, multiplicity in factors)
        )
        if sign < 0 and count % 2:
            result *= unknown(Integer(-1), exponent)
        return result

    rational = walk(expr)
    return rational, [symbol for (base, _), symbol in powers.items() if base == -1]


@cache
def _factors(base: Expr) -> tuple[int, tuple[tuple[Expr, int], ...]]:
    """Sign and irreducible factors of a rational function."""
    sign, factors = 1, []
    for part, direction in zip(base.together().as_numer_denom(), (1, -1), strict=True):
        constant, irreducible = factor_list(part)
        sign = -sign if constant < 0 else sign
        numerator, denominator = Rational(constant).as_numer_denom()
        factors += [(Integer(p), direction * k) for p, k in factorint(abs(numerator)).items()]
        factors += [(Integer(p), -direction * k) for p, k in factorint(denominator).items()]
        factors += [(factor, direction * k) for factor, k in irreducible]
    return sign, tuple(factors)


def _sign(base: Expr) -> dict[str, bool]:
    """The assumption that a polynomial with positive coefficients inherits from its symbols."""
    if any(term.as_coeff_Mul()[0] < 0 for term in Add.make_args(expand(base))):
        return {}
    if all(symbol.is_positive for symbol in base.free_symbols):
        return {"positive": True}
    return {"nonnegative": True} if all(symbol.is_nonnegative for symbol in base.free_symbols) else {}


def quotient(expr: Expr) -> tuple[Any, Any]:
    """Numerator and denominator polynomials (elements of one ring) of a rational function.

    Raises TypeError for anything else, floats included.
    """
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.sort_key())
    domain, *generators = ring(symbols, QQ)
    values = dict(zip(symbols, generators, strict=True))

    def walk(node: Expr) -> tuple[Any, Any]:
        if node.is_Rational:
            return domain(QQ(node.p, node.q)), domain.one
        if node.is_Symbol:
            return values[node], domain.one
        if node.is_Pow:
            numerator, denominator = walk(node.base)
            power = int(node.exp)
            if power < 0:
                numerator, denominator = denominator, numerator
            return numerator ** abs(power), denominator ** abs(power)
        if not (node.is_Add or node.is_Mul):
            raise TypeError(f"not a rational function with rational coefficients: {node}")
        parts = [walk(argument) for argument in node.args]
        numerator, denominator = parts[0]
        for other, below in parts[1:]:
            if node.is_Mul:
                numerator, denominator = numerator * other, denominator * below
            elif denominator == below:
                numerator += other
            else:
                numerator, denominator = numerator * below + other * denominator, denominator * below
        return numerator, denominator

    return walk(expr)


def _has_positive_monomial(polynomial: Any) -> bool:
    """Whether some monomial contains positive symbols only."""
    symbols = polynomial.ring.symbols
    return any(
        all(symbol.is_positive for symbol, power in zip(symbols, powers, strict=True) if power)
        for powers in polynomial.monoms()
    )


_POOL = tuple(
    Rational(p, q) for p, q in ((1, 2), (3, 1), (2, 3), (1, 5), (5, 2), (7, 3), (1, 7), (4, 1), (9, 4))
)


def _values(expr: Expr, tries: int = 24) -> Iterator[tuple[Point, Rational]]:
    """Exact values at rational points, where they are rational or of a sign that SymPy decides."""
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.sort_key())
    for point in islice(_points(symbols), tries):
        value = expr.xreplace(point)
        if value.is_real and value.is_positive is not None:
            yield point, value


def _points(symbols: list[Symbol]) -> Iterator[Point]:
    """Rational points that respect the symbols' assumptions; the same ones every time."""
    draw = Random(0)
    while True:
        point = {}
        for symbol in symbols:
            value = Integer(draw.randint(1, 4)) if symbol.is_integer else draw.choice(_POOL)
            signs = (1,) if symbol.is_positive else (1, 1, 0) if symbol.is_nonnegative else (1, -1)
            point[symbol] = value * draw.choice(signs)
        yield point
