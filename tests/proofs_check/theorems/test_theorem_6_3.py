"""Theorem 6.3: verdicts on laws of every kind, the numbers that others read, and false twins."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from flint import fmpz_poly
from hypothesis import given, settings

from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.two_parameter import basin, profile, starts
from numerics.two_parameter import minimum as two_parameter_module
from proofs_check import UsageError, verify
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Plan, Run, Settings
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from proofs_check.theorems import _predictor_steps as predictor_steps
from proofs_check.theorems import _two_parameter as two_parameter
from reports.results import ClaimResult, Evidence, TheoremResult, Verdict, from_json, to_json
from tests.strategies import bounded_laws
from theory import limits, stationarity

VERIFIED, REFUTED, INCONCLUSIVE, NOT_APPLICABLE = (
    Verdict.VERIFIED,
    Verdict.REFUTED,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
)
TWINS = {
    "positive_beta",
    "unsquared_norm",
    "inner_sign",
    "every_start",
    "no_negative_start",
    "exact_at_odd_depth",
    "tied_weights",
    "squared_rate",
    "one_layer_fewer",
    "no_whitening",
    "rate_of_the_excess",
}


@cache
def result(law: str = "uniform(1, 4)", depth: str = "1,2,3,8", **options: Any) -> TheoremResult:
    return verify("theorem_6_3", squared_norm=law, depth=depth, falsify=True, **options)


def claim(found: TheoremResult, name: str) -> ClaimResult:
    return found.claim(name)


def verdicts(found: TheoremResult) -> dict[str, Verdict]:
    return {c.id.partition(".")[2]: c.verdict for c in found.claims}


def test_the_default_law() -> None:
    found = result()
    assert found.verdict is VERIFIED
    assert {name for name, verdict in verdicts(found).items() if verdict is not VERIFIED} == {
        "exact_at_finite_depth"
    }
    assert verdicts(found)["exact_at_finite_depth"] is NOT_APPLICABLE
    assert from_json(to_json(found)) == found


def test_every_twin_is_refuted() -> None:
    """On the user's own law where it is false there, else on its witness."""
    for law, elsewhere in (
        ("uniform(1, 4)", {"exact_at_odd_depth"}),
        ("atoms({1: 1/3, 4: 2/3})", {"rate_of_the_excess"}),
        ("point(2)", TWINS - {"inner_sign"}),
        ("atoms({0: 1/2, 1: 1/2})", TWINS - {"inner_sign"}),
    ):
        twins = {v.id.partition(".")[2]: v for v in result(law).false_variants}
        assert set(twins) >= TWINS
        assert {twins[name].verdict for name in TWINS} == {REFUTED}
        own = parse_law("squared_norm", law).texts[0]
        assert {name for name in TWINS if twins[name].law != own} == elsewhere


def test_points() -> None:
    points = claim(result(), "critical_point_enclosure").values["points"]
    assert [point["T"] for point in points] == [2, 3, 8]
    first, _, last = points
    assert first["beta"]["exact"] == "-11/40"
    for key, expected in (
        ("alpha", "0.281437651178712"),
        ("beta", "-0.281408057942875"),
        ("excess", "3.3358646e-8"),
    ):
        low, high = (Fraction(last[key][end]) for end in ("lower", "upper"))
        assert low < high
        assert float(low) == pytest.approx(float(expected), rel=1e-7)
        assert abs(high - low) < abs(low) * Fraction(1, 10**15)
    total = [Fraction(last["alpha_plus_beta"][end]) for end in ("lower", "upper")]
    assert total[0] <= total[1] < total[0] * (1 + Fraction(1, 10**10))
    listed = claim(result(), "critical_point_enclosure").values["critical_points"]
    assert [(point["T"], point["kind"]) for point in listed] == [
        (T, kind) for T in (2, 3, 8) for kind in ("saddle", "minimum")
    ]


