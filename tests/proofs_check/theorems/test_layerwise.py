"""`layerwise` on many laws: verdicts, numbers, and its false variants where they are false and where true."""

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings

from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, Settings
from proofs_check.theorems import _layerwise_twins as twins
from proofs_check.theorems.layerwise import THEOREM
from reports.results import Evidence, Verdict
from tests.strategies import laws

F = Fraction
VERIFIED, REFUTED, NOT_APPLICABLE = Verdict.VERIFIED, Verdict.REFUTED, Verdict.NOT_APPLICABLE
CLAIMS = [
    "embedding_is_polynomial",
    "population_loss",
    "best_depth_T",
    "reciprocal_gauss_nodes",
    "chebyshev_bound",
    "fewer_layers",
    "landscape",
    "flow_converges",
    "finite_support",
]


def verdicts(result):
    return {claim.id.partition(".")[2]: claim.verdict for claim in result.claims}


def twin_laws(result):
    """The false variants and their laws, all of them refuted."""
    assert {variant.verdict for variant in result.false_variants} == {REFUTED}
    return {variant.id.partition(".")[2]: variant.law for variant in result.false_variants}


def test_the_default_law():
    result = verify("layerwise", falsify=True)
    assert result.verdict is VERIFIED
    assert result.source == "this package"
    assert verdicts(result) == dict.fromkeys(CLAIMS, VERIFIED)
    witnesses = twin_laws(result)
    assert witnesses.pop("one_point_fewer") == "atoms({1: 1/3, 2: 1/3, 4: 1/3})"
    assert set(witnesses.values()) == {"uniform(1, 4)"}
    assert len(witnesses) == 11
    excess = {row["T"]: row for row in result.claim("best_depth_T").values["e_T"]}
    assert list(excess) == [1, 2, 3, 4, 8, 16, 32]
    for T, figure in ((1, 0.03667501920), (4, 5.605277730e-6), (8, 3.826130268e-11)):
        lower, upper = F(excess[T]["lower"]), F(excess[T]["upper"])
        assert 0 < upper - lower < lower / 10**24
        assert float(lower) == pytest.approx(figure, rel=1e-9)
    nodes = result.claim("reciprocal_gauss_nodes").values["nodes"]
    assert [len(row["nodes"]) for row in nodes] == list(excess)
    assert [f"{float(node['lower']):.4f}" for node in nodes[2]["nodes"]] == ["2.4228", "3.6339", "4.7031"]
    drawn = result.claim("reciprocal_gauss_nodes").series["residual"].rows
    for T in (4, 8):
        rows = [row for row in drawn if row[0] == T]
        assert rows[0][1:4] == [0.0, 1.0, 1.0]
        assert sum(one[3] * other[3] < 0 for one, other in pairwise(rows)) == T
        assert all(row[2] >= 0 for row in rows)
    fewer = result.claim("fewer_layers").values
    assert (fewer["T1"], fewer["first_T"], fewer["epsilon"]) == (9, 6, "1/100")
    assert fewer["smallest_depths"] == [
        {"accuracy": "0.001", "tied": 3, "two_parameter": 3, "layerwise": 3},
        {"accuracy": "1e-06", "tied": 7, "two_parameter": 7, "layerwise": 5},
        {"accuracy": "1e-12", "tied": 15, "two_parameter": 15, "layerwise": 10},
    ]
    assert result.claim("landscape").values["depths"] == list(excess)
    assert result.claim("flow_converges").values["depths"] == [2, 3, 4, 8]
    assert result.claim("finite_support").values["points"] is None


def kinds(result):
    return {claim.id.partition(".")[2]: claim.kind for claim in result.claims}


def test_the_kinds_of_evidence():
    found = kinds(verify("layerwise", squared_norm="atoms({1: 1/2, 2: 1/4, 5: 1/4})", depth="1:4"))
    assert found["embedding_is_polynomial"] is found["population_loss"] is Evidence.SYMBOLIC
    assert found["finite_support"] is Evidence.EXACT
    assert found["flow_converges"] is Evidence.NUMERIC
    assert found["best_depth_T"] is found["chebyshev_bound"] is Evidence.ENCLOSURE


