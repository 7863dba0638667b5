"""The best weight without skip, F^0 = X, at one depth: a global minimiser, by exact arithmetic.

With z = 1 + beta lam the loss is C - G, G = 2 E[s z^T] - E[s lam z^(2T)] a polynomial in beta with
rational coefficients.  It tends to -infinity on both sides, so that its maximum is at a zero of G'; all
of them are isolated, and the values of G there enclosed.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, expm1, log1p, log2

from flint import arb, ctx, fmpz_poly

from numerics.arithmetic.balls import ball, ends
from numerics.arithmetic.certified_roots import isolate_root
from numerics.arithmetic.interval_polynomials import IntervalPolynomial
from numerics.arithmetic.polynomial_roots import Polynomial, RealRoot, on_balls, real_roots, sign_at
from numerics.expectation.over_law import interval_bits, lam_balls
from numerics.laws import Law
from numerics.laws.base import lam_moments

Interval = tuple[Fraction, Fraction]

GUARD_BITS = 256

DIGITS = (20, 40, 80)
"""Relative widths, as powers of 1/10, of the intervals in which minimisers are compared."""


def gain(law: Law, T: int) -> Polynomial:
    """G, times a positive integer."""
    singles = [2 * comb(T, j) for j in range(T + 1)]
    doubles = [comb(2 * T, j) for j in range(2 * T + 1)]
    if law.is_rational:
        moments, _ = lam_moments(law.moments(2 * T + 3)[1:])
        single, double = (
            fmpz_poly([c * m for c, m in zip(row, moments[i:], strict=False)])
            for i, row in enumerate((singles, doubles))
        )
        return single - double
    balls, bits = lam_balls(law, 2 * T + 2), interval_bits(T)
    with ctx.workprec(2 * bits):
        one, other = (
            IntervalPolynomial.of([c * m for c, m in zip(row, balls[i:], strict=False)], 2**bits)
            for i, row in enumerate((singles, doubles))
        )
    return one - other


def minimiser(law: Law, T: int, max_bits: int) -> Fraction:
    """The weight of the least loss, to 20 digits; of several, the one nearest to 0.

    Losses that are not told apart with the weights at 80 digits count as equal.  The law must not be 0.
    Raises PrecisionExhausted, or NoConvergence if the zeros are not isolated.
    """
    value = gain(law, T)
    # All are negative: beyond 0, lam z^(2T-1) > z^(T-1) on {s > 0}, hence G' < 0.
    roots = real_roots(value.derivative())
    for digits in DIGITS:
        intervals = [_narrowed(root, digits, max_bits) for root in roots]
        gains = [_enclosed(value, *interval) for interval in intervals]
        least = max(low for low, _ in gains)
        best = [place for place, (_, high) in enumerate(gains) if high >= least]
        if len(best) == 1:
            break
        roots = [roots[place] for place in best]
    low, high = intervals[best[-1]]
    return (low + high) / 2


def _narrowed(root: RealRoot, digits: int, max_bits: int) -> Interval:
    """The root between two numbers, by Newton's steps in balls: quicker than exact bisection."""
    if root.is_exact:
        return root.low, root.high
    side = sign_at(root.polynomial, root.high)
    slope = root.polynomial.derivative()
    # In b = -beta, so as to fall from positive to negative.
    found = isolate_root(
        lambda b: side * on_balls(root.polynomial)(-b),
        lambda b: -side * on_balls(slope)(-b),
        (-root.high, -root.low),
        digits,
        max_bits,
    )
    if not root.low <= -found.upper < -found.lower <= root.high:
        root = root.narrowed(ceil(digits * log2(10)))
        return root.low, root.high
    return -found.upper, -found.lower


def _enclosed(value: Polynomial, low: Fraction, high: Fraction) -> Interval:
    """Bounds on the polynomial at a zero of its derivative, by the mean value theorem about the middle."""
    with ctx.workprec(_size(value)):
        slope = on_balls(value.derivative())(ball(low).union(ball(high)))
        spread = slope * ball((high - low) / 2) * arb(0, 1)
        return ends(on_balls(value)(ball((low + high) / 2)) + spread)


def _size(value: Polynomial) -> int:
    """Bits that hold the coefficients, and twice the degree beyond: the terms at |beta| <= 2 cancel."""
    whole = value.middle if isinstance(value, IntervalPolynomial) else value
    return GUARD_BITS + max(abs(int(c)).bit_length() for c in whole.coeffs()) + 2 * int(value.degree())


def of_constant(s: Fraction, T: int) -> float:
    """The same where s is constant on {s > 0}: lam (1 + beta lam)^T = 1, beta nearest to 0."""
    return expm1(-log1p(float(s)) / T) / float(1 + s)
