"""Gauss rules in float64 and quadrature of 1/lam in mpmath."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from flint import arb, ctx
from mpmath import mp

from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.expectation.quadrature import (
    MAX_NODES,
    FloatRule,
    FloatRules,
    _gauss,
    _jacobi_matrix,
    _of_many,
    signed_log_sum,
)
from numerics.laws.syntax import parse_law
from tests.numerics.by_mpmath import mp_reciprocal
from tests.numerics.independent import mean
from theory.normal_form import BoundTerm

LAWS = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "beta(1/97, 1/89)"),
    ("squared_norm", "beta(40, 3)"),
    ("squared_norm", "atoms({0: 1/2, 3: 1/2})"),
    ("norm", "uniform(1, 2)"),
    ("norm", "beta(1/2, 3)"),
    ("squared_norm", "chi2(5)"),
    ("squared_norm", "chi2(1/3)"),
    ("norm", "chi2(3)"),
    ("modalities", "uniform(0, 1)", "beta(2, 1/2)"),
    ("modalities", "uniform(0, 1)", "chi2(5)"),
    ("modalities", "atoms({0: 1/2, 2: 1/2})", "uniform(0, 1)"),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_rules_are_exact_for_polynomials(law):
    law = parse_law(*law)
    rule = FloatRule(law, 32)
    weights = np.exp(rule.log_weight)
    assert weights.sum() == pytest.approx(1, rel=1e-13)
    for k in range(1, 20):
        exact = law.moment(k)
        assert weights @ rule.s**k == pytest.approx(float(exact), rel=1e-10)


def test_sizes_grow_in_few_steps_and_stop():
    sizes = [FloatRule.size(degree) for degree in range(10_000)]
    assert sizes == sorted(sizes)
    assert all(2 * size > degree for size, degree in zip(sizes, range(2 * MAX_NODES), strict=False))
    assert len(set(sizes)) < 8
    assert max(sizes) == MAX_NODES


CONCENTRATED = [
    "chi2(400)",
    "chi2(5000)",
    "beta(1500, 4500, low=1, high=4)",
    "beta(2000, 2)",
    "beta(1/1000, 1000)",
    "beta(76, 66334470, low=1, high=4)",
    "beta(1e-17, 1, low=1, high=4)",
    "beta(1e50, 1e50, low=1, high=4)",
]


@pytest.mark.parametrize("size", [64, MAX_NODES])
@pytest.mark.parametrize("text", CONCENTRATED)
def test_rules_follow_densities_of_any_shape(text, size):
    """SciPy's weights overflow there, or its shapes round to -1."""
    law = parse_law("squared_norm", text)
    rule = FloatRule(law, size)
    weights = np.exp(rule.log_weight)
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert weights @ rule.s == pytest.approx(float(law.mean), rel=1e-9, abs=1e-15)
    if "e50" not in text:
        with ctx.workprec(256):
            exact = Expectation(law).ball([BoundTerm(1, 0, 1, 0, 0)])
        assert exact.rel_accuracy_bits() > 50
        assert weights @ (1 / rule.lam) == pytest.approx(float(exact), rel=1e-9)


