"""Certified bounds on how much of a law lies in an interval, or near an end of its support."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Literal

from flint import arb

from numerics.arithmetic.balls import ball, ends
from numerics.laws import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    Law,
    SignedPiece,
    SumPiece,
    Window,
)
from numerics.laws.components import piece_support, summands
from numerics.laws.contents import content, share, whole

CELLS_PER_WIDTH, MAX_CELLS = 3, 300


def mass(law: Law, low: Fraction, high: Fraction) -> arb:
    """A number <= P(low <= s <= high), at the working precision; 0 <= low <= high."""
    return sum((_mass(part, low, high) for part in law.components), arb(0)).lower()


def signal(law: Law, low: Fraction, high: Fraction) -> arb:
    """A number <= E[s/lam; low <= s <= high]; s/lam rises with s."""
    atoms = law.atoms
    total = arb(0)
    if atoms:
        total += ball(atoms.signal(low, high))
    for piece in law.pieces:
        total += _mass(piece, low, high) * ball(low / (1 + low))
    return total.lower()


def at_most(law: Law, cut: Fraction, side: Literal["below", "above"]) -> arb:
    """A number >= P(s <= cut), or >= P(s >= cut), at the working precision; the law is bounded."""
    return sum((_at_most(part, cut, side == "below") for part in law.components), arb(0)).upper()


def _at_most(component: Component, cut: Fraction, below: bool) -> arb:
    """Of a Beta density t^(a-1) (1-t)^(b-1)/B(a, b), t from its end: t^a/a times the largest other factor."""
    if isinstance(component, Atoms):
        pairs = zip(component.values, component.masses, strict=True)
        return ball(sum((p for s, p in pairs if (s <= cut if below else s >= cut)), Fraction(0)))
    low, high = piece_support(component)
    if high is None or not low < cut < high:
        return arb(0) if (cut <= low) == below else _whole_mass(component)
    if isinstance(component, SignedPiece):
        return ball(component.mass)
    if isinstance(component, SumPiece):
        # It is near its end only where both summands are near theirs.
        ends = [piece_support(part)[0 if below else 1] for part in (component.first, component.second)]
        first = _at_most(component.first, cut - (ends[1] or 0), below)
        second = _at_most(component.second, cut - (ends[0] or 0), below)
        return _whole_mass(component).min(ball(component.mass) * first.min(second))
    if isinstance(component, CutPiece):
        window, (inner, outer) = component.window, radius(component.window, cut)
        part = replace(window, high=outer) if below else replace(window, low=inner)
        return ball(component.mass) * content(part) / whole(component.whole)
    assert isinstance(component, BetaPiece)
    r = ball(cut - component.shift)
    u = ((r.sqrt() if component.power == 2 else r) - ball(component.low)) / ball(
        component.high - component.low
    )
    t, a, b = (u, component.a, component.b) if below else (1 - u, component.b, component.a)
    scale = ball(a + b).gamma() / (ball(a + 1).gamma() * ball(b).gamma())
    bound = scale * t ** ball(a) * ((1 - t) ** ball(b - 1)).max(arb(1))
    return ball(component.mass) * (bound.min(arb(1)) if bound.is_finite() else arb(1))


def _whole_mass(component: Component) -> arb:
    """P(the component); of a part of a mixture that was cut it may be more than the mass."""
    assert not isinstance(component, Atoms)
    total = ball(component.mass)
    for piece in summands(component):
        if isinstance(piece, CutPiece):
            total *= share(piece)
    return total


def _mass(component: Component, low: Fraction, high: Fraction) -> arb:
    if isinstance(component, Atoms):
        pairs = zip(component.values, component.masses, strict=True)
        return ball(sum((p for s, p in pairs if low <= s <= high), Fraction(0)))
    if isinstance(component, SumPiece):
        return _sum_mass(component, low, high)
    if isinstance(component, SignedPiece):
        parts = [ball(weight) * _mass(part, low, high) for weight, part in component.parts]
        return (ball(component.mass) * sum(parts, arb(0))).nonnegative_part()
    if isinstance(component, CutPiece):
        return ball(component.mass) * _cut_mass(component, low, high)
    upper, lower = (_distribution(component, end) for end in (high, low))
    return ((upper - lower) * ball(component.mass)).nonnegative_part()


def _distribution(piece: BetaPiece | GammaPiece, s: Fraction) -> arb:
    """P(the piece <= s), without its mass."""
    if s <= piece.shift:
        return arb(0)
    r = ball(s - piece.shift)
    if piece.power == 2:
        r = r.sqrt()
    if isinstance(piece, GammaPiece):
        value = (r / ball(piece.scale)).gamma_lower(ball(piece.shape), regularized=1)
    elif s >= piece.shift + piece.high**piece.power:
        return arb(1)
    else:
        u = ((r - ball(piece.low)) / ball(piece.high - piece.low)).nonnegative_part()
        value = beta_distribution(u, piece.a, piece.b)
    return value if value.is_finite() else arb(0.5, 0.5)


def beta_distribution(u: arb, a: Fraction, b: Fraction) -> arb:
    """P(U <= u) for U ~ Beta(a, b), near 1 by the series from that end."""
    if u > 0.75:
        return 1 - (1 - u).beta_lower(ball(b), ball(a), regularized=True)
    return u.beta_lower(ball(a), ball(b), regularized=True)


def _cut_mass(piece: CutPiece, low: Fraction, high: Fraction) -> arb:
    """A number <= P(the piece, low <= s <= high), without its mass: r is rounded inwards."""
    window = piece.window
    inner = max(window.low, radius(window, low)[1])
    outer = radius(window, high)[0]
    if window.high is not None:
        outer = min(window.high, outer)
    if inner >= outer:
        return arb(0)
    return content(replace(window, low=inner, high=outer)) / whole(piece.whole)


def radius(window: Window, s: Fraction) -> tuple[Fraction, Fraction]:
    """Numbers below and above the r >= 0 at which s is taken; 0 below its support."""
    piece = window.piece
    inner = max(s - piece.shift, Fraction(0))
    return (inner, inner) if piece.power == 1 else ends(ball(inner).sqrt())


def _sum_mass(piece: SumPiece, low: Fraction, high: Fraction) -> arb:
    """A lower Riemann sum: the first summand in a cell, the second in whatever then fits."""
    bottom = piece_support(piece.first)[0]
    top = piece_support(piece.first)[1]
    top = high if top is None else min(high, top)
    if not bottom < top or not low < high:
        return arb(0)
    cells = min(MAX_CELLS, ceil(CELLS_PER_WIDTH * (top - bottom) / (high - low)))
    edges = [bottom + (top - bottom) * k / cells for k in range(cells + 1)]
    total = arb(0)
    for left, right in pairwise(edges):
        least, most = low - left, high - right
        if least < most:
            first, second = _mass(piece.first, left, right), _mass(piece.second, least, most)
            total += first.nonnegative_part() * second.nonnegative_part()
    return total * ball(piece.mass)
