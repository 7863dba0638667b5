"""What an end of a law gives over its leading term: enclosures against expectations and by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.one_parameter import end_ratios, rate
from numerics.one_parameter.end_ratios import side_ratio
from tests.strategies import bounded_laws

BITS = 4096
ENDS = ("low", "high")
TEXTS = [
    ("squared_norm", ("uniform(0, 3)",)),
    ("squared_norm", ("mixture({uniform(1/3, 2): 1/2, atoms({1: 1/2, 5/7: 1/2}): 1/2})",)),
    ("squared_norm", ("beta(1/2, 1/3, low=1, high=4)",)),
    ("squared_norm", ("beta(5, 2, low=0, high=10)",)),
    ("squared_norm", ("atoms({0: 1/2, 1: 1/4, 2: 1/8, 3: 1/8})",)),
    ("norm", ("uniform(0, 2)",)),
    ("norm", ("beta(2, 1/2)",)),
    ("norm", ("beta(1/2, 3, low=1, high=2)",)),
    ("squared_norm", ("truncated(chi2(5), high=9)",)),
    ("squared_norm", ("truncated(beta(1/2, 1/3, low=1, high=4), low=2)",)),
    ("squared_norm", ("truncated(mixture({chi2(5): 1/2, chi2(3): 1/2}), low=1, high=3)",)),
    ("norm", ("truncated(chi2(5), low=1, high=3)",)),
    ("norm", ("truncated(chi2(5), high=3)",)),
    ("squared_norm", ('density("s*(s^2-2)^2", low=0, high=2)',)),
    ("modalities", ("truncated(chi2(5), high=9)", "uniform(0, 3)")),
    ("modalities", ("uniform(0, 1)", "beta(2, 1/2)")),
    ("modalities", ("uniform(1, 2)", "uniform(0, 3)")),
    ("modalities", ("uniform(1, 2)", "atoms({0: 1/2, 1/3: 1/2})")),
]


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(256):
        yield


def one_side(law: Law, end, a: Fraction, n: int) -> arb:
    """E[s |1 - a lam|^n; the side of the end], over its leading term, by the evaluators' own windows."""
    root = 1 / a - 1
    window = (None, root) if end == "low" else (root, None)
    total = sum((part.window(1, ball(a), n, *window) for part in Expectation(law).evaluators), arb(0))
    behaviour = getattr(rate.ends(law), end)
    l1, l2 = law.lambda_ends
    assert l2 is not None
    c = 1 - a * l1 if end == "low" else a * l2 - 1
    k = ball(behaviour.exponent)
    leading = rate.constant(behaviour) * (k + 1).gamma() * ball(c / (n * a)) ** k * ball(c) ** n
    return (total if end == "low" else -total) / leading


def width_of(law: Law, end, a: Fraction) -> arb:
    l1, l2 = law.lambda_ends
    assert l2 is not None
    return ball(1 / a - l1 if end == "low" else l2 - 1 / a)


@pytest.mark.parametrize(("kind", "texts"), TEXTS)
@pytest.mark.parametrize("end", ENDS)
def test_the_enclosure_holds_what_the_end_gives_alone_and_narrows(kind, texts, end):
    law = parse_law(kind, *texts)
    l1, l2 = law.lambda_ends
    widths = []
    for n in (255, 2047):
        measured = dict(
            zip(ENDS, rate.laplace_ratios(Expectation(law), rate.ends(law), n, BITS), strict=True)
        )
        found = side_ratio(law, end, ball(l2 - l1), n)
        assert found.overlaps(measured[end])
        assert not found.overlaps(measured[end] * ball(Fraction(6, 5)))
        widths.append(float(abs(found - 1).upper()))
    # |R - 1| = O(1/n), or O(n^(-1/2)) where s = r^2 and r reaches 0.
    assert widths[1] < max(widths[0] / 2, 1e-60)


