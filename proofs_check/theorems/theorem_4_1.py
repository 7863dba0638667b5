r"""Theorem 4.1: a single layer of linear self-attention stays above the Bayes risk.

The layer has value row (p^T, c) and key-query block [K; k^T].  For m isotropic its best
weights are c K^T = c I, c = E s/E[s lam], and its risk is above the Bayes risk unless s is
constant on {s > 0}.  For two isotropic independent modalities the best matrix is
diag(a I, b I), and the same holds.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import DERIVED, Hypothesis, Record, Theorem, by_prose, by_symbols, in_summary
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import (
    ENCLOSURE,
    EXACT,
    NUMERIC,
    STATISTICAL,
    SYMBOLIC,
    brief,
    certified,
    derive,
)
from proofs_check.engine.hypotheses import INFINITE_CONTEXT, LETTERS, NOT_ZERO, ONE_FACTOR, VARIES
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _in_coq as in_coq
from proofs_check.theorems import _single_layer as single_layer
from proofs_check.theorems import _tables
from proofs_check.theorems._figures import EXCESS
from proofs_check.theorems._theorem_4_1_twins import TWINS
from reports.results import Series

if TYPE_CHECKING:
    pass

FAMILY = tuple(Fraction(k, 16) for k in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16))


def _second_moment(run: Run) -> tuple[bool, str]:
    # Every family has all moments; one without them would raise here.
    square = run.expectation.moment(2)
    return bool(square >= 0), rf"$\mathbb{{E}}\,s^2 = {brief(square)}$"


def _two_modalities(run: Run) -> tuple[bool, str]:
    if run.law.modalities is not None:
        return True, f"{len(run.law.modalities)} laws are given"
    given = (
        "one law is given: $m$ is" if run.law.factors == 1 else f"{run.law.factors} factors are given: $M$ is"
    )
    return False, f"{given} isotropic, the best $M$ is $c I$"


def _at_most_two(run: Run) -> tuple[bool, str]:
    count = len(run.law.modalities or (run.law,))
    return count <= 2, f"{count} block{'s' * (count > 1)}; the search in two dimensions has room for two"


SECOND_MOMENT = Hypothesis(
    "second_moment",
    r"$\mathbb{E} s^2 < \infty$",
    _second_moment,
    condition=r"with $\mathbb{E}\,s^2 < \infty$",
    of_bounded=True,
)
TWO_MODALITIES = Hypothesis(
    "two_modalities",
    r"$v_1$, $v_2$, $\dots$ isotropic and independent",
    _two_modalities,
    decisive=False,
    condition="of two modalities or more",
)
AT_MOST_TWO = Hypothesis(
    "at_most_two_modalities",
    r"$K \le 2$ modalities",
    _at_most_two,
    decisive=False,
    condition="of at most two modalities",
)
BOTH = (VARIES.id, SECOND_MOMENT.id)

THEOREM = Theorem(
    name="theorem_4_1",
    title="Single-layer linear self-attention does not reach the Bayes risk",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 4.1",
    provenance=in_summary("Theorem 4.1"),
    statement=(
        r"$\min_{p, c, K, k} R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] > 0$ unless "
        r"$\|m\|$ is constant on $\{m \ne 0\}$"
    ),
    definitions=(LETTERS,),
    assumptions=(
        "One law given: $m$ is isotropic. Several (`--modalities`): its blocks are, and independent.",
        (
            "Several factors (`--factor`): $M$ and $Q M$ have one law for every orthogonal $Q$, so that "
            r"by convexity and averaging over $Q$ the best matrix is scalar; $\zeta$ is independent of "
            r"$M$, $\mathbb{E}\,\zeta \zeta^\top = c I$."
        ),
        INFINITE_CONTEXT,
        r"$m$ and $-m$ have one law, which isotropy gives, or $\zeta$ and $-\zeta$ have.",
        (
            r"$\mathbb{E}\,\zeta^2 > 0$, $\zeta$ independent of $m$; risks are per unit "
            r"$\mathbb{E}\,\zeta^2$."
        ),
    ),
    hypotheses=(NOT_ZERO, VARIES, SECOND_MOMENT, TWO_MODALITIES, AT_MOST_TWO, ONE_FACTOR),
    tables=list(_tables.THEOREM_4_1),
)


@THEOREM.claim(
    "prediction_limit",
    r"$\hat y_q \to \bigl(p^\top\Lambda K + \zeta p^\top m k^\top + c \zeta m^\top K + c \zeta^2 "
    r"k^\top\bigr) x_q$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    argument=by_symbols("the limit of the context's second moments, multiplied out"),
    provenance=DERIVED,
)
def prediction_limit(run: Run, record: Record) -> None:
    r"""$(1/L) \sum e_i e_i^\top$ tends to $\mathbb{E}[e e^\top | m, \zeta]$, $e = [x; y]$, by the law of
    large numbers; its blocks are $\Lambda$, $\zeta m$ and $\zeta^2$. The row
    $(p^\top, c) \mathbb{E}[e e^\top] [K; k^\top]$ is multiplied out.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.attention.lsa_prediction())
    record.summary = "any $d$, symbolic"


