r"""Appendix F: without the skip connection the stack stays above the Bayes risk.

W_S = 0.  From F^0 = 0 the embedding stays 0, and what is left is to predict the mean.
From F^0 = X it is (I + beta Lambda)^T X: better than nothing, but its excess has a
positive floor, over all beta and all depths, save for a few values that one beta fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Hypothesis, Record, Theorem, by_prose, by_symbols, in_summary
from proofs_check.engine.context import Run, once_a_run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    STATISTICAL,
    SYMBOLIC,
    brief,
    certified,
    compare,
    count,
    derive,
    rounded,
)
from proofs_check.engine.hypotheses import (
    BOUNDED,
    INFINITE_CONTEXT,
    LETTERS,
    NOT_ZERO,
    ONE_FACTOR,
    SUPPORT,
    UNIT_LOSS,
    for_some_claims,
)
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _tables
from proofs_check.theorems._figures import EXCESS
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb

    from numerics.no_skip.floor_at_depth import Floor
    from numerics.no_skip.floor_at_every_depth import AllDepths

FALL_DEPTH, FALL_LEVEL = 64, Fraction(1, 1000)


def _not_fitted(run: Run) -> tuple[bool, str]:
    reason = None if run.law.is_zero else numerics.no_skip.floor_at_depth.fitted(run.law)
    return reason is None, reason or "no depth fits all values of $s > 0$"


def _not_fitted_in_the_limit(run: Run) -> tuple[bool, str]:
    reason = numerics.no_skip.floor_at_depth.fitted_in_the_limit(run.law)
    return reason is None, reason or "no such pair"


NOT_FITTED = Hypothesis(
    "not_fitted",
    r"no $\beta, T$ have $(1+\beta\lambda)^T = \lambda^{-1}$ at every $s > 0$",
    _not_fitted,
    condition=r"that no $\beta$ and $T$ fit at every $s > 0$",
    not_zero=True,
)
NOT_FITTED_IN_THE_LIMIT = Hypothesis(
    "not_fitted_in_the_limit",
    r"$s > 0$ does not take just two values with $\lambda_1^{\lambda_2} = \lambda_2^{\lambda_1}$",
    _not_fitted_in_the_limit,
    condition="without the two values that are fitted in the limit",
)
AT_A_DEPTH = (NOT_ZERO.id, NOT_FITTED.id)
AT_EVERY_DEPTH = (*AT_A_DEPTH, NOT_FITTED_IN_THE_LIMIT.id)

THEOREM = Theorem(
    name="skip_ablation",
    title="Without the skip connection",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Appendix F",
    provenance=in_summary(
        "Appendix F", "the floor from $F^{(0)} = X$, and the cases excepted, are derived here"
    ),
    statement=(
        "$W_S = 0$: from $F^{(0)} = 0$ the stack predicts the mean; from $F^{(0)} = X$ its excess over "
        r"the Bayes risk is bounded away from $0$ over all $\beta$ and $T$, unless "
        r"$(1+\beta\lambda)^T = \lambda^{-1}$ at every $s > 0$ for some $\beta$ and $T$, or $s > 0$ takes "
        r"just two values with $\lambda_1^{\lambda_2} = \lambda_2^{\lambda_1}$"
    ),
    definitions=(LETTERS, SUPPORT),
    assumptions=(
        INFINITE_CONTEXT,
        UNIT_LOSS,
        r"Weights are scalar: $W_V = \beta I$.",
        (
            "The collapse to predicting the mean belongs to $F^{(0)} = 0$ alone: from $F^{(0)} = X$ the "
            "floor may "
            "lie below the gap of linear self-attention."
        ),
    ),
    hypotheses=(NOT_ZERO, NOT_FITTED, NOT_FITTED_IN_THE_LIMIT, for_some_claims(BOUNDED), ONE_FACTOR),
    options=frozenset({"depth"}),
    default_depths=(1, 2, 3, 8, 64),
    max_depth=1024,
    depth_limits=(
        "depth 1024, in time that grows with depth save for atoms and for densities of $s$ with small "
        "integer exponents; the floor for all depths needs no depth"
    ),
    tables=list(_tables.SKIP_ABLATION),
)


@THEOREM.claim(
    "embedding_vanishes",
    r"$F^{(0)} = 0$: $F^{(T)} = 0, \quad \mathcal{E} = \mathbb{E}\Bigl[\frac{s}{\lambda}\Bigr]$",
    SYMBOLIC,
    argument=by_symbols("0 is kept by every layer").in_coq(in_coq.NO_SKIP_EMBEDDING),
    provenance=in_summary("Appendix F"),
)
def embedding_vanishes(run: Run, record: Record) -> None:
    r"""Without $W_S$ nothing feeds $F$: $F + W_V \Lambda F$ is 0 where $F$ is 0. So the prediction is 0 at
    every depth, with risk $\zeta^2$, the best constant; the sample mean of $L$ responses has risk
    $\zeta^2 (1 + 1/L)$, which tends to it.
    """
    derive(record, theory.attention.embedding_no_skip(0))
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.losses.sample_mean())
    record.summary = "induction on $T$, symbolic"


@THEOREM.claim(
    "floor_with_initial_embedding",
    r"$F^{(0)} = X$: $\min_\beta \mathbb{E}\bigl[s\lambda\bigl((1+\beta\lambda)^T - "
    r"\lambda^{-1}\bigr)^2\bigr] > 0$ at every depth asked for",
    ENCLOSURE,
    needs=AT_A_DEPTH,
    argument=by_prose("the least loss is between two ends, and bounded there by its second derivative"),
    provenance=DERIVED,
)
def floor_with_initial_embedding(run: Run, record: Record) -> None:
    r"""The loss is $A - 2B + C$, $A = \mathbb{E}[s \lambda z^{2T}]$, $B = \mathbb{E}[s z^T]$,
    $C = \mathbb{E}[s/\lambda]$, $z = 1 + \beta \lambda$.

    It rises with $\beta$ from $\beta = 0$ on, where $z \ge 1$, and falls up to $\beta = -2/\ell_1$, where
    $z \le -1$: on both sides $|z|^T \ge 1/\lambda$, and its derivative has the sign of $z$. Between,
    intervals of $\beta$ are halved until the bound on each, $\mathcal{E}(c) - |\mathcal{E}'(c)| r - r^2 \sup
    B''$ with centre $c$ and radius $r$, is within $1/1000$ of the least loss found: $A$ is convex, so only
    $B$ bends it downwards, and $\sup B''$ is attained at an end, $B''$ being convex in $\beta$ for even $T$
    and monotone for odd $T$.

    The excess is 0 at depth $T$ iff $(1 + \beta \lambda)^T = 1/\lambda$ at every value of $s > 0$. For two or
    more values, $\lambda_i z_j - \lambda_j z_i = \lambda_i - \lambda_j$, $z = 1 + \beta \lambda$, with $z^T$
    rational: an irrational real $z$ has the minimal polynomial $t^n - z^n$ and so trace 0, hence both $z$ are
    rational and every $\lambda$ is a $T$-th power of a rational number. That leaves finitely many $T$,
    decided exactly.
    """
    derive(record, theory.attention.embedding_no_skip(1))
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.losses.no_skip().derivation)
    derive(record, theory.no_skip.one_depth())
    rows, best = [], []
    for T in run.progress.track(run.settings.depths, "floors"):
        with_skip = certified(quantities.excess(run, T)[0])
        found = floor_at(run, T)
        number = certified((found.lower, found.upper), 6)
        statement = r"the bound on the excess over all $\beta$ is no larger than the excess attained"
        compare(record, ENCLOSURE, statement, found.lower, "<=", found.upper, bits=found.bits, case={"T": T})
        compare(
            record,
            ENCLOSURE,
            r"the least excess over all $\beta$ is positive",
            (found.lower, found.upper),
            ">",
            0,
            note=f"with skip ${brief(with_skip, 6)}$, without",
            bits=found.bits,
            case={"T": T},
        )
        rows.append([T, number.lower, number.upper, with_skip.upper])
        least = {"lower": number.lower, "upper": number.upper}
        best.append({"T": T, "beta": rounded(found.beta, 6), **least, "with_skip": with_skip})
    record.values["floors"] = best
    record.series["floor"] = Series(["T", "lower", "upper", "with_skip"], rows)
    last = best[-1]
    record.summary = f"at least ${brief(Fraction(str(last['lower'])), 4)}$ at $T = {last['T']}$"


@once_a_run
def floor_at(run: Run, T: int) -> Floor:
    """The least excess at depth T over all beta; the law is not fitted exactly there."""
    return numerics.no_skip.floor_at_depth.least_excess(run.expectation, T, run.settings.max_bits)


@THEOREM.claim(
    "floor_for_all_depths",
    r"$\inf_{T \ge 1} \min_\beta \mathbb{E}\bigl[s\lambda\bigl((1+\beta\lambda)^T - "
    r"\lambda^{-1}\bigr)^2\bigr] > 0$",
    ENCLOSURE,
    needs=AT_EVERY_DEPTH,
    argument=by_prose(r"groups of values that no $\beta$ and $T$ fit together"),
    provenance=DERIVED,
)
def floor_for_all_depths(run: Run, record: Record) -> None:
    r"""The loss is $\mathbb{E}[(s/\lambda)(\lambda z^T - 1)^2]$. Let $G_1$, $G_2$, ... be groups of values of
    $s$, and let the loss be below $F$. Every group then holds a value with $|\lambda z^T - 1| < e$,
    $e^2 = F/\mathbb{E}[s/\lambda; G]$: there $|z| = \exp(-L/T)$ with $L$ within $(\log \lambda - \log(1+e),
    \log \lambda - \log(1-e))$, and $z > 0$ if $T$ is odd. $L > 0$, so $|z| < 1$ and $\beta < 0$: $z$ falls
    with $\lambda$, through 0 where $\lambda = -1/\beta$.

    Take $\lambda_i < \lambda_j$. Both $z$ positive: $\lambda_j/\lambda_i = (1 - \exp(-L_j/T))/(1 -
    \exp(-L_i/T))$, which rises with $T$ to $L_j/L_i$. Only $z_j$ negative: $\lambda_j/\lambda_i = (1 +
    \exp(-L_j/T))/(1 - \exp(-L_i/T))$, which rises without bound. Both negative: $L_j < L_i$, against
    $\log \lambda_j > \log \lambda_i$. Where both are monotone in $T$, the values at the ends of a range of
    depths, infinity included, exclude all of it. So finitely many comparisons of balls exclude every $T$,
    every $\beta$, and the loss is at least $F$.

    The infimum is 0 only in the cases excepted. Let the excess tend to 0 along $(T_n, \beta_n)$. If $T_n$ has
    a bounded subsequence, so has $\beta_n$, and a limit fits exactly. Else $|z| \to 1$ at every $s > 0$:
    $\beta_n \to 0$, or $\beta_n \to -2/\lambda$ and there is one value. Then
    $T_n \beta_n \lambda \to -\log \lambda$: all values have one $(\log \lambda)/\lambda$, so they are two at
    most, as it rises up to $e$ and falls from there.
    """
    derive(record, theory.no_skip.all_depths())
    found = floor_for_all(run)
    spans = ", ".join(f"[${brief(group.low, 5)}$, ${brief(group.high, 5)}$]" for group in found.groups)
    record.check(
        ENCLOSURE,
        r"the groups cannot be fitted together, whatever $\beta$ and $T$ are",
        numerics.no_skip.floor_at_every_depth.recheck(run.law, found) or None,
        bits=numerics.no_skip.floor_at_every_depth.RECHECK_BITS,
        detail=f"$s$ in {spans}; {count(found.ranges, 'range')} of depths; floor ${brief(found.floor, 4)}$",
    )
    _consistent(run, record, found.floor, run.settings.depths)
    record.values["floor"] = certified((found.floor, found.floor), 6)
    record.values["groups"] = [[str(group.low), str(group.high)] for group in found.groups]
    record.summary = f"at least ${brief(found.floor, 4)}$ at every depth"


def _consistent(run: Run, record: Record, floor: Fraction, depths: Iterable[int]) -> None:
    """No larger than what is attained, T by T."""
    for T in depths:
        statement = "no larger than the excess attained at $T = {T}$"
        compare(record, ENCLOSURE, statement, floor, "<=", floor_at(run, T).upper, case={"T": T})


@once_a_run
def floor_for_all(run: Run) -> AllDepths:
    """The floor for all depths.  Raises NoConvergence."""
    return numerics.no_skip.floor_at_every_depth.floor_for_all_depths(run.law)


@THEOREM.claim(
    "skip_restores_optimality",
    r"$\mathcal{E}_T(\alpha_T) < \inf_{T' \ge 1} \min_\beta \mathcal{E}^{\mathrm{no\,skip}}_{T'}(\beta)$ "
    r"for all $T \ge T_1$",
    ENCLOSURE,
    needs=(*AT_EVERY_DEPTH, BOUNDED.id),
    uses=("floor_for_all_depths",),
    argument=by_prose(r"the bound $\mathbb{E}[s/\lambda] \kappa^{2T}$ falls below the floor"),
    provenance=DERIVED,
)
def skip_restores_optimality(run: Run, record: Record) -> None:
    r"""With the skip, $\mathcal{E}_T(\alpha_T) \le \mathbb{E}[s/\lambda] \kappa^{2T}$, $\kappa < 1$, which
    falls with $T$: from $T_1$ on it is below the floor for all depths. Before $T_1$ either may be the better,
    and no verdict is given there.
    """
    from flint import ctx

    derive(record, theory.limits.bayes_bound())
    floor = floor_for_all(run).floor
    constant, kappa = quantities.excess_of_zero(run), quantities.kappa(run)
    with ctx.workprec(numerics.one_parameter.rate.BOUND_BITS):
        level = numerics.arithmetic.balls.ball(floor)
    T1 = numerics.one_parameter.rate.depth_below(constant, kappa, level)
    bound = numerics.one_parameter.rate.geometric_bound(constant, kappa, T1)
    _below_floor(record, rf"$\mathbb{{E}}[s/\lambda] \kappa^{{2T}}$ at $T_1 = {T1}$", bound, (floor, floor))
    record.values["T1"] = T1
    _before(run, record, T1)
    record.summary = f"from $T_1 = {T1}$ on"


def _below_floor(record: Record, name: str, excess: arb, floor: tuple[Fraction, Fraction]) -> None:
    """The step "it is below the floor for all depths", which lies between these two."""
    compare(record, ENCLOSURE, f"{name} is below the floor", excess, "<", floor)


def _before(run: Run, record: Record, T1: int) -> None:
    """The depths asked for that come before T1: with and without skip, without a verdict."""
    rows = []
    for T in run.settings.depths:
        if T < T1:
            excess, without = quantities.excess(run, T)[0], floor_at(run, T)
            rows.append([T, certified(excess).upper, certified((without.lower, without.upper), 6).lower])
    record.series["before_T1"] = Series(["T", "with_skip", "without_skip"], rows)


THEOREM.figure(
    "excess",
    claim="floor_with_initial_embedding",
    series="floor",
    y=("lower", "upper"),
    curve="no_skip",
    caption="Without the skip connection, from $F^{(0)} = X$: triangles.",
    **EXCESS,
)
# Where theorem 6.2 was run too, its own is fuller.
THEOREM.figure(
    "excess",
    claim="floor_with_initial_embedding",
    series="floor",
    y=("with_skip", "with_skip"),
    curve="one_parameter",
    **EXCESS,
)


def _stays_above(run: Run) -> bool:
    return floor_at(run, FALL_DEPTH).lower >= FALL_LEVEL


@THEOREM.false_variant(
    "falls_below_a_thousandth",
    "floor_with_initial_embedding",
    r"$F^{(0)} = X$: $\min_\beta \mathcal{E}_{64}(\beta) < 10^{-3}$",
    witness="uniform(1, 4)",
    differs=_stays_above,
)
def falls_below_a_thousandth(run: Run, record: Record) -> None:
    """As if depth alone could do without the skip; true where the law is nearly constant."""
    found = floor_at(run, FALL_DEPTH)
    statement = f"the least excess at $T = {FALL_DEPTH}$ is below ${FALL_LEVEL}$"
    compare(record, ENCLOSURE, statement, (found.lower, found.upper), "<", FALL_LEVEL, bits=found.bits)


def _falls(run: Run) -> bool:
    return floor_at(run, FALL_DEPTH).upper < floor_at(run, 1).lower


@THEOREM.false_variant(
    "least_at_depth_one",
    "floor_for_all_depths",
    r"$\inf_{T \ge 1} \min_\beta \mathcal{E}_T(\beta) = \min_\beta \mathcal{E}_1(\beta)$",
    witness="uniform(1, 4)",
    differs=_falls,
)
def least_at_depth_one(run: Run, record: Record) -> None:
    """As if depth did nothing without the skip."""
    _consistent(run, record, floor_at(run, 1).lower, (FALL_DEPTH,))


def _better_at_depth_one(run: Run) -> bool:
    return bool(
        quantities.excess(run, 1)[0] >= numerics.arithmetic.balls.ball(floor_at(run, FALL_DEPTH).upper)
    )


@THEOREM.false_variant(
    "optimal_from_depth_one",
    "skip_restores_optimality",
    r"$\mathcal{E}_T(\alpha_T) < \inf_{T' \ge 1} \min_\beta \mathcal{E}^{\mathrm{no\,skip}}_{T'}(\beta)$ "
    r"for all $T \ge 1$",
    witness="uniform(1, 4)",
    differs=_better_at_depth_one,
)
def optimal_from_depth_one(run: Run, record: Record) -> None:
    """Depth 1 in place of T1."""
    floor = floor_for_all(run).floor, floor_at(run, FALL_DEPTH).upper
    _below_floor(record, "the excess with skip at $T = 1$", quantities.excess(run, 1)[0], floor)


@THEOREM.false_variant(
    "sample_mean_is_best",
    "embedding_vanishes",
    r"the sample mean has risk $\zeta^2$",
    witness="uniform(1, 4)",
)
def sample_mean_is_best(run: Run, record: Record) -> None:
    """The limit in place of the risk at a finite L."""
    from theory.symbols import zeta

    derive(record, theory.losses.sample_mean(zeta**2))


@THEOREM.false_variant(
    "one_layer_less",
    "floor_with_initial_embedding",
    r"$\mathcal{E}_T(\beta) = \mathbb{E}\bigl[s\lambda\bigl((1+\beta\lambda)^{T-1} - "
    r"\lambda^{-1}\bigr)^2\bigr]$",
    witness="uniform(1, 4)",
)
def one_layer_less(run: Run, record: Record) -> None:
    """The start F^0 = X counted as a layer."""
    from theory.symbols import T, beta, lam, s

    derive(record, theory.losses.no_skip(s * lam * ((1 + beta * lam) ** (T - 1) - 1 / lam) ** 2).derivation)


@THEOREM.false_variant(
    "collapse_from_any_start",
    "floor_with_initial_embedding",
    "$F^{(0)} = X$: $F^{(T)} = 0$",
    witness="uniform(1, 4)",
)
def collapse_from_any_start(run: Run, record: Record) -> None:
    """The collapse of F^0 = 0, stated for F^0 = X."""
    from sympy import Integer

    derive(record, theory.attention.embedding_no_skip(1, Integer(0)))


@THEOREM.claim(
    "finite_context",
    r"$F^{(0)} = 0$: risk $\zeta^2$; the sample mean: $\zeta^2 \bigl(1 + \tfrac{1}{L}\bigr)$",
    STATISTICAL,
    needs=(ONE_FACTOR.id,),
    option="statistical",
    argument=by_prose("the sample mean is independent of the query"),
    provenance=DERIVED,
)
def finite_context_risk(run: Run, record: Record) -> None:
    r"""Without skip $F^{(t)} = W_V \frac{1}{L} \sum x x^\top F^{(t-1)}$ stays at $F^{(0)} = 0$: the
    prediction is 0, the mean of $y$, and its excess $w^\top \Lambda w = \zeta^2 s/\lambda$.

    The sample mean is independent of the query, so its risk is $\mathbb{E}\,y^2 + \mathbb{E}\,\bar y^2 =
    \zeta^2 + \zeta^2/L$.
    """
    finite_context.without_skip(run, record)


@THEOREM.false_variant(
    "free_sample_mean",
    "finite_context",
    r"the sample mean has the risk $\zeta^2$",
    witness="uniform(1, 4)",
)
def free_sample_mean(run: Run, record: Record) -> None:
    """The mean of L responses taken for their expectation."""
    finite_context.without_skip(run, record, false=True)
