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
from proofs_check.engine.claims import Hypothesis, Record, Theorem
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
from proofs_check.engine.hypotheses import INFINITE_CONTEXT, NOT_ZERO, VARIES
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _quantities as quantities
from reports.results import Series

if TYPE_CHECKING:
    from flint import arb
    from sympy import Expr

    from numerics.laws import Law
    from numerics.self_attention.best_layer import Enclosed, SingleLayer
    from numerics.self_attention.full_family import Search

FAMILY = tuple(Fraction(k, 16) for k in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16))
STARTS = 24
NODES = 4
NODES_OF_A_MODALITY = 3
NEAR = Fraction(1, 10**8)
ROUNDING = Fraction(1, 10**30)


def _second_moment(run: Run) -> tuple[bool, str]:
    # Every family has all moments; one without them would raise here.
    square = run.law.moment(2)
    return square >= 0, f"E s^2 = {brief(square)}"


def _two_modalities(run: Run) -> tuple[bool, str]:
    given = run.law.modalities is not None
    return given, "two laws are given" if given else "one law is given: m is isotropic, the best M is c I"


SECOND_MOMENT = Hypothesis("second_moment", r"\mathbb{E}\, s^2 < \infty", _second_moment)
TWO_MODALITIES = Hypothesis(
    "two_modalities", r"v, r \text{ isotropic and independent}", _two_modalities, decisive=False
)
BOTH = (VARIES.id, SECOND_MOMENT.id)

THEOREM = Theorem(
    name="theorem_4_1",
    title="Single-layer linear self-attention does not reach the Bayes risk",
    source="Barnfield, Sen and Sur, arXiv 2602.04872, Theorem 4.1",
    statement=(
        r"\min_{p, c, K, k} R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] > 0 "
        r"\text{ unless } \|m\| \text{ is constant on } \{m \ne 0\}"
    ),
    assumptions=(
        "One law given: m is isotropic.  Two (`--modalities`): v and r are isotropic and independent.",
        INFINITE_CONTEXT,
        "m and -m have one law, which isotropy gives, or zeta and -zeta have.",
        "E zeta^2 > 0, zeta independent of m; risks are per unit E zeta^2.",
    ),
    hypotheses=(NOT_ZERO, VARIES, SECOND_MOMENT, TWO_MODALITIES),
)


def _layer(run: Run) -> SingleLayer:
    return run.remember(
        "single_layer",
        lambda: numerics.self_attention.best_layer.SingleLayer(
            quantities.expectation(run), run.settings.max_bits
        ),
    )


def _check_gap(record: Record, statement: str, gap: Enclosed, holds: bool | None, detail: str = "") -> None:
    kind = EXACT if gap.is_exact else ENCLOSURE
    record.check(kind, statement, holds, bits=gap.bits, detail=detail or brief(gap.value))


@THEOREM.claim(
    "prediction_limit",
    r"\hat y_q \to \bigl(p^{\top}\Lambda K + \zeta p^{\top} m k^{\top} + c \zeta m^{\top} K "
    r"+ c \zeta^2 k^{\top}\bigr) x_q",
    SYMBOLIC,
)
def prediction_limit(run: Run, record: Record) -> None:
    """(1/L) sum e_i e_i^T tends to E[e e^T | m, zeta], e = [x; y], by the law of large numbers; its blocks
    are Lambda, zeta m and zeta^2.  The row (p^T, c) E[e e^T] [K; k^T] is multiplied out.
    """
    derive(record, theory.attention.lsa_prediction())
    record.figure = "any d, symbolic"


