"""The components that a law of s = ||m||^2 is mixed from, and what is known exactly about each.

Every law is a finite mixture of six kinds of component with rational
parameters.  A family of laws (one file each in this folder) only says which
components it has; evaluators look at components alone, so a new family needs
no new evaluator.

No NumPy, SymPy or flint is imported at the top: reading a law has to be cheap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import accumulate, repeat
from math import comb, lcm
from typing import Any, NamedTuple

from numerics.errors import NotRational

MANY_ATOMS = 500
"""From here on a sum over all atoms is replaced by sums of their powers, or by a Gauss rule."""
SIGNAL_BITS = 2048
"""Of masses weighted by s/lam, after the point: products of a law's numbers reach down to 1e-200."""


class ScaledAtoms(NamedTuple):
    """Atoms over common denominators: P(s = values[i] / value_unit) = masses[i] / mass_unit."""

    values: tuple[int, ...]
    value_unit: int
    masses: tuple[int, ...]
    mass_unit: int


@dataclass(frozen=True)
class Atoms:
    """P(s = values[i]) = masses[i]; distinct values in increasing order, masses > 0."""

    values: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]

    @cached_property
    def scaled(self) -> ScaledAtoms:
        """The same in integers: sums over many atoms need no greatest common divisors."""
        return ScaledAtoms(*_over_common_denominator(self.values), *_over_common_denominator(self.masses))

    @cached_property
    def _signals(self) -> list[int]:
        """2^SIGNAL_BITS E[s/lam; s among the first k atoms] for every k, each term rounded down."""
        unit, masses = self.scaled.value_unit, self.scaled.mass_unit
        terms = (
            (mass * value << SIGNAL_BITS) // (masses * (unit + value))
            for value, mass in zip(self.scaled.values, self.scaled.masses, strict=True)
        )
        return list(accumulate(terms, initial=0))

    def signal(self, low: Fraction, high: Fraction) -> Fraction:
        """A number <= E[s/lam; low <= s <= high], within a rounding; the sums over atoms are made once."""
        first, last = bisect_left(self.values, low), bisect_right(self.values, high)
        sums = self._signals
        return Fraction(max(0, sums[last] - sums[first]), 1 << SIGNAL_BITS)

    @cached_property
    def floats(self) -> tuple[list[float], list[float]]:
        """Values and masses, each rounded to the nearest float64."""
        return [float(value) for value in self.values], [float(mass) for mass in self.masses]


@dataclass(frozen=True)
class BetaPiece:
    """With probability `mass`: s = shift + r**power, r = low + (high - low) u, u ~ Beta(a, b).

    0 <= low < high, a, b > 0, power 1 or 2.  The uniform law is a = b = 1.
    """

    mass: Fraction
    low: Fraction
    high: Fraction
    a: Fraction
    b: Fraction
    shift: Fraction = Fraction(0)
    power: int = 1


@dataclass(frozen=True)
class GammaPiece:
    """With probability `mass`: s = shift + (scale g)**power, g ~ Gamma(shape, 1)."""

    mass: Fraction
    shape: Fraction
    scale: Fraction
    shift: Fraction = Fraction(0)
    power: int = 1


@dataclass(frozen=True)
class Window:
    """The part of a density, of mass 1, with low <= r <= high, r the variable whose power enters s.

    Within the support, and not all of it or part of a mixture; high None: no bound.
    """

    piece: BetaPiece | GammaPiece
    low: Fraction
    high: Fraction | None


Whole = tuple[tuple[Fraction, Window], ...]


@dataclass(frozen=True)
class CutPiece:
    """A density on condition that r is in a window: mass times what lies there over what lies in `whole`.

    whole: weights and windows; the window alone, or the parts of a mixture that was cut.
    """

    mass: Fraction
    window: Window
    whole: Whole


@dataclass(frozen=True)
class SignedPiece:
    """A density on one interval as a combination of Beta densities there, some of the weights negative.

    So is a polynomial with a zero inside that is no rational number.  The weights add up to 1.
    """

    mass: Fraction
    parts: tuple[tuple[Fraction, BetaPiece], ...]


@dataclass(frozen=True)
class SumPiece:
    """With probability `mass`: s = s_1 + s_2, independent, each from a piece of mass 1."""

    mass: Fraction
    first: Piece
    second: Piece


