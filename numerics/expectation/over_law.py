"""E over the law of s, of an integrand in normal form: float64, mpmath, balls and exact.

All four read the same terms c s^i lam^-k (1 - slope lam)^n (`theory.normal_form`)
and share nothing else, so each is a check on the others:

* `ball`:   enclosures, by the routes of `numerics.expectation.ball_evaluators`;
* `exact`:  rational arithmetic on the moments of s;
* `mpmath`: moments of lam at raised precision, and quadrature of 1/lam;
* `float64`: sign and logarithm, by Gauss rules, since (1 - slope lam)^n leaves
  the range of float64 in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq_poly

from numerics.arithmetic.balls import ball, rational
from numerics.errors import NoConvergence
from numerics.expectation.ball_evaluators import evaluator, without_lam
from numerics.laws import Law

if TYPE_CHECKING:
    from numerics.expectation.quadrature import FloatRule
    from theory.normal_form import BoundTerm

SMOOTH_DEGREE = 64
"""A polynomial degree that 1/lam is worth to a Gauss rule."""


class Expectation:
    """Expectations over one law; keeps its tables between calls.

    Terms have i >= 0, k <= 1 and n >= 0.
    """

    def __init__(self, law: Law) -> None:
        self.law = law
        self.evaluators = [evaluator(component) for component in law.components]
        self._rules: dict[int, FloatRule] = {}

    @property
    def max_exponent(self) -> int:
        """The largest n that `ball` is meant for."""
        return min(evaluator.max_exponent for evaluator in self.evaluators)

    def effort(self, n: int) -> int:
        """About the microseconds that `ball` takes for one term with this n."""
        return sum(evaluator.effort(n) for evaluator in self.evaluators)

    def ball(self, terms: Iterable[BoundTerm]) -> arb:
        """Enclosure at flint's working precision; weights are balls or Fractions."""
        total = arb(0)
        for term in terms:
            slope = _as_ball(term.slope)
            value = arb(0)
            for part in self.evaluators:
                value += part.complete(term.s_power, term.lam_power, slope, term.exponent)
            total += _as_ball(term.coefficient) * value
        return total

    def exact(self, terms: Iterable[BoundTerm]) -> Fraction:
        """Exact value at rational weights.  Raises ValueError for a weight 1/lam under a density."""
        total = Fraction(0)
        for term in terms:
            if term.lam_power <= 0:
                slope = Fraction(term.slope)
                value = sum(
                    (
                        weight * self.polynomial(i, slope, term.exponent)
                        for weight, i, _ in without_lam(term.s_power, term.lam_power)
                    ),
                    Fraction(0),
                )
            elif not self.law.pieces:
                atoms = self.law.atoms
                assert atoms is not None
                value = sum(
                    mass
                    * s**term.s_power
                    / (1 + s) ** term.lam_power
                    * (1 - term.slope * (1 + s)) ** term.exponent
                    for s, mass in zip(atoms.values, atoms.masses, strict=True)
                )
            else:
                raise ValueError("1/lam has no rational expectation under a density")
            total += term.coefficient * value
        return total

    def polynomial(self, i: int, slope: Fraction, n: int) -> Fraction:
        """E[s^i (1 - slope lam)^n] exactly, by the moments of s."""
        coefficients = (fmpq_poly([rational(1 - slope), rational(-slope)]) ** n).coeffs()
        moments = self.law.moments(i + n + 1)
        total = sum((c * rational(moments[i + m]) for m, c in enumerate(coefficients)), rational(0))
        return Fraction(int(total.p), int(total.q))

    def float64(self, terms: Iterable[BoundTerm]) -> tuple[int, float]:
        """Sign and natural logarithm of the modulus (0, -inf for zero).

        To some 9 digits of the largest term;
        under an unbounded density with the weight 1/lam, to some 4.
        """
        from numerics.expectation.quadrature import FloatRule, signed_log_sum

        parts = []
        for term in terms:
            degree = term.exponent + term.s_power + SMOOTH_DEGREE * term.lam_power
            size = FloatRule.size(degree)
            if size not in self._rules:
                self._rules[size] = FloatRule(self.law, size)
            parts.append(self._rules[size].term(term))
        return signed_log_sum(parts)

    def mpmath(self, terms: Iterable[BoundTerm]) -> Any:
        """mpmath number at the working precision of `mpmath.mp`, by moments of lam.

        Raises NoConvergence where the terms cancel beyond what 8 times the usual guard bits show.
        """
        from mpmath import mp, mpf

        terms = list(terms)
        least = 64 + max((term.exponent for term in terms), default=0)
        before: Any = None
        for guard in (least, 2 * least, 4 * least, 8 * least):
            with mp.workprec(mp.prec + guard):
                value = sum((mpf(1) * _as_mp(t.coefficient) * self._mp_term(t) for t in terms), mpf(0))
            if before is not None and abs(value - before) <= abs(value) * mpf(2) ** (2 - mp.prec):
                return +value
            before = value
        raise NoConvergence("the terms cancel: their sum is 0, or too small to be told from it")

    def _mp_term(self, term: BoundTerm) -> Any:
        """E[s^i lam^-k q^n] = sum_m C(n,m) (-slope)^m E[s^i lam^(m-k)]."""
        from mpmath import mpf

        slope, total = -_as_mp(term.slope), mpf(0)
        for m in range(term.exponent + 1):
            total += comb(term.exponent, m) * slope**m * self._mp_moment(term.s_power, m - term.lam_power)
        return total

    def _mp_moment(self, i: int, power: int) -> Any:
        """E[s^i lam^power], power >= -1."""
        from mpmath import mpf

        if power < 0:
            if i > 0:
                return self._mp_moment(i - 1, 0) - self._mp_moment(i - 1, -1)
            from numerics.expectation.quadrature import mp_reciprocal

            return mp_reciprocal(self.law)
        moments = self.law.moments(i + power + 1)
        value = sum((comb(power, j) * moments[i + j] for j in range(power + 1)), Fraction(0))
        return mpf(value.numerator) / value.denominator


def _as_ball(value: Any) -> arb:
    return ball(value) if isinstance(value, Fraction | int) else value


def _as_mp(value: Any) -> Any:
    from mpmath import mpf

    return mpf(value.numerator) / value.denominator if isinstance(value, Fraction | int) else value