@THEOREM.claim(
    "population_risk",
    r"\mathbb{E}\bigl[(Mm - \tfrac{m}{\lambda})^{\top} \Lambda (Mm - \tfrac{m}{\lambda})\bigr]; \quad "
    r"c = \frac{\mathbb{E} s}{\mathbb{E}[s\lambda]}, \quad "
    r"R_{\mathrm{LSA}} = 1 - \frac{(\mathbb{E} s)^2}{\mathbb{E}[s\lambda]} \text{ for isotropic } m",
    SYMBOLIC,
)
def population_risk(run: Run, record: Record) -> None:
    """With p = 0, k = 0 the prediction is zeta (M m)^T x_q, M = c K^T; its risk is a Gaussian second moment.

    The excess is convex in M.  Isotropy makes E[f(s) m m^T] = (E[s f(s)]/d) I, so the gradient at c I is
    (2/d) (c E[s lam] - E s) I: the best M is c I with c = E s/E[s lam].  Entry by entry for d = 1, 2, 3.
    """
    derive(record, theory.losses.lsa().derivation)
    derive(record, theory.modalities.isotropic_optimum())
    scalar_risk(record)
    record.figure = "1 - (E s)^2/E[s lam] for isotropic m"


def scalar_risk(record: Record, claimed: Expr | None = None) -> None:
    """Best c and its risk.  `claimed`: the risk in E_s and E_slam."""
    derive(record, theory.gap.scalar(claimed).derivation)


@THEOREM.claim(
    "gap_identity",
    r"R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] = \frac{1}{2 \mathbb{E}[s\lambda]} "
    r"\mathbb{E}\mathbb{E}' \frac{s s' (s - s')^2}{\lambda \lambda'}",
    SYMBOLIC,
)
def gap_identity(run: Run, record: Record) -> None:
    """s' is an independent copy of s.  As lam - lam' = s - s', the integrand is
    s lam (s'/lam') + (s/lam) s' lam' - 2 s s', whose expectation is 2 (E[s lam] E[s/lam] - (E s)^2)
    by independence: Lagrange's identity.  And E[s/lam] = 1 - E[1/lam].
    """
    derive(record, theory.gap.lagrange())
    derive(record, theory.gap.in_moments().derivation)
    record.figure = "Lagrange's identity, any law"


@THEOREM.claim(
    "gap_positive",
    r"\min_M R(M) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] > 0",
    ENCLOSURE,
    needs=BOTH,
)
def gap_positive(run: Run, record: Record) -> None:
    """The risk is convex in the weights of M, with rational moments of the law: the best M is where its
    derivatives vanish, exactly.  E[1/lam] is a fraction for a few atoms, else a ball, narrowed until the
    difference has 15 digits.

    The double expectation, written in E[s^i/lam], gives the gap of the best scalar without that
    difference; for two modalities the rational amount that diag(a I, b I) gains is taken off.
    """
    layer = _layer(run)
    best, matrix = layer.best, "M = c I" if run.law.modalities is None else "M = diag(a I, b I)"
    record.check(
        EXACT,
        f"the risk of the best {matrix}, by its formula and from its weights",
        numerics.self_attention.best_layer.layer(layer.blocks, best.weights).risk == best.risk,
        detail=brief(best.risk),
    )
    slopes = numerics.self_attention.best_layer.slopes(layer.blocks, best.weights)
    record.check(
        EXACT,
        "its derivative in the weights is 0",
        not any(slopes),
        detail=f"weights {', '.join(map(brief, best.weights))}",
    )
    _check_gap(record, "the gap is positive", layer.gap, layer.gap.is_positive)
    second = layer.double_expectation
    _check_gap(record, "the double expectation is the same", second, layer.gap.overlaps(second))
    record.values.update(
        gap=certified(layer.gap.value),
        bayes_risk=certified(layer.bayes.value),
        lsa_risk=certified(best.risk),
        c=certified(layer.scalar.weights[0]),
    )
    record.figure = f"gap = {brief(layer.gap.value, 8)}, {matrix}"