def crowd(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Many atoms of equal mass."""
    draws = np.random.default_rng(0)
    values = {
        "spread": draws.gamma(3, 1, 5000),
        "an outlier": np.append(draws.gamma(3, 1, 4999), 1000.0),
        "two clusters": np.concatenate([draws.normal(2, 1e-3, 2000), draws.normal(40, 1e-3, 3000)]),
        "even": np.linspace(0, 200_000, 5000),
        "close together": np.append(1 + 1e-9 * np.arange(4999), 3.0),
    }[shape]
    return np.sort(values), np.full(5000, 1 / 5000)


def deviation(s, p, x, weights, degree):
    """Largest error of E[q^n lam^-k], n up to the degree, relative to E[|q|^n lam^-k]."""
    found = 0.0
    for slope in (2 / (2 + s[0] + s[-1]), 1 / (1 + s[0]), 1 / (1 + s[-1])):
        q, at = 1 - slope * (1 + s), 1 - slope * (1 + x)
        largest = np.abs(q).max()
        q, at = q / largest, at / largest
        for n in (0, 1, degree // 2, degree - 1, degree):
            for k in (0, 1):
                terms = p * q**n / (1 + s) ** k
                off = (weights * at**n / (1 + x) ** k).sum() - terms.sum()
                found = max(found, abs(off) / np.abs(terms).sum())
    return found


@pytest.mark.parametrize("size", [32, 128])
@pytest.mark.parametrize("shape", ["spread", "an outlier", "two clusters", "even", "close together"])
def test_a_gauss_rule_stands_for_many_atoms(shape, size):
    """Also for 1/lam, to the rounding of the sum itself; beyond its degree it does not."""
    s, p = crowd(shape)
    x, weights = _of_many(s, p, size)
    assert len(x) <= size
    assert (weights > 0).all()
    assert s[0] <= x.min() <= x.max() <= s[-1]
    assert deviation(s, p, x, weights, 2 * size - 2) < 1e-11
    if shape == "even":
        assert deviation(s, p, x, weights, 40 * size) > 1e-9


def test_atoms_of_tiny_mass_stay():
    s, p = crowd("spread")
    p[-1] = 1e-12
    x, weights = _of_many(s, p, 32)
    assert np.array_equal(x, s)
    assert np.array_equal(weights, p)


def test_the_bayes_risk_of_a_concentrated_law():
    """1/2 E 1/(1/2 + G), G of shape 200: 0.00250623402 by the incomplete Gamma function."""
    found = FloatRules(parse_law("squared_norm", "chi2(400)")).mean(0, lambda s: 1 / (1 + s))
    assert found == pytest.approx(0.00250623402, rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (2, 5), (30, 40)])
def test_the_rule_from_the_recurrence_is_that_of_scipy(a, b):
    from scipy.special import roots_jacobi

    x, weights = _gauss(*_jacobi_matrix(a, b, 64))
    nodes, masses = roots_jacobi(64, b - 1, a - 1)
    assert x == pytest.approx(nodes, abs=1e-14)
    assert weights == pytest.approx(masses / masses.sum(), rel=1e-10)


def test_what_float64_cannot_hold_is_an_error():
    with pytest.raises(NoConvergence, match="no Gauss rule of 3 nodes"):
        _gauss(np.array([1.0, inf, 1.0]), np.array([1.0, 1.0]))


def test_a_rule_is_kept_and_found_by_its_degree():
    rules = FloatRules(parse_law("squared_norm", "uniform(1, 4)"))
    assert rules.of(3) is rules.of(40) is not rules.of(100)
    assert len(rules.of(100).s) == FloatRule.size(100)
    assert rules.mean(2, lambda s: s**2) == pytest.approx(7, rel=1e-13)


def test_sums_in_sign_and_logarithm():
    assert signed_log_sum([]) == (0, -inf)
    assert signed_log_sum([(0, -inf), (0, -inf)]) == (0, -inf)
    assert signed_log_sum([(1, 2000.0), (-1, 2000.0)]) == (0, -inf)
    sign, logarithm = signed_log_sum([(1, 2000.0), (-1, 2000.0 + log(3))])
    assert sign == -1
    assert logarithm == pytest.approx(2000 + log(2), abs=1e-12)
    sign, logarithm = signed_log_sum([(1, -2000.0), (1, 0.0), (-1, log(0.25))])
    assert (sign, exp(logarithm)) == (1, pytest.approx(0.75))


@pytest.mark.parametrize("law", [law for law in LAWS if law[0] != "modalities"], ids=str)
def test_the_reciprocal_in_mpmath_is_the_rigorous_integral(law):
    law = parse_law(*law)
    with mp.workprec(80), ctx.workprec(120):
        value = mp_reciprocal(law)
        independent = mean(law, lambda s: 1 / (1 + s))
        assert abs(independent - arb(mp.nstr(value, 24))) < arb(10) ** -18


def test_the_reciprocal_of_a_sum_in_mpmath():
    with mp.workprec(53):
        value = mp_reciprocal(parse_law("modalities", "uniform(0, 1)", "uniform(0, 1)"))
        assert abs(value - (3 * mp.log(3) - 4 * mp.log(2))) < 1e-13


def test_floats_are_taken_from_exact_numbers():
    rule = FloatRule(parse_law("squared_norm", "point(1/3)"), 32)
    assert rule.lam.tolist() == [float(Fraction(4, 3))]
