r"""Depth is minimax: alpha_T tends to the weight that is best for the worst prompt.

alpha* = 2/(2 + m_lo + m_hi) minimises max |1 - a (1+s)| over m_lo <= s <= m_hi.  The
minimiser alpha_T of the one-parameter loss tends to it, at a rate set by the mass of s
near the two ends, and depth is needed: at T = 1 the excess is that of linear self-attention.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numerics
import theory
from proofs_check import shared
from proofs_check.claims import NotApplicable, Record, Theorem
from proofs_check.context import Run
from proofs_check.evidence import ENCLOSURE, EXACT, NUMERIC, at_most, below, brief, certified, derive
from proofs_check.hypotheses import BOUNDED, INFINITE_CONTEXT, NOT_ZERO, UNIT_LOSS, VARIES, for_some_claims
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from theory.limits import Rate

RATE_BITS = 256
DEEPEST = 4096
NEGLIGIBLE = 1e-9
"""An error that is 0 up to the 12 digits to which it is computed."""
SHARE = 100
COMPARED = (8, 32)


BOTH = (BOUNDED.id, NOT_ZERO.id)
ALL = (*BOTH, VARIES.id)

THEOREM = Theorem(
    name="depth_minimax",
    title="Depth finds the minimax weight",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, remarks on Theorem 6.2",
    statement=(
        r"\alpha_T \to \alpha^* = \arg\min_a \max_{m_{\mathrm{lo}} \le s \le m_{\mathrm{hi}}} |1 - a(1+s)|, "
        r"at order 1/T where the law is alike at both ends, else (\log T)/T"
    ),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        "The rate is an asymptotic statement: its formula is derived by Laplace's method, whose error "
        "terms are not derived but measured at growing depths.",
    ),
    hypotheses=(BOUNDED, NOT_ZERO, for_some_claims(VARIES)),
    options=frozenset({"depth", "epsilon"}),
    default_depths=tuple(2**k for k in range(13)),
    max_depth=16384,
    depth_limits=(
        "atoms, and densities of s with small integer exponents: depth 16384; other densities, "
        "squares, sums: depth 16384, in time that grows with depth"
    ),
)


@THEOREM.claim(
    "minimax_weight",
    r"\min_a \max_{m_{\mathrm{lo}} \le s \le m_{\mathrm{hi}}} |1 - a(1+s)| = "
    r"\frac{m_{\mathrm{hi}} - m_{\mathrm{lo}}}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}, "
    r"\text{ at } a = \alpha^* \text{ alone}",
    EXACT,
    needs=BOTH,
)
def minimax_weight(run: Run, record: Record) -> None:
    """The residual 1 - a lam is affine in lam, so the worst case is at an end: max(1 - a l1, a l2 - 1).

    The first falls in a and the second rises; they are equal at alpha*, and any other weight is
    worse at one of the ends.
    """
    derive(record, theory.limits.minimax())
    center = shared.alpha_star(run)
    check_minimax(run, record, (center, center))
    record.values["alpha_star"] = str(center)
    record.values["worst_case"] = str(shared.kappa(run))
    record.figure = f"alpha* = {center}, worst case {shared.kappa(run)}"


def check_minimax(run: Run, record: Record, candidate: tuple[Fraction, Fraction]) -> None:
    """The worst case of the candidate, enclosed, against those of the weights on either side of it."""
    l1, l2 = run.law.lambda_ends
    assert l2 is not None
    lower, upper = candidate
    at_low, at_high = (1 - lower * l1, 1 - upper * l1), (lower * l2 - 1, upper * l2 - 1)
    # Minimax iff both ends are active: the falling and the rising branch meet.
    exact = lower == upper and at_low[0] == at_high[0]
    apart = at_low[1] > at_high[1] or at_low[0] < at_high[0]
    record.check(
        EXACT,
        "the residuals at both ends have the same size",
        True if exact else False if apart else None,
        detail=f"{brief(at_low[0], 6)} at the low end, {brief(at_high[0], 6)} at the high end",
    )


@THEOREM.claim(
    "depth_limit_is_minimax", r"\alpha_T \to \alpha^* \text{ as } T \to \infty", ENCLOSURE, needs=BOTH
)
def depth_limit_is_minimax(run: Run, record: Record) -> None:
    """At a = alpha* - eps the residual is larger at the low end than at the high end.  One certified
    inequality between the two parts of E[s (1 - a lam)^(2T-1)] at depth T0 is inherited by every
    larger depth, as each step multiplies the larger part by more; so alpha_T > a for all T >= T0,
    and the mirror image bounds alpha_T from above.
    """
    derive(record, theory.limits.one_inequality())
    center, epsilon = shared.alpha_star(run), run.settings.epsilon
    found = shared.decide_limit(run, record, (center, center), "alpha*")
    T0 = found.band.T0 if found.band else None
    record.values.update(alpha_star=str(center), epsilon=str(epsilon), T0=T0)
    record.figure = f"T0 = {T0} at epsilon = {epsilon}"


@THEOREM.claim(
    "rate",
    r"\alpha_T = \alpha^* - \frac{\kappa}{2T(\ell_1 + \ell_2)} \Bigl[ "
    r"\log \frac{A_2 \Gamma(k_2 + 1)}{A_1 \Gamma(k_1 + 1)} "
    r"+ (k_1 - k_2) \log \frac{2T\alpha^*}{\kappa} \Bigr] + o\Bigl(\frac{1}{T}\Bigr)",
    NUMERIC,
    needs=ALL,
)
def rate(run: Run, record: Record) -> None:
    """Let E[s; s <= m_lo + h] ~ A1 h^k1 and E[s; s >= m_hi - h] ~ A2 h^k2 as h -> 0.  At a near alpha*
    the two ends of E[s (1 - a lam)^n] = 0, n = 2T - 1, must balance; by Laplace's method each is
    A Gamma(k+1) r^-k times the n-th power of the residual there, r = n a/|1 - a lam|.  Taking
    logarithms and expanding the residuals about alpha* gives the bracket B.

    What Laplace's method leaves out is measured: R_i is E[s |1 - a lam|^n] over its leading
    term, at the weight where end i alone is seen; R_i -> 1.  The bracket that alpha_T shows,
    b = -(2T (l1 + l2)/kappa) (alpha_T - alpha*), then differs from B by about log R2 - log R1, and by
    terms of the order of B/T and B^2/T from the expansion:

        error = |log R2 - log R1| + |B| (1 + k1 + k2 + |B|)/(2T).

    It is decided at depths T/4, T/2 and T: |b - B| <= error at each, where the error falls, R_i is within a
    factor exp(1/4) of 1 and, unless B is 0 exactly, |B| > 4 error, so that the opposite sign is told
    apart.  T is the largest depth asked for, doubled up to 4096 while these conditions fail.
    """
    derive(record, theory.limits.rate().derivation)
    check_rate(run, record, theory.limits.rate())


class _Row(NamedTuple):
    """One depth of the comparison; all balls."""

    T: int
    distance: arb
    first_order: arb
    claimed: arb
    missed: arb
    error: arb
    ratios: tuple[arb, arb]


def check_rate(run: Run, record: Record, formula: Rate) -> None:
    """The formula's first-order term against enclosures of alpha_T at growing depths."""
    ends = numerics.rates.ends(run.law)
    if ends is None:
        raise NotApplicable("the mass of s near an end follows no power law")
    tail = _deciding_rows(run, formula, ends.balanced)
    asked = [_compare(run, formula, T) for T in run.progress.track(run.settings.depths, "rate")]
    rows = {row.T: row for row in (*asked, *tail)}
    record.series["rate"] = Series(
        ["T", "distance_lower", "distance_upper", "first_order"],
        [[T, *_decimals(rows[T].distance), brief(rows[T].first_order, 12)] for T in sorted(rows)],
    )
    record.values.update(k1=str(ends.low.exponent), k2=str(ends.high.exponent), balanced=ends.balanced)
    conditions = _conditions(tail, ends.balanced)
    for statement, holds, detail in conditions:
        record.check(NUMERIC, statement, holds or None, detail=detail)
    settled = all(holds for _, holds, _ in conditions)
    for row in tail:
        record.check(
            NUMERIC,
            f"alpha_T - alpha* is the first-order term up to its error, T = {row.T}",
            at_most(row.missed, row.error) if settled else None,
            detail=f"bracket {_short(row.claimed)}: off by {_short(row.missed)}, error {_short(row.error)}",
        )
    last = tail[-1]
    record.figure = f"bracket off by {_short(last.missed)} of {_short(last.claimed)} at T = {last.T}"