@THEOREM.claim(
    "population_risk",
    r"$\mathbb{E}\bigl[(Mm - \tfrac{m}{\lambda})^\top \Lambda (Mm - \tfrac{m}{\lambda})\bigr]$; "
    r"$c = \frac{\mathbb{E} s}{\mathbb{E}[s\lambda]}$, $R_{\mathrm{LSA}} = 1 - \frac{(\mathbb{E} "
    r"s)^2}{\mathbb{E}[s\lambda]}$ for isotropic $m$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    cites=("prediction_limit",),
    argument=by_symbols("a Gaussian second moment, and convexity in $M$").in_coq(in_coq.BEST_SCALAR),
    provenance=DERIVED,
)
def population_risk(run: Run, record: Record) -> None:
    r"""With $p = 0$, $k = 0$ the prediction is $\zeta (M m)^\top x_q$, $M = c K^\top$; its risk is a Gaussian
    second moment.

    The excess is convex in $M$. Isotropy makes $\mathbb{E}[f(s) m m^\top] = (\mathbb{E}[s f(s)]/d) I$, so the
    gradient at $c I$ is $(2/d) (c \mathbb{E}[s \lambda] - \mathbb{E}\,s) I$: the best $M$ is $c I$ with
    $c = \mathbb{E}\,s/\mathbb{E}[s \lambda]$. Entry by entry for $d = 1$, 2, 3.
    """
    derive(record, theory.gaussian.isserlis_rule())
    derive(record, theory.losses.lsa().derivation)
    derive(record, theory.modalities.isotropic_optimum())
    single_layer.scalar_risk(record)
    record.summary = r"$1 - (\mathbb{E}\,s)^2/\mathbb{E}[s \lambda]$ for isotropic $m$"


@THEOREM.claim(
    "gap_identity",
    r"$R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] = \frac{1}{2 \mathbb{E}[s\lambda]} "
    r"\mathbb{E}\mathbb{E}' \frac{s s' (s - s')^2}{\lambda \lambda'}$",
    SYMBOLIC,
    argument=by_symbols("Lagrange's identity").in_coq(in_coq.GAP_IDENTITY),
    provenance=DERIVED,
)
def gap_identity(run: Run, record: Record) -> None:
    r"""$s'$ is an independent copy of $s$. As $\lambda - \lambda' = s - s'$, the integrand is $s \lambda
    (s'/\lambda') + (s/\lambda) s' \lambda' - 2 s s'$, whose expectation is $2 (\mathbb{E}[s \lambda]
    \mathbb{E}[s/\lambda] - (\mathbb{E}\,s)^2)$ by independence: Lagrange's identity. And
    $\mathbb{E}[s/\lambda] = 1 - \mathbb{E}[1/\lambda]$.
    """
    derive(record, theory.gap.lagrange())
    derive(record, theory.gap.in_moments().derivation)
    record.summary = "Lagrange's identity, any law"


