"""truncated(law, low=0, high): the law on condition that the variable lies in [low, high].

Where the densities are polynomials there, the law is a mixture of Beta laws with rational masses; else its
densities are kept as parts of those that they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from numerics.laws.base import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    LawError,
    Piece,
    SignedPiece,
    SumPiece,
    Window,
)
from numerics.laws.components import merged, moments, piece_support, times
from numerics.laws.family import BaseLaw, Family, NamedLaw, Parameter, interval

MAX_SCALES = 1000
"""How long the window of a chi-square density may be, over its scale."""
MAX_EXPONENT = 1000
"""How large the exponents of a Beta density may be that is cut where it is no polynomial."""


def build(law: NamedLaw, low: Fraction, high: Fraction | None) -> BaseLaw:
    """The conditional law.

    Raises LawError where nothing is left, or where the masses of atoms would not be rational.
    """
    if high is not None:
        interval(low, high)
    parts = [_part(component, low, high) for component in law.base.components]
    left = [component for part in parts for component in part]
    if not left:
        raise LawError(f"nothing of {law.text} lies between low and high")
    if any(isinstance(component, CutPiece) for component in left):
        return BaseLaw(merged(_conditioned(left)), law.base.files)
    total = sum((moments(component, 1)[0] for component in left), Fraction(0))
    return BaseLaw(merged(times(tuple(left), 1 / total)), law.base.files)


def _part(component: Component, low: Fraction, high: Fraction | None) -> list[Component]:
    """What of a component lies in [low, high], with its mass; of a `CutPiece` the mass before the cut."""
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
    if isinstance(component, BetaPiece) and component.a.denominator == component.b.denominator == 1:
        from numerics.laws.bernstein import conditioned

        assert right is not None
        return list(conditioned(component, left, right))
    if isinstance(component, SignedPiece):
        raise LawError(
            "truncated does not cut a density with irrational zeros: give density its low and high"
        )
    return [_cut(component, left, right)]


def _cut(piece: Piece, left: Fraction, right: Fraction | None) -> CutPiece:
    """The part of a density between two points of its support."""
    if isinstance(piece, CutPiece):
        return replace(piece, window=replace(piece.window, low=left, high=right))
    assert not isinstance(piece, SumPiece | SignedPiece)
    if isinstance(piece, BetaPiece):
        if max(piece.a, piece.b) > MAX_EXPONENT:
            raise LawError(
                f"truncated cuts a beta law of other than whole exponents up to {MAX_EXPONENT} only"
            )
    elif right is not None and right - left > MAX_SCALES * piece.scale:
        raise LawError(
            f"high is {right}: truncated cuts chi2 at most {MAX_SCALES * piece.scale} above low, "
            "beyond which nearly nothing lies"
        )
    window = Window(replace(piece, mass=Fraction(1)), left, right)
    return CutPiece(piece.mass, window, ())


def _conditioned(left: list[Component]) -> Iterator[CutPiece]:
    """The parts of a law some of whose masses are no rational numbers, over what they add up to."""
    windows, earlier = [], set()
    for component in left:
        if isinstance(component, Atoms):
            raise LawError(
                "truncated would give atoms masses that are not rational: cut the density alone, as in "
                "mixture({truncated(chi2(5), high=9): 1/2, point(4): 1/2})"
            )
        earlier.add(component.whole if isinstance(component, CutPiece) else ())
        windows.append((component.mass, _window(component)))
    if len(earlier) > 1 and len(windows) > 1:
        raise LawError("truncated would condition laws anew that were cut before: cut each of them once")
    total = sum((mass for mass, _ in windows), Fraction(0))
    whole = tuple((mass / total, window) for mass, window in windows)
    for mass, window in whole:
        yield CutPiece(mass, window, whole)


def _window(piece: Piece) -> Window:
    if isinstance(piece, CutPiece):
        return piece.window
    assert not isinstance(piece, SumPiece)
    if isinstance(piece, SignedPiece):
        raise LawError("truncated does not condition a density with irrational zeros beside one that it cuts")
    low, high = piece_support(piece)
    return Window(replace(piece, mass=Fraction(1)), low, high)


FAMILY = Family(
    "truncated",
    (
        Parameter("law", "law"),
        Parameter("low", required=False, default=Fraction(0)),
        Parameter("high", required=False),
    ),
    build,
    example="truncated(chi2(5), high=9)",
    note=(
        "on condition that the value lies in [low, high]; where the density cut is no polynomial its moments "
        "are not rational, and what is exact for other laws is enclosed for it; a mixture of such a density "
        "with atoms, or of laws that were cut, is not cut: mix cut laws"
    ),
)
