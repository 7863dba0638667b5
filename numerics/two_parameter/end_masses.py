"""Bounds on the mass that nu = (s/lam) dP/C has near the ends of a bounded support, C = E[s/lam].

`EndMasses` is meant for many thresholds, and reads the windows of the ball evaluators.  `bounds` is a
second route to one mass, by regularised incomplete beta functions.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import arb, ctx

from numerics.arithmetic.balls import ball, dyadic, ends
from numerics.expectation.ball_evaluators import evaluator
from numerics.laws import Atoms, BetaPiece, Component, Law, SumPiece
from numerics.laws.components import piece_support

BITS = 128


class EndMasses:
    """Lower bounds on the mass that nu = (s/lam) dP/C has near the ends of the support."""

    def __init__(self, law: Law, C: arb) -> None:
        assert law.m_lo is not None and law.m_hi is not None
        self.law, self.C = law, dyadic(C.upper())
        self._low: dict[Fraction, Fraction] = {}
        self._high: dict[Fraction, Fraction] = {}

    def low(self, l_m: Fraction) -> Fraction:
        """nu(lam <= l_m) is at least this."""
        if l_m not in self._low:
            total = sum((_mass(component, l_m - 1, True) for component in self.law.components), Fraction(0))
            self._low[l_m] = total / self.C
        return self._low[l_m]

    def high(self, l_h: Fraction) -> Fraction:
        """nu(lam >= l_h) is at least this."""
        if l_h not in self._high:
            total = sum((_mass(component, l_h - 1, False) for component in self.law.components), Fraction(0))
            self._high[l_h] = total / self.C
        return self._high[l_h]


def _mass(component: Component, s: Fraction, below: bool) -> Fraction:
    """E[s/lam] over a component and s <= (or >=) a threshold, from below."""
    if isinstance(component, Atoms):
        return component.signal(Fraction(0), s) if below else component.signal(s, component.values[-1])
    # s/lam >= s/(1 + the largest s there)
    largest = s if below else piece_support(component)[1]
    assert largest is not None
    with ctx.workprec(BITS):
        moment = _first_moment(component, s, below)
        # No bound above 0 is known where the enclosure fails.
        least = dyadic(moment.lower()) if moment.is_finite() else Fraction(0)
    return max(least, Fraction(0)) / (1 + largest)


def _first_moment(component: Component, s: Fraction, below: bool) -> arb:
    """E[s] over a piece and a window; of a sum, over independent windows of its parts inside it."""
    if not isinstance(component, SumPiece):
        low, high = (None, s) if below else (s, None)
        return evaluator(component).window(1, arb(0), 0, low, high)
    parts, cuts = _split(component, s, below)
    windows = [(None, cut) if below else (cut, None) for cut in cuts]
    whole, first = (
        [evaluator(part).window(i, arb(0), 0, *window) for part, window in zip(parts, windows, strict=True)]
        for i in (0, 1)
    )
    return (first[0] * whole[1] + whole[0] * first[1]) * ball(component.mass)


def _split(piece: SumPiece, s: Fraction, below: bool) -> tuple[tuple[Component, Component], list[Fraction]]:
    """The summands, and thresholds for each, equally far inside, that together keep to one for the sum."""
    parts = (piece.first, piece.second)
    (start_1, end_1), (start_2, end_2) = map(piece_support, parts)
    assert end_1 is not None and end_2 is not None
    share = (s - start_1 - start_2 if below else end_1 + end_2 - s) / 2
    return parts, [start_1 + share, start_2 + share] if below else [end_1 - share, end_2 - share]


def bounds(law: Law, C: arb, lam: Fraction, *, below: bool) -> tuple[Fraction, Fraction]:
    """Numbers below and above nu(lam' <= lam), or nu(lam' >= lam).  C: a narrow ball about E[s/lam]."""
    low, high = Fraction(0), Fraction(0)
    with ctx.workprec(2 * BITS):
        for component in law.components:
            least, most = _bounds(component, lam - 1, below)
            low, high = low + least, high + most
        smallest, largest = ends(C)
    return low / largest, high / smallest


def _bounds(component: Component, s: Fraction, below: bool) -> tuple[Fraction, Fraction]:
    """Numbers below and above E[s/lam] over a component and s <= (or >=) a threshold."""
    start, end = piece_support(component)
    assert end is not None
    if isinstance(component, Atoms):
        signals = [(v, p * v / (1 + v)) for v, p in zip(component.values, component.masses, strict=True)]
        outside = sum((share for v, share in signals if (v > s if below else v < s)), Fraction(0))
        exact = sum((share for _, share in signals), Fraction(0)) - outside
        return exact, exact
    if (s < start) if below else (s > end):
        return Fraction(0), Fraction(0)
    largest, smallest = (min(s, end), start) if below else (end, max(s, start))
    if isinstance(component, SumPiece):
        parts, cuts = _split(component, s, below)
        moments = [
            [_power_mean(part, i, cut, below) for i in (0, 1)] for part, cut in zip(parts, cuts, strict=True)
        ]
        (p, first), (q, second) = moments
        moment = (first * q + p * second) * ball(component.mass)
    else:
        moment = _power_mean(component, 1, s, below)
    top = component.mass * largest / (1 + largest)
    if not moment.is_finite():
        return Fraction(0), top
    least, most = ends(moment)
    # Of the corner that the two windows of a sum leave out nothing is known.
    return least / (1 + largest), top if isinstance(component, SumPiece) else most / (1 + smallest)


def _power_mean(piece: Component, i: int, s: Fraction, below: bool) -> arb:
    """E[s^i; s <= (or >=) a threshold] over a Beta piece, its mass included; i = 0 or 1."""
    assert isinstance(piece, BetaPiece)
    width, n = piece.high - piece.low, piece.power
    inner = ball(max(s - piece.shift, Fraction(0)))
    r = inner if piece.power == 1 else inner.sqrt()
    u = ((r - ball(piece.low)) / ball(width)).nonnegative_part().min(arb(1))

    def window(j: int) -> arb:
        """E[u^j; window]: u^j shifts the first exponent by j."""
        whole = arb(1)
        for m in range(j):
            whole *= ball((piece.a + m) / (piece.a + piece.b + m))
        share = u.beta_lower(ball(piece.a + j), ball(piece.b), regularized=1)
        return whole * (share if below else 1 - share)

    if i == 0:
        return ball(piece.mass) * window(0)
    power = sum(
        (comb(n, j) * ball(piece.low ** (n - j) * width**j) * window(j) for j in range(n + 1)),
        arb(0),
    )
    return ball(piece.mass) * (ball(piece.shift) * window(0) + power)
