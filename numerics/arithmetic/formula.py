"""The value of a SymPy formula, in the arithmetic of the numbers put in: no float enters."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Expr


def value(expression: Expr, numbers: Mapping[Expr, Any]) -> Any:
    """A rational function at numbers of one type: Fractions stay exact, balls stay rigorous.

    Fractions in the formula itself only meet Fractions.  Raises KeyError for a symbol without
    a number, TypeError for anything but sums, products and integer powers, ZeroDivisionError
    at a pole where the numbers are Fractions.
    """
    if expression.is_Integer:
        return int(expression)
    if expression.is_Rational:
        return Fraction(expression.p, expression.q)
    if expression.is_Symbol:
        return numbers[expression]
    if expression.is_Add or expression.is_Mul:
        return reduce(add if expression.is_Add else mul, (value(part, numbers) for part in expression.args))
    if expression.is_Pow and expression.exp.is_Integer:
        base, exponent = value(expression.base, numbers), int(expression.exp)
        return Fraction(base) ** exponent if isinstance(base, int) else base**exponent
    raise TypeError(f"not a rational function: {expression}")
