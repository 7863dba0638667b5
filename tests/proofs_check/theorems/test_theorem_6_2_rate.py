"""Every condition of bayes_optimal and predictor_converges can come out not true."""

from __future__ import annotations

from fractions import Fraction

import pytest

import theory
from numerics.arithmetic.certified_roots import Root
from proofs_check import verify
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _quantities as quantities
from reports.results import Verdict
from tests.proofs_check.theorems.on_theorem_6_2 import failed

F = Fraction
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE


def test_the_ends_of_the_support_give_kappa(monkeypatch):
    right = theory.limits.kappa

    def wrong(low, high):
        return F(44, 100) if isinstance(low, F) else right(low, high)

    monkeypatch.setattr(theory.limits, "kappa", wrong)
    assert failed("bayes_optimal") == {r"$\kappa$ is the residual at both ends, and $\kappa < 1$": REFUTED}


@pytest.mark.parametrize("claim", ["bayes_optimal", "predictor_converges"])
def test_a_rate_of_1_is_noticed(monkeypatch, claim):
    monkeypatch.setattr(one_parameter_steps, "rate_epsilon", lambda run: F(2, 5))
    assert failed(claim)[r"$\rho < 1$"] is REFUTED


@pytest.mark.parametrize("claim", ["bayes_optimal", "predictor_converges"])
def test_a_band_beside_the_limit_is_undecided(monkeypatch, claim):
    monkeypatch.setattr(quantities, "band", lambda *_: None)
    assert failed(claim) == {r"$|\alpha_T - \alpha^*| < 1/100 \alpha^*$ for all $T \ge T_0$": INCONCLUSIVE}


def test_a_series_that_diverges_is_noticed(monkeypatch):
    monkeypatch.setattr(theory.limits, "kappa", lambda *_: F(1))
    assert failed("predictor_converges")["the bounds are a convergent geometric series"] is REFUTED


def test_excesses_beyond_the_series_are_noticed(monkeypatch):
    right = quantities.excess
    monkeypatch.setattr(quantities, "excess", lambda run, T: (right(run, T)[0] * 1000, 64))
    statement = "the excesses at the depths asked for add up to no more than the series"
    assert failed("predictor_converges") == {statement: REFUTED}


@pytest.mark.parametrize(
    ("lower", "upper", "rho", "outcome"),
    [
        (F(28, 100), F(29, 100), F(45, 100), True),
        (F(28, 100), F(29, 100), F(45, 100) - F(1, 10**9), None),
        (F(28, 100), F(29, 100), F(43, 100), None),
        (F(28, 100), F(29, 100), F(41, 100), False),
        # The residual at l1 alone, at l2 alone.
        (F(20, 100), F(21, 100), F(57, 100), False),
        (F(35, 100), F(36, 100), F(74, 100), False),
        # Of both signs: it may be 0.
        (F(1, 10), F(9, 10), F(1, 100), None),
    ],
)
def test_whether_a_residual_is_within_the_rate(lower, upper, rho, outcome):
    assert predictor_steps.within(Root(lower, upper, 64), (F(2), F(5)), rho) is outcome


@pytest.mark.parametrize("law", ["beta(50, 50, low=1, high=4)", "point(2)", "uniform(0, 1000)"])
@pytest.mark.parametrize("options", [{"epsilon": "9/10", "depth": 1}, {"depth": "1,64"}])
def test_the_square_of_the_rate_is_refuted_on_its_witness(law, options):
    found = verify("theorem_6_2", squared_norm=law, claim="predictor_converges", falsify=True, **options)
    assert found.verdict is VERIFIED
    assert {twin.id.partition(".")[2]: twin.verdict for twin in found.false_variants} == dict.fromkeys(
        ("one_layer_fewer", "no_whitening", "squared_rate"), REFUTED
    )


@pytest.mark.parametrize(
    ("law", "where"),
    [
        ("beta(50, 50, low=1, high=4)", "uniform(1, 4)"),
        ("point(2)", "uniform(1, 4)"),
        ("uniform(2, 4)", "uniform(2, 4)"),
        ("atoms({0: 1/2, 1: 1/4, 2: 1/4})", "atoms({0: 1/2, 1: 1/4, 2: 1/4})"),
        ("beta(2, 1/2)", "beta(2, 1/2)"),
    ],
)
@pytest.mark.parametrize("depth", [1, "1,2,64"])
def test_twice_the_rate_is_refuted_where_it_is_false_at_every_depth(law, where, depth):
    """On the first law, at depth 1, twice the rate is true: it must not count as a twin there."""
    found = verify("theorem_6_2", squared_norm=law, depth=depth, claim="bayes_optimal", falsify=True)
    (twin,) = [v for v in found.false_variants if v.id == "theorem_6_2.doubled_rate"]
    assert twin.verdict is Verdict.REFUTED
    assert twin.law == where
