"""Laws that are made of others: mixtures, densities by a polynomial, conditional laws."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.expectation import Expectation
from numerics.laws import BetaPiece, Law, LawError
from numerics.laws.bernstein import bernstein, mixture
from numerics.laws.density import MAX_DEGREE, read
from numerics.laws.syntax import MAX_NESTING, parse_law
from tests.numerics.laws.test_laws import mean_agrees
from tests.strategies import (
    density_texts,
    intervals,
    law_texts,
    mixture_text,
    rationals,
    triangular_texts,
    truncated_texts,
)
from theory.normal_form import BoundTerm

F = Fraction


def squared(text: str) -> Law:
    return parse_law("squared_norm", text)


SAME = [
    ("mixture({point(1): 1/3, point(4): 2/3})", "atoms({1: 1/3, 4: 2/3})"),
    (
        "mixture({mixture({point(1): 1/2, chi2(5): 1/2}): 1/2, chi2(5): 1/2})",
        "mixture({point(1): 1/4, chi2(5): 3/4})",
    ),
    ("triangular(1, 1, 4)", "beta(1, 2, low=1, high=4)"),
    ("triangular(1, 4, 4)", "beta(2, 1, low=1, high=4)"),
    ('density("7/3", 1, 4)', "uniform(1, 4)"),
    ('density("s*(4-s)", low=0, high=4)', "beta(2, 2, low=0, high=4)"),
    ('density("3*s^2*(4 - s)**3/7", low=0, high=4)', "beta(3, 4, low=0, high=4)"),
    ('density("-(s - 1)*(s - 4)", low=1, high=4)', "beta(2, 2, low=1, high=4)"),
    ("truncated(uniform(0, 6), low=1, high=4)", "uniform(1, 4)"),
    ("truncated(atoms({0: 1/2, 1: 1/6, 4: 1/3}), low=1)", "atoms({1: 1/3, 4: 2/3})"),
    ("truncated(triangular(0, 2, 4), high=2)", "beta(2, 1, low=0, high=2)"),
    ("truncated(chi2(5), low=0)", "chi2(5)"),
    ("truncated(beta(1/2, 1/3, low=1, high=4), high=5)", "beta(1/2, 1/3, low=1, high=4)"),
    (
        "truncated(mixture({uniform(0, 2): 1/2, point(3): 1/2}), low=1)",
        "mixture({uniform(1, 2): 1/3, point(3): 2/3})",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_law_written_another_way(one: str, other: str) -> None:
    assert squared(one).components == squared(other).components
    assert squared(one).components != squared("uniform(1, 9/2)").components


@given(law_texts(), st.integers(1, 9))
def test_a_mixture_of_a_law_with_itself_is_the_law(text: str, tenths: int) -> None:
    mixed = squared(mixture_text([text, text], [F(tenths, 10), 1 - F(tenths, 10)]))
    assert mixed.components == squared(mixture_text([text], [F(1)])).components
    assert mixed.moments(5) == squared(text).moments(5)
    assert (mixed.m_lo, mixed.m_hi) == (squared(text).m_lo, squared(text).m_hi)


@given(law_texts(), law_texts(), st.integers(1, 9))
def test_a_mixture_has_the_mean_of_the_moments_and_the_outer_ends(p: str, q: str, tenths: int) -> None:
    share, (first, second) = F(tenths, 10), (squared(p), squared(q))
    mixed = squared(mixture_text([p, q], [share, 1 - share]))
    for k in range(5):
        assert mixed.moment(k) == share * first.moment(k) + (1 - share) * second.moment(k)
    lows = [law.m_lo for law in (first, second) if law.m_lo is not None]
    assert mixed.m_lo == min(lows)
    highs = [law.hi for law in (first, second)]
    assert mixed.hi == (None if None in highs else max(h for h in highs if h is not None))
    assert mixed.mass_at_zero == share * first.mass_at_zero + (1 - share) * second.mass_at_zero


@given(density_texts() | truncated_texts() | triangular_texts())
def test_pieces_fit_together(text: str) -> None:
    law = squared(text)
    assert sum((piece.mass for piece in law.pieces), F(0)) == 1
    assert all(piece.mass > 0 for piece in law.pieces)


def integral(coefficients: list[Fraction], low: Fraction, high: Fraction) -> Fraction:
    """Of a polynomial, by its antiderivative."""
    return sum((c * (high ** (k + 1) - low ** (k + 1)) / (k + 1) for k, c in enumerate(coefficients)), F(0))


@given(density_texts(), st.integers(0, 4))
def test_the_moments_of_a_polynomial_density_are_its_integrals(text: str, k: int) -> None:
    inside = text.removeprefix('density("').removesuffix(")")
    polynomial, _, ends = inside.partition('", ')
    low, high = map(F, ends.split(", "))
    coefficients = read(polynomial)
    raised = [F(0)] * k + coefficients
    assert squared(text).moment(k) == integral(raised, low, high) / integral(coefficients, low, high)


@given(st.lists(rationals(), min_size=1, max_size=6), intervals())
def test_bernstein_coefficients_give_the_polynomial_back(
    coefficients: list[Fraction], ends: tuple[Fraction, Fraction]
) -> None:
    low, high = ends
    found = bernstein(coefficients, low, high)
    n = len(found) - 1
    for u in (F(0), F(1, 3), F(1)):
        basis = sum((c * comb(n, k) * u**k * (1 - u) ** (n - k) for k, c in enumerate(found)), F(0))
        s = low + (high - low) * u
        assert basis == sum((c * s**k for k, c in enumerate(coefficients)), F(0))


@given(truncated_texts() | triangular_texts())
def test_a_second_route_by_quadrature(text: str) -> None:
    """E[1/lam] in balls, and the density integrated by mpmath."""
    law = squared(text)
    found = Expectation(law).ball([BoundTerm(1, 0, 1, 0, 0)])
    with mp.workdps(30):
        total = mp.mpf(0)
        for piece in law.pieces:
            assert isinstance(piece, BetaPiece)
            low, high, a, b = (
                mp.mpf(x.numerator) / x.denominator for x in (piece.low, piece.high, piece.a, piece.b)
            )
            weight = mp.mpf(piece.mass.numerator) / piece.mass.denominator / (high - low) ** (a + b - 1)
            total += (
                weight
                / mp.beta(a, b)
                * mp.quad(
                    lambda s, low=low, high=high, a=a, b=b: (
                        (s - low) ** (a - 1) * (high - s) ** (b - 1) / (1 + s)
                    ),
                    [low, high],
                )
            )
        assert abs(float(found.mid()) - float(total)) < 1e-12


def test_a_conditional_law_by_its_definition() -> None:
    """E[s; 2 <= s <= 3] / P(2 <= s <= 3) for a Beta law, by the incomplete beta function."""
    law = squared("truncated(beta(2, 5, low=1, high=4), low=2, high=3)")
    with mp.workdps(30):
        ends = mp.mpf(1) / 3, mp.mpf(2) / 3
        mass = mp.betainc(2, 5, *ends)
        mean = 1 + 3 * mp.betainc(3, 5, *ends) / mass
        assert abs(mp.mpf(law.mean.numerator) / law.mean.denominator - mean) < mp.mpf(10) ** -25


SAMPLED = [
    "mixture({uniform(1, 2): 1/2, point(4): 1/2})",
    "mixture({chi2(3): 1/4, mixture({point(0): 1/3, uniform(5, 6): 2/3}): 3/4})",
    "triangular(1, 2, 4)",
    'density("(s-2)^2*s", low=0, high=4)',
    "truncated(beta(2, 5, low=1, high=4), low=2, high=3)",
    'density("(s^2-2)^2", low=0, high=4)',
]


@pytest.mark.parametrize("text", SAMPLED)
def test_samples_have_the_exact_moments(text: str) -> None:
    law = squared(text)
    draws = law.sample(np.random.default_rng(3), 20_000)
    assert mean_agrees(law, draws, 1)
    assert mean_agrees(law, draws, 2)
    assert not mean_agrees(law, draws * 1.1, 1)


def nested(depth: int) -> str:
    """point(2), in so many laws of one mixture each but the innermost."""
    return "mixture({" * (depth - 1) + "point(2)" + ": 1})" * (depth - 1)


def test_nesting() -> None:
    assert squared(nested(MAX_NESTING)).components == squared("point(2)").components
    with pytest.raises(LawError, match="nested more than 100 deep"):
        squared(nested(MAX_NESTING + 1))
    with pytest.raises(LawError, match="nested more than 100 deep"):
        squared("mixture({" * 6000)


def test_files_inside(tmp_path: object) -> None:
    path = f"{tmp_path}/norms.csv"
    with open(path, "w") as file:
        file.write("1\n2\n")
    text = f'mixture({{empirical("{path}"): 1/2, truncated(empirical("{path}"), low=2): 1/2}})'
    law = squared(text)
    assert law.components == squared("atoms({1: 1/4, 2: 3/4})").components
    assert [file.path for file in law.files] == [path]


BAD = [
    ("mixture({})", "mixture has no law: write mixture({uniform(1, 2): 1/2, point(4): 1/2})"),
    ("mixture({point(1): 1/2})", "the masses add up to 1/2: they must add up to 1"),
    ("mixture({point(1): -1, point(2): 2})", "the mass of point(1) is -1: it must be positive"),
    (
        "mixture({1: 1})",
        "the parameter laws of mixture must be laws with their masses, such as {uniform(1, 2)",
    ),
    ("mixture(uniform(1, 2))", "the parameter laws of mixture must be laws with their masses"),
    ("mixture({point(1): 1/2, 2: 1/2})", "the parameter laws of mixture must be laws with their masses"),
    ("mixture({unifrom(1, 2): 1})", "there is no law 'unifrom': did you mean uniform?"),
    ("atoms({point(1): 1})", "the parameter masses of atoms must be values with their masses"),
    ("point(point(1))", "the parameter value of point must be a number"),
    ("triangular(1, 5, 4)", "mode is 5: it must lie between low, 1, and high, 4"),
    ("triangular(4, 4, 4)", "low must be less than high"),
    ('density("s-1", 0, 4)', "the density is negative at 1/2"),
    ('density("(s-1)*(s-2)", 0, 4)', "the density is negative at 3/2"),
    ('density("(s^2-2)*(s-3)^2", 0, 4)', "the density is negative at "),
    ('density("s-s", 0, 4)', "the density is 0 everywhere"),
    ('density("-1", 0, 4)', "the density is negative at 2"),
    ('density("s^25", 0, 4)', "a whole exponent, at most 24,"),
    ('density("s^9*s^9*s^9", 0, 4)', "has a degree over 24"),
    ('density("s^-1", 0, 4)', "a whole exponent"),
    ('density("1/s", 0, 4)', "divides by what is no number other than 0"),
    ('density("1/0", 0, 4)', "divides by what is no number other than 0"),
    ('density("1/(s-s)", 0, 4)', "divides by what is no number other than 0"),
    ('density("", 0, 4)', "expected a number, s or '(' at character 1 of the density '', where it ends"),
    ('density("s s", 0, 4)', "expected +, -, *, / or ^ at character 3"),
    (
        'density("x", 0, 4)',
        "expected a number, s or '(' at character 1 of the density 'x', where there is 'x'",
    ),
    ('density("__import__(1)", 0, 4)', "where there is '__import__'"),
    ('density("s;s", 0, 4)', "';' in the density 's;s' has no meaning there"),
    ('density("(s", 0, 4)', "expected ')'"),
    ('density("' + "(" * 100 + '", 0, 4)', "over 50 parentheses"),
    ('density("9" , 4, 1)', "low must be less than high"),
    ("density(s, 0, 4)", "expected a number"),
    ("truncated(uniform(1, 2), low=3, high=5)", "nothing of uniform(1, 2) lies between low and high"),
    ("truncated(uniform(1, 2), high=1)", "nothing of uniform(1, 2) lies between low and high"),
    ("truncated(uniform(1, 2), low=2, high=1)", "low must be less than high"),
    ("truncated(1, high=3)", "the parameter law of truncated must be a law, such as uniform(1, 4)"),
]


@pytest.mark.parametrize(("text", "line"), BAD)
def test_bad_laws(text: str, line: str) -> None:
    with pytest.raises(LawError) as caught:
        squared(text)
    assert line in str(caught.value)
    assert str(caught.value).isprintable()


def degree_or_line(text: str) -> int | str:
    """The degree, or the message of the LawError."""
    try:
        return len(read(text)) - 1
    except LawError as error:
        return str(error)


@given(st.text("s0123456789.+-*/^() e", max_size=20))
def test_any_text_is_a_polynomial_or_one_line(text: str) -> None:
    found = degree_or_line(text)
    assert found.isprintable() if isinstance(found, str) else found <= MAX_DEGREE


def test_a_density_that_nearly_touches_0_is_split() -> None:
    pieces = mixture([F(1) + F(1, 10**6), F(-2), F(1)], F(0), F(2))
    assert len(pieces) > 3
    assert sum(piece.mass for piece in pieces) == 1
