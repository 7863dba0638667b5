"""A bound on what the first-order term of alpha_T leaves out, for every depth from some T1 on.

Let alpha_T = alpha* - delta lie in a band for all T >= T0, n = 2T - 1, c_1 = 1 - alpha_T l1,
c_2 = alpha_T l2 - 1, f(delta) = log(c_1/c_2), r_i = n alpha_T/c_i and r = 2T alpha*/kappa.  The ends balance:

    n f(delta) = B - k1 log(r_1/r) + k2 log(r_2/r) + log R_1 - log R_2,            (1)

and f' = l1/c_1 + l2/c_2 >= m > 0 on the band, so |delta| <= (|B| + K)/(n m), K a bound on the rest of (1).
With f'(0) = (l1 + l2)/kappa and |f''| <= M the bracket b = (n + 1) f'(0) delta that alpha_T shows has

    |b - n f(delta)| <= f'(0) |delta| + n M delta^2/2,
    |log(r_i/r)|     <= 1/n + |delta| (1/alpha + l_i/c_i)    (alpha and c_i at their least).

So |b - B| is at most a sum of terms O((1 + |B|)^2/n) and O(n^-order), and |B| = O(log T).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

import theory
from numerics.arithmetic.balls import ball
from numerics.laws import Law
from numerics.one_parameter.end_ratios import Deviation, side_deviation

MOST_DOUBLINGS = 200


@dataclass(frozen=True)
class RateBound:
    """|b - B| <= at(T, B) for every T >= T1, which tends to 0 while |B| = O(log T).

    delta:    |delta| n <= delta (|B| + rest).
    linear:   times |delta|; quadratic: times n delta^2; exponents: k1 + k2, times 1/n.
    """

    T1: int
    delta: arb
    rest: arb
    linear: arb
    quadratic: arb
    exponents: Fraction
    deviations: tuple[Deviation, Deviation]

    def at(self, T: int, bracket: arb) -> arb:
        """The bound at one depth T >= T1."""
        n = 2 * T - 1
        off = self.delta * (abs(bracket) + self.rest) / n
        value = self.linear * off + self.quadratic * n * off**2 + ball(self.exponents) / n
        return (value + sum((_logarithm(one, n) for one in self.deviations), arb(0))).upper()


def _logarithm(deviation: Deviation, n: int) -> arb:
    """|log R| <= x/(1 - x) for |R - 1| <= x < 1."""
    x = deviation.at(n)
    return x / (1 - x) if x < 1 else arb.nan()


def rate_bound(law: Law, exponents: tuple[Fraction, Fraction], reach: Fraction, T0: int) -> RateBound | None:
    """The bound, given |alpha_T - alpha*| < reach for every T >= T0, at the working precision.

    exponents: k1 and k2.  reach: less than kappa/l2.
    None if no T1 below T0 2^200 makes every ratio lie within a factor 1/2 and 3/2 of 1.
    """
    l1, l2 = law.lambda_ends
    assert l2 is not None
    ends = (l1 - 1, l2 - 1)
    center, worst = theory.limits.alpha_star(*ends), theory.limits.kappa(*ends)
    alpha = ball(center - reach).union(ball(center + reach))
    widths = 1 / alpha - ball(l1), ball(l2) - 1 / alpha
    for T1 in (T0 * 2**j for j in range(MOST_DOUBLINGS)):
        found = (
            side_deviation(law, "low", widths[0], 2 * T1 - 1),
            side_deviation(law, "high", widths[1], 2 * T1 - 1),
        )
        if all(deviation.at(2 * T1 - 1) < 0.5 for deviation in found):
            return _assembled(law, exponents, reach, T1, found, (center, worst))
    return None


def _assembled(
    law: Law,
    exponents: tuple[Fraction, Fraction],
    reach: Fraction,
    T1: int,
    deviations: tuple[Deviation, Deviation],
    optimum: tuple[Fraction, Fraction],
) -> RateBound:
    l1, l2 = law.lambda_ends
    assert l2 is not None
    center, worst = optimum
    n = 2 * T1 - 1
    # What lies in the band: residuals, and the least and the largest of each.
    least, most = (worst - reach * l1, worst - reach * l2), (worst + reach * l1, worst + reach * l2)
    slope = ball(l1 / most[0] + l2 / most[1])
    curvature = ball(
        max((l2 / least[1]) ** 2 - (l1 / most[0]) ** 2, (l1 / least[0]) ** 2 - (l2 / most[1]) ** 2)
    )
    nearest = [1 / (center - reach) + end / c for end, c in zip((l1, l2), least, strict=True)]
    # |log(r_i/r)| over the whole band, for the first bound on delta.
    shifts = [Fraction(1, n) + reach * steep for steep in nearest]
    rest = ball(sum((k * shift for k, shift in zip(exponents, shifts, strict=True)), Fraction(0)))
    rest += sum((_logarithm(deviation, n) for deviation in deviations), arb(0))
    linear = (l1 + l2) / worst + sum(
        (k * steep for k, steep in zip(exponents, nearest, strict=True)), Fraction(0)
    )
    return RateBound(
        T1, 1 / slope, rest, ball(linear), curvature / 2, sum(exponents, Fraction(0)), deviations
    )
