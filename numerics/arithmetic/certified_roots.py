"""Certified roots: an interval of stated width at whose ends a function provably has opposite signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from numerics.arithmetic.balls import ball, decide, dyadic, sign

MAX_STEPS = 400


@dataclass(frozen=True)
class Root:
    """The function is positive at `lower` and negative at `upper`: a root lies between.

    bits: the working precision at which both signs were certified.
    """

    lower: Fraction
    upper: Fraction
    bits: int

    @property
    def ball(self) -> arb:
        """The interval as a ball at the working precision."""
        return ball(self.lower).union(ball(self.upper))

    @property
    def middle(self) -> Fraction:
        """The midpoint, exactly."""
        return (self.lower + self.upper) / 2


def certain_digits(lower: Fraction, upper: Fraction) -> int:
    """The largest k >= 0 with |x - middle| <= 10^-k x for every x of the interval, 0 < lower < upper.

    >>> certain_digits(Fraction("0.2857"), Fraction("0.2859"))
    3
    """
    ratio = 2 * lower / (upper - lower)
    return len(str(int(ratio))) - 1


def isolate_root(
    f: Callable[[arb], arb],
    slope: Callable[[arb], arb],
    bracket: tuple[Fraction, Fraction],
    digits: int,
    max_bits: int,
    guess: Fraction | None = None,
) -> Root:
    """Enclose the root of a function that falls from positive to negative inside the bracket.

    f, slope: value and derivative at a point, at the working precision.
    bracket:  0 <= low < high.  Signs at its ends are not used.
    digits:   relative half-width 10^-digits / 2 of the answer.

    Newton steps lead to the root; the signs at the two ends of the answer alone certify it, so that a
    vanishing derivative does no harm, where interval Newton methods (Moore, Kearfott and Cloud, 2009)
    fail.  `scipy.optimize.brentq` finds the number and certifies nothing.

    Raises PrecisionExhausted if the signs are not decided within `max_bits`.

    >>> root = isolate_root(lambda x: 2 - x**2, lambda x: -2 * x, (Fraction(1), Fraction(2)), 20, 1024)
    >>> root.lower**2 < 2 < root.upper**2, certain_digits(root.lower, root.upper) >= 20
    (True, True)
    """

    def certified() -> Root | None:
        tolerance = arb(10) ** -digits / 2
        start = sum(bracket, Fraction(0)) / 2 if guess is None else guess
        x = _approximate(f, slope, tuple(ball(end).mid() for end in bracket), ball(start).mid(), tolerance)
        reach = (x * tolerance).mid()
        lower, upper = (x - reach).mid(), (x + reach).mid()
        if lower > 0 and sign(f(lower)) == 1 and sign(f(upper)) == -1:
            return Root(dyadic(lower), dyadic(upper), ctx.prec)
        return None

    bits = max(64, int(digits * 3.33) + 32)
    return decide(certified, max_bits, bits, "no certified enclosure of the root within")[0]


def _approximate(
    f: Callable[[arb], arb], slope: Callable[[arb], arb], bracket: tuple[arb, ...], x: arb, tolerance: arb
) -> arb:
    """A point near the root: Newton's steps while each is at most half the last, else bisection.  No proof.

    Stops where the sign cannot be told at this precision.  An end of the bracket that a step would pass is
    tried once: bisection would take long to a root just before it.
    """
    low, high = bracket
    untried = list(bracket)
    before = high - low
    for _ in range(MAX_STEPS):
        value = f(x)
        side = sign(value)
        if side is None or side == 0:
            return x
        low, high = (x, high) if side > 0 else (low, x)
        step = -value.mid() / slope(x).mid()
        nearer = (x + step).mid()
        end = low if nearer < low else high
        if step.is_finite() and not low <= nearer <= high and end in untried:
            untried.remove(end)
            if sign(f(end)):
                x, before = end, high - low
                continue
        if step.is_finite() and low <= nearer <= high and 2 * abs(step) <= before:
            # At a root of order n the step is 1/n of the way.
            if abs(step) < abs(x) * tolerance / 64:
                return nearer
            x, before = nearer, abs(step)
        else:
            x = (low * high).sqrt().mid() if low > 0 and high > 4 * low else ((low + high) / 2).mid()
            before = high - low
    return x
