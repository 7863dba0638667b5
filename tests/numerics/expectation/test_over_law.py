"""Four evaluators of one normal form, against each other, exact sums and reference values."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from numerics.arithmetic.balls import ball
from numerics.errors import NoConvergence
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.laws.syntax import parse_law
from tests.numerics.by_mpmath import mpmath_mean
from tests.numerics.independent import holds
from tests.strategies import atomic_laws, laws, positive_rationals
from theory.losses import no_skip, one_parameter, two_parameter
from theory.normal_form import BoundTerm

F = Fraction
FAMILIES = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "uniform(0, 3)"),
    ("squared_norm", "uniform(2, 2.0001)"),
    ("squared_norm", "uniform(0, 1000000)"),
    ("squared_norm", "point(2)"),
    ("squared_norm", "atoms({0: 1/2, 3: 1/2})"),
    ("squared_norm", "atoms({1: 999999/1000000, 1000: 1/1000000})"),
    ("squared_norm", "beta(2, 3)"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=4)"),
    ("squared_norm", "beta(5, 2, low=0, high=10)"),
    ("norm", "uniform(1, 2)"),
    ("norm", "beta(3/2, 1/2)"),
    ("modalities", "atoms({0: 1/2, 2: 1/2})", "uniform(0, 1)"),
    ("modalities", "uniform(0, 1)", "uniform(1, 3)"),
]
UNBOUNDED = [("squared_norm", "chi2(5)"), ("norm", "chi2(3)"), ("modalities", "uniform(0, 1)", "chi2(5)")]
SMOOTH_SUM = ("modalities", "uniform(0, 1)", "beta(2, 1/2)")
WEIGHTS = {1: (F(2, 9),), 2: (F(1, 4), F(-3, 11))}


def forms():
    """Every normal form of the losses, with its weights."""
    for make in (one_parameter, two_parameter, no_skip):
        loss = make()
        yield from ((loss.value, len(loss.weights)), *((form, len(loss.weights)) for form in loss.gradient))


def magnitude(terms, expectation: Expectation) -> arb:
    """The sum of the moduli of the terms: what a float64 sum is accurate relative to."""
    return sum((abs(expectation.ball([term])) for term in terms), arb(0))


@pytest.mark.parametrize("law", [*FAMILIES, SMOOTH_SUM, *UNBOUNDED], ids=str)
@pytest.mark.parametrize("T", [1, 2, 7])
def test_balls_hold_the_exact_value_wherever_there_is_one(law, T):
    expectation = Expectation(parse_law(*law))
    for form, count in forms():
        terms = form.bind(T, *WEIGHTS[count])
        if any(term.lam_power > 0 for term in terms) and expectation.law.pieces:
            with pytest.raises(ValueError, match="1/lam"):
                expectation.exact(terms)
            continue
        exact = expectation.exact(terms)
        with ctx.workprec(400):
            found = expectation.ball(terms)
        assert holds(found, exact)
        assert found.rel_accuracy_bits() > 150 or exact == 0


ONE_DIMENSIONAL = [*FAMILIES[:-1], *UNBOUNDED[:2]]


@pytest.mark.parametrize("law", ONE_DIMENSIONAL, ids=str)
@pytest.mark.parametrize("T", [1, 8])
def test_mpmath_agrees_with_balls(law, T):
    expectation = Expectation(parse_law(*law))
    loss = one_parameter()
    for form in (loss.value, loss.gradient[0], loss.curvature):
        terms = form.bind(T, F(2, 9))
        with ctx.workprec(600), mp.workprec(90):
            found, other = expectation.ball(terms), mpmath_mean(expectation.law, terms)
            assert abs(found - arb(mp.nstr(other, 30))) <= abs(found) * arb(10) ** -18


@pytest.mark.parametrize("T", [2, 3])
def test_mpmath_agrees_with_balls_in_two_parameters(T):
    expectation = Expectation(parse_law("squared_norm", "beta(1/2, 1/3, low=1, high=4)"))
    for form, count in forms():
        terms = form.bind(T, *WEIGHTS[count])
        with ctx.workprec(600), mp.workprec(90):
            found, other = expectation.ball(terms), mpmath_mean(expectation.law, terms)
            assert abs(found - arb(mp.nstr(other, 30))) <= abs(found) * arb(10) ** -18


def test_mpmath_gives_up_on_terms_that_cancel():
    """At depth 1 the loss of two parameters does not depend on beta."""
    terms = two_parameter().gradient[1].bind(1, *WEIGHTS[2])
    with pytest.raises(NoConvergence):
        mpmath_mean(parse_law("squared_norm", "uniform(1, 4)"), terms)


@pytest.mark.parametrize("law", FAMILIES, ids=str)
@pytest.mark.parametrize("T", [1, 2, 8, 33, 128])
def test_float64_agrees_with_balls(law, T):
    """To 1e-9 of the largest term: what SciPy's Gauss nodes and weights are worth for singular densities."""
    expectation = Expectation(parse_law(*law))
    for form, count in forms():
        for weights in (WEIGHTS[count], (F(10), F(-9, 10))[:count], (F(3, 7), F(2, 5))[:count]):
            terms = form.bind(T, *weights)
            with ctx.workprec(4000):
                found, size = expectation.ball(terms), magnitude(terms, expectation)
                sign, log_modulus = expectation.float64(form.bind(T, *map(float, weights)))
                if size == 0:
                    assert sign == 0
                    continue
                scaled = (arb(log_modulus).exp() if sign else arb(0)) * sign
                assert abs(found - scaled) < size * arb(10) ** -9


