"""E[s^i lam^-k (1 - slope lam)^n] over one component of a law, in ball arithmetic.

Three routes; which one is taken is decided by the component and the weight
alone, never by the law's name:

* atoms: the sum; of many, where n is not large, the expansion in their moments;
* a Beta density with small integer exponents and k = 0: the antiderivative,
  at a cost that does not grow with n;
* anything else: the expansion in moments about a fixed point.

All work at flint's working precision, which the caller sets.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import comb, factorial
from typing import Protocol

from flint import arb, arb_poly, ctx, fmpq, fmpq_poly

from numerics.arithmetic.balls import ball, power, rational
from numerics.errors import DepthLimit
from numerics.expectation.atom_moments import AtomMoments
from numerics.expectation.ball_moments import BetaMoments, Moments
from numerics.expectation.cut_moments import CutMoments
from numerics.expectation.piece_moments import SignedMoments, moments
from numerics.laws import Atoms, BetaPiece, Component, SumPiece
from numerics.laws.components import MANY_ATOMS, piece_support

MAX_INTEGER_EXPONENTS = 8
KEPT_TABLES = 6
"""Enough for one question at two precisions; a table of 100,000 atoms takes some 30 MB."""
MOST_MOMENTS = 512
GUARD_BITS = 32
CLOSED_FORM_LIMIT = 2**62
EXPANSION_LIMIT = 2**15


class BallEvaluator(Protocol):
    """E over one component, its mass included.  i >= 0, k <= 1, n >= 0; slope any ball."""

    windows: bool
    """Whether `window` is there for this component."""
    max_exponent: int
    """The largest n that it is meant for: past it, time and precision grow without use."""

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds of one evaluation, from the component, n and k alone."""
        ...

    def complete(self, i: int, k: int, slope: arb, n: int) -> arb:
        """E[s^i lam^-k (1 - slope lam)^n]."""
        ...

    def window(self, i: int, slope: arb, n: int, low: Fraction | None, high: Fraction | None) -> arb:
        """E[s^i (1 - slope lam)^n; low < s < high], None being no bound.

        Raises DepthLimit where `windows` is False.
        """
        ...


def evaluator(component: Component) -> BallEvaluator:
    """The evaluator of a component."""
    if isinstance(component, Atoms):
        many = len(component.values) > MANY_ATOMS
        return ManyAtomsBall(component) if many else AtomsBall(component)
    if isinstance(component, BetaPiece) and _is_polynomial(component):
        return PolynomialBall(component)
    return MomentBall(component)


def _is_polynomial(piece: BetaPiece) -> bool:
    """Whether the density of s is a polynomial of small degree."""
    whole = piece.a.denominator == piece.b.denominator == 1
    return piece.power == 1 and whole and piece.a + piece.b <= MAX_INTEGER_EXPONENTS


def without_lam(i: int, k: int) -> list[tuple[int, int, int]]:
    """s^i lam^-k as a sum of weight * s^i' lam^-k' with k' >= 0."""
    if k >= 0:
        return [(1, i, k)]
    return [(comb(-k, j), i + j, 0) for j in range(1 - k)]


