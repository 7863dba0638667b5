"""How many layers an accuracy takes, and from which depth on weights of their own need fewer of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from flint import arb, ctx

import theory
from numerics.arithmetic.balls import ball, dyadic, ends
from numerics.arithmetic.formula import value
from numerics.arithmetic.polynomial_roots import real_roots
from numerics.errors import NoConvergence, PrecisionExhausted
from numerics.laws import Law
from numerics.one_parameter.rate import depth_below
from numerics.two_parameter.end_masses import EndMasses
from numerics.two_parameter.profile import Profile

BITS = 256
SHARES = tuple(Fraction(k, 16) for k in range(1, 16))


def _bits(law: Law) -> int:
    """BITS, and what the difference of the ends loses."""
    low, high = law.lambda_ends
    assert high is not None
    return BITS + (floor(high / (high - low)).bit_length() if low < high else 0)


def rho(law: Law) -> arb:
    """(sqrt(l2) - sqrt(l1))/(sqrt(l2) + sqrt(l1)), to BITS at least; the law is bounded."""
    low, high = law.lambda_ends
    assert high is not None
    with ctx.workprec(max(ctx.prec, _bits(law))):
        root = ball(low).sqrt()
        roots = {theory.layerwise.x: root, theory.layerwise.y: ball(high).sqrt() - root}
        return arb(value(theory.layerwise.rho(), roots))


def chebyshev_at(point: Fraction, T: int) -> Fraction:
    """T_T at a rational point, by its recurrence."""
    before, value = Fraction(1), point
    for _ in range(T - 1):
        before, value = value, 2 * point * value - before
    return value if T else before


@dataclass(frozen=True)
class Fewer:
    """4 C rho^(2T) < factor C mass (kappa - alpha* h)^(2T) for all T >= T1.

    h:     the distance from the ends that decides.
    mass:  a lower bound on the shares nu(lam <= l1 + h)/C and nu(lam >= l2 - h)/C.
    floor: kappa - alpha* h.
    ratio: an upper bound on rho/floor, less than 1.
    """

    h: Fraction
    mass: Fraction
    floor: Fraction
    ratio: Fraction
    T1: int


def fewer_layers(law: Law, C: arb, factor: Fraction) -> Fewer:
    """The least T1 over a grid of h.  The law is bounded and not constant; C encloses E[s/lam], narrowly.

    Raises NoConvergence where no mass is certified near the ends.
    """
    low, high = law.lambda_ends
    assert high is not None
    center, kappa = 2 / (low + high), (high - low) / (high + low)
    masses, found = EndMasses(law, C), []
    with ctx.workprec(_bits(law)):
        rate = rho(law)
        # kappa - rho = rho (1 - rho^2)/(1 + rho^2), without cancellation.
        room = dyadic((rate * (1 - rate**2) / (1 + rate**2)).lower()) / center
        for share in SHARES:
            h = (share * room).limit_denominator(2**40) if share * room > Fraction(1, 2**20) else share * room
            least = kappa - center * h
            mass = min(masses.low(low + h), masses.high(high - h))
            ratio = dyadic((rate / ball(least)).upper())
            if mass > 0 and ratio < 1:
                T1 = depth_below(ball(4 / mass), ratio, ball(factor))
                found.append(Fewer(h, mass, least, ratio, T1))
    if not found:
        raise NoConvergence("no mass is certified near the ends of the support")
    return min(found, key=lambda bound: bound.T1)


def enough_layers(law: Law, share: Fraction) -> int:
    """A depth T with 4 rho^(2T) <= share, and so e_T <= share C, 0 < share < 1; l1 < l2."""
    with ctx.workprec(BITS):
        return depth_below(arb(4), dyadic(rho(law).upper()), ball(share))


def tied_needs(bound: Fewer, share: Fraction) -> int:
    """A depth below which the tied excess is more than share C, as mass floor^(2T) is more than share."""
    with ctx.workprec(BITS):
        exponent = (ball(bound.mass / share)).log() / (-2 * ball(bound.floor).log())
        return max(1, floor(dyadic(exponent.lower())))


def smallest_depth(reaches: Callable[[int], bool | None], depths: Iterable[int]) -> int | None:
    """The first of the depths that reaches an accuracy; None if none does.

    Raises PrecisionExhausted where that is open at a depth before.
    """
    for T in depths:
        there = reaches(T)
        if there is None:
            raise PrecisionExhausted(f"whether depth {T} reaches the accuracy is open")
        if there:
            return T
    return None


def two_parameters_reach(profile: Profile, gain: arb) -> bool | None:
    """Whether some (alpha, beta) brings the excess down to C - `gain`, or as near as one likes; T >= 2.

    None where the width of `gain` leaves that open.
    """
    least, most = ends(gain)
    if two_parameters_gain(profile, most):
        return True
    return None if two_parameters_gain(profile, least) else False


def two_parameters_gain(profile: Profile, gain: Fraction) -> bool:
    """The same for a rational gain, exactly: N^2/D, the most that a beta can gain, comes to it.

    It does iff N^2 - gain D, a polynomial with rational coefficients, is somewhere not negative: at 0, at
    infinity, or at a real root.
    """
    square = profile.N * profile.N
    difference = gain.denominator * square - (gain.numerator * profile.unit) * profile.D
    if difference.degree() < 0 or difference[difference.degree()] > 0 or difference[0] >= 0:
        return True
    return bool(real_roots(difference))
