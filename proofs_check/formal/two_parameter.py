"""The band of theorem 6.3 on integers: `theory/formal/BandCertificates.v`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numerics
import theory
from proofs_check.formal.coq import FormalError
from proofs_check.formal.rounding import PRECISIONS, power, precision

if TYPE_CHECKING:
    from numerics.laws import Law
    from numerics.two_parameter.all_large_depths import Exclusion, Inequality, PairBand

MASS_BITS, SHARE_BITS = 64, 256
"""Shares of the mass are rounded down to so many significant binary places; computed with these or more."""
VOID = "(mk_exclusion 0 0 0 0 0)"


class Instance(Protocol):
    """A law of the library of whose C = E[s/lam] and its parts between two eigenvalues it has bounds."""

    @property
    def law(self) -> Law | None:
        """The law itself."""

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of lam over {s > 0}."""

    def band_lemma(self, bits: int) -> str:
        """The lemma, but for the numbers of the band."""

    def scale_up(self, bits: int) -> Fraction:
        """C, rounded up."""

    def share(self, low: Fraction, high: Fraction, bits: int) -> Fraction:
        """E[s/lam; low <= lam <= high], rounded down."""


@dataclass(frozen=True)
class Numbers:
    """One exclusion: the thresholds, the shares of the mass beyond them, and its inequality."""

    l_m: Fraction
    l_h: Fraction
    p_m: Fraction
    p_h: Fraction
    inequality: Inequality

    def has_masses(self, instance: Instance, bits: int) -> bool:
        """Whether the shares of the mass are seen."""
        (l1, l2), scale = instance.ends, instance.scale_up(bits)
        return self.p_m * scale <= instance.share(l1, self.l_m, bits) and self.p_h * scale <= instance.share(
            self.l_h, l2, bits
        )

    def holds(self, T: int, bits: int) -> bool:
        """Whether the inequality at depth T is seen: exceeds_bool."""
        found, unit = self.inequality, 1 << bits
        above = power(_ratio(found.kappa, bits, 1), 2 * T, bits, 1)
        theta = power(_ratio(found.th, bits, 1), T, bits, 1)
        apart = (unit - theta) * power(_ratio(found.r, bits, 0), T, bits, 0)
        masses, spread, bound = self.p_m * self.p_h, found.spread, int(found.bound)
        # Coq does not reduce fractions; a common factor changes neither side's sign.
        return max(theta, above) <= unit and bound * above * unit**4 < masses * spread**2 * apart**2 * (
            unit - above
        )

    def __str__(self) -> str:
        """As Coq reads it."""
        parts = (self.l_m, self.l_h, self.p_m, self.p_h, self.inequality.th)
        return f"(mk_exclusion {' '.join(map(fraction, parts))})"


def near(instance: Instance, statement: str, epsilon: Fraction, T: int) -> str:
    """The lemma that gives |beta + alpha*|, |alpha - alpha*| < epsilon alpha* for all T' >= T.

    Raises FormalError if the integers do not say so.
    """
    limits, law, (l1, l2) = numerics.two_parameter.all_large_depths, instance.law, instance.ends
    assert law is not None
    center, kappa = 2 / (l1 + l2), (l2 - l1) / (l1 + l2)
    scale = numerics.arithmetic.balls.ball(instance.scale_up(SHARE_BITS))
    found = limits.band(law, epsilon * center, scale)
    numbers = {exclusion.case: _numbers(instance, found, exclusion) for exclusion in found.exclusions}

    def holds(bits: int) -> bool:
        return _alpha_holds(found, T, bits) and all(
            each.holds(T, bits) and each.has_masses(instance, bits) for each in numbers.values()
        )

    bits = precision(statement, holds)
    cases = theory.exclusions
    exclusions = [str(numbers.get(case, VOID)) for case in (cases.LARGE, cases.SMALL, cases.NEAR_ZERO)]
    arguments = [fraction(value) for value in (kappa, found.inner, found.setting.rho)] + exclusions
    return "\n    ".join([f"({instance.band_lemma(bits)}", *arguments]) + ")"


def fraction(value: Fraction) -> str:
    """A fraction as Coq reads it in Q."""
    return f"({value.numerator} # {value.denominator})"


def _ratio(value: Fraction, bits: int, up: int) -> int:
    return (value.numerator << bits) // value.denominator + up


def _numbers(instance: Instance, found: PairBand, exclusion: Exclusion) -> Numbers:
    """An exclusion with the shares of the mass as the integers give them: thresholds_bool."""
    (l1, l2), l_m, l_h = instance.ends, exclusion.l_m, exclusion.l_h
    low, high = _share(instance, l1, l_m), _share(instance, l_h, l2)
    inequality = numerics.two_parameter.all_large_depths.inequality_of(
        exclusion.case, found.setting, l_m, l_h, low * high
    )
    if inequality is None:
        raise FormalError(f"{exclusion.case.name}: no mass is left beyond the thresholds")
    return Numbers(l_m, l_h, low, high, inequality)


def _share(instance: Instance, low: Fraction, high: Fraction) -> Fraction:
    """The share of nu between two eigenvalues, rounded down twice: fewer bits show it.  0 if it is unseen."""
    for bits in (bits for bits in PRECISIONS if bits >= SHARE_BITS):
        found = instance.share(low, high, bits) / instance.scale_up(bits)
        places = MASS_BITS + found.denominator.bit_length() - max(found.numerator, 0).bit_length()
        if found > 0 and places <= bits // 2:
            return Fraction(int(found * (1 << places)) - 1, 1 << places)
    return Fraction(0)


def _alpha_holds(found: PairBand, T: int, bits: int) -> bool:
    """Whether beta in the band is seen to put alpha within epsilon at depth T: alpha_bool."""
    center, inner, epsilon = found.center, found.inner, found.epsilon
    R = Fraction(power(_ratio(found.setting.rho, bits, 1), T, bits, 1), 1 << bits)
    return (
        found.setting.rho < 1
        and inner <= epsilon < center
        and center + inner <= (center + epsilon) * (1 - R)
        and (center - epsilon) * (1 + R) <= center - inner
    )
