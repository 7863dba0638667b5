"""The steps of the rate of alpha_T, for the claim and for its false variants."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numerics
import theory
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, once_a_run
from proofs_check.engine.evidence import ENCLOSURE, agree, approx, brief, certified, derive, rounded
from proofs_check.theorems import _quantities as quantities
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.one_parameter.rate import Ends
    from theory.limits import Rate

BITS = 256
DEEPEST = 4096
RESOLUTION = 12
"""The bracket is known to 1/12, so that a constant wrong by a factor 6/5 is told: log(6/5) > 2/12."""
WITHIN = f", to within $1/{RESOLUTION // 2}$"
CLOSED_DIGITS = 25


class _End(NamedTuple):
    """One end: what it gives of the derivative, over its leading term."""

    enclosed: arb
    """At alpha_T, by the shape of the law near the end."""
    bound: arb
    """The same at the weight where this end alone is seen."""
    measured: arb
    """That, by evaluation of the expectation."""


class _Row(NamedTuple):
    """One depth of the comparison; the brackets are those of -kappa/(2T (l1 + l2)) [...]."""

    T: int
    distance: arb
    first_order: arb
    shown: arb
    claimed: arb
    left_out: tuple[arb, ...]
    ends: tuple[_End, _End]

    @property
    def remainder(self) -> arb:
        """What the bracket leaves out."""
        first, *others = self.left_out
        return sum(others, first)

    @property
    def miss(self) -> arb:
        """Bracket shown, less bracket and remainder: 0 for the true bracket."""
        return self.shown - self.claimed - self.remainder


@once_a_run
def ends(run: Run) -> Ends:
    """The power laws at the ends of a law that is bounded and not constant on {s > 0}."""
    found: Ends | None = numerics.one_parameter.rate.ends(run.law)
    assert found is not None
    return found


def check_rate(run: Run, record: Record, formula: Rate) -> None:
    """The formula's bracket against that of alpha_T, the remainder enclosed, at growing depths."""
    tail = _deciding_rows(run, formula)
    asked = [_compare(run, formula, T) for T in run.progress.track(run.settings.depths, "rate")]
    rows = {row.T: row for row in (*asked, *tail)}
    last, powers = tail[-1], ends(run)
    record.series["rate"] = Series(
        ["T", "distance_lower", "distance_upper", "first_order"],
        [[T, *_decimals(rows[T].distance), rounded(rows[T].first_order, 12)] for T in sorted(rows)],
    )
    record.summary = (
        f"bracket ${_short(last.shown)}$ at $T = {last.T}$: formula ${_short(last.claimed)}$, remainder "
        f"${_short(last.remainder)}$"
    )
    record.values.update(
        k1=str(powers.low.exponent),
        k2=str(powers.high.exponent),
        balanced=powers.balanced,
        first_order=_in_numbers(run),
    )
    _two_atoms(run, record, last.T)
    for row in tail:
        record.check(
            ENCLOSURE,
            r"the bracket of $\alpha_T$ is the formula's and its remainder" + WITHIN,
            _agrees(row, powers.balanced),
            bits=BITS,
            detail=(
                rf"$\alpha_T$ shows ${_short(row.shown)}$; formula ${_short(row.claimed)}$ and remainder "
                f"${_short(row.remainder)}$ make ${_short(row.claimed + row.remainder)}$"
            ),
            case={"T": row.T},
        )
    for name, end in zip(("low", "high"), last.ends, strict=True):
        record.check(
            ENCLOSURE,
            f"the {name} end alone gives its leading term times what its shape allows{WITHIN}",
            _measured(end),
            detail=f"${_short(end.measured)}$ of the leading term, by the shape ${_short(end.bound)}$",
            case={"T": last.T},
        )
    _bounded(run, record, tail)


def _in_numbers(run: Run) -> str:
    """The first-order rate with its constants, as a formula in T."""
    from flint import ctx

    powers, center, kappa = ends(run), quantities.alpha_star(run), quantities.kappa(run)
    if powers.balanced:
        return rf"$\alpha_T = {center} + o(1/T)$"
    l1, l2 = run.law.lambda_ends
    assert l2 is not None
    scale, power = kappa / (2 * (l1 + l2)), powers.low.exponent - powers.high.exponent
    with ctx.workprec(BITS):
        low, high = (
            numerics.one_parameter.rate.constant(end)
            * (numerics.arithmetic.balls.ball(end.exponent) + 1).gamma()
            for end in (powers.low, powers.high)
        )
        bracket = brief((high / low).log(), 9)
    if power:
        bracket += rf" + ({power}) \log({2 * center / kappa} T)"
    return (
        rf"$\alpha_T = {center} - \frac{{{scale.numerator}}}{{{scale.denominator} T}} [{bracket}] + o(1/T)$"
    )


def _agrees(row: _Row, balanced: bool | None) -> bool | None:
    """Whether the formula's bracket is the one that alpha_T shows: known to 1/12, and its sign known too."""
    if not row.miss.is_finite():
        return None
    if not row.miss.contains(0):
        return False
    width = row.miss.rad()
    sign_is_told = balanced or 2 * width < abs(row.claimed)
    return bool(RESOLUTION * width < 1 and sign_is_told) or None


def _measured(end: _End) -> bool | None:
    if not (end.bound.is_finite() and end.measured.is_finite()):
        return None
    if not end.bound.overlaps(end.measured):
        return False
    return bool(RESOLUTION * end.bound.rad() < 1 and RESOLUTION * abs(end.bound - end.measured) < 2) or None


