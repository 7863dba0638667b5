"""Every derivation holds, every false twin of one is refuted at a point, and all of it can be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sympy import Expr, ImmutableMatrix, Integer, Rational, Symbol, sqrt

from tests.theory.small_cases import small_cases
from theory import (
    attention,
    exclusions,
    finite_context,
    gap,
    gaussian,
    latent_factor,
    limits,
    losses,
    modalities,
    predictor,
    profile,
    several_factors,
)
from theory.exclusions import LARGE, NEAR_ZERO, SMALL
from theory.identities import Derivation
from theory.symbols import L, T, alpha, beta, c, d, l1, l2, lam, m_t, s, zeta

q, z = 1 - alpha * lam, 1 + beta * lam
E_s2 = Symbol("E_s2", positive=True)
h, k = Symbol("h", positive=True), Symbol("k", positive=True)
n_m, n_n = Symbol("n_m", real=True), Symbol("n_n", real=True)
p, r = finite_context.p, finite_context.r

#: The function of each derivation, and what its false twins claim instead of its result.
TABLE: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "isserlis": (gaussian.isserlis_rule, ()),
    "covariance": (latent_factor.covariance, (latent_factor.a_m * latent_factor.b_m,)),
    "cross_moment": (latent_factor.cross_moment, (zeta**2 * latent_factor.a_m,)),
    "regression_vector": (latent_factor.regression_vector, (1 / s, Integer(1))),
    "bayes_risk": (latent_factor.bayes_risk, (zeta**2 / (1 + 2 * s), zeta**2 / s)),
    "several_factors": (several_factors.reduction, (several_factors.trace_alone,)),
    "covariate_shift": (latent_factor.covariate_shift, (s**2, Integer(0))),
    "embedding_one_parameter": (
        attention.embedding_one_parameter,
        ((1 - q ** (T + 1)) / lam, (1 - q ** (2 * T)) / lam, 1 - q**T),
    ),
    "embedding_two_parameters": (
        attention.embedding_two_parameters,
        (alpha * (1 - z**T) / (beta * lam), alpha * (z ** (T + 1) - 1) / (beta * lam)),
    ),
    "lsa_prediction": (attention.lsa_prediction, (c * zeta * m_t * attention.K,)),
    "parity": (attention.parity, (c * zeta * m_t * attention.K,)),
    "one_parameter": (losses.one_parameter, (s / lam * q**T, s / lam * (1 + alpha * lam) ** (2 * T))),
    "two_parameter": (
        losses.two_parameter,
        (s / lam * (1 - alpha / beta * (1 - z**T)) ** 2, s / lam * (1 + alpha / beta * (1 + z**T)) ** 2),
    ),
    "no_skip": (losses.no_skip, (s * lam * z ** (2 * T), s / lam * (z**T - 1) ** 2)),
    "lsa": (losses.lsa, (s * lam * (c - 1) ** 2, s * (c - 1 / lam) ** 2)),
    "risk_of_matrix": (losses.risk_of_matrix, (n_n - 2 * n_m / lam + s / lam**2,)),
    "sample_mean": (losses.sample_mean, (zeta**2 * (1 - 1 / L), zeta**2)),
    "sum_form": (profile.sum_form, ()),
    "profile": (profile.profile, (Symbol("z_2", real=True) - Symbol("z_1", real=True) ** 2,)),
    "exact_for_two_atoms": (profile.exact_for_two_atoms, (2 * profile.j + 1, profile.j)),
    "exclusions.variance": (
        exclusions.variance,
        (2 * exclusions.EXCEEDS, exclusions.EXCEEDS.subs(exclusions.theta_power, 0)),
    ),
    "exclusions.large_weight": (
        exclusions.large_weight,
        (
            replace(LARGE, bound=Integer(2)),
            replace(LARGE, bound=Integer(1)),
            replace(LARGE, ratios=()),
            replace(LARGE, ratios=(exclusions.l_m / (2 * exclusions.l_h),)),
            replace(LARGE, residual=Rational(51, 50) * LARGE.residual),
            replace(LARGE, residual=2 * exclusions.l_h / l2 - 1),
        ),
    ),
    "exclusions.small_weight": (
        exclusions.small_weight,
        (
            replace(SMALL, bound=Rational(1, 2)),
            replace(SMALL, ratios=()),
            replace(SMALL, ratios=SMALL.ratios[:1]),
            replace(SMALL, ratios=SMALL.ratios[1:]),
            replace(SMALL, residual=Integer(1)),
        ),
    ),
    "exclusions.near_zero": (
        exclusions.near_zero,
        (
            replace(NEAR_ZERO, bound=Rational(1, 2)),
            replace(NEAR_ZERO, spread=Integer(1)),
            replace(NEAR_ZERO, residual=Integer(1)),
        ),
    ),
    "exclusions.near_zero, gain": (lambda claimed=None: exclusions.near_zero(gain=claimed), (Integer(0),)),
    "exclusions.positive_beta": (
        exclusions.positive_beta,
        (
            replace(NEAR_ZERO, bound=Rational(1, 2)),
            replace(NEAR_ZERO, spread=Integer(1)),
            replace(NEAR_ZERO, residual=Integer(2)),
        ),
    ),
    "exclusions.positive_beta, gain": (
        lambda claimed=None: exclusions.positive_beta(gain=claimed),
        (Integer(0),),
    ),
    "exclusions.every_epsilon": (exclusions.every_epsilon, (2 / (l1 + l2), 1 / l2)),
    "exclusions.alpha_over_beta": (
        exclusions.alpha_over_beta,
        (Integer(1), 1 / (1 - exclusions.R / 2)),
    ),
    "minimax": (
        limits.minimax,
        (2 / (2 + sqrt(l1 - 1) + sqrt(l2 - 1)), 2 / (l1 + l2 - 2), 1 / l1),
    ),
    "one_inequality": (limits.one_inequality, (h, h**3)),
    "limits.every_epsilon": (limits.every_epsilon, (2 / (l1 + 2 * l2), 1 / l1, 1 / l2, 2 / (2 + l1 + l2))),
    "predictor.one_parameter_error": (
        predictor.one_parameter_error,
        (
            -((1 - alpha * lam) ** (T - 1)) / lam,
            -((1 - alpha * lam) ** T),
            (1 - alpha * lam) ** T / lam,
            1 - 1 / lam - (1 - alpha * lam) ** T / lam,
        ),
    ),
    "predictor.two_parameter_error": (
        predictor.two_parameter_error,
        (
            -(1 + alpha / beta * (1 - z ** (T - 1))) / lam,
            -(1 - alpha / beta * (1 - z**T)) / lam,
        ),
    ),
    "predictor.two_parameter_rate": (
        predictor.two_parameter_rate,
        (exclusions.R / (1 - exclusions.R), 2 * exclusions.R),
    ),
    "bayes_bound": (limits.bayes_bound, ((l2 - l1) / (2 * l2), (l2 - l1) / (l1 + l2) / 2)),
    "per_prompt_rate": (limits.per_prompt_rate, (2 / (l1 + l2), 2 / l2, 1 / l2)),
    "two_atoms": (limits.two_atoms, (2 / (l1 + l2), (1 + k) / (k * l1 + l2))),
    "rate": (limits.rate, (-limits.rate().expr, limits.rate().expr / 2)),
    "gap.scalar": (gap.scalar, (1 - E_s2 / gap.E_slam,)),
    "gap.lagrange": (gap.lagrange, (Integer(1), Rational(1, 4))),
    "gap.equality_case": (gap.equality_case, ((s - gap.s2) ** 2, s * gap.s2)),
    "isotropic_optimum": (modalities.isotropic_optimum, (gap.E_s / (1 + gap.E_s),)),
    "two_modalities": (
        modalities.two_modalities,
        (
            (
                modalities.E_p / (modalities.E_p + modalities.E_pp),
                modalities.E_q / (modalities.E_q + modalities.E_qq),
            ),
        ),
    ),
    "without_isotropy": (modalities.without_isotropy, (ImmutableMatrix([[1, 0], [0, 1]]) / 2,)),
    "unimodal": (modalities.unimodal, (zeta * m_t,)),
    "depth_one": (
        finite_context.depth_one,
        (1 - 2 * alpha * s + alpha**2 * s * lam, 1 - 2 * alpha * s + alpha**2 * (s * lam + d / L)),
    ),
    "first_order": (finite_context.first_order, (2 * finite_context.correction(), Integer(0))),
    "small_cases": (
        small_cases,
        (finite_context.correction().subs(finite_context.ddg, 0),),
    ),
    "finite_one_parameter": (finite_context.one_parameter, ()),
    "finite_two_parameter": (finite_context.two_parameter, ()),
    "least_squares": (finite_context.least_squares, (d / (lam * (L - d)), d / (L - d - 1))),
}


def derivation(result: Any) -> Derivation:
    found = result if isinstance(result, Derivation) else result.derivation
    assert isinstance(found, Derivation)
    return found


@pytest.mark.parametrize("name", TABLE)
def test_holds(name: str) -> None:
    found = derivation(TABLE[name][0]())
    assert found.holds is True, [step.statement for step in found.failures]


@pytest.mark.parametrize("start", [0, 1])
def test_embedding_without_skip(start: int) -> None:
    assert attention.embedding_no_skip(start).holds is True
    twin = attention.embedding_no_skip(start, claimed=z ** (T + 1))
    assert twin.holds is False


@pytest.mark.parametrize(
    ("name", "claimed"),
    [(name, claimed) for name, (_, twins) in TABLE.items() for claimed in twins],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_false_twin(name: str, claimed: Expr) -> None:
    found = derivation(TABLE[name][0](claimed=claimed))
    assert found.holds is False
    assert any(step.holds is False and step.witness is not None for step in found.failures)


@pytest.mark.parametrize("name", TABLE)
def test_latex_is_readable(name: str) -> None:
    for step in derivation(TABLE[name][0]()).steps:
        assert not re.search(r"\d\.\d", step.latex)
        assert "Dummy" not in step.latex
        assert step.latex.count("{") == step.latex.count("}")
        assert step.statement


def test_a_broken_recurrence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """W_V without the Gram matrix: the closed form no longer solves it."""

    def broken(embedding: Any, prompt: Any, gram: Any, w_s: Any, w_v: Any) -> Any:
        return embedding + w_s * prompt + w_v * embedding

    monkeypatch.setattr(attention, "layer", broken)
    found = attention.embedding_one_parameter.__wrapped__()
    assert found.holds is False
    assert "step: depth $T$ to $T + 1$, symbolic $T$" in {step.statement for step in found.failures}


def test_a_broken_data_model_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise shared by all coordinates is not the model's."""
    monkeypatch.setattr(latent_factor, "tested", lambda along, noise: latent_factor.u * along + 2 * noise)
    assert latent_factor.covariance.__wrapped__().holds is False
    assert latent_factor.bayes_risk.__wrapped__().holds is False