def test_depth_one_is_degenerate() -> None:
    steps = [
        s for s in claim(result(), "critical_point_enclosure").steps if s.statement.startswith("$T = 1$")
    ]
    assert [step.verdict for step in steps] == [VERIFIED]
    alone = result(depth="1")
    assert alone.verdict is NOT_APPLICABLE
    assert [h.id for h in alone.hypotheses if h.decisive and not h.holds] == ["beta_matters"]
    assert verdicts(alone)["critical_point_enclosure"] is NOT_APPLICABLE
    assert verdicts(alone)["limit"] is VERIFIED


def test_limit_values() -> None:
    values = claim(result(epsilon="7/40"), "limit").values
    assert values["alpha_star"] == "2/7"
    assert values["epsilon"] == "7/40"
    assert values["T0"] <= 21
    assert claim(result(), "limit").values["T0"] > 200


def test_starts_given() -> None:
    found = verify(
        "theorem_6_3",
        squared_norm="uniform(1, 4)",
        depth="2,4",
        claim="flow_converges",
        start=["-0.05,-0.7", "-2,0", "-0.1,-0.35", "-1/2,1/2"],
    )
    assert found.verdict is VERIFIED
    rows = {
        (row["T"], row["alpha0"], row["beta0"]): (row["outcome"], row["proved"])
        for row in claim(found, "flow_converges").values["starts"]
    }
    assert rows[2, "0", "0"] == ("converged", True)
    assert rows[2, "-1/20", "-7/10"] == ("escaped", True)
    assert rows[2, "-2", "0"] == rows[4, "-2", "0"] == ("escaped", False)
    assert rows[4, "-1/10", "-7/20"] == ("converged", True)
    assert rows[4, "-1/2", "1/2"] == ("converged", False)


def test_basin_grid() -> None:
    found = verify(
        "theorem_6_3", squared_norm="uniform(1, 4)", depth="2,8", claim="flow_converges", basin="9,7"
    )
    table = claim(found, "flow_converges").series["basin"]
    assert found.verdict is VERIFIED
    assert table.columns == ["alpha0", "beta0", "outcome", "proved"]
    assert len(table.rows) == 63
    assert {row[2] for row in table.rows} == {"converged", "escaped"}
    assert {row[3] for row in table.rows} == {True, False}


def test_initialisation_matters() -> None:
    rows = claim(result(), "initialisation_matters").values["starts"]
    assert [row["outcome"] for row in rows] == ["escaped", "converged"] * 3
    assert all(Fraction(row["alpha0"]) < 0 for row in rows if row["outcome"] == "converged")
    for row in rows:
        if row["outcome"] == "escaped":
            assert 0 < float(row["limit_loss"]["lower"]) < 1 - (1.6094 - 0.6932) / 3
    orbit = claim(result(), "initialisation_matters").series["escaping_orbits"].rows
    assert orbit[-1][2] < 2 * orbit[0][2] < 0


def test_series_for_figures() -> None:
    found = result()
    enclosure, flow = claim(found, "critical_point_enclosure"), claim(found, "flow_converges")
    assert enclosure.values["loss_plane_depth"] == 8
    assert enclosure.series["loss_plane"].columns == ["alpha", "beta", "log10_excess"]
    assert [row[0] for row in enclosure.series["excess"].rows] == [2, 3, 8]
    assert flow.series["orbits"].columns == ["start", "alpha", "beta"]
    assert len({row[0] for row in flow.series["orbits"].rows}) == 5


def test_two_atoms_are_exact_at_even_depth() -> None:
    found = result("atoms({1: 1/3, 4: 2/3})")
    assert found.verdict is VERIFIED
    assert verdicts(found)["exact_at_finite_depth"] is VERIFIED
    points = {point["T"]: point for point in claim(found, "critical_point_enclosure").values["points"]}
    assert points[8]["excess"]["exact"] == "0"
    assert Fraction(points[3]["excess"]["lower"]) > 0
    odd = result("atoms({1: 1/3, 4: 2/3})", depth="3")
    assert verdicts(odd)["exact_at_finite_depth"] is NOT_APPLICABLE


