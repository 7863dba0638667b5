"""From which depth on the minimum of the two-parameter loss provably has |beta + alpha*| < eps.

The exclusions (`theory.exclusions` has them and their proofs), each monotone in T, with thresholds
lM < lH that are chosen anew for each.  With rho the largest |1 + beta lam| within the band,
R = rho^T bounds alpha as well: 1/(1 + R) <= -alpha/beta <= 1/(1 - R).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import inf, log, log1p
from typing import TYPE_CHECKING

from flint import arb, ctx

import theory
from numerics.arithmetic import formula
from numerics.arithmetic.balls import ball
from numerics.errors import DepthLimit
from numerics.laws import Law
from numerics.two_parameter.end_masses import EndMasses

if TYPE_CHECKING:
    from sympy import Expr

    from theory.exclusions import Exclusion as Case

BITS = 128
RECHECK_BITS = 2 * BITS
DEEPEST = 2**60
COARSE = 8
Region = tuple[Fraction | None, Fraction | None]
"""A closed interval; None: no end."""

#: Half-widths of the band for beta that are tried: alpha* times numbers of this many bits.
WIDTH_BITS = 8
WIDTHS = 1 << (WIDTH_BITS - 1)
"""Of one size, to a factor of 2."""
#: Thresholds tried: the ends, and at these fractions of the width of the support from them.
FRACTIONS = (Fraction(0), *(Fraction(3 - j % 2, 2 ** (j // 2 + 2)) for j in range(48)))


@dataclass(frozen=True)
class Setting:
    """The support [l1, l2] of lam on {s > 0}, and the half-width of the band for b = -beta about alpha*."""

    l1: Fraction
    l2: Fraction
    inner: Fraction

    @property
    def center(self) -> Fraction:
        """alpha*."""
        return 2 / (self.l1 + self.l2)

    @cached_property
    def kappa(self) -> Fraction:
        """(l2 - l1)/(l2 + l1)."""
        return (self.l2 - self.l1) / (self.l2 + self.l1)

    @cached_property
    def rho(self) -> Fraction:
        """The largest |1 - b lam| for b in the band and lam in the support."""
        return max(1 - (self.center - self.inner) * self.l1, (self.center + self.inner) * self.l2 - 1)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases whose region is not empty."""
        return tuple(case for case in theory.exclusions.CASES if _is_interval(self.region(case)))

    def numbers(self, case: Case) -> dict[Expr, Fraction]:
        """What the symbols of a case stand for, but for the thresholds."""
        above = case.name == theory.exclusions.LARGE.name
        edge = self.center + self.inner if above else self.center - self.inner
        return {theory.symbols.l1: self.l1, theory.symbols.l2: self.l2, theory.exclusions.a: edge}

    def region(self, case: Case) -> Region:
        """The closed interval of b that a case excludes; None: no end."""
        low, high = (
            None if end is None else Fraction(formula.value(end, self.numbers(case))) for end in case.region
        )
        return low, high

    def thresholds(self, case: Case) -> Iterator[tuple[Fraction, Fraction]]:
        """Pairs lM < lH: many of the one that r depends on, few of the other."""
        width, fine_below = self.l2 - self.l1, theory.exclusions.l_m in case.residual.free_symbols
        for fine in FRACTIONS:
            for coarse in FRACTIONS[:COARSE]:
                y, x = (fine, coarse) if fine_below else (coarse, fine)
                if y + x < 1:
                    yield self.l1 + y * width, self.l2 - x * width


def _is_interval(region: Region) -> bool:
    low, high = region
    return low is None or high is None or low <= high