def _deciding_rows(run: Run, formula: Rate, balanced: bool) -> list[_Row]:
    """Depths T/4, T/2, T; T the largest asked for, doubled up to DEEPEST until it is large enough."""
    asked = run.settings.depths[-1]
    T, deepest = max(asked, 4), max(asked, DEEPEST)
    while True:
        rows = [_compare(run, formula, depth) for depth in (T // 4, T // 2, T)]
        settled = all(holds for _, holds, _ in _conditions(rows, balanced))
        if settled or deepest < 2 * T:
            return rows
        T *= 2


def _conditions(tail: list[_Row], balanced: bool) -> list[tuple[str, bool, str]]:
    """What makes the depths large enough to decide: statement, holds, detail.  Else nothing is refuted."""
    last = tail[-1]
    found = [
        (
            f"the power law at the {name} end has set in at T = {last.T}",
            bool(4 * abs(ratio.log()) < 1),
            f"mass seen over its leading term: {_short(ratio)}",
        )
        for name, ratio in zip(("low", "high"), last.ratios, strict=True)
    ]
    falls = bool(last.error <= tail[0].error) or bool(last.error < NEGLIGIBLE)
    told_apart = balanced or bool(abs(last.claimed) > 4 * last.error)
    detail = f"bracket {_short(last.claimed)}, error {_short(last.error)}"
    return [*found, ("the error falls, to less than a quarter of the bracket", falls and told_apart, detail)]


def _compare(run: Run, formula: Rate, T: int) -> _Row:
    """Bracket shown, bracket claimed and error estimate at one depth."""
    from flint import ctx

    law, ends = run.law, numerics.rates.ends(run.law)
    assert ends is not None
    l1, l2 = law.lambda_ends
    assert l2 is not None
    ball = numerics.balls.ball
    ratios = run.remember(
        ("laplace_ratios", T),
        lambda: numerics.rates.laplace_ratios(
            shared.expectation(run), ends, 2 * T - 1, run.settings.max_bits
        ),
    )
    with ctx.workprec(RATE_BITS):
        distance = shared.minimiser(run, T).ball - ball(shared.alpha_star(run))
        first_order = numerics.rates.first_order(formula, law, ends, T)
        scale = ball(2 * T * (l1 + l2) / shared.kappa(run))
        claimed, size = -scale * first_order, abs(scale * first_order)
        exponents = ball(ends.low.exponent + ends.high.exponent)
        error = abs(ratios[1].log() - ratios[0].log()) + size * (1 + exponents + size) / (2 * T)
        # alpha_T itself is known to the width of its enclosure only.
        error = (error + 2 * scale * distance.rad()).upper()
        return _Row(T, distance, first_order, claimed, abs(scale * (distance - first_order)), error, ratios)


def _short(value: arb) -> str:
    return f"{float(value.mid()):.3g}"


@THEOREM.claim(
    "depth_is_needed",
    r"\mathcal{E}_1(\alpha_1) = \mathrm{gap} > 0, \quad "
    r"\mathcal{E}_T(\alpha_T) < \frac{\mathrm{gap}}{100} \text{ for all } T \ge T_1",
    ENCLOSURE,
    needs=ALL,
)
def depth_is_needed(run: Run, record: Record) -> None:
    """At T = 1 the stack is scalar linear self-attention: its least excess is the gap of Theorem 4.1,
    E[s/lam] - (E s)^2/E[s lam] > 0.

    E_T(alpha_T) <= E[s/lam] kappa^(2T) for every T, and the bound falls: once it is below a hundredth of
    the gap, the excess stays there.  Whether the excess falls at every single step depends on
    the law, and is only reported: with a rare large norm depth 2 can be worse than depth 1.
    """
    derive(record, theory.losses.lsa().derivation)
    derive(record, theory.gap.scalar().derivation)
    derive(record, theory.limits.bayes_bound())
    gap, bits = _gap(run)
    first, constant, kappa = shared.excess(run, 1)[0], shared.excess_of_zero(run), shared.kappa(run)
    positive = below(numerics.balls.ball(0), gap)
    record.check(ENCLOSURE, "the gap is positive", positive, bits=bits, detail=f"gap = {brief(gap)}")
    record.check(
        ENCLOSURE,
        "the enclosures of the excess at T = 1 and of the gap overlap",
        first.overlaps(gap),
        detail=f"excess {brief(first, 14)}, gap {brief(gap, 14)}",
    )
    T1 = numerics.rates.depth_below(constant, kappa, gap / SHARE)
    bound = numerics.rates.geometric_bound(constant, kappa, T1)
    record.check(
        ENCLOSURE,
        f"E[s/lam] kappa^(2T) < gap/{SHARE} at T1 = {T1}",
        below(bound, gap / SHARE),
        detail=f"{brief(bound)} < {brief(gap / SHARE)}",
    )
    _enumerate(run, record, T1, gap)
    record.values["gap"] = certified(gap)
    record.figure = f"gap {brief(gap, 6)}, below a hundredth of it from T1 = {T1}"


def _gap(run: Run) -> tuple[arb, int | None]:
    """The gap of the best scalar layer, to 15 digits, and the bits it took."""
    layer = numerics.lsa.SingleLayer(shared.expectation(run), run.settings.max_bits)
    gap = layer.above_bayes(layer.scalar)
    value = numerics.balls.ball(gap.value) if isinstance(gap.value, Fraction) else gap.value
    return value, gap.bits


def _enumerate(run: Run, record: Record, T1: int, gap: arb) -> None:
    """From which depth the excess is below gap/100 in fact, and at which depths it rises."""
    least, most = COMPARED
    depths = range(1, min(max(T1, least), most) + 1)
    excesses = [shared.excess(run, T)[0] for T in run.progress.track(depths, "excess")]
    steps = list(pairwise(excesses))
    rises = [T for T, (before, after) in enumerate(steps, start=2) if after > before]
    decided = all(after > before or after < before for before, after in steps)
    first: int | None = T1
    while first is not None and first > 1:
        if first - 1 > most:
            first = None
        elif bool(SHARE * excesses[first - 2] < gap):
            first -= 1
        else:
            break
    record.values.update(T1=T1, first_T=first, rises_at=rises, compared_to=depths[-1])
    record.values["falls_at_every_step"] = not rises if rises or decided else None
    rows = [[T, *_decimals(value)] for T, value in zip(depths, excesses, strict=True)]
    record.series["excess"] = Series(["T", "lower", "upper"], rows)


def _decimals(value: arb) -> tuple[str, str]:
    number = certified(value)
    return number.lower, number.upper


@THEOREM.false_variant(
    "unsquared_norm",
    "minimax_weight",
    r"\arg\min_a \max_s |1 - a(1+s)| = \frac{2}{2 + \sqrt{m_{\mathrm{lo}}} + \sqrt{m_{\mathrm{hi}}}}",
    witness="uniform(1, 4)",
    differs=shared.convention_matters,
)
def unsquared_norm(run: Run, record: Record) -> None:
    """The ends of the law of the norm in place of those of its square."""
    check_minimax(run, record, shared.unsquared(run))


def _sign_matters(run: Run) -> bool:
    ends = numerics.rates.ends(run.law)
    if ends is None or ends.balanced:
        return False
    depth = run.settings.depths[-1]
    return bool(abs(numerics.rates.first_order(theory.limits.rate(), run.law, ends, depth)) > 0)


@THEOREM.false_variant(
    "opposite_sign",
    "rate",
    r"\alpha_T = \alpha^* + \frac{\kappa}{2T(\ell_1 + \ell_2)} [\cdots] + o(1/T)",
    witness="uniform(1, 4)",
    differs=_sign_matters,
)
def opposite_sign(run: Run, record: Record) -> None:
    """The minimiser on the other side of its limit."""
    formula = theory.limits.rate()
    check_rate(run, record, replace(formula, expr=-formula.expr))


@THEOREM.false_variant(
    "first_depth_suffices",
    "depth_is_needed",
    r"\mathcal{E}_1(\alpha_1) < \frac{\mathrm{gap}}{100}",
    witness="uniform(1, 4)",
)
def first_depth_suffices(run: Run, record: Record) -> None:
    """Depth 1 in place of T1."""
    gap, bits = _gap(run)
    first, _ = shared.excess(run, 1)
    small = at_most(SHARE * first, gap)
    record.check(
        ENCLOSURE, "the excess at T = 1 is a hundredth of the gap", small, bits=bits, detail=brief(first)
    )
