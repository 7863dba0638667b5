"""Inequalities over a uniform law on integers, against integrals in fractions."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from numerics.arithmetic.balls import rational
from numerics.laws.syntax import parse_law
from proofs_check.formal.coq import FormalError
from proofs_check.formal.rounding import ln_down, ln_up
from proofs_check.formal.uniform import Uniform

ENDS = st.tuples(
    st.fractions(min_value=0, max_value=6, max_denominator=6),
    st.fractions(min_value=Fraction(1, 6), max_value=6, max_denominator=6),
)
EPSILONS = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(1, 2), max_denominator=50)
WEIGHTS = st.fractions(min_value=Fraction(1, 50), max_value=2, max_denominator=50)


def uniform(ends):
    low, width = ends
    return Uniform.of(parse_law("squared_norm", f"uniform({low}, {low + width})"))


def integral(a, n, first, last):
    """Of s (1 - a (1 + s))^n, term by term."""
    terms = [comb(n, k) * (1 - a) ** (n - k) * (-a) ** k for k in range(n + 1)]
    return sum(c * (last ** (k + 2) - first ** (k + 2)) / (k + 2) for k, c in enumerate(terms))


@given(ENDS, WEIGHTS, st.integers(1, 8), st.fractions(min_value=Fraction(1, 10**6), max_value=1))
def test_an_enclosure_is_one_of_the_zero(ends, a, T, width):
    low, high = ends[0], sum(ends)
    wanted = integral(a, 2 * T - 1, low, high) > 0 > integral(a + width, 2 * T - 1, low, high)
    assert uniform(ends).encloses(a, a + width, T, 4096) == wanted
    if not wanted:
        assert not any(uniform(ends).encloses(a, a + width, T, bits) for bits in (1, 4, 16))


def one_inequality(ends, a, T, turn):
    low, high = ends[0], sum(ends)
    zero, n = 1 / a - 1, 2 * T - 1
    q_low, q_high = 1 - a * (1 + low), 1 - a * (1 + high)
    least = max(Fraction(0), -q_high if turn > 0 else q_low)
    edge = (1 - turn * least) / a - 1
    first, last = (low, min(high, max(low, edge))), (max(low, min(high, zero)), high)
    if turn < 0:
        first, last = (max(low, min(high, edge)), high), (low, min(high, max(low, zero)))
    gain, pain = turn * integral(a, n, *first), -turn * integral(a, n, *last)
    return gain > pain


@given(ENDS, WEIGHTS, EPSILONS, st.integers(1, 8))
def test_the_one_inequality_is_the_one_of_the_argument(ends, center, epsilon, T):
    wanted = all(one_inequality(ends, center * (1 - turn * epsilon), T, turn) for turn in (1, -1))
    assert uniform(ends).stays_near(center, epsilon, T, 4096) == wanted


def logarithm(moments):
    """ln(b/a), to 60 digits."""
    with mpmath.workdps(60):
        return mpmath.log(mpmath.mpf(moments.b) / moments.a)


def excess_of_zero(moments):
    """E[s/lam], off by less than 10^-50."""
    with mpmath.workdps(60):
        value = 1 - moments.den * logarithm(moments) / (moments.b - moments.a)
        return Fraction(int(mpmath.floor(value * 10**55)), 10**55)


@given(ENDS, st.integers(1, 60), st.sampled_from([16, 64, 128]))
def test_a_logarithm_is_enclosed(ends, terms, bits):
    moments = uniform(ends).moments
    with mpmath.workdps(60):
        exact = mpmath.ldexp(logarithm(moments), bits)
        assert ln_down(bits, terms, moments.a, moments.b) < exact < ln_up(bits, terms, moments.a, moments.b)


@given(ENDS)
def test_enough_terms_settle_a_logarithm(ends):
    moments = uniform(ends).moments
    terms = moments.terms(64)
    apart = ln_up(64, terms, moments.a, moments.b) - ln_down(64, terms, moments.a, moments.b)
    assert apart <= 8 * terms


@given(ENDS)
def test_the_gap_lies_where_it_is_said_to(ends):
    moments, apart = uniform(ends).moments, Fraction(1, 10**40)
    gap = excess_of_zero(moments) - moments.den * moments.moment(0) ** 2 / moments.moment(1)
    assert moments.gap_between(gap - apart, gap + apart, 256)
    assert not moments.gap_between(gap + apart, gap + 2 * apart, 256)
    assert not moments.gap_between(gap - 2 * apart, gap - apart, 256)
    assert not moments.gap_between(gap - apart, gap + apart, 64)


@given(ENDS, st.integers(1, 5))
def test_the_best_residual_is_orthogonal_and_its_excess_is_enclosed(ends, T):
    moments, apart = uniform(ends).moments, Fraction(1, 10**40)
    coefficients = moments.best_residual(T)
    assert len(coefficients) == T + 1
    assert coefficients[0] > 0
    for k in range(T):
        assert sum(c * moments.moment(j + k) for j, c in enumerate(coefficients)) == 0
    gram = fmpq_mat([[rational(moments.moment(j + k + 1)) for k in range(T)] for j in range(T)])
    vector = fmpq_mat([[rational(moments.moment(j))] for j in range(T)])
    gained = (vector.transpose() * gram.solve(vector))[0, 0]
    excess = excess_of_zero(moments) - moments.den * Fraction(int(gained.p), int(gained.q))
    assert moments.least_between(coefficients, excess - apart, excess + apart, 256)
    assert not moments.least_between(coefficients, excess + apart, excess + 2 * apart, 256)
    assert not moments.least_between(coefficients, excess - 2 * apart, excess - apart, 256)


@given(ENDS, st.fractions(0, 1, max_denominator=20), st.fractions(0, 1, max_denominator=20))
def test_a_share_of_the_mass_is_rounded_down(ends, u, v):
    law = uniform(ends)
    low, high = (law.ends[0] + t * (law.ends[1] - law.ends[0]) for t in sorted((u, v)))
    with mpmath.workdps(60):
        x, y = (mpmath.mpf(each.numerator) / each.denominator for each in (low, high))
        exact = (y - x - mpmath.log(y / x)) * law.den / (law.high - law.low)
        found = law.share(low, high, 128)
        assert 0 <= exact - mpmath.mpf(found.numerator) / found.denominator < mpmath.mpf(10) ** -30


def test_what_is_not_seen_is_not_exported():
    with pytest.raises(FormalError, match="x: not decided"):
        Uniform(1, 4, 1).enclosing("x", Fraction(1, 4), Fraction(26, 100), 8)
    with pytest.raises(FormalError, match="x: not decided"):
        Uniform(1, 4, 1).near("x", Fraction(2, 5), Fraction(1, 100), 8)


@pytest.mark.parametrize(
    ("kind", "texts", "found"),
    [
        ("squared_norm", ["uniform(1/3, 5/2)"], Uniform(2, 15, 6)),
        ("squared_norm", ["beta(1, 1, low=0, high=2)"], Uniform(0, 2, 1)),
        ("modalities", ["uniform(1, 4)", "point(2)"], Uniform(3, 6, 1)),
        ("norm", ["uniform(1, 2)"], None),
        ("squared_norm", ["beta(2, 1, low=0, high=2)"], None),
        ("squared_norm", ["point(2)"], None),
        ("modalities", ["uniform(1, 4)", "atoms({0: 1/2, 1: 1/2})"], None),
    ],
)
def test_which_laws_are_uniform(kind, texts, found):
    assert Uniform.of(parse_law(kind, *texts)) == found
