"""Densities on condition that they lie in a window: moments, windows, transforms, Gauss rules."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp

import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball, ends
from numerics.errors import DepthLimit, NotRational
from numerics.expectation import cut_moments, piece_moments
from numerics.expectation.over_law import Expectation, lam_balls
from numerics.laws import Law
from numerics.laws.contents import content, share
from numerics.laws.mass_bounds import mass
from numerics.laws.syntax import parse_law
from tests.numerics.independent import component_mean, mean
from tests.strategies import cut_texts
from theory.normal_form import BoundTerm

F = Fraction
A = F(2, 9)
CUT = [
    ("squared_norm", "truncated(chi2(5), high=9)"),
    ("squared_norm", "truncated(chi2(1/3), high=40)"),
    ("squared_norm", "truncated(chi2(5), low=1, high=1000001/1000000)"),
    ("squared_norm", "truncated(beta(1/2, 3/2, low=1, high=4), low=2)"),
    ("squared_norm", "truncated(beta(1/2, 1/3, low=1, high=4), low=1000001/1000000, high=3)"),
    ("norm", "truncated(beta(5/2, 1/2), low=1/10, high=9/10)"),
    ("norm", "truncated(chi2(3), low=1, high=3)"),
    ("squared_norm", "truncated(mixture({chi2(5): 1/2, beta(1/2, 2): 1/4, uniform(0, 3): 1/4}), high=2)"),
    ("squared_norm", "truncated(truncated(chi2(5), high=9), low=1/2)"),
    ("modalities", "truncated(chi2(5), high=9)", "atoms({0: 1/2, 2: 1/2})"),
]
TAILS = [("squared_norm", "truncated(chi2(5), low=3)"), ("norm", "truncated(chi2(7/2), low=1)")]


def weighted(s: acb) -> acb:
    return s / (1 + s) * (1 - acb(ball(A)) * (1 + s)) ** 6


@pytest.mark.parametrize("law", CUT + TAILS, ids=str)
def test_expectations_are_integrals(law):
    law = parse_law(*law)
    with ctx.workprec(160):
        for term, f in (
            (BoundTerm(1, 1, 1, ball(A), 6), weighted),
            (BoundTerm(1, 2, 0, arb(0), 0), lambda s: s**2),
            (BoundTerm(1, 0, 1, arb(0), 0), lambda s: 1 / (1 + s)),
        ):
            found, independent = Expectation(law).ball((term,)), mean(law, f)
            assert abs(found - independent) < abs(found) * arb(10) ** -25
            assert found.rel_accuracy_bits() > 90


@pytest.mark.parametrize("law", CUT, ids=str)
@pytest.mark.parametrize(
    "ends", [(F(5, 7), F(13, 8)), (None, F(13, 8)), (F(5, 7), None), (None, None)], ids=str
)
def test_windows_are_integrals(law, ends):
    law = parse_law(*law)
    with ctx.workprec(256):
        found = sum((part.window(1, ball(A), 5, *ends) for part in Expectation(law).evaluators), arb(0))
        independent = mean(law, lambda s: s * (1 - acb(ball(A)) * (1 + s)) ** 5, *ends)
        assert abs(found - independent) < arb(2) ** -100


@settings(max_examples=25)
@given(cut_texts(), st.integers(0, 40))
def test_the_two_sides_of_a_cut_and_the_whole(text, n):
    law = parse_law("squared_norm", text)
    (evaluator,) = Expectation(law).evaluators
    middle = (law.lo + law.hi) / 2
    with ctx.workprec(600):
        whole = evaluator.complete(1, 0, ball(A), n)
        halves = evaluator.window(1, ball(A), n, None, middle) + evaluator.window(1, ball(A), n, middle, None)
        assert whole.overlaps(halves)
        assert halves.rad() < arb(2) ** -300 * (1 + abs(whole))
        assert evaluator.complete(0, 0, arb(0), 0).overlaps(arb(1))


@settings(max_examples=25)
@given(cut_texts())
def test_what_lies_in_a_window_by_cells_and_by_incomplete_functions(text):
    (piece,) = parse_law("squared_norm", text).components
    with ctx.workprec(200):
        moments = piece_moments.moments(piece)
        by_cells = moments.plain(0)[0] * content(piece.window)
        raw = component_mean(
            piece.window.piece, lambda s: s**0, piece.window.low, piece.window.high, arb(2) ** -400
        )
        assert by_cells.overlaps(content(piece.window))
        assert abs(raw - content(piece.window)) < content(piece.window) * arb(10) ** -30


@settings(max_examples=20)
@given(cut_texts())
def test_the_gauss_rule_in_float64(text):
    law = parse_law("squared_norm", text)
    expectation, terms = Expectation(law), (BoundTerm(1, 1, 1, A, 9),)
    with ctx.workprec(200):
        exact = expectation.ball(terms)
    sign, log = expectation.float64(terms)
    size = Expectation(law).float64((BoundTerm(1, 1, 1, F(0), 0),))[1]
    assert abs(sign * exp(log) - float(exact)) < 1e-8 * exp(size) * max(
        1.0, float((1 - A * (1 + law.hi)) ** 9)
    )


@pytest.mark.parametrize(
    "texts",
    [
        ("truncated(chi2(5), high=9)", "uniform(0, 1)"),
        ("truncated(beta(1/2, 3/2), low=1/4)", "truncated(chi2(5), high=9)"),
        ("truncated(beta(1/2, 3/2), low=1/4)", "chi2(3)"),
        pytest.param(("truncated(chi2(5), low=3)", "chi2(3)"), marks=pytest.mark.nightly),
        ("truncated(chi2(5), high=9)", "beta(1/2, 1)", "uniform(0, 1)"),
    ],
)
def test_sums_against_sampling_and_two_precisions(texts):
    law = parse_law("modalities", *texts)
    term = (BoundTerm(1, 0, 1, arb(0), 0),)
    with ctx.workprec(100):
        coarse = Expectation(law).ball(term)
    with ctx.workprec(200):
        fine = Expectation(law).ball(term)
    assert coarse.overlaps(fine)
    assert fine.rel_accuracy_bits() > 90
    _, log = Expectation(law).float64(term)
    assert abs(exp(log) / float(fine) - 1) < 1e-4


def test_a_tail_has_no_windows_and_a_long_window_many_cells(monkeypatch):
    (tail,) = Expectation(parse_law(*TAILS[0])).evaluators
    assert not tail.windows
    with pytest.raises(DepthLimit):
        tail.window(1, ball(A), 3, None, F(4))
    monkeypatch.setattr(cut_moments, "MAX_CELLS", 1)
    with pytest.raises(DepthLimit, match="covered by over 1 cells"):
        Expectation(parse_law("squared_norm", "truncated(chi2(1/3), high=40)")).ball(
            (BoundTerm(1, 1, 0, arb(0), 0),)
        )


def test_an_error_left_out_is_seen(monkeypatch):
    """Too few coefficients, with their error, still hold the truth; without it they miss it."""
    law = parse_law(*CUT[0])
    terms = (BoundTerm(1, 1, 0, arb(0), 0),)
    with ctx.workprec(200):
        right = Expectation(law).ball(terms)
        cut = cut_moments._product
        monkeypatch.setattr(
            cut_moments, "_product", lambda powers, fall, degree: cut(powers, fall, degree // 4)
        )
        assert not Expectation(law).ball(terms).overlaps(right)


def test_a_tiny_content_is_known_to_all_digits():
    law = parse_law("squared_norm", "truncated(chi2(5), low=300, high=301)")
    (piece,) = law.components
    with ctx.workprec(128):
        assert content(piece.window).rel_accuracy_bits() >= 126
        assert 0 < content(piece.window) < arb(10) ** -60
        assert share(piece).overlaps(arb(1))
        assert mass(law, F(300), F(301)) > 0.999
        assert mass(law, F(302), F(400)) == 0


def test_moments_are_no_rational_numbers():
    law = parse_law(*CUT[0])
    assert not law.is_rational
    with pytest.raises(NotRational, match="no rational numbers"):
        law.moments(2)
    with ctx.workprec(300):
        assert abs(lam_balls(law, 6)[1] - mean(law, lambda s: s * (1 + s))) < arb(10) ** -50


def test_the_mixture_that_is_cut_is_the_mixture_of_the_cut_laws():
    """With the masses that lie in the window; of one law, it is that law."""
    twice = "truncated(mixture({chi2(5): 1/3, truncated(chi2(5), low=0): 2/3}), high=9)"
    terms = (BoundTerm(1, 1, 1, ball(A), 3),)
    with ctx.workprec(200):
        one, other = (Expectation(parse_law("squared_norm", text)).ball(terms) for text in (twice, CUT[0][1]))
    assert one.overlaps(other)


def at(law: Law) -> list[Fraction]:
    return [law.m_lo, law.m_hi]


def test_cuts_at_the_ends_of_the_support_and_norms():
    assert at(parse_law("squared_norm", "truncated(beta(1/2, 1/3, low=1, high=4), low=0, high=2)")) == [1, 2]
    assert at(parse_law("norm", "truncated(chi2(5), low=1/2, high=3)")) == [F(1, 4), 9]
    assert at(parse_law("modalities", "truncated(chi2(5), high=9)", "uniform(1, 2)")) == [1, 11]


@given(
    st.fractions(F(1, 10**6), 2, max_denominator=10**6),
    st.fractions(-5, 5, max_denominator=100).filter(bool),
    st.integers(1, 200),
    st.sampled_from((1, -1)),
)
def test_few_moments_of_a_short_cell_are_enough_far_from_it(half, by, count, side):
    """A mass at an end of the cell has the largest moments there are."""
    with ctx.workprec(16):
        reach, error = cut_moments._reach(half, by, count)
    with ctx.workprec(3000):
        row = [ball((side * half) ** m) for m in range(reach + 1)]
        found = [ends(value) for value in cut_moments._moved(row, by, count, error)]
        assert all(low <= (side * half + by) ** m <= high for m, (low, high) in enumerate(found))
        if reach < count and side * by > 0:
            left_out = (half + abs(by)) ** count - sum(
                comb(count, j) * half**j * abs(by) ** (count - j) for j in range(reach + 1)
            )
            less = cut_moments._moved(row, by, count, ball(left_out / abs(by) ** count / 2))
            low, high = ends(less[count])
            assert not low <= (side * half + by) ** count <= high
