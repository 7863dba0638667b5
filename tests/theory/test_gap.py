"""Theorem 4.1 in exact arithmetic on laws with atoms, from the definition of the risk."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Rational

from theory import gap, modalities
from theory.symbols import s

Law = dict[Fraction, Fraction]
values = st.fractions(min_value=0, max_value=8, max_denominator=20)
laws = st.dictionaries(values, st.integers(1, 9), min_size=1, max_size=4).map(
    lambda counts: {value: Fraction(count, sum(counts.values())) for value, count in counts.items()}
)
not_zero = laws.filter(lambda law: set(law) != {0})


def mean(law: Law, function: Expr) -> Fraction:
    """E of an expression in s."""
    total = Rational(0)
    for value, mass in law.items():
        total += Rational(mass.numerator, mass.denominator) * function.subs(
            s, Rational(value.numerator, value.denominator)
        )
    return Fraction(total.p, total.q)


def lsa_risk(law: Law, c: Fraction) -> Fraction:
    """E(y_q - c zeta m^T x_q)^2/zeta^2 = E[(1 - c s)^2 + c^2 s]."""
    return sum((p * ((1 - c * v) ** 2 + c**2 * v) for v, p in law.items()), Fraction(0))


def double_expectation(law: Law) -> Fraction:
    """E E' of v v' (v - v')^2/((1 + v)(1 + v'))."""
    pairs = [(v, p, r, w) for v, p in law.items() for r, w in law.items()]
    return sum((p * w * v * r * (v - r) ** 2 / ((1 + v) * (1 + r)) for v, p, r, w in pairs), Fraction(0))


@given(law=not_zero, c=values)
def test_gap_by_two_routes(law: Law, c: Fraction) -> None:
    moments = {symbol: mean(law, function) for function, symbol in gap.MOMENTS.items()}
    found = gap.scalar().gap.subs({key: Rational(v.numerator, v.denominator) for key, v in moments.items()})
    bayes = sum((p / (1 + v) for v, p in law.items()), Fraction(0))
    best = moments[gap.E_s] / moments[gap.E_slam]
    as_double = double_expectation(law) / (2 * moments[gap.E_slam])
    assert Fraction(found.p, found.q) == lsa_risk(law, best) - bayes == as_double
    assert lsa_risk(law, c) >= lsa_risk(law, best)
    assert (as_double == 0) == (len([v for v in law if v > 0]) == 1)


def excess(law_p: Law, law_q: Law, a: Fraction, b: Fraction) -> Fraction:
    """E[(1 - a p - b q)^2 + a^2 p + b^2 q - 1/(1 + p + q)], p and q independent."""
    return sum(
        (
            u * v * ((1 - a * p - b * q) ** 2 + a**2 * p + b**2 * q - 1 / (1 + p + q))
            for p, u in law_p.items()
            for q, v in law_q.items()
        ),
        Fraction(0),
    )


@given(law_p=not_zero, law_q=not_zero, a=values, b=values)
def test_two_modalities(law_p: Law, law_q: Law, a: Fraction, b: Fraction) -> None:
    moments = {
        modalities.E_p: mean(law_p, s),
        modalities.E_pp: mean(law_p, s**2),
        modalities.E_q: mean(law_q, s),
        modalities.E_qq: mean(law_q, s**2),
        modalities.E_inverse: sum(
            (u * v / (1 + p + q) for p, u in law_p.items() for q, v in law_q.items()), Fraction(0)
        ),
    }
    at = {symbol: Rational(value.numerator, value.denominator) for symbol, value in moments.items()}
    found = modalities.two_modalities()
    best_a, best_b = (Fraction(v.p, v.q) for v in (weight.subs(at) for weight in found.best))
    least = found.excess.subs(at)
    assert excess(law_p, law_q, best_a, best_b) == Fraction(least.p, least.q)
    assert 0 <= excess(law_p, law_q, best_a, best_b) <= excess(law_p, law_q, a, b)


def test_the_scalar_gap_overstates_the_true_one() -> None:
    law_p = {Fraction(1): Fraction(1)}
    law_q = {Fraction(0): Fraction(1, 2), Fraction(4): Fraction(1, 2)}
    total = {1 + q: mass for q, mass in law_q.items()}
    scalar = double_expectation(total) / (2 * mean(total, s * (1 + s)))
    assert excess(law_p, law_q, Fraction(1, 4), Fraction(1, 5)) < scalar


def test_an_unknown_moment_is_an_error() -> None:
    with pytest.raises(KeyError):
        gap.expectation_of_copies(s**3 * gap.s2)


def test_the_gap_in_moments() -> None:
    found = gap.in_moments()
    assert found.derivation.holds
    assert found.gap == (gap.E_cube_ratio * gap.E_ratio - gap.E_square_ratio**2) / gap.E_slam


@pytest.mark.parametrize("factor", [2, -1])
def test_a_false_gap_in_moments(factor: int) -> None:
    false = gap.in_moments(factor * gap.in_moments().gap).derivation
    assert false.holds is False
    assert false.failures[0].witness