@THEOREM.claim(
    "sharp_condition",
    r"\text{the gap is } 0 \text{ iff } s \text{ is constant on } \{s > 0\}",
    EXACT,
    needs=(SECOND_MOMENT.id,),
)
def sharp_condition(run: Run, record: Record) -> None:
    """The integrand s s' (s - s')^2/(lam lam') is non-negative, and 0 only where s = 0, s' = 0 or s = s'.
    So the gap is 0 iff independent copies agree on {s, s' > 0}, that is iff s is constant there.

    Two modalities: the excess at a prompt is a sum of squares, 0 iff a = 1/lam or p = 0, and b = 1/lam or
    q = 0.  If p and q both are positive with positive probability, p + q is constant on {p > 0}, where q
    has its whole law: q is constant, and p in the same way.  If one is 0, s is the other.

    Without isotropy it fails: for m in {e_1, 2 e_2} a diagonal M has no excess.
    """
    derive(record, theory.gap.equality_case())
    if run.law.modalities is not None:
        derive(record, theory.modalities.equality_case())
    derive(record, theory.modalities.without_isotropy())
    found = _layer(run).gap_at(Fraction(0))
    _check_gap(record, f"the gap at s = {brief(run.law.mean)} is 0", found, found.is_zero)
    if numerics.self_attention.best_layer.is_exact(run.law):
        gap = _layer(run).gap
        statement = f"the gap of this law is {'' if run.law.is_constant else 'not '}0"
        _check_gap(record, statement, gap, gap.is_zero is run.law.is_constant)
    record.figure = f"gap = {brief(found.value)} at s = {brief(run.law.mean, 6)}"


@THEOREM.claim(
    "modalities",
    r"(\mathbb{E}p + \mathbb{E}p^2)\, a + \mathbb{E}p\, \mathbb{E}q\, b = \mathbb{E}p, \quad "
    r"\mathbb{E}p\, \mathbb{E}q\, a + (\mathbb{E}q + \mathbb{E}q^2)\, b = \mathbb{E}q, \quad "
    r"\mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] < R(\operatorname{diag}(aI, bI)) \le R(cI)",
    ENCLOSURE,
    needs=(*BOTH, TWO_MODALITIES.id),
)
def modalities(run: Run, record: Record) -> None:
    """The excess is convex in M.  For v, r isotropic and independent its gradient at diag(a I, b I) is
    block scalar, and vanishes where the normal equations hold: that M is the best.  c I is the case a = b.

    The weight of a modality that is almost surely 0 is free, and is given as that of the other.
    """
    derive(record, theory.modalities.two_modalities().derivation)
    layer = _layer(run)
    best, gained = layer.best, layer.scalar.risk - layer.best.risk
    normal_equations(run, record, best.weights)
    record.check(EXACT, "at least as good as the best scalar", gained >= 0, detail=f"by {brief(gained)}")
    _check_gap(record, "still above the Bayes risk", layer.gap, layer.gap.is_positive)
    record.values.update(
        a=certified(best.weights[0]),
        b=certified(best.weights[1]),
        gap=certified(layer.gap.value),
        scalar_gap=certified(layer.above_bayes(layer.scalar).value),
    )
    record.figure = f"a = {brief(best.weights[0], 6)}, b = {brief(best.weights[1], 6)}"


def normal_equations(run: Run, record: Record, weights: tuple[Fraction, ...]) -> None:
    """The step "these weights solve the normal equations", exactly."""
    (mean_p, square_p), (mean_q, square_q) = _layer(run).blocks
    a, b = weights
    first = (mean_p + square_p) * a + mean_p * mean_q * b - mean_p
    second = mean_p * mean_q * a + (mean_q + square_q) * b - mean_q
    record.check(
        EXACT,
        "the normal equations hold",
        first == second == 0,
        detail=f"a = {brief(a)}, b = {brief(b)}, residuals {brief(first)}, {brief(second)}",
    )


