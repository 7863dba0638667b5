"""Several factors are the mixture of their laws, and what is shown for one alone says so."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from proofs_check import UsageError, verify
from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import read_law
from reports.results import Verdict

PAIR = ("uniform(1, 2)", "point(4)")


def options(**given):
    return {"depth": [1, 2], **given}


def test_two_factors_are_their_mixture():
    factors = verify("theorem_6_2", **options(factor=PAIR))
    mixture = verify("theorem_6_2", **options(squared_norm="mixture({uniform(1, 2): 1/2, point(4): 1/2})"))
    assert factors.verdict == mixture.verdict == Verdict.VERIFIED
    assert [c.values for c in factors.claims] == [c.values for c in mixture.claims]
    assert (factors.law.kind, factors.law.texts) == ("factors", list(PAIR))


def test_two_factors_of_one_law_give_what_one_gives():
    laws = [read_law(Options(factor=["uniform(1, 4)"] * k)) for k in (1, 2, 3)]
    assert all(one.components == other.components for one, other in pairwise(laws))
    one, two = (verify("theorem_6_2", **options(factor=["uniform(1, 4)"] * k)) for k in (1, 2))
    assert [c.values for c in one.claims] == [c.values for c in two.claims]


def test_what_is_shown_for_one_factor_alone():
    result = verify("theorem_4_1", factor=PAIR)
    lacking = {c.id.partition(".")[2] for c in result.claims if c.verdict == Verdict.NOT_APPLICABLE}
    assert lacking == {
        "prediction_limit",
        "population_risk",
        "modalities",
        "no_parameter_helps",
        "unimodal_contrast",
    }
    assert result.verdict == Verdict.VERIFIED
    held = {h.id: h for h in result.hypotheses}
    assert "2 factors are given: shown for one alone" in held["one_factor"].detail
    assert "$M$ is isotropic" in held["two_modalities"].detail


def test_a_sampled_claim_asked_for_by_name_does_not_apply():
    result = verify("theorem_6_2", **options(factor=PAIR, statistical=True, claim="finite_context"))
    assert result.verdict == Verdict.NOT_APPLICABLE


def test_the_reduction_and_its_twin():
    result = verify("latent_factor_model", factor=PAIR, falsify=True)
    assert result.verdict == Verdict.VERIFIED
    assert result.claim("several_factors").verdict == Verdict.VERIFIED
    twins = {v.id.partition(".")[2]: v.verdict for v in result.false_variants}
    assert twins["one_factor_of_the_trace"] == Verdict.REFUTED


def test_the_excess_of_a_filter_by_matrices():
    """Two orthogonal factors in d = 3: excess of theta = p(Lambda) M zeta over w, averaged over zeta."""
    rng, squares, c = np.random.default_rng(0), np.array([0.7, 2.5]), 1.3
    frame, _ = np.linalg.qr(rng.standard_normal((3, 2)))
    turn, _ = np.linalg.qr(rng.standard_normal((2, 2)))
    M = frame @ np.diag(np.sqrt(squares)) @ turn
    Lambda = np.eye(3) + M @ M.T
    p = 0.3 * np.eye(3) - 0.04 * Lambda
    error = (p - np.linalg.inv(Lambda)) @ M
    lam = 1 + squares
    by_matrices = c * np.trace(error.T @ Lambda @ error) / (2 * c)
    by_mixture = np.mean(squares / lam * (1 - lam * (0.3 - 0.04 * lam)) ** 2)
    assert by_matrices == pytest.approx(by_mixture, rel=1e-12)
    s = squares.sum()
    assert by_matrices != pytest.approx(s / (1 + s) * (1 - (1 + s) * (0.3 - 0.04 * (1 + s))) ** 2, rel=0.01)


def test_factors_and_a_law_are_two_laws_at_once():
    with pytest.raises(UsageError, match="--squared-norm and --factor: two laws at once"):
        read_law(Options(squared_norm="point(1)", factor=["point(2)"]))
    with pytest.raises(UsageError, match="--factor: there is no law 'unifrom'"):
        read_law(Options(factor=["point(2)", "unifrom(1, 2)"]))