@pytest.mark.parametrize(
    ("law", "missing"),
    [
        ({"squared_norm": "chi2(5)"}, ["chebyshev_bound", "fewer_layers"]),
        ({"squared_norm": "point(2)"}, ["chebyshev_bound", "fewer_layers", "flow_converges"]),
        ({"squared_norm": "atoms({0: 1/3, 2: 2/3})"}, ["chebyshev_bound", "fewer_layers", "flow_converges"]),
        ({"squared_norm": "point(0)"}, CLAIMS[2:]),
        ({"modalities": ("chi2(3)", "uniform(0, 1)")}, ["chebyshev_bound", "fewer_layers"]),
        ({"squared_norm": "atoms({0: 1/4, 1: 1/4, 5: 1/4, 9: 1/4})"}, []),
        ({"squared_norm": "beta(1/2, 1/3)"}, []),
        ({"squared_norm": "uniform(0, 3)"}, []),
        ({"norm": "uniform(1, 2)"}, []),
        ({"modalities": ("uniform(1, 4)", "beta(1/2, 1/3)")}, []),
        ({"modalities": ("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/3, 2: 2/3})")}, []),
        ({"squared_norm": "atoms({1: 999999/1000000, 100: 1/1000000})"}, []),
        ({"squared_norm": "beta(4, 1/2, low=1/3, high=22/7)"}, []),
        ({"squared_norm": "atoms({1: 1/2, 100000: 1/2})"}, []),
    ],
    ids=str,
)
def test_other_laws(law, missing):
    result = verify("layerwise", depth="1,2,3", falsify=True, **law)
    assert verdicts(result) == {claim: NOT_APPLICABLE if claim in missing else VERIFIED for claim in CLAIMS}
    assert result.verdict is (NOT_APPLICABLE if law == {"squared_norm": "point(0)"} else VERIFIED)
    twin_laws(result)


@given(laws())
@settings(max_examples=5)
def test_any_law(law):
    kind = {law.kind: law.texts if law.kind == "modalities" else law.texts[0]}
    result = verify("layerwise", depth="1,2,4", falsify=True, **kind)
    assert result.verdict is VERIFIED
    twin_laws(result)


@pytest.mark.parametrize("rows", [50, 300])
def test_observed_values(tmp_path, rows):
    """Up to 64 values in rational numbers, beyond in balls."""
    draw = random.Random(7)
    path = tmp_path / "norms.csv"
    path.write_text("\n".join(["s", *(f"{draw.uniform(1, 4):.4f}" for _ in range(rows))]), encoding="utf-8")
    result = verify("layerwise", squared_norm=f'empirical("{path}", column="s")', depth="1,3,6")
    assert result.verdict is VERIFIED
    exact = [row.get("exact") for row in result.claim("best_depth_T").values["e_T"]]
    assert all((number is not None) is (rows <= 64) for number in exact[:1])


def test_a_constant_norm():
    """e_T = 0 from the first layer on, exactly; one weight does it, and the others are 0."""
    result = verify("layerwise", squared_norm="point(2)", depth="1:3")
    assert {row["exact"] for row in result.claim("best_depth_T").values["e_T"]} == {"0"}
    assert [row["nodes"] for row in result.claim("reciprocal_gauss_nodes").values["nodes"]] == [
        [{"lower": "3", "upper": "3", "exact": "3"}]
    ] * 3
    assert result.claim("landscape").values["depths"] == [1]
    assert "N = 1" in result.claim("flow_converges").figure


def test_depths_about_the_number_of_points():
    law = "atoms({0: 1/10, 1: 3/10, 2: 3/10, 4: 3/10})"
    result = verify("layerwise", squared_norm=law, depth="2,3,4,7")
    excess = [F(row["exact"]) for row in result.claim("best_depth_T").values["e_T"]]
    assert excess[0] > 0
    assert excess[1:] == [0, 0, 0]
    nodes = result.claim("reciprocal_gauss_nodes").values["nodes"]
    assert [[node["exact"] for node in row["nodes"]] for row in nodes[1:]] == [["2", "3", "5"]] * 3
    assert result.claim("landscape").values["depths"] == [2, 3]
    assert result.claim("finite_support").values["points"] == 3
    deep = verify("layerwise", squared_norm=law, depth="4")
    assert verdicts(deep)["landscape"] is verdicts(deep)["flow_converges"] is NOT_APPLICABLE
    assert deep.verdict is VERIFIED


@pytest.mark.parametrize("epsilon", ["1/10", "1/1000000"])
def test_the_factor_asked_for(epsilon):
    result = verify("layerwise", depth="12", epsilon=epsilon, claim="fewer_layers", falsify=True)
    values = result.claim("fewer_layers").values
    assert result.verdict is VERIFIED
    assert values["first_T"] <= values["T1"]
    assert (values["T1"] > 9) is (epsilon == "1/1000000")
    twin_laws(result)