@THEOREM.claim(
    "gap_positive",
    r"$\min_M R(M) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] > 0$",
    ENCLOSURE,
    needs=BOTH,
    cites=("gap_identity",),
    argument=by_prose("the integrand of the double expectation is positive unless $s = s'$").in_coq(
        in_coq.GAP_POSITIVE
    ),
    provenance=in_summary("Theorem 4.1"),
)
def gap_positive(run: Run, record: Record) -> None:
    r"""The risk is convex in the weights of $M$, with rational moments of the law: the best $M$ is where its
    derivatives vanish, exactly. $\mathbb{E}[1/\lambda]$ is a fraction for a few atoms, else a ball, narrowed
    until the difference has 15 digits.

    The double expectation, written in $\mathbb{E}[s^i/\lambda]$, gives the gap of the best scalar without
    that difference; for two modalities the rational amount that $\operatorname{diag}(a I, b I)$ gains is
    taken off.
    """
    layer = single_layer.layer(run)
    best, matrix = layer.best, single_layer.matrix_name(run)
    single_layer.check_equal(
        record,
        f"the risk of the best {matrix}, by its formula and from its weights",
        [numerics.self_attention.best_layer.layer(layer.blocks, best.weights).risk],
        [best.risk],
        detail=f"${brief(best.risk)}$",
        values=single_layer.scalar_valued(run),
    )
    slopes = numerics.self_attention.best_layer.slopes(layer.blocks, best.weights)
    single_layer.check_equal(
        record,
        "its derivative in the weights is 0",
        slopes,
        [0 * slope for slope in slopes],
        detail=f"weights {', '.join(f'${brief(weight)}$' for weight in best.weights)}",
    )
    single_layer.compare_gap(record, "the gap is positive", layer.gap, ">")
    single_layer.same_gap(record, "the double expectation is the same", layer.gap, layer.double_expectation)
    record.values.update(
        gap=certified(layer.gap.value),
        bayes_risk=certified(layer.bayes.value),
        lsa_risk=certified(best.risk),
        c=certified(layer.scalar.weights[0]),
    )
    record.summary = f"gap $= {brief(layer.gap.value, 8)}$, {matrix}"


@THEOREM.claim(
    "sharp_condition",
    r"the gap is $0$ iff $s$ is constant on $\{s > 0\}$",
    EXACT,
    needs=(SECOND_MOMENT.id,),
    cites=("gap_identity",),
    argument=by_prose("independent copies agree only where $s$ is constant").in_coq(in_coq.SHARP_CONDITION),
    provenance=DERIVED,
)
def sharp_condition(run: Run, record: Record) -> None:
    r"""The integrand $s s' (s - s')^2/(\lambda \lambda')$ is non-negative, and 0 only where $s = 0$, $s' = 0$
    or $s = s'$. So the gap is 0 iff independent copies agree on $\{s, s' > 0\}$, that is iff $s$ is constant
    there.

    Two modalities: the excess at a prompt is a sum of squares, 0 iff $a = 1/\lambda$ or $p = 0$, and
    $b = 1/\lambda$ or $q = 0$. If $p$ and $q$ both are positive with positive probability, $p + q$ is
    constant on $\{p > 0\}$, where $q$ has its whole law: $q$ is constant, and $p$ in the same way. If one is
    0, $s$ is the other.

    Without isotropy it fails: for $m$ in $\{e_1, 2 e_2\}$ a diagonal $M$ has no excess.
    """
    derive(record, theory.gap.equality_case())
    if run.law.modalities is not None:
        single_layer.equality_case(run, record)
    derive(record, theory.modalities.without_isotropy())
    constant = sum(single_layer.layer(run).family.constants, Fraction(0))
    found = single_layer.layer(run).gap_at(Fraction(0))
    single_layer.compare_gap(record, f"the gap at $s = {brief(constant)}$ is 0", found, "=")
    if numerics.self_attention.best_layer.is_exact(run.law):
        gap = single_layer.layer(run).gap
        statement = f"the gap of this law is {'' if run.law.is_constant else 'not '}0"
        single_layer.compare_gap(record, statement, gap, "=" if run.law.is_constant else ">")
    record.summary = f"gap $= {brief(found.value)}$ at $s = {brief(constant, 6)}$"