Piece = BetaPiece | GammaPiece | CutPiece | SignedPiece | SumPiece
Component = Atoms | Piece


def piece_support(component: Component) -> tuple[Fraction, Fraction | None]:
    """Essential infimum and supremum of s on this component; the supremum None if unbounded."""
    match component:
        case Atoms(values=values):
            return values[0], values[-1]
        case BetaPiece(low=low, high=high, shift=shift, power=power):
            return shift + low**power, shift + high**power
        case GammaPiece(shift=shift):
            return shift, None
        case CutPiece(window=Window(piece, low, high)):
            shift, power = piece.shift, piece.power
            return shift + low**power, None if high is None else shift + high**power
        case SignedPiece(parts=parts):
            return piece_support(parts[0][1])
        case SumPiece(first=first, second=second):
            (low_1, high_1), (low_2, high_2) = piece_support(first), piece_support(second)
            return low_1 + low_2, None if high_1 is None or high_2 is None else high_1 + high_2


def base_moments(piece: BetaPiece | GammaPiece, count: int) -> list[Fraction]:
    """E u^k (Beta) or E g^k (Gamma) for k = 0, ..., count - 1, whatever the mass of the piece."""
    ratios = (
        (piece.a + j) / (piece.a + piece.b + j) if isinstance(piece, BetaPiece) else piece.shape + j
        for j in range(count - 1)
    )
    return list(accumulate(ratios, Fraction.__mul__, initial=Fraction(1)))[:count]


def moments(component: Component, count: int) -> list[Fraction]:
    """E[s^k; component], the mass of the component included, for k = 0, ..., count - 1.

    Raises NotRational for a density that was cut.
    """
    if count <= 0:
        return []
    if isinstance(component, CutPiece):
        raise NotRational("the moments of a density that was cut are no rational numbers")
    if isinstance(component, Atoms):
        return _atom_moments(component.scaled, count)
    if isinstance(component, SumPiece):
        powers = _sum_moments(moments(component.first, count), moments(component.second, count))
    elif isinstance(component, SignedPiece):
        rows = [[weight * m for m in moments(part, count)] for weight, part in component.parts]
        powers = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
    else:
        radius = _radius_moments(component, component.power * (count - 1) + 1)
        powers = radius[:: component.power]
        if component.shift:
            powers = _sum_moments([component.shift**k for k in range(count)], powers)
    return [component.mass * power for power in powers]


def moment(component: Component, k: int) -> Fraction:
    """E[s^k; component], the mass of the component included, k >= 0."""
    if isinstance(component, Atoms):
        values, value_unit, masses, mass_unit = component.scaled
        total = sum(mass * value**k for value, mass in zip(values, masses, strict=True))
        return Fraction(total, mass_unit * value_unit**k)
    return moments(component, k + 1)[k]


def merged(components: Iterable[Component]) -> tuple[Component, ...]:
    """The same mixture in its one canonical form: at most one `Atoms`, equal pieces joined, sorted."""
    atoms: list[Atoms] = []
    pieces: dict[Piece, Fraction] = {}
    for component in components:
        if isinstance(component, Atoms):
            atoms = [_union(atoms[0], component)] if atoms else [component]
        else:
            piece = _canonical(component)
            pieces[piece] = pieces.get(piece, Fraction(0)) + component.mass
    return *atoms, *(replace(piece, mass=pieces[piece]) for piece in sorted(pieces, key=_order))


def times(components: Iterable[Component], factor: Fraction) -> Iterator[Component]:
    """The components with their masses multiplied."""
    for part in components:
        if isinstance(part, Atoms):
            yield replace(part, masses=tuple(factor * mass for mass in part.masses))
        else:
            yield replace(part, mass=factor * part.mass)


def _union(first: Atoms, second: Atoms) -> Atoms:
    masses = dict(zip(first.values, first.masses, strict=True))
    for value, mass in zip(second.values, second.masses, strict=True):
        masses[value] = masses.get(value, Fraction(0)) + mass
    values = sorted(masses)
    return Atoms(tuple(values), tuple(masses[value] for value in values))