@settings(max_examples=40)
@given(bounded_laws(), st.sampled_from(ENDS), st.integers(2, 8), st.integers(1, 60))
def test_at_any_weight_between_the_ends(law, end, ninths, half):
    assume(not law.is_constant and all(part.windows for part in Expectation(law).evaluators))
    l1, l2 = law.lambda_ends
    a, n = 1 / (l1 + Fraction(ninths, 9) * (l2 - l1)), 2 * half + 1
    with ctx.workprec(1024):
        found = side_ratio(law, end, width_of(law, end, a), n)
        assert found.overlaps(one_side(law, end, a, n))


@settings(max_examples=20)
@given(bounded_laws(), st.sampled_from(ENDS), st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9))
def test_a_component_in_two_parts_is_the_same_law(law, end, share):
    assume(law.pieces and not law.is_constant)
    first, *others = law.pieces
    parts = (replace(first, mass=share * first.mass), replace(first, mass=(1 - share) * first.mass))
    split = replace(law, components=(*([law.atoms] if law.atoms else []), *parts, *others))
    l1, l2 = law.lambda_ends
    whole, halves = (side_ratio(one, end, ball(l2 - l1) / 2, 31) for one in (law, split))
    assert whole.is_finite() == halves.is_finite()
    assert not whole.is_finite() or whole.overlaps(halves)
    assert rate.ends(split).balanced is rate.ends(law).balanced


def test_uniform_by_hand():
    """s = 1 + h, h uniform: n/W int (1 + h)(1 - h/W)^n dh = n/(n+1) + W n/((n+1)(n+2)), W = 3/2."""
    n = 63
    exact = Fraction(n, n + 1) * (1 + Fraction(3, 2) / (n + 2))
    found = side_ratio(parse_law("squared_norm", "uniform(1, 4)"), "low", ball(Fraction(3, 2)), n)
    assert found.contains(ball(exact))
    assert found.rad() < 1e-40


def test_an_atom_past_the_root_counts_for_the_other_end():
    law = parse_law("squared_norm", "atoms({1: 1/4, 2: 1/4, 3: 1/4, 4: 1/4})")
    low, high = (side_ratio(law, end, arb(1.25), 3) for end in ENDS)
    # What is at h = 1 weighs 0.2^3.
    assert low.overlaps(ball(1 + 2 * Fraction(1, 125)))
    assert high.overlaps(ball(1 + Fraction(3, 4) * Fraction(1, 125)))
    assert side_ratio(law, "low", arb(0.75), 3) == 1


def test_what_is_not_enclosed_is_not_finite():
    law = parse_law("squared_norm", "uniform(1, 4)")
    for width in (arb(0), arb(1, 2), arb.nan()):
        assert not side_ratio(law, "low", width, 3).is_finite()
    squares = parse_law("modalities", "uniform(0, 1)", "uniform(0, 1)").pieces[0]
    norms = replace(squares, first=replace(squares.first, power=2))
    assert not side_ratio(replace(law, components=(norms,)), "low", arb(1), 3).is_finite()
    with pytest.raises(ValueError, match="no high end"):
        side_ratio(parse_law("squared_norm", "chi2(3)"), "high", arb(1), 3)


@pytest.mark.parametrize(
    ("kind", "texts", "end"),
    [
        ("squared_norm", ("beta(5, 2, low=0, high=10)",), "low"),
        ("norm", ("beta(1/2, 3, low=1, high=2)",), "high"),
        ("norm", ("uniform(0, 2)",), "high"),
        ("modalities", ("uniform(1, 2)", "beta(2, 3)"), "low"),
    ],
)
def test_a_shape_without_its_slope_is_seen(monkeypatch, kind, texts, end):
    law = parse_law(kind, *texts)
    true = end_ratios._shape

    def flat(*arguments):
        shape = true(*arguments)
        return None if shape is None else replace(shape, slope=arb(0))

    monkeypatch.setattr(end_ratios, "_shape", flat)
    l1, l2 = law.lambda_ends
    measured = rate.laplace_ratios(Expectation(law), rate.ends(law), 1023, BITS)
    assert not side_ratio(law, end, ball(l2 - l1), 1023).overlaps(measured[ENDS.index(end)])