@THEOREM.claim(
    "gap_family",
    r"\text{the gap for } \|m\|^2 \text{, or for } \|v\|^2 \text{ and } \|r\|^2 \text{ independently, "
    r"of law } (1-t)\,\delta_{\text{its mean}} + t\,P: "
    r"0 \text{ at } t = 0, \text{ positive wherever } s \text{ is not constant on } \{s > 0\}",
    ENCLOSURE,
    needs=(SECOND_MOMENT.id,),
)
def gap_family(run: Run, record: Record) -> None:
    """With probability 1 - t the squared norm of a block of m is its mean, else it is drawn from its law P.
    m is one block; two modalities are two, which keeps v and r independent: s is not mixed as a whole.

    The mean stays, the variance is t times that of P, and E[1/lam] is a combination of the expectations
    over the constant and the given laws: exact for every kind of law.  Nothing is claimed about growth.
    """
    rows, gaps = [], []
    for t in run.progress.track(FAMILY, "gaps"):
        found, constant = _layer(run).gap_at(t), _layer(run).family.is_constant(t)
        holds = found.is_zero if constant else found.is_positive
        _check_gap(record, f"the gap at t = {t} is {'0' if constant else 'positive'}", found, holds)
        number = certified(found.value)
        rows.append([float(t), number.lower, number.upper])
        gaps.append((Fraction(number.lower), Fraction(number.upper)))
    record.series["gap_family"] = Series(["parameter", "gap_lower", "gap_upper"], rows)
    record.values["increases_along_the_family"] = all(
        earlier[1] < later[0] for earlier, later in itertools.pairwise(gaps)
    )
    record.figure = f"{brief(gaps[0][0], 6)} at t = 0, {brief(gaps[-1][0], 6)} at t = 1"


@THEOREM.claim(
    "no_parameter_helps",
    r"\min_{p, c, K, k} R_{\mathrm{LSA}} = \min_M R(M)",
    NUMERIC,
    needs=(NOT_ZERO.id, SECOND_MOMENT.id),
)
def no_parameter_helps(run: Run, record: Record) -> None:
    """If m and -m have one law, the part of the row that is even in m is uncorrelated with the rest and
    with the target: it only adds error.  The odd part is zeta m^T (p k^T + c K), a matrix times m, and no
    matrix is better than the best M.

    A search over all nine parameters in d = 2 has to agree.  The law of s is replaced by its Gauss rule;
    m has the directions of a regular octagon, whose moments are those of a uniform direction up to degree
    7 (the risk has degree 6 in m), or with two modalities independent signs, d = (1, 1).  The optimum of
    that law is a fraction, and the risk where a search ends is enclosed.
    """
    found = _search(run)
    derive(record, theory.attention.parity())
    floor(record, found, found.optimum)
    near = sum(map(_is_near, found.less(found.optimum)))
    record.values.update(
        discretised_law=list(_discretised(run).texts),
        optimum=certified(found.optimum),
        searches=STARTS,
        searches_at_optimum=near,
    )
    record.figure = f"{near} of {STARTS} searches end within 1e-8 of the optimum"


def floor(record: Record, found: Search, risk: Fraction) -> None:
    """The steps "no search ends below `risk`" and "one comes near"."""
    distances = found.less(risk)
    least = min(distances, key=numerics.arithmetic.balls.ends)
    below = bool(least < 0)
    clear = all(numerics.arithmetic.balls.ends(distance)[0] > -ROUNDING for distance in distances)
    record.check(
        NUMERIC,
        f"no search ends below the risk {brief(risk)}",
        False if below else clear or None,
        bits=numerics.self_attention.full_family.BITS,
        detail=f"the least risk found, less this: {brief(least)}",
    )
    # That no search has come near proves nothing.
    reached = below or _is_near(least) or None
    record.check(
        NUMERIC, "one comes within 1e-8 of it", reached, bits=numerics.self_attention.full_family.BITS
    )


def _is_near(distance: arb) -> bool:
    return numerics.arithmetic.balls.ends(distance)[1] < NEAR


def _discretised(run: Run) -> Law:
    from numerics.laws.discretise import gauss_law

    nodes = NODES if run.law.modalities is None else NODES_OF_A_MODALITY
    return run.remember("discretised", lambda: gauss_law(run.law, nodes))


def _search(run: Run) -> Search:
    return run.remember(
        "search",
        lambda: numerics.self_attention.full_family.search(
            _discretised(run), run.progress.track(range(STARTS), "searches"), run.settings.seed
        ),
    )


