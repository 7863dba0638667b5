"""How much of a law of s = ||m||^2 lies near the ends of its support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Literal

from numerics.laws.base import Law
from numerics.laws.components import (
    Atoms,
    BetaPiece,
    Component,
    CutPiece,
    GammaPiece,
    SignedPiece,
    SumPiece,
    Whole,
    Window,
    piece_support,
)

End = Literal["low", "high"]

# Beyond this a power or a Gamma value is left as it is: the integers would be too large.
_LARGEST = 64
# Nor is a power of a rational number taken that has more bits than this.
_MOST_BITS = 1_000_000


@dataclass(frozen=True)
class Term:
    """coefficient * e^logarithm * prod base^exponent * prod Gamma(argument)^power / prod of contents.

    All arguments are rational.
    powers:  (base, exponent), base > 0; gammas: (argument, power), argument > 0.
    divided: by the whole of a density that was cut (`mass_bounds.whole`), a power of it each.
    """

    coefficient: Fraction
    powers: tuple[tuple[Fraction, Fraction], ...] = ()
    gammas: tuple[tuple[Fraction, int], ...] = ()
    logarithm: Fraction = Fraction(0)
    divided: tuple[tuple[Whole, int], ...] = ()


@dataclass(frozen=True)
class EndBehaviour:
    """E[s; s within h of the end] ~ A h^exponent as h -> 0, A > 0 the sum of the terms."""

    exponent: Fraction
    terms: tuple[Term, ...]


def end_behaviour(law: Law, end: End) -> EndBehaviour | None:
    """The leading power of E[s; s <= m_lo + h] or E[s; s >= m_hi - h] as h -> 0.

    None if s = 0 almost surely or, at the high end, if s is unbounded.
    An atom has exponent 0, a density that is positive at the end 1, one that
    vanishes or blows up like h^j there j + 1; where m_lo = 0 the weight s adds 1.
    """
    extreme = law.m_lo if end == "low" else law.m_hi
    if extreme is None:
        return None
    tails = [_tail(c, end) for c in law.components if _extreme(c, end) == extreme]
    smallest = min(exponent for exponent, _ in tails)
    leading = [term for exponent, term in tails if exponent == smallest]
    # With P(s <= h) ~ B h^k and m_lo = 0: E[s; s <= h] ~ B k/(k+1) h^(k+1).
    weight = extreme or smallest / (smallest + 1)
    exponent = smallest if extreme else smallest + 1
    return EndBehaviour(exponent, tuple(_product(term, Term(weight)) for term in leading))


def _extreme(component: Component, end: End) -> Fraction | None:
    if isinstance(component, Atoms):
        positive = [value for value in component.values if value > 0]
        return (positive[0] if end == "low" else positive[-1]) if positive else None
    return piece_support(component)[0 if end == "low" else 1]


def _tail(component: Component, end: End) -> tuple[Fraction, Term]:
    """(k, B) with P(the component, s within h of its end) ~ B h^k; of atoms, the positive ones."""
    if isinstance(component, Atoms):
        low = component.masses[1 if component.values[0] == 0 else 0]
        return Fraction(0), Term(low if end == "low" else component.masses[-1])
    if isinstance(component, SumPiece):
        # Laplace transforms multiply, and that of B h^k is B Gamma(k+1) t^-k.
        k_1, first = _tail(component.first, end)
        k_2, second = _tail(component.second, end)
        k = k_1 + k_2
        convolution = Term(component.mass, gammas=((k_1 + 1, 1), (k_2 + 1, 1), (k + 1, -1)))
        return k, _product(first, second, convolution)
    # Densities with irrational zeros stand between others.
    assert not isinstance(component, SignedPiece)
    power = component.window.piece.power if isinstance(component, CutPiece) else component.power
    if isinstance(component, CutPiece):
        k, radius, term = _cut_tail(component.window, end)
        term = _product(term, Term(Fraction(1), divided=((component.whole, 1),)))
    else:
        k, radius, term = _radius_tail(component, end)
    if power == 2:
        # s = r^2: a distance of h in s is one of h/(2r) in r, and of sqrt(h) at r = 0.
        if radius:
            term = _product(term, Term(Fraction(1), powers=((2 * radius, -k),)))
        else:
            k /= 2
    return k, _product(term, Term(component.mass))


def _radius_tail(piece: BetaPiece | GammaPiece, end: End) -> tuple[Fraction, Fraction, Term]:
    """(k, r, B) with P(within h of the end r of the variable that s is a power of) ~ B h^k."""
    one = Fraction(1)
    if isinstance(piece, GammaPiece):
        k = piece.shape
        return k, Fraction(0), Term(one, powers=((piece.scale, -k),), gammas=((k + 1, -1),))
    k, other, radius = (piece.a, piece.b, piece.low) if end == "low" else (piece.b, piece.a, piece.high)
    gammas = ((k + other, 1), (k + 1, -1), (other, -1))
    return k, radius, Term(one, powers=((piece.high - piece.low, -k),), gammas=gammas)


def _cut_tail(window: Window, end: End) -> tuple[Fraction, Fraction, Term]:
    """The same of a density within a window, by which it is not divided here."""
    piece, one = window.piece, Fraction(1)
    at = window.low if end == "low" else window.high
    assert at is not None
    start = piece.low if isinstance(piece, BetaPiece) else Fraction(0)
    if (end == "low" and at == start) or (
        end == "high" and isinstance(piece, BetaPiece) and at == piece.high
    ):
        return _radius_tail(piece, end)
    if isinstance(piece, GammaPiece):
        falls = ((at, piece.shape - 1), (piece.scale, -piece.shape))
        return one, at, Term(one, falls, ((piece.shape, -1),), -at / piece.scale)
    a, b = piece.a, piece.b
    powers = ((at - piece.low, a - 1), (piece.high - at, b - 1), (piece.high - piece.low, 1 - a - b))
    return one, at, Term(one, powers, ((a + b, 1), (a, -1), (b, -1)))


def _product(*terms: Term) -> Term:
    """The product in one form: whole powers in the coefficient, Gamma arguments reduced to (0, 1)."""
    coefficient = Fraction(1)
    powers: dict[Fraction, Fraction] = {}
    gammas: Counter[Fraction] = Counter()
    divided: Counter[Whole] = Counter()
    for term in terms:
        coefficient *= term.coefficient
        divided.update(dict(term.divided))
        for base, exponent in term.powers:
            powers[base] = powers.get(base, Fraction(0)) + exponent
        for argument, power in term.gammas:
            reduced, factor = _reduced(argument)
            coefficient *= factor**power
            gammas[reduced] += power
    for base, exponent in list(powers.items()):
        if exponent.denominator == 1 and abs(exponent) <= _LARGEST:
            coefficient *= base ** int(powers.pop(base))
    left = sorted((argument, power) for argument, power in gammas.items() if power and argument != 1)
    logarithm = sum((term.logarithm for term in terms), Fraction(0))
    wholes = tuple(sorted(((whole, n) for whole, n in divided.items() if n), key=repr))
    return Term(coefficient, tuple(sorted(powers.items())), tuple(left), logarithm, wholes)


def _reduced(argument: Fraction) -> tuple[Fraction, Fraction]:
    """(x, c) with Gamma(argument) = c Gamma(x) and x in (0, 1]; x = argument where that is large."""
    factor = Fraction(1)
    if argument <= _LARGEST:
        while argument > 1:
            argument -= 1
            factor *= argument
    return argument, factor


def same_sum(first: Sequence[Term], second: Sequence[Term]) -> bool | None:
    """Whether two sums of terms are equal, exactly; None unless all are rational multiples of one term."""
    if Counter(first) == Counter(second):
        return True
    base = first[0]
    inverse = Term(
        1 / base.coefficient,
        tuple((x, -exponent) for x, exponent in base.powers),
        tuple((argument, -power) for argument, power in base.gammas),
        -base.logarithm,
        tuple((whole, -power) for whole, power in base.divided),
    )
    sums = [[_rational(_product(term, inverse)) for term in terms] for terms in (first, second)]
    left, right = ([value for value in values if value is not None] for values in sums)
    if len(left) < len(first) or len(right) < len(second):
        return None
    return sum(left) == sum(right)


def _rational(term: Term) -> Fraction | None:
    """The value of a term if it is seen to be rational."""
    if term.gammas or term.logarithm or term.divided:
        return None
    root = lcm(*(exponent.denominator for _, exponent in term.powers))
    bits = [abs(exponent) * root * _bits(base) for base, exponent in term.powers]
    if sum(bits) > _MOST_BITS:
        return None
    value = Fraction(1)
    for base, exponent in term.powers:
        value *= base ** int(exponent * root)
    found = _root(value, root)
    return None if found is None else term.coefficient * found


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _root(value: Fraction, n: int) -> Fraction | None:
    """The n-th root, if it is rational; value > 0."""
    from flint import fmpz

    parts = [int(fmpz(part).root(n)) for part in (value.numerator, value.denominator)]
    root = Fraction(*parts)
    return root if root**n == value else None
