"""The least excess without skip, F^0 = X, over all beta at one depth: enclosed by branch and bound.

With b = -beta, q = 1 - b lam the loss is f = A - 2B + C,

    A = E[s lam q^(2T)],  B = E[s q^T],  C = E[s/lam].

b <= 0 or b >= 2/l1: f does not fall away from [0, 2/l1] (the sign of its derivative).
Let U be a value of f.  Past a point with A' >= 0 and sqrt A >= sqrt C + sqrt U, A rises, A being
convex, and f >= (sqrt A - sqrt C)^2 >= U by Cauchy-Schwarz.  On |b - c| <= r, again by convexity,

    f(b) >= f(c) - |f'(c)| r - r^2 sup B'',  B'' = T (T-1) E[s lam^2 q^(T-2)],

the supremum of a convex bound being at an end of the interval.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from flint import arb, ctx, fmpq_poly

from numerics.balls import ball, ends, rational
from numerics.errors import NoConvergence, PrecisionExhausted
from numerics.expectation import Expectation
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
    """The least excess at depth T; the law must not be 0, and `exact_fit` must be None.

    Raises PrecisionExhausted, or NoConvergence past MAX_BOXES intervals.
    """
    bits = min(START_BITS, max_bits)
    while True:
        with ctx.workprec(bits):
            found = _Search(expectation, T).run(bits)
        if found is not None:
            return found
        if bits >= max_bits:
            raise PrecisionExhausted(f"undecided at {max_bits} bits")
        bits = min(2 * bits, max_bits)


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
        """A convex function of b that is at least |B''|."""
        n = self.T - 2
        if self.T == 1:
            return arb(0)
        power = self._mean(-2, b, n) if n % 2 == 0 else (self._mean(-2, b, n - 1) + self._mean(-2, b, n + 1)) / 2
        return self.T * (self.T - 1) * power

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
        # Not 2/l1: half of that is where q vanishes at the low end, and Arb's powers of a ball about 0 are nan.
        high = ball(Fraction(33, 16) / l1).upper()
        upper, best = self.attained(high)
        start, end = arb(0), self.right_end(high, upper)
        order = count()
        boxes: list[tuple[float, int, arb, arb, arb, arb, arb]] = []

        def enter(low: arb, high: arb, bend_low: arb, bend_high: arb) -> bool:
            """Bound f on [low, high]; False if the ball at the middle is too wide."""
            nonlocal upper, best
            middle = ((low + high) / 2).mid()
            reach = (high - low) / 2
            value, slope = self.loss(middle)
            if value.upper() < upper:
                upper, best = value.upper(), middle
            bound = (value - abs(slope) * reach - bend_low.max(bend_high) * reach**2).lower()
            heapq.heappush(boxes, (float(bound), next(order), bound, low, high, bend_low, bend_high))
            return bool(value.rad() < upper * ball(WIDTH) / 8)

        fine = enter(start, end, self.bend(start), self.bend(end))
        while fine and next(order) < 2 * MAX_BOXES:
            _, _, bound, low, high, bend_low, bend_high = heapq.heappop(boxes)
            if bound > 0 and bound >= (1 - ball(WIDTH)) * upper:
                return Floor(min(ends(bound)[0], ends(upper)[0]), ends(upper)[1], -ends(best)[0], bits)
            middle = ((low + high) / 2).mid()
            bend = self.bend(middle)
            fine = enter(low, middle, bend_low, bend) and enter(middle, high, bend, bend_high)
        if fine:
            raise NoConvergence(f"the least excess at depth {self.T} needs more than {MAX_BOXES} intervals")
        return None


def exact_fit(law: Law, T: int) -> arb | None:
    """A real beta with (1 + beta lam)^T = 1/lam at every value of lam on {s > 0}; None if there is none.

    Decided exactly: the polynomials lam (1 + beta lam)^T - 1 share a real root.
    """
    if law.pieces:
        return None
    values = positive_values(law)
    shared = fmpq_poly([])
    for value in values:
        if not any(_overlap(beta, value, T) for beta in _roots(values[0], T)):
            return None
    for value in values:
        lam = rational(1 + value)
        shared = shared.gcd(lam * fmpq_poly([1, lam]) ** T - 1)
    if shared.degree() == 0:
        return None
    factors = [factor for factor, _ in shared.factor()[1] if factor.degree() == 1]
    if factors:
        top, bottom = -factors[0][0], factors[0][1]
        return arb(top / bottom)
    return _roots(values[0], T)[0] if len(values) == 1 else None


def positive_values(law: Law) -> tuple[Fraction, ...]:
    """The atoms of the law on {s > 0}, in increasing order."""
    return tuple(value for value in law.atoms.values if value > 0) if law.atoms else ()


def _roots(s: Fraction, T: int) -> list[arb]:
    """The real beta with lam (1 + beta lam)^T = 1."""
    lam = ball(1 + s)
    z = (-lam.log() / T).exp()
    return [(sign * z - 1) / lam for sign in ((1, -1) if T % 2 == 0 else (1,))]


def _overlap(beta: arb, s: Fraction, T: int) -> bool:
    return any(beta.overlaps(root) for root in _roots(s, T))
