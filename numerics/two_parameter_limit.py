"""From which depth on the minimum of the two-parameter loss provably has |beta + alpha*| < eps.

Four exclusions (`theory.exclusions` has the proofs), each monotone in T, with thresholds
lM < lH that are chosen anew for each.  With rho the largest |1 + beta lam| within the band,
R = rho^T bounds alpha as well: (1 - R)/(1 + R)^2 <= -alpha/beta <= (1 + R)/(1 - R)^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, log1p
from typing import Literal

from flint import arb, ctx

from numerics.ball_evaluators import evaluator
from numerics.balls import ball, dyadic
from numerics.errors import DepthLimit
from numerics.laws import Atoms, Component, Law, SumPiece
from numerics.laws.components import piece_support

Case = Literal["b >= a", "1/l2 <= b <= a'", "0 <= b < 1/l2", "b < 0"]
CASES: tuple[Case, ...] = ("b >= a", "1/l2 <= b <= a'", "0 <= b < 1/l2", "b < 0")

BITS = 128
DEEPEST = 2**60
COARSE = 8
#: Shares of epsilon left to the step from beta to alpha; the next is tried while it lowers T0.
CUTS = (Fraction(1, 1024), Fraction(1, 64), Fraction(1, 8))
#: Thresholds tried: the ends, and at these fractions of the width of the support from them.
FRACTIONS = (Fraction(0), *(Fraction(3 - j % 2, 2 ** (j // 2 + 2)) for j in range(48)))


@dataclass(frozen=True)
class Setting:
    """The support [l1, l2] of lam on {s > 0} and the edges low < alpha* < high of the band for b = -beta."""

    l1: Fraction
    l2: Fraction
    low: Fraction
    high: Fraction

    @cached_property
    def kappa(self) -> Fraction:
        """(l2 - l1)/(l2 + l1)."""
        return (self.l2 - self.l1) / (self.l2 + self.l1)

    def thresholds(self, case: Case) -> Iterator[tuple[Fraction, Fraction]]:
        """Pairs lM < lH: many of the one that r depends on, few of the other."""
        width, fine_below = self.l2 - self.l1, case in ("1/l2 <= b <= a'", "0 <= b < 1/l2")
        for fine in FRACTIONS:
            for coarse in FRACTIONS[:COARSE]:
                y, x = (fine, coarse) if fine_below else (coarse, fine)
                if y + x < 1:
                    yield self.l1 + y * width, self.l2 - x * width


@dataclass(frozen=True)
class Inequality:
    """factor (1 - th^T)^2 (1 - kappa^(2T)) r^(2T) > bound kappa^(2T), r > kappa, th < 1: from one T on."""

    factor: Fraction
    th: Fraction
    r: Fraction
    bound: int
    kappa: Fraction

    def log_ratio(self) -> float:
        """log(r/kappa)."""
        return log1p(float(self.r / self.kappa - 1))

    def need(self) -> float:
        """log(bound/factor)."""
        return log(self.bound * self.factor.denominator) - log(self.factor.numerator)

    def least(self) -> float:
        """A depth below which it does not hold, in float64."""
        return max(self.need() / (2 * self.log_ratio()), 0.5)

    def estimate(self) -> float:
        """The T from which it holds, in float64."""
        need, low = self.need(), self.least()
        high = low
        while not self._holds(high, need) and high < DEEPEST:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if self._holds(middle, need) else (middle, high)
        return high

    def _holds(self, T: float, need: float) -> bool:
        residual = float(self.th) ** T
        k = float(self.kappa) ** (2 * T)
        if residual >= 1 or k >= 1:
            return False
        return 2 * T * self.log_ratio() + 2 * log1p(-residual) + log1p(-k) > need

    def margin(self, T: int) -> arb:
        """log of the left side less log of the right, at the working precision."""
        residual = ball(self.th) ** T
        k = ball(self.kappa) ** (2 * T)
        sides = ball(self.factor / self.bound).log() + 2 * T * ball(self.r / self.kappa).log()
        return sides + 2 * (1 - residual).log() + (1 - k).log()


@dataclass(frozen=True)
class Exclusion:
    """Values of b = -beta excluded at every T >= T0.

    l_m, l_h: the thresholds lM < lH of lam; masses: lower bounds on nu(lam <= lM), nu(lam >= lH).
    """

    case: Case
    l_m: Fraction
    l_h: Fraction
    masses: tuple[Fraction, Fraction]
    T0: int


@dataclass(frozen=True)
class Band:
    """|beta + center| < inner and |alpha - center| < epsilon for every T >= T0; center = 2/(l1 + l2)."""

    center: Fraction
    epsilon: Fraction
    inner: Fraction
    rho: Fraction
    exclusions: tuple[Exclusion, ...]
    alpha_T0: int

    @property
    def T0(self) -> int:
        """The depth from which all of it holds."""
        return max(self.alpha_T0, *(exclusion.T0 for exclusion in self.exclusions))


def band(law: Law, epsilon: Fraction, C: arb) -> Band:
    """|beta_T + alpha*| < epsilon and |alpha_T - alpha*| < epsilon for all T >= T0; epsilon > 0, absolute.

    C: E[s/lam].  The law must be bounded and s not constant on {s > 0}.  An epsilon for which
    rho would reach 1 is made smaller.  Raises DepthLimit where T0 is beyond DEEPEST.
    """
    l1, l2 = law.lambda_ends
    assert l2 is not None
    best = 2 / (l1 + l2)
    epsilon = min(epsilon, best * l1 / l2 * Fraction(3, 4))
    masses = EndMasses(law, C)
    found: Band | None = None
    for cut in CUTS:
        new = _band_with(l1, l2, epsilon, epsilon * (1 - cut), masses)
        if found is not None and new.T0 >= found.T0:
            return found
        found = new
    assert found is not None
    return found


def _band_with(l1: Fraction, l2: Fraction, epsilon: Fraction, inner: Fraction, masses: EndMasses) -> Band:
    best = 2 / (l1 + l2)
    rho = max(1 - (best - epsilon) * l1, (best + epsilon) * l2 - 1)
    setting = Setting(l1, l2, best - inner, best + inner)
    # Case 2 is void where a' <= 1/l2.
    cases = (case for case in CASES if case != CASES[1] or setting.low * l2 > 1)
    exclusions = tuple(exclude(case, setting, masses) for case in cases)
    alpha_T0 = _first_depth(lambda T: _alpha_margin(best, epsilon, inner, rho, T))
    return Band(best, epsilon, inner, rho, exclusions, alpha_T0)


def recheck(law: Law, found: Band, exclusion: Exclusion) -> bool:
    """Whether the inequality holds at T0, computed anew from what the exclusion says."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    setting = Setting(l1, l2, found.center - found.inner, found.center + found.inner)
    masses = exclusion.masses[0] * exclusion.masses[1]
    inequality = inequality_of(exclusion.case, setting, exclusion.l_m, exclusion.l_h, masses)
    with ctx.workprec(BITS):
        return inequality is not None and bool(inequality.margin(exclusion.T0) > 0)


