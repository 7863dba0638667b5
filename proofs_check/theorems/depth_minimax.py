r"""Depth is minimax: alpha_T tends to the weight that is best for the worst prompt.

alpha* = 2/(2 + m_lo + m_hi) minimises max |1 - a (1+s)| over m_lo <= s <= m_hi.  The
minimiser alpha_T of the one-parameter loss tends to it, at a rate set by the mass of s
near the two ends, and depth is needed: at T = 1 the excess is that of linear self-attention.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Record, Theorem, by_coq, by_prose, in_summary
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import ENCLOSURE, EXACT, brief, certified, compare, derive
from proofs_check.engine.hypotheses import (
    BOUNDED,
    INFINITE_CONTEXT,
    LETTERS,
    NOT_ZERO,
    SUPPORT,
    UNIT_LOSS,
    VARIES,
    convention_matters,
    for_some_claims,
)
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _rate_steps as rate_steps
from proofs_check.theorems import _single_layer as single_layer
from proofs_check.theorems import _tables
from proofs_check.theorems._arguments import ONE_INEQUALITY
from proofs_check.theorems._figures import DISTANCE
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.self_attention.best_layer import EnclosedRisk

SHARE = 100
COMPARED = (8, 32)


BOTH = (BOUNDED.id, NOT_ZERO.id)
ALL = (*BOTH, VARIES.id)

THEOREM = Theorem(
    name="depth_minimax",
    title="Depth finds the minimax weight",
    source="derived from Theorem 6.2 of Barnfield, Sen and Sur, arXiv 2602.04872",
    provenance=DERIVED,
    statement=(
        r"$\alpha_T \to \alpha^* = \operatorname{arg\,min}_a \max_{m_{\mathrm{lo}} \le s \le "
        r"m_{\mathrm{hi}}} |1 - a(1+s)|$, and if $\|m\|$ is not constant on $\{m \ne 0\}$, at order $1/T$ "
        r"where the law is alike at both ends, else $(\log T)/T$"
    ),
    definitions=(LETTERS, SUPPORT),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
    ),
    hypotheses=(BOUNDED, NOT_ZERO, for_some_claims(VARIES)),
    options=frozenset({"depth", "epsilon"}),
    default_depths=tuple(2**k for k in range(13)),
    max_depth=16384,
    depth_limits=(
        "atoms, and densities of $s$ with small integer exponents: depth 16384; other densities, squares, "
        "sums: depth 16384, in time that grows with depth"
    ),
    tables=list(_tables.DEPTH_MINIMAX),
)


@THEOREM.claim(
    "minimax_weight",
    r"$\min_a \max_{m_{\mathrm{lo}} \le s \le m_{\mathrm{hi}}} |1 - a(1+s)| = \frac{m_{\mathrm{hi}} - "
    r"m_{\mathrm{lo}}}{2 + m_{\mathrm{lo}} + m_{\mathrm{hi}}}$, at $a = \alpha^*$ alone",
    EXACT,
    needs=BOTH,
    argument=by_coq("Minimax.minimax", "the worst case is at an end of the support").in_coq(
        in_coq.WORST_CASE
    ),
    provenance=DERIVED,
)
def minimax_weight(run: Run, record: Record) -> None:
    r"""The residual $1 - a \lambda$ is affine in $\lambda$, so the worst case is at an end:
    $\max(1 - a \ell_1, a \ell_2 - 1)$.

    The first falls in $a$ and the second rises; they are equal at $\alpha^*$, and any other weight is worse
    at one of the ends.
    """
    derive(record, theory.limits.minimax())
    center = quantities.alpha_star(run)
    check_minimax(run, record, (center, center))
    best, worst = theory.limits.optimum()
    record.check(
        EXACT,
        r"$\alpha^*$ and its worst case by their formulas",
        1 - center * run.law.lambda_ends[0] == quantities.kappa(run),
        values=[
            quantities.ends_valued(run, r"$\alpha^*$", best, center),
            quantities.ends_valued(run, "worst case", worst, quantities.kappa(run)),
        ],
    )
    record.values["alpha_star"] = str(center)
    record.values["worst_case"] = str(quantities.kappa(run))
    record.summary = rf"$\alpha^* = {center}$, worst case ${quantities.kappa(run)}$"


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
        detail=f"${brief(at_low[0], 6)}$ at the low end, ${brief(at_high[0], 6)}$ at the high end",
    )


@THEOREM.claim(
    "depth_limit_is_minimax",
    r"$\alpha_T \to \alpha^*$ as $T \to \infty$",
    ENCLOSURE,
    needs=BOTH,
    cites=("minimax_weight",),
    argument=ONE_INEQUALITY,
    provenance=in_summary("Theorem 6.2"),
)
def depth_limit_is_minimax(run: Run, record: Record) -> None:
    r"""At $a = (1 - \epsilon) \alpha^*$ the residual is larger at the low end than at the high end, at
    $(1 + \epsilon) \alpha^*$ the other way round: one certified inequality for each keeps $\alpha_T$ between
    the two from $T_0$ on. $\alpha^*$ is the one weight where they are equal: the minimax weight.
    """
    center, epsilon = quantities.alpha_star(run), run.settings.epsilon
    found = quantities.prove_limit(run, record, center, r"$\alpha^*$")
    T0 = found.band.T0 if found.band else None
    record.values.update(alpha_star=str(center), epsilon=str(epsilon), T0=T0)
    record.summary = rf"$T_0 = {T0}$ at $\epsilon = {epsilon}$"


@THEOREM.claim(
    "rate",
    r"$\alpha_T = \alpha^* - \frac{\kappa}{2T(\ell_1 + \ell_2)} \Bigl[ \log "
    r"\frac{A_2 \Gamma(k_2 + 1)}{A_1 \Gamma(k_1 + 1)} + (k_1 - k_2) \log \frac{2T\alpha^*}{\kappa} \Bigr] "
    r"+ o\Bigl(\frac{1}{T}\Bigr)$",
    ENCLOSURE,
    needs=ALL,
    cites=("depth_limit_is_minimax",),
    argument=by_prose("Laplace's method with explicit constants"),
    provenance=DERIVED,
)
def rate(run: Run, record: Record) -> None:
    r"""Let $\mathbb{E}[s; s \le m_{\mathrm{lo}} + h] \sim A_1 h^{k_1}$ and $\mathbb{E}[s; s \ge
    m_{\mathrm{hi}} - h] \sim A_2 h^{k_2}$ as $h \to 0$.

    With $n = 2T - 1$ and $c = |1 - a \lambda|$ at the end, on either side of the root of $1 - a \lambda$

        $\mathbb{E}[s |1 - a \lambda|^n] = A \Gamma(k+1) (n a/c)^{-k} c^n R$,

    and $R \to 1$ as $n \to \infty$, uniformly in $a$ near $\alpha^*$: with $h$ the distance from the end and
    $W = c/a$ that of the root, $|1 - a \lambda|^n$ is $c^n (1 - h/W)^n$. The law is $A k h^{k-1}$ times a
    factor $1 + O(h^j)$, $j = 1$, or $1/2$ where $s = r^2$ and $r$ reaches 0; the powers of $h$ integrate to
    Beta functions, $h^j$ to $O(n^{-j})$ of the leading term. What begins further in, at $h$, weighs
    $O(n^k (1 - h/W)^n)$. Each constant is explicit (`numerics.one_parameter.end_ratios`), so $R$ is enclosed;
    for atoms exactly.

    At $\alpha_T = \alpha^* - \delta$ the two sides are equal. Taking logarithms, the bracket that $\alpha_T$
    shows, $b = 2T (\ell_1 + \ell_2) \delta/\kappa$, is exactly the bracket $B$ of the formula and the
    remainder

        $[b - n \log(c_1/c_2)] + k_1 \log(r_1/r) - k_2 \log(r_2/r) + \log R_2 - \log R_1$,

    $r_i = n \alpha_T/c_i$ and $r = 2T \alpha^*/\kappa$. From a depth on, $\alpha_T$ is within
    $\kappa/(2 \ell_2)$ of $\alpha^*$ (the argument of `depth_limit_is_minimax`); then
    $n \log(c_1/c_2) = B + O(1)$, so $\delta = O((1 + |B|)/T)$; the first term is $O(\delta + n \delta^2)$,
    the next two $O(\delta + 1/T)$, the last $R_i \to 1$. With its constants this is a bound on the remainder
    for all $T \ge T_1$, and tends to 0 (`numerics.one_parameter.rate_bound`).

    Two brackets that differ do so by $D + E \log T$, which does not tend to 0 unless $D = E = 0$: a formula
    whose bracket misses $b$ by more than the enclosed remainder, at one depth, is false. Depths $T/4$, $T/2$
    and $T$ decide, $T$ the largest asked for, doubled up to 4096 until they do.
    """
    derive(record, theory.limits.rate().derivation)
    rate_steps.check_rate(run, record, theory.limits.rate())


@THEOREM.claim(
    "depth_is_needed",
    r"$\mathcal{E}_1(\alpha_1) = \min_c R(cI) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] \ge \mathrm{gap} = "
    r"\min_M R(M) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] > 0$, $\mathcal{E}_T(\alpha_T) < "
    r"\frac{\mathrm{gap}}{100}$ for all $T \ge T_1$",
    ENCLOSURE,
    needs=ALL,
    cites=("minimax_weight",),
    argument=by_prose(r"the bound $\mathbb{E}[s/\lambda] \kappa^{2T}$ falls below the gap").in_coq(
        in_coq.DEPTH_IS_NEEDED
    ),
    provenance=DERIVED,
)
def depth_is_needed(run: Run, record: Record) -> None:
    r"""At $T = 1$ the stack is scalar linear self-attention, $M = c I$: its least excess is
    $\mathbb{E}[s/\lambda] - (\mathbb{E}\,s)^2/\mathbb{E}[s \lambda]$. The gap of Theorem 4.1 is that of the
    best $M$: this number for isotropic $m$, less for two modalities, by what $\operatorname{diag}(a I, b I)$
    gains, a rational number.

    $\mathcal{E}_T(\alpha_T) \le \mathbb{E}[s/\lambda] \kappa^{2T}$ for every $T$, and the bound falls: once
    it is below a hundredth of the gap, the excess stays there. Whether the excess falls at every single step
    depends on the law, and is only reported: with a rare large norm depth 2 can be worse than depth 1.
    """
    derive(record, theory.losses.lsa().derivation)
    from flint import ctx

    derive(record, theory.gap.scalar().derivation)
    single_layer.derive_best(run, record)
    derive(record, theory.limits.bayes_bound())
    layer = single_layer.layer(run)
    with ctx.workprec(numerics.one_parameter.rate.BOUND_BITS):
        gap, bits = _as_ball(layer.gap)
        share = gap / SHARE
    of_scalar, _ = _as_ball(layer.above_bayes(layer.scalar))
    first, constant, kappa = (
        quantities.excess(run, 1)[0],
        quantities.excess_of_zero(run),
        quantities.kappa(run),
    )
    compare(record, ENCLOSURE, "the gap is positive", gap, ">", 0, bits=bits)
    record.check(
        ENCLOSURE,
        "the enclosures of the excess at $T = 1$ and of that of the best scalar $M$ overlap",
        first.overlaps(of_scalar),
        detail=f"${brief(first, 14)}$, ${brief(of_scalar, 14)}$",
    )
    single_layer.check_gain(record, "no scalar $M$ is better than the best $M$", layer.gained)
    T1 = numerics.one_parameter.rate.depth_below(constant, kappa, share)
    bound = numerics.one_parameter.rate.geometric_bound(constant, kappa, T1)
    statement = rf"$\mathbb{{E}}[s/\lambda] \kappa^{{2T}} < \mathrm{{gap}}/{SHARE}$ at $T_1 = {T1}$"
    compare(record, ENCLOSURE, statement, bound, "<", share)
    _enumerate(run, record, T1, share)
    record.values.update(gap=certified(gap), scalar_gap=certified(of_scalar))
    record.summary = f"gap ${brief(gap, 6)}$, below a hundredth of it from $T_1 = {T1}$"


def _as_ball(gap: EnclosedRisk) -> tuple[arb, int | None]:
    """To 15 digits, and the bits it took."""
    return numerics.arithmetic.balls.ball(gap.value) if isinstance(
        gap.value, Fraction
    ) else gap.value, gap.bits


def _enumerate(run: Run, record: Record, T1: int, share: arb) -> None:
    """From which depth the excess is below gap/100 in fact, and at which depths it rises."""
    least, most = COMPARED
    depths = range(1, min(max(T1, least), most) + 1)
    excesses = [quantities.excess(run, T)[0] for T in run.progress.track(depths, "excess")]
    steps = list(pairwise(excesses))
    rises = [T for T, (before, after) in enumerate(steps, start=2) if after > before]
    decided = all(after > before or after < before for before, after in steps)
    first: int | None = T1
    while first is not None and first > 1:
        if first - 1 > most:
            first = None
        elif bool(excesses[first - 2] < share):
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


THEOREM.figure(
    "minimiser",
    claim="rate",
    series="rate",
    kind="intervals",
    y=("distance_lower", "distance_upper"),
    curve="distance",
    label=r"$|\alpha_T - \alpha^{\ast}|$",
    caption=r"The distance of $\alpha_T$ to $\alpha^*$ has logarithmic axes.",
    **DISTANCE,
)
THEOREM.figure(
    "minimiser",
    claim="rate",
    series="rate",
    kind="lines",
    y="first_order",
    curve="first_order",
    label="first order",
    caption="At large depth it lies on its first-order rate (dashed).",
    **DISTANCE,
)


@THEOREM.false_variant(
    "unsquared_norm",
    "minimax_weight",
    r"$\operatorname{arg\,min}_a \max_s |1 - a(1+s)| = \frac{2}{2 + \sqrt{m_{\mathrm{lo}}} + "
    r"\sqrt{m_{\mathrm{hi}}}}$",
    witness="uniform(1, 4)",
    differs=convention_matters,
)
def unsquared_norm(run: Run, record: Record) -> None:
    """The ends of the law of the norm in place of those of its square."""
    check_minimax(run, record, quantities.unsquared(run))


def _first_order_matters(run: Run) -> bool:
    """Whether the bracket is known not to be 0 for all T."""
    return rate_steps.ends(run).balanced is False


def _exponents_matter(run: Run) -> bool:
    ends = rate_steps.ends(run)
    return ends.low.exponent != ends.high.exponent


def _gamma_matters(run: Run) -> bool:
    """Whether Gamma(k+1) at the two ends is known to differ."""
    ends = rate_steps.ends(run)
    low, high = (numerics.arithmetic.balls.ball(end.exponent + 1).gamma() for end in (ends.low, ends.high))
    return not low.overlaps(high)


@THEOREM.false_variant(
    "opposite_sign",
    "rate",
    r"$\alpha_T = \alpha^* + \frac{\kappa}{2T(\ell_1 + \ell_2)} [\cdots] + o(1/T)$",
    witness="uniform(1, 4)",
    differs=_first_order_matters,
)
def opposite_sign(run: Run, record: Record) -> None:
    """The minimiser on the other side of its limit."""
    formula = theory.limits.rate()
    rate_steps.check_rate(run, record, replace(formula, expr=-formula.expr))


@THEOREM.false_variant(
    "wrong_constant",
    "rate",
    r"$\alpha_T = \alpha^* - \frac{\kappa}{2T(\ell_1 + \ell_2)} \Bigl[ \log "
    r"\frac{5 A_2 \Gamma(k_2 + 1)}{6 A_1 \Gamma(k_1 + 1)} + \cdots \Bigr] + o(1/T)$",
    witness="uniform(1, 4)",
)
def wrong_constant(run: Run, record: Record) -> None:
    """6/5 of the mass at the low end."""
    formula = theory.limits.rate()
    rate_steps.check_rate(
        run, record, replace(formula, expr=formula.expr.subs(formula.A1, 6 * formula.A1 / 5))
    )


@THEOREM.false_variant(
    "without_gamma",
    "rate",
    r"$\alpha_T = \alpha^* - \frac{\kappa}{2T(\ell_1 + \ell_2)} \Bigl[ \log \frac{A_2}{A_1} + (k_1 - k_2) "
    r"\log \frac{2T\alpha^*}{\kappa} \Bigr] + o(1/T)$",
    witness="uniform(0, 3)",
    differs=_gamma_matters,
)
def without_gamma(run: Run, record: Record) -> None:
    """The mass at distance h itself, in place of what Laplace's method makes of it."""
    from sympy import Integer, gamma

    formula = theory.limits.rate()
    rate_steps.check_rate(
        run, record, replace(formula, expr=formula.expr.replace(gamma, lambda k: Integer(1)))
    )


