"""The steps of the claims about stacks with weights of their own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numerics
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    Relation,
    agree,
    approx,
    below,
    brief,
    certified,
    compare,
    kind_of,
    told_apart,
)
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _single_layer as single_layer
from proofs_check.theorems import _two_parameter as two_parameter
from reports.results import Certified, Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.arithmetic.balls import Number


DETERMINANTS = 32
"""Up to this depth Hankel determinants are taken."""
POLYNOMIAL = 32
"""Up to this depth the signs at the ends of the zeros are found again from rational coefficients."""
DIGITS = 25
TIED_DIGITS = 14
"""To which the tied excess is compared: it is enclosed to 15."""
TO_DIGITS = f", to {DIGITS - 1} digits"
SHOWN = 20
DRAWN, POINTS = (4, 8), 400


def best_excess(run: Run, record: Record, T: int) -> Certified:
    """e_T by two routes; what results keep of it."""
    exact = layerwise.exact_excess(run, T)
    if layerwise.is_perfect(run, T):
        support = set(layerwise.exact_nodes(run))
        statement = r"$e_T = 0$: the product over the support of $\lambda$ has degree $\le T$"
        compare(record, EXACT, statement, len(support), "<=", T, case={"T": T})
        return certified(Fraction(0))
    value = layerwise.excess(run, T)
    if exact is not None:
        _exact_routes(run, record, T, exact)
        return certified(exact, DIGITS + 3)
    _, bits = layerwise.stacks(run, T).excess
    solved = _solved(run, T, bits)
    record.check(
        ENCLOSURE,
        r"$\rho_T/\pi_T(0)$ by the recurrence and $C - g^\top G^{-1} g$ by rational elimination agree"
        + TO_DIGITS,
        agree(value, solved, DIGITS - 1),
        bits=bits,
        detail=f"$e_{{{T}}} = {brief(value, DIGITS)}$",
        case={"T": T},
    )
    return certified(value, DIGITS + 3)


def _exact_routes(run: Run, record: Record, T: int, exact: Fraction) -> None:
    if T <= DETERMINANTS:
        record.check(
            EXACT,
            r"$C - g^\top G^{-1} g$ is the quotient of Hankel determinants",
            exact == numerics.layerwise.best_excess.by_determinants(run.law, T),
            detail=f"$e_{{{T}}} = {brief(exact, DIGITS)}$",
            case={"T": T},
        )
    _, bits = layerwise.stacks(run, T).excess
    low, high = numerics.arithmetic.balls.ends(layerwise.excess(run, T))
    record.check(
        ENCLOSURE,
        r"it lies in the enclosure of $\rho_T/\pi_T(0)$",
        low <= exact <= high,
        bits=bits,
        detail=f"{DIGITS} digits",
        case={"T": T},
    )


def _solved(run: Run, T: int, bits: int) -> arb:
    """C - g^T G^-1 g, the second term exact."""
    from flint import ctx

    gain = numerics.layerwise.best_excess.by_linear_solve(run.law, T)
    C = layerwise.stacks(run, T).excess[0][0]
    with ctx.workprec(bits):
        return C - numerics.arithmetic.balls.as_ball(gain)


def _both(near: bool | None, first: arb, second: arb) -> str:
    """The number that both are, or the two in digits that tell them apart."""
    return f"${brief(first, SHOWN)}$" if near else "${}$ against ${}$".format(*told_apart(first, second))


def falls(run: Run, record: Record, depth: int) -> None:
    """e_k > e_(k+1) at every k below `depth`, until it is 0."""
    found = layerwise.excesses(run, depth)
    count = layerwise.points(run)
    last = depth if count is None else min(depth, count)
    holds = [below(after, before) for before, after in pairwise(found[: last + 1])]
    record.check(
        ENCLOSURE,
        rf"$e_0 > e_1 > \dots > e_{{{last}}}$",
        False if False in holds else None if None in holds else True,
        detail=f"from ${brief(found[0], 6)}$ to ${brief(found[last], 6)}$",
    )


def against_tied(run: Run, record: Record, T: int) -> None:
    """e_T against the excess of the tied optimum: equal at T = 1, less beyond unless both are 0."""
    tied, value = quantities.excess(run, T)[0], layerwise.excess(run, T)
    if T == 1 or run.law.is_constant:
        _is_tied(run, record, T)
        near = agree(tied, value, TIED_DIGITS)
        statement = f"the enclosures of the two agree, to {TIED_DIGITS} digits"
        record.check(ENCLOSURE, statement, near, detail=f"${brief(tied)}$", cross_check=True, case={"T": T})
    else:
        statement = "$e_T$ is less than the excess of the tied optimum"
        compare(record, ENCLOSURE, statement, value, "<", tied, case={"T": T})


def _is_tied(run: Run, record: Record, T: int) -> None:
    """The step that e_T is what one weight reaches, at T = 1 or for a constant norm: C less the same number.

    Where the norm is constant the one weight 1/lam makes every residual 0, at any depth.
    """

    @numerics.arithmetic.balls.precise
    def of_one_weight() -> Number:
        return 1 - single_layer.layer(run).scalar.risk

    statement, gain = "$e_T$ is the excess of the tied optimum", _gain(run, T)
    detail = rf"both are $\mathbb{{E}}[s/\lambda]$ less ${brief(gain)}$"
    single_layer.check_equal(record, statement, [gain], [of_one_weight()], detail=detail, case={"T": T})


def against_two_parameters(run: Run, record: Record, T: int) -> None:
    """Whether two parameters, at T >= 2, come to the excess e_T, by the roots of one polynomial."""
    gain = _gain(run, T)
    if T == 2 and not isinstance(gain, Fraction):
        # N^2 - gain D has a double root then, which balls do not show.
        own = two_parameter.enclosed(run, T, excess_digits=DIGITS).excess_ball
        best = layerwise.excess(run, T)
        near = agree(own, best, DIGITS - 1)
        detail = _both(near, own, best)
        record.check(ENCLOSURE, "two parameters reach $e_T$" + TO_DIGITS, near, detail=detail, case={"T": T})
        return
    profile = numerics.two_parameter.profile.Profile.of(run.law, T)
    reached: bool | None
    if isinstance(gain, Fraction):
        reached = numerics.layerwise.depths.two_parameters_gain(profile, gain)
    else:
        reached = numerics.layerwise.depths.two_parameters_reach(profile, gain)
    record.check(
        kind_of(gain),
        "two parameters reach $e_T$",
        reached,
        detail=rf"$N^2 - (C - e_{{{T}}}) D$ has {'a' if reached else 'no'} real root in $\beta$",
        case={"T": T},
    )


def _gain(run: Run, T: int) -> Number:
    """C - e_T; T < N, or the law has atoms only."""
    if layerwise.is_perfect(run, T):
        constant: Fraction = numerics.layerwise.best_excess.exact_constant(run.law)
        return constant
    gain: Number = numerics.layerwise.best_excess.by_linear_solve(run.law, T)
    return gain


def check_nodes(run: Run, record: Record, T: int) -> list[Certified]:
    """The zeros z_t at depth T, and what the stack with alpha_t = 1/z_t does."""
    if layerwise.is_perfect(run, T):
        support = layerwise.exact_nodes(run)
        missed = [lam for lam in support if all(lam != z for z in support[:T])]
        record.check(
            EXACT,
            r"$1/\lambda$ over the support of $\lambda$: every residual is 0",
            not missed,
            detail=f"$N = {len(support)}$; {T - len(support)} layers have weight 0",
            case={"T": T},
        )
        return [certified(z) for z in support]
    found, bits = layerwise.nodes(run, T)
    low, high = run.law.lambda_ends
    apart = all(one.upper < other.lower for one, other in pairwise(found))
    # The signs at the ends of an interval differ from 0.
    inside = low <= found[0].lower and (high is None or found[-1].upper <= high)
    record.check(
        ENCLOSURE,
        r"$\pi_T$ has $T$ sign changes in disjoint intervals, strictly inside the ends of $\lambda$",
        len(found) == T and apart and inside,
        bits=bits,
        detail=f"from ${brief(found[0].lower)}$ to ${brief(found[-1].lower)}$",
        case={"T": T},
    )
    if T <= POLYNOMIAL:
        record.check(
            EXACT if run.law.is_rational else ENCLOSURE,
            "the kernel polynomial, solved for from the moments, changes sign there",
            numerics.layerwise.best_excess.changes_sign(run.law, found),
            detail="a second route to the zeros",
            case={"T": T},
        )
    check_attained(run, record, T, layerwise.balls(found, bits), bits)
    return [certified((root.lower, root.upper), 33) for root in found]


def check_attained(
    run: Run, record: Record, T: int, nodes: Sequence[arb], bits: int, optimal: bool | None = None
) -> None:
    """Whether the stack with alpha_t = 1/z_t attains e_T, its residual evaluated as a product.

    optimal: True where that is known exactly, and nothing has to be evaluated.
    """
    statement, used = r"the excess at $\alpha_t = 1/z_t$ is $e_T$", None
    kind, holds, detail = EXACT, optimal, "the residual is orthogonal to lower degrees under $s dP$"
    if not optimal:
        value, used = layerwise.stacks(run, 1).at_nodes(nodes, bits)
        best = layerwise.excess(run, T)
        kind, holds = ENCLOSURE, agree(best, value, DIGITS - 1)
        statement, detail = statement + TO_DIGITS, _both(holds, value, best)
    record.check(kind, statement, holds, bits=used, detail=detail, case={"T": T})


def check_tied_optimum(run: Run, record: Record, T: int, *, is_minimum: bool) -> None:
    """Whether the tied optimum is a minimum among weights of their own (`is_minimum`), or a saddle."""
    statement, case = f"the tied optimum is {'a minimum' if is_minimum else 'a strict saddle'}", {"T": T}
    if T == 1 or run.law.is_constant:
        why = "$T = 1$: there is one weight" if T == 1 else "its excess is 0"
        record.check(EXACT, statement, is_minimum, detail=why, weakest=ENCLOSURE, case=case)
        return
    bend, bits = layerwise.bend_at_tie(run, T)
    positive = below(numerics.arithmetic.balls.ball(0), bend)
    saddle = positive if positive is None or not is_minimum else not positive
    record.check(
        ENCLOSURE,
        statement,
        saddle,
        bits=bits,
        detail=f"{T - 1} eigenvalues of the Hessian are $-2 A$, $A > {brief(bend)}$",
        weakest=ENCLOSURE,
        case=case,
    )


def check_ties(run: Run, record: Record, T: int, *, harmless: bool) -> None:
    """Whether two equal weights keep a stack of depth T >= 2 from e_T, or (`harmless`) do not."""
    attains = layerwise.tie_attains(run, T)
    statement = "two equal weights do no harm" if harmless else "the weights of the optimum are distinct"
    record.check(
        ENCLOSURE,
        statement,
        attains if harmless else not attains,
        detail="$N < T$" if attains else r"the zeros of $\pi_T$ are simple",
        weakest=ENCLOSURE,
        case={"T": T},
    )


def check_flow(run: Run, record: Record, T: int, name: str, targets: Sequence[float], where: str) -> None:
    """Whether a flow ended at `targets`, within its error estimate.  Integration refutes nothing."""
    ended = layerwise.followed(run, T)[name]
    distance = max(abs(one - other) for one, other in zip(ended.weights, sorted(targets), strict=True))
    scale = max(abs(target) for target in targets)
    holds = distance <= 2 * ended.error and ended.error <= 1e-4 * scale
    record.check(
        NUMERIC,
        f"the flow from {{start}} ends at {where}",
        True if holds else None,
        detail=(
            f"${approx(distance, 2)}$ away, estimate ${approx(ended.error, 2)}$, "
            rf"$\log_{{10}} t = {ended.log10_time:.2f}$, {ended.steps} steps"
        ),
        case={"start": f"a start {name}", "T": T},
    )


def targets(run: Run, T: int) -> list[float]:
    """1/z_t in float64."""
    if layerwise.is_perfect(run, T):
        return [float(1 / z) for z in layerwise.exact_nodes(run)]
    return [float(1 / root.middle) for root in layerwise.nodes(run, T)[0]]


def residuals(run: Run) -> Series:
    """r over [0, l2] at the best weights, tied and of their own, at the depths to be drawn; a bounded law."""
    low, high = (float(end) for end in run.law.lambda_ends if end is not None)
    rows: list[list[Any]] = []
    for T in sorted({*DRAWN} & {*run.settings.depths}):
        if layerwise.is_perfect(run, T):
            continue
        tied = float(quantities.minimiser(run, T).middle)
        zeros = numerics.layerwise.order.leja([1 / target for target in targets(run, T)])
        for k in range(POINTS + 1):
            lam = high * k / POINTS
            rows.append([T, lam, (1 - tied * lam) ** T, prod(1 - lam / zero for zero in zeros), low])
    return Series(["T", "lam", "one_parameter", "layerwise", "first"], rows)


def check_zero(run: Run, record: Record, T: int, count: int | None) -> None:
    """Whether e_T is 0 just where T >= `count`, None being no such depth."""
    expected = count is not None and count <= T
    exact = layerwise.exact_excess(run, T)
    relation: Relation = "=" if expected else ">"
    value, kind = (layerwise.excess(run, T), ENCLOSURE) if exact is None else (exact, EXACT)
    compare(record, kind, f"$e_T {relation} 0$", value, relation, 0, weakest=ENCLOSURE, case={"T": T})
