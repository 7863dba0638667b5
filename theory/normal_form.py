"""Integrands as sums of c s^i lam^-k q^n, q affine in lam: what every numerical evaluator reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from sympy import Add, Expr, Integer, Symbol, diff, factor, fraction, lambdify, together

from theory.symbols import T, lam, s


@dataclass(frozen=True)
class Term:
    """coefficient * s**s_power * lam**-lam_power * (1 - slope*lam)**exponent.

    coefficient: rational function of the depth and the weights, free of s and lam.
    exponent:    affine in the depth; where it is negative at some depth >= 1, the coefficient is 0.
    """

    coefficient: Expr
    s_power: int
    lam_power: int
    slope: Expr
    exponent: Expr

    @property
    def expr(self) -> Expr:
        """The term as a SymPy expression in s, lam, T and the weights."""
        q = 1 - self.slope * lam
        return self.coefficient * s**self.s_power * lam**-self.lam_power * q**self.exponent


class BoundTerm(NamedTuple):
    """A term at one depth and one choice of weights; numbers are of the weights' own type, or int."""

    coefficient: Any
    s_power: int
    lam_power: int
    slope: Any
    exponent: int


@dataclass(frozen=True)
class NormalForm:
    """A sum of terms, integrated over the law of s by the evaluators."""

    terms: tuple[Term, ...]
    weights: tuple[Symbol, ...]

    @cached_property
    def expr(self) -> Expr:
        """The sum as a SymPy expression."""
        return Add(*(term.expr for term in self.terms))

    def derivative(self, weight: Symbol) -> NormalForm:
        """The derivative in a weight, term by term."""
        found: dict[tuple[int, int, Expr, Expr], Expr] = {}
        for term in self.terms:
            inner = -diff(term.slope, weight) * term.exponent * term.coefficient
            for coefficient, lam_power, exponent in (
                (diff(term.coefficient, weight), term.lam_power, term.exponent),
                (inner, term.lam_power - 1, term.exponent - 1),
            ):
                key = (term.s_power, lam_power, term.slope, exponent)
                found[key] = found.get(key, Integer(0)) + coefficient
        terms = [Term(factor(coefficient), *key) for key, coefficient in found.items()]
        return NormalForm(tuple(term for term in terms if term.coefficient != 0), self.weights)

    def bind(self, depth: int, *weights: Any) -> tuple[BoundTerm, ...]:
        """The terms at a depth >= 1 and at weights of any one number type.

        Only + - * /, integer powers and Python integers meet the weights: exact stays exact,
        balls stay rigorous, no float enters.  Raises ValueError for a wrong number of weights,
        depth < 1 or a negative exponent; at a pole, what the number type raises or returns.
        """
        if len(weights) != len(self.weights) or depth < 1:
            names = ", ".join(str(weight) for weight in self.weights)
            raise ValueError(f"expected a depth >= 1 and the weights ({names})")
        bound = []
        for term, (top, bottom, slope, exponent) in zip(
            self.terms, self._numbers(depth, *weights), strict=True
        ):
            if exponent >= 0:
                coefficient = _ratio(top, bottom)
                bound.append(BoundTerm(coefficient, term.s_power, term.lam_power, slope, exponent))
            elif top != 0:
                raise ValueError(f"a negative power of 1 - slope*lam at depth {depth}")
        return tuple(bound)

    @cached_property
    def _numbers(self) -> Callable[..., list[tuple[Any, Any, Any, int]]]:
        rows = [(*fraction(together(term.coefficient)), term.slope, term.exponent) for term in self.terms]
        compiled: Callable[..., Any] = lambdify((T, *self.weights), rows, modules=[])
        return compiled


def _ratio(top: Any, bottom: Any) -> Any:
    """top/bottom without a float."""
    if isinstance(bottom, int):
        if bottom == 1:
            return top
        return Fraction(top, bottom) if isinstance(top, int) else top / bottom
    return top / bottom
