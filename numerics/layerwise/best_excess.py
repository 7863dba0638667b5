"""The least excess of a stack of depth T whose layers have weights of their own, and those weights.

With g_j = E[s lam^(j-1)] and G_jk = E[s lam^(j+k-1)] it is e_T = E[s/lam] - g^T G^-1 g.  The residual
that attains it is the orthogonal polynomial pi_T of s dP, divided by pi_T(0), and e_T is
rho_T/pi_T(0), rho_T the expectation of (s/lam) pi_T.  (`theory.layerwise` derives both.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log
from operator import mul
from typing import Any

from flint import arb, arb_mat, arb_poly, ctx, fmpq, fmpq_poly, fmpz_mat

from numerics.arithmetic.balls import Number, ball, precisions, rational, relative
from numerics.arithmetic.certified_roots import Root
from numerics.errors import PrecisionExhausted
from numerics.expectation.over_law import Expectation, interval_bits, lam_balls
from numerics.laws import Law
from numerics.laws.base import lam_moments
from numerics.layerwise.gauss import ProductExcess
from numerics.layerwise.recurrence import Recurrence, from_moments, moved, zeros
from theory.normal_form import BoundTerm

EXCESS_DIGITS = 25
NODE_DIGITS = 30
MOST_EXACT = 64
"""Laws with at most so many values on {s > 0} are computed in rational numbers."""
BITS_A_LAYER = 8
FIRST_BITS = 192


def support_size(law: Law) -> int | None:
    """The number of points of the support in {s > 0}; None if it is infinite."""
    if law.pieces:
        return None
    return 0 if law.atoms is None else len(law.atoms.values) - (law.mass_at_zero > 0)


def is_finite(law: Law) -> bool:
    """Whether everything about the law is computed in rational numbers."""
    size = support_size(law)
    return size is not None and size <= MOST_EXACT


class BestStacks:
    """What depths up to T can do at best, 1 <= T, below the number of points of the support in {s > 0}.

    The same tables serve every depth; they are made again at doubling precision until they suffice.
    """

    def __init__(self, expectation: Expectation, depth: int, max_bits: int) -> None:
        self.expectation, self.depth, self.max_bits = expectation, depth, max_bits
        self._tables: dict[int, _Table] = {}
        self._products: dict[int, ProductExcess] = {}

    @cached_property
    def excess(self) -> tuple[tuple[arb, ...], int]:
        """e_0, ..., e_T to EXCESS_DIGITS digits, and the bits that it took.  Raises PrecisionExhausted."""
        for bits in self._precisions():
            found = self._table(bits).excess
            if all(relative(EXCESS_DIGITS)(value) and value > 0 for value in found):
                return found, bits
        raise PrecisionExhausted(f"e_T is not known to {EXCESS_DIGITS} digits within {self.max_bits} bits")

    def nodes(self, T: int, digits: int | None = None) -> tuple[tuple[Root, ...], int]:
        """The zeros z_t of pi_T, simple and strictly inside the ends of lam, and the bits that it took.

        To as many digits as the product of 1 - lam/z_t needs to give e_T, where none are named.
        Raises PrecisionExhausted.
        """
        first = FIRST_BITS if digits else self.excess[1]
        digits = digits or self.node_digits(T)
        low, high = self.expectation.law.lambda_ends
        for bits in self._precisions(max(first, 4 * digits)):
            with ctx.workprec(bits), suppress(PrecisionExhausted):
                return zeros(self._table(bits).recurrence, T, low, high, digits), bits
        raise PrecisionExhausted(f"the weights at T = {T} are not enclosed within {self.max_bits} bits")

    def node_digits(self, T: int) -> int:
        """Digits of nodes from which their product gives an excess of the size of e_T to EXCESS_DIGITS."""
        found, _ = self.excess
        lost = float((found[0] / found[T]).log().upper()) / log(10)
        return NODE_DIGITS + ceil(lost) + T.bit_length()

    def at_nodes(self, nodes: Sequence[arb], first: int) -> tuple[arb, int]:
        """The excess at alpha_t = 1/z_t as a product, to EXCESS_DIGITS digits.

        Raises PrecisionExhausted, also where the nodes are too wide.
        """
        for bits in self._precisions(first):
            with ctx.workprec(bits), suppress(PrecisionExhausted):
                if bits not in self._products:
                    self._products[bits] = ProductExcess(self.expectation.law, self.depth)
                value = self._products[bits].at(nodes)
                if relative(EXCESS_DIGITS)(value):
                    return value, bits
        raise PrecisionExhausted(f"the product is not known to {EXCESS_DIGITS} digits")

    def _precisions(self, first: int = FIRST_BITS) -> Iterator[int]:
        return precisions(self.max_bits, max(first, FIRST_BITS + BITS_A_LAYER * self.depth))

    def _table(self, bits: int) -> _Table:
        if bits not in self._tables:
            with ctx.workprec(bits):
                self._tables[bits] = _Table.of(self.expectation, self.depth)
        return self._tables[bits]


@dataclass(frozen=True)
class _Table:
    """The recurrence of s dP in lam, and e_0, ..., e_T, at one precision."""

    recurrence: Recurrence
    excess: tuple[arb, ...]

    @classmethod
    def of(cls, expectation: Expectation, T: int) -> _Table:
        """At the working precision."""
        start = expectation.ball((BoundTerm(1, 1, 1, arb(0), 0),))
        recurrence, mass = _recurrence(expectation, T, 1)
        return cls(recurrence, tuple(_excesses(recurrence, start, mass, T)))


def _recurrence(expectation: Expectation, T: int, s_power: int) -> tuple[Recurrence, arb]:
    """The recurrence of s^s_power dP in lam, and the whole mass, at the working precision."""
    slope = ball(shift_weight(expectation.law))
    # The largest power first: tables of moments grow once.
    powers = reversed(range(2 * T))
    moments = [expectation.ball((BoundTerm(1, s_power, 0, slope, n),)) for n in powers][::-1]
    return moved(from_moments(moments), slope), moments[0]


def law_nodes(expectation: Expectation, T: int, digits: int, max_bits: int) -> tuple[Root, ...]:
    """The zeros of the orthogonal polynomial of dP itself, whose support has more than T points.

    Raises PrecisionExhausted.
    """
    law = expectation.law
    for bits in precisions(max_bits, FIRST_BITS + 4 * digits):
        with ctx.workprec(bits), suppress(PrecisionExhausted):
            recurrence, _ = _recurrence(expectation, T, 0)
            return zeros(recurrence, T, 1 + law.lo, None if law.hi is None else 1 + law.hi, digits)
    raise PrecisionExhausted(f"the nodes of the law at T = {T} are not enclosed within {max_bits} bits")


def shift_weight(law: Law) -> Fraction:
    """A weight about which powers of 1 - weight lam lose few digits: that of the middle of the support."""
    low, high = law.lambda_ends
    return Fraction(1) if high is None else 2 / (low + high)


def _excesses(recurrence: Recurrence, start: arb, mass: arb, T: int) -> list[arb]:
    """e_k = rho_k/pi_k(0): both obey the recurrence at lam = 0, save that rho_1 = mass - a_0 rho_0."""
    rho, before = [start], arb(0)
    for k in range(T):
        new = -recurrence.diagonal[k] * rho[-1] - recurrence.squares[k] * before + (mass if k == 0 else 0)
        before = rho[-1]
        rho.append(new)
    return [one / other for one, other in zip(rho, recurrence.values(arb(0), T), strict=True)]


def by_linear_solve(law: Law, T: int) -> Number:
    """E[s/lam] - e_T = g^T G^-1 g from the moments of s, rational where these are; N >= T.

    A second route: no recurrence, and raw moments.
    """
    if not law.is_rational:
        with ctx.workprec(interval_bits(T)):
            balls = lam_balls(law, 2 * T)
            return sum(map(mul, _kernel(law, T), balls), arb(0))
    moments, unit = lam_moments(law.moments(2 * T + 1)[1:])
    total = sum((x * m for x, m in zip(_kernel(law, T), moments, strict=False)), fmpq(0))
    return Fraction(int(total.p), int(total.q) * unit)


def _lam_moments(law: Law, T: int) -> Sequence[Any]:
    """E[s lam^j], j < 2T: whole numbers over a common denominator, or balls."""
    return lam_moments(law.moments(2 * T + 1)[1:])[0] if law.is_rational else lam_balls(law, 2 * T)


def _kernel(law: Law, T: int) -> list[Any]:
    """G^-1 g, in rational numbers or in balls; of the best residual 1 - lam x^T (1, lam, ...)."""
    matrix: Any = fmpz_mat if law.is_rational else arb_mat
    moments = _lam_moments(law, T)
    G = matrix([[moments[j + k + 1] for k in range(T)] for j in range(T)])
    solution = G.solve(matrix([[moments[j]] for j in range(T)]))
    return [solution[j, 0] for j in range(T)]


def by_determinants(law: Law, T: int) -> Fraction:
    """e_T of a law of atoms, at least T of them on {s > 0}, exactly: a quotient of Hankel determinants of nu.

    A second route to rational numbers: no system is solved.
    """
    assert law.atoms is not None and not law.pieces
    C = exact_constant(law)
    moments, unit = lam_moments(law.moments(2 * T + 1)[1:])
    # The moments of nu times a common denominator.
    scaled = [C.numerator * unit, *(C.denominator * moment for moment in moments)]
    H = fmpz_mat([[scaled[j + k] for k in range(T + 1)] for j in range(T + 1)])
    G = fmpz_mat([[scaled[j + k + 2] for k in range(T)] for j in range(T)])
    return Fraction(int(H.det()), int(G.det()) * C.denominator * unit)


def exact_constant(law: Law) -> Fraction:
    """E[s/lam] of a law of atoms."""
    assert law.atoms is not None and not law.pieces
    return sum(
        (p * s / (1 + s) for s, p in zip(law.atoms.values, law.atoms.masses, strict=True)), Fraction(0)
    )


def shifted_chebyshev(low: Fraction, high: Fraction, T: int) -> fmpq_poly:
    """The Chebyshev polynomial of degree T of the interval [low, high], exactly."""
    z = fmpq_poly([rational((low + high) / (high - low)), rational(-2 / (high - low))])
    before, value = fmpq_poly([1]), z
    for _ in range(T - 1):
        before, value = value, 2 * z * value - before
    return value if T else before


def is_orthogonal(law: Law, polynomial: fmpq_poly) -> bool:
    """Whether a polynomial in lam is orthogonal to lower degrees under s dP, exactly: that is, optimal.

    Of moments that are not rational balls may only tell that it is not; it counts as optimal else.
    """
    T, coefficients = int(polynomial.degree()), polynomial.coeffs()
    zero: Any = fmpq(0) if law.is_rational else arb(0)
    moments = _lam_moments(law, T)
    with ctx.workprec(interval_bits(T)):
        products = [sum((c * moments[j + k] for k, c in enumerate(coefficients)), zero) for j in range(T)]
        return not any(product != 0 for product in products)


def changes_sign(law: Law, roots: Sequence[Root]) -> bool | None:
    """Whether the polynomial r with least excess changes sign in each interval; None where balls do not tell.

    A second route to the zeros: r = 1 - lam x^T (1, lam, ...), G x = g, in rational numbers where it can be.
    """
    T = len(roots)
    with ctx.workprec(interval_bits(T)):
        solution = _kernel(law, T)
        if law.is_rational:
            r = fmpq_poly([fmpq(1), *(-x for x in solution)])
            return all(r(rational(root.lower)) * r(rational(root.upper)) < 0 for root in roots)
        ball_r = arb_poly([arb(1), *(-x for x in solution)])
        products = [ball_r(ball(root.lower)) * ball_r(ball(root.upper)) for root in roots]
    return False if any(value > 0 for value in products) else all(value < 0 for value in products) or None
