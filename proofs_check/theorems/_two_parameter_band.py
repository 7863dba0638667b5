"""The steps about the limit in the depth of the two-parameter minimum: the band and what it rests on."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, approx, below, brief, compare
from proofs_check.theorems import _two_parameter as two_parameter

if TYPE_CHECKING:
    from flint import arb

    from numerics.two_parameter.all_large_depths import Exclusion, PairBand

EXACT_DEPTH = 32
"""Up to here the critical values at T0 are isolated exactly."""
PROFILE_EFFORT = 5_000
"""In `Expectation.effort`, of one evaluation at T0: past it the profile there is not looked at again."""


def decide_limit(run: Run, record: Record, candidate: tuple[Fraction, Fraction], name: str) -> None:
    """The step "beta_T tends to the candidate"; every claim and twin about the limit comes here."""
    verdict = two_parameter.tends_to(run, candidate, run.settings.epsilon)
    found = verdict.decider
    if found is None:
        detail = rf"{name} is not told apart from $-\alpha^*$; raise `--max-bits`"
    else:
        detail = (
            rf"$|\beta_T + \alpha^*| < {brief(found.inner, 4)}$ for all $T \ge {found.T0}$, and {name} is "
            rf"${brief(abs(candidate[0] + found.center), 4)}$ away from $-\alpha^*$"
        )
    record.check(
        ENCLOSURE,
        rf"$\beta_T$ tends to {name}",
        verdict.holds,
        bits=numerics.two_parameter.all_large_depths.BITS,
        detail=detail,
    )


def check_band(run: Run, record: Record, found: PairBand) -> None:
    """The steps "in the band for all T >= T0": every condition anew, at the T0 that is published."""
    limits, setting = numerics.two_parameter.all_large_depths, found.setting
    for exclusion in found.exclusions:
        record.check(
            ENCLOSURE,
            rf"{exclusion.case.name} is excluded for all $T \ge {found.T0}$, $b = -\beta$",
            limits.recheck(run.law, found, exclusion, found.T0),
            bits=limits.RECHECK_BITS,
            detail=(
                rf"$\ell_M = {approx(float(exclusion.l_m))}$, $\ell_H = {approx(float(exclusion.l_h))}$, "
                rf"$T \ge {exclusion.T0}$"
            ),
        )
        for end in ("low", "high"):
            _check_mass(run, record, exclusion, end)
    edges = (found.center - found.inner, found.center + found.inner)
    regions = [setting.region(exclusion.case) for exclusion in found.exclusions]
    record.check(
        EXACT,
        "what is excluded and the band together hold every $b$",
        limits.covers(regions, edges),
        detail=f"{len(regions)} intervals, and ${brief(edges[0], 6)} < b < {brief(edges[1], 6)}$",
    )
    record.check(
        EXACT,
        r"within the band $b \ell_2 < 2$ and $\rho < 1$",
        edges[1] * setting.l2 < 2 and setting.rho < 1,
        detail=rf"$\rho = {brief(setting.rho, 6)}$",
    )
    _check_alpha(record, found)
    _check_profile(run, record, found)
    _check_minimum_inside(run, record, found)


def _check_mass(run: Run, record: Record, exclusion: Exclusion, end: str) -> None:
    """The mass at one end by its second route."""
    at_low = end == "low"
    threshold = exclusion.l_m if at_low else exclusion.l_h
    claimed = exclusion.masses[0 if at_low else 1]
    mass = numerics.two_parameter.end_masses.bounds(
        run.law, two_parameter.precise_constant(run), threshold, below=at_low
    )
    relation = r"\lambda \le \ell_M" if at_low else r"\lambda \ge \ell_H"
    bits = numerics.two_parameter.all_large_depths.RECHECK_BITS
    statement = rf"{exclusion.case.name}: $\nu({relation})$ is at least what is used"
    compare(record, ENCLOSURE, statement, mass, ">=", claimed, bits=bits)


def _check_alpha(record: Record, found: PairBand) -> None:
    """|alpha_T - alpha*| < eps from |beta_T + alpha*| < inner, at T0 and beyond."""
    from flint import ctx

    with ctx.workprec(numerics.two_parameter.all_large_depths.RECHECK_BITS):
        margin = numerics.two_parameter.all_large_depths.alpha_margin(found.setting, found.epsilon, found.T0)
    compare(
        record,
        ENCLOSURE,
        rf"$|\alpha_T - \alpha^*| < {brief(found.epsilon, 4)}$ there, for all $T \ge {found.T0}$",
        margin,
        ">",
        0,
        note=f"from $T = {found.alpha_T0}$, what is left",
        bits=numerics.two_parameter.all_large_depths.RECHECK_BITS,
    )


def _check_profile(run: Run, record: Record, found: PairBand) -> None:
    """f at T0 by its integrals: above C kappa^(2T) where b is excluded, not above it at alpha*."""
    T, setting, expectation = found.T0, found.setting, run.expectation
    if expectation.max_exponent < 2 * T or expectation.effort(2 * T, 1) > PROFILE_EFFORT:
        return
    center, inner, l2 = setting.center, setting.inner, setting.l2
    excluded = (
        center - inner,
        center + inner,
        2 / setting.l1,
        1 / l2,
        1 / (2 * l2),
        -1 / l2,
        -2 / setting.l1,
    )
    outside = [b for b in excluded if b != 0 and not abs(b - center) < inner]
    sides = [two_parameter.profile_exceeds(run, b, T) for b in outside]
    record.check(
        ENCLOSURE,
        rf"the profile exceeds $C \kappa^{{2T}}$ at $b = {', '.join(brief(b, 4) for b in outside)}$",
        False if False in sides else None if None in sides else True,
        case={"T": T},
    )
    at_center = two_parameter.profile_exceeds(run, center, T)
    record.check(
        ENCLOSURE,
        r"it does not at $b = \alpha^*$",
        None if at_center is None else not at_center,
        case={"T": T},
    )


def _check_minimum_inside(run: Run, record: Record, found: PairBand) -> None:
    """(alpha_T, beta_T) itself at T = T0, where all critical points are at hand."""
    T = found.T0
    if not 2 <= T <= EXACT_DEPTH:
        return
    point = two_parameter.enclosed(run, T)
    edges = (-found.center - found.inner, -found.center + found.inner)
    inside = edges[0] < point.beta[0] and point.beta[1] < edges[1]
    outside = point.beta[1] <= edges[0] or point.beta[0] >= edges[1]
    record.check(
        ENCLOSURE,
        r"$\beta_T$ itself lies in the band",
        True if inside else False if outside else None,
        bits=point.bits,
        detail=rf"$\beta = {brief(point.beta[0], 10)}$",
        case={"T": T},
    )
    record.check(
        ENCLOSURE,
        rf"and $\alpha_T$ within ${brief(found.epsilon, 4)}$ of $\alpha^*$",
        _is_near(point.alpha, found.center, found.epsilon),
        bits=point.bits,
        detail=rf"$\alpha = {brief(point.alpha, 10)}$",
        case={"T": T},
    )


def _is_near(alpha: arb | Fraction, center: Fraction, epsilon: Fraction) -> bool | None:
    if isinstance(alpha, Fraction):
        return abs(alpha - center) < epsilon
    ball = numerics.arithmetic.balls.ball
    return below(abs(alpha - ball(center)), ball(epsilon))
