"""Statements "for all T >= T0" about the minimiser alpha_T of the one-parameter loss.

The loss falls at a exactly where G_n(a) = E[s q^n] > 0, n = 2T - 1, q = 1 - a lam,
and then alpha_T > a.  On {s > 0}, q falls from 1 - a l1 to 1 - a l2.

Below alpha*: q_hi = max(0, a l2 - 1) bounds |q| where q < 0.  If

    E[s q^n; q > q_hi] > E[s |q|^n; q < 0]                                  (1)

holds at one odd n, it holds at every larger one, since n -> n + 2 multiplies the
left by at least q_hi^2 and the right by at most q_hi^2; and (1) gives G_n(a) > 0.
Above alpha*, the mirror image with q_lo = max(0, 1 - a l1):

    E[s |q|^n; q < -q_lo] > E[s q^n; q > 0].                                (2)

So one certified inequality settles every later depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb, ctx

from numerics.arithmetic.balls import WORKING_BITS, ball, ends, precisions, sign
from numerics.errors import DepthLimit
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.mass_bounds import at_most, mass

ENUMERATION_LIMIT = 20_000
ENUMERATION_EFFORT = 20_000_000
"""In `Expectation.effort`: the enumeration ends where the law and the depths say, whatever the machine."""
EXACT_DEPTH = 64
NEAREST = 64
"""Halvings of an interval that ends at 0, in search of mass."""

Side = Literal["above", "below"]


@dataclass(frozen=True)
class CertifiedSide:
    """alpha_T lies strictly on `side` of `point` for every T >= T0."""

    point: Fraction
    side: Side
    T0: int
    bits: int


@dataclass(frozen=True)
class WeightBand:
    """low < alpha_T < high for every T >= T0; and from first_T on in fact (None: not enumerated)."""

    low: CertifiedSide
    high: CertifiedSide
    first_T: int | None

    @property
    def T0(self) -> int:
        """The depth from which the proof holds."""
        return max(self.low.T0, self.high.T0)

    @property
    def bits(self) -> int:
        """The precision that decided both sides."""
        return max(self.low.bits, self.high.bits)


def balance(law: Law) -> Fraction:
    """The weight at which |q| is the same at both ends of the support, by its value there at 0 and 1.

    The law must be bounded and not 0.  No inequality separates it from alpha_T.
    """
    at_0, at_1 = (sum(_end_residuals(law, Fraction(a)), Fraction(0)) for a in (0, 1))
    return at_0 / (at_0 - at_1)


def _end_residuals(law: Law, a: Fraction) -> tuple[Fraction, Fraction]:
    """q at both ends of the support, the larger first for a > 0."""
    l1, l2 = law.lambda_ends
    assert l2 is not None
    return 1 - a * l1, 1 - a * l2


def certify_side(expectation: Expectation, a: Fraction, max_bits: int) -> CertifiedSide | None:
    """On which side of `a` every alpha_T lies from some explicit depth on.

    The law must be bounded and not 0.  None if neither (1) nor (2) can settle it:
    a is alpha* itself.  Raises DepthLimit where T0 is past what the evaluators reach.

    >>> from numerics.laws.syntax import parse_law
    >>> expectation = Expectation(parse_law("squared_norm", "uniform(1, 4)"))
    >>> found = certify_side(expectation, Fraction(28, 100), 1024)
    >>> f"alpha_T lies {found.side} 0.28 for all T >= {found.T0}"
    'alpha_T lies above 0.28 for all T >= 9'
    >>> certify_side(expectation, Fraction(2, 7), 1024) is None
    True
    """
    q_first, q_last = _end_residuals(expectation.law, a)
    if a <= 0:
        return CertifiedSide(a, "above", 1, 0)
    if q_first + q_last == 0:
        return None
    side: Side = "above" if q_first + q_last > 0 else "below"
    if q_last >= 0 or q_first <= 0:
        # q has one sign on the whole support and is not 0 on all of it: every depth is settled.
        return CertifiedSide(a, side, 1, 0)
    early = too_early(expectation.law, a)
    if 2 * early > expectation.max_exponent:
        raise DepthLimit(f"the one-inequality argument needs a depth beyond {early} for this law")
    T, bits = _first_depth(lambda T: _one_inequality(expectation, a, side, T), expectation, max_bits)
    return CertifiedSide(a, side, T, bits)


def too_early(law: Law, a: Fraction) -> int:
    """A depth up to which neither (1) nor (2) holds, however little work it takes to see; 0 if none is seen.

    With Q the largest |q| on the side that is to win and P the mass that counts there, the left is at most
    m_hi P Q^n.  By Jensen's inequality for E[s .]/E s the right is at least E s J^n, J the mean of q there
    with the other side's sign, where that is positive.  0 < J < Q.
    """
    first, last = _end_residuals(law, a)
    l1, l2 = law.lambda_ends
    assert l2 is not None and law.m_hi is not None
    above = first + last > 0
    mean, ratio = _mean_and_ratio(law, above)
    mean_residual = 1 - a * (1 + ratio)
    J, Q = (-mean_residual, first) if above else (mean_residual, -last)
    if J <= 0:
        return 0
    with ctx.workprec(WORKING_BITS):
        cut = 2 / a - 1 - (l2 if above else l1)
        near = at_most(law, cut, "below" if above else "above")
        n = (ball(mean / law.m_hi) / near).log() / ball(Q / J).log()
    return max(0, int(ends(n)[0]) + 1) // 2 if n.is_finite() else 0


def _mean_and_ratio(law: Law, above: bool) -> tuple[Fraction, Fraction]:
    """E s and E s^2/E s; where they are not rational, numbers that make the right of (1), or of (2), less."""
    if law.is_rational:
        return law.mean, law.moment(2) / law.mean
    first, second = (Expectation(law).moment(k) for k in (1, 2))
    return ends(first)[0], ends(second / first)[0 if above else 1]


@dataclass(frozen=True)
class Assured:
    """The inequality holds from T on at the latest, as E[s; s within `width` of the end] >= mass > 0."""

    T: int
    width: Fraction
    mass: Fraction


def assured(law: Law, a: Fraction, max_bits: int) -> Assured | None:
    """The argument of `theory.limits.every_epsilon` for this a > 0, with its numbers; a is not `balance`.

    With largest = h + 2t the largest |q| on the side that wins and h that on the other, and A the mass:
    A (1 + n t/h) > 2 E s, which also covers what `_one_inequality` counts against itself.
    None if no mass was certified near the end.
    """
    first, last = _end_residuals(law, a)
    above = first + last > 0
    h = max(Fraction(0), -last if above else first)
    t = ((first if above else -last) - h) / 2
    assert law.m_lo is not None and law.m_hi is not None
    width = min(t / a, law.m_hi / 2)
    near = law.m_lo if above else law.m_hi
    found = _mass_near(law, near, width if above else -width, max_bits)
    if found is None:
        return None
    mean = law.mean if law.is_rational else law.m_hi
    n = 1 if h == 0 else max(1, int((2 * mean / found - 1) * h / t) + 1)
    return Assured(n // 2 + 1, width, found)


def _mass_near(law: Law, end: Fraction, step: Fraction, max_bits: int) -> Fraction | None:
    """A positive number <= E[s; s between end and end + step], from its halves; None if none is found.

    Near 0, where s itself is small, from halves of halves: all may lie much nearer than the step.
    """
    for bits in (64, 256, 1024, 4096):
        if bits > max(64, max_bits):
            break
        for halvings in range(1 if end else NEAREST):
            near, far = end + step / (2 << halvings), end + step / (1 << halvings)
            with ctx.workprec(bits):
                halves = [sorted((end, near)), sorted((near, far))]
                found: Fraction = max(low * ends(mass(law, low, high))[0] for low, high in halves)
            if found > 0:
                return found
    return None


def _one_inequality(expectation: Expectation, a: Fraction, side: Side, T: int) -> arb:
    """The difference of the two sides of (1), or of (2), at n = 2T - 1, or a lower bound of it."""
    l1, l2 = expectation.law.lambda_ends
    assert l2 is not None
    n, slope = 2 * T - 1, ball(a)
    zero = 1 / a - 1
    lowest, highest = (2 / a - l2 - 1, zero) if side == "above" else (zero, 2 / a - l1 - 1)
    least = a * l2 - 1 if side == "above" else 1 - a * l1
    total = arb(0)
    for part in expectation.evaluators:
        if part.windows:
            total += part.window(1, slope, n, None, lowest) + part.window(1, slope, n, highest, None)
        else:
            # Of what lies between only the size is known: at most |q|^n <= least^n.
            most = (ball(least) ** n * part.complete(1, 0, slope, 0)).upper()
            middle = arb(0, most)
            between = (middle + most) / 2
            total += part.complete(1, 0, slope, n) + (-between if side == "above" else between)
    return total if side == "above" else -total


def decided_sign(evaluate: Callable[[], arb], max_bits: int) -> tuple[int | None, int]:
    """The certified sign, or None where more bits do not narrow the ball or `max_bits` is reached."""
    found: int | None = None
    radius: arb | None = None
    for bits in precisions(max_bits, min(WORKING_BITS, max_bits)):
        with ctx.workprec(bits):
            value = evaluate()
            found = sign(value)
            stuck = radius is not None and value.rad() > radius / 2
            radius = value.rad()
        if found is not None or stuck:
            break
    return found, bits


def _first_depth(margin: Callable[[int], arb], expectation: Expectation, max_bits: int) -> tuple[int, int]:
    """The least T with a certified margin > 0, given that it stays so; and the bits it took."""
    found: dict[int, int] = {}

    def holds(T: int) -> bool:
        outcome, bits = decided_sign(lambda: margin(T), max_bits)
        if outcome == 1:
            found[T] = bits
        return outcome == 1

    high = 1
    while not holds(high):
        high *= 2
        if 2 * high > expectation.max_exponent:
            raise DepthLimit(f"the one-inequality argument needs a depth beyond {high // 2} for this law")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high, found[high]


def side_at(expectation: Expectation, a: Fraction, T: int, max_bits: int) -> int | None:
    """Sign of alpha_T - a, which is the sign of E[s (1 - a lam)^(2T-1)]; None if undecided."""
    n = 2 * T - 1
    found, _ = decided_sign(
        lambda: sum((part.complete(1, 0, ball(a), n) for part in expectation.evaluators), arb(0)), max_bits
    )
    if found is None and T <= EXACT_DEPTH and expectation.law.is_rational:
        value = expectation.polynomial(1, a, n)
        return (value > 0) - (value < 0)
    return found


def band(
    expectation: Expectation,
    low: Fraction,
    high: Fraction,
    max_bits: int,
    track: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> WeightBand | None:
    """low < alpha_T < high for all T >= T0, or None if one of the two sides cannot be settled.

    first_T is found by going down from T0 to the last depth at which the band is missed, if that
    takes at most ENUMERATION_LIMIT signs and ENUMERATION_EFFORT.
    """
    above, below = certify_side(expectation, low, max_bits), certify_side(expectation, high, max_bits)
    if above is None or below is None or above.side != "above" or below.side != "below":
        return None
    first: int | None = max(above.T0, below.T0)
    effort = 0
    for T in track(range(max(above.T0, below.T0) - 1, 0, -1)):
        signs = (T < above.T0) + (T < below.T0)
        effort += signs * expectation.effort(2 * T - 1)
        if max(above.T0 - T, 0) + max(below.T0 - T, 0) > ENUMERATION_LIMIT or effort > ENUMERATION_EFFORT:
            first = None
            break
        over = 1 if T >= above.T0 else side_at(expectation, low, T, max_bits)
        under = -1 if T >= below.T0 else side_at(expectation, high, T, max_bits)
        if over in (0, -1) or under in (0, 1):
            break
        if over is None or under is None:
            first = None
            break
        first = T
    return WeightBand(above, below, first)