@dataclass(frozen=True)
class Inequality:
    """(**) of `theory.exclusions`: p (spread (1 - th^T) r^T)^2 (1 - kappa^(2T)) > bound kappa^(2T), from
    one T on: r > kappa, th < 1.
    """

    masses: Fraction
    spread: Fraction
    th: Fraction
    r: Fraction
    bound: Fraction
    kappa: Fraction

    @cached_property
    def log_ratio(self) -> float:
        """log(r/kappa)."""
        return log1p(float(self.r / self.kappa - 1))

    @cached_property
    def need(self) -> float:
        """log of the bound by what does not depend on T."""
        ratio = self.bound / (self.masses * self.spread**2)
        return log(ratio.numerator) - log(ratio.denominator)

    def fails_below(self) -> float:
        """A depth below which it does not hold, in float64."""
        return max(self.need / (2 * self.log_ratio), 0.5)

    def estimate(self) -> float:
        """The T from which it holds, in float64."""
        th, kappa, low = float(self.th), float(self.kappa), self.fails_below()

        def holds(T: float) -> bool:
            residual, k = th**T, kappa ** (2 * T)
            if residual >= 1 or k >= 1:
                return False
            return 2 * T * self.log_ratio + 2 * log1p(-residual) + log1p(-k) > self.need

        high = low
        while not holds(high) and high < DEEPEST:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high

    def margin(self, T: int) -> arb:
        """The left side less the right, at the working precision."""
        names = theory.exclusions
        value: arb = formula.value(
            names.EXCEEDS,
            {
                names.masses: ball(self.masses),
                names.spread: ball(self.spread),
                names.theta_power: ball(self.th) ** T,
                names.r_power: ball(self.r) ** T,
                names.kappa_power: ball(self.kappa) ** T,
                names.bound: ball(self.bound),
            },
        )
        return value


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
class PairBand:
    """|beta + center| < inner and |alpha - center| < epsilon for every T >= T0; center = 2/(l1 + l2)."""

    setting: Setting
    epsilon: Fraction
    exclusions: tuple[Exclusion, ...]
    alpha_T0: int

    @property
    def center(self) -> Fraction:
        """alpha*."""
        return self.setting.center

    @property
    def inner(self) -> Fraction:
        """The half-width of the band for beta."""
        return self.setting.inner

    @property
    def T0(self) -> int:
        """The depth from which all of it holds."""
        return max(self.alpha_T0, *(exclusion.T0 for exclusion in self.exclusions))


def band(law: Law, epsilon: Fraction, C: arb) -> PairBand:
    """|beta_T + alpha*| < epsilon and |alpha_T - alpha*| < epsilon for all T >= T0; epsilon > 0, absolute.

    C: E[s/lam].  The law must be bounded and s not constant on {s > 0}.
    Raises DepthLimit where T0 is beyond DEEPEST.

    The band for beta has one of the half-widths below epsilon that the law alone decides, so a larger
    epsilon has no larger T0: the wider it is, the sooner beta lies within and the later alpha, and the
    crossing of the two is found by bisection.
    """
    l1, l2 = law.lambda_ends
    assert l2 is not None
    center, masses = 2 / (l1 + l2), EndMasses(law, C)

    kept: dict[Case, Exclusion] = {}

    def excluded(case: Case, setting: Setting) -> Exclusion:
        if theory.exclusions.a in case.symbols:
            return exclude(case, setting, masses)
        if case not in kept:
            kept[case] = exclude(case, setting, masses)
        return kept[case]

    @cache
    def at(place: int) -> PairBand:
        setting = Setting(l1, l2, _width(place) * center)
        exclusions = tuple(excluded(case, setting) for case in setting.cases)
        return PairBand(
            setting, epsilon, exclusions, _first_depth(lambda T: alpha_margin(setting, epsilon, T))
        )

    def alpha_first(place: int) -> bool:
        found = at(place)
        return found.alpha_T0 <= max(exclusion.T0 for exclusion in found.exclusions)

    # rho < 1 where the half-width is below alpha* l1/l2.
    widest = _place_below(min(epsilon / center, l1 / l2))
    step = 1
    while not alpha_first(widest - step + 1):
        step *= 2
    low, high = widest - step + 1, widest - step // 2 + 1 if step > 1 else widest + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if alpha_first(middle) else (low, middle)
    return min((at(place) for place in (low, high) if place <= widest), key=lambda found: found.T0)