@THEOREM.claim(
    "modalities",
    r"$(\mathbb{E}p + \mathbb{E}p^2)\, a + \mathbb{E}p\, \mathbb{E}q\, b = \mathbb{E}p, \quad "
    r"\mathbb{E}p\, \mathbb{E}q\, a + (\mathbb{E}q + \mathbb{E}q^2)\, b = \mathbb{E}q, \quad "
    r"\mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] < R(\operatorname{diag}(aI, bI)) \le R(cI)$",
    ENCLOSURE,
    needs=(*BOTH, TWO_MODALITIES.id),
    argument=by_prose("convexity: the normal equations are those of the best $M$"),
    provenance=DERIVED,
)
def modalities(run: Run, record: Record) -> None:
    r"""The excess is convex in $M$. For $v$, $r$ isotropic and independent its gradient at
    $\operatorname{diag}(a I, b I)$ is block scalar, and vanishes where the normal equations hold: that $M$ is
    the best. $c I$ is the case $a = b$. For $K$ modalities
    $M = \operatorname{diag}(a_1 I, \dots, a_K I)$, with $K$ equations of that form.

    The weight of a modality that is almost surely 0 is free, and is given as that of another.
    """
    single_layer.derive_best(run, record)
    layer = single_layer.layer(run)
    best, gained = layer.best, layer.gained
    single_layer.normal_equations(run, record, best.weights)
    single_layer.check_gain(record, "at least as good as the best scalar", gained)
    single_layer.compare_gap(record, "still above the Bayes risk", layer.gap, ">")
    record.values.update(
        a=certified(best.weights[0]),
        b=certified(best.weights[1]),
        gap=certified(layer.gap.value),
        scalar_gap=certified(layer.above_bayes(layer.scalar).value),
    )
    record.values["weights"] = [certified(weight) for weight in best.weights]
    record.summary = ", ".join(
        f"${name} = {brief(weight, 6)}$"
        for name, weight in zip("abcdefghijklmnop", best.weights, strict=False)
    )


@THEOREM.claim(
    "gap_family",
    r"the gap for $\|m\|^2$, or for $\|v\|^2$ and $\|r\|^2$ independently, of law "
    r"$(1-t)\,\delta_{\text{its mean}} + t\,P$: $0$ at $t = 0$, positive wherever $s$ is not constant on "
    r"$\{s > 0\}$",
    ENCLOSURE,
    needs=(SECOND_MOMENT.id,),
    cites=("sharp_condition",),
    argument=by_prose(r"the gap is 0 only where $s$ is constant on $\{s > 0\}$"),
    provenance=DERIVED,
)
def gap_family(run: Run, record: Record) -> None:
    r"""With probability $1 - t$ the squared norm of a block of $m$ is its mean, else it is drawn from its law
    $P$. $m$ is one block; modalities are one each, which keeps them independent: $s$ is not mixed as a whole.

    The mean stays, the variance is $t$ times that of $P$, and $\mathbb{E}[1/\lambda]$ is a combination of the
    expectations over the constant and the given laws. Where the mean is not rational, the constant is a
    rational number near it; its gap is 0 all the same. Nothing is claimed about growth.
    """
    rows, gaps = [], []
    for t in run.progress.track(FAMILY, "gaps"):
        found, constant = single_layer.layer(run).gap_at(t), single_layer.layer(run).family.is_constant(t)
        statement = f"the gap at $t = {{t}}$ is {'0' if constant else 'positive'}"
        single_layer.compare_gap(record, statement, found, "=" if constant else ">", case={"t": t})
        number = certified(found.value)
        rows.append([float(t), number.lower, number.upper])
        gaps.append((Fraction(number.lower), Fraction(number.upper)))
    record.series["gap_family"] = Series(["parameter", "gap_lower", "gap_upper"], rows)
    record.values["increases_along_the_family"] = all(
        earlier[1] < later[0] for earlier, later in itertools.pairwise(gaps)
    )
    record.summary = f"${brief(gaps[0][0], 6)}$ at $t = 0$, ${brief(gaps[-1][0], 6)}$ at $t = 1$"