@pytest.mark.parametrize("law", [SMOOTH_SUM, *UNBOUNDED], ids=str)
def test_float64_under_sums_and_unbounded_laws(law):
    """Exact up to the degree of the rule; 1/lam to some 4 digits."""
    expectation = Expectation(parse_law(*law))
    loss = one_parameter()
    for T in (1, 3, 8):
        for form, digits in ((loss.value, 3), (loss.gradient[0], 9)):
            terms = form.bind(T, F(1, 9))
            with ctx.workprec(1000):
                found = expectation.ball(terms)
                sign, log_modulus = expectation.float64(form.bind(T, 1 / 9))
                assert abs(found - sign * arb(log_modulus).exp()) < abs(found) * arb(10) ** -digits


def test_float64_leaves_the_range_of_float64():
    loss, expectation = one_parameter(), Expectation(parse_law("squared_norm", "uniform(1, 4)"))
    for alpha, T in ((0.2853848669, 1024), (10.0, 4096)):
        sign, log_modulus = expectation.float64(loss.value.bind(T, alpha))
        with ctx.workprec(300):
            found = expectation.ball(loss.value.bind(T, F(alpha)))
            assert sign == 1
            assert abs(log_modulus) > 800
            assert abs(found.log() - log_modulus) < T * 1e-13 * abs(log_modulus)


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({0: 1/2, 1: 1/4, 3: 1/4})", "point(1)"])
def test_a_term_along_its_slope_is_the_term_at_each(text):
    """At 1/2 the residual of `point(1)` is exactly 0."""
    loss, expectation = one_parameter(), Expectation(parse_law("squared_norm", text))
    for T in (1, 2, 200):
        for form in (loss.gradient[0], loss.curvature):
            (term,) = form.bind(T, 0.0)
            along = expectation.along(term)
            for alpha in (0.0, 0.2, 0.5, 10.0):
                assert along(alpha) == expectation.float64(form.bind(T, alpha))


def test_float64_of_nothing():
    expectation = Expectation(parse_law("squared_norm", "point(2)"))
    assert expectation.float64([]) == (0, -inf)
    assert expectation.float64([BoundTerm(0.0, 1, 0, 0.1, 3)]) == (0, -inf)
    assert expectation.float64([BoundTerm(1.0, 1, 0, 1 / 4, 3), BoundTerm(-1.0, 1, 0, 1 / 4, 3)]) == (0, -inf)


LOSSES = {
    ("squared_norm", "uniform(1, 4)"): {
        1: ("0.2631578947368421052631579", "0.0366750191998"),
        2: ("0.2708886844411440983037221", "0.00385964696661"),
        8: ("0.2809121034350762816589032", "4.09569197612e-8"),
        32: ("0.2844215656982157131125207", "2.27331783634e-26"),
        128: ("0.2853848669700099542464039", "1.27387708615e-97"),
    },
    ("squared_norm", "uniform(0, 3)"): {
        3: ("0.3576473857914113368654327", "0.0012603836296"),
        128: ("0.3971018228237371836378552", "7.90134926427e-62"),
    },
    ("squared_norm", "atoms({1: 1/3, 4: 2/3})"): {
        2: ("0.25", "0.0125"),
        8: ("0.277484424008592519484143", "5.31932085202e-7"),
        128: ("0.2852158937049593877432224", "2.64968878208e-95"),
    },
}