@THEOREM.false_variant(
    "exponents_exchanged",
    "rate",
    r"$\alpha_T = \alpha^* - \frac{\kappa}{2T(\ell_1 + \ell_2)} \Bigl[ \cdots + (k_2 - k_1) \log "
    r"\frac{2T\alpha^*}{\kappa} \Bigr] + o(1/T)$",
    witness="uniform(0, 3)",
    differs=_exponents_matter,
)
def exponents_exchanged(run: Run, record: Record) -> None:
    """The sign of the logarithm."""
    formula = theory.limits.rate()
    k1, k2 = formula.k1, formula.k2
    other = formula.expr.replace(
        lambda part: part == k1 - k2,
        lambda part: k2 - k1,
    )
    rate_steps.check_rate(run, record, replace(formula, expr=other))


def _mean_weight(run: Run) -> Fraction:
    return 1 / (1 + run.law.mean)


@THEOREM.false_variant(
    "mean_weight",
    "depth_limit_is_minimax",
    r"$\alpha_T \to \frac{1}{1 + \mathbb{E} s}$",
    witness="atoms({1: 1/3, 4: 2/3})",
    differs=lambda run: _mean_weight(run) != quantities.alpha_star(run),
)
def mean_weight(run: Run, record: Record) -> None:
    """The mean of s in place of the middle of its range."""
    weight = _mean_weight(run)
    quantities.decide_limit(run, record, (weight, weight), r"$1/(1 + \mathbb{E}\,s)$")


@THEOREM.false_variant(
    "first_depth_suffices",
    "depth_is_needed",
    r"$\mathcal{E}_1(\alpha_1) < \frac{\mathrm{gap}}{100}$",
    witness="uniform(1, 4)",
)
def first_depth_suffices(run: Run, record: Record) -> None:
    """Depth 1 in place of T1."""
    gap, (first, _) = single_layer.layer(run).gap, quantities.excess(run, 1)
    statement = "the excess at $T = 1$ is at most a hundredth of the gap"
    bound = single_layer.scaled(gap.value, Fraction(1, SHARE))
    compare(record, ENCLOSURE, statement, first, "<=", bound, bits=gap.bits)
