"""The least excess without skip, F^0 = X, over all beta at one depth: enclosed by branch and bound.

With b = -beta, q = 1 - b lam the loss is f = A - 2B + C,

    A = E[s lam q^(2T)],  B = E[s q^T],  C = E[s/lam].

b <= 0 or b >= 2/l1: f does not fall away from [0, 2/l1] (the sign of its derivative).
Let U be a value of f.  Past a point with A' >= 0 and sqrt A >= sqrt C + sqrt U, A rises, A being
convex, and f >= (sqrt A - sqrt C)^2 >= U by Cauchy-Schwarz.  On |b - c| <= r, again by convexity,

    f(b) >= f(c) - |f'(c)| r - r^2 sup B'',  B'' = T (T-1) E[s lam^2 q^(T-2)],

if the supremum is not negative.  It is attained at an end: B'' is convex in b for even T and falls for odd T.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, ctx, fmpz

from numerics.arithmetic.balls import ball, decide, ends
from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from theory.normal_form import BoundTerm

MAX_BOXES = 20_000
START_BITS = 96
WIDTH = Fraction(1, 1000)


@dataclass(frozen=True)
class Floor:
    """lower <= least excess over all beta <= upper; `beta` attains the upper.

    lower >= (1 - 1/1000) upper.
    """

    lower: Fraction
    upper: Fraction
    beta: Fraction
    bits: int


def least_excess(expectation: Expectation, T: int, max_bits: int) -> Floor:
    """The least excess at depth T; the law must not be 0, and T not one of the depths fitted exactly.

    Raises PrecisionExhausted, or NoConvergence past MAX_BOXES intervals.
    """
    return decide(lambda: _Search(expectation, T).run(ctx.prec), max_bits, min(START_BITS, max_bits))[0]


class _Box(NamedTuple):
    """An interval of b, ordered by a lower bound on f there; and the bends at its ends."""

    order: float
    bound: arb
    low: arb
    high: arb
    bend_low: arb
    bend_high: arb

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        return bool(self.order < other[0])


class _Search:
    """Branch and bound at one working precision."""

    def __init__(self, expectation: Expectation, T: int) -> None:
        self.expectation, self.T = expectation, T
        self.constant = self._mean(1, arb(1), 0)

    def _mean(self, k: int, b: arb, n: int) -> arb:
        """E[s lam^-k q^n]."""
        return self.expectation.ball((BoundTerm(1, 1, k, b, n),))

    def square(self, b: arb) -> tuple[arb, arb]:
        """A and its derivative in b."""
        n = 2 * self.T
        return self._mean(-1, b, n), -n * self._mean(-2, b, n - 1)

    def loss(self, b: arb) -> tuple[arb, arb]:
        """f and its derivative in b."""
        value, slope = self.square(b)
        cross, fall = self._mean(0, b, self.T), self.T * self._mean(-1, b, self.T - 1)
        return value - 2 * cross + self.constant, slope + 2 * fall

    def bend(self, b: arb) -> arb:
        """B''; where it is negative, 0."""
        if self.T == 1:
            return arb(0)
        return (self.T * (self.T - 1) * self._mean(-2, b, self.T - 2)).nonnegative_part()

    def bound(self, low: arb, high: arb, bend: arb) -> tuple[arb, arb]:
        """f in the middle of [low, high], and a number below f on it; bend: the larger of both ends'."""
        middle = ((low + high) / 2).mid()
        reach = (high - middle).max(middle - low)  # not half the width: the middle is rounded
        value, slope = self.loss(middle)
        return value, (value - abs(slope) * reach - bend * reach**2).lower()

    def attained(self, high: arb) -> tuple[arb, arb]:
        """The least loss among high, high/2, high/4, ... down to the scale 1/T, and where."""
        points = [high / 2**k for k in range(self.T.bit_length() + 4)]
        values = [(self.loss(point)[0].upper(), point) for point in points]
        return min(values, key=lambda pair: float(pair[0]))

    def right_end(self, high: arb, least: arb) -> arb:
        """A point <= high past which f >= least."""
        threshold = (self.constant.sqrt() + least.sqrt()) ** 2

        def beyond(b: arb) -> bool:
            value, slope = self.square(b)
            return bool(value >= threshold) and bool(slope >= 0)

        low = high / 2
        while beyond(low):
            high, low = low, low / 2
        for _ in range(3):
            middle = (low + high) / 2
            low, high = (low, middle) if beyond(middle) else (middle, high)
        return high

    def run(self, bits: int) -> Floor | None:
        """The floor; None if the balls are too wide at this precision."""
        l1, _ = self.expectation.law.lambda_ends
        # Not 2/l1, of which 1/l1 is half: there q vanishes at the low end.
        high = ball(Fraction(33, 16) / l1).upper()
        upper, best = self.attained(high)
        boxes: list[_Box] = []

        def enter(low: arb, high: arb, bend_low: arb, bend_high: arb) -> bool:
            """Bound f on [low, high]; False if the ball at the middle is too wide."""
            nonlocal upper, best
            middle = ((low + high) / 2).mid()
            value, bound = self.bound(low, high, bend_low.max(bend_high))
            if value.upper() < upper:
                upper, best = value.upper(), middle
            heapq.heappush(boxes, _Box(float(bound), bound, low, high, bend_low, bend_high))
            return bool(value.rad() < upper * ball(WIDTH) / 8) and bool(bound.is_finite())

        start, end = arb(0), self.right_end(high, upper)
        fine = enter(start, end, self.bend(start), self.bend(end))
        for _ in range(MAX_BOXES):
            if not fine:
                return None
            if boxes[0].bound > 0 and boxes[0].bound >= (1 - ball(WIDTH)) * upper:
                least = min(ends(box.bound)[0] for box in boxes)
                return Floor(min(least, ends(upper)[0]), ends(upper)[1], -ends(best)[0], bits)
            _, _, low, high, bend_low, bend_high = heapq.heappop(boxes)
            middle = ((low + high) / 2).mid()
            bend = self.bend(middle)
            fine = enter(low, middle, bend_low, bend) and enter(middle, high, bend, bend_high)
        raise NoConvergence(f"the least excess at depth {self.T} needs more than {MAX_BOXES} intervals")


