"""Theorem 4.1 can fail: what broken code comes to."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb

import numerics
import theory
from numerics.laws.syntax import parse_law
from numerics.self_attention.best_layer import EnclosedRisk
from proofs_check import verify
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, Settings
from proofs_check.theorems import _single_layer as single_layer
from reports.results import Evidence
from tests.proofs_check.theorems.on_theorem_4_1 import (
    INCONCLUSIVE,
    LAW_CLAIMS,
    PAIR,
    REFUTED,
    THEOREM,
    VERIFIED,
    on,
    verdicts,
)


def broken_square(whole):
    """E s^2 too large by a hundredth."""
    return lambda blocks: (lambda b: b._replace(square=b.square * Fraction(101, 100)))(whole(blocks))


@pytest.mark.parametrize("law", [parse_law("squared_norm", "uniform(1, 4)"), parse_law("modalities", *PAIR)])
def test_a_wrong_moment_is_refuted(monkeypatch, law):
    monkeypatch.setattr(
        numerics.self_attention.best_layer, "whole", broken_square(numerics.self_attention.best_layer.whole)
    )
    assert on(law, "gap_positive").claim("gap_positive").verdict is REFUTED


def test_a_wrong_bayes_risk_is_refuted(monkeypatch):
    """The double expectation does not use it."""
    fraction = numerics.self_attention.best_layer.Reciprocal.fraction.func
    monkeypatch.setattr(
        numerics.self_attention.best_layer.Reciprocal,
        "fraction",
        property(lambda self: fraction(self) - Fraction(1, 100)),
    )
    law = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
    assert on(law, "gap_positive").verdict is REFUTED
    assert on(law, "sharp_condition").verdict is REFUTED
    assert on(law, "gap_family").verdict is REFUTED


def test_wrong_weights_are_refuted(monkeypatch):
    best = numerics.self_attention.best_layer.best_layer
    monkeypatch.setattr(
        numerics.self_attention.best_layer,
        "best_layer",
        lambda blocks: replace(best(blocks), weights=best(blocks).weights[::-1]),
    )
    result = on(parse_law("modalities", *PAIR), "modalities", "gap_positive")
    assert verdicts(result) == {"gap_positive": REFUTED, "modalities": REFUTED}


def test_a_formula_of_the_risk_that_is_wrong_is_refuted(monkeypatch):
    from theory.gap import E_s, E_slam

    scalar = theory.gap.scalar
    monkeypatch.setattr(theory.gap, "scalar", lambda claimed=None: scalar(1 - (E_slam - E_s) / E_slam))
    result = on(parse_law("squared_norm", "uniform(1, 4)"), "population_risk", "gap_positive", "gap_identity")
    assert verdicts(result) == {"population_risk": REFUTED, "gap_identity": VERIFIED, "gap_positive": REFUTED}


def test_an_optimum_that_a_layer_beats_is_refuted(monkeypatch):
    best = numerics.self_attention.best_layer.best_layer
    monkeypatch.setattr(
        numerics.self_attention.full_family,
        "best_layer",
        lambda blocks: replace(best(blocks), risk=best(blocks).risk * 2),
    )
    assert on(parse_law("squared_norm", "uniform(1, 4)"), "no_parameter_helps").verdict is REFUTED


def test_searches_that_do_not_come_near_prove_nothing(monkeypatch):
    best = numerics.self_attention.best_layer.best_layer
    monkeypatch.setattr(
        numerics.self_attention.full_family,
        "best_layer",
        lambda blocks: replace(best(blocks), risk=best(blocks).risk / 2),
    )
    assert on(parse_law("squared_norm", "uniform(1, 4)"), "no_parameter_helps").verdict is INCONCLUSIVE


@pytest.mark.parametrize("law", [("squared_norm", "uniform(1, 4)"), ("modalities", *PAIR)])
def test_a_layer_that_is_not_the_best_is_refuted(monkeypatch, law):
    """Its risk is that of its weights, but another has less."""
    best = numerics.self_attention.best_layer.best_layer

    def near(blocks):
        return numerics.self_attention.best_layer.layer(
            blocks, [weight * Fraction(101, 100) for weight in best(blocks).weights]
        )

    monkeypatch.setattr(numerics.self_attention.best_layer, "best_layer", near)
    assert on(parse_law(*law), "gap_positive").verdict is REFUTED


def test_the_best_scalar_is_not_the_best_of_two_modalities(monkeypatch):
    monkeypatch.setattr(
        numerics.self_attention.best_layer, "best_layer", numerics.self_attention.best_layer.scalar_layer
    )
    assert on(parse_law("modalities", *PAIR), "gap_positive").verdict is REFUTED


def step(claim, statement):
    """The verdict of the step whose statement begins so."""
    return next(step.verdict for step in claim.steps if step.statement.startswith(statement))


BROKEN = {
    "layer": (
        "the risk of the best $M = ",
        lambda layer: lambda *of: replace(layer(*of), risk=layer(*of).risk + Fraction(1, 10**9)),
    ),
    "slopes": ("its derivative", lambda slopes: lambda *of: (*slopes(*of)[1:], Fraction(1, 10**9))),
    "gap_by_moments": (
        "the double expectation",
        lambda gap: lambda *of: replace(gap(*of), value=gap(*of).value + Fraction(1, 10**9)),
    ),
    "above_bayes": (
        "the gap is positive",
        lambda gap: lambda *of: replace(gap(*of), value=gap(*of).value - Fraction(2, 35)),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_condition_of_the_gap_is_needed(monkeypatch, name):
    """Whatever else holds: the step itself is refuted."""
    statement, broken = BROKEN[name]
    monkeypatch.setattr(
        numerics.self_attention.best_layer, name, broken(getattr(numerics.self_attention.best_layer, name))
    )
    claim = on(parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})"), "gap_positive").claim("gap_positive")
    assert step(claim, statement) is REFUTED


def test_a_ball_that_does_not_tell_refutes_nothing(monkeypatch):
    unknown = numerics.self_attention.best_layer.EnclosedRisk(arb(0, 1), 53)
    monkeypatch.setattr(numerics.self_attention.best_layer, "above_bayes", lambda *of: unknown)
    monkeypatch.setattr(numerics.self_attention.best_layer, "gap_by_moments", lambda *of: unknown)
    result = on(parse_law("modalities", *PAIR), *LAW_CLAIMS)
    assert set(verdicts(result).values()) == {INCONCLUSIVE}


@pytest.mark.parametrize(
    ("law", "claim", "statement"),
    [
        (("squared_norm", "uniform(1, 4)"), "sharp_condition", "the gap at $s"),
        (("squared_norm", "atoms({1: 1/3, 4: 2/3})"), "sharp_condition", "the gap of this law"),
        (("squared_norm", "uniform(1, 4)"), "gap_family", "the gap at $t = 0$"),
        (("squared_norm", "uniform(1, 4)"), "gap_family", "the gap at $t = 1$ "),
        (("modalities", *PAIR), "modalities", "still above"),
    ],
)
def test_a_gap_of_the_other_sign_is_refuted(monkeypatch, law, claim, statement):
    """0 where it is positive, -1 where it is 0."""
    gap = numerics.self_attention.best_layer.above_bayes
    zero = numerics.self_attention.best_layer.EnclosedRisk(Fraction(0), None)
    below = numerics.self_attention.best_layer.EnclosedRisk(Fraction(-1), None)
    monkeypatch.setattr(
        numerics.self_attention.best_layer, "above_bayes", lambda *of: below if gap(*of).value == 0 else zero
    )
    assert step(on(parse_law(*law), claim).claim(claim), statement) is REFUTED


def test_a_best_layer_that_a_scalar_beats_is_refuted(monkeypatch):
    best = numerics.self_attention.best_layer.best_layer
    monkeypatch.setattr(
        numerics.self_attention.best_layer,
        "best_layer",
        lambda blocks: replace(best(blocks), risk=best(blocks).risk * 2),
    )
    claim = on(parse_law("modalities", *PAIR), "modalities").claim("modalities")
    assert step(claim, "at least as good") is REFUTED


@pytest.mark.parametrize(
    ("distances", "verdict"),
    [
        ([arb(0, 1e-31), arb(1)], VERIFIED),
        ([arb(0, 1e-10), arb(1)], INCONCLUSIVE),
        ([arb(0), arb(0, 1e-10)], INCONCLUSIVE),
        ([arb(-1e-9), arb(1)], REFUTED),
    ],
)
def test_what_a_search_shows(distances, verdict):
    """Below the risk by more than the enclosure: refuted; not known to be above it: nothing."""
    record = Record(Evidence.NUMERIC)
    single_layer.floor(record, SimpleNamespace(less=lambda risk: distances), Fraction(1, 3))
    assert record.steps[0].verdict is verdict


def test_a_search_that_stays_away_is_not_near():
    record = Record(Evidence.NUMERIC)
    single_layer.floor(record, SimpleNamespace(less=lambda risk: [arb(2e-8)]), Fraction(1, 3))
    assert [step.verdict for step in record.steps] == [VERIFIED, INCONCLUSIVE]


def test_the_gap_of_the_family_is_concave():
    """What makes its twin false: above the chord, for one block."""
    variant = next(v for v in THEOREM.false_variants if v.id == "half_the_way_half_the_gap")
    for text in ("uniform(1, 4)", "chi2(5)", "atoms({0: 1/2, 3: 1/2})", "uniform(2, 2.0001)"):
        record = Record(Evidence.ENCLOSURE)
        variant.check(Run(parse_law("squared_norm", text), Settings()), record)
        assert record.verdict is REFUTED


def test_two_modalities_have_a_family_of_their_own():
    """Each squared norm is mixed with its mean, so that v and r stay independent."""
    statement = next(claim.statement for claim in THEOREM.claims if claim.id == "gap_family")
    assert r"$\|v\|^2$ and $\|r\|^2$ independently" in statement
    half = parse_law("modalities", "atoms({0: 1/4, 1/2: 1/2, 1: 1/4})", "atoms({0: 1/4, 1: 1/2, 2: 1/4})")
    atoms = verify(
        "theorem_4_1", modalities=("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})"), claim="gap_family"
    ).claim("gap_family")
    middle = next(row for row in atoms.series["gap_family"].rows if row[0] == 0.5)
    exact = numerics.self_attention.best_layer.SingleLayer(
        numerics.expectation.over_law.Expectation(half), 256
    ).gap.value
    assert Fraction(middle[1]) <= exact <= Fraction(middle[2])


@pytest.mark.parametrize(
    ("gain", "holds"),
    [(arb(-1), False), (arb("1", "1e-9"), True), (arb(0, "1e-9"), None), (arb(0, "1e-150"), True)],
)
def test_a_gain_of_balls_is_refuted_below_0_and_open_where_they_are_wide(gain, holds):
    record = Record(Evidence.ENCLOSURE)
    single_layer.check_gain(record, "a gain", gain)
    (step,) = record.steps
    assert step.statement == "a gain" + (", to within $10^{-99}$" if gain.contains(0) else "")
    assert step.verdict == {True: "verified", False: "refuted", None: "inconclusive"}[holds]


@pytest.mark.parametrize(
    ("second", "verdict"),
    [(arb(0), VERIFIED), (arb("1e-12"), REFUTED), (arb(0, "1e-12"), INCONCLUSIVE)],
)
def test_the_double_expectation_of_a_density_is_held_against_the_gap_to_14_digits(second, verdict):
    gap = EnclosedRisk(arb("0.1", "1e-30"), 128)
    record = Record(Evidence.ENCLOSURE)
    single_layer.same_gap(record, "the same", gap, replace(gap, value=gap.value + second))
    (step,) = record.steps
    assert (step.statement, step.verdict) == ("the same, to 14 digits", verdict)


@pytest.mark.parametrize(
    ("found", "holds"),
    [
        (arb(1, "1e-150"), True),
        (arb(1, "1e-9"), None),
        (arb("1.5", "1e-150"), False),
        (numerics.arithmetic.balls.precise(lambda: 1 + arb(10) ** -120)(), False),
    ],
)
def test_equal_balls_are_said_to_be_near(found, holds):
    record = Record(Evidence.ENCLOSURE)
    single_layer.check_equal(record, "both are 1", [Fraction(1), found], [Fraction(1), Fraction(1)])
    (step,) = record.steps
    assert step.statement == "both are 1, to within $10^{-99}$"
    assert step.verdict == {True: "verified", False: "refuted", None: "inconclusive"}[holds]
