"""Orthogonal polynomials by their three-term recurrence, and their zeros, enclosed by signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx

from numerics.arithmetic.balls import ball, sign
from numerics.arithmetic.certified_roots import Root, isolate_root
from numerics.errors import PrecisionExhausted

CUTS = tuple(Fraction(k, 16) for k in (8, 7, 9, 6, 10, 5, 11))
"""Where an interval is cut: at the next one where a sign is open, as at a zero."""


@dataclass(frozen=True)
class Recurrence:
    """pi_(k+1) = (x - diagonal[k]) pi_k - squares[k] pi_(k-1), monic and orthogonal; squares[0] = 0.

    Its first T coefficients give pi_0, ..., pi_T.
    """

    diagonal: tuple[arb, ...]
    squares: tuple[arb, ...]

    def values(self, x: arb, degree: int) -> list[arb]:
        """pi_0, ..., pi_degree at x."""
        found, before = [arb(1)], arb(0)
        for a, b in zip(self.diagonal[:degree], self.squares[:degree], strict=True):
            found.append((x - a) * found[-1] - b * before)
            before = found[-2]
        return found

    def slope(self, x: arb, degree: int) -> arb:
        """The derivative of pi_degree at x."""
        values, found, before = self.values(x, degree), arb(0), arb(0)
        for k in range(degree):
            found, before = (
                values[k] + (x - self.diagonal[k]) * found - self.squares[k] * before,
                found,
            )
        return found


def from_moments(moments: Sequence[arb]) -> Recurrence:
    """The recurrence of a measure from its first 2T moments (Chebyshev's algorithm); T coefficients each.

    The measure has at least T points of support.  Balls that are too wide for it become nan.
    """
    T = len(moments) // 2
    diagonal, squares = [moments[1] / moments[0]], [arb(0)]
    before, row = [arb(0)] * (2 * T), list(moments)
    for k in range(1, T):
        a, b = diagonal[-1], squares[-1]
        new = [arb(0)] * k
        new += [row[j + 1] - a * row[j] - b * before[j] for j in range(k, 2 * T - k)]
        diagonal.append(new[k + 1] / new[k] - row[k] / row[k - 1])
        squares.append(new[k] / row[k - 1])
        before, row = row, new
    return Recurrence(tuple(diagonal), tuple(squares))


def moved(recurrence: Recurrence, slope: arb) -> Recurrence:
    """The same polynomials, made monic, in lam: x = 1 - slope lam."""
    return Recurrence(
        tuple((1 - a) / slope for a in recurrence.diagonal),
        tuple(b / slope**2 for b in recurrence.squares),
    )


def zeros_below(recurrence: Recurrence, degree: int, x: Fraction) -> int | None:
    """How many zeros of pi_degree are below x, by Sturm's theorem; None if the signs do not tell."""
    signs = [sign(value) for value in recurrence.values(ball(x), degree)]
    if signs[-1] in (None, 0):
        return None
    for k in range(1, degree):
        if signs[k] in (None, 0):
            # One change from k - 1 to k + 1, whichever sign stands between opposite ones.
            if signs[k - 1] is None or signs[k + 1] in (None, 0) or signs[k - 1] == signs[k + 1]:
                return None
            signs[k] = signs[k - 1]
    changes = sum(one != other for one, other in pairwise(signs))
    return degree - changes


def separators(recurrence: Recurrence, degree: int, low: Fraction, high: Fraction | None) -> list[Fraction]:
    """degree + 1 points with one zero of pi_degree between neighbours, from `low` on, up to `high`.

    0 <= low, below all zeros; high above them, None where no such number is known.
    Raises PrecisionExhausted if the coefficients are too wide.
    """
    if high is None:
        high = 2 * low + 1
        while zeros_below(recurrence, degree, high) != degree:
            high *= 2
            if high > Fraction(2) ** ctx.prec:
                raise PrecisionExhausted("no bound on the zeros is certain")
    found: dict[int, Fraction] = {0: low, degree: high}
    pending = [(low, 0, high, degree)]
    while pending:
        left, below, right, above = pending.pop()
        if above - below < 2:
            continue
        cut, count = _cut(recurrence, degree, left, right)
        found[count] = cut
        pending += [(left, below, cut, count), (cut, count, right, above)]
    return [found[count] for count in range(degree + 1)]


def _cut(recurrence: Recurrence, degree: int, left: Fraction, right: Fraction) -> tuple[Fraction, int]:
    """A point between, and the zeros below it."""
    for share in CUTS:
        cut = left + share * (right - left)
        count = zeros_below(recurrence, degree, cut)
        if count is not None:
            return cut, count
    raise PrecisionExhausted("the zeros are not separated at this precision")


def zeros(
    recurrence: Recurrence, degree: int, low: Fraction, high: Fraction | None, digits: int
) -> tuple[Root, ...]:
    """All zeros of pi_degree, simple, in disjoint intervals from `low` to `high`, to these digits.

    At the ends of each interval pi_degree has opposite signs, and there are as many intervals as zeros: so
    all zeros are strictly between `low` and `high`.
    Raises PrecisionExhausted if the coefficients are too wide at the working precision.
    """
    points = separators(recurrence, degree, low, high)
    found = []
    for position, bracket in enumerate(pairwise(points)):
        # pi_degree has the sign (-1)^degree below all its zeros.
        side = -1 if (degree - position) % 2 else 1

        def value(x: arb, side: int = side) -> arb:
            return side * recurrence.values(x, degree)[-1]

        def slope(x: arb, side: int = side) -> arb:
            return side * recurrence.slope(x, degree)

        found.append(_within(isolate_root(value, slope, bracket, digits, ctx.prec), value, low, high))
    if any(one.upper >= other.lower for one, other in pairwise(found)):
        raise PrecisionExhausted("the enclosures of the zeros overlap")
    return tuple(found)


def _within(root: Root, value: Callable[[arb], arb], low: Fraction, high: Fraction | None) -> Root:
    """The interval without what is beyond `low` and `high`; a zero may be nearer to them than its width.

    Raises PrecisionExhausted where no sign there tells on which side the zero is.
    """
    if root.lower < low:
        if sign(value(ball(low))) != 1:
            raise PrecisionExhausted("a zero is not told from the lower end")
        root = replace(root, lower=low)
    if high is not None and root.upper > high:
        if sign(value(ball(high))) != -1:
            raise PrecisionExhausted("a zero is not told from the upper end")
        root = replace(root, upper=high)
    return root
