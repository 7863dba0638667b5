"""The value of a SymPy formula, in the arithmetic of the numbers put in: no float enters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Expr


def value(
    expression: Expr, numbers: Mapping[Expr, Any], rational: Callable[[Fraction], Any] = Fraction
) -> Any:
    """A formula at numbers of one type: Fractions stay exact, balls stay rigorous.

    rational: what the fractions in the formula itself become: `ball` where they meet balls.
    Logarithms and Gamma functions are there for balls.  Raises KeyError for a symbol without a
    number, TypeError for anything else but sums, products and integer powers, ZeroDivisionError at
    a pole where the numbers are Fractions.
    """
    if expression.is_Integer:
        return int(expression)
    if expression.is_Rational:
        return rational(Fraction(expression.p, expression.q))
    if expression.is_Symbol:
        return numbers[expression]
    parts = (value(part, numbers, rational) for part in expression.args)
    if expression.is_Add or expression.is_Mul:
        return reduce(add if expression.is_Add else mul, parts)
    if expression.is_Pow and expression.exp.is_Integer:
        base, exponent = next(parts), int(expression.exp)
        return Fraction(base) ** exponent if isinstance(base, int) else base**exponent
    if expression.func.__name__ in ("log", "gamma"):
        return getattr(next(parts), expression.func.__name__)()
    raise TypeError(f"no value for {expression}")