def test_equal_excess_is_decided_by_the_flow() -> None:
    """s dP symmetric: alpha_T = alpha*, and at odd depth both excesses agree to more digits than computed."""
    found = verify(
        "theorem_6_3",
        squared_norm="atoms({1: 2/3, 2: 1/3})",
        depth="65",
        claim="bayes_optimal",
    )
    assert found.verdict is VERIFIED


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"squared_norm": "point(2)"}, NOT_APPLICABLE),
        ({"squared_norm": "point(0)"}, NOT_APPLICABLE),
        ({"squared_norm": "atoms({0: 1/2, 3: 1/2})"}, NOT_APPLICABLE),
        ({"squared_norm": "chi2(5)"}, NOT_APPLICABLE),
        ({"squared_norm": "atoms({1: 999999/1000000, 1000: 1/1000000})"}, VERIFIED),
        ({"squared_norm": "uniform(2, 2.0001)"}, VERIFIED),
        ({"squared_norm": "beta(1/2, 1/3, low=1, high=4)"}, VERIFIED),
        ({"norm": "uniform(1, 2)"}, VERIFIED),
        ({"modalities": ("uniform(0, 1)", "beta(2, 1/2)")}, VERIFIED),
        ({"modalities": ("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})")}, VERIFIED),
    ],
)
def test_laws(options: dict[str, Any], expected: Verdict) -> None:
    found = verify("theorem_6_3", depth="2,3,8", **options)
    assert found.verdict is expected
    assert verdicts(found)["population_loss"] is VERIFIED
    if options.get("squared_norm") == "chi2(5)":
        assert verdicts(found)["critical_point_enclosure"] is VERIFIED
        assert verdicts(found)["flow_converges"] is VERIFIED
        assert verdicts(found)["limit"] is NOT_APPLICABLE


@settings(max_examples=6, deadline=None)
@given(bounded_laws().filter(lambda law: not law.is_constant))
def test_any_bounded_law(law: Law) -> None:
    plan = Plan.of(load_theorem("theorem_6_3"), law, Settings(depths=(2, 5)))
    for found in run_plan(plan, ["test"]).claims:
        assert found.verdict in (VERIFIED, NOT_APPLICABLE), (found.id, found.steps[-1])


def test_too_deep() -> None:
    with pytest.raises(UsageError, match="256"):
        verify("theorem_6_3", depth=257)


def test_no_depth_left() -> None:
    run = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings(depths=(1,)))
    assert two_parameter.depths(run) == ()


def short(name: str) -> ClaimResult:
    return verify("theorem_6_3", depth="2,3", claim=name).claim(name)


def test_a_profile_with_a_wrong_sign_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """R = 2 N' D + N D'."""

    def wrong(self: profile.Profile) -> fmpz_poly:
        return 2 * self.N_beta * self.D + self.N * self.D.derivative()

    monkeypatch.setattr(profile.Profile, "R", property(wrong))
    assert short("critical_point_enclosure").verdict is not VERIFIED


def test_a_wrong_barrier_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything said to converge: integration disagrees, and as it is no proof it decides nothing."""
    monkeypatch.setattr("numerics.two_parameter.basin.Basin.below_barrier", lambda *_: True)
    monkeypatch.setattr(starts, "stated_starts", lambda *_: [(Fraction(-1, 20), Fraction(-7, 10))])
    monkeypatch.setattr("numerics.two_parameter.basin.Basin.settled", lambda self, a, b: "escaped")
    assert short("flow_converges").verdict is INCONCLUSIVE


def test_a_wrong_saddle_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a proof of escape the claim is inconclusive."""
    monkeypatch.setattr("numerics.two_parameter.basin.Basin.escapes", lambda *_: False)
    assert short("initialisation_matters").verdict is INCONCLUSIVE


