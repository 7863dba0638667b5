"""The steps of the claims about the two-parameter stack."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
from proofs_check import shared, two_parameter
from proofs_check.claims import Record
from proofs_check.context import Run
from proofs_check.evidence import ENCLOSURE, EXACT, NUMERIC, at_most, brief, certified
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.basin import Outcome
    from numerics.basin_map import Mapped, Start
    from numerics.profile import CriticalPoint


def check_minimum(run: Run, record: Record, T: int) -> None:
    """The steps about the minimum at one depth."""
    reached, found = two_parameter.reached(run, T), two_parameter.enclosed(run, T)
    profile, minimum = two_parameter.profile(run, T), reached.basin.minimum
    listed = ", ".join(f"{p.kind} near beta = {float(p.beta.low):.6g}" for p in profile.critical_points)
    lowest = profile.best_gain(minimum.beta.high)
    D, bend = found.curvatures
    record.check(
        ENCLOSURE,
        f"of the critical points of the plane, all isolated, this one is positive definite, T = {T}",
        True if D > 0 and bend > 0 else False if D < 0 or bend < 0 else None,
        bits=found.bits,
        detail=f"{listed}; D > {brief(D, 4)}, f'' > {brief(bend, 4)}",
    )
    record.check(
        EXACT,
        f"the loss is larger where beta tends to infinity, T = {T}",
        lowest > profile.gain_at_infinity,
        detail=f"C - loss: {brief(lowest)} > {brief(profile.gain_at_infinity)}",
    )
    for other in two_parameter.minima(run, T):
        if other != minimum:
            rival = two_parameter.enclosed(run, T, other)
            holds = at_most(found.excess_ball, rival.excess_ball)
            record.check(ENCLOSURE, f"the loss is larger at the other minimum, T = {T}", holds)
    inside = minimum.beta.low <= found.beta[0] <= found.beta[1] <= minimum.beta.high
    record.check(
        ENCLOSURE,
        f"the sign change of R that encloses beta_T is the isolated one, T = {T}",
        inside or None,
        bits=found.bits,
        detail=f"beta = {brief(found.beta[0], 16)}, alpha + beta = {brief(found.alpha_plus_beta)}",
    )
    record.check(
        ENCLOSURE,
        f"alpha, alpha + beta and the excess agree with the rational N/D and C - N^2/D, T = {T}",
        two_parameter.agrees(run, T),
        bits=found.bits,
    )
    record.check(
        ENCLOSURE,
        f"the flow from the one-parameter minimiser (alpha, -alpha) reaches it, T = {T}",
        True if reached.proved else None,
        detail=f"alpha = {brief(shared.minimiser(run, T).middle)}, in the certified basin",
    )


def point(run: Run, T: int) -> dict[str, Any]:
    """The minimum reached, to the digits that are certain."""
    found = two_parameter.enclosed(run, T)
    return {
        "T": T,
        "alpha": certified(found.alpha),
        "beta": certified(found.beta[0] if found.beta[0] == found.beta[1] else found.beta, 33),
        "alpha_plus_beta": certified(found.alpha_plus_beta),
        "excess": certified(found.excess),
    }


def described(run: Run, T: int, point: CriticalPoint) -> dict[str, object]:
    """A critical point in a few digits."""
    beta = point.beta
    middle = (beta.low + beta.high) / 2
    alpha = Fraction(0) if point.on_axis else two_parameter.profile(run, T).ridge(middle)
    return {
        "T": T,
        "kind": point.kind,
        "alpha": f"{float(alpha):.8g}",
        "beta": certified((beta.low, beta.high), 10),
    }


def draw_plane(run: Run, record: Record) -> None:
    """Level sets of the loss at the depth of the plane."""
    T = two_parameter.plane_depth(run)
    width = abs(two_parameter.middle(two_parameter.enclosed(run, T)))
    rows = numerics.basin_map.loss_plane(run.law, T, width)
    record.values["loss_plane_depth"] = T
    record.series["loss_plane"] = Series(["alpha", "beta", "log10_excess"], rows)


def shown(start: Start) -> str:
    """A start in a few digits."""
    return f"({float(start[0]):.6g}, {float(start[1]):.6g})"


def arrival(run: Run, T: int, mapped: Mapped, position: int) -> str:
    """Where one of the flows ended, and when."""
    flows = mapped.flows
    apart = abs(flows.beta[position] - two_parameter.middle(two_parameter.enclosed(run, T)))
    excess, time = flows.excess[position], flows.log10_time[position]
    return f"|beta - beta_T| = {apart:.1e}, excess {excess:.3e}, after log10 t = {time:.2f}"


def check_agreement(record: Record, mapped: Mapped, what: str) -> None:
    """Starts whose destination is proved must be integrated to it."""
    settled = sum(outcome is not None for outcome in mapped.proved)
    reached = sum(outcome is not None for outcome in mapped.integrated)
    record.check(
        NUMERIC,
        f"integration agrees with proof: {what}",
        mapped.consistent,
        detail=f"{settled} of {len(mapped.starts)} proved, {reached} integrated to a certified region",
    )


def start_rows(T: int, mapped: Mapped) -> list[dict[str, Any]]:
    """The outcome of every start."""
    return [
        {
            "T": T,
            "alpha0": str(alpha),
            "beta0": str(beta),
            "outcome": proved or integrated or "undecided",
            "proved": proved is not None,
        }
        for (alpha, beta), proved, integrated in zip(
            mapped.starts, mapped.proved, mapped.integrated, strict=True
        )
    ]


def map_basin(run: Run, record: Record) -> None:
    """The grid of starts that was asked for, at the depth of the plane."""
    if run.settings.basin is None:
        return
    T = two_parameter.plane_depth(run)
    basin, beta = two_parameter.reached(run, T).basin, two_parameter.middle(two_parameter.enclosed(run, T))
    starts = numerics.basin_map.grid(abs(beta), run.settings.basin)
    mapped = numerics.basin_map.follow(
        run.law, basin, beta, starts, None, crossing=False, track=lambda s: run.progress.track(s, "basin")
    )
    check_agreement(record, mapped, f"the grid, T = {T}")
    rows = [
        [float(alpha), float(beta), proved or integrated or "undecided", proved is not None]
        for (alpha, beta), proved, integrated in zip(
            mapped.starts, mapped.proved, mapped.integrated, strict=True
        )
    ]
    record.series["basin"] = Series(["alpha0", "beta0", "outcome", "proved"], rows)


def decide_limit(run: Run, record: Record, candidate: tuple[Fraction, Fraction], name: str) -> None:
    """The step "beta_T tends to the candidate"; every claim and twin about the limit comes here."""
    found = two_parameter.tends_to(run, candidate, run.settings.epsilon)
    if found.band is None:
        detail = "the candidate is not told apart from -alpha*"
    else:
        detail = (
            f"|beta_T + alpha*| < {brief(found.band.inner, 4)} for all T >= {found.band.T0}, "
            f"|candidate + alpha*| = {brief(abs(candidate[0] + found.band.center), 4)}"
        )
    record.check(
        ENCLOSURE,
        f"beta_T tends to {name}",
        found.holds,
        bits=numerics.two_parameter_limit.BITS,
        detail=detail,
    )


def at_most_by_flow(run: Run, T: int, larger: arb) -> bool | None:
    """Whether the excess at the minimum is at most `larger`, a bound on the one-parameter excess.

    Where the two agree to all digits, the flow that leads from the one to the other decides.
    """
    holds = at_most(two_parameter.enclosed(run, T).excess_ball, larger)
    return True if holds is None and two_parameter.reached(run, T).proved else holds


def decide_start(run: Run, record: Record, T: int, start: Start | None, claimed: str) -> Outcome | None:
    """The step "the flow from this start has converged (or escaped)": by proof, both ways; what is proved."""
    found = None if start is None else two_parameter.reached(run, T).basin.proved(*start)
    shown = "no start" if start is None else f"({brief(start[0])}, {brief(start[1])})"
    record.check(
        ENCLOSURE,
        f"the flow from {shown} {claimed.removesuffix('d')}s, T = {T}",
        None if found is None else found == claimed,
        detail=f"{shown}: {found or 'not decided'}, T = {T}",
    )
    return found


def escape(run: Run, record: Record, T: int, start: Start) -> Mapped:
    """The step "the integrated flow from this start does not turn back"; the flow."""
    flow = numerics.basin_map.escaping_flow(run.law, two_parameter.reached(run, T).basin, start)
    (outcome,), end = flow.integrated, (flow.flows.alpha[0], flow.flows.beta[0])
    record.check(
        NUMERIC,
        f"the integrated flow from {shown(start)} stays beyond the saddle, T = {T}",
        outcome != "converged",
        detail=f"{outcome or 'on its way'}: alpha = {end[0]:.2g}, beta = {end[1]:.4g}",
        least=NUMERIC,
    )
    return flow