def _width(place: int) -> Fraction:
    """Numbers of WIDTH_BITS bits in increasing order."""
    power, rest = divmod(place, WIDTHS)
    return (WIDTHS + rest) * (Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power))


def _place_below(number: Fraction) -> int:
    """The last place with a width below a positive number."""
    power = number.numerator.bit_length() - number.denominator.bit_length() - WIDTH_BITS - 1
    place = power * WIDTHS
    while _width(place + 1) < number:
        place += 1
    return place


def recheck(law: Law, found: PairBand, exclusion: Exclusion, T: int) -> bool:
    """Whether the inequality holds at T, computed anew from what the exclusion says."""
    masses = exclusion.masses[0] * exclusion.masses[1]
    inequality = inequality_of(exclusion.case, found.setting, exclusion.l_m, exclusion.l_h, masses)
    with ctx.workprec(RECHECK_BITS):
        return inequality is not None and bool(inequality.margin(T) > 0)


def exclude(case: Case, setting: Setting, masses: EndMasses) -> Exclusion:
    """The exclusion with the thresholds, of those tried, that make T0 smallest."""
    found: tuple[float, Fraction, Fraction, Inequality] | None = None
    for l_m, l_h in setting.thresholds(case):
        inequality = inequality_of(case, setting, l_m, l_h, masses.low(l_m) * masses.high(l_h))
        if inequality is None or (found is not None and inequality.fails_below() >= found[0]):
            continue
        estimate = inequality.estimate()
        if found is None or estimate < found[0]:
            found = estimate, l_m, l_h, inequality
    if found is None or found[0] >= DEEPEST:
        raise DepthLimit(f"no thresholds exclude {case.name} by depth $2^{{60}}$")
    _, l_m, l_h, inequality = found
    T0 = _first_depth(inequality.margin)
    return Exclusion(case, l_m, l_h, (masses.low(l_m), masses.high(l_h)), T0)


def inequality_of(
    case: Case, setting: Setting, l_m: Fraction, l_h: Fraction, masses: Fraction
) -> Inequality | None:
    """The condition of a case; None where it does not hold from any depth on.  masses: pM pH."""
    numbers = setting.numbers(case) | {theory.exclusions.l_m: l_m, theory.exclusions.l_h: l_h}
    r = Fraction(formula.value(case.residual, numbers))
    if masses <= 0 or l_m >= l_h or r <= setting.kappa:
        return None
    th = max((Fraction(formula.value(ratio, numbers)) for ratio in case.ratios), default=Fraction(0))
    if th >= 1:
        return None
    spread, bound = (Fraction(formula.value(part, numbers)) for part in (case.spread, case.bound))
    return Inequality(masses, spread, max(th, Fraction(0)), r, bound, setting.kappa)


def alpha_margin(setting: Setting, epsilon: Fraction, T: int) -> arb:
    """Positive if beta in the band implies |alpha - alpha*| < epsilon, at T and beyond."""
    R, center, inner = ball(setting.rho) ** T, setting.center, setting.inner
    least, most = (formula.value(end, {theory.exclusions.R: R}) for end in theory.exclusions.alpha_bounds())
    over: arb = ball(center + epsilon) - ball(center + inner) * most
    return over.min(ball(center - inner) * least - ball(center - epsilon))


def covers(regions: Iterable[Region], band: tuple[Fraction, Fraction]) -> bool:
    """Whether the regions hold every number outside an open interval."""
    reached: Fraction | float = -inf
    for low, high in sorted((-inf if a is None else a, inf if b is None else b) for a, b in regions):
        if low > reached and not (band[0] <= reached and low <= band[1]):
            return False
        reached = max(reached, high)
    return reached == inf


def _first_depth(margin: Callable[[int], arb]) -> int:
    """The least T at which a margin that grows with T is certified positive."""
    with ctx.workprec(BITS):
        high = 1
        while not margin(high) > 0:
            high *= 2
            if high > DEEPEST:
                raise DepthLimit("an exclusion needs a depth beyond $2^{60}$")
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if margin(middle) > 0 else (middle, high)
        return high
