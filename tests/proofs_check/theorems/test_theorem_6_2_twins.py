"""Theorem 6.2 can fail: wrong candidates, false variants, broken code."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numerics
import theory
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter.all_large_depths import side_at
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, Settings
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _quantities as quantities
from reports.results import Evidence, Verdict
from tests.proofs_check.theorems.on_theorem_6_2 import THEOREM, failed, on, twins, verdicts
from tests.strategies import atomic_laws

F = Fraction
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE


# --- candidates


@pytest.mark.parametrize(
    ("candidate", "verdict"),
    [
        (F(2, 7), VERIFIED),
        (F(1, 4), REFUTED),
        (F(2, 5), REFUTED),
        (F(0), REFUTED),
        (F(-3), REFUTED),
        (F(1000), REFUTED),
        (F(2, 7) + F(1, 10**12), REFUTED),
        (F(2, 7) - F(1, 10**12), REFUTED),
        (F(2, 7) + F(1, 10**30), INCONCLUSIVE),
        (F(2, 7) - F(1, 10**30), INCONCLUSIVE),
        (F(2, 7) + F(1, 10**300), INCONCLUSIVE),
    ],
)
@pytest.mark.parametrize("epsilon", [F(1, 100), F(9, 10), F(1, 10**6)])
def test_no_wrong_candidate_is_verified(candidate, verdict, epsilon):
    law = parse_law("squared_norm", "uniform(1, 4)")
    claim = on(law, "candidate", candidate=candidate, epsilon=epsilon).claim("candidate")
    assert claim.verdict is verdict
    if verdict is REFUTED:
        # The point between is on the right side of every later alpha_T, tried at some.
        T0 = claim.values["T0"]
        assert side_at(Expectation(law), (candidate + F(2, 7)) / 2, T0, 4096) == (
            1 if candidate < F(2, 7) else -1
        )


@given(atomic_laws(), st.fractions(min_value=F(-1, 2), max_value=F(1, 2), max_denominator=50))
def test_candidates_of_random_laws(law, off):
    run = Run(law, Settings())
    center = quantities.alpha_star(run)
    found = quantities.tends_to(run, (center * (1 + off),) * 2, F(1, 100))
    assert found.holds is (off == 0)


def test_an_interval_around_the_limit_decides_nothing():
    run = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings())
    assert quantities.tends_to(run, (F(2, 7) - F(1, 10**9), F(2, 7) + F(1, 10**9)), F(1, 100)).holds is None
    assert quantities.tends_to(run, (F(2, 7), F(2, 7) + F(1, 10**9)), F(1, 100)).holds is None


def test_the_points_in_the_text_are_rounded_to_the_safe_side():
    law = parse_law("squared_norm", "uniform(1, 4)")
    record = Record(Evidence.ENCLOSURE)
    quantities.decide_limit(Run(law, Settings()), record, (F(2, 5), F(2, 5)), "2/5")
    (step,) = record.steps
    point = F(step.detail.split()[2].strip("$"))
    assert step.detail.startswith(r"$\alpha_T < ")
    assert F(12, 35) <= point < F(12, 35) + F(1, 10**9)


# --- false variants, each where it is false and where it is true


@pytest.mark.parametrize(
    ("variant", "false_on", "true_on"),
    [
        ("unsquared_norm", "uniform(0, 3)", "uniform(0, 1)"),
        ("unsquared_norm", "point(3)", "point(1)"),
        ("mean_weight", "atoms({1: 1/4, 4: 3/4})", "uniform(1, 3)"),
        ("mean_weight", "beta(2, 3)", "beta(2, 2)"),
        ("mean_weight", "atoms({0: 1/2, 3: 1/2})", "point(3)"),
        ("without_identity", "point(3)", None),
        ("half_exponent", "point(3)", None),
        ("always_minimax", "uniform(0, 3)", "point(3)"),
        ("always_minimax", "atoms({1: 1/3, 4: 2/3})", "atoms({1: 2/3, 2: 1/3})"),
        ("always_minimax", "beta(2, 1, high=3)", "beta(1, 2, high=3)"),
        ("always_minimax", "atoms({1: 1/2, 2: 1/3, 5: 1/6})", "atoms({0: 1/2, 3: 1/2})"),
    ],
)
def test_a_variant_runs_on_the_law_only_where_it_is_false(variant, false_on, true_on):
    claim = next(v.claim for v in THEOREM.false_variants if v.id == variant)
    found = twins(on(parse_law("squared_norm", false_on), claim, falsify=True))[variant]
    assert found.verdict is REFUTED
    assert found.law == false_on
    if true_on is not None:
        found = twins(on(parse_law("squared_norm", true_on), claim, falsify=True))[variant]
        assert found.verdict is REFUTED
        assert found.law != true_on


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("mean_weight", "uniform(1, 3)"),
        ("always_minimax", "point(3)"),
        ("always_minimax", "atoms({1: 2/3, 2: 1/3})"),
        ("always_minimax", "beta(1, 2, low=0, high=3)"),
    ],
)
def test_the_code_of_a_variant_verifies_it_where_it_is_true(variant, text):
    """The twin is judged by code that can say yes."""
    check = next(v.check for v in THEOREM.false_variants if v.id == variant)
    record = Record(Evidence.ENCLOSURE)
    check(Run(parse_law("squared_norm", text), Settings(depths=(1, 2, 8))), record)
    assert record.verdict is VERIFIED


def test_a_variant_whose_difference_is_beyond_reach_is_inconclusive():
    """alpha* and 1/(1 + E s) differ by 1e-40."""
    law = parse_law("squared_norm", f"atoms({{1: {F(1, 2) - F(1, 10**40)}, 4: {F(1, 2) + F(1, 10**40)}}})")
    assert twins(on(law, "limit", falsify=True))["mean_weight"].verdict is INCONCLUSIVE


# --- broken code is noticed


@pytest.fixture(autouse=True)
def _forget_what_a_broken_loss_gave():
    """Derivations are remembered for the process: none from a test that changes the loss."""
    theory.losses.one_parameter_convexity.cache_clear()
    yield
    theory.losses.one_parameter_convexity.cache_clear()


def broken(*claims, **options):
    return verdicts(on(parse_law("squared_norm", "uniform(1, 4)"), *claims, **options))


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        (lambda loss: replace(loss, gradient=(loss.value,)), "minimiser_enclosure"),
        (lambda loss: replace(loss, value=loss.gradient[0]), "bayes_optimal"),
        (lambda loss: replace(loss, curvature=loss.gradient[0]), "unique_minimiser"),
        (lambda loss: replace(loss, gradient=(loss.curvature,)), "flow_converges"),
    ],
)
def test_a_wrong_normal_form_is_noticed(monkeypatch, change, claim):
    right = theory.losses.one_parameter
    changed = change(right())
    monkeypatch.setattr(
        theory.losses, "one_parameter", lambda *claimed: right(*claimed) if claimed else changed
    )
    assert broken(claim, max_bits=1024)[claim] is not VERIFIED


def test_a_wrong_limit_is_noticed(monkeypatch):
    monkeypatch.setattr(theory.limits, "alpha_star", lambda *_: F(2, 7) + F(1, 10**6))
    assert broken("bayes_optimal")["bayes_optimal"] is REFUTED


def test_a_wrong_kappa_is_noticed(monkeypatch):
    right = theory.limits.kappa

    def wrong(low, high):
        return F(42, 100) if isinstance(low, F) else right(low, high)

    monkeypatch.setattr(theory.limits, "kappa", wrong)
    assert broken("bayes_optimal")["bayes_optimal"] is REFUTED


def shift_minimisers(monkeypatch, to=None):
    """Enclosures beside the truth: the next ones of the same width, or at `to`."""
    right = numerics.one_parameter.minimiser.minimiser

    def shifted(*args):
        root = right(*args)
        lower = root.upper if to is None else to
        return replace(root, lower=lower, upper=lower + (root.upper - root.lower))

    monkeypatch.setattr(numerics.one_parameter.minimiser, "minimiser", shifted)


def test_a_wrong_enclosure_is_noticed(monkeypatch):
    shift_minimisers(monkeypatch)
    assert broken("minimiser_enclosure", depths=(2,))["minimiser_enclosure"] is REFUTED


def test_a_wrong_enclosure_at_depth_1_is_noticed_by_its_closed_form(monkeypatch):
    """Even if the signs were wrong as well."""
    shift_minimisers(monkeypatch)
    signs = cycle((1, -1))
    monkeypatch.setattr(numerics.one_parameter.all_large_depths, "side_at", lambda *_: next(signs))
    assert broken("minimiser_enclosure", depths=(1,))["minimiser_enclosure"] is REFUTED


def test_a_wrong_enclosure_is_noticed_by_the_second_evaluator(monkeypatch):
    """Even if the first has the signs that it should."""
    shift_minimisers(monkeypatch)
    for depths, route in (((2,), "rational moments"), ((100,), "integration of the density")):
        signs = cycle((1, -1))
        monkeypatch.setattr(
            numerics.one_parameter.all_large_depths, "side_at", lambda *_, signs=signs: next(signs)
        )
        claim = on(parse_law("squared_norm", "uniform(1, 4)"), "minimiser_enclosure", depths=depths).claims[0]
        assert [step.statement for step in claim.steps if step.verdict is REFUTED] == [
            f"the derivative changes sign by {route}, $T = {depths[0]}$"
        ]


def test_fewer_digits_than_stated_are_not_verified(monkeypatch):
    monkeypatch.setattr(quantities, "MINIMISER_DIGITS", 20)
    run = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings(depths=(8,)))
    quantities.minimiser(run, 8)
    monkeypatch.setattr(quantities, "MINIMISER_DIGITS", 30)
    record = Record(Evidence.ENCLOSURE)
    one_parameter_steps.enclosure(run, record, 8)
    step = record.steps[-1]
    assert (step.verdict, step.detail) == (INCONCLUSIVE, "20 are")


def test_a_flow_that_heads_away_is_noticed(monkeypatch):
    shift_minimisers(monkeypatch, to=F(-1))
    assert broken("flow_converges")["flow_converges"] is REFUTED


def test_a_loss_above_its_bound_is_noticed(monkeypatch):
    """The residual to the power T in place of 2T, in the numbers alone."""
    loss = theory.losses.one_parameter()
    terms = tuple(replace(term, exponent=term.exponent / 2) for term in loss.value.terms)
    changed = replace(loss, value=replace(loss.value, terms=terms))
    monkeypatch.setattr(theory.losses, "one_parameter", lambda: changed)
    assert broken("bayes_optimal", depths=(2,))["bayes_optimal"] is REFUTED


@pytest.mark.parametrize(
    ("reading", "verdict"),
    [((F(2, 7), F(2, 7)), REFUTED), ((F(1, 4), F(1, 3)), INCONCLUSIVE), ((F(2, 5), F(2, 5)), VERIFIED)],
)
def test_a_reading_that_is_right_is_not_refuted(monkeypatch, reading, verdict):
    monkeypatch.setattr(quantities, "unsquared", lambda run: reading)
    assert broken("squared_norm_convention")["squared_norm_convention"] is verdict


def test_a_wrong_flow_time_is_noticed(monkeypatch):
    right = numerics.one_parameter.flow._closed
    monkeypatch.setattr(
        numerics.one_parameter.flow, "_closed", lambda *args: (right(*args)[0] + 1e-5, right(*args)[1])
    )
    # Two estimates that differ are no proof that the flow goes elsewhere.
    assert broken("flow_converges")["flow_converges"] is INCONCLUSIVE


def test_a_recurrence_with_another_sign_is_noticed():
    from theory.symbols import T, alpha, lam, s

    wrong = theory.losses.one_parameter(s / lam * (1 + alpha * lam) ** (2 * T)).derivation
    assert any(step.holds is False for step in wrong.steps)


def test_without_a_norm_there_is_no_sign_to_change():
    """The claim is not asked about s = 0; its two exact steps are false there."""
    record, check = (
        Record(Evidence.ENCLOSURE),
        next(c.check for c in THEOREM.claims if c.id == "unique_minimiser"),
    )
    check(Run(parse_law("squared_norm", "point(0)"), Settings()), record)
    assert {step.statement for step in record.steps if step.verdict is REFUTED} == {
        "$s > 0$ with positive probability",
        "the derivative is negative at 0, positive at 1",
    }


# --- what the limit and the candidate rest on


@pytest.mark.parametrize("wrong", [F(2, 7) + F(1, 10**6), F(2, 5), F(1, 4)])
def test_a_candidate_is_not_judged_by_the_formula(monkeypatch, wrong):
    """With another alpha* typed in, the limit is refuted and the candidates are judged as before."""
    monkeypatch.setattr(theory.limits, "alpha_star", lambda *_: wrong)
    assert broken("limit")["limit"] is REFUTED
    assert broken("candidate", candidate=F(2, 7))["candidate"] is VERIFIED
    assert broken("candidate", candidate=wrong)["candidate"] is REFUTED


def test_a_candidate_rests_on_the_band_about_it():
    result = on(parse_law("squared_norm", "uniform(1, 4)"), "candidate", candidate=F(2, 7), falsify=True)
    (claim,) = result.claims
    assert claim.steps[0].precision_bits >= 64
    assert claim.values["T0"] == 17
    statements = " ".join(step.statement for step in claim.steps)
    assert "the inequality at the lower edge" in statements
    assert "Bernoulli" in statements
    (twin,) = result.false_variants
    assert (twin.id, twin.verdict) == ("theorem_6_2.two_limits", REFUTED)


def test_a_candidate_whose_band_is_not_certified_is_undecided(monkeypatch):
    monkeypatch.setattr(numerics.one_parameter.all_large_depths, "band", lambda *_: None)
    assert broken("candidate", candidate=F(2, 7))["candidate"] is INCONCLUSIVE


def shift_T0(monkeypatch, edge):
    """The proof of one edge of the band reported one depth too early."""
    right = numerics.one_parameter.all_large_depths.band

    def early(*args):
        found = right(*args)
        side = getattr(found, edge)
        return replace(found, **{edge: replace(side, T0=side.T0 - 1)})

    monkeypatch.setattr(numerics.one_parameter.all_large_depths, "band", early)


@pytest.mark.parametrize(
    ("edge", "text", "name", "route"),
    [
        ("low", "uniform(1, 4)", "lower", "integration of the density"),
        ("high", "beta(1, 3, low=1, high=4)", "upper", "integration of the density"),
        ("low", "atoms({1: 1/10, 4: 9/10})", "lower", "integers over the atoms"),
        ("high", "atoms({1: 9/10, 4: 1/10})", "upper", "integers over the atoms"),
    ],
)
@pytest.mark.parametrize("claim", ["limit", "bayes_optimal", "predictor_converges"])
def test_a_depth_that_is_too_early_is_noticed(monkeypatch, edge, text, name, route, claim):
    shift_T0(monkeypatch, edge)
    statements = [statement for statement in failed(claim, text) if "inequality" in statement]
    assert [statement.partition(", $T = ")[0] for statement in statements] == [
        f"the inequality at the {name} edge by {route}"
    ]


@pytest.mark.parametrize(
    ("text", "edge"), [("atoms({1: 9/10, 4: 1/10})", "high"), ("atoms({1: 1/10, 4: 9/10})", "low")]
)
def test_the_depth_published_is_that_of_the_later_side(text, edge):
    """At T0 - 1 the inequality of that side fails, in rational arithmetic."""
    law = parse_law("squared_norm", text)
    values = on(law, "limit").claim("limit").values
    T0, center = values["T0"], F(values["alpha_star"])
    a = center * (F(101, 100) if edge == "high" else F(99, 100))
    p1, p2 = law.atoms.masses

    def margin(T):
        low, high = p1 * (1 - a * 2) ** (2 * T - 1), 4 * p2 * (a * 5 - 1) ** (2 * T - 1)
        return high - low if edge == "high" else low - high

    assert margin(T0) > 0 >= margin(T0 - 1)


def test_a_later_depth_than_assured_is_noticed(monkeypatch):
    right = numerics.one_parameter.all_large_depths.assured
    monkeypatch.setattr(
        numerics.one_parameter.all_large_depths, "assured", lambda *args: replace(right(*args), T=1)
    )
    statements = failed("limit")
    assert REFUTED in statements.values()
    monkeypatch.setattr(numerics.one_parameter.all_large_depths, "assured", lambda *args: None)
    assert set(failed("limit").values()) == {INCONCLUSIVE}


def test_an_equality_with_the_bound_is_checked_in_rational_arithmetic(monkeypatch):
    loss = theory.losses.one_parameter()
    terms = tuple(replace(term, exponent=term.exponent - 1) for term in loss.value.terms)
    monkeypatch.setattr(
        theory.losses, "one_parameter", lambda: replace(loss, value=replace(loss.value, terms=terms))
    )
    found = failed("bayes_optimal", "atoms({1: 1/3, 4: 2/3})", depths=(2,))
    assert found[r"the loss at $\alpha^*$ equals the bound, $T = 2$"] is REFUTED
