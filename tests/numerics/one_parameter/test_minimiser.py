"""alpha_T and the loss there, against reference values, closed forms and exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import ball, ends
from numerics.errors import PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from numerics.one_parameter.minimiser import loss_at, minimiser
from tests.strategies import bounded_laws, laws, positive_rationals
from theory.losses import one_parameter

F = Fraction
LOSS = one_parameter()
ROUNDED = 1 + F(1, 10**6)
REFERENCE = {
    "uniform(1, 4)": (
        {
            1: "0.2631578947368421052631579",
            2: "0.2708886844411440983037221",
            3: "0.2746998802479648523935604",
            8: "0.2809121034350762816589032",
            32: "0.2844215656982157131125207",
            128: "0.2853848669700099542464039",
        },
        {
            1: "0.0366750191998",
            2: "0.00385964696661",
            3: "0.000494830994545",
            8: "4.09569197612e-8",
            32: "2.27331783634e-26",
            128: "1.27387708615e-97",
        },
    ),
    "uniform(0, 3)": (
        {
            1: "0.3333333333333333333333333",
            2: "0.34865154173392556022659",
            3: "0.3576473857914113368654327",
            8: "0.3761184244254646263169533",
            32: "0.3911606519125958441611915",
            128: "0.3971018228237371836378552",
        },
        {
            1: "0.0379018796267",
            2: "0.00606734421034",
            3: "0.0012603836296",
            8: "1.70071597472e-6",
            32: "3.62748504818e-18",
            128: "7.90134926427e-62",
        },
    ),
    "atoms({1: 1/3, 4: 2/3})": (
        {
            1: "0.2142857142857142857142857",
            2: "0.25",
            3: "0.2626397464519439738102725",
            8: "0.277484424008592519484143",
            32: "0.2837078221906676530448691",
            128: "0.2852158937049593877432224",
        },
        {
            1: "0.0571428571429",
            2: "0.0125",
            3: "0.00241095977422",
            8: "5.31932085202e-7",
            32: "1.18157413895e-24",
            128: "2.64968878208e-95",
        },
    ),
}
CASES = [(text, T) for text, (alphas, _) in REFERENCE.items() for T in alphas]


def alpha(law: Law, T: int, digits: int = 30, max_bits: int = 65536):
    return minimiser(Expectation(law), LOSS, T, digits, max_bits)


def squared(text: str) -> Law:
    return parse_law("squared_norm", text)


@pytest.mark.parametrize(("text", "T"), CASES)
def test_reference_minimisers(text, T):
    found, printed = alpha(squared(text), T), F(REFERENCE[text][0][T])
    half_unit = F(1, 2 * 10**25)
    assert found.lower - half_unit <= printed <= found.upper + half_unit
    assert found.upper - found.lower < F(1, 10**30)


@pytest.mark.parametrize(("text", "T"), CASES)
def test_reference_losses(text, T):
    law, printed = squared(text), F(REFERENCE[text][1][T])
    loss, bits = loss_at(Expectation(law), LOSS, T, alpha(law, T), 65536)
    lower, upper = ends(loss)
    assert lower > 0
    assert upper - lower < F(1, 10**14) * lower
    assert abs(lower - printed) < printed * F(1, 10**11)
    assert bits >= 64


@given(laws(), st.sampled_from([1, 2, 3, 8, 17]))
def test_the_derivative_changes_sign_inside(law, T):
    """In rational arithmetic."""
    found, expectation = alpha(law, T), Expectation(law)
    assert expectation.polynomial(1, found.lower, 2 * T - 1) > 0
    assert expectation.polynomial(1, found.upper, 2 * T - 1) < 0
    assert found.upper - found.lower <= found.upper * ROUNDED * F(1, 10**30)


@given(bounded_laws(), st.integers(1, 40))
def test_bounds(law, T):
    found = alpha(law, T)
    l1, l2 = law.lambda_ends
    assert found.upper >= 1 / l2
    assert found.lower <= 1 / l1


@given(laws())
def test_depth_1_in_closed_form(law):
    found = alpha(law, 1)
    assert found.lower < law.mean / (law.mean + law.moment(2)) < found.upper


@given(
    positive_rationals(),
    positive_rationals(),
    st.fractions(min_value=F(1, 100), max_value=F(99, 100), max_denominator=100),
    st.integers(1, 60),
)
def test_two_atoms_in_closed_form(first, second, p, T):
    s1, s2 = sorted((first, second + 6))
    law = squared(f"atoms({{{s1}: {p}, {s2}: {1 - p}}})")
    with ctx.workprec(300):
        k = ball((1 - p) * s2 / (p * s1)).root(2 * T - 1)
        closed = (1 + k) / (ball(1 + s1) + k * ball(1 + s2))
    assert alpha(law, T, 40).ball.overlaps(closed)


@given(positive_rationals(), st.integers(1, 50))
def test_a_constant_norm_has_one_weight_at_every_depth(value, T):
    found = alpha(squared(f"point({value})"), T)
    assert found.lower < 1 / (1 + value) < found.upper
    found = alpha(squared(f"atoms({{0: 1/3, {value}: 2/3}})"), T)
    assert found.lower < 1 / (1 + value) < found.upper


TWO_WAYS = [
    (("squared_norm", "beta(1, 1, low=1, high=4)"), ("squared_norm", "uniform(1, 4)")),
    (("norm", "atoms({1: 1/3, 2: 2/3})"), ("squared_norm", "atoms({1: 1/3, 4: 2/3})")),
    (("norm", "point(3/2)"), ("squared_norm", "point(9/4)")),
    (("modalities", "chi2(3)", "chi2(2)"), ("squared_norm", "chi2(5)")),
    (("modalities", "point(1)", "uniform(0, 3)"), ("squared_norm", "uniform(1, 4)")),
    # The square of a uniform variable on [0, 1] has the density 1/(2 sqrt(s)).
    (("norm", "uniform(0, 1)"), ("squared_norm", "beta(1/2, 1)")),
    (("norm", "beta(2, 1)"), ("squared_norm", "uniform(0, 1)")),
    (("norm", "beta(4, 1, high=2)"), ("squared_norm", "beta(2, 1, high=4)")),
]


@pytest.mark.parametrize(("one", "other"), TWO_WAYS, ids=str)
@pytest.mark.parametrize("T", [1, 2, 9, 64])
def test_a_law_written_two_ways(one, other, T):
    first, second = alpha(parse_law(*one), T), alpha(parse_law(*other), T)
    assert first.lower < second.upper
    assert second.lower < first.upper


def test_a_mixture_of_pieces_is_its_parts():
    """uniform(0, 2) is a half each of uniform(0, 1) and uniform(1, 2)."""
    whole = squared("uniform(0, 2)")
    parts = parse_law("modalities", "atoms({0: 1/2, 1: 1/2})", "uniform(0, 1)")
    for T in (1, 5, 50):
        first, second = alpha(whole, T), alpha(parts, T)
        assert first.lower < second.upper
        assert second.lower < first.upper


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 20))
def test_splitting_an_atom_changes_nothing(weight, rest, T):
    """s = 2 with mass p, and as 0 + 2, 1 + 1, 2 + 0 of two modalities with that total mass."""
    p = F(weight, weight + rest)
    once = squared(f"atoms({{0: {(1 - p) ** 2}, 2: {2 * p * (1 - p)}, 4: {p**2}}})")
    split = parse_law("modalities", *2 * [f"atoms({{0: {1 - p}, 2: {p}}})"])
    assert alpha(once, T) == alpha(split, T)


@given(st.integers(1, 9), st.integers(1, 30))
def test_mass_at_zero_changes_nothing(weight, T):
    p = F(weight, 10)
    found, without = (
        alpha(squared(f"atoms({{0: {1 - p}, 1: {p / 3}, 4: {2 * p / 3}}})"), T),
        alpha(squared("atoms({1: 1/3, 4: 2/3})"), T),
    )
    assert found.lower < without.upper
    assert without.lower < found.upper


@pytest.mark.parametrize(
    "text", ["uniform(1, 4)", "atoms({1: 1/3, 4: 2/3})", "beta(1/2, 1/3, low=1, high=4)"]
)
def test_depth_4096(text):
    """The rate: alpha_T - alpha* is of order 1/T, or log T / T."""
    law = squared(text)
    found = alpha(law, 4096)
    assert found.upper - found.lower < F(1, 10**30)
    assert abs(found.middle - F(2, 7)) < F(1, 1000)
    shallow = alpha(law, 2048)
    assert abs(found.middle - F(2, 7)) < abs(shallow.middle - F(2, 7))


@pytest.mark.parametrize(
    "text", ["uniform(2, 2.0001)", "uniform(0, 1000000)", "atoms({1: 0.999999, 1000: 1e-6})"]
)
@pytest.mark.parametrize("T", [1, 2, 128])
def test_narrow_wide_and_rare(text, T):
    law = squared(text)
    found, expectation = alpha(law, T), Expectation(law)
    assert (
        expectation.polynomial(1, found.lower, 2 * T - 1)
        > 0
        > expectation.polynomial(1, found.upper, 2 * T - 1)
    )


@pytest.mark.parametrize("text", ["uniform(1, 4)", "point(2)", "chi2(5)"])
def test_too_little_precision_is_an_error(text):
    with pytest.raises(PrecisionExhausted):
        alpha(squared(text), 64, max_bits=64)


@pytest.mark.parametrize("digits", [1, 10, 100, 300])
def test_as_many_digits_as_asked(digits):
    found = alpha(squared("uniform(1, 4)"), 8, digits)
    width = found.upper - found.lower
    assert found.upper * F(1, 10 ** (digits + 1)) < width <= found.upper * ROUNDED * F(1, 10**digits)
    assert abs(found.middle - F("0.2809121034350762816589032")) < width + F(1, 10**25)


@given(bounded_laws(), st.integers(1, 9))
def test_the_loss_at_the_minimiser_is_below_its_neighbours(law, T):
    expectation, found = Expectation(law), alpha(law, T)
    if law.is_constant:
        return  # It is 0: no relative accuracy.
    lowest, _ = loss_at(expectation, LOSS, T, found, 65536)
    lower, upper = ends(lowest)
    assert 0 < lower <= upper
    for point in (found.middle * F(999, 1000), found.middle * F(1001, 1000)):
        beside, _ = loss_at(expectation, LOSS, T, point, 65536)
        assert ends(beside)[1] > lower
    # The exact value in the middle is one that the minimum is not above.
    if not law.pieces:
        assert lower <= expectation.exact(LOSS.value.bind(T, found.middle))


def test_the_least_loss_allows_for_the_width_of_the_enclosure():
    """With a wide enclosure the loss may be lower than in its middle; two atoms have it in closed form."""
    law, T = squared("atoms({1: 1/3, 4: 2/3})"), 2
    expectation = Expectation(law)
    wide = minimiser(expectation, LOSS, T, 3, 4096)
    least, _ = loss_at(expectation, LOSS, T, wide, 4096, digits=5)
    # alpha_2 = 1/4 exactly, and the loss 1/80.
    lower, upper = ends(least)
    assert lower <= F(1, 80) <= upper
    assert wide.lower < F(1, 4) < wide.upper


def test_a_loss_that_no_precision_resolves_is_an_error():
    law = squared("point(2)")
    expectation = Expectation(law)
    with pytest.raises(PrecisionExhausted):
        loss_at(expectation, LOSS, 3, minimiser(expectation, LOSS, 3, 30, 4096), 4096)
    zero, _ = loss_at(expectation, LOSS, 3, F(0), 4096)
    assert abs(zero - arb(2) / 3) < 1e-14