def exclude(case: Case, setting: Setting, masses: EndMasses) -> Exclusion:
    """The exclusion with the thresholds, of those tried, that make T0 smallest."""
    found: tuple[float, Fraction, Fraction, Inequality] | None = None
    for l_m, l_h in setting.thresholds(case):
        inequality = inequality_of(case, setting, l_m, l_h, masses.low(l_m) * masses.high(l_h))
        if inequality is None or (found is not None and inequality.least() >= found[0]):
            continue
        estimate = inequality.estimate()
        if found is None or estimate < found[0]:
            found = estimate, l_m, l_h, inequality
    if found is None or found[0] >= DEEPEST:
        raise DepthLimit(f"no thresholds exclude {case} by depth 2^60")
    _, l_m, l_h, inequality = found
    T0 = _first_depth(inequality.margin)
    return Exclusion(case, l_m, l_h, (masses.low(l_m), masses.high(l_h)), T0)


def inequality_of(
    case: Case, setting: Setting, l_m: Fraction, l_h: Fraction, masses: Fraction
) -> Inequality | None:
    """The condition of a case; None where it does not hold from any depth on.  masses: pM pH."""
    l1, l2, kappa = setting.l1, setting.l2, setting.kappa
    th, bound, gap = Fraction(0), 1, l_h - l_m
    match case:
        case "b >= a":
            a = setting.high
            r = min(a * l_h - 1, 2 * l_h / l2 - 1)
            th, bound = max((1 - a * l1) / (a * l_h - 1), l_m / l_h) if r > 0 else Fraction(1), 4
        case "1/l2 <= b <= a'":
            a = setting.low
            r = 1 - a * l_m
            th, bound = max((l2 - l_h) / (l2 - l_m), (a * l2 - 1) / r) if r > 0 else Fraction(1), 4
        case "0 <= b < 1/l2":
            r, masses = 1 - l_m / l2, masses * (gap / l2) ** 2
        case "b < 0":
            r, masses = l_h / l2, masses * (gap / l_h) ** 2
    if masses <= 0 or r <= kappa or th >= 1:
        return None
    return Inequality(masses, th, r, bound, kappa)


