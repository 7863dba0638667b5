"""The steps of the claims about the two-parameter stack."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    approx,
    at_most,
    brief,
    certified,
    compare,
    derive,
    kind_of,
    rounded,
    valued,
)
from proofs_check.engine.hypotheses import two_values
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _two_parameter as two_parameter
from reports.results import Series

if TYPE_CHECKING:
    from sympy import Expr

    from numerics.two_parameter.basin import Outcome
    from numerics.two_parameter.minimum import EnclosedMinimum
    from numerics.two_parameter.profile import CriticalPoint
    from numerics.two_parameter.starts import Start, StartOutcomes


def check_minimum(run: Run, record: Record, T: int, claimed: EnclosedMinimum | None = None) -> None:
    """The steps about the minimum at one depth.  `claimed`: in place of its enclosure."""
    reached, found = two_parameter.reached(run, T), claimed or two_parameter.enclosed(run, T)
    profile, minimum = two_parameter.profile(run, T), reached.basin.minimum
    listed = ", ".join(
        rf"{p.kind} near $\beta = {approx(float(p.beta.low))}$" for p in profile.critical_points
    )
    lowest = profile.best_gain(minimum.beta.high)
    D, bend = found.curvatures
    record.check(
        ENCLOSURE,
        "of the critical points of the plane, all isolated, this one is positive definite",
        True if D > 0 and bend > 0 else False if D < 0 or bend < 0 else None,
        bits=found.bits,
        detail=f"{listed}; $D > {brief(D, 4)}$, $f'' > {brief(bend, 4)}$",
        case={"T": T},
    )
    compare(
        record,
        kind_of(lowest),
        r"the loss is larger where $\beta$ tends to infinity",
        lowest,
        ">",
        profile.gain_at_infinity,
        note="$C$ less the loss",
        case={"T": T},
    )
    for other in two_parameter.minima(run, T):
        if other != minimum:
            rival = two_parameter.enclosed(run, T, other).excess_ball
            statement = "the loss is no larger than at the other minimum"
            compare(record, ENCLOSURE, statement, found.excess_ball, "<=", rival, case={"T": T})
    inside = minimum.beta.low <= found.beta[0] <= found.beta[1] <= minimum.beta.high
    apart = found.beta[1] < minimum.beta.low or found.beta[0] > minimum.beta.high
    record.check(
        ENCLOSURE,
        r"the sign change of $R$ that encloses $\beta_T$ is the isolated one",
        True if inside else False if apart else None,
        bits=found.bits,
        detail=rf"$\beta = {brief(found.beta[0], 16)}$, $\alpha + \beta = {brief(found.alpha_plus_beta)}$",
        case={"T": T},
    )
    record.check(
        ENCLOSURE,
        r"$\alpha$, $\alpha + \beta$ and the excess agree with the rational $N/D$ and $C - N^2/D$, "
        f"to {two_parameter.AGREED} digits",
        two_parameter.agrees(run, T, found),
        bits=found.bits,
        case={"T": T},
    )
    record.check(
        ENCLOSURE,
        r"the flow from the one-parameter minimiser $(\alpha, -\alpha)$ reaches it",
        True if reached.proved else None,
        detail=rf"$\alpha = {brief(quantities.minimiser(run, T).middle)}$, in the certified basin",
        case={"T": T},
    )


def tied(run: Run, T: int) -> EnclosedMinimum:
    """The one-parameter minimiser (alpha, -alpha) in the place of the minimum of the plane."""
    from flint import arb, ctx

    root, found = quantities.minimiser(run, T), two_parameter.enclosed(run, T)
    with ctx.workprec(found.bits):
        return replace(
            found,
            beta=(-root.upper, -root.lower),
            alpha=root.ball,
            alpha_plus_beta=arb(0),
            excess=quantities.excess(run, T)[0],
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
    rows = numerics.two_parameter.starts.loss_plane(run.law, T, width)
    record.values["loss_plane_depth"] = T
    record.series["loss_plane"] = Series(["alpha", "beta", "log10_excess"], rows)
    record.series["critical_points"] = Series(["alpha", "beta", "kind"], _marks(run, T))


def _marks(run: Run, T: int) -> list[list[object]]:
    """The critical points of the plane: alpha, beta, kind; the minimum as it is enclosed."""
    minimum = point(run, T)
    others = [described(run, T, found) for found in two_parameter.profile(run, T).critical_points]
    saddles = [[other["alpha"], other["beta"], "saddle"] for other in others if other["kind"] == "saddle"]
    return [[rounded(minimum["alpha"], 17), rounded(minimum["beta"], 17), "minimum"], *saddles]


def shown(start: Start) -> str:
    """A start in a few digits."""
    return f"({approx(float(start[0]))}, {approx(float(start[1]))})"


def arrival(run: Run, T: int, mapped: StartOutcomes, position: int) -> str:
    """Where one of the flows ended, and when."""
    flows = mapped.flows
    apart = abs(flows.beta[position] - two_parameter.middle(two_parameter.enclosed(run, T)))
    excess, time = flows.excess[position], flows.log10_time[position]
    return (
        rf"$|\beta - \beta_T| = {approx(apart, 2)}$, excess ${approx(excess, 4)}$, after "
        rf"$\log_{{10}} t = {time:.2f}$"
    )


def supported(holds: bool | None) -> bool | None:
    """What a step may make of a number in float64, which is no bound: it may agree, it refutes nothing."""
    return True if holds else None


def check_agreement(record: Record, mapped: StartOutcomes, what: str, T: int) -> None:
    """Starts whose destination is proved must be integrated to it."""
    settled = sum(outcome is not None for outcome in mapped.proved)
    reached = sum(outcome is not None for outcome in mapped.integrated)
    record.check(
        NUMERIC,
        f"integration agrees with proof: {what}",
        supported(mapped.consistent),
        detail=f"{settled} of {len(mapped.starts)} proved, {reached} integrated to a certified region",
        cross_check=True,
        case={"T": T},
    )


def start_rows(T: int, mapped: StartOutcomes) -> list[dict[str, Any]]:
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
    starts = numerics.two_parameter.starts.grid(abs(beta), run.settings.basin)
    mapped = numerics.two_parameter.starts.follow(
        run.law, basin, beta, starts, None, crossing=False, track=lambda s: run.progress.track(s, "basin")
    )
    check_agreement(record, mapped, "the grid", T)
    rows = [
        [float(alpha), float(beta), proved or integrated or "undecided", proved is not None]
        for (alpha, beta), proved, integrated in zip(
            mapped.starts, mapped.proved, mapped.integrated, strict=True
        )
    ]
    record.series["basin"] = Series(["alpha0", "beta0", "outcome", "proved"], rows)


def check_below_one_parameter(run: Run, record: Record, T: int) -> None:
    """The step "no more than the least loss of the one-parameter stack"."""
    found, (one, bits) = two_parameter.enclosed(run, T), quantities.excess(run, T)
    statement, bits = "the excess is at most the one-parameter excess", max(bits, found.bits)
    if at_most(found.excess_ball, one) is None and (proved := two_parameter.reached(run, T).proved):
        # Where the two agree to all digits, the flow that leads from the one to the other decides.
        detail = f"the flow leads from ${brief(one)}$ to it"
        record.check(ENCLOSURE, statement, proved, bits=bits, detail=detail, case={"T": T})
    else:
        compare(record, ENCLOSURE, statement, found.excess_ball, "<=", one, bits=bits, case={"T": T})


def check_rate(run: Run, record: Record, T: int, name: str, times: int = 1) -> None:
    """The step "the excess is at most E[s/lam] kappa^(2T)", its exponent perhaps larger."""
    found, bound = two_parameter.enclosed(run, T), two_parameter.geometric_bound(run, times * T)
    statement = rf"the excess is at most $\mathbb{{E}}[s/\lambda] {name}$"
    compare(record, ENCLOSURE, statement, found.excess_ball, "<=", bound, bits=found.bits, case={"T": T})


def check_loss(record: Record, claimed: Expr | None = None) -> None:
    """The loss and both partial derivatives; `claimed` in place of the integrand."""
    derive(record, theory.losses.two_parameter(claimed).derivation)


def check_exact(run: Run, record: Record, T: int) -> None:
    """The step "the excess is 0 at the closed-form weights", in rational arithmetic."""
    atoms = two_values(run.law)
    assert atoms is not None
    formulas = theory.profile.two_atoms_weights(theory.symbols.T)
    at = {theory.profile.lam1: 1 + atoms[0], theory.profile.lam2: 1 + atoms[1], theory.symbols.T: Fraction(T)}
    alpha, beta = (
        numerics.arithmetic.formula.value(formula.subs(theory.symbols.T, T), at) for formula in formulas
    )
    excess = run.expectation.exact(theory.losses.two_parameter().value.bind(T, alpha, beta))
    names = (r"$\alpha$", r"$\beta$")
    values = [valued(name, formula, at) for name, formula in zip(names, formulas, strict=True)]
    compare(record, EXACT, "the excess is 0", excess, "=", 0, values=values, case={"T": T})


def decide_start(run: Run, record: Record, T: int, start: Start | None, claimed: str) -> Outcome | None:
    """The step "the flow from this start has converged (or escaped)": by proof, both ways; what is proved."""
    found = None if start is None else two_parameter.reached(run, T).basin.proved(*start)
    shown = r"\text{no start}" if start is None else f"({brief(start[0])}, {brief(start[1])})"
    record.check(
        ENCLOSURE,
        f"the flow from ${{start}}$ {claimed.removesuffix('d')}s",
        None if found is None else found == claimed,
        detail=f"${shown}$: {found or 'not decided'}, $T = {T}$",
        case={"start": shown, "T": T},
    )
    return found


def escape(run: Run, record: Record, T: int, start: Start) -> StartOutcomes:
    """The step "the integrated flow from this start does not turn back"; the flow."""
    flow = numerics.two_parameter.starts.escaping_flow(run.law, two_parameter.reached(run, T).basin, start)
    (outcome,), end = flow.integrated, (flow.flows.alpha[0], flow.flows.beta[0])
    # At a large depth it may stop on its way; one that has not moved has shown nothing.
    went = flow.flows.steps[0] > 0 and end[1] < float(start[1])
    record.check(
        NUMERIC,
        "the integrated flow from ${start}$ stays beyond the saddle",
        supported(went and outcome != "converged"),
        detail=(
            rf"{outcome or 'on its way'}: $\alpha = {approx(end[0], 2)}$, $\beta = {approx(end[1], 4)}$, "
            f"after {flow.flows.steps[0]} steps"
        ),
        weakest=NUMERIC,
        cross_check=True,
        case={"start": shown(start), "T": T},
    )
    return flow
