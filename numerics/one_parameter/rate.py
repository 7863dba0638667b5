"""The ends of a law as depth sees them: the constants of their power laws, and when these set in.

Near its ends the law obeys E[s; s <= m_lo + h] ~ A1 h^k1 and E[s; s >= m_hi - h] ~ A2 h^k2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import floor
from typing import TYPE_CHECKING, Any

from flint import arb, ctx

from numerics.arithmetic.balls import ball, dyadic, refine, relative
from numerics.arithmetic.formula import value
from numerics.errors import DepthLimit, PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws import EndBehaviour, Law, end_behaviour
from numerics.laws.contents import whole
from numerics.laws.support_ends import same_sum
from theory.normal_form import BoundTerm

if TYPE_CHECKING:
    from sympy import Expr

    from theory.limits import Rate


RATIO_DIGITS = 12
BOUND_BITS = 128
DEEPEST = 2**60


@dataclass(frozen=True)
class Ends:
    """Both ends of a bounded law that is not constant on {s > 0}."""

    low: EndBehaviour
    high: EndBehaviour

    @cached_property
    def balanced(self) -> bool | None:
        """Whether the two power laws are the same: the first-order term is then 0.  None: undecided."""
        if self.low.exponent != self.high.exponent:
            return False
        same = same_sum(self.low.terms, self.high.terms)
        if same is None and not constant(self.low).overlaps(constant(self.high)):
            return False
        return same


def ends(law: Law) -> Ends | None:
    """The power laws at both ends; None where an end has none."""
    low, high = end_behaviour(law, "low"), end_behaviour(law, "high")
    return None if low is None or high is None else Ends(low, high)


def constant(end: EndBehaviour) -> arb:
    """A in A h^k, at the working precision."""
    total = arb(0)
    for term in end.terms:
        size = ball(term.coefficient)
        for base, exponent in term.powers:
            size *= ball(base) ** ball(exponent)
        for argument, power in term.gammas:
            size *= ball(argument).gamma() ** power
        size *= ball(term.logarithm).exp()
        for windows, power in term.divided:
            size /= whole(windows) ** power
        total += size
    return total


def first_order(rate: Rate, law: Law, ends: Ends, T: int) -> arb:
    """The first-order term of alpha_T - alpha*, at the working precision; exactly 0 for balanced ends."""
    numbers = _numbers(rate, law, ends, T)
    numbers |= {rate.A1: constant(ends.low), rate.A2: constant(ends.high)}
    same = {rate.k2: rate.k1, rate.A2: rate.A1} if ends.balanced else {}
    return arb(value(rate.expr.subs(same), numbers, ball))


def remainder(
    rate: Rate, law: Law, ends: Ends, T: int, alpha: arb, ratios: tuple[arb, arb]
) -> tuple[arb, ...]:
    """What the first-order term leaves out of the bracket that alpha_T shows, as the terms of a sum.

    ratios: what each end gives over its leading term, at alpha_T (`end_ratios.side_ratio`).
    """
    from theory import limits

    low, high = law.lambda_ends
    assert high is not None
    numbers = _numbers(rate, law, ends, T)
    numbers |= {limits.delta: ball(2 / (low + high)) - alpha, rate.R1: ratios[0], rate.R2: ratios[1]}
    return tuple(arb(value(term, numbers, ball)) for term in rate.remainder)


def _numbers(rate: Rate, law: Law, ends: Ends, T: int) -> dict[Expr, Any]:
    from theory import symbols

    low, high = law.lambda_ends
    assert high is not None
    return {
        symbols.T: arb(T),
        symbols.l1: ball(low),
        symbols.l2: ball(high),
        rate.k1: ball(ends.low.exponent),
        rate.k2: ball(ends.high.exponent),
    }


def laplace_ratios(expectation: Expectation, ends: Ends, n: int, max_bits: int) -> tuple[arb, arb]:
    """E[s |1 - a lam|^n] over what the power law of one end gives, to 12 digits; 1 as n -> infinity.

    At a = 1/l2 the low end alone is seen: |1 - a lam|^n ~ (1 - l1/l2)^n exp(-n h/(l2 - l1)); at
    a = 1/l1 the high end.  n is odd.  Raises PrecisionExhausted.
    """
    l1, l2 = expectation.law.lambda_ends
    assert l2 is not None
    width = l2 - l1

    def ratio(end: EndBehaviour, slope: Fraction, sign: int) -> arb:
        seen = sign * expectation.ball((BoundTerm(1, 1, 0, ball(slope), n),))
        k = ball(end.exponent)
        return seen / (constant(end) * (k + 1).gamma() * ball(width / n) ** k * ball(width * slope) ** n)

    found = [
        refine(partial(ratio, *which), relative(RATIO_DIGITS), max_bits)[0]
        for which in ((ends.low, 1 / l2, 1), (ends.high, 1 / l1, -1))
    ]
    return found[0], found[1]


def geometric_bound(constant: arb, kappa: Fraction, T: int) -> arb:
    """constant kappa^(2T), at a precision that T does not use up; 0 < kappa < 1."""
    with ctx.workprec(max(ctx.prec, BOUND_BITS + 2 * T.bit_length())):
        return constant * ball(kappa) ** (2 * T)


def depth_below(constant: arb, kappa: Fraction, level: arb) -> int:
    """The first T >= 1 with constant kappa^(2T) < level; 0 < kappa < 1, constant and level positive.

    Certified; a later one where the widths of `constant` and `level` leave the first open.
    Raises DepthLimit beyond 2^60, PrecisionExhausted if constant or level is not known to be positive.
    """
    gap = 1 - kappa
    with ctx.workprec(BOUND_BITS + 2 * (gap.denominator // gap.numerator).bit_length()):
        exponent = (constant / level).log() / (-2 * ball(kappa).log())
        if not exponent.is_finite():
            raise PrecisionExhausted("the two sides of the bound are not known to be positive")
        first, last = (
            max(1, floor(dyadic(end)) + k) for k, end in enumerate((exponent.lower(), exponent.upper()))
        )
    if last > DEEPEST:
        raise DepthLimit("the bound falls below the level beyond depth $2^{60}$ only")
    while first < last:
        middle = (first + last) // 2
        below = bool(geometric_bound(constant, kappa, middle) < level)
        first, last = (first, middle) if below else (middle + 1, last)
    return last
