"""Normal forms against the plain recurrence in exact arithmetic, for every number type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, diff

from theory.attention import layer
from theory.losses import PopulationLoss, lsa, no_skip, one_parameter, two_parameter
from theory.normal_form import BoundTerm, NormalForm, Term
from theory.profile import profile, sum_form
from theory.symbols import T, alpha, beta, lam, s

LOSSES: dict[str, tuple[Callable[[], PopulationLoss], int, int]] = {
    "one_parameter": (one_parameter, 1, 0),
    "two_parameter": (two_parameter, 2, 0),
    "no_skip": (no_skip, 1, 1),
}
fractions = st.fractions(min_value=-2, max_value=2, max_denominator=30).filter(lambda value: value != 0)
norms = st.fractions(min_value=Fraction(1, 20), max_value=6, max_denominator=30)
depths = st.integers(1, 7)


def evaluate(terms: Sequence[BoundTerm], norm: Any) -> Any:
    """The sum at s = `norm`."""
    lam_ = 1 + norm
    return sum(
        term.coefficient
        * norm**term.s_power
        * lam_**-term.lam_power
        * (1 - term.slope * lam_) ** term.exponent
        for term in terms
    )


def excess(name: str, depth: int, weights: Sequence[Fraction], norm: Fraction) -> Fraction:
    """(s/lam)(1 - lam p_T)^2, p_T by the recurrence."""
    w_s, w_v = {
        "one_parameter": (weights[0], -weights[0]),
        "two_parameter": (weights[0], weights[-1]),
        "no_skip": (Fraction(0), weights[0]),
    }[name]
    lam_, embedding = 1 + norm, Fraction(LOSSES[name][2])
    for _ in range(depth):
        embedding = layer(embedding, Fraction(1), lam_, w_s, w_v)
    return norm / lam_ * (1 - lam_ * embedding) ** 2


@pytest.mark.parametrize("name", LOSSES)
@given(depth=depths, weights=st.tuples(fractions, fractions), norm=norms)
@settings(max_examples=40, deadline=None)
def test_value_is_the_recurrence(
    name: str, depth: int, weights: tuple[Fraction, Fraction], norm: Fraction
) -> None:
    function, count, _ = LOSSES[name]
    value = evaluate(function().value.bind(depth, *weights[:count]), norm)
    assert isinstance(value, Fraction)
    assert value == excess(name, depth, weights[:count], norm)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_gradient_is_the_derivative_at_a_concrete_depth(name: str, depth: int) -> None:
    """SymPy differentiates the expanded polynomial; the normal form is bound at the same point."""
    function, count, _ = LOSSES[name]
    loss = function()
    weights, norm = (Fraction(2, 7), Fraction(-3, 8))[:count], Fraction(5, 3)
    point = {s: Rational(5, 3), lam: Rational(8, 3)}
    point |= {w: Rational(v.numerator, v.denominator) for w, v in zip(loss.weights, weights, strict=True)}
    for weight, form in zip(loss.weights, loss.gradient, strict=True):
        expected = diff(loss.integrand.subs(T, depth).expand(), weight).subs(point)
        assert evaluate(form.bind(depth, *weights), norm) == Fraction(expected.p, expected.q)


def test_curvature() -> None:
    curvature = one_parameter().curvature
    assert curvature is not None
    (term,) = curvature.bind(3, Fraction(2, 7))
    assert (term.coefficient, term.s_power, term.lam_power, term.exponent) == (30, 1, -1, 4)


@given(depth=depths, a=fractions, b=fractions, norm=norms)
@settings(max_examples=40, deadline=None)
def test_profile_and_finite_sums(depth: int, a: Fraction, b: Fraction, norm: Fraction) -> None:
    """N, D and their derivatives against the finite sums, term by term."""
    lam_ = 1 + norm
    z = 1 + b * lam_
    S = sum((z**k for k in range(depth)), Fraction(0))
    dS = sum((k * lam_ * z ** (k - 1) for k in range(1, depth)), Fraction(0))
    ddS = sum((k * (k - 1) * lam_**2 * z ** (k - 2) for k in range(2, depth)), Fraction(0))
    forms = profile()
    expected = {
        "N": norm * S,
        "D": norm * lam_ * S**2,
        "N_beta": norm * dS,
        "D_beta": 2 * norm * lam_ * S * dS,
        "N_beta_beta": norm * ddS,
        "D_beta_beta": 2 * norm * lam_ * (dS**2 + S * ddS),
    }
    # z = 0 is a pole of the derivatives' terms with a zero coefficient only
    for name, value in expected.items():
        assert evaluate(getattr(forms, name).bind(depth, b), norm) == value
    loss = evaluate(two_parameter().value.bind(depth, a, b), norm)
    assert loss == norm / lam_ * (1 - a * lam_ * S) ** 2
    gradient = [evaluate(form.bind(depth, a, b), norm) for form in two_parameter().gradient]
    residual = 1 - a * lam_ * S
    assert gradient == [-2 * norm * S * residual, -2 * a * norm * dS * residual]


def test_finite_sums_are_regular_at_beta_0() -> None:
    """At beta = 0: S = T and S_beta = lam T (T - 1)/2."""
    from theory.profile import S, S_beta

    at_zero = {S: 5, S_beta: lam * 10}
    assert sum_form().N.subs(at_zero) == 5 * s
    assert sum_form().D_beta.subs(at_zero).equals(100 * s * lam**2)


NUMBERS: dict[str, Callable[[Fraction], Any]] = {
    "fraction": lambda value: value,
    "float": float,
    "mpf": lambda value: mpmath.mpf(value.numerator) / value.denominator,
    "fmpq": lambda value: flint.fmpq(value.numerator, value.denominator),
    "arb": lambda value: flint.arb(flint.fmpq(value.numerator, value.denominator)),
    "acb": lambda value: flint.acb(flint.arb(flint.fmpq(value.numerator, value.denominator))),
}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("function", [one_parameter, two_parameter, no_skip, lsa])
def test_numbers_of_every_type(number: str, function: Callable[[], PopulationLoss]) -> None:
    convert = NUMBERS[number]
    loss = function()
    weights = (Fraction(1, 3), Fraction(-2, 7))[: len(loss.weights)]
    for form in (loss.value, *loss.gradient):
        exact = form.bind(4, *weights)
        found = form.bind(4, *(convert(weight) for weight in weights))
        for one, other in zip(exact, found, strict=True):
            for left, right in ((one.coefficient, other.coefficient), (one.slope, other.slope)):
                assert isinstance(right, int | type(convert(Fraction(1))))
                assert abs(complex(float(left)) - _complex(right)) <= 1e-12 * max(1.0, abs(float(left)))
            assert one.exponent == other.exponent
            assert isinstance(other.exponent, int)


def _complex(value: Any) -> complex:
    if isinstance(value, flint.fmpq):
        return complex(int(value.p) / int(value.q))
    return complex(value)


def test_no_float_enters() -> None:
    """A coefficient of T/2 stays a fraction."""
    form = NormalForm((Term(T / 2, 1, 0, alpha, T), Term(alpha / 3, 1, 0, alpha, T)), (alpha,))
    first, second = form.bind(3, Fraction(1, 5))
    assert (first.coefficient, second.coefficient) == (Fraction(3, 2), Fraction(1, 15))
    assert isinstance(first.coefficient, Fraction)


def test_a_wrong_normal_form_is_noticed() -> None:
    form = NormalForm((Term(-2 * T, 1, 0, alpha, 2 * T),), (alpha,))
    assert evaluate(form.bind(3, Fraction(1, 5)), Fraction(2)) != evaluate(
        one_parameter().gradient[0].bind(3, Fraction(1, 5)), Fraction(2)
    )


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="alpha"):
        one_parameter().value.bind(0, Fraction(1, 5))
    with pytest.raises(ValueError, match="alpha, beta"):
        two_parameter().value.bind(2, Fraction(1, 5))
    pole = NormalForm((Term(alpha, 1, 0, alpha, T - 2),), (alpha,))
    with pytest.raises(ValueError, match="negative power"):
        pole.bind(1, Fraction(1, 5))
    with pytest.raises(ZeroDivisionError):
        two_parameter().value.bind(2, Fraction(1, 5), Fraction(0))


def test_derivative_of_a_form_in_two_weights() -> None:
    form = NormalForm((Term(alpha**2 / beta, 1, 1, -beta, T),), (alpha, beta))
    for weight in (alpha, beta):
        assert (form.derivative(weight).expr - diff(form.expr, weight)).subs(T, 3).factor() == 0
