from fractions import Fraction

import pytest

from numerics.laws.syntax import parse_law
from numerics.simulation.finite_optimum import two_parameter
from theory.finite_context import depth_one
from theory.finite_optimum import quadratic
from theory.symbols import L, alpha, d, lam, s


def test_the_quadratic_is_the_excess():
    for T, size in ((1, 5), (2, 3)):
        assert all(step.holds for step in quadratic(T, size).derivation.steps)


def test_depth_one_is_the_exact_risk():
    form = quadratic(1, 5)
    ours = alpha**2 * form.matrix[0] - 2 * alpha * form.vector[0] + s / (1 + s)
    theirs = depth_one().excess.subs({d: 5, lam: 1 + s})
    assert (ours - theirs).subs(lam, 1 + s).together().expand().simplify() == 0
    assert L in ours.free_symbols


def test_the_minimiser_tends_to_that_of_the_population():
    law = parse_law("squared_norm", "uniform(1, 4)")
    limit = two_parameter(law, 5, None).minimiser
    assert [float(w) for w in limit] == pytest.approx([0.290065264684554, -0.275], rel=1e-12)
    apart = [
        [float((w - x) * length) for w, x in zip(two_parameter(law, 5, length).minimiser, limit, strict=True)]
        for length in (10**5, 10**6)
    ]
    assert apart[0] == pytest.approx(apart[1], rel=1e-3)
    assert apart[1][0] < -3


def test_a_constant_norm_has_no_single_minimiser():
    law = parse_law("squared_norm", "point(2)")
    assert two_parameter(law, 5, None).determinant == 0
    assert two_parameter(law, 5, 20).determinant > 0
    with pytest.raises(ZeroDivisionError):
        _ = two_parameter(law, 5, None).minimiser


def test_the_minimiser_is_one():
    law = parse_law("squared_norm", "atoms({1: 1/3, 4: 2/3})")
    found = two_parameter(law, 4, 9)
    a, b, c = found.matrix
    u, v = found.vector
    first, second = 2 * found.minimiser[0], found.minimiser[0] * found.minimiser[1]
    assert (a * first + b * second, b * first + c * second) == (u, v)
    assert isinstance(first, Fraction)