def _alpha_margin(best: Fraction, epsilon: Fraction, inner: Fraction, rho: Fraction, T: int) -> arb:
    """Positive if |beta + alpha*| < inner implies |alpha - alpha*| < epsilon at T and beyond."""
    R = ball(rho) ** T
    over = ball(best + epsilon) - ball(best + inner) * (1 + R) / (1 - R) ** 2
    under = ball(best - inner) * (1 - R) / (1 + R) ** 2 - ball(best - epsilon)
    return over.min(under)


def _first_depth(margin: Callable[[int], arb]) -> int:
    """The least T at which a margin that grows with T is certified positive."""
    with ctx.workprec(BITS):
        high = 1
        while not margin(high) > 0:
            high *= 2
            if high > DEEPEST:
                raise DepthLimit("an exclusion needs a depth beyond 2^60")
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if margin(middle) > 0 else (middle, high)
        return high


class EndMasses:
    """Lower bounds on the mass that nu = (s/lam) dP/C has near the ends of the support."""

    def __init__(self, law: Law, C: arb) -> None:
        assert law.m_lo is not None and law.m_hi is not None
        self.law, self.C = law, dyadic(C.upper())
        self._low: dict[Fraction, Fraction] = {}
        self._high: dict[Fraction, Fraction] = {}

    def low(self, l_m: Fraction) -> Fraction:
        """nu(lam <= l_m) is at least this."""
        if l_m not in self._low:
            total = sum((_mass(component, l_m - 1, True) for component in self.law.components), Fraction(0))
            self._low[l_m] = total / self.C
        return self._low[l_m]

    def high(self, l_h: Fraction) -> Fraction:
        """nu(lam >= l_h) is at least this."""
        if l_h not in self._high:
            total = sum((_mass(component, l_h - 1, False) for component in self.law.components), Fraction(0))
            self._high[l_h] = total / self.C
        return self._high[l_h]


def _mass(component: Component, s: Fraction, below: bool) -> Fraction:
    """E[s/lam] over a component and s <= (or >=) a threshold, from below."""
    if isinstance(component, Atoms):
        return sum(
            (
                mass * value / (1 + value)
                for value, mass in zip(component.values, component.masses, strict=True)
                if (value <= s if below else value >= s)
            ),
            Fraction(0),
        )
    # s/lam >= s/(1 + the largest s there)
    largest = s if below else piece_support(component)[1]
    assert largest is not None
    with ctx.workprec(BITS):
        moment = _first_moment(component, s, below)
        # No bound above 0 is known where the enclosure fails.
        least = dyadic(moment.lower()) if moment.is_finite() else Fraction(0)
    return max(least, Fraction(0)) / (1 + largest)


def _first_moment(component: Component, s: Fraction, below: bool) -> arb:
    """E[s] over a piece and a window; of a sum, over independent windows of its parts inside it."""
    if not isinstance(component, SumPiece):
        low, high = (None, s) if below else (s, None)
        return evaluator(component).window(1, arb(0), 0, low, high)
    parts = (component.first, component.second)
    start, end = (sum(ends) for ends in zip(*map(piece_support, parts), strict=True))
    share = (s - start if below else end - s) / 2
    cuts = [low + share if below else high - share for low, high in map(piece_support, parts)]
    windows = [(None, cut) if below else (cut, None) for cut in cuts]
    whole, first = (
        [evaluator(part).window(i, arb(0), 0, *window) for part, window in zip(parts, windows, strict=True)]
        for i in (0, 1)
    )
    return (first[0] * whole[1] + whole[0] * first[1]) * ball(component.mass)