class AtomsBall:
    """Atoms: the sum over them."""

    windows = True
    max_exponent = CLOSED_FORM_LIMIT

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        self._tables: dict[tuple[int, int, int], list[tuple[arb, arb]]] = {}

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds of one evaluation."""
        return 2 * len(self.atoms.values)

    def _table(self, i: int, k: int) -> list[tuple[arb, arb]]:
        """(lam, mass s^i lam^-k) of every atom, at the working precision."""
        key = (ctx.prec, i, k)
        if key not in self._tables:
            for oldest in list(self._tables)[: -KEPT_TABLES + 1]:
                del self._tables[oldest]
            self._tables[key] = [
                (arb(lam), arb(mass) * arb(s) ** i / arb(lam) ** k) for s, lam, mass in self._rationals
            ]
        return self._tables[key]

    @cached_property
    def _rationals(self) -> list[tuple[fmpq, fmpq, fmpq]]:
        """s, lam and the mass of every atom."""
        pairs = zip(self.atoms.values, self.atoms.masses, strict=True)
        return [(s := rational(value), 1 + s, rational(mass)) for value, mass in pairs]

    def complete(self, i: int, k: int, slope: arb, n: int) -> arb:
        """E[s^i lam^-k (1 - slope lam)^n]."""
        return _sum_of_powers(self._table(i, k), slope, n)

    def window(self, i: int, slope: arb, n: int, low: Fraction | None, high: Fraction | None) -> arb:
        """E[s^i (1 - slope lam)^n; low < s < high]; membership is decided exactly."""
        inside = [
            row
            for s, row in zip(self.atoms.values, self._table(i, 0), strict=True)
            if (low is None or s > low) and (high is None or s < high)
        ]
        return _sum_of_powers(inside, slope, n)


def _sum_of_powers(table: list[tuple[arb, arb]], slope: arb, n: int) -> arb:
    """Sum of weight (1 - slope lam)^n over the rows (lam, weight)."""
    total = arb(0)
    for lam, weight in table:
        total += weight * (1 - slope * lam) ** n
    if total.is_nan():
        # A ball about exactly 0 among the bases: slower, and rare.
        return sum((weight * power(1 - slope * lam, n) for lam, weight in table), arb(0))
    return total


class MomentBall:
    """A piece, or many atoms, by moments."""

    max_exponent = EXPANSION_LIMIT

    def __init__(self, piece: Component) -> None:
        self.mass = Fraction(1) if isinstance(piece, Atoms) else piece.mass
        self.windows = not isinstance(piece, Atoms | SumPiece) and piece_support(piece)[1] is not None
        self._component = piece
        self._cache: dict[tuple[int, int, int], list[arb]] = {}

    @cached_property
    def moments(self) -> Moments:
        """About a fixed point of the support."""
        component = self._component
        return AtomMoments(component) if isinstance(component, Atoms) else moments(component)

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds of one evaluation: in r, for s = r^2, the expansion cancels."""
        return 2 * n if self.moments.norm.degree() == 1 else 10 * n + n * n // 30

    def complete(self, i: int, k: int, slope: arb, n: int) -> arb:
        """E[s^i lam^-k (1 - slope lam)^n]."""
        if k < 0:
            return sum((w * self.complete(j, 0, slope, n) for w, j, _ in without_lam(i, k)), arb(0))
        degree = self.moments.norm.degree() * n
        key = (ctx.prec, i, k)
        weights = self._cache.get(key, [])
        if len(weights) <= degree:
            reach = degree + self.moments.norm.degree() * i
            base = self.moments.divided(reach) if k else self.moments.plain(reach)
            self._cache = {kept: rows for kept, rows in self._cache.items() if kept[0] == ctx.prec}
            weights = self._cache[key] = self._times_norm(base, i)
        return self._expand(slope, n, weights)

    def window(self, i: int, slope: arb, n: int, low: Fraction | None, high: Fraction | None) -> arb:
        """E[s^i (1 - slope lam)^n; low < s < high]."""
        if not isinstance(self.moments, BetaMoments | CutMoments | SignedMoments):
            raise DepthLimit("no integral over a part of this law")
        bottom, top = piece_support(self._component)
        assert top is not None
        if max(bottom, bottom if low is None else low) >= min(top, top if high is None else high):
            return arb(0)
        reach = self.moments.norm.degree() * (n + i)
        return self._expand(slope, n, self._times_norm(self.moments.within(reach, low, high), i))

    def _times_norm(self, base: list[arb], i: int) -> list[arb]:
        """E[s^i y^m ...] from E[y^m ...]."""
        weights = [arb(value) for value in (self.moments.norm**i).coeffs()]
        count = len(base) - len(weights) + 1
        if i == 0:
            return base
        return [sum((w * base[m + j] for j, w in enumerate(weights)), arb(0)) for m in range(count)]

    def _expand(self, slope: arb, n: int, weights: list[arb]) -> arb:
        """sum over m of the coefficient of y^m in (1 - slope lam(y))^n times weights[m]."""
        norm = [arb(value) for value in self.moments.norm.coeffs()]
        q = [1 - slope * (1 + norm[0]), *(-slope * value for value in norm[1:])]
        total = arb(0)
        if len(q) == 2:
            factor = arb(1)
            for m in range(n + 1):
                total = total * q[0] + factor * weights[m]
                factor = factor * ((n - m) * q[1]) / (m + 1)
        else:
            for coefficient, weight in zip((arb_poly(q) ** n).coeffs(), weights, strict=False):
                total += coefficient * weight
        return total * ball(self.mass)


