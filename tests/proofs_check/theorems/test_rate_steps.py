"""The rate of alpha_T: laws on which it was once refuted, false formulas, and each step seen to fail."""

import re
from dataclasses import replace
from fractions import Fraction
from math import log

import pytest
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Integer, gamma

import numerics
import theory
from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run, Settings
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _rate_steps as rate_steps
from reports.results import Evidence, Verdict
from tests.strategies import atomic_laws, bounded_laws, positive_rationals

VERIFIED, REFUTED, INCONCLUSIVE = Verdict.VERIFIED, Verdict.REFUTED, Verdict.INCONCLUSIVE
TRUE = theory.limits.rate()
TWO_ATOMS = "atoms({1: 1/4, 3: 3/4})"


def rate_on(law, formula=TRUE, depths=(16, 64, 256)):
    record = Record(Evidence.ENCLOSURE)
    rate_steps.check_rate(Run(law, Settings(depths=depths)), record, formula)
    return record


def step(record, words):
    (found,) = [step for step in record.steps if words in step.statement]
    return found


def false_formulas(law):
    """Formulas that are known to be false for the law."""
    ends = numerics.one_parameter.rate.ends(law)
    wrong = [
        TRUE.expr.subs(TRUE.A1, 6 * TRUE.A1 / 5),
        TRUE.expr.subs(TRUE.A2, 6 * TRUE.A2 / 5),
    ]
    if ends.balanced is False:
        wrong += [-TRUE.expr, 2 * TRUE.expr]
    if ends.low.exponent != ends.high.exponent:
        wrong.append(TRUE.expr.replace(lambda part: part == TRUE.k1 - TRUE.k2, lambda part: -part))
        if {ends.low.exponent, ends.high.exponent} != {Fraction(0), Fraction(1)}:
            wrong.append(TRUE.expr.replace(gamma, lambda k: Integer(1)))
    return [replace(TRUE, expr=expr) for expr in wrong]


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("atoms({3: 1/2, 4: 1/2})", "1:4"),
        ("atoms({1: 0.6667, 2: 0.3333})", None),
        ("atoms({1: 1/2, 1000001/1000000: 1/2})", None),
        ("atoms({1: 999999/1000000, 1000000000000000: 1/1000000})", None),
        ("beta(3/2, 5/2, low=0, high=9)", None),
        ("uniform(2, 2.0001)", "16,64,256"),
        ("beta(3, 3, low=2, high=2.01)", "16,64,256"),
    ],
)
def test_small_brackets_and_shallow_depths(text, depth):
    depths = {} if depth is None else {"depth": depth}
    result = verify("depth_minimax", squared_norm=text, claim=("rate",), falsify=True, **depths)
    assert result.verdict is VERIFIED
    assert {twin.verdict for twin in result.false_variants} == {REFUTED}
    wrong = next(twin for twin in result.false_variants if twin.id.endswith("wrong_constant"))
    assert wrong.law != "uniform(1, 4)"


@pytest.mark.parametrize("text", ["beta(3/2, 5/2, low=0, high=9)", "beta(1/3, 4/3, low=0, high=7/3)"])
def test_a_bracket_of_zero_is_exact(text):
    claim = verify("depth_minimax", squared_norm=text, depth="64", claim=("rate",)).claim("rate")
    assert claim.values["balanced"] is True
    assert {row[3] for row in claim.series["rate"].rows} == {"0"}


@settings(max_examples=25)
@given(atomic_laws(), st.integers(1, 300))
def test_atoms(law, T):
    assume(not law.is_constant)
    record = rate_on(law, depths=(T,))
    assert record.verdict in (VERIFIED, INCONCLUSIVE)
    # All that is there is known exactly.
    assert {s.verdict for s in record.steps[:-1]} == {VERIFIED}
    assert all(rate_on(law, formula, (T,)).verdict is REFUTED for formula in false_formulas(law))


@settings(max_examples=12)
@given(positive_rationals(), positive_rationals(), st.integers(1, 99), st.integers(1, 200))
def test_two_atoms_deviate_by_the_bracket_over_2T(low, gap, percent, T):
    mass = Fraction(percent, 100)
    law = parse_law("squared_norm", f"atoms({{{low}: {mass}, {low + gap}: {1 - mass}}})")
    record = rate_on(law, depths=(T,))
    assert step(record, "closed form").verdict is VERIFIED
    assert record.verdict is not REFUTED


@settings(max_examples=12)
@given(bounded_laws())
def test_no_law_refutes_the_rate_and_each_refutes_another(law):
    assume(not law.is_constant)
    record = rate_on(law, depths=(32, 128))
    assert record.verdict is not REFUTED
    if record.verdict is VERIFIED:
        assert all(rate_on(law, formula, (32, 128)).verdict is REFUTED for formula in false_formulas(law))


