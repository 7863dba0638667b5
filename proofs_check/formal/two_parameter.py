"""The band of theorem 6.3 over a law of atoms, on integers: `theory/formal/TwoParameterCertificates.v`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.formal.coq import FormalError
from proofs_check.formal.finite import Table, power, precision

if TYPE_CHECKING:
    from numerics.two_parameter.all_large_depths import Exclusion, Inequality, PairBand

MASS_BITS = 64
"""Shares of the mass are rounded down to so many binary places."""
VOID = "(mk_exclusion 0 0 0 0 0)"


@dataclass(frozen=True)
class Numbers:
    """One exclusion: the thresholds, the shares of the mass beyond them, and its inequality."""

    l_m: Fraction
    l_h: Fraction
    p_m: Fraction
    p_h: Fraction
    inequality: Inequality

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


def near(table: Table, statement: str, epsilon: Fraction, T: int) -> str:
    """The lemma that gives |beta + alpha*|, |alpha - alpha*| < epsilon alpha* for all T' >= T.

    Raises FormalError if the integers do not say so.
    """
    limits, law = numerics.two_parameter.all_large_depths, table.law
    assert law is not None
    center = Fraction(2 * table.den, 2 * table.den + table.low + table.high)
    kappa = Fraction(table.high - table.low, 2 * table.den + table.low + table.high)
    found = limits.band(law, epsilon * center, numerics.arithmetic.balls.ball(_excess_of_zero(table)))
    numbers = {exclusion.case: _numbers(table, found, exclusion) for exclusion in found.exclusions}

    def holds(bits: int) -> bool:
        return _alpha_holds(found, T, bits) and all(each.holds(T, bits) for each in numbers.values())

    bits = precision(statement, holds)
    cases = theory.exclusions
    exclusions = [str(numbers.get(case, VOID)) for case in (cases.LARGE, cases.SMALL, cases.NEAR_ZERO)]
    arguments = [fraction(value) for value in (kappa, found.inner, found.setting.rho)] + exclusions
    return "\n    ".join([f"(two_parameter_stays_near atoms atoms_valid {bits}", *arguments]) + ")"


def fraction(value: Fraction) -> str:
    """A fraction as Coq reads it in Q."""
    return f"({value.numerator} # {value.denominator})"


def _ratio(value: Fraction, bits: int, up: int) -> int:
    return (value.numerator << bits) // value.denominator + up


def _excess_of_zero(table: Table) -> Fraction:
    """E[s/lam], rounded up."""
    bits, mass = 256, sum(w for _, w in table.rows)
    return Fraction(sum(w * _ratio(Fraction(v, table.den + v), bits, 1) for v, w in table.rows), mass << bits)


def _numbers(table: Table, found: PairBand, exclusion: Exclusion) -> Numbers:
    """An exclusion with the shares of the mass as the integers give them: holds_mass."""
    l_m, l_h = exclusion.l_m, exclusion.l_h
    low, high = (
        _share(table, partial(_beyond, table.den, threshold, below))
        for threshold, below in ((l_m, True), (l_h, False))
    )
    inequality = numerics.two_parameter.all_large_depths.inequality_of(
        exclusion.case, found.setting, l_m, l_h, low * high
    )
    if inequality is None:
        raise FormalError(f"{exclusion.case.name}: no mass is left beyond the thresholds")
    return Numbers(l_m, l_h, low, high, inequality)


def _beyond(den: int, threshold: Fraction, below: bool, v: int) -> bool:
    lam = 1 + Fraction(v, den)
    return lam <= threshold if below else lam >= threshold


def _share(table: Table, chosen: partial[bool]) -> Fraction:
    """The share of nu of the chosen atoms, rounded down; good at every precision that is tried."""
    bits = MASS_BITS
    part = sum(w * ((v << bits) // (table.den + v)) for v, w in table.rows if chosen(v))
    whole = sum(w * ((v << bits) // (table.den + v) + 1) for v, w in table.rows)
    return Fraction((part << bits) // whole, 1 << bits)


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
