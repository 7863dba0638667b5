"""Moments about a point, complete, over a window, and under 1/lam, against exact values and integrals."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball, rational
from numerics.expectation.ball_evaluators import MomentBall
from numerics.expectation.ball_moments import MAX_TAIL_TERMS, BetaMoments, downward, upward
from numerics.expectation.piece_moments import SumMoments, laplace, moments
from numerics.laws import BetaPiece, Law
from numerics.laws.syntax import parse_law
from tests.numerics.independent import holds, mean
from tests.strategies import beta_texts, chi2_texts, uniform_texts

DENSITIES = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "uniform(0, 3)"),
    ("squared_norm", "uniform(2, 2.0001)"),
    ("squared_norm", "uniform(0, 1000000)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "beta(5, 2, low=0, high=10)"),
    ("squared_norm", "chi2(5)"),
    ("squared_norm", "chi2(1/3)"),
    ("norm", "uniform(1, 2)"),
    ("norm", "uniform(0, 30)"),
    ("norm", "beta(1/2, 3, low=1, high=3)"),
    ("norm", "chi2(3)"),
    ("modalities", "uniform(0, 1)", "beta(2, 1/2)"),
    ("modalities", "uniform(0, 1)", "chi2(5)"),
    ("modalities", "point(2)", "uniform(0, 1)"),
]


FAST_SUM = ("modalities", "uniform(0, 1)", "uniform(0, 1)")


def only_piece(law: Law):
    (piece,) = law.pieces
    return piece


def exact_power(law: Law, origin: Fraction, m: int) -> Fraction:
    """E (s - origin)^m from the exact moments."""
    return sum((comb(m, j) * law.moment(j) * (-origin) ** (m - j) for j in range(m + 1)), Fraction(0))


@pytest.mark.parametrize("law", DENSITIES, ids=str)
def test_moments_hold_the_exact_ones(law):
    law = parse_law(*law)
    found = moments(only_piece(law))
    coefficients = [Fraction(int(c.p), int(c.q)) for c in found.norm.coeffs()]
    with ctx.workprec(200):
        plain = found.plain(24)
        if len(coefficients) == 2:
            for m in range(25):
                exact = exact_power(law, coefficients[0], m)
                assert holds(plain[m], exact)
                assert plain[m].rel_accuracy_bits() > 150 or exact == 0
        for k in range(9):
            weights = (found.norm**k).coeffs()
            total = sum((arb(c) * value for c, value in zip(weights, plain, strict=False)), arb(0))
            assert holds(total, law.moment(k))
            assert total.rel_accuracy_bits() > 120


@pytest.mark.parametrize("law", DENSITIES, ids=str)
def test_moments_under_the_reciprocal_obey_lam_times_it(law):
    """E[lam y^m / lam] = E y^m: the two lists are computed from each other in one direction only."""
    found = moments(only_piece(parse_law(*law)))
    with ctx.workprec(300):
        lam = [arb(c) for c in (found.norm + 1).coeffs()]
        plain, divided = found.plain(30), found.divided(30 + len(lam))
        scale = 1 + max(arb(0), plain[2]).sqrt()
        for m in range(31):
            back = sum((c * divided[m + j] for j, c in enumerate(lam)), arb(0))
            assert back.overlaps(plain[m])
            assert (back - plain[m]).rad() < arb(2) ** -150 * (abs(plain[m]) + scale ** (m + 2))


BOUNDED = [law for law in DENSITIES if "chi2" not in "".join(law) and law[0] != "modalities"]


@pytest.mark.parametrize("law", [*BOUNDED, ("squared_norm", "chi2(5)"), ("norm", "chi2(3)")], ids=str)
def test_the_reciprocal_is_the_integral(law):
    law = parse_law(*law)
    found = moments(only_piece(law))
    with ctx.workprec(128):
        value, independent = found.divided(0)[0], mean(law, lambda s: 1 / (1 + s))
        assert abs(value - independent) < value * arb(10) ** -25
        assert value.rel_accuracy_bits() > 80


def test_the_reciprocal_of_sums():
    """E 1/(1 + x + y): in closed form, and with x integrated by hand."""
    uniforms = parse_law("modalities", "uniform(0, 1)", "uniform(0, 1)")
    mixed = parse_law("modalities", "uniform(0, 1)", "beta(2, 1)")
    with ctx.workprec(128):
        closed = 3 * arb(3).log() - 4 * arb(2).log()
        single = acb.integral(lambda y, a: 2 * y * ((2 + y).log(analytic=a) - (1 + y).log(analytic=a)), 0, 1)
        for law, value in ((uniforms, closed), (mixed, single.real)):
            found = moments(only_piece(law)).divided(0)[0]
            assert found.overlaps(value)
            assert found.rel_accuracy_bits() > 110


@pytest.mark.parametrize("cut", [1, 3, 9])
def test_what_the_integral_leaves_out_is_bounded(cut):
    """Cut short enough for the rest to be seen: the ball holds the whole, and its lower end does not."""
    law = parse_law("modalities", "uniform(0, 1)", "uniform(0, 1)")
    with ctx.workprec(128):
        whole = 3 * arb(3).log() - 4 * arb(2).log()
        found = SumMoments(only_piece(law)).reciprocal_up_to(cut)
        assert found.contains(whole)
        assert found.lower() + arb(-3 * cut).exp() / 9 < whole
        assert found.rad() < arb(-cut).exp()


def test_the_reciprocal_of_a_sum_with_a_gamma_variable():
    """E 1/(1 + x + g), x uniform on [0, 1], g ~ chi2(2): e^(1/2) [e1(1/2) ...] by one integral over g."""
    law = parse_law("modalities", "uniform(0, 1)", "chi2(2)")
    with ctx.workprec(100):
        single = acb.integral(
            lambda g, a: (-g / 2).exp() / 2 * ((2 + g).log(analytic=a) - (1 + g).log(analytic=a)), 0, 200
        )
        value = moments(only_piece(law)).divided(0)[0]
        assert abs(value - single.real) < arb(2) ** -90
        assert value.rel_accuracy_bits() > 80


@pytest.mark.parametrize(("low", "high"), [("1e30", "2e30"), ("0", "1e30")])
def test_wide_sums_have_a_reciprocal(low, high):
    """log2 of a ratio that rounds to 1 is no number of steps."""
    law = parse_law("modalities", f"uniform({low}, {high})", f"uniform({low}, {high})")
    with ctx.workprec(128):
        value = moments(only_piece(law)).divided(0)[0]
    assert value.rel_accuracy_bits() > 20
    assert 1 / ball(1 + 2 * Fraction(high)) < value


@pytest.mark.parametrize("law", BOUNDED, ids=str)
@pytest.mark.parametrize("cut", [Fraction(1, 7), Fraction(9, 10)])
def test_windowed_moments_are_integrals_over_the_window(law, cut):
    law = parse_law(*law)
    found = moments(only_piece(law))
    assert isinstance(found, BetaMoments)
    y = found.half * (2 * cut - 1)
    low, high = found.center - found.half, found.center + found.half
    power, shift = found.piece.power, found.piece.shift
    s = shift + (found.center + y) ** power
    with ctx.workprec(160):
        below, above = found.windowed(12, None, ball(y)), found.windowed(12, ball(y), None)
        complete = found.plain(12)
        inner = found.windowed(12, ball(y - (y - low + found.center) / 3), ball(y))
        rest = found.windowed(12, None, ball(y - (y - low + found.center) / 3))
        for m in range(13):
            tiny = ball(max(abs(low), abs(high), 1)) ** m * arb(2) ** -90
            assert abs(below[m] + above[m] - complete[m]) < tiny
            assert abs(inner[m] + rest[m] - below[m]) < tiny
        for m in (0, 1, 2):
            independent = mean(
                law, lambda x, m=m: (root(x - ball(shift), power) - ball(found.center)) ** m, None, s
            )
            assert abs(independent - below[m]) < ball(found.half + 1) ** m * arb(2) ** -90


def root(x: acb, power: int) -> acb:
    return x.sqrt() if power == 2 else x


def test_a_window_in_the_tail_keeps_its_relative_accuracy():
    """P(s > 0.97) is 1e-1525 here, and the series from the other end has terms of 1e+1000."""
    found = moments(only_piece(parse_law("squared_norm", "beta(1/1000, 1000)")))
    with ctx.workprec(256):
        (value, *_) = found.windowed(0, ball(Fraction(47, 100)), None)
        assert value.rel_accuracy_bits() > 200
        # The density at the cut over the rate at which it falls.
        assert 1520 < -(value.log() / arb(10).log()) < 1530
        (below, *_) = found.windowed(0, None, ball(Fraction(47, 100)))
        assert below.rel_accuracy_bits() > 200
        assert (1 - below).overlaps(value)


def test_downward_and_upward_meet():
    found = moments(only_piece(parse_law("squared_norm", "uniform(1, 4)")))
    pole = acb(Fraction(7, 2).numerator) / 2
    with ctx.workprec(300):
        first = found.divided(0)[0]
        up = upward(found.plain(20), pole, acb(first))
        bound = ball(found.half) ** 501 / (pole.abs_lower() - ball(found.half))
        down = downward(found.plain(500), pole, 20, bound)
        assert len(down) == len(up) == 21
        for one, other in zip(up, down, strict=True):
            assert one.real.overlaps(other.real)
            assert other.real.rel_accuracy_bits() > 200


def test_downward_is_no_narrower_than_its_start_allows():
    """With a bound that is too small the balls would miss the truth."""
    plain = [arb(1)]
    (value,) = downward(plain, acb(2), 0, arb(0.25))
    assert value.real.overlaps(arb(0.5))
    assert value.real.rad() >= 0.125


@pytest.mark.parametrize("tail", [1, 2, 5, 20])
@pytest.mark.parametrize(
    "law", [("squared_norm", "uniform(1, 4)"), ("norm", "uniform(1, 2)"), FAST_SUM], ids=str
)
def test_the_start_of_the_downward_recurrence_is_bounded(monkeypatch, law, tail):
    """Begun too near, it is wide; it never misses the truth."""
    law = parse_law(*law)
    with ctx.workprec(200):
        right = moments(only_piece(law)).divided(3)
        for module in ("ball_moments", "piece_moments"):
            monkeypatch.setattr(f"numerics.expectation.{module}.tail_terms", lambda shrink: tail)
        early = moments(only_piece(law)).divided(3)
        for one, other in zip(early, right, strict=True):
            assert one.overlaps(other)
            assert one.rad() > 2 * other.rad()


@pytest.mark.parametrize(
    "text",
    ["uniform(0, 6)", "uniform(0, 100)", "beta(1/2, 3, low=1, high=40)", "truncated(chi2(3), high=9)"],
)
def test_the_reciprocal_of_a_square_keeps_its_digits(text):
    """However many steps lead to the last moment: what lam times it is, is known."""
    found = moments(only_piece(parse_law("norm", text)))
    with ctx.workprec(160):
        plain, divided = found.plain(200), found.divided(202)
    lam = [arb(value) for value in (1 + found.norm).coeffs()]
    for m in (0, 1, 7, 200):
        assert divided[m].rel_accuracy_bits() > 100
        product = sum((c * divided[m + j] for j, c in enumerate(lam)), arb(0))
        assert product.overlaps(plain[m])


@pytest.mark.parametrize("end", [1, 6, 100])
def test_the_first_two_of_a_square_are_known_integrals(end):
    """For ||m|| uniform on [0, b]: atan(b)/b, and log(1 + b^2)/(2b) with r in place of 1."""
    found = moments(only_piece(parse_law("norm", f"uniform(0, {end})")))
    with ctx.workprec(160):
        one, y = found.divided(1)
        b = arb(end)
        assert one.overlaps(b.atan() / b)
        assert y.overlaps((1 + b**2).log() / (2 * b) - b / 2 * one)
        assert min(one.rel_accuracy_bits(), y.rel_accuracy_bits()) > 100


def test_both_routes_to_the_reciprocal_of_a_beta_law():
    """Near lam = 0 the downward recurrence would need too many moments."""
    found = moments(only_piece(parse_law("squared_norm", "uniform(0, 1000000)")))
    with ctx.workprec(64):
        hypergeometric = found.divided(2)
        (exact,) = [ball(Fraction(10**6 + 1)).log() / 10**6]
        assert hypergeometric[0].overlaps(exact)
    assert MAX_TAIL_TERMS < 64 * 10**6 / 4  # so the other route was taken


@given(uniform_texts() | beta_texts() | chi2_texts(), st.integers(0, 30), st.integers(1, 30))
def test_the_laplace_transform_has_the_moments_as_derivatives(text, top, bottom):
    law = parse_law("squared_norm", text)
    piece = only_piece(law)
    h = Fraction(1, 10**12)
    with ctx.workprec(200):
        value = laplace(piece, acb(ball(h)), analytic=True).real
        series = 1 - ball(h * law.moment(1)) + ball(h**2 * law.moment(2) / 2)
        assert abs(value - series) <= ball(h**3 * law.moment(3))
        point = acb(ball(Fraction(top, bottom)))
        plain = laplace(piece, point, analytic=False).real
        assert 0 < plain <= 1


def test_the_laplace_transform_refuses_to_cross_its_branch_cut():
    piece = only_piece(parse_law("squared_norm", "chi2(5)"))
    assert laplace(piece, acb(0, arb(0, 2)), analytic=True).is_finite()
    assert not laplace(piece, acb(arb(0, 2)), analytic=True).is_finite()


def test_moments_are_those_of_a_piece_of_mass_1():
    law = parse_law("modalities", "atoms({0: 1/2, 3: 1/2})", "uniform(1, 4)")
    for piece in law.pieces:
        assert isinstance(piece, BetaPiece)
        assert moments(piece).plain(0)[0] == 1


@pytest.mark.parametrize("text", ["uniform(2, 2.0001)", "beta(7/3, 7/3, low=1/3, high=5/7)"])
def test_a_window_may_end_in_the_middle_of_the_support(text):
    """There the cut is a ball about exactly 0."""
    law = parse_law("squared_norm", text)
    (piece,) = law.components
    middle = (piece.low + piece.high) / 2
    evaluator = MomentBall(piece)
    below, above = (evaluator.window(1, arb(0), 0, *cut) for cut in ((None, middle), (middle, None)))
    assert (below + above).contains(rational(law.mean))
    assert below.rad() < 1e-9