class ManyAtomsBall(AtomsBall):
    """Many atoms: where n is not large, an evaluation costs n and not their number."""

    def __init__(self, atoms: Atoms) -> None:
        super().__init__(atoms)
        self._moments = MomentBall(atoms)
        # The expansion is as exact as the largest |q|^n allows: what its atom's mass leaves of that is lost.
        unit = max(atoms.scaled.mass_unit // atoms.scaled.masses[end] for end in (0, -1))
        self._guard = GUARD_BITS + unit.bit_length()

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds of one evaluation, once the moments are there."""
        return 2 * n if n <= MOST_MOMENTS else super().effort(n, k)

    def complete(self, i: int, k: int, slope: arb, n: int) -> arb:
        """E[s^i lam^-k (1 - slope lam)^n], which falls with the slope for odd n and is convex for even n.

        So values at exact slopes enclose it over a ball, however wide.
        """
        if n > MOST_MOMENTS or not slope.is_finite():
            return super().complete(i, k, slope, n)
        with ctx.extraprec(self._guard):
            at = self._moments.complete
            if slope.is_exact():
                return at(i, k, slope, n)
            found = at(i, k, slope.lower(), n).union(at(i, k, slope.upper(), n))
            if n % 2 == 0 and n:
                # Convex: not below the tangent in the middle.
                drop = abs(n * at(i, k - 1, slope.mid(), n - 1)) * slope.rad()
                found = found.union((at(i, k, slope.mid(), n) - drop).nonnegative_part())
            return found


class PolynomialBall(MomentBall):
    """A Beta density of s with integer exponents: P q^n, P a polynomial, integrated by parts."""

    max_exponent = CLOSED_FORM_LIMIT

    def __init__(self, piece: BetaPiece) -> None:
        super().__init__(piece)
        self.piece = piece
        self.ends = piece.shift + piece.low, piece.shift + piece.high
        self._boundaries: dict[tuple[int, ...], tuple[arb, list[arb]]] = {}

    def effort(self, n: int, k: int = 0) -> int:
        """About the microseconds of one evaluation: with 1/lam there is no closed form."""
        return 20 if k == 0 else super().effort(n, k)

    def complete(self, i: int, k: int, slope: arb, n: int) -> arb:
        """E[s^i lam^-k (1 - slope lam)^n]."""
        if k > 0 or slope.contains(0):
            return super().complete(i, k, slope, n)
        return self._between(i, k, slope, n, *self.ends)

    def window(self, i: int, slope: arb, n: int, low: Fraction | None, high: Fraction | None) -> arb:
        """E[s^i (1 - slope lam)^n; low < s < high]."""
        low = self.ends[0] if low is None else max(low, self.ends[0])
        high = self.ends[1] if high is None else min(high, self.ends[1])
        if low >= high:
            return arb(0)
        if slope.contains(0):
            return super().window(i, slope, n, low, high)
        return self._between(i, 0, slope, n, low, high)

    def _between(self, i: int, k: int, slope: arb, n: int, low: Fraction, high: Fraction) -> arb:
        """[ - sum_j P^(j) q^(n+1+j) / (slope^(j+1) (n+1)...(n+1+j)) ] from low to high."""
        at_low, at_high = (self._primitive(i, k, slope, n, end) for end in (low, high))
        return (at_low - at_high) / (slope * (n + 1))

    def _primitive(self, i: int, k: int, slope: arb, n: int, end: Fraction) -> arb:
        """q^(n+1) sum_j P^(j) (q/slope)^j / ((n+2)...(n+1+j)) at s = end, by Horner's scheme."""
        lam, derivatives = self._boundary(i, k, end)
        q = 1 - slope * lam
        ratio, inner = q / slope, derivatives[-1]
        for j in range(len(derivatives) - 2, -1, -1):
            inner = derivatives[j] + inner * ratio / (n + 2 + j)
        return inner * power(q, n + 1)

    def _boundary(self, i: int, k: int, end: Fraction) -> tuple[arb, list[arb]]:
        """lam and P, P', ... at s = end, at the working precision.

        P(s) = mass s^i lam^-k (s-L)^(a-1) (H-s)^(b-1) / (B(a,b) (H-L)^(a+b-1)).
        """
        key = (ctx.prec, i, k, end.numerator, end.denominator)
        if key not in self._boundaries:
            a, b, (low, high) = int(self.piece.a), int(self.piece.b), self.ends
            beta = Fraction(factorial(a - 1) * factorial(b - 1), factorial(a + b - 1))
            s, at, values = fmpq_poly([0, 1]), rational(end), []
            density = (s - rational(low)) ** (a - 1) * (rational(high) - s) ** (b - 1) * s**i * (1 + s) ** -k
            density *= rational(self.piece.mass / (beta * (high - low) ** (a + b - 1)))
            for _ in range(density.degree() + 1):
                values.append(arb(density(at)))
                density = density.derivative()
            self._boundaries[key] = arb(1 + at), values
        return self._boundaries[key]
