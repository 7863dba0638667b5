"""Theorem 4.1 on many laws: verdicts, numbers, false variants."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, Settings
from reports.results import Evidence
from tests.proofs_check.theorems.on_theorem_4_1 import (
    INCONCLUSIVE,
    LAW_CLAIMS,
    NOT_APPLICABLE,
    PAIR,
    REFUTED,
    THEOREM,
    VERIFIED,
    enclosed,
    on,
    verdicts,
)
from tests.strategies import laws


def test_the_default_law():
    result = verify("theorem_4_1", falsify=True)
    assert result.verdict is VERIFIED
    assert {id for id, verdict in verdicts(result).items() if verdict is not VERIFIED} == {"modalities"}
    assert [variant.verdict for variant in result.false_variants] == [REFUTED] * 9
    kinds = {claim.id.partition(".")[2]: claim.kind for claim in result.claims}
    assert kinds == {
        "prediction_limit": Evidence.SYMBOLIC,
        "population_risk": Evidence.SYMBOLIC,
        "gap_identity": Evidence.SYMBOLIC,
        "gap_positive": Evidence.ENCLOSURE,
        "sharp_condition": Evidence.EXACT,
        "modalities": None,
        "gap_family": Evidence.ENCLOSURE,
        "no_parameter_helps": Evidence.NUMERIC,
        "unimodal_contrast": Evidence.SYMBOLIC,
    }


@pytest.mark.parametrize(
    ("text", "bayes", "lsa", "gap", "c"),
    [
        ("uniform(1, 4)", "0.305430243958052", "0.342105263157895", "0.036675019199843", "0.263157894736842"),
        ("uniform(0, 3)", "0.462098120373297", "0.5", "0.037901879626703", "0.333333333333333"),
        ("atoms({1: 1/3, 4: 2/3})", "0.3", "0.357142857142857", "0.057142857142857", "0.214285714285714"),
    ],
)
def test_values_that_others_read(text, bayes, lsa, gap, c):
    values = verify("theorem_4_1", squared_norm=text, claim="gap_positive").claim("gap_positive").values
    for name, reference in {"bayes_risk": bayes, "lsa_risk": lsa, "gap": gap, "c": c}.items():
        lower, upper = enclosed(values[name])
        assert lower <= upper
        assert abs(Fraction(reference) - lower) < Fraction(1, 10**14)
        assert upper - lower < Fraction(1, 10**14)
    lower, upper = enclosed(values["gap"])
    assert lower > 0


def test_atoms_are_exact():
    values = verify("theorem_4_1", squared_norm="atoms({1: 1/3, 4: 2/3})").claim("gap_positive").values
    assert {name: number["exact"] for name, number in values.items()} == {
        "gap": "2/35",
        "bayes_risk": "3/10",
        "lsa_risk": "5/14",
        "c": "3/14",
    }


@pytest.mark.parametrize(
    "law",
    [
        {"squared_norm": "chi2(5)"},
        {"squared_norm": "uniform(0, 3)"},
        {"squared_norm": "uniform(2, 2.0001)"},
        {"squared_norm": "beta(1/2, 1/3, low=1, high=4)"},
        {"squared_norm": "atoms({1: 999999/1000000, 1000: 1/1000000})"},
        {"norm": "uniform(1, 2)"},
        {"norm": "chi2(3)"},
        {"modalities": PAIR},
        {"modalities": ("uniform(0, 1)", "chi2(5)")},
        {"modalities": ("uniform(0, 1)", "uniform(0, 1)")},
        {"modalities": ("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})")},
        {"modalities": ("point(0)", "uniform(0, 10)")},
    ],
)
def test_laws_that_vary(law):
    result = verify("theorem_4_1", **law, falsify=True)
    assert result.verdict is VERIFIED
    assert {variant.verdict for variant in result.false_variants} == {REFUTED}
    expected = VERIFIED if "modalities" in law else NOT_APPLICABLE
    assert result.claim("modalities").verdict is expected


@pytest.mark.parametrize(
    ("law", "searched"),
    [
        ({"squared_norm": "point(2)"}, VERIFIED),
        ({"squared_norm": "atoms({0: 1/2, 3: 1/2})"}, VERIFIED),
        ({"squared_norm": "point(0)"}, NOT_APPLICABLE),
        ({"modalities": ("point(1)", "point(2)")}, VERIFIED),
        ({"modalities": ("point(0)", "atoms({0: 1/2, 2: 1/2})")}, VERIFIED),
        ({"modalities": ("point(0)", "point(0)")}, NOT_APPLICABLE),
    ],
)
def test_a_constant_norm(law, searched):
    result = verify("theorem_4_1", **law, falsify=True)
    assert result.verdict is NOT_APPLICABLE
    failing = {h.id for h in result.hypotheses if h.decisive and not h.holds}
    assert failing == ({"norm_varies"} if searched is VERIFIED else {"not_zero", "norm_varies"})
    found = verdicts(result)
    assert found.pop("gap_positive") is found.pop("modalities") is NOT_APPLICABLE
    assert found.pop("no_parameter_helps") is searched
    assert set(found.values()) == {VERIFIED}
    assert {variant.verdict for variant in result.false_variants} == {REFUTED}


def test_the_equality_case_that_the_family_ends_in():
    """An atom at 0 beside one value: constant again at t = 1, but not before."""
    rows = on(parse_law("squared_norm", "atoms({0: 1/2, 3: 1/2})"), "gap_family").claim("gap_family").series
    gaps = [Fraction(row[1]) for row in rows["gap_family"].rows]
    assert gaps[0] == gaps[-1] == 0
    assert all(gap > 0 for gap in gaps[1:-1])


def test_the_family_as_a_series():
    claim = verify("theorem_4_1", claim="gap_family").claim("gap_family")
    table = claim.series["gap_family"]
    assert table.columns == ["parameter", "gap_lower", "gap_upper"]
    assert [row[0] for row in table.rows] == sorted({row[0] for row in table.rows})
    assert table.rows[0] == [0.0, "0", "0"]
    assert all(Fraction(low) <= Fraction(high) for _, low, high in table.rows)
    assert abs(Fraction(table.rows[-1][1]) - Fraction("0.036675019199843")) < Fraction(1, 10**14)
    assert claim.values["increases_along_the_family"] is True


def test_modalities():
    claim = verify("theorem_4_1", modalities=("atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})"))
    values = claim.claim("modalities").values
    a, b = Fraction(values["a"]["exact"]), Fraction(values["b"]["exact"])
    # E p = E p^2 = 1/2, E q = 1, E q^2 = 2
    assert (a + b / 2, a / 2 + 3 * b) == (Fraction(1, 2), 1)
    assert Fraction(values["gap"]["exact"]) < Fraction(values["scalar_gap"]["exact"])


@settings(max_examples=15)
@given(law=laws())
def test_any_law(law):
    result = on(law, *LAW_CLAIMS)
    found = verdicts(result)
    assert found.pop("modalities") is (VERIFIED if law.modalities and not law.is_constant else NOT_APPLICABLE)
    assert found.pop("gap_positive") is (NOT_APPLICABLE if law.is_constant else VERIFIED)
    assert set(found.values()) == {VERIFIED}


def test_splitting_an_atom_changes_nothing(tmp_path):
    path = tmp_path / "squares.csv"
    path.write_text("s\n1\n4\n4\n")
    split = verify("theorem_4_1", squared_norm=f'empirical("{path}", column="s")')
    joined = verify("theorem_4_1", squared_norm="atoms({1: 1/3, 4: 2/3})")
    for first, second in zip(split.claims, joined.claims, strict=True):
        assert (first.verdict, first.values, first.series) == (second.verdict, second.values, second.series)


def test_a_law_of_the_norm_is_that_of_its_square():
    norm = verify("theorem_4_1", norm="atoms({1: 1/3, 2: 2/3})", claim=LAW_CLAIMS)
    square = verify("theorem_4_1", squared_norm="atoms({1: 1/3, 4: 2/3})", claim=LAW_CLAIMS)
    assert [claim.values for claim in norm.claims] == [claim.values for claim in square.claims]


def test_seeds_change_the_searches_only():
    first, second = (verify("theorem_4_1", seed=seed) for seed in (1, 2))
    assert first.verdict is second.verdict is VERIFIED
    for one, other in zip(first.claims, second.claims, strict=True):
        if one.id != "theorem_4_1.no_parameter_helps":
            assert one.values == other.values


def test_too_little_precision_is_inconclusive():
    result = verify("theorem_4_1", squared_norm="uniform(2, 2.0001)", max_bits=64)
    assert result.verdict is INCONCLUSIVE
    assert {id for id, verdict in verdicts(result).items() if verdict is INCONCLUSIVE} == {
        "gap_positive",
        "gap_family",
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--claim gap_positive", 0),
        ("--squared-norm point(2) --claim sharp_condition", 0),
        ("--squared-norm point(2) --claim gap_positive", 4),
        ("--squared-norm uniform(2,2.0001) --claim gap_positive --max-bits 64", 3),
        ("--depth 3", 2),
        ("--epsilon 1/10", 2),
        ("--claim gap", 2),
    ],
)
def test_exit_codes(words, code, capsys):
    assert main(["theorem_4_1", "--quiet", *words.split()]) == code
    error = capsys.readouterr().err
    assert (code == 2) == bool(error)
    assert len(error.splitlines()) <= 1


SINGLE = {"squared_norm": "uniform(1, 3)"}
CONSTANT = {"squared_norm": "point(3)"}
TWINS = {
    "mean_of_square": (SINGLE, CONSTANT),
    "without_half": (SINGLE, CONSTANT),
    "half_gap": (SINGLE, CONSTANT),
    "scalar_is_best": ({"modalities": ("uniform(0, 1)", "chi2(5)")}, {"modalities": PAIR[:1] * 2}),
    "mean_weight": (SINGLE, CONSTANT),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_false_variant_runs_where_it_is_false(name):
    """On the user's law if it is false there; on its witness if it is true there."""
    variant = next(v for v in THEOREM.false_variants if v.id == name)
    witness = variant.witness if isinstance(variant.witness, str) else " + ".join(variant.witness)
    false_on, true_on = TWINS[name]
    for law, where in ((false_on, None), (true_on, witness)):
        result = verify("theorem_4_1", **law, claim=variant.claim, falsify=True)
        found = next(v for v in result.false_variants if v.id == f"theorem_4_1.{name}")
        assert found.verdict is REFUTED
        assert found.law == (where or " + ".join(result.law.texts))


@pytest.mark.parametrize("name", ["scalar_is_best", "half_gap", "mean_weight"])
def test_a_twin_that_is_true_is_not_refuted(name):
    """The twin's own check, where its statement holds: it is the statement that is refuted, not the twin."""
    law = (
        parse_law("modalities", *PAIR[:1] * 2)
        if name == "scalar_is_best"
        else parse_law("squared_norm", "point(3)")
    )
    variant = next(v for v in THEOREM.false_variants if v.id == name)
    run, record = Run(law, Settings()), Record(Evidence.NUMERIC)
    assert name == "half_gap" or not variant.differs(run)
    variant.check(run, record)
    assert record.verdict is VERIFIED