def fitted_depths(law: Law) -> dict[int, Fraction]:
    """The depths T at which some beta has (1 + beta lam)^T = 1/lam at every lam on {s > 0}, and that beta.

    Two or more values of s > 0; empty for a law with a density.  Exact, for all T at once.  Let z_i =
    1 + beta lam_i and lam_i != lam_j: lam_i z_j - lam_j z_i = lam_i - lam_j.  A real z with rational z^T has
    conjugates of one modulus, whose product +-z^n is rational, n the degree: its minimal polynomial is
    t^n - z^n, of trace 0 if n > 1.  Were z_i and z_j both irrational, the trace would make lam_i - lam_j
    0; if one is rational, so is the other.  So every lam is a T-th power of a rational number above 1, and
    2^T is at most its numerator.
    """
    values = [1 + value for value in positive_values(law)]
    if law.pieces or len(values) < 2:
        return {}
    found = {}
    for T in range(1, min(lam.numerator.bit_length() for lam in values)):
        roots = [root for lam in values if (root := _power_root(lam, T)) is not None]
        if len(roots) < len(values):
            continue
        # z > 0 at the least lam: beta < 0, and two z < 0 would grow with lam.
        beta = (1 / roots[0] - 1) / values[0]
        if all((1 + beta * lam) ** T * lam == 1 for lam in values):
            found[T] = beta
    return found


def _power_root(number: Fraction, n: int) -> Fraction | None:
    """The positive n-th root of a positive rational number, if it is rational."""
    numerator, denominator = (int(fmpz(part).root(n)) for part in (number.numerator, number.denominator))
    root = Fraction(numerator, denominator)
    return root if root**n == number else None


def fitted(law: Law) -> str | None:
    """Why the excess is exactly 0 at some depth for some beta; None if it never is.  The law is not 0."""
    if law.is_constant:
        return f"one value of $s > 0$, ${law.m_lo}$, is fitted exactly at every depth"
    depths = fitted_depths(law)
    listed = ", ".join(rf"$T = {T}$ ($\beta = {beta}$)" for T, beta in depths.items())
    return f"all values of $s > 0$ are fitted exactly at {listed}" if depths else None


def fitted_in_the_limit(law: Law) -> str | None:
    """Why the excess tends to 0 with the depth though no depth need fit; None if it does not.

    1 + beta lam -> 1 while (1 + beta lam)^T -> 1/lam asks for one value of (log lam)/lam, which rises up to e
    and falls from there.
    """
    values = [1 + value for value in positive_values(law)]
    if law.pieces or len(values) != 2 or not equal_powers(*values):
        return None
    return rf"$\lambda = {values[0]}, {values[1]}$: $\lambda_1^{{\lambda_2}} = \lambda_2^{{\lambda_1}}$"


def equal_powers(x: Fraction, y: Fraction) -> bool:
    """Whether x^y = y^x, for rational 1 < x < y, exactly.

    With y = r x this is x = r^(1/(r-1)).  Let r - 1 = p/q in lowest terms: x is rational only if
    p + q and q are p-th powers; two p-th powers of positive integers differ by more than p unless
    p = 1.  So r = 1 + 1/q and x = r^q.
    """
    step = y / x - 1
    q = step.denominator
    if step.numerator != 1 or q > x.numerator.bit_length():
        return False
    return x == (1 + step) ** q


def positive_values(law: Law) -> tuple[Fraction, ...]:
    """The atoms of the law on {s > 0}, in increasing order."""
    return tuple(value for value in law.atoms.values if value > 0) if law.atoms else ()
