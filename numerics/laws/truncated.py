"""truncated(law, low=0, high): the law on condition that the variable lies in [low, high]."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import Atoms, BetaPiece, Component, LawError
from numerics.laws.components import merged, moments, piece_support, times
from numerics.laws.family import BaseLaw, Family, NamedLaw, Parameter, interval


def build(law: NamedLaw, low: Fraction, high: Fraction | None) -> BaseLaw:
    """The conditional law.

    Raises LawError where nothing is left, or where masses of a mixture would not be rational.
    """
    if high is not None:
        interval(low, high)
    parts = [_part(component, low, high) for component in law.base.components]
    left = [component for part in parts for component in part]
    total = sum((moments(component, 1)[0] for component in left), Fraction(0))
    if not total:
        raise LawError(f"nothing of {law.text} lies between low and high")
    return BaseLaw(merged(times(tuple(left), 1 / total)), law.base.files)


def _part(component: Component, low: Fraction, high: Fraction | None) -> list[Component]:
    """What of a component lies in [low, high], with its mass."""
    bottom, top = piece_support(component)
    left = max(low, bottom)
    right = top if high is None else high if top is None else min(high, top)
    if isinstance(component, Atoms):
        pairs = zip(component.values, component.masses, strict=True)
        kept = [(value, mass) for value, mass in pairs if low <= value and (high is None or value <= high)]
        return [Atoms(*map(tuple, zip(*kept, strict=True)))] if kept else []
    if (left, right) == (bottom, top):
        return [component]
    if right is not None and right <= left:
        return []
    whole = isinstance(component, BetaPiece) and component.a.denominator == component.b.denominator == 1
    if not whole or right is None:
        raise LawError(f"truncated cuts only densities that are polynomials, such as {FAMILY.example}")
    from numerics.laws.bernstein import conditioned

    assert isinstance(component, BetaPiece)
    return list(conditioned(component, left, right))


FAMILY = Family(
    "truncated",
    (
        Parameter("law", "law"),
        Parameter("low", required=False, default=Fraction(0)),
        Parameter("high", required=False),
    ),
    build,
    example="truncated(triangular(0, 2, 4), high=3)",
)
