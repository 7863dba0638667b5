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
        middle, reach = ((low + high) / 2).mid(), (high - low) / 2
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


def exact_fit(law: Law, T: int) -> arb | None:
    """A real beta with (1 + beta lam)^T = 1/lam at every value of lam on {s > 0}; None if there is none.

    Decided exactly: the polynomials lam (1 + beta lam)^T - 1 share a real root.
    """
    values = () if law.pieces else positive_values(law)
    candidates = _roots(values[0], T) if values else []
    if len(values) == 1:
        return candidates[0]
    # Balls that are apart save the polynomials.
    if not all(any(beta.overlaps(root) for beta in candidates for root in _roots(s, T)) for s in values):
        return None
    shared = fmpq_poly([])
    for value in values:
        lam = rational(1 + value)
        shared = shared.gcd(lam * fmpq_poly([1, lam]) ** T - 1)
    roots: list[Any] = shared.complex_roots() if shared.degree() > 0 else []
    return next((root.real for root, _ in roots if root.imag.is_zero()), None)


def positive_values(law: Law) -> tuple[Fraction, ...]:
    """The atoms of the law on {s > 0}, in increasing order."""
    return tuple(value for value in law.atoms.values if value > 0) if law.atoms else ()


def _roots(s: Fraction, T: int) -> list[arb]:
    """The real beta with lam (1 + beta lam)^T = 1."""
    lam = ball(1 + s)
    z = (-lam.log() / T).exp()
    return [(sign * z - 1) / lam for sign in ((1, -1) if T % 2 == 0 else (1,))]
