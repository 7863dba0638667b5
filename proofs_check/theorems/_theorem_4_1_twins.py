"""The false twins of Theorem 4.1, each checked by the code of the claim that it belongs to."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numerics
import theory
from proofs_check.engine.claims import FalseVariant, Record
from proofs_check.engine.context import Run
from proofs_check.engine.evidence import derive
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _single_layer as single_layer

if TYPE_CHECKING:
    from numerics.arithmetic.balls import Number

UNIFORM = "uniform(1, 4)"


def without_response_moment(run: Run, record: Record) -> None:
    """E y^2 left out of the second moment of a token."""
    from theory.attention import K, key_t, value_t
    from theory.symbols import Lambda, c, m, m_t, zeta

    row = value_t * Lambda * K + zeta * value_t * m * key_t + c * zeta * m_t * K
    derive(record, theory.attention.lsa_prediction(row))


def mean_of_square(run: Run, record: Record) -> None:
    """E s^2 in place of (E s)^2: true for a constant norm."""
    from theory.gap import E_s, E_slam

    single_layer.scalar_risk(record, 1 - (E_slam - E_s) / E_slam)


def without_half(run: Run, record: Record) -> None:
    """The factor 1/2 left out: true where both sides are 0."""
    from sympy import Integer

    derive(record, theory.gap.lagrange(Integer(1)))


def half_gap(run: Run, record: Record) -> None:
    """The gap, by the difference of risks, held against half of it, by the double expectation."""
    gap, double = single_layer.layer(run).gap, single_layer.layer(run).double_expectation
    statement = "the gap is at most half the double expectation"
    single_layer.compare_gap(record, statement, gap, "<=", double, Fraction(1, 2))


def half_the_way_half_the_gap(run: Run, record: Record) -> None:
    """As if the gap grew in proportion to t: for one block it is strictly concave in t, as E s, E[1/lam]
    are affine in t and the risk 1 - (E s)^2/E[s lam] is strictly concave.
    """
    half, whole = single_layer.layer(run).gap_at(Fraction(1, 2)), single_layer.layer(run).gap
    statement = "the gap at $t = 1/2$ is at most half of that at $t = 1$"
    single_layer.compare_gap(record, statement, half, "<=", whole, Fraction(1, 2))


def without_inverse(run: Run, record: Record) -> None:
    """The moment E[y x] = Lambda w taken for w."""
    from theory.symbols import m_t, zeta

    derive(record, theory.modalities.unimodal(zeta * m_t))


def constant_norm(run: Run, record: Record) -> None:
    """The theorem without its hypothesis, at the constant norm of the same mean."""
    found = single_layer.layer(run).gap_at(Fraction(0))
    single_layer.compare_gap(record, "the gap is positive", found, ">", note="at a constant $s$")


def scalar_is_best(run: Run, record: Record) -> None:
    """The best scalar in place of the best diag(a I, b I): true for modalities of one law."""
    single_layer.normal_equations(run, record, single_layer.layer(run).scalar.weights)


def mean_weight(run: Run, record: Record) -> None:
    """The layer that is right for the mean of s: the best one for a constant norm."""
    single_layer.floor(record, single_layer.search(run), _mean_weight(run))


def one_pairing(run: Run, record: Record) -> None:
    """Cov(y x) as if y and x were uncorrelated."""
    finite_context.layer(run, record, false=True)


def _scalar_is_not_best(run: Run) -> bool:
    """Exactly."""
    layer = single_layer.layer(run)
    return run.law.modalities is not None and layer.scalar.risk > layer.best.risk


def _mean_weight(run: Run) -> Number:
    """The risk of M = I/(1 + E s), for the discretised law."""
    law = single_layer.discretised(run)
    blocks = numerics.self_attention.best_layer.blocks_of(law)
    return numerics.self_attention.best_layer.layer(blocks, (1 / (1 + law.mean),) * len(blocks)).risk


def _mean_weight_is_worse(run: Run) -> bool:
    """By more than a search may miss the optimum."""
    best = numerics.self_attention.best_layer.best_layer(
        numerics.self_attention.best_layer.blocks_of(single_layer.discretised(run))
    )
    return bool(_mean_weight(run) > best.risk + single_layer.NEAR)


def _on_every_law(run: Run) -> bool:
    return True


TWINS = [
    FalseVariant(
        "without_response_moment",
        "prediction_limit",
        r"$\hat y_q \to \bigl(p^\top\Lambda K + \zeta p^\top m k^\top + c \zeta m^\top K\bigr) x_q$",
        without_response_moment,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "mean_of_square",
        "population_risk",
        r"$R_{\mathrm{LSA}} = 1 - \frac{\mathbb{E} s^2}{\mathbb{E}[s\lambda]}$",
        mean_of_square,
        UNIFORM,
        lambda run: any(block.variance > 0 for block in single_layer.layer(run).blocks),
    ),
    FalseVariant(
        "without_half",
        "gap_identity",
        r"$R_{\mathrm{LSA}} - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] = \frac{1}{\mathbb{E}[s\lambda]} "
        r"\mathbb{E}\mathbb{E}' \frac{s s' (s - s')^2}{\lambda \lambda'}$",
        without_half,
        UNIFORM,
        lambda run: not run.law.is_constant,
    ),
    FalseVariant(
        "half_gap",
        "gap_positive",
        r"$\min_M R(M) - \mathbb{E}\Bigl[\frac{1}{\lambda}\Bigr] \le \frac{\mathrm{gap}}{2}$",
        half_gap,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "half_the_way_half_the_gap",
        "gap_family",
        "the gap at $t = 1/2$ is at most half of that at $t = 1$",
        half_the_way_half_the_gap,
        UNIFORM,
        lambda run: run.law.modalities is None and not run.law.is_constant,
    ),
    FalseVariant(
        "without_inverse",
        "unimodal_contrast",
        r"$\Lambda$ fixed: $c = 1,\ K = \Lambda^{-1}$ predicts $\zeta m^\top x_q$",
        without_inverse,
        UNIFORM,
        _on_every_law,
    ),
    FalseVariant(
        "constant_norm",
        "sharp_condition",
        r"$\mathrm{gap} > 0$ for a constant norm",
        constant_norm,
        "point(2)",
        _on_every_law,
    ),
    FalseVariant(
        "scalar_is_best",
        "modalities",
        r"$a = b = c = \frac{\mathbb{E} s}{\mathbb{E}[s\lambda]}$",
        scalar_is_best,
        ("uniform(0, 1)", "beta(2, 1/2)"),
        _scalar_is_not_best,
    ),
    FalseVariant(
        "mean_weight",
        "no_parameter_helps",
        r"$\min_{p, c, K, k} R_{\mathrm{LSA}} = R\Bigl(\frac{1}{1 + \mathbb{E} s} I\Bigr)$",
        mean_weight,
        UNIFORM,
        _mean_weight_is_worse,
    ),
    FalseVariant(
        "one_pairing",
        "finite_context",
        r"$R_{\mathrm{LSA}}(L) = R_{\mathrm{LSA}} + \frac{1}{L} \mathbb{E}\,\mathrm{tr}(M \Lambda M "
        r"\Lambda)$",
        one_pairing,
        UNIFORM,
        lambda run: not run.law.is_zero,
    ),
]
