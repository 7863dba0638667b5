"""Bounds on the mass that nu = (s/lam) dP/C has near the ends of a bounded support, C = E[s/lam].

`EndMasses` is meant for many thresholds, and reads the windows of the ball evaluators.  `bounds` is a
second route to one mass, by regularised incomplete beta functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from flint import arb, ctx

from numerics.arithmetic.balls import ball, dyadic, ends
from numerics.expectation.ball_evaluators import evaluator
from numerics.laws import Atoms, BetaPiece, Component, CutPiece, Law, Piece, SignedPiece, SumPiece, Window
from numerics.laws.components import base_moments, piece_support, summands
from numerics.laws.contents import content, whole
from numerics.laws.mass_bounds import radius

BITS = 128


class EndMasses:
    """Lower bounds on the mass that nu = (s/lam) dP/C has near the ends of the support."""

    def __init__(self, law: Law, C: arb) -> None:
        assert law.m_lo is not None and law.m_hi is not None
        with ctx.workprec(BITS):
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
    return ball(component.mass) * _mean_of_sum(
        [
            [evaluator(part).window(i, arb(0), 0, *window) for i in (0, 1)]
            for part, window in zip(parts, windows, strict=True)
        ]
    )


def _mean_of_sum(parts: list[list[arb]]) -> arb:
    """E[s; all summands in their windows] from the mass and E[s_j] of each within its own."""
    mass, mean = arb(1), arb(0)
    for part_mass, part_mean in parts:
        mass, mean = mass * part_mass, mean * part_mass + mass * part_mean
    return mean


def _split(piece: SumPiece, s: Fraction, below: bool) -> tuple[Sequence[Piece], list[Fraction]]:
    """The summands, and thresholds for each, equally far inside, that together keep to one for the sum."""
    parts = summands(piece)
    spans = [piece_support(part) for part in parts]
    starts, ends = [low for low, _ in spans], [high for _, high in spans if high is not None]
    assert len(ends) == len(starts)
    share = (s - sum(starts) if below else sum(ends) - s) / len(parts)
    return parts, [start + share for start in starts] if below else [end - share for end in ends]


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
        moment = ball(component.mass) * _mean_of_sum(
            [
                [_power_mean(part, i, cut, below) for i in (0, 1)]
                for part, cut in zip(parts, cuts, strict=True)
            ]
        )
    else:
        moment = _power_mean(component, 1, s, below)
    top = component.mass * largest / (1 + largest)
    if not moment.is_finite():
        return Fraction(0), top
    least, most = ends(moment)
    # Of the corner that the two windows of a sum leave out nothing is known.
    return least / (1 + largest), top if isinstance(component, SumPiece) else most / (1 + smallest)


def _power_mean(piece: Component, i: int, s: Fraction, below: bool) -> arb:
    """E[s^i; s <= (or >=) a threshold] over a bounded piece, its mass included; i = 0 or 1."""
    if isinstance(piece, SignedPiece):
        means = [ball(weight) * _power_mean(part, i, s, below) for weight, part in piece.parts]
        return ball(piece.mass) * sum(means, arb(0))
    if isinstance(piece, CutPiece):
        found = [_cut_power_mean(piece.window, i, r, below) for r in radius(piece.window, s)]
        return ball(piece.mass) * found[0].union(found[-1]) / whole(piece.whole)
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


def _cut_power_mean(window: Window, i: int, r: Fraction, below: bool) -> arb:
    """E[s^i; window, r' <= (or >=) r]: powers of u shift the first exponent, powers of g the shape."""
    piece, n = window.piece, window.piece.power
    top = window.high
    assert top is not None
    low, high = (window.low, min(r, top)) if below else (max(r, window.low), top)
    if low >= high:
        return arb(0)

    def moment(j: int) -> arb:
        """E[u^j], or E[g^j], in the window."""
        if isinstance(piece, BetaPiece):
            share = content(Window(replace(piece, a=piece.a + j), low, high))
        else:
            share = content(Window(replace(piece, shape=piece.shape + j), low, high))
        return ball(base_moments(piece, j + 1)[j]) * share

    if i == 0:
        return moment(0)
    start, width = (
        (piece.low, piece.high - piece.low) if isinstance(piece, BetaPiece) else (Fraction(0), piece.scale)
    )
    power = [comb(n, j) * ball(start ** (n - j) * width**j) * moment(j) for j in range(n + 1)]
    return ball(piece.shift) * moment(0) + sum(power, arb(0))
