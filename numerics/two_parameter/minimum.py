"""Enclosures at a minimum of the two-parameter loss.

alpha + beta is of the size of kappa^T at the minimum, so a box in (alpha, beta) degenerates.
beta alone is enclosed, by a sign change of the bracket in R (`theory.stationarity`); from it

    alpha = beta (a_1 - C)/e,  alpha + beta = beta (a_2 - a_1)/e,  f = (C a_2 - a_1^2)/e,

e = a_2 - 2 a_1 + C.  C does not depend on beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flint import arb, ctx

import theory
from numerics.arithmetic.balls import Number, ball, decide, relative, sign
from numerics.arithmetic.certified_roots import Root, isolate_root
from numerics.arithmetic.polynomial_roots import sign_at
from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws.components import MANY_ATOMS
from numerics.two_parameter.profile import CriticalPoint, Profile

if TYPE_CHECKING:
    from theory.normal_form import NormalForm

WEIGHT_DIGITS, SUM_DIGITS = 15, 10
"""Of alpha, and the excess where nobody asks for more; of alpha + beta."""
GUARD_BITS = 64
NEARBY = Fraction(1, 4)
"""How far, relatively, a minimum is looked for from the one-parameter minimiser."""


@dataclass(frozen=True)
class EnclosedMinimum:
    """A minimum of the loss at one depth: Fractions where exact, else balls; `beta` its interval.

    curvatures: D and f'' there; both positive: the Hessian is positive definite.
    bits:       the working precision that sufficed.
    """

    T: int
    beta: tuple[Fraction, Fraction]
    alpha: Number
    alpha_plus_beta: Number
    excess: Number
    curvatures: tuple[arb, arb]
    bits: int

    @property
    def excess_ball(self) -> arb:
        """The excess as a ball."""
        return ball(self.excess) if isinstance(self.excess, Fraction) else self.excess


class _At:
    """C, a_1, a_2 and the derivatives of the last two, at a ball of beta."""

    def __init__(self, expectation: Expectation, T: int, beta: arb) -> None:
        forms = theory.stationarity.stationarity()
        self._expectation, self._T, self.beta = expectation, T, beta
        self.C, self.a1, self.a2, self.d1, self.d2 = map(
            self._mean, (forms.C, forms.a1, forms.a2, *forms.slopes)
        )
        self.e = self.a2 - 2 * self.a1 + self.C
        self.bracket = 2 * (self.a2 - self.a1) * self.d1 + (self.C - self.a1) * self.d2

    def _mean(self, form: NormalForm) -> arb:
        return self._expectation.ball(form.bind(self._T, self.beta))

    @cached_property
    def bracket_slope(self) -> arb:
        """Derivative of the bracket in R."""
        dd1, dd2 = map(self._mean, theory.stationarity.stationarity().bends)
        d1, d2 = self.d1, self.d2
        return 2 * (d2 - d1) * d1 + 2 * (self.a2 - self.a1) * dd1 - d1 * d2 + (self.C - self.a1) * dd2

    @property
    def weights_and_excess(self) -> tuple[arb, arb, arb]:
        """alpha = N/D, alpha + beta and the profile; beta is not 0."""
        alpha, total = self.beta * (self.a1 - self.C) / self.e, self.beta * (self.a2 - self.a1) / self.e
        return alpha, total, (self.C * self.a2 - self.a1 * self.a1) / self.e

    @property
    def curvatures(self) -> tuple[arb, arb]:
        """D, and f'' where R = 0."""
        return self.e / self.beta**2, (self.C - self.a1) * self.bracket_slope / self.e**2


def enclose(
    expectation: Expectation,
    profile: Profile,
    point: CriticalPoint,
    max_bits: int,
    guess: Fraction | None = None,
    excess_digits: int = WEIGHT_DIGITS,
) -> EnclosedMinimum:
    """The minimum `point`, off the axis and with beta < 0: the weights to 15 digits, alpha + beta to 10.

    guess:         a value of beta to start from.
    excess_digits: of the excess.
    Raises PrecisionExhausted.
    """
    if point.beta.is_exact:
        return _exact(expectation, profile, point.beta.low, max_bits, excess_digits)
    bracket = (-point.beta.high, -point.beta.low)
    start = None if guess is None or not bracket[0] < -guess < bracket[1] else -guess
    side, digits = sign_at(profile.N, point.beta.high), 2 * WEIGHT_DIGITS
    while True:
        root = _isolate(expectation, profile.T, bracket, side, digits, max_bits, start)
        bits = root.bits + GUARD_BITS
        with ctx.workprec(bits):
            at = _At(expectation, profile.T, -root.ball)
            values, curvatures = at.weights_and_excess, at.curvatures
        goals = (WEIGHT_DIGITS, SUM_DIGITS, excess_digits)
        if all(relative(goal)(value) for value, goal in zip(values, goals, strict=True)):
            return EnclosedMinimum(profile.T, (-root.upper, -root.lower), *values, curvatures, bits)
        start, digits = root.middle, 2 * digits


def nearby(expectation: Expectation, T: int, alpha: Root, max_bits: int) -> tuple[arb, Root]:
    """A positive definite minimum near the one-parameter minimiser: alpha_T, and b = -beta_T to 30 digits.

    That the flow reaches this one is not shown.  Raises PrecisionExhausted, or NoConvergence if the
    point found is not one.
    """
    bracket = (alpha.lower * (1 - NEARBY), alpha.upper * (1 + NEARBY))
    root = _isolate(expectation, T, bracket, 1, 2 * WEIGHT_DIGITS, max_bits, alpha.middle)
    with ctx.workprec(root.bits + GUARD_BITS):
        at = _At(expectation, T, -root.ball)
        if not all(curvature > 0 for curvature in at.curvatures):
            raise NoConvergence(f"no minimum found near the one-parameter minimiser at $T = {T}$")
        return at.weights_and_excess[0], root


def _isolate(
    expectation: Expectation,
    T: int,
    bracket: tuple[Fraction, Fraction],
    side: int,
    digits: int,
    max_bits: int,
    start: Fraction | None,
) -> Root:
    """The root in b = -beta.  side: the sign of N; times it, the bracket in R rises with beta like f'."""
    return isolate_root(
        lambda b: side * _At(expectation, T, -b).bracket,
        lambda b: -side * _At(expectation, T, -b).bracket_slope,
        bracket,
        digits,
        max_bits,
        start,
    )


def _exact(
    expectation: Expectation, profile: Profile, beta: Fraction, max_bits: int, excess_digits: int
) -> EnclosedMinimum:
    """At a rational beta: rational weights; the excess C - N^2/D is rational where C is.

    Of many atoms its denominator, the product of their lam, has more digits than are of use.
    """
    alpha, C = profile.ridge(beta), theory.stationarity.stationarity().C.bind(profile.T, beta)
    atoms = expectation.law.atoms
    few = not expectation.law.pieces and atoms is not None and len(atoms.values) <= MANY_ATOMS
    excess = expectation.exact(C) - profile.best_gain(beta) if few else None

    def certified() -> EnclosedMinimum | None:
        at = _At(expectation, profile.T, ball(beta))
        value = at.weights_and_excess[2] if excess is None else excess
        if all(sign(c) is not None for c in at.curvatures) and (
            isinstance(value, Fraction) or relative(excess_digits)(value)
        ):
            return EnclosedMinimum(
                profile.T, (beta, beta), alpha, alpha + beta, value, at.curvatures, ctx.prec
            )
        return None

    failure = f"the excess is not known to {excess_digits} digits within"
    return decide(certified, max_bits, failure=failure)[0]