def _bounded(run: Run, record: Record, tail: list[_Row]) -> None:
    """The remainder at every depth: a bound that tends to 0, held against the remainders seen."""
    from flint import ctx

    l2 = run.law.lambda_ends[1]
    assert l2 is not None
    kappa, powers = quantities.kappa(run), ends(run)
    # alpha_T within kappa/(2 l2) of alpha*, so that both residuals stay above kappa/2.
    reach = kappa / (2 * l2)
    band = quantities.band(run, reach / quantities.alpha_star(run))
    assert band is not None  # its edges lie on either side of alpha*
    with ctx.workprec(BITS):
        exponents = powers.low.exponent, powers.high.exponent
        bound = numerics.one_parameter.rate_bound.rate_bound(run.law, exponents, reach, band.T0)
        reached = [] if bound is None else [row for row in tail if row.T >= bound.T1]
        limits = [] if bound is None else [bound.at(row.T, row.claimed) for row in reached]
        holds = None if bound is None else _within(reached, limits)
    T1 = None if bound is None else bound.T1
    record.values["T1"] = T1
    pairs = zip(reached, limits, strict=True)
    depths = "from some depth on" if T1 is None else rf"for all $T \ge {T1}$"
    record.check(
        ENCLOSURE,
        f"the remainder is at most a bound that tends to 0, {depths}",
        holds,
        bits=BITS,
        detail=", ".join(
            f"${_short(row.remainder)}$, bound ${_short(limit)}$, at $T = {row.T}$" for row, limit in pairs
        ),
    )


def _within(rows: list[_Row], limits: list[arb]) -> bool | None:
    """False if a remainder is certainly larger than its bound; None if a bound says nothing.

    The bound is proved, by its constants: the remainders seen, 0 within their balls for some laws, can only
    refute it.
    """
    if any(abs(row.remainder) > limit for row, limit in zip(rows, limits, strict=True)):
        return False
    return all(limit.is_finite() for limit in limits) or None


def _two_atoms(run: Run, record: Record, T: int) -> None:
    """For two atoms alpha_T has a closed form: a second route to it."""
    from flint import ctx

    atoms = run.law.atoms
    if run.law.pieces or atoms is None:
        return
    positive = [pair for pair in zip(atoms.values, atoms.masses, strict=True) if pair[0] > 0]
    if len(positive) != 2:
        return
    derive(record, theory.limits.two_atoms())
    (s_1, p_1), (s_2, p_2) = positive
    ball = numerics.arithmetic.balls.ball
    with ctx.workprec(BITS):
        k = ball(p_2 * s_2 / (p_1 * s_1)).root(2 * T - 1)
        closed = theory.limits.two_atoms_minimiser(k, ball(1 + s_1), ball(1 + s_2))
        found = quantities.minimiser(run, T).ball
        record.check(
            ENCLOSURE,
            rf"$\alpha_T$ is the closed form for two atoms, to {CLOSED_DIGITS} digits",
            agree(closed, found, CLOSED_DIGITS),
            bits=BITS,
            detail=f"${brief(closed, 20)}$, enclosed ${brief(found, 20)}$",
            case={"T": T},
        )


def _deciding_rows(run: Run, formula: Rate) -> list[_Row]:
    """Depths T/4, T/2, T; T the largest asked for, doubled up to DEEPEST until it decides."""
    asked = run.settings.depths[-1]
    T, deepest = max(asked, 4), max(asked, DEEPEST)
    while True:
        rows = [_compare(run, formula, depth) for depth in (T // 4, T // 2, T)]
        agreement = [_agrees(row, ends(run).balanced) for row in rows]
        reached = all(agreement) and all(map(_measured, rows[-1].ends))
        if reached or False in agreement or deepest < 2 * T:
            return rows
        T *= 2


def _compare(run: Run, formula: Rate, T: int) -> _Row:
    """Bracket shown, bracket claimed and remainder at one depth."""
    from flint import ctx

    law, ball = run.law, numerics.arithmetic.balls.ball
    l1, l2 = law.lambda_ends
    assert l2 is not None
    found = _ends_seen(run, T)
    with ctx.workprec(BITS):
        alpha = quantities.minimiser(run, T).ball
        distance = alpha - ball(quantities.alpha_star(run))
        first_order = numerics.one_parameter.rate.first_order(formula, law, ends(run), T)
        scale = -ball(2 * T * (l1 + l2) / quantities.kappa(run))
        ratios = found[0].enclosed, found[1].enclosed
        left_out = numerics.one_parameter.rate.remainder(formula, law, ends(run), T, alpha, ratios)
        return _Row(T, distance, first_order, scale * distance, scale * first_order, left_out, found)


@once_a_run
def _ends_seen(run: Run, T: int) -> tuple[_End, _End]:
    """Both ends at one depth: at alpha_T by their shapes, and alone by both routes."""
    from flint import ctx

    law, n, ball = run.law, 2 * T - 1, numerics.arithmetic.balls.ball
    l1, l2 = law.lambda_ends
    assert l2 is not None
    measured = numerics.one_parameter.rate.laplace_ratios(
        run.expectation, ends(run), n, run.settings.max_bits
    )
    with ctx.workprec(BITS):
        root = 1 / quantities.minimiser(run, T).ball
        side = numerics.one_parameter.end_ratios.side_ratio
        return (
            _End(side(law, "low", root - ball(l1), n), side(law, "low", ball(l2 - l1), n), measured[0]),
            _End(side(law, "high", ball(l2) - root, n), side(law, "high", ball(l2 - l1), n), measured[1]),
        )


def _decimals(value: arb) -> tuple[str, str]:
    number = certified(value)
    return number.lower, number.upper


def _short(value: arb) -> str:
    return approx(float(value.mid()), 3)