@pytest.mark.parametrize("mean", [Integer(0), Symbol("m_x", real=True), Symbol("m_x", real=True) / s])
def test_another_conditional_mean_does_not_complete_the_square(mean: Expr) -> None:
    found = latent_factor.bayes_risk(mean=mean)
    assert [step.statement.split(":")[0] for step in found.failures] == ["$-2$ log density of $(u, x)$"]
    assert found.failures[0].holds is False


@pytest.mark.parametrize("name", ["squared_norm", "squared_frobenius_norm"])
def test_a_form_without_its_mixed_terms_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As if the vectors, or their squares, were orthogonal."""
    form = getattr(latent_factor, name)
    monkeypatch.setattr(latent_factor, name, lambda parts: sum(form((part,)) for part in parts))
    check = latent_factor.bayes_risk if name == "squared_norm" else latent_factor.covariate_shift
    found = check.__wrapped__()
    assert found.holds is False
    assert all(step.holds is False and step.witness for step in found.failures)


@pytest.mark.parametrize("size", [2, 3])
def test_a_mixed_term_of_another_size_is_noticed_in_coordinates(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    mixed = Symbol("m_n", real=True)
    right = latent_factor.squared_distance()
    monkeypatch.setattr(latent_factor, "squared_distance", lambda: right - mixed**2)
    found = latent_factor.covariate_shift.__wrapped__()
    failed = [(step.statement, step.case) for step in found.failures]
    assert ("the same in coordinates", {"d": size}) in failed


def test_a_broken_pairing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isserlis' rule with the last pair left out."""
    rule = gaussian.isserlis

    def broken(variables: Any, covariance: Any) -> Expr:
        return rule(variables, covariance) - int(len(variables) > 2)

    monkeypatch.setattr(gaussian, "isserlis", broken)
    assert gaussian.isserlis_rule.__wrapped__().holds is False


def test_a_broken_sum_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One term too many in S."""
    closed = attention.geometric_sum()
    monkeypatch.setattr(profile, "geometric_sum", lambda: closed.subs(T, T + 1))
    assert profile.sum_form.__wrapped__().derivation.holds is False
    assert profile.profile.__wrapped__().derivation.holds is False


def test_a_loss_is_there_without_its_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradient and curvature are asked for in every run, where they come from in one claim."""
    whole = losses.one_parameter()

    def refuse() -> None:
        raise AssertionError("the derivation was built")

    monkeypatch.setattr(losses, "excess_of_embedding", refuse)
    alone = losses.one_parameter.__wrapped__()
    assert (alone.value, alone.gradient, alone.curvature) == (whole.value, whole.gradient, whole.curvature)
    with pytest.raises(AssertionError, match="was built"):
        _ = alone.derivation