@pytest.mark.parametrize(
    ("law", "T"), [(law, T) for law, rows in LOSSES.items() for T in rows], ids=lambda value: str(value)
)
def test_reference_losses(law, T):
    alpha, loss = LOSSES[law][T]
    expectation = Expectation(parse_law(*law))
    with ctx.workprec(500):
        found = expectation.ball(one_parameter().value.bind(T, ball(F(alpha))))
        assert abs(found / arb(loss) - 1) < 1e-11
        # The figures have 25 digits: the derivative is 0 there to as many, in units of the curvature.
        slope = expectation.ball(one_parameter().gradient[0].bind(T, ball(F(alpha))))
        bend = expectation.ball(one_parameter().curvature.bind(T, ball(F(alpha))))
        assert abs(slope / bend) < arb(10) ** -24


@given(laws(), positive_rationals(1), st.integers(1, 6))
def test_balls_and_exact_agree_on_random_laws(law, alpha, T):
    expectation = Expectation(law)
    terms = one_parameter().gradient[0].bind(T, alpha)
    with ctx.workprec(300):
        assert holds(expectation.ball(terms), expectation.exact(terms))


@given(atomic_laws(), positive_rationals(1), st.integers(1, 6))
def test_losses_of_atoms_are_exact(law: Law, alpha, T):
    direct = sum(
        (
            p * s / (1 + s) * (1 - alpha * (1 + s)) ** (2 * T)
            for s, p in zip(law.atoms.values, law.atoms.masses, strict=True)
        ),
        F(0),
    )
    terms = one_parameter().value.bind(T, alpha)
    assert Expectation(law).exact(terms) == direct
    with ctx.workprec(300):
        assert holds(Expectation(law).ball(terms), direct)


@given(laws(), st.integers(1, 5), positive_rationals(1))
def test_the_gradient_is_the_slope_of_the_loss(law, T, alpha):
    """(L(a + h) - L(a - h)) / 2h lies within h^2/6 sup |L'''| of L'(a); L is a polynomial, so in fact h^2."""
    expectation, loss, h = Expectation(law), one_parameter(), F(1, 2**80)
    with ctx.workprec(800):
        up, down = (expectation.ball(loss.value.bind(T, alpha + d)) for d in (h, -h))
        slope = expectation.ball(loss.gradient[0].bind(T, alpha))
        scale = expectation.ball(loss.curvature.bind(T, F(-8)))
        assert abs((up - down) / (2 * ball(h)) - slope) < scale * T**2 * arb(2) ** -150


def test_large_depth_costs_little_for_a_closed_form():
    expectation = Expectation(parse_law("squared_norm", "uniform(1, 4)"))
    with ctx.workprec(300):
        value = expectation.ball(one_parameter().gradient[0].bind(2**40, F(2, 7)))
    assert value.rel_accuracy_bits() > 200


def test_the_depth_limit_is_that_of_the_slowest_component():
    closed, expanded = (
        Expectation(parse_law("squared_norm", text)) for text in ("uniform(1, 4)", "beta(1/2, 1)")
    )
    mixed = Expectation(parse_law("modalities", "atoms({0: 1/2, 1: 1/2})", "beta(1/2, 1)"))
    assert closed.max_exponent > expanded.max_exponent == mixed.max_exponent


@pytest.mark.parametrize("law", ["uniform(1, 4)", "beta(1/2, 3)", "chi2(5)", "point(2)"])
@pytest.mark.parametrize("powers", [(0, 2, 0), (-1, 1, 0), (1, 0, -1)], ids=str)
def test_what_is_outside_of_the_form_is_refused(law, powers):
    """E lam^-2 was enclosed as E lam^-1 under a density."""
    i, k, n = powers
    expectation = Expectation(parse_law("squared_norm", law))
    with pytest.raises(ValueError, match=f"not i = {i}, k = {k}, n = {n}"):
        expectation.ball([BoundTerm(1, i, k, F(1, 4), n)])