@pytest.mark.parametrize("depth", ["1", "7"])
def test_twins_fall_whatever_the_depth(depth):
    assert len(twin_laws(verify("layerwise", depth=depth, falsify=True))) == 12


def steps(check, law, depths=(1,), least=Evidence.ENCLOSURE):
    """The verdicts of a twin's steps on a law of one's own, by depth."""
    record = Record(least)
    check(Run(parse_law("squared_norm", law), Settings(depths=depths)), record)
    found = {}
    for step in record.steps:
        T = int(step.case["T"])
        found.setdefault(T, []).append(step.verdict)
    return {T: Verdict.worst(several) for T, several in found.items()}


SPECIAL = "atoms({1: 10/27, 2: 10/27, 4: 5/27, 5: 2/27})"
THREE = "atoms({1: 1/3, 2: 1/3, 4: 1/3})"


def test_where_the_nodes_of_the_law_itself_will_do():
    """Exactly T points of support, 0 among them counted."""
    assert steps(twins.nodes_of_the_law, THREE) == {1: REFUTED, 2: REFUTED, 3: VERIFIED}
    with_zero = "atoms({0: 1/4, 1: 1/4, 2: 1/4, 4: 1/4})"
    assert steps(twins.nodes_of_the_law, with_zero, (4,)) == {1: REFUTED, 2: REFUTED, 3: REFUTED, 4: VERIFIED}
    assert steps(twins.nodes_of_the_law, "atoms({0: 1/2, 2: 1/2})") == {1: REFUTED, 2: VERIFIED}
    assert steps(twins.nodes_of_the_law, "point(2)") == {1: VERIFIED}


def test_where_the_chebyshev_nodes_are_optimal():
    expected = {1: VERIFIED, 2: VERIFIED, 3: VERIFIED, 4: REFUTED}
    assert steps(twins.chebyshev_nodes, SPECIAL, (4,)) == expected
    result = verify("layerwise", squared_norm=SPECIAL, depth="1:3", falsify=True)
    assert twin_laws(result)["chebyshev_nodes"] == "uniform(1, 4)"
    result = verify("layerwise", squared_norm=SPECIAL, depth="1:4", falsify=True)
    assert twin_laws(result)["chebyshev_nodes"] == SPECIAL


def test_where_the_tied_optimum_is_a_minimum():
    least = Evidence.SYMBOLIC
    assert steps(twins.tied_minimum, "uniform(1, 4)", least=least) == {1: VERIFIED, 2: REFUTED, 3: REFUTED}
    assert steps(twins.tied_minimum, "point(2)", least=least) == dict.fromkeys((1, 2, 3), VERIFIED)


def test_where_two_parameters_suffice():
    def verdict(law):
        record = Record(Evidence.ENCLOSURE)
        twins.two_parameters_suffice(Run(parse_law("squared_norm", law), Settings(depths=(1,))), record)
        return record.verdict

    assert verdict("point(2)") is verdict("atoms({0: 1/2, 3: 1/2})") is VERIFIED
    assert verdict("uniform(1, 4)") is verdict("atoms({1: 1/2, 4: 1/2})") is verdict("chi2(1)") is REFUTED


def test_where_the_doubled_rate_holds():
    assert steps(twins.doubled_rate, "atoms({1: 1/2, 4: 1/2})")[2] is VERIFIED
    assert steps(twins.doubled_rate, "uniform(1, 4)")[1] is REFUTED


def test_where_ties_do_no_harm():
    least = Evidence.SYMBOLIC
    assert steps(twins.ties_are_harmless, THREE, (4, 5), least) == {
        2: REFUTED,
        3: REFUTED,
        4: VERIFIED,
        5: VERIFIED,
    }


def test_the_command_line(capsys):
    assert main(["layerwise", "--depth", "2", "--squared-norm", "uniform(1, 4)"]) == 0
    assert "e₂ = 0.0020389366" in capsys.readouterr().out
    assert main(["layerwise", "--depth", "257"]) == 2
    assert "256" in capsys.readouterr().err
    assert main(["layerwise", "--candidate", "1"]) == 2
    capsys.readouterr()
    assert main(["explain", "layerwise"]) == 0
    text = capsys.readouterr().out
    assert "Gauss nodes" in text
    assert "Lojasiewicz" in text


def test_every_claim_has_a_twin():
    assert {variant.claim for variant in THEOREM.false_variants} == set(CLAIMS)
