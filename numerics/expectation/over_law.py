"""E over the law of s, of an integrand in normal form: float64, balls and exact.

All three read the same terms c s^i lam^-k (1 - slope lam)^n (`theory.normal_form`)
and share nothing else, so each is a check on the others:

* `ball`:   enclosures, by the routes of `numerics.expectation.ball_evaluators`;
* `exact`:  rational arithmetic on the moments of s;
* `float64`: sign and logarithm, by Gauss rules, since (1 - slope lam)^n leaves
  the range of float64 in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from flint import arb, ctx, fmpq_poly

from numerics.arithmetic.balls import MOMENT_BITS, Number, as_ball, rational
from numerics.expectation.ball_evaluators import evaluator, without_lam
from numerics.laws import Law

if TYPE_CHECKING:
    from numerics.expectation.quadrature import FloatRules
    from theory.normal_form import BoundTerm


class Expectation:
    """Expectations over one law; keeps its tables between calls.

    Terms have i >= 0, k <= 1 and n >= 0; `ball` raises ValueError for others.
    """

    def __init__(self, law: Law) -> None:
        self.law = law
        self.evaluators = [evaluator(component) for component in law.components]

    @cached_property
    def _rules(self) -> FloatRules:
        from numerics.expectation.quadrature import FloatRules

        return FloatRules(self.law)

    @property
    def max_exponent(self) -> int:
        """The largest n that `ball` is meant for."""
        return min(evaluator.max_exponent for evaluator in self.evaluators)

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds that `ball` takes for one term with lam^-k and this n."""
        return sum(evaluator.effort(n, k) for evaluator in self.evaluators)

    def ball(self, terms: Iterable[BoundTerm]) -> arb:
        """Enclosure at flint's working precision; weights are balls or Fractions."""
        total = arb(0)
        for term in terms:
            if term.s_power < 0 or term.lam_power > 1 or term.exponent < 0:
                raise ValueError(
                    "only s^i lam^-k (1 - slope lam)^n with i >= 0, k <= 1 and n >= 0 is enclosed, "
                    f"not i = {term.s_power}, k = {term.lam_power}, n = {term.exponent}"
                )
            slope = as_ball(term.slope)
            value = arb(0)
            for part in self.evaluators:
                value += part.complete(term.s_power, term.lam_power, slope, term.exponent)
            total += as_ball(term.coefficient) * value
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

    def moment(self, k: int) -> Number:
        """E s^k: a fraction, or where the law has none a ball to MOMENT_BITS."""
        if self.law.is_rational:
            return self.law.moment(k)
        with ctx.workprec(MOMENT_BITS):
            return sum((part.complete(k, 0, arb(0), 0) for part in self.evaluators), arb(0))

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
        return self._rules.log_sum(terms)

    def along(self, term: BoundTerm) -> Callable[[float], tuple[int, float]]:
        """`float64` of one term as a function of its slope, for those who ask for thousands of its values."""
        return self._rules.along(term)


def interval_bits(T: int) -> int:
    """To how many bits moments are enclosed whose polynomials, at depth T, have their roots isolated."""
    return MOMENT_BITS + 48 * T


def lam_balls(law: Law, count: int) -> list[arb]:
    """E[s lam^j], j < count, to `interval_bits` of count/2: lam = 1 + s adds neighbours."""
    with ctx.workprec(interval_bits(count // 2) + interval_bits(0) // 4):
        expectation, row = Expectation(law), list[arb]()
        # s (1 - lam)^n = (-1)^n s^(n+1); the largest power first: tables of moments grow once.
        for n in reversed(range(count)):
            power = sum((part.complete(1, 0, arb(1), n) for part in expectation.evaluators), arb(0))
            row.insert(0, -power if n % 2 else power)
        found = []
        while row:
            found.append(row[0])
            row = [a + b for a, b in pairwise(row)]
        return found