@THEOREM.claim(
    "no_parameter_helps",
    r"$\min_{p, c, K, k} R_{\mathrm{LSA}} = \min_M R(M)$",
    NUMERIC,
    needs=(NOT_ZERO.id, SECOND_MOMENT.id, ONE_FACTOR.id, AT_MOST_TWO.id),
    cites=("prediction_limit", "population_risk"),
    argument=by_prose("the part of the predictor that is even in $m$ only adds error"),
    provenance=DERIVED,
)
def no_parameter_helps(run: Run, record: Record) -> None:
    r"""If $m$ and $-m$ have one law, the part of the row that is even in $m$ is uncorrelated with the rest
    and with the target: it only adds error. The odd part is $\zeta m^\top (p k^\top + c K)$, a matrix times
    $m$, and no matrix is better than the best $M$.

    A search over all nine parameters in $d = 2$ has to agree. The law of $s$ is replaced by its Gauss rule;
    $m$ has the directions of a regular octagon, whose moments are those of a uniform direction up to degree 7
    (the risk has degree 6 in $m$), or with two modalities independent signs, $d = (1, 1)$. The optimum of
    that law is a fraction, and the risk where a search ends is enclosed.
    """
    found = single_layer.search(run)
    derive(record, theory.attention.parity())
    single_layer.floor(record, found, found.optimum)
    near = sum(map(single_layer.is_near, found.less(found.optimum)))
    record.values.update(
        discretised_law=list(single_layer.discretised(run).texts),
        optimum=certified(found.optimum),
        searches=single_layer.STARTS,
        searches_at_optimum=near,
    )
    record.summary = f"{near} of {single_layer.STARTS} searches end within $10^{{-8}}$ of the optimum"


@THEOREM.claim(
    "unimodal_contrast",
    r"$\Lambda$ fixed: $c = 1,\ K = \Lambda^{-1},\ p = k = 0$ predicts $w^\top x_q$",
    SYMBOLIC,
    needs=(ONE_FACTOR.id,),
    cites=("prediction_limit",),
    argument=by_symbols(r"the layer can hold $\Lambda^{-1}$"),
    provenance=in_summary("", "the contrast with one modality; its number is not known"),
)
def unimodal_contrast(run: Run, record: Record) -> None:
    r"""If every prompt has the same $\Lambda$, the layer can hold its inverse:
    $\mathbb{E}[y x]^\top \Lambda^{-1} = w^\top$, the Bayes predictor. The gap is due to the covariance that
    changes with the prompt.
    """
    derive(record, theory.modalities.unimodal())
    record.summary = r"the layer holds $\Lambda^{-1}$"


@THEOREM.claim(
    "finite_context",
    r"$R_{\mathrm{LSA}}(L) = R_{\mathrm{LSA}} + \frac{1}{L} \mathbb{E}\,\mathrm{tr}\bigl(M \Lambda M "
    r"(\Lambda + m m^\top)\bigr)$",
    STATISTICAL,
    needs=(NOT_ZERO.id, ONE_FACTOR.id),
    option="statistical",
    argument=by_prose("the covariance of $b$ at context $L$, exactly"),
    provenance=DERIVED,
)
def finite_context_risk(run: Run, record: Record) -> None:
    r"""The layer predicts $b^\top M x_q$ with $b = (1/L)$ sum $y x$. Given $m$ and $\zeta = 1$,
    $\mathbb{E}\,b = m$ and $\operatorname{Cov} b = (\Lambda + m m^\top)/L$, so that the risk exceeds its
    limit by tr($M \Lambda M (\Lambda + m m^\top)$)$/L$, exactly: above the Bayes risk by the gap and more at
    every $L$.

    Sampled at the weights that are best for $L \to \infty$.
    """
    finite_context.layer(run, record)


THEOREM.figure(
    "excess",
    claim="gap_positive",
    y="gap",
    curve="lsa",
    caption="The dotted level is the best single-layer LSA.",
    **EXCESS | {"kind": "level"},
)
THEOREM.figure(
    "gap-family",
    claim="gap_family",
    series="gap_family",
    kind="intervals",
    x="parameter",
    y=("gap_lower", "gap_upper"),
    curve="gap",
    label="single-layer LSA",
    x_label="parameter of the family (0: constant norm)",
    y_label="LSA risk $-$ Bayes risk",
    heading="The best LSA risk less the Bayes risk along a family of laws.",
    caption="Zero where the norm is constant, positive elsewhere; no growth is claimed.",
)
THEOREM.false_variants.extend(TWINS)
