"""The data model: verdicts, the distance between covariances, false variants."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

import theory
from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.engine.context import Plan, Settings
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from proofs_check.theorems import latent_factor_model
from reports.results import Evidence, Verdict
from tests.strategies import laws

THEOREM = load_theorem("latent_factor_model")


def shift(law):
    return run_plan(Plan.of(THEOREM, law, Settings(), {"covariate_shift"}), ["test"])


def test_the_default_law():
    result = verify("latent_factor_model", falsify=True)
    assert result.verdict is Verdict.VERIFIED
    assert [claim.kind for claim in result.claims] == [Evidence.SYMBOLIC] * 4 + [Evidence.EXACT]
    assert [variant.verdict for variant in result.false_variants] == [Verdict.REFUTED] * 5


def test_what_is_any_dimension_and_what_is_not_is_said():
    statements = [step.statement for claim in verify("latent_factor_model").claims for step in claim.steps]
    assert any("any dimension" in statement for statement in statements)
    for dimensions in ("(1, 1)", "(2, 1)", "(2, 3)"):
        assert any(f"$(d_1, d_2) = {dimensions}$" in statement for statement in statements)


@pytest.mark.parametrize(
    ("law", "distance"),
    [
        ({"squared_norm": "point(3)"}, Fraction(9)),
        ({"squared_norm": "atoms({0: 1/2, 3: 1/2})"}, Fraction(9) - Fraction(9, 4)),
        ({"modalities": ("point(1)", "point(2)")}, Fraction(8)),
        ({"modalities": ("point(0)", "point(3)")}, Fraction(9)),
    ],
)
def test_the_distance_between_covariances(law, distance):
    values = verify("latent_factor_model", **law).claim("covariate_shift").values
    assert values["mean_square_distance"]["exact"] == str(distance)


def test_the_distance_by_sampling():
    """d = 2, within five standard errors."""
    rng, count = np.random.default_rng(0), 40_000
    law = parse_law("squared_norm", "uniform(1, 4)")
    angle, s = rng.uniform(0, 2 * np.pi, count), law.sample(rng, count)
    m = np.sqrt(s) * np.array([np.cos(angle), np.sin(angle)])
    first, second = m[:, ::2], m[:, 1::2]
    inner = (first * second).sum(axis=0)
    distances = (first**2).sum(axis=0) ** 2 - 2 * inner**2 + (second**2).sum(axis=0) ** 2
    exact = Fraction(shift(law).claim("covariate_shift").values["mean_square_distance"]["exact"])
    assert abs(distances.mean() - float(exact)) < 5 * distances.std() / len(distances) ** 0.5


@settings(max_examples=20)
@given(law=laws())
def test_covariances_differ_for_every_law(law):
    assert shift(law).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("law", [{"squared_norm": "point(0)"}, {"modalities": ("point(0)", "point(0)")}])
def test_m_0_almost_surely(law):
    result = verify("latent_factor_model", **law, falsify=True)
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert [claim.verdict for claim in result.claims] == [Verdict.VERIFIED] * 4 + [Verdict.NOT_APPLICABLE]
    assert {variant.verdict for variant in result.false_variants} == {Verdict.REFUTED}


def test_a_variant_that_is_true_without_signal_runs_on_its_witness():
    result = verify("latent_factor_model", squared_norm="point(0)", claim="bayes_risk", falsify=True)
    assert [variant.law for variant in result.false_variants] == ["uniform(1, 4)"]


@pytest.mark.parametrize(
    ("function", "claim"),
    [("covariance", "covariance"), ("regression_vector", "regression_vector"), ("bayes_risk", "bayes_risk")],
)
def test_a_wrong_formula_is_refuted(monkeypatch, function, claim):
    from theory.latent_factor import a_b, a_m
    from theory.symbols import s, zeta

    wrong = {"covariance": a_m + a_b, "regression_vector": 1 / (2 + s), "bayes_risk": zeta / (1 + s)}[
        function
    ]
    original = getattr(theory.latent_factor, function)
    monkeypatch.setattr(theory.latent_factor, function, lambda claimed=None: original(wrong))
    assert verify("latent_factor_model", claim=claim).verdict is Verdict.REFUTED


def test_covariances_that_are_one_are_refuted(monkeypatch):
    monkeypatch.setattr(latent_factor_model, "_least_distance", lambda *of: (Fraction(0), "$d = 2$"))
    claim = shift(parse_law("squared_norm", "uniform(1, 4)")).claim("covariate_shift")
    assert claim.steps[-1].verdict is Verdict.REFUTED