def test_a_wrong_derivation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = stationarity.flow_geometry(-stationarity.N_beta / stationarity.D)
    monkeypatch.setattr(stationarity, "flow_geometry", lambda: wrong)
    assert short("flow_converges").verdict is REFUTED


def test_a_wrong_limit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The band is about 2/(l1 + l2), whatever is claimed to be alpha*."""
    honest = limits.alpha_star
    monkeypatch.setattr(limits, "alpha_star", lambda low, high: honest(low, high) * Fraction(101, 100))
    assert short("limit").verdict is REFUTED


@pytest.mark.parametrize("name", ["alpha", "alpha_plus_beta", "excess"])
def test_a_wrong_enclosure_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    honest = two_parameter_module.enclose

    def wrong(*arguments: Any) -> two_parameter_module.EnclosedMinimum:
        found = honest(*arguments)
        value = getattr(found, name)
        return replace(found, **{name: value + value / 2**20})

    monkeypatch.setattr(two_parameter_module, "enclose", wrong)
    assert short("critical_point_enclosure").verdict is REFUTED


def test_a_profile_in_the_wrong_unit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = profile.lam_moments
    monkeypatch.setattr(profile, "lam_moments", lambda moments: (honest(moments)[0], 2 * honest(moments)[1]))
    assert short("critical_point_enclosure").verdict is REFUTED


def test_a_barrier_that_is_too_generous_is_caught_by_integration(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start in the basin that is said to escape comes back: not verified, and not refuted by float64."""
    start = (Fraction(1, 10), Fraction(-1, 5))
    monkeypatch.setattr(basin.Basin, "proved", lambda *_: "escaped")
    monkeypatch.setattr(starts, "escaping_start", lambda _: start)
    monkeypatch.setattr(starts, "negative_start", lambda _: None)
    found = verify("theorem_6_3", depth="2", claim="initialisation_matters")
    assert claim(found, "initialisation_matters").verdict is INCONCLUSIVE


def rates(law: str, *depths: int, power: int = 1) -> list[tuple[str, Verdict]]:
    """The steps on the residual of a prompt."""
    record, run = Record(Evidence.ENCLOSURE), Run(parse_law("squared_norm", law), Settings(depths=depths))
    for T in depths:
        predictor_steps.two_parameter_rate(run, record, T, power)
    return [(step.statement, step.verdict) for step in record.steps]


def test_the_predictor_converges_at_its_rate() -> None:
    steps = [step.statement for step in claim(result(), "predictor_converges").steps]
    assert [step[-2] for step in steps if "$2R/(1 - R)$" in step] == ["2", "3", "8"]


@pytest.mark.parametrize("T", [8, 9, 33])
def test_the_predictor_is_not_as_fast_as_its_square(T: int) -> None:
    assert [verdict for _, verdict in rates("uniform(1, 4)", T)] == [VERIFIED]
    assert [verdict for _, verdict in rates("uniform(1, 4)", T, power=2)] == [REFUTED]


def test_two_atoms_have_no_residual_at_even_depth() -> None:
    """So there the square of the rate is true, and the twin runs on a law of its own."""
    law = "atoms({1: 1/3, 4: 2/3})"
    assert [verdict for _, verdict in rates(law, 8, power=2)] == [VERIFIED]
    found = result(law, "2,8", claim="predictor_converges")
    twin = next(v for v in found.false_variants if v.id == "theorem_6_3.rate_of_the_excess")
    assert (twin.law, twin.verdict) == ("uniform(1, 4)", REFUTED)


def test_a_late_limit_is_not_looked_at_by_integrals_that_have_no_closed_form():
    """At T0 > 10^6 those with 1/lam are sums of millions of moments: minutes, which `effort` tells."""
    law = "mixture({uniform(0, 1): 1/2, point(1000): 1/2})"
    claim = verify("theorem_6_3", squared_norm=law, claim="limit", epsilon="1/10").claims[0]
    assert claim.verdict is Verdict.VERIFIED
    assert claim.values["T0"] > 10**6
    assert not [step for step in claim.steps if "profile" in step.words]
