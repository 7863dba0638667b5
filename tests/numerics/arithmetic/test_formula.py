from fractions import Fraction

import pytest
from flint import arb
from sympy import Rational, gamma, log, sqrt, symbols

from numerics.arithmetic.balls import ball
from numerics.arithmetic.formula import value

x, y = symbols("x y", positive=True)


def test_fractions_stay_exact():
    found = value(Rational(1, 3) * (x**2 - y) / (1 + x), {x: Fraction(1, 2), y: Fraction(1, 7)})
    assert found == Fraction(1, 3) * (Fraction(1, 4) - Fraction(1, 7)) / Fraction(3, 2)
    assert isinstance(found, Fraction)


def test_a_power_of_an_integer_is_a_fraction():
    assert value(1 / (1 + x), {x: 2}) == Fraction(1, 3)


def test_balls_hold_the_value():
    point = {x: arb(3) / 7, y: arb(1) / 3}
    found = value((x**3 - y) / (x * y), point)
    assert found.contains(((arb(3) / 7) ** 3 - arb(1) / 3) / (arb(3) / 7 / 3))
    assert found.rel_accuracy_bits() > 40


def test_fractions_in_a_formula_of_balls_logarithms_and_gamma_functions():
    found = value(log(x) + gamma(y) / 3 + Rational(1, 7), {x: arb(2), y: arb(5)}, ball)
    assert found.overlaps(arb(2).log() + arb(8) + arb(1) / 7)
    assert found.rel_accuracy_bits() > 40


@pytest.mark.parametrize(
    ("expression", "error"), [(x + y, KeyError), (sqrt(x), TypeError), (1 / x, ZeroDivisionError)]
)
def test_what_has_no_value(expression, error):
    with pytest.raises(error):
        value(expression, {x: Fraction(0)})
