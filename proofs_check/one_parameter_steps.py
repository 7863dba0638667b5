"""Steps of the one-parameter theorem that take one depth at a time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check import shared
from proofs_check.claims import Record
from proofs_check.context import Run
from proofs_check.evidence import ENCLOSURE, EXACT, brief, certified
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.gradient_flow import FlowRun

DISTANCE = Fraction(1, 10**6)


def curvature_at_minimiser(run: Run, T: int) -> tuple[arb, int]:
    """The second derivative in the middle of the enclosure of alpha_T, its sign certified; and the bits."""
    curvature, middle = theory.losses.one_parameter().curvature, shared.minimiser(run, T).middle
    assert curvature is not None
    return numerics.balls.refine(
        lambda: shared.expectation(run).ball(curvature.bind(T, numerics.balls.ball(middle))),
        lambda value: numerics.balls.sign(value) is not None,
        run.settings.max_bits,
    )


def follow(run: Run, T: int, start: float, root: float) -> FlowRun:
    """The flow of the loss of depth T, until it is within DISTANCE alpha_T of the minimiser."""
    loss, expectation = theory.losses.one_parameter(), shared.expectation(run)
    curvature = loss.curvature
    assert curvature is not None
    return numerics.gradient_flow.flow(
        lambda a: expectation.float64(loss.gradient[0].bind(T, a)),
        lambda a: expectation.float64(curvature.bind(T, a)),
        start,
        root,
        float(DISTANCE) * root,
    )


def bounds_at_depths(run: Run, record: Record, kappa: Fraction) -> None:
    """E_T(alpha*) <= E[s/lam] kappa^(2T) at the depths asked for, and the excess beside it."""
    law, center, rows = run.law, shared.alpha_star(run), []
    # Where all of s > 0 sits at the two ends, both sides are equal and no ball tells them apart.
    atoms = law.atoms.values if law.atoms else ()
    equal = not law.pieces and all(abs(1 - center * (1 + s)) == kappa for s in atoms if s > 0)
    for T in run.settings.depths:
        bound, margin, bits = _margin(run, T, kappa, equal)
        if equal:
            record.check(
                EXACT,
                f"loss at alpha* equals the bound, T = {T}",
                equal,
                detail="|q| = kappa on {s > 0}",
            )
        else:
            detail = f"below {brief(bound)} by at least {brief(margin)}"
            record.check(
                ENCLOSURE,
                f"loss at alpha* <= bound, T = {T}",
                bool(margin > 0),
                bits=bits,
                detail=detail,
            )
        number = certified(shared.excess(run, T)[0])
        rows.append([T, number.lower, number.upper, certified(bound).upper])
    record.values["excess"] = [{"T": T, "lower": low, "upper": high} for T, low, high, _ in rows]
    record.series["excess"] = Series(["T", "lower", "upper", "bound"], rows)


def _margin(run: Run, T: int, kappa: Fraction, equal: bool) -> tuple[arb, arb, int]:
    """E[s/lam] kappa^(2T); that less the loss at alpha*, its sign certified unless `equal`; and the bits."""
    expectation, form = shared.expectation(run), theory.losses.one_parameter().value
    ball, center = numerics.balls.ball, shared.alpha_star(run)

    def bound() -> arb:
        return expectation.ball(form.bind(1, ball(0))) * ball(kappa) ** (2 * T)

    at_depth, bits = numerics.balls.refine(bound, numerics.balls.relative(15), run.settings.max_bits)
    if equal:
        return at_depth, numerics.balls.ball(0), bits
    margin, bits = numerics.balls.refine(
        lambda: bound() - expectation.ball(form.bind(T, ball(center))),
        lambda value: numerics.balls.sign(value) is not None,
        run.settings.max_bits,
    )
    return at_depth, margin, bits