def _canonical(piece: Piece) -> Piece:
    """The piece with mass 1, its shift moved into the support where s is affine in u, its summands sorted.

    Gamma variables of one scale add up to a gamma variable.
    """
    if isinstance(piece, SumPiece):
        return reduce(partial(SumPiece, Fraction(1)), sorted(_gammas_joined(summands(piece)), key=_order))
    if isinstance(piece, BetaPiece) and piece.power == 1:
        low, high = piece.low + piece.shift, piece.high + piece.shift
        return replace(piece, mass=Fraction(1), low=low, high=high, shift=Fraction(0))
    return replace(piece, mass=Fraction(1))


Single = BetaPiece | GammaPiece | CutPiece | SignedPiece


def summands(piece: Piece) -> list[Single]:
    """The pieces that add up to a piece."""
    if isinstance(piece, SumPiece):
        return summands(piece.first) + summands(piece.second)
    return [piece]


def _gammas_joined(parts: list[Single]) -> list[Piece]:
    """The summands, those that are gamma variables of one scale in one."""
    joined: dict[Fraction, GammaPiece] = {}
    others: list[Piece] = []
    for part in parts:
        if isinstance(part, GammaPiece) and part.power == 1:
            before = joined.get(part.scale, replace(part, shape=Fraction(0), shift=Fraction(0)))
            shape, shift = before.shape + part.shape, before.shift + part.shift
            joined[part.scale] = replace(before, shape=shape, shift=shift)
        else:
            others.append(part)
    return [*others, *joined.values()]


def moved(piece: Piece, by: Fraction) -> Piece:
    """The piece with a number added to s."""
    if isinstance(piece, SumPiece):
        return replace(piece, first=moved(piece.first, by))
    if isinstance(piece, CutPiece):
        inner = piece.window.piece
        return replace(piece, window=replace(piece.window, piece=replace(inner, shift=inner.shift + by)))
    if isinstance(piece, SignedPiece):
        return each_part(piece, lambda part: replace(part, shift=part.shift + by))
    return replace(piece, shift=piece.shift + by)


def each_part(piece: SignedPiece, change: Callable[[BetaPiece], BetaPiece]) -> SignedPiece:
    """The combination of what the parts become."""
    return replace(piece, parts=tuple((weight, change(part)) for weight, part in piece.parts))


def _order(part: Any) -> Any:
    """A key that orders pieces."""
    if part is None or isinstance(part, Fraction | int):
        return (part is None, part or 0)
    if isinstance(part, tuple):
        return tuple(map(_order, part))
    return type(part).__name__, *(_order(getattr(part, field.name)) for field in fields(part))


def _over_common_denominator(numbers: Sequence[Fraction]) -> tuple[tuple[int, ...], int]:
    unit = lcm(*(x.denominator for x in numbers))
    return tuple(x.numerator * (unit // x.denominator) for x in numbers), unit


def _atom_moments(atoms: ScaledAtoms, count: int) -> list[Fraction]:
    found = []
    weights = list(atoms.masses)
    unit = atoms.mass_unit
    for k in range(count):
        if k:
            weights = [w * v for w, v in zip(weights, atoms.values, strict=True)]
            unit *= atoms.value_unit
        found.append(Fraction(sum(weights), unit))
    return found


def _radius_moments(piece: BetaPiece | GammaPiece, count: int) -> list[Fraction]:
    """E r^n for n < count, r the variable whose power enters s.

    Beta: E[u(1-u) phi'(u)] = E[((a+b)u - a) phi(u)], by parts, with phi = r^n:
    (n+a+b) E r^(n+1) = (n(low+high) + a high + b low) E r^n - n low high E r^(n-1).
    """
    if isinstance(piece, GammaPiece):
        scales = accumulate(repeat(piece.scale, count - 1), Fraction.__mul__, initial=Fraction(1))
        return [x * y for x, y in zip(scales, base_moments(piece, count), strict=True)]
    low, high, a, b = piece.low, piece.high, piece.a, piece.b
    found = [Fraction(1)]
    previous = Fraction(0)
    for n in range(count - 1):
        middle = (n * (low + high) + a * high + b * low) * found[-1]
        new = (middle - n * low * high * previous) / (n + a + b)
        previous = found[-1]
        found.append(new)
    return found


def _sum_moments(first: Sequence[Fraction], second: Sequence[Fraction]) -> list[Fraction]:
    """E (x + y)^k from E x^i and E y^j, x and y independent."""
    return [
        sum((comb(k, i) * first[i] * second[k - i] for i in range(k + 1)), Fraction(0))
        for k in range(len(first))
    ]