@THEOREM.claim(
    "unimodal_contrast",
    r"\Lambda \text{ fixed: } c = 1,\ K = \Lambda^{-1},\ p = k = 0 \text{ predicts } w^{\top} x_q",
    SYMBOLIC,
)
def unimodal_contrast(run: Run, record: Record) -> None:
    """If every prompt has the same Lambda, the layer can hold its inverse: E[y x]^T Lambda^-1 = w^T, the
    Bayes predictor.  The gap is due to the covariance that changes with the prompt.
    """
    derive(record, theory.modalities.unimodal())
    record.figure = "the layer holds Lambda^-1"


@THEOREM.false_variant(
    "without_response_moment",
    "prediction_limit",
    r"\hat y_q \to \bigl(p^{\top}\Lambda K + \zeta p^{\top} m k^{\top} + c \zeta m^{\top} K\bigr) x_q",
    witness="uniform(1, 4)",
)
def without_response_moment(run: Run, record: Record) -> None:
    """E y^2 left out of the second moment of a token."""
    from theory.attention import K, key_t, value_t
    from theory.symbols import Lambda, c, m, m_t, zeta

    row = value_t * Lambda * K + zeta * value_t * m * key_t + c * zeta * m_t * K
    derive(record, theory.attention.lsa_prediction(row))


@THEOREM.false_variant(
    "mean_of_square",
    "population_risk",
    r"R_{\mathrm{LSA}} = 1 - \frac{\mathbb{E} s^2}{\mathbb{E}[s\lambda]}",
    witness="uniform(1, 4)",
    differs=lambda run: any(block.variance > 0 for block in _layer(run).blocks),
)
def mean_of_square(run: Run, record: Record) -> None:
    """E s^2 in place of (E s)^2: true for a constant norm."""
    from theory.gap import E_s, E_slam

    scalar_risk(record, 1 - (E_slam - E_s) / E_slam)


@THEOREM.false_variant(
    "without_half",
    "gap_identity",
    r"R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] = \frac{1}{\mathbb{E}[s\lambda]} "
    r"\mathbb{E}\mathbb{E}' \frac{s s' (s - s')^2}{\lambda \lambda'}",
    witness="uniform(1, 4)",
    differs=lambda run: not run.law.is_constant,
)
def without_half(run: Run, record: Record) -> None:
    """The factor 1/2 left out: true where both sides are 0."""
    from sympy import Integer

    derive(record, theory.gap.lagrange(Integer(1)))


@THEOREM.false_variant(
    "half_gap",
    "gap_positive",
    r"\min_M R(M) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] \le \frac{\mathrm{gap}}{2}",
    witness="uniform(1, 4)",
)
def half_gap(run: Run, record: Record) -> None:
    """The gap, by the difference of risks, held against half of it, by the double expectation."""
    gap, double = _layer(run).gap, _layer(run).double_expectation
    detail = f"{brief(gap.value)}, and the whole is {brief(double.value)}"
    _check_gap(record, "it is at most half", gap, gap.at_most(double, Fraction(1, 2)), detail)


@THEOREM.false_variant(
    "half_the_way_half_the_gap",
    "gap_family",
    r"\text{the gap at } t = 1/2 \text{ is at most half of that at } t = 1",
    witness="uniform(1, 4)",
    differs=lambda run: run.law.modalities is None and not run.law.is_constant,
)
def half_the_way_half_the_gap(run: Run, record: Record) -> None:
    """As if the gap grew in proportion to t: for one block it is strictly concave in t, as E s, E[1/lam]
    are affine in t and the risk 1 - (E s)^2/E[s lam] is strictly concave.
    """
    half, whole = _layer(run).gap_at(Fraction(1, 2)), _layer(run).gap
    detail = f"{brief(half.value)} at 1/2, {brief(whole.value)} at 1"
    _check_gap(record, "the gap at 1/2 is at most half", half, half.at_most(whole, Fraction(1, 2)), detail)


