"""Theorem 6.2 on many laws: verdicts, exit codes and numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from numerics.errors import DepthLimit
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.one_parameter.all_large_depths import side_at
from proofs_check import verify
from proofs_check.engine.context import Run, Settings
from proofs_check.engine.hypotheses import convention_matters
from proofs_check.theorems import _quantities as quantities
from reports.results import Evidence, Verdict, from_json, json_schema, to_json
from tests.proofs_check.theorems.on_theorem_6_2 import CLAIMS, TWINS, on, twins, verdicts
from tests.strategies import atomic_laws, bounded_laws, laws

F = Fraction
ROOT = Path(__file__).parents[3]
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE
FAST = (
    "limit",
    "bayes_optimal",
    "predictor_converges",
    "minimiser_enclosure",
    "unique_minimiser",
    "squared_norm_convention",
)


# --- the default run


@pytest.fixture(scope="module")
def default():
    return verify("theorem_6_2", falsify=True)


def test_everything_is_verified_and_every_twin_refuted(default):
    assert default.verdict is VERIFIED
    assert verdicts(default) == dict.fromkeys(CLAIMS, VERIFIED)
    assert {id: twins(default)[id].verdict for id in TWINS} == dict.fromkeys(TWINS, REFUTED)
    assert [hypothesis.holds for hypothesis in default.hypotheses] == [True] * 4
    assert all(claim.steps and claim.figure for claim in default.claims)


def test_kinds_of_evidence(default):
    kinds = {claim.id.partition(".")[2]: claim.kind for claim in default.claims}
    assert kinds == {
        "embedding_closed_form": Evidence.SYMBOLIC,
        "population_loss": Evidence.SYMBOLIC,
        "unique_minimiser": Evidence.ENCLOSURE,
        "minimiser_enclosure": Evidence.ENCLOSURE,
        "flow_converges": Evidence.NUMERIC,
        "limit": Evidence.ENCLOSURE,
        "bayes_optimal": Evidence.ENCLOSURE,
        "predictor_converges": Evidence.ENCLOSURE,
        "squared_norm_convention": Evidence.ENCLOSURE,
    }


REFERENCE = {
    1: ("0.2631578947368421052631579", "0.0366750191998"),
    2: ("0.2708886844411440983037221", "0.00385964696661"),
    3: ("0.2746998802479648523935604", "0.000494830994545"),
    8: ("0.2809121034350762816589032", "4.09569197612e-8"),
    32: ("0.2844215656982157131125207", "2.27331783634e-26"),
    128: ("0.2853848669700099542464039", "1.27387708615e-97"),
}


def test_the_numbers_that_others_read(default):
    rows = default.claim("minimiser_enclosure").values["alpha_T"]
    assert [row["T"] for row in rows] == list(REFERENCE)
    for row in rows:
        lower, upper, printed = F(row["lower"]), F(row["upper"]), F(REFERENCE[row["T"]][0])
        assert lower < upper <= lower + F(1, 10**30)
        assert row["digits"] == 30
        assert lower - F(1, 2 * 10**25) <= printed <= upper + F(1, 2 * 10**25)
    for row in default.claim("bayes_optimal").values["excess"]:
        lower, upper, printed = F(row["lower"]), F(row["upper"]), F(REFERENCE[row["T"]][1])
        assert lower < upper < lower * (1 + F(1, 10**13))
        assert abs(lower - printed) < printed / 10**11
    limit = default.claim("limit").values
    assert limit == {"alpha_star": "2/7", "epsilon": "1/100", "T0": 17, "first_T": 15}
    optimal = default.claim("bayes_optimal").values
    assert (optimal["kappa"], optimal["epsilon"], optimal["T0"]) == ("3/7", "1/100", 17)
    # rho = (alpha* + eps) l2 - 1.
    assert F(optimal["rho"]["exact"]) == F(2, 7) * F(101, 100) * 5 - 1
    unsquared = default.claim("squared_norm_convention").values["alpha_unsquared"]
    assert F(unsquared["lower"]) <= F(2, 5) <= F(unsquared["upper"])


def test_series_for_the_figures(default):
    series = default.claim("minimiser_enclosure").series["alpha_T"]
    assert series.columns == ["T", "lower", "upper"]
    assert [row[0] for row in series.rows] == list(REFERENCE)
    excess = default.claim("bayes_optimal").series["excess"]
    assert excess.columns == ["T", "lower", "upper", "bound"]
    for T, lower, upper, bound in excess.rows:
        assert F(lower) <= F(upper) <= F(bound)
        # E[s/lam] = 1 - log(5/2)/3.
        assert float(F(bound) / F(3, 7) ** (2 * T)) == pytest.approx(0.69456975604194831)
    times = default.claim("flow_converges").series["flow_time"]
    assert len(times.rows) == 2 * len(REFERENCE)


def test_flows_start_on_both_sides_and_far_away(default):
    starts = {F(row[1]) for row in default.claim("flow_converges").series["flow_time"].rows}
    assert min(starts) < F(1, 4)
    assert max(starts) >= 10


def test_a_result_survives_json(default):
    data = to_json(default)
    assert from_json(data) == default
    jsonschema.validate(json.loads(data), json_schema())


# --- T0


@pytest.mark.parametrize(
    ("law", "epsilon", "T0", "first"),
    [
        # |alpha_T - alpha*| < 1/100, absolutely.
        ("uniform(1, 4)", F(7, 200), 5, 4),
        ("uniform(0, 3)", F(1, 40), 28, None),
        # Both sides of the inequality are equal at n = 1, and alpha_1 = 3/14.
        ("atoms({1: 1/3, 4: 2/3})", F(1, 4), 2, 2),
        # alpha_1 = alpha* exactly, alpha_2 is off by 0.0068.
        ("atoms({1: 1/2, 2: 1/3, 5: 1/6})", F(1, 50), None, None),
        ("point(2)", F(1, 10**9), 1, 1),
        ("atoms({0: 1/2, 3: 1/2})", F(1, 10**9), 1, 1),
        ("uniform(1, 4)", F(9, 10), 1, 1),
    ],
)
def test_reference_depths(law, epsilon, T0, first):
    law = parse_law("squared_norm", law)
    values = on(law, "limit", epsilon=epsilon).claim("limit").values
    assert T0 is None or values["T0"] == T0
    assert first is None or values["first_T"] == first
    center, expectation = F(values["alpha_star"]), Expectation(law)
    low, high = center * (1 - epsilon), center * (1 + epsilon)

    def inside(T):
        return side_at(expectation, low, T, 4096) == 1 and side_at(expectation, high, T, 4096) == -1

    assert all(inside(T) for T in range(values["first_T"], values["T0"] + 30))
    assert values["first_T"] == 1 or not inside(values["first_T"] - 1)


def test_a_depth_that_holds_by_chance_is_not_the_first():
    law = parse_law("squared_norm", "atoms({1: 1/2, 2: 1/3, 5: 1/6})")
    values = on(law, "limit", epsilon=F(1, 50)).claim("limit").values
    assert side_at(Expectation(law), F(1, 4), 1, 256) == 0
    assert values["first_T"] > 2


@given(bounded_laws(), st.integers(1, 60), st.integers(0, 50))
@settings(max_examples=15)
def test_every_minimiser_from_T0_on_is_in_the_band(law, percent, later):
    run = Run(law, Settings(max_bits=8192))
    epsilon = F(percent, 100)
    try:
        found = quantities.band(run, epsilon)
    except DepthLimit:
        assume(False)
    assume(found.T0 < 200)
    root, center = quantities.minimiser(run, found.T0 + later), quantities.alpha_star(run)
    assert root.upper > center * (1 - epsilon)
    assert root.lower < center * (1 + epsilon)
    if not law.is_constant:
        assert root.lower > center * (1 - epsilon)
        assert root.upper < center * (1 + epsilon)


# --- laws


@given(bounded_laws())
@settings(max_examples=10)
def test_nothing_is_refuted_on_a_bounded_law(law):
    result = on(law, *FAST, epsilon=F(1, 20), max_bits=8192)
    for claim, verdict in verdicts(result).items():
        assert verdict is VERIFIED or (claim, verdict) in {
            ("squared_norm_convention", NOT_APPLICABLE),
            ("limit", INCONCLUSIVE),
            ("bayes_optimal", INCONCLUSIVE),
            ("predictor_converges", INCONCLUSIVE),
            ("squared_norm_convention", INCONCLUSIVE),
        }, (claim, result.claim(claim).figure)
        if verdict is INCONCLUSIVE:
            assert "beyond" in result.claim(claim).figure


@given(atomic_laws())
@settings(max_examples=10)
def test_atoms_are_always_decided(law):
    result = on(law, falsify=True)
    assert result.verdict is VERIFIED
    assert all(twin.verdict is REFUTED for twin in result.false_variants)


@given(laws())
@settings(max_examples=10)
def test_flows_of_random_laws_are_never_refuted(law):
    verdict = on(law, "flow_converges", depths=(1, 3)).claim("flow_converges").verdict
    assert verdict in (VERIFIED, INCONCLUSIVE)
    assert verdict is VERIFIED or not law.is_bounded


@pytest.mark.parametrize(
    "text",
    [
        "uniform(2, 2.0001)",
        "uniform(0, 1000000)",
        "atoms({1: 999999/1000000, 1000: 1/1000000})",
        "beta(1/2, 1/3, low=1, high=4)",
        "beta(1/97, 1/89)",
        "beta(5, 2, low=0, high=10)",
        "uniform(2, 2.0000000000000000000000000000000000000001)",
    ],
)
def test_strange_laws(text):
    result = on(parse_law("squared_norm", text), depths=(1, 2, 33, 128), falsify=True)
    assert result.verdict is VERIFIED, verdicts(result)
    assert all(twin.verdict is REFUTED for twin in result.false_variants)


def test_almost_equality_of_the_bound():
    """All but 1e-30 of the mass sits where the loss at alpha* equals its bound: 15 digits do not tell."""
    mass = F(1, 10**30)
    law = parse_law("squared_norm", f"atoms({{1: 1/2, 2: {mass}, 4: {F(1, 2) - mass}}})")
    claim = on(law, "bayes_optimal").claim("bayes_optimal")
    assert claim.verdict is VERIFIED
    assert any("is at most the bound" in step.statement for step in claim.steps)
    law = parse_law("squared_norm", "atoms({0: 1/2, 1: 1/4, 4: 1/4})")
    claim = on(law, "bayes_optimal").claim("bayes_optimal")
    assert claim.verdict is VERIFIED
    assert any("equals the bound" in step.statement for step in claim.steps)


@pytest.mark.parametrize("T", [1, 2, 9])
def test_a_constant_norm(T):
    result = on(parse_law("squared_norm", "point(2)"), depths=(T,))
    assert result.verdict is VERIFIED
    (row,) = result.claim("minimiser_enclosure").values["alpha_T"]
    assert F(row["lower"]) < F(1, 3) < F(row["upper"])
    (row,) = result.claim("bayes_optimal").values["excess"]
    assert (row["lower"], row["upper"]) == ("0", "0")
    assert result.claim("limit").values["T0"] == 1


def test_mass_at_zero_does_not_enter():
    with_zero, without = (
        on(parse_law("squared_norm", text))
        for text in ("atoms({0: 1/2, 1: 1/6, 4: 1/3})", "atoms({1: 1/3, 4: 2/3})")
    )
    assert with_zero.verdict is VERIFIED
    assert with_zero.claim("limit").values == without.claim("limit").values
    assert with_zero.claim("bayes_optimal").values["rho"] == without.claim("bayes_optimal").values["rho"]
    # Half of the prompts have nothing to predict: half of the excess.
    for one, other in zip(
        *(r.claim("bayes_optimal").values["excess"] for r in (with_zero, without)), strict=True
    ):
        assert 2 * F(one["lower"]) <= F(other["upper"])
        assert 2 * F(one["upper"]) >= F(other["lower"])


WRITTEN_TWO_WAYS = [
    ({"squared_norm": "beta(1, 1, low=1, high=4)"}, {"squared_norm": "uniform(1, 4)"}),
    ({"norm": "atoms({1: 1/3, 2: 2/3})"}, {"squared_norm": "atoms({1: 1/3, 4: 2/3})"}),
    ({"norm": "uniform(0, 1)"}, {"squared_norm": "beta(1/2, 1)"}),
    ({"modalities": ("point(1)", "uniform(0, 3)")}, {"squared_norm": "uniform(1, 4)"}),
    (
        {"modalities": ("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})")},
        {"squared_norm": "atoms({0: 1/4, 1: 1/4, 2: 1/4, 3: 1/4})"},
    ),
]


@pytest.mark.parametrize(("one", "other"), WRITTEN_TWO_WAYS, ids=str)
def test_a_law_written_two_ways_gives_the_same_result(one, other):
    first, second = (verify("theorem_6_2", **law, depth="1,4,9", epsilon=F(1, 30)) for law in (one, other))
    assert verdicts(first) == verdicts(second)
    for claim in ("limit", "bayes_optimal"):
        values, others = first.claim(claim).values, second.claim(claim).values
        assert {key: values[key] for key in ("epsilon", "T0")} == {
            key: others[key] for key in ("epsilon", "T0")
        }
    assert first.claim("limit").values == second.claim("limit").values
    rows = (result.claim("minimiser_enclosure").values["alpha_T"] for result in (first, second))
    for row, same in zip(*rows, strict=True):
        assert F(row["lower"]) < F(same["upper"])
        assert F(same["lower"]) < F(row["upper"])


# --- the predictor


def test_the_numbers_of_the_predictor(default):
    values, optimal = default.claim("predictor_converges").values, default.claim("bayes_optimal").values
    assert {key: values[key] for key in ("rho", "epsilon", "T0")} == {
        key: optimal[key] for key in ("rho", "epsilon", "T0")
    }
    # E[s/lam] kappa^2/(1 - kappa^2), kappa = 3/7, E[s/lam] = 1 - log(5/2)/3.
    assert float(F(values["sum_of_bounds"]["lower"])) == pytest.approx(0.69456975604194831 * 9 / 40)
    steps = [step.statement for step in default.claim("predictor_converges").steps]
    assert [step for step in steps if r"at most $\rho$" in step] == [
        rf"the residual factor is at most $\rho$, $T = {T}$" for T in (32, 128)
    ]


def test_the_rate_is_seen_at_T0_where_no_depth_is_as_deep():
    claim = on(parse_law("squared_norm", "uniform(1, 4)"), "predictor_converges", depths=(1, 2)).claims[0]
    assert claim.verdict is VERIFIED
    assert claim.steps[-1].statement == r"the residual factor is at most $\rho$, $T = 17$"


def test_the_error_of_the_predictor_of_one_prompt_in_matrices():
    """One prompt, (d1, d2) = (2, 1), the layers of the stack applied to its population covariance."""
    m, query = [F(1), F(2), F(-1)], [F(3), F(-1, 2), F(5)]
    s, alpha, T = sum(x * x for x in m), F(1, 5), 4
    embedding = [F(0)] * 3
    for _ in range(T):
        along = sum(x * f for x, f in zip(m, embedding, strict=True))
        embedding = [
            f + alpha * q - alpha * (f + x * along) for f, q, x in zip(embedding, query, m, strict=True)
        ]
    read_out = sum(x * f for x, f in zip(m, embedding, strict=True))
    along = sum(x * q for x, q in zip(m, query, strict=True))
    assert read_out - along / (1 + s) == -((1 - alpha * (1 + s)) ** T) * along / (1 + s)


# --- hypotheses


@pytest.mark.parametrize(
    "law",
    [{"squared_norm": "chi2(5)"}, {"norm": "chi2(3)"}, {"modalities": ("uniform(0, 1)", "chi2(5)")}],
    ids=str,
)
def test_an_unbounded_norm(law):
    result = verify("theorem_6_2", **law, depth="1,2,8", falsify=True)
    assert result.verdict is NOT_APPLICABLE
    assert {h.id: h.holds for h in result.hypotheses} == {
        "bounded_norm": False,
        "not_zero": True,
        "conventions_differ": False,
        "one_factor": True,
    }
    silent = {claim for claim, verdict in verdicts(result).items() if verdict is NOT_APPLICABLE}
    assert silent == {"limit", "bayes_optimal", "predictor_converges", "squared_norm_convention"}
    assert all("bounded_norm" in result.claim(claim).figure for claim in silent)
    assert {verdicts(result)[claim] for claim in set(CLAIMS) - silent} == {VERIFIED}
    # Twins of what does not apply are refuted on a law of their own.
    assert {twin.verdict for twin in result.false_variants} == {REFUTED}
    assert twins(result)["unsquared_norm"].law == "uniform(1, 4)"


def test_no_norm_at_all():
    result = verify("theorem_6_2", squared_norm="point(0)")
    assert result.verdict is NOT_APPLICABLE
    assert {h.id: h.holds for h in result.hypotheses} == {
        "bounded_norm": True,
        "not_zero": False,
        "conventions_differ": False,
        "one_factor": True,
    }
    assert {claim for claim, verdict in verdicts(result).items() if verdict is VERIFIED} == {
        "embedding_closed_form",
        "population_loss",
    }


@pytest.mark.parametrize(
    ("text", "matters"),
    [
        ("uniform(1, 4)", True),
        ("uniform(0, 1)", False),
        ("point(1)", False),
        ("point(2)", True),
        ("uniform(0, 2)", True),
        ("atoms({1/4: 1/2, 9/4: 1/2})", True),
        # 2/5 - 1/5 = 4/25 + 1/25: the same squares, with the other sign.
        ("atoms({4/25: 1/2, 1/25: 1/2})", True),
        ("atoms({49/25: 1/2, 1/25: 1/2})", True),
        # 6/5 + 2/5 = 36/25 + 4/25.
        ("atoms({36/25: 1/2, 4/25: 1/2})", False),
    ],
)
def test_the_convention_matters_where_the_two_readings_differ(text, matters):
    law = parse_law("squared_norm", text)
    claim = on(law, "squared_norm_convention").claim("squared_norm_convention")
    assert claim.verdict is (VERIFIED if matters else NOT_APPLICABLE)


@given(st.fractions(min_value=-1, max_value=1, max_denominator=20))
def test_two_readings_that_agree_are_told_exactly(t):
    """(x, y) on the circle x^2 + y^2 = x + y, through rational points: x, y >= 0 the ends of the norm."""
    x, y = (1 + t) / (1 + t * t), t * (1 + t) / (1 + t * t)
    assert x * x + y * y == x + y
    assume(y >= 0 and x > 0)
    assume(x != y)
    pair = sorted({x * x, y * y})
    law = parse_law("squared_norm", f"uniform({pair[0]}, {pair[1]})")
    assert not convention_matters(Run(law, Settings()))
    wider = parse_law("squared_norm", f"uniform({pair[0]}, {pair[1] + F(1, 10**40)})")
    assert convention_matters(Run(wider, Settings()))
