"""The steps of the claims about stacks with weights of their own that compare depths and bounds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numerics
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, at_most, brief, certified, compare, in_formula
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _quantities as quantities
from reports.results import Certified, Series

if TYPE_CHECKING:
    from flint import arb

ACCURACIES = tuple(Fraction(1, 10**k) for k in (3, 6, 12))
TABLE_LIMIT, TWO_PARAMETER_LIMIT = 128, 32
COMPARED = 64


def check_bound(run: Run, record: Record, T: int, power: int = 2) -> Certified:
    """e_T <= C/T_T(1/kappa)^2, and <= 4 C rho^(power T)."""
    from flint import ctx

    at_zero = numerics.layerwise.depths.chebyshev_at(1 / quantities.kappa(run), T)
    exact, C = layerwise.exact_excess(run, T), layerwise.constant(run)
    statement = r"$e_T \le C/T_T(1/\kappa)^2$"
    if exact is not None:
        # 0 is below the bound whatever C is, which is rational but costly for many atoms.
        scale = numerics.layerwise.best_excess.exact_constant(run.law) if exact else Fraction(0)
        compare(record, EXACT, statement, exact, "<=", scale / at_zero**2, case={"T": T})
    best = layerwise.excess(run, T)
    with ctx.workprec(layerwise.PRECISE_BITS):
        top = C / numerics.arithmetic.balls.ball(at_zero**2)
        rate = 4 * C * numerics.layerwise.depths.rho(run.law) ** (power * T)
    if exact is None:
        compare(record, ENCLOSURE, statement, best, "<=", top, case={"T": T})
    compare(record, ENCLOSURE, rf"$e_T \le 4 C \rho^{{{power}T}}$", best, "<=", rate, case={"T": T})
    return certified(top)


def check_fewer(run: Run, record: Record, T1: int | None = None) -> None:
    """e_T < epsilon times the tied excess for all T >= T1, by one inequality.  `T1`: in place of it."""
    from flint import ctx

    found, factor, ball = layerwise.fewer(run), run.settings.epsilon, numerics.arithmetic.balls.ball
    depth = found.T1 if T1 is None else T1
    inherited = r"$\rho < \kappa - \alpha^* h$: later depths inherit it"
    compare(record, EXACT, inherited, found.ratio, "<", 1, note="their ratio")
    with ctx.workprec(layerwise.PRECISE_BITS + 2 * depth.bit_length()):
        left = 4 * numerics.layerwise.depths.rho(run.law) ** (2 * depth)
        right = ball(factor * found.mass) * ball(found.floor) ** (2 * depth)
    compare(
        record,
        ENCLOSURE,
        rf"$4 \rho^{{2T}} < {factor} p (\kappa - \alpha^* h)^{{2T}}$ at $T_1 = {depth}$",
        left,
        "<",
        right,
        note=f"$p = {brief(found.mass, 4)}$, $h = {brief(found.h, 4)}$",
    )
    _check_masses(run, record)


def _check_masses(run: Run, record: Record) -> None:
    """p is no more than the masses near both ends, by incomplete Beta functions."""
    found, (low, high) = layerwise.fewer(run), run.law.lambda_ends
    assert high is not None
    bounds, C = numerics.two_parameter.end_masses.bounds, layerwise.constant(run)
    for name, at, lower in (("low", low + found.h, True), ("high", high - found.h, False)):
        statement = rf"at least $C p$ of $\nu$ lies within $h$ of the {name} end"
        compare(record, ENCLOSURE, statement, found.mass, "<=", bounds(run.law, C, at, below=lower))


def compare_with_tied(run: Run, record: Record) -> None:
    """The floor under the tied excess at the depths asked for, and the depths at which e_T is that small."""
    from flint import ctx

    found, factor, C = layerwise.fewer(run), run.settings.epsilon, layerwise.constant(run)
    ball, rows = numerics.arithmetic.balls.ball, []
    for T in run.progress.track(run.settings.depths, "tied"):
        tied, value = quantities.excess(run, T)[0], layerwise.excess(run, T)
        number = certified(tied)
        rows.append([T, number.lower, number.upper])
        with ctx.workprec(layerwise.PRECISE_BITS):
            floor = C * ball(found.mass) * ball(found.floor) ** (2 * T)
            share = ball(factor) * tied
        statement = r"the tied excess is at least $C p (\kappa - \alpha^* h)^{2T}$"
        compare(record, ENCLOSURE, statement, tied, ">=", floor, case={"T": T})
        if found.T1 <= T:
            statement = f"$e_T < {factor}$ times the tied excess"
            compare(record, ENCLOSURE, statement, value, "<", share, case={"T": T})
    record.values["first_T"] = _first_depth(run)
    record.series["tied"] = Series(["T", "lower", "upper"], rows)


def _first_depth(run: Run) -> int | None:
    """From which depth on e_T is below epsilon times the tied excess in fact; None past the limit."""
    T1, factor = layerwise.fewer(run).T1, numerics.arithmetic.balls.ball(run.settings.epsilon)
    if T1 - 1 > COMPARED:
        return None
    found, first = layerwise.excesses(run, T1), T1
    while first > 1 and bool(found[first - 1] < factor * quantities.excess(run, first - 1)[0]):
        first -= 1
    return first


def depth_table(run: Run, record: Record) -> None:
    """The smallest depths that bring the excess down to given shares of C; None: more than was tried."""
    table: list[dict[str, Any]] = []
    for accuracy in ACCURACIES:
        tied, two, own = _smallest_depths(run, accuracy)
        share = f"{float(accuracy):g}"
        table.append({"accuracy": share, "tied": tied, "two_parameter": two, "layerwise": own})
        for one, other, names in (
            (own, two, "layerwise and two parameters"),
            (two, tied, "two parameters and tied"),
        ):
            if one is not None and other is not None:
                statement = rf"smallest depths for ${in_formula(share)}\, C$: {names}"
                compare(record, ENCLOSURE, statement, one, "<=", other)
    record.values["smallest_depths"] = table


def _smallest_depths(run: Run, share: Fraction) -> list[int | None]:
    from flint import ctx

    search, law = numerics.layerwise.depths, run.law
    with ctx.workprec(layerwise.PRECISE_BITS):
        level = layerwise.constant(run) * numerics.arithmetic.balls.ball(share)
        gain = layerwise.constant(run) - level

    def of(value: Callable[[int], arb]) -> Callable[[int], bool | None]:
        return lambda T: at_most(value(T), level)

    def two(T: int) -> bool | None:
        if T == 1:
            return tied(1)
        return search.two_parameters_reach(numerics.two_parameter.profile.Profile.of(law, T), gain)

    tied = of(lambda T: quantities.excess(run, T)[0])
    bound = search.enough_layers(law, share)
    found = layerwise.excesses(run, min(bound, TABLE_LIMIT))
    own = search.smallest_depth(of(found.__getitem__), range(1, len(found)))
    # Neither does better than layers with weights of their own, nor tied ones than their floor.
    first = len(found) if own is None else own
    least = max(first, search.tied_needs(layerwise.fewer(run), share))
    return [
        search.smallest_depth(tied, range(least, TABLE_LIMIT + 1)),
        search.smallest_depth(two, range(first, TWO_PARAMETER_LIMIT + 1)),
        own,
    ]