@THEOREM.false_variant(
    "without_inverse",
    "unimodal_contrast",
    r"\Lambda \text{ fixed: } c = 1,\ K = \Lambda^{-1} \text{ predicts } \zeta m^{\top} x_q",
    witness="uniform(1, 4)",
)
def without_inverse(run: Run, record: Record) -> None:
    """The moment E[y x] = Lambda w taken for w."""
    from theory.symbols import m_t, zeta

    derive(record, theory.modalities.unimodal(zeta * m_t))


@THEOREM.false_variant(
    "constant_norm", "sharp_condition", r"\mathrm{gap} > 0 \text{ for a constant norm}", witness="point(2)"
)
def constant_norm(run: Run, record: Record) -> None:
    """The theorem without its hypothesis, at the constant norm of the same mean."""
    found = _layer(run).gap_at(Fraction(0))
    detail = f"gap = {brief(found.value)} at s = {brief(run.law.mean)}"
    _check_gap(record, "the gap is positive", found, found.is_positive, detail)


def _scalar_is_not_best(run: Run) -> bool:
    """Exactly."""
    layer = _layer(run)
    return run.law.modalities is not None and layer.scalar.risk > layer.best.risk


@THEOREM.false_variant(
    "scalar_is_best",
    "modalities",
    r"a = b = c = \frac{\mathbb{E} s}{\mathbb{E}[s\lambda]}",
    witness=("uniform(0, 1)", "beta(2, 1/2)"),
    differs=_scalar_is_not_best,
)
def scalar_is_best(run: Run, record: Record) -> None:
    """The best scalar in place of the best diag(a I, b I): true for modalities of one law."""
    normal_equations(run, record, _layer(run).scalar.weights)


def _mean_weight(run: Run) -> Fraction:
    """The risk of M = I/(1 + E s), for the discretised law."""
    law = _discretised(run)
    blocks = numerics.self_attention.best_layer.blocks_of(law)
    return numerics.self_attention.best_layer.layer(blocks, (1 / (1 + law.mean),) * len(blocks)).risk


def _mean_weight_is_worse(run: Run) -> bool:
    """By more than a search may miss the optimum."""
    best = numerics.self_attention.best_layer.best_layer(
        numerics.self_attention.best_layer.blocks_of(_discretised(run))
    )
    return _mean_weight(run) > best.risk + NEAR


@THEOREM.false_variant(
    "mean_weight",
    "no_parameter_helps",
    r"\min_{p, c, K, k} R_{\mathrm{LSA}} = R\Bigl(\frac{1}{1 + \mathbb{E} s} I\Bigr)",
    witness="uniform(1, 4)",
    differs=_mean_weight_is_worse,
)
def mean_weight(run: Run, record: Record) -> None:
    """The layer that is right for the mean of s: the best one for a constant norm."""
    floor(record, _search(run), _mean_weight(run))


@THEOREM.claim(
    "finite_context",
    r"R_{\mathrm{LSA}}(L) = R_{\mathrm{LSA}} + \frac{1}{L} \mathbb{E}\,"
    r"\mathrm{tr}\bigl(M \Lambda M (\Lambda + m m^{\top})\bigr)",
    STATISTICAL,
    needs=(NOT_ZERO.id,),
    option="statistical",
)
def finite_context_risk(run: Run, record: Record) -> None:
    """The layer predicts b^T M x_q with b = (1/L) sum y x.  Given m and zeta = 1, E b = m and
    Cov b = (Lambda + m m^T)/L, so that the risk exceeds its limit by tr(M Lambda M (Lambda + m m^T))/L,
    exactly: above the Bayes risk by the gap and more at every L.

    Sampled at the weights that are best for L -> infinity.
    """
    finite_context.layer(run, record)


@THEOREM.false_variant(
    "one_pairing",
    "finite_context",
    r"R_{\mathrm{LSA}}(L) = R_{\mathrm{LSA}} + \frac{1}{L} \mathbb{E}\,\mathrm{tr}(M \Lambda M \Lambda)",
    witness="uniform(1, 4)",
    differs=lambda run: not run.law.is_zero,
)
def one_pairing(run: Run, record: Record) -> None:
    """Cov(y x) as if y and x were uncorrelated."""
    finite_context.layer(run, record, false=True)
