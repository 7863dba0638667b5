"""The error of the predictor: against direct substitution, and what it must not be."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from theory import predictor
from theory.symbols import T, alpha, beta, lam

F = Fraction
unit = st.fractions(min_value=F(1, 100), max_value=F(99, 100), max_denominator=100)


@given(weight=unit, second=unit, s=unit, depth=st.integers(1, 6))
def test_the_residual_of_a_stack_layer_by_layer(weight: F, second: F, s: F, depth: int) -> None:
    value = 1 + s
    for w_v, residual in (
        (-weight, predictor.one_parameter_residual()),
        (second, predictor.two_parameter_residual()),
    ):
        p = F(0)
        for _ in range(depth):
            p = p + weight + w_v * value * p
        numbers = {alpha: weight, beta: second, lam: value, T: depth}
        assert F(str(residual.subs(numbers))) == 1 - value * p


def test_the_bounds_are_summable() -> None:
    assert predictor.summable().holds is True


def test_a_sum_of_one_term_less_is_refuted() -> None:
    from theory.limits import optimum

    power = optimum()[1] ** 2
    assert predictor.summable(power * (1 - power ** (T - 1)) / (1 - power)).holds is False


@given(R=unit, position=unit, Z=st.fractions(min_value=-1, max_value=1, max_denominator=50))
def test_the_rate_of_two_parameters(R: Fraction, position: Fraction, Z: Fraction) -> None:
    low, high = 1 / (1 + R), 1 / (1 - R)
    c = low + (high - low) * position
    assert abs(1 - c * (1 - R * Z)) <= 2 * R / (1 - R)
    assert 1 - high * (1 + R) == -2 * R / (1 - R)
