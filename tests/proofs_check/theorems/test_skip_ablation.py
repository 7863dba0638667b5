"""`skip_ablation` on many laws: verdicts, numbers, false variants, and what broken code comes to."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings

import numerics
from numerics.laws.syntax import parse_law
from numerics.no_skip.floor_at_every_depth import AllDepths
from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Plan, Settings
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from proofs_check.theorems import skip_ablation
from reports.results import Evidence, Verdict
from tests.strategies import laws

THEOREM = load_theorem("skip_ablation")
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE
SILENT = NOT_APPLICABLE


def verdicts(result):
    return {claim.id.partition(".")[2]: claim.verdict for claim in result.claims}


def twin(result, name):
    return next(variant for variant in result.false_variants if variant.id.endswith(name))


def test_the_default_law():
    result = verify("skip_ablation", falsify=True)
    assert result.verdict is VERIFIED
    assert set(verdicts(result).values()) == {VERIFIED}
    assert {variant.verdict for variant in result.false_variants} == {REFUTED}
    assert {variant.law for variant in result.false_variants} == {"uniform(1, 4)"}
    kinds = [claim.kind for claim in result.claims]
    assert kinds == [Evidence.SYMBOLIC] + [Evidence.ENCLOSURE] * 3


def test_the_floors_of_the_default_law():
    result = verify("skip_ablation", depth="1,2,8,64,256")
    rows = result.claim("floor_with_initial_embedding").series["floor"].rows
    for (T, low, high, with_skip), (depth, excess) in zip(
        rows,
        [(1, "0.0607"), (2, "0.0160"), (8, "0.0038"), (64, "0.00215"), (256, "0.0020")],
        strict=True,
    ):
        assert depth == T
        assert Fraction(low) < Fraction(high)
        assert abs(Fraction(low) - Fraction(excess)) < Fraction(1, 10**4)
        assert Fraction(with_skip) < Fraction(low)
    floor = Fraction(result.claim("floor_for_all_depths").values["floor"]["lower"])
    assert 0 < floor < min(Fraction(row[1]) for row in rows)
    # E[s/lam] kappa^(2T) = 0.6946 (3/7)^(2T)
    T1 = result.claim("skip_restores_optimality").values["T1"]
    signal = 1 - Fraction("0.3054302439580516883945")
    assert signal * Fraction(3, 7) ** (2 * T1) < floor <= signal * Fraction(3, 7) ** (2 * T1 - 2)


def test_without_skip_can_be_better_at_small_depth():
    result = verify("skip_ablation", squared_norm="uniform(0, 3)", depth="1,2,64")
    assert result.verdict is VERIFIED
    rows = result.claim("skip_restores_optimality").series["before_T1"].rows
    assert [row[0] for row in rows] == [1, 2]
    assert all(Fraction(without) < Fraction(skip) for _, skip, without in rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("point(2)", [VERIFIED, SILENT, SILENT, SILENT]),
        ("point(0)", [VERIFIED, SILENT, SILENT, SILENT]),
        ("atoms({0: 1/2, 3: 1/2})", [VERIFIED, SILENT, SILENT, SILENT]),
        ("atoms({1: 1/2, 3: 1/2})", [VERIFIED, VERIFIED, SILENT, SILENT]),
        ("atoms({1/2: 1/2, 2: 1/2})", [VERIFIED, SILENT, SILENT, SILENT]),
        ("atoms({5/4: 1/2, 8: 1/2})", [VERIFIED, SILENT, SILENT, SILENT]),
        ("atoms({1: 1/3, 4: 2/3})", [VERIFIED] * 4),
        ("atoms({1: 999999/1000000, 1000: 1/1000000})", [VERIFIED] * 4),
        ("uniform(2, 2.0001)", [VERIFIED] * 4),
        ("beta(1/2, 1/3, low=1, high=4)", [VERIFIED] * 4),
        ("chi2(5)", [VERIFIED, VERIFIED, VERIFIED, SILENT]),
    ],
)
def test_laws(text, expected):
    result = verify("skip_ablation", squared_norm=text, depth="1,2,8")
    assert list(verdicts(result).values()) == expected
    # All that is printed holds for chi2(5): that the skip restores optimality is stated for a bounded norm.
    assert result.verdict is (VERIFIED if expected[2] is VERIFIED else NOT_APPLICABLE)


@pytest.mark.parametrize(
    ("law", "failing"),
    [
        ("point(0)", "not_zero"),
        ("point(2)", "not_fitted"),
        ("atoms({0: 1/2, 2: 1/2})", "not_fitted"),
        ("atoms({1/2: 1/2, 2: 1/2})", "not_fitted"),
        ("atoms({1: 1/2, 3: 1/2})", "not_fitted_in_the_limit"),
    ],
)
def test_where_the_excess_is_not_bounded_away_from_0_the_theorem_does_not_apply(law, failing, capsys):
    assert main(["skip_ablation", "--squared-norm", law, "--depth", "1,2", "--quiet"]) == 4
    result = verify("skip_ablation", squared_norm=law, depth="1")
    assert [h.id for h in result.hypotheses if h.decisive and not h.holds] == [failing]


def test_where_only_some_claims_do_not_apply_the_theorem_does(capsys):
    assert main(["skip_ablation", "--squared-norm", "chi2(5)", "--depth", "1,2", "--quiet"]) == 0


@pytest.mark.parametrize("depth", ["1", "1,2", "2"])
def test_a_claim_alone_does_not_pass_over_a_depth_that_is_fitted(depth):
    result = verify(
        "skip_ablation",
        squared_norm="atoms({1/2: 1/2, 2: 1/2})",
        depth=depth,
        claim="floor_with_initial_embedding",
    )
    assert result.verdict is NOT_APPLICABLE
    assert r"$T = 1$ ($\beta = -2/9$)" in result.claim("floor_with_initial_embedding").figure


def test_the_exceptions_are_printed():
    assert r"unless $(1+\beta\lambda)^T = \lambda^{-1}" in THEOREM.statement
    assert r"\lambda_1^{\lambda_2} = \lambda_2^{\lambda_1}" in THEOREM.statement
    assert [h.id for h in THEOREM.hypotheses if not h.decisive] == ["bounded_norm", "one_factor"]
    claim = next(claim for claim in THEOREM.claims if claim.id == "skip_restores_optimality")
    assert claim.statement.startswith(next(h.statement for h in THEOREM.hypotheses if not h.decisive))


@pytest.mark.parametrize(
    ("text", "law"),
    [("chi2(5)", "chi2(5)"), ("uniform(2, 2.0001)", "uniform(1, 4)"), ("point(2)", "uniform(1, 4)")],
)
def test_the_false_fall_runs_where_it_is_false(text, law):
    result = verify(
        "skip_ablation", squared_norm=text, depth="1", falsify=True, claim=("floor_with_initial_embedding",)
    )
    found = twin(result, "falls_below_a_thousandth")
    assert (found.law, found.verdict) == (law, REFUTED)


def test_a_floor_that_is_too_high_is_refuted(monkeypatch):
    true = numerics.no_skip.floor_at_every_depth.floor_for_all_depths

    def raised(law):
        found = true(law)
        return AllDepths(Fraction(1, 100), found.groups, found.ranges)

    monkeypatch.setattr(numerics.no_skip.floor_at_every_depth, "floor_for_all_depths", raised)
    result = verify("skip_ablation", depth="8", claim=("floor_for_all_depths",))
    assert result.verdict is REFUTED


def test_a_precision_limit_is_inconclusive():
    result = verify("skip_ablation", depth="64", max_bits="32", claim=("floor_with_initial_embedding",))
    assert result.claim("floor_with_initial_embedding").verdict is INCONCLUSIVE


@settings(max_examples=12)
@given(laws())
def test_random_laws(law):
    plan = Plan.of(THEOREM, law, Settings(depths=(1, 2, 5)), {claim.id for claim in THEOREM.claims})
    result = run_plan(plan, ["test"])
    assert set(verdicts(result).values()) <= {VERIFIED, NOT_APPLICABLE}
    if law.pieces:
        assert verdicts(result)["floor_for_all_depths"] is VERIFIED


def test_splitting_an_atom_changes_nothing():
    whole = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
    zero = parse_law("squared_norm", "atoms({0: 1/2, 1: 1/6, 4: 1/3})")
    floors = [numerics.no_skip.floor_at_every_depth.floor_for_all_depths(law).floor for law in (whole, zero)]
    # s = 0 adds nothing: half the mass gives half the excess.
    assert float(floors[0]) == pytest.approx(2 * float(floors[1]), rel=0.2)


@pytest.mark.parametrize("words", [["--depth", "0"], ["--depth", "1025"], ["--epsilon", "1/10"]])
def test_bad_input(words, capsys):
    assert main(["skip_ablation", *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_doubled_floor_is_noticed(monkeypatch):
    one, all_of_them = (
        numerics.no_skip.floor_at_depth.least_excess,
        numerics.no_skip.floor_at_every_depth.floor_for_all_depths,
    )

    def doubled(*arguments):
        found = one(*arguments)
        return replace(found, lower=2 * found.lower)

    def doubled_for_all(law):
        found = all_of_them(law)
        return replace(found, floor=2 * found.floor)

    monkeypatch.setattr(numerics.no_skip.floor_at_depth, "least_excess", doubled)
    monkeypatch.setattr(numerics.no_skip.floor_at_every_depth, "floor_for_all_depths", doubled_for_all)
    found = verdicts(verify("skip_ablation", depth="1,2"))
    assert found["floor_with_initial_embedding"] is REFUTED
    assert found["floor_for_all_depths"] is INCONCLUSIVE


def step(claim, statement):
    """The verdict of the step whose statement holds this."""
    return next(step.verdict for step in claim.steps if statement in step.statement)


def one(claim):
    return verify("skip_ablation", depth="1", claim=claim).claim(claim)


def test_a_depth_at_which_the_bound_is_not_below_the_floor_is_refuted(monkeypatch):
    true = numerics.one_parameter.rate.depth_below
    monkeypatch.setattr(numerics.one_parameter.rate, "depth_below", lambda *of: true(*of) - 1)
    assert step(one("skip_restores_optimality"), "is below the floor") is REFUTED


def test_a_bound_between_the_floor_and_what_is_attained_decides_nothing():
    record = Record(Evidence.ENCLOSURE)
    for excess in (arb(1), arb(2), arb(3), arb(4), arb(0, 1.5)):
        skip_ablation._below_floor(record, "it", excess, (Fraction(2), Fraction(3)))
    found = [step.verdict for step in record.steps]
    assert found == [VERIFIED, INCONCLUSIVE, REFUTED, REFUTED, VERIFIED]


def test_each_floor_has_to_be_positive(monkeypatch):
    true = numerics.no_skip.floor_at_depth.least_excess
    monkeypatch.setattr(
        numerics.no_skip.floor_at_depth, "least_excess", lambda *of: replace(true(*of), lower=Fraction(0))
    )
    assert step(one("floor_with_initial_embedding"), "is positive") is INCONCLUSIVE


def test_groups_that_are_not_excluded_show_nothing(monkeypatch):
    true = numerics.no_skip.floor_at_every_depth.floor_for_all_depths
    monkeypatch.setattr(
        numerics.no_skip.floor_at_every_depth,
        "floor_for_all_depths",
        lambda law: replace(true(law), groups=true(law).groups[:1]),
    )
    assert step(one("floor_for_all_depths"), "cannot be fitted") is INCONCLUSIVE


@pytest.mark.parametrize("name", ["least_at_depth_one", "optimal_from_depth_one"])
@pytest.mark.parametrize("text", ["uniform(0, 3)", "chi2(5)", "atoms({1: 1/3, 3: 1/3, 4: 1/3})"])
def test_the_twins_of_the_floor_are_refuted(name, text):
    result = verify("skip_ablation", squared_norm=text, depth="1", falsify=True)
    assert twin(result, name).verdict is REFUTED
