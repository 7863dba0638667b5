"""Certified lower bounds on how much of a law lies in an interval."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from numerics.balls import ball
from numerics.laws import Atoms, BetaPiece, Component, GammaPiece, Law, SumPiece

CELLS = 24


def mass(law: Law, low: Fraction, high: Fraction) -> arb:
    """A number <= P(low <= s <= high), at the working precision; 0 <= low <= high."""
    return sum((_mass(part, low, high) for part in law.components), arb(0)).lower()


def signal(law: Law, low: Fraction, high: Fraction) -> arb:
    """A number <= E[s/lam; low <= s <= high]; s/lam rises with s."""
    atoms = law.atoms
    total = arb(0)
    if atoms:
        for s, p in zip(atoms.values, atoms.masses, strict=True):
            if low <= s <= high:
                total += ball(p * s / (1 + s))
    for piece in law.pieces:
        total += _mass(piece, low, high) * ball(low / (1 + low))
    return total.lower()


def _mass(component: Component, low: Fraction, high: Fraction) -> arb:
    if isinstance(component, Atoms):
        pairs = zip(component.values, component.masses, strict=True)
        return ball(sum((p for s, p in pairs if low <= s <= high), Fraction(0)))
    if isinstance(component, SumPiece):
        return _sum_mass(component, low, high)
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
        return (r / ball(piece.scale)).gamma_lower(ball(piece.shape), regularized=1)
    if s >= piece.shift + piece.high**piece.power:
        return arb(1)
    u = ((r - ball(piece.low)) / ball(piece.high - piece.low)).nonnegative_part()
    return u.beta_lower(ball(piece.a), ball(piece.b), regularized=1)


def _sum_mass(piece: SumPiece, low: Fraction, high: Fraction) -> arb:
    """A lower Riemann sum over cells of the first summand: s_1 in a cell, and s_2 in whatever then fits."""
    total = arb(0)
    base = piece.first.shift + (piece.first.low**piece.first.power if isinstance(piece.first, BetaPiece) else 0)
    top = high
    if isinstance(piece.first, BetaPiece):
        top = min(high, piece.first.shift + piece.first.high**piece.first.power)
    for k in range(CELLS):
        left, right = (base + (top - base) * j / CELLS for j in (k, k + 1))
        rest = max(low - left, Fraction(0)), high - right
        if left < right and rest[0] < rest[1]:
            total += _mass(piece.first, left, right) * _mass(piece.second, *rest)
    return total * ball(piece.mass)
