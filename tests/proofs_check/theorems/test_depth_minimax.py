"""`depth_minimax` on many laws: verdicts, numbers, false variants, and what broken code comes to."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings

import numerics
import theory
from numerics.errors import PrecisionExhausted
from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Plan, Run, Settings
from proofs_check.engine.runner import run_plan
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _rate_steps as rate_steps
from proofs_check.theorems import depth_minimax
from reports.results import Evidence, Verdict
from tests.strategies import bounded_laws

THEOREM = depth_minimax.THEOREM
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE
DEPTHS = "16,64,256"


def verdicts(result):
    return {claim.id.partition(".")[2]: claim.verdict for claim in result.claims}


def law_run(text, depths=(16, 64, 256), kind="squared_norm"):
    return Run(parse_law(kind, text), Settings(depths=depths))


def rate_on(run, formula):
    record = Record(Evidence.ENCLOSURE)
    rate_steps.check_rate(run, record, formula)
    return record


def test_the_default_law():
    result = verify("depth_minimax", falsify=True)
    assert result.verdict is VERIFIED
    assert set(verdicts(result).values()) == {VERIFIED}
    assert [variant.verdict for variant in result.false_variants] == [REFUTED] * 7
    laws = {variant.id.partition(".")[2]: variant.law for variant in result.false_variants}
    assert laws.pop("mean_weight") == "atoms({1: 1/3, 4: 2/3})"
    assert set(laws.values()) == {"uniform(1, 4)", "uniform(0, 3)"}
    assert result.claim("minimax_weight").values == {"alpha_star": "2/7", "worst_case": "3/7"}
    assert result.claim("rate").series["rate"].columns == [
        "T",
        "distance_lower",
        "distance_upper",
        "first_order",
    ]
    assert [row[0] for row in result.claim("rate").series["rate"].rows] == [2**k for k in range(13)]


def test_the_gap_and_the_depth_that_closes_it():
    values = verify("depth_minimax", claim=("depth_is_needed",)).claim("depth_is_needed").values
    low, high = (Fraction(values["gap"][end]) for end in ("lower", "upper"))
    assert abs(low - Fraction("0.03667501919984304844759619")) < Fraction(1, 10**25)
    assert 0 < high - low < Fraction(1, 10**25)
    # Excess 0.000495 at T = 3, above gap/100 = 0.000367.
    assert (values["T1"], values["first_T"]) == (5, 4)
    assert values["falls_at_every_step"] is True


def test_a_rare_large_norm_makes_depth_two_worse():
    claim = verify(
        "depth_minimax",
        squared_norm="atoms({1: 999/1000, 100: 1/1000})",
        claim=("depth_is_needed",),
    ).claim("depth_is_needed")
    assert claim.verdict is VERIFIED
    assert claim.values["rises_at"] == [2]
    assert claim.values["falls_at_every_step"] is False


@pytest.mark.parametrize(
    ("kind", "texts", "k1", "k2"),
    [
        ("squared_norm", ("uniform(0, 3)",), "2", "1"),
        ("squared_norm", ("beta(1/2, 1/3, low=1, high=4)",), "1/2", "1/3"),
        ("squared_norm", ("beta(5, 2, low=0, high=10)",), "6", "2"),
        ("squared_norm", ("uniform(2, 2.0001)",), "1", "1"),
        ("squared_norm", ("atoms({1: 1/3, 4: 2/3})",), "0", "0"),
        ("norm", ("beta(2, 1/2)",), "2", "1/2"),
        ("modalities", ("uniform(0, 1)", "beta(2, 1/2)"), "4", "3/2"),
        ("modalities", ("uniform(1, 2)", "atoms({0: 1/2, 2: 1/2})"), "1", "1"),
    ],
)
def test_rates_of_every_kind_of_end(kind, texts, k1, k2):
    options = {kind: texts if kind == "modalities" else texts[0]}
    result = verify("depth_minimax", **options, depth=DEPTHS, claim=("rate",), falsify=True)
    claim = result.claim("rate")
    assert claim.verdict is VERIFIED
    assert (claim.values["k1"], claim.values["k2"]) == (k1, k2)
    twin = next(v for v in result.false_variants if v.id.endswith("opposite_sign"))
    assert twin.verdict is REFUTED
    assert twin.law != "uniform(1, 4)"


@pytest.mark.parametrize("text", ["atoms({1: 2/3, 2: 1/3})", "beta(2, 3)"])
def test_without_a_first_order_term_the_twin_needs_another_law(text):
    result = verify("depth_minimax", squared_norm=text, depth=DEPTHS, claim=("rate",), falsify=True)
    assert result.claim("rate").verdict is VERIFIED
    assert result.claim("rate").values["balanced"] is True
    twin = next(v for v in result.false_variants if v.id.endswith("opposite_sign"))
    assert (twin.law, twin.verdict) == ("uniform(1, 4)", REFUTED)


def test_out_of_the_asymptotic_regime_what_is_left_out_is_large_but_known():
    # The mass near m_lo = 1e-4 looks like that of uniform(0, 3) until T is of the order of 1e4.
    result = verify("depth_minimax", squared_norm="uniform(1/10000, 3)", claim=("rate",), falsify=True)
    assert result.claim("rate").verdict is VERIFIED
    assert "remainder $-1.04$" in result.claim("rate").figure
    assert result.claim("rate").values["T1"] > 4096
    assert {v.verdict for v in result.false_variants} == {REFUTED}


def test_shallow_depths_are_doubled_until_they_decide():
    claim = verify("depth_minimax", depth="1", claim=("rate",)).claim("rate")
    assert claim.verdict is VERIFIED
    assert [row[0] for row in claim.series["rate"].rows] == [1, 2, 4, 8]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda rate: -rate.expr,
        lambda rate: 2 * rate.expr,
        lambda rate: rate.expr.subs(rate.k1, rate.k1 + 1),
        lambda rate: rate.expr.subs({rate.A1: rate.A2, rate.A2: rate.A1}, simultaneous=True),
    ],
)
def test_another_formula_is_refuted(wrong):
    rate = theory.limits.rate()
    record = rate_on(law_run("uniform(0, 3)"), replace(rate, expr=wrong(rate)))
    assert record.verdict is REFUTED
    assert rate_on(law_run("uniform(0, 3)"), rate).verdict is VERIFIED


def test_a_wrong_mass_at_an_end_is_seen(monkeypatch):
    true = numerics.one_parameter.rate.ends

    def wrong(law):
        low = replace(true(law).low, exponent=Fraction(1))
        return replace(true(law), low=low)

    monkeypatch.setattr(numerics.one_parameter.rate, "ends", wrong)
    record = rate_on(law_run("uniform(0, 3)"), theory.limits.rate())
    assert record.verdict is not VERIFIED


def test_another_weight_is_not_minimax():
    run = law_run("uniform(1, 4)")
    for weight, verdict in (
        ((Fraction(2, 7), Fraction(2, 7)), VERIFIED),
        ((Fraction(2, 7), Fraction(3, 7)), INCONCLUSIVE),
        ((Fraction(28, 100), Fraction(28, 100)), REFUTED),
        ((Fraction(29, 100), Fraction(30, 100)), REFUTED),
    ):
        record = Record(Evidence.EXACT)
        depth_minimax.check_minimax(run, record, weight)
        assert record.verdict is verdict


def test_where_both_conventions_agree_the_twin_needs_another_law():
    result = verify("depth_minimax", squared_norm="uniform(0, 1)", claim=("minimax_weight",), falsify=True)
    assert result.claim("minimax_weight").verdict is VERIFIED
    twin = next(v for v in result.false_variants if v.id.endswith("unsquared_norm"))
    assert (twin.law, twin.verdict) == ("uniform(1, 4)", REFUTED)


@pytest.mark.parametrize(
    ("text", "expected", "verdict"),
    [
        ("point(2)", [VERIFIED, VERIFIED, NOT_APPLICABLE, NOT_APPLICABLE], VERIFIED),
        ("atoms({0: 1/2, 3: 1/2})", [VERIFIED, VERIFIED, NOT_APPLICABLE, NOT_APPLICABLE], VERIFIED),
        ("chi2(5)", [NOT_APPLICABLE] * 4, NOT_APPLICABLE),
        ("point(0)", [NOT_APPLICABLE] * 4, NOT_APPLICABLE),
    ],
)
def test_hypotheses(text, expected, verdict):
    result = verify("depth_minimax", squared_norm=text, depth="1,2")
    assert list(verdicts(result).values()) == expected
    assert result.verdict is verdict


@settings(max_examples=8)
@given(bounded_laws())
def test_random_laws(law):
    names = {"minimax_weight", "depth_limit_is_minimax", "rate", "depth_is_needed"}
    plan = Plan.of(THEOREM, law, Settings(depths=(1, 32)), names)
    result = run_plan(plan, ["test"])
    found = verdicts(result)
    # The rate may need more depth than is tried here; it is never refuted.
    assert found.pop("rate") in (VERIFIED, INCONCLUSIVE, NOT_APPLICABLE)
    assert set(found.values()) <= {VERIFIED, NOT_APPLICABLE}


@pytest.mark.parametrize(
    "words", [["--depth", "0"], ["--depth", "16385"], ["--candidate", "1"], ["--start", "0,0"]]
)
def test_bad_input(words, capsys):
    assert main(["depth_minimax", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(("largest", "expected"), [(10**15, VERIFIED), (10**39, INCONCLUSIVE)])
def test_kappa_nearly_1(largest, expected):
    """The bound takes more depth, and more precision, than float64 can tell from none at all."""
    law = f"atoms({{1: 999999/1000000, {largest}: 1/1000000}})"
    found = verify("depth_minimax", squared_norm=law, depth=8, claim="depth_is_needed")
    assert found.verdict is expected


PAIR = ("point(1)", "atoms({0: 99/100, 10: 1/100})")


def needed(**law):
    return verify("depth_minimax", **law, depth=8, claim="depth_is_needed").claim("depth_is_needed")


def test_the_gap_of_two_modalities_is_that_of_the_best_matrix():
    """diag(a I, b I) gains far more than depth 1 can."""
    found = needed(modalities=PAIR)
    assert found.verdict is VERIFIED
    reference = verify("theorem_4_1", modalities=PAIR, claim="modalities").claim("modalities").values
    for name in ("gap", "scalar_gap"):
        number, other = found.values[name], reference[name]
        assert Fraction(number["lower"]) <= Fraction(other["upper"])
        assert Fraction(other["lower"]) <= Fraction(number["upper"])
    gap, scalar = (float(found.values[name]["lower"]) for name in ("gap", "scalar_gap"))
    assert gap == pytest.approx(0.00188356, rel=1e-5)
    assert scalar == pytest.approx(0.1375, rel=1e-5)
    T, lower, upper = found.series["excess"].rows[0]
    assert (T, Fraction(lower) <= Fraction(11, 80) <= Fraction(upper)) == (1, True)
    # 100 times the excess at T1 - 1 is above the gap in the bound, at T1 below.
    constant, kappa = 1 - (Fraction(99, 100) / 2 + Fraction(1, 1200)), Fraction(10, 14)
    T1 = found.values["T1"]
    bounds = [100 * constant * kappa ** (2 * T) for T in (T1 - 1, T1)]
    assert bounds[1] < Fraction(found.values["gap"]["lower"]) <= bounds[0]


def test_with_one_law_both_gaps_are_one():
    values = needed().values
    assert values["gap"] == values["scalar_gap"]


SHIFT = Fraction(1, 10**9)
BROKEN = {
    "the gap is positive": (
        numerics.self_attention.best_layer,
        "above_bayes",
        lambda gap: lambda *of: replace(gap(*of), value=-gap(*of).value),
    ),
    "the enclosures": (
        numerics.self_attention.best_layer,
        "above_bayes",
        lambda gap: lambda *of: replace(gap(*of), value=gap(*of).value + SHIFT),
    ),
    "no scalar $M$": (
        numerics.self_attention.best_layer,
        "scalar_layer",
        lambda layer: lambda blocks: replace(layer(blocks), risk=layer(blocks).risk / 2),
    ),
    r"$\mathbb{E}[s/\lambda] \kappa^{2T}": (
        numerics.one_parameter.rate,
        "depth_below",
        lambda depth: lambda *of: depth(*of) - 1,
    ),
}


@pytest.mark.parametrize("statement", BROKEN)
def test_each_condition_of_depth_is_needed(monkeypatch, statement):
    """Whatever the other steps say, the step itself is refuted."""
    module, name, broken = BROKEN[statement]
    run, record = Run(parse_law("modalities", *PAIR), Settings(depths=(8,))), Record(Evidence.ENCLOSURE)
    monkeypatch.setattr(module, name, broken(getattr(module, name)))
    with suppress(PrecisionExhausted):  # no depth is below a gap that is not positive
        depth_minimax.depth_is_needed(run, record)
    assert next(s.verdict for s in record.steps if s.statement.startswith(statement)) is REFUTED


def test_an_excess_at_depth_one_that_is_wrong_is_seen(monkeypatch):
    true = quantities.excess

    def wrong(run, T):
        value, bits = true(run, T)
        return value * (1 + arb(1) / 10**9), bits

    monkeypatch.setattr(quantities, "excess", wrong)
    assert needed().verdict is REFUTED


def test_a_wrong_worst_case_is_noticed(monkeypatch):
    right = theory.limits.kappa

    def wrong(low, high):
        return Fraction(44, 100) if isinstance(low, Fraction) else right(low, high)

    monkeypatch.setattr(theory.limits, "kappa", wrong)
    result = verify("depth_minimax", claim="minimax_weight")
    assert result.verdict is Verdict.REFUTED
