"""E[s |1 - a lam|^n; one side of the root of 1 - a lam] over its leading term, enclosed by the law's end.

On the side of an end let h be the distance of lam from it and W that of the root: the
residual there is c (1 - h/W)^n, c at the end itself.  The law is written as its leading
power of h times a factor that is enclosed over a window, and the powers of h are integrated exactly:

    int_0^W h^(k-1+j) (1 - h/W)^n dh = W^(k+j) Gamma(k+j) Gamma(n+1) / Gamma(n+k+j+1).

Past the window, and for what begins further in, |1 - h/W|^n is bounded by its largest value.
So the ratio is 1 + O(n^-order), every term with its constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb

from numerics.arithmetic.balls import ball, dyadic, power
from numerics.laws import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    Law,
    Piece,
    SumPiece,
    Window,
)
from numerics.laws.components import moment, piece_support, summands
from numerics.laws.contents import share, whole
from numerics.laws.support_ends import End

HALVINGS = 14
"""Windows W, W/2, W/4, ...: a short one encloses the factor well, a long one leaves little outside."""


@dataclass(frozen=True)
class Shape:
    """The density at distance h <= w from an end: scale h^(exponent-1) (1 + h^order x), x in slope."""

    exponent: Fraction
    scale: arb
    slope: arb
    order: Fraction = Fraction(1)


@dataclass(frozen=True)
class _Part:
    """A component that reaches the end: its leading term lead ~ n^-exponent, and what it is times that."""

    exponent: Fraction
    lead: arb
    ratio: arb


def side_ratio(law: Law, end: End, width: arb, n: int) -> arb:
    """The ratio, which tends to 1 as n -> infinity, at the working precision.

    width: the distance W > 0 of 1/a from the end, in lam.  n is odd.
    Not finite if W is not known to be positive, or for an end whose shape is not enclosed here.
    Raises ValueError if the law has no such end.
    """
    extreme = law.m_lo if end == "low" else law.m_hi
    if extreme is None:
        raise ValueError(f"the law has no {end} end")
    if not width > 0:
        return arb.nan()
    parts, rest = [], arb(0)
    for component in law.components:
        if isinstance(component, Atoms):
            for distance, weight in _atoms_from(component, extreme):
                if distance == 0:
                    parts.append(_Part(Fraction(0), weight, arb(1)))
                else:
                    rest += weight * _most(distance, width, n)
            continue
        nearest = piece_support(component)[0 if end == "low" else 1]
        assert nearest is not None
        if nearest == extreme:
            found = _part(component, end, extreme, width, n)
            if found is None:
                return arb.nan()
            parts.append(found)
        else:
            rest += _up_to(ball(_mean(component)) * _most(ball(abs(nearest - extreme)), width, n))
    smallest = min(part.exponent for part in parts)
    lead = sum((part.lead for part in parts if part.exponent == smallest), arb(0))
    return (sum((part.lead * part.ratio for part in parts), arb(0)) + rest) / lead


def _atoms_from(atoms: Atoms, extreme: Fraction) -> Iterator[tuple[arb, arb]]:
    """Of every atom the distance from an end of the law and its mass times s: by integers, for many."""
    values, unit, masses, mass_unit = atoms.scaled
    top, bottom = (extreme * unit).as_integer_ratio()
    for value, mass in zip(values, masses, strict=True):
        yield arb(abs(value * bottom - top)) / (unit * bottom), arb(mass * value) / (mass_unit * unit)


def _mean(component: Component) -> Fraction:
    """E[s; component], or a number above it where that is not rational."""
    cut = [] if isinstance(component, Atoms) else [p for p in summands(component) if isinstance(p, CutPiece)]
    if not cut:
        return moment(component, 1)
    bound = piece_support(component)[1]
    assert bound is not None
    assert not isinstance(component, Atoms)
    for piece in cut:
        bound *= dyadic(share(piece).upper())
    return component.mass * bound


def _most(distance: arb, width: arb, n: int) -> arb:
    """(1 - h/W)^n at h = distance; 0 on the other side of the root."""
    return power((1 - distance / width).nonnegative_part(), n)


def _up_to(bound: arb) -> arb:
    """The ball from 0 to the bound."""
    return arb(0).union(bound)


def _part(piece: Piece, end: End, extreme: Fraction, width: arb, n: int) -> _Part | None:
    """A density at its own end, in the window that encloses it best."""
    found = [_windowed(piece, end, extreme, width, n, Fraction(1, 2**j)) for j in range(HALVINGS)]
    inside = [part for part in found if part is not None and part.ratio.is_finite()]
    return min(inside, key=lambda part: part.ratio.rad(), default=None)


def _windowed(piece: Piece, end: End, extreme: Fraction, width: arb, n: int, share: Fraction) -> _Part | None:
    """The same, its factor enclosed for h <= share W."""
    window = (ball(share) * width).upper()
    shape = _shape(piece, end, window)
    if shape is None:
        return None
    weighted = _weighted(shape, end, extreme)
    k, outside = weighted.exponent, power(arb(1) - ball(share), n)
    lead = weighted.scale * ball(k).gamma() * (width / n) ** ball(k)

    def inside(j: Fraction) -> arb:
        """E of h^j within the window over that of 1 in the leading term."""
        scale = width ** ball(j) * arb(n) ** ball(k) / ball(k).gamma()
        full = ball(k + j).gamma() * arb(n + 1).gamma() / ball(k + j + n + 1).gamma()
        left_out = outside / ball(k + j)
        return scale * full.union((full - left_out).nonnegative_part())

    ratio = inside(Fraction(0)) + weighted.slope * inside(weighted.order)
    if extreme:
        tilt = ball((1 if end == "low" else -1) / extreme)
        ratio += tilt * (inside(Fraction(1)) + weighted.slope * inside(1 + weighted.order))
    if share < 1:
        ratio += _up_to(ball(_mean(piece)) * outside / lead)
    return _Part(k, lead, ratio)


def _weighted(shape: Shape, end: End, extreme: Fraction) -> Shape:
    """The density times s = extreme +- h; the factor 1 +- h/extreme is left to the integral."""
    if extreme:
        return replace(shape, scale=shape.scale * ball(extreme))
    assert end == "low"
    return replace(shape, exponent=shape.exponent + 1)


def _shape(piece: Piece, end: End, window: arb) -> Shape | None:
    """The density of a piece near its end; None where the window leaves its support."""
    if isinstance(piece, SumPiece):
        return _sum_shape(piece, end, window)
    if isinstance(piece, CutPiece):
        return _cut_shape(piece, end, window)
    if not isinstance(piece, BetaPiece):
        return None
    if piece.power == 1:
        near, far, length, scale = _beta(piece, end)
        x = window / length
        if not x < 1:
            return None
        return Shape(near, scale * length ** (ball(far) - 1), -_fall(far - 1, x) / length)
    return _square_shape(piece, end, window)


def _beta(piece: BetaPiece, end: End) -> tuple[Fraction, Fraction, arb, arb]:
    """The density scale u^(near-1) (length - u)^(far-1), u the distance of r from this end."""
    near, far = (piece.a, piece.b) if end == "low" else (piece.b, piece.a)
    length, a, b = ball(piece.high - piece.low), ball(piece.a), ball(piece.b)
    scale = ball(piece.mass) * (a + b).gamma() / (a.gamma() * b.gamma() * length ** (a + b - 1))
    return near, far, length, scale


def _fall(exponent: Fraction, x: arb) -> arb:
    """The t for which (1 - y)^exponent = 1 - t y, over 0 <= y <= x < 1: from the tangent to the chord."""
    e = ball(exponent)
    return e.union((1 - (1 - x) ** e) / x)


def _square_shape(piece: BetaPiece, end: End, window: arb) -> Shape | None:
    """s = shift + r^2: a distance h in s is one of h/(r + r_0) in r."""
    near, far, length, scale = _beta(piece, end)
    half = Fraction(1, 2)
    if end == "low" and piece.low == 0:
        x = window.sqrt() / length
        if not x < 1:
            return None
        leading = scale * length ** (ball(far) - 1) / 2
        return Shape(near / 2, leading, -_fall(far - 1, x) / length, half)
    inwards = 1 if end == "low" else -1
    start, other = ball(piece.low), ball(piece.high)
    if end == "high":
        start, other = other, start
    square = start**2 + inwards * window
    if not square > 0:
        return None
    r = start.union(square.sqrt())
    left = inwards * (other - r)
    if not (r > 0 and left > 0):
        return None
    p, q = ball(1 - near), ball(far - 1)
    factor = ((r + start) / (2 * start)) ** p * (left / length) ** q * start / r
    # d log(factor)/dr, times dr/dh: the mean value theorem in h.
    slope = factor * (p / (r + start) - inwards * q / left - 1 / r) * inwards / (2 * r)
    return Shape(near, scale * (2 * start) ** p * length**q / (2 * start), slope)


def _cut_shape(piece: CutPiece, end: End, window: arb) -> Shape | None:
    """As before the cut at an end that was left, over what lies in the window; else `_edge_shape`."""
    inner, cut = piece.window.piece, piece.window
    bottom, top = piece_support(piece)
    assert top is not None
    if not window <= ball(top - bottom):
        return None
    if isinstance(inner, BetaPiece):
        left = cut.low == inner.low if end == "low" else cut.high == inner.high
        shape = _shape(inner, end, window) if left else _edge_shape(cut, end, window)
    else:
        left = end == "low" and cut.low == 0
        shape = _gamma_shape(inner, window) if left else _edge_shape(cut, end, window)
    return shape and replace(shape, scale=shape.scale * ball(piece.mass) / whole(piece.whole))


def _gamma_shape(piece: GammaPiece, window: arb) -> Shape:
    """At r = 0: exp(-r/scale) = 1 - t r, t from the chord to the tangent."""
    k, theta, p = piece.shape, ball(piece.scale), piece.power
    r = window if p == 1 else window.sqrt()
    slope = (-1 / theta).union(((-r / theta).exp() - 1) / r)
    return Shape(k / p, 1 / (p * ball(k).gamma() * theta ** ball(k)), slope, Fraction(1, p))


def _edge_shape(cut: Window, end: End, window: arb) -> Shape | None:
    """At a cut inside the support, where the density of s is positive; by its logarithmic derivative."""
    piece, p = cut.piece, cut.piece.power
    at = cut.low if end == "low" else cut.high
    assert at is not None
    inwards, start = 1 if end == "low" else -1, ball(at)
    square = start**p + inwards * window
    r = start.union(square if p == 1 else square.nonnegative_part().sqrt())
    if isinstance(piece, GammaPiece):
        k, theta = ball(piece.shape), ball(piece.scale)
        density = start ** (k - 1) * (-start / theta).exp() / (k.gamma() * theta**k)
        bend = (k - 1) / r - 1 / theta
    else:
        scale = _beta(piece, end)[3]
        a, b, low, high = (ball(x) for x in (piece.a, piece.b, piece.low, piece.high))
        density = scale * (start - low) ** (a - 1) * (high - start) ** (b - 1)
        bend = (a - 1) / (r - low) - (b - 1) / (high - r)
    jacobian = p * r ** (p - 1)
    # (log density of s)', and by it the density within the window over that at the cut.
    steep = inwards * (bend - (p - 1) / r) / jacobian if p > 1 else inwards * bend
    slope = steep * (_up_to(window) * steep).exp()
    return Shape(Fraction(1), density / (p * start ** (p - 1)), slope) if slope.is_finite() else None


def _sum_shape(piece: SumPiece, end: End, window: arb) -> Shape | None:
    """Densities convolve: h^(k1-1) * h^(k2-1) = B(k1, k2) h^(k1+k2-1).

    (1 + t x)(1 + (h - t) y) = 1 + [t x + (h - t) y] + t (h - t) x y for 0 <= t <= h.
    """
    first, second = (_shape(part, end, window) for part in (piece.first, piece.second))
    if first is None or second is None or not first.order == second.order == 1:
        return None
    k_1, k_2 = first.exponent, second.exponent
    scale = first.scale * second.scale * ball(k_1).gamma() * ball(k_2).gamma() / ball(k_1 + k_2).gamma()
    cross = _up_to(window / 4) * first.slope * second.slope
    return Shape(k_1 + k_2, ball(piece.mass) * scale, first.slope.union(second.slope) + cross)


@dataclass(frozen=True)
class Deviation:
    """|R - 1| <= size n^-order for every n from some N on, order > 0; nothing if size is not finite."""

    size: arb
    order: Fraction

    def at(self, n: int) -> arb:
        """The bound at one n."""
        return self.size * arb(n) ** -ball(self.order)


def side_deviation(law: Law, end: End, width: arb, N: int) -> Deviation:
    """A bound on the ratio's deviation from 1 for every n >= N, by what `side_ratio` is made of.

    width: a ball that holds W for all these n.
    n^k Gamma(n+1)/Gamma(n+k+1) lies between 1 - k(k+2)/(2n) and 1: its logarithm is minus the
    integral of digamma(n+1+t) - log n over 0 <= t <= k, and log(x-1) <= digamma(x) <= log x.
    """
    extreme = law.m_lo if end == "low" else law.m_hi
    assert extreme is not None
    nothing = Deviation(arb.nan(), Fraction(1))
    if not width > 0:
        return nothing
    leads: list[tuple[Fraction, arb, Deviation]] = []
    further: list[tuple[arb, arb]] = []
    for component in law.components:
        if isinstance(component, Atoms):
            for distance, weight in _atoms_from(component, extreme):
                if distance == 0:
                    leads.append((Fraction(0), weight, Deviation(arb(0), Fraction(1))))
                else:
                    further.append((distance, weight))
            continue
        nearest = piece_support(component)[0 if end == "low" else 1]
        assert nearest is not None
        if nearest == extreme:
            found = _part_deviation(component, end, extreme, width, N)
            if found is None:
                return nothing
            leads.append(found)
        else:
            further.append((ball(abs(nearest - extreme)), ball(_mean(component))))
    return _joined(leads, further, width, N)


def _joined(
    parts: list[tuple[Fraction, arb, Deviation]], further: list[tuple[arb, arb]], width: arb, N: int
) -> Deviation:
    """Parts (k, L, deviation), each L n^-k up to its deviation, and what begins further in (h, mean)."""
    k = min(exponent for exponent, _, _ in parts)
    lead = sum((L for exponent, L, _ in parts if exponent == k), arb(0)).lower()
    orders = [deviation.order for _, _, deviation in parts]
    order = min([*orders, *(exponent - k for exponent, _, _ in parts if exponent > k)])
    # Parts of the same power: a mean of their deviations, at most the largest.
    size = arb(0) if lead > 0 else arb.nan()
    for exponent, _, deviation in parts:
        if exponent == k:
            size = size.max(deviation.size * arb(N) ** ball(order - deviation.order))
    for exponent, L, deviation in parts:
        if exponent > k:
            size += L / lead * (1 + deviation.at(N)) * arb(N) ** ball(order - exponent + k)
    for h, mean in further:
        x = (1 - h / width).nonnegative_part()
        size += mean / lead * _largest(k + order, x, N)
    return Deviation(size.upper(), order)


def _largest(m: Fraction, x: arb, N: int) -> arb:
    """A bound on n^m x^n for all n >= N, 0 <= x < 1; not finite while n^m x^n may still rise."""
    most = x.upper()
    if most == 0:
        return arb(0)
    falls = ball(m) + N * most.log() <= 0
    return arb(N) ** ball(m) * most**N if falls else arb.nan()


def _part_deviation(
    piece: Piece, end: End, extreme: Fraction, width: arb, N: int
) -> tuple[Fraction, arb, Deviation] | None:
    """(k, L, deviation) of a density at its own end, in the window that bounds it best."""
    found = []
    for j in range(HALVINGS):
        share = Fraction(1, 2**j)
        shape = _shape(piece, end, (ball(share) * width).upper())
        if shape is not None:
            found.append(_windowed_deviation(_weighted(shape, end, extreme), piece, extreme, width, N, share))
    inside = [part for part in found if part[2].size.is_finite()]
    return min(inside, key=lambda part: part[2].size, default=None)


def _windowed_deviation(
    shape: Shape, piece: Piece, extreme: Fraction, width: arb, N: int, share: Fraction
) -> tuple[Fraction, arb, Deviation]:
    """The terms of `_windowed`, each over n^-order and at its largest for n >= N."""
    k, order, steep = shape.exponent, shape.order, abs(shape.slope)
    # By the ends of a wide ball: a power of the ball itself may reach 0.
    lead = shape.scale * ball(k).gamma() * (width.lower() ** ball(k)).union(width.upper() ** ball(k))
    remote = _largest(k + order, 1 - ball(share), N)

    def power_of_h(j: Fraction) -> arb:
        """n^order E[h^j] over the leading term."""
        return width.upper() ** ball(j) * ball(k + j).gamma() / ball(k).gamma() * arb(N) ** ball(order - j)

    size = ball(k * (k + 2) / 2) * arb(N) ** ball(order - 1) + remote / ball(k + 1).gamma()
    size += steep * power_of_h(order)
    if extreme:
        size += (power_of_h(Fraction(1)) + steep * power_of_h(1 + order)) / ball(extreme)
    size += ball(_mean(piece)) * remote / lead
    return k, lead, Deviation(size.upper(), order)