def test_a_wrong_constant_in_the_code_is_refuted(monkeypatch):
    true = numerics.one_parameter.rate.constant
    ends = numerics.one_parameter.rate.ends(parse_law("squared_norm", "uniform(1, 4)"))

    def wrong(end):
        return true(end) * (1 if end.terms == ends.high.terms else arb(6) / 5)

    monkeypatch.setattr(numerics.one_parameter.rate, "constant", wrong)
    record = rate_on(parse_law("squared_norm", "uniform(1, 4)"))
    assert record.verdict is REFUTED
    assert step(record, "low end alone").verdict is REFUTED
    assert step(record, "high end alone").verdict is VERIFIED


def test_a_wrong_closed_form_is_refuted(monkeypatch):
    monkeypatch.setattr(theory.limits, "two_atoms_minimiser", lambda k, low, high: (1 + k) / (low * k + high))
    record = rate_on(parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})"))
    assert step(record, "closed form").verdict is REFUTED


def a_row(shown=1.0, claimed=1.0, left_out=(0.0, 0.0), radius=0.0):
    end = rate_steps._End(arb(1), arb(1), arb(1))
    terms = tuple(arb(term) for term in left_out)
    return rate_steps._Row(8, arb(0), arb(0), arb(shown, radius), arb(claimed), terms, (end, end))


@pytest.mark.parametrize(
    ("row", "balanced", "expected"),
    [
        (a_row(), False, True),
        (a_row(shown=1.25, left_out=(0.5, -0.25)), False, True),
        (a_row(shown=1.25, left_out=(0.25, -0.25)), False, False),
        (a_row(shown=2.0), False, False),
        (a_row(radius=0.08), False, True),
        (a_row(radius=0.09), False, None),  # a factor 6/5 is not told
        (a_row(shown=0.01, claimed=0.01, radius=0.006), False, None),  # the sign is not told
        (a_row(shown=0.01, claimed=0.01, radius=0.006), None, None),
        (a_row(shown=0.0, claimed=0.0, radius=0.006), True, True),
        (a_row(left_out=(float("nan"), 0.0)), False, None),
    ],
)
def test_the_bracket_is_compared_in_three_values(row, balanced, expected):
    assert rate_steps._agrees(row, balanced) is expected


@pytest.mark.parametrize(
    ("bound", "measured", "expected"),
    [
        (arb(1, 0.01), arb(1.005), True),
        (arb(1, 0.01), arb(1.02), False),
        (arb(1, 0.09), arb(1.02), None),
        (arb.nan(), arb(1), None),
        (arb(1), arb.nan(), None),
    ],
)
def test_an_end_is_measured_in_three_values(bound, measured, expected):
    assert rate_steps._measured(rate_steps._End(arb(1), bound, measured)) is expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((1.0, 0.5), True),
        ((0.25, 0.25), True),  # 0.25 <= 0.25
        ((1.0, 0.1), False),
        ((1.0, float("nan")), None),
        ((float("nan"), 0.1), False),
        ((), True),
    ],
)
def test_the_remainder_is_held_against_its_bound_in_three_values(limits, expected):
    rows = [a_row(left_out=(0.5, -0.25)) for _ in limits]
    assert rate_steps._within(rows, [arb(limit) for limit in limits]) is expected


def test_a_bound_that_is_too_small_is_refuted(monkeypatch):
    true = numerics.one_parameter.rate_bound.RateBound.at
    monkeypatch.setattr(numerics.one_parameter.rate_bound.RateBound, "at", lambda *them: true(*them) / 10**3)
    record = rate_on(parse_law("squared_norm", "uniform(1, 4)"))
    assert step(record, "bound that tends to 0").verdict is REFUTED


def test_without_a_bound_the_rate_is_open(monkeypatch):
    monkeypatch.setattr(numerics.one_parameter.rate_bound, "MOST_DOUBLINGS", 0)
    record = rate_on(parse_law("squared_norm", "uniform(1, 4)"))
    assert record.verdict is INCONCLUSIVE
    assert step(record, "bound that tends to 0").verdict is INCONCLUSIVE
    assert record.values["T1"] is None


@pytest.mark.parametrize("text", ["uniform(1, 4)", "uniform(0, 3)", "beta(1/2, 3, low=1, high=4)", TWO_ATOMS])
def test_the_rate_in_numbers_is_the_formula(text):
    """The text, evaluated as it stands, against the formula at two depths."""
    record = rate_on(parse_law("squared_norm", text), depths=(8, 64))
    shown = record.values["first_order"].strip("$").removeprefix(r"\alpha_T = ").removesuffix(" + o(1/T)")
    plain = re.sub(r"\\frac\{(\d+)\}\{(\d+) T\}", r"\1/(\2*T)*", shown).replace("[", "(").replace("]", ")")
    plain = re.sub(r"\(([-/\d]+)\) \\log\(([/\d]+) T\)", r"(\1)*log(\2*T)", plain)
    for row in record.series["rate"].rows:
        if row[0] in (8, 64):
            center, T = quantities.alpha_star(Run(parse_law("squared_norm", text), Settings())), row[0]
            found = eval(plain, {"log": log, "T": T}) - center
            assert found == pytest.approx(float(row[3]), rel=1e-6, abs=1e-15)
