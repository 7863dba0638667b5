"""Steps of "the predictor converges almost surely": both theorems on the stack take them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, at_most, brief, certified, compare, derive
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _two_parameter as two_parameter

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.certified_roots import Root
    from numerics.one_parameter.all_large_depths import WeightBand

BITS = 128
RATE_EFFORT = 100_000
"""In `Expectation.effort`: below it alpha_T0 is enclosed where no depth asked for is as deep."""


def summable(run: Run, record: Record, excesses: Iterable[arb]) -> None:
    """The bounds E[s/lam] kappa^(2T) add up to a finite number; `excesses`, at some depths, to no more."""
    from flint import ctx

    derive(record, theory.limits.bayes_bound())
    derive(record, theory.predictor.summable())
    kappa = quantities.kappa(run)
    statement = "the bounds are a convergent geometric series"
    if not compare(record, EXACT, statement, kappa, "<", 1, note=r"$\kappa$"):
        return
    with ctx.workprec(BITS):
        bound = quantities.excess_of_zero(run) * numerics.arithmetic.balls.ball(kappa**2 / (1 - kappa**2))
        total = sum(excesses, numerics.arithmetic.balls.ball(0))
    statement = "the excesses at the depths asked for add up to no more than the series"
    compare(record, ENCLOSURE, statement, total, "<=", bound)
    record.values["sum_of_bounds"] = certified(bound)


def within(root: Root, ends: tuple[Fraction, ...], rho: Fraction) -> bool | None:
    """Whether |1 - a l| <= rho for the a enclosed and every l between the ends; None if that depends on a."""
    residuals = [(1 - root.lower * end, 1 - root.upper * end) for end in ends]
    if all(max(map(abs, pair)) <= rho for pair in residuals):
        return True
    least = [Fraction(0) if low * high <= 0 else min(abs(low), abs(high)) for low, high in residuals]
    return False if max(least) > rho else None


def per_prompt(run: Run, record: Record, found: WeightBand, rho: Fraction) -> None:
    """|1 - alpha_T lam| <= rho on the support, at the depths asked for from T0 on."""
    expectation, (l1, l2) = run.expectation, run.law.lambda_ends
    assert l2 is not None
    depths = [T for T in run.settings.depths if T >= found.T0]
    if not depths and expectation.effort(2 * found.T0 - 1) <= RATE_EFFORT:
        depths = [found.T0]
    for T in depths:
        root = quantities.minimiser(run, T)
        largest = max(abs(1 - root.middle * end) for end in (l1, l2))
        record.check(
            ENCLOSURE,
            r"the residual factor is at most $\rho$",
            within(root, (l1, l2), rho),
            bits=root.bits,
            detail=rf"$|1 - \alpha_T \lambda|$ up to ${brief(largest, 6)}$, $\rho = {brief(rho, 6)}$",
            case={"T": T},
        )


def two_parameter_rate(run: Run, record: Record, T: int, power: int = 1) -> None:
    """|g| <= 2 R^p/(1 - R^p) at both ends of the support, R the largest |1 + beta_T lam|^T, p = `power`.

    No step where R >= 1, which the theorem does not exclude below T0.
    """
    from flint import arb, ctx

    found, ends = two_parameter.enclosed(run, T), run.law.lambda_ends
    with ctx.workprec(found.bits):
        ball = numerics.arithmetic.balls.ball
        beta = ball(found.beta[0]).union(ball(found.beta[1]))
        alpha, both = (x if isinstance(x, arb) else ball(x) for x in (found.alpha, found.alpha_plus_beta))
        powers = [(1 + beta * ball(end)) ** T for end in ends if end is not None]
        # 1 + alpha/beta would lose all of its digits: alpha + beta is enclosed on its own.
        residuals = [abs(both / beta - alpha / beta * Z) for Z in powers]
        largest = max((abs(Z) for Z in powers), key=lambda Z: Z.mid()) ** power
        if not largest < 1:
            return
        bound, most = 2 * largest / (1 - largest), max(g.upper() for g in residuals)
        sides = [at_most(g, bound) for g in residuals]
    record.check(
        ENCLOSURE,
        f"the residual factor is at most $2R/(1 - R)$, $R = {brief(largest, 3)}$",
        False if False in sides else None if None in sides else True,
        bits=found.bits,
        detail=f"$|g|$ up to ${brief(most, 6)}$ at the ends of the support, the bound is ${brief(bound, 6)}$",
        case={"T": T},
    )
