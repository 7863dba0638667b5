"""The search over all parameters of a layer: its prompts, its rows, where it ends."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.arithmetic.balls import ends
from numerics.expectation.discretise import gauss_law
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.self_attention import best_layer, full_family

SINGLE = gauss_law(parse_law("squared_norm", "uniform(1, 4)"), 4)
PAIR = gauss_law(parse_law("modalities", "uniform(0, 1)", "beta(2, 1/2)"), 3)
parameters = st.lists(st.floats(-2, 2), min_size=9, max_size=9)


def direction_moment(law, i, j):
    """E m_1^i m_2^j, i and j even; the odd ones vanish by the signs."""
    prompts = full_family.prompts(law)
    return sum(p.mass * p.squares[0] ** (i // 2) * p.squares[1] ** (j // 2) for p in prompts)


def sphere_moment(i, j):
    """The same for a uniform direction in the plane: (i-1)!! (j-1)!!/(2^n n!), i + j = 2n."""
    n = (i + j) // 2
    return Fraction(prod(range(1, i, 2)) * prod(range(1, j, 2)), 2**n * prod(range(1, n + 1)))


def test_the_octagon_is_isotropic_up_to_degree_7():
    unit = parse_law("squared_norm", "point(1)")
    for n in (1, 2, 3):
        for i in range(0, 2 * n + 1, 2):
            assert direction_moment(unit, i, 2 * n - i) == sphere_moment(i, 2 * n - i)
    assert direction_moment(unit, 8, 0) != sphere_moment(8, 0)


@pytest.mark.parametrize("law", [SINGLE, PAIR])
def test_odd_moments_vanish(law):
    for i, j in ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 0), (3, 1)):
        total = 0.0
        for prompt in full_family.prompts(law):
            m = [
                sign * float(square) ** 0.5 for sign, square in zip(prompt.signs, prompt.squares, strict=True)
            ]
            total += float(prompt.mass) * m[0] ** i * m[1] ** j
        assert abs(total) < 1e-14


def test_modalities_keep_their_laws():
    first, second = PAIR.modalities
    assert direction_moment(PAIR, 4, 0) == first.moment(2)
    assert direction_moment(PAIR, 2, 2) == first.mean * second.mean


@given(x=parameters, m=st.lists(st.floats(-3, 3), min_size=2, max_size=2))
def test_rows_by_matrices(x, m):
    p, c, K, k, m = np.array(x[:2]), x[2], np.array(x[3:7]).reshape(2, 2), np.array(x[7:]), np.array(m)
    Lambda = np.eye(2) + np.outer(m, m)
    expected = p @ Lambda @ K + (p @ m) * k + c * m @ K + c * k - np.linalg.solve(Lambda, m)
    assert np.allclose(full_family.error_row(x, *m), expected, rtol=1e-10, atol=1e-10)


@settings(max_examples=20)
@given(x=parameters)
def test_the_excess_of_any_layer_is_at_least_that_of_the_best(x):
    for law in (SINGLE, PAIR):
        found = best_layer.SingleLayer(Expectation(law), 4096)
        assert ends(full_family.excess(x, full_family.prompts(law)))[1] >= found.gap.value


@settings(max_examples=20)
@given(x=parameters)
def test_residuals_and_their_derivatives(x):
    x, unit = np.array(x), 4.0
    for law in (SINGLE, PAIR):
        residuals = full_family.Residuals(full_family.prompts(law), unit)
        enclosed = full_family.excess(list(x * residuals.scale), full_family.prompts(law))
        assert (residuals.values(x) ** 2).sum() == pytest.approx(float(enclosed.mid()), rel=1e-11)
        step = 1e-6
        for i, direction in enumerate(np.eye(9)):
            slope = (residuals.values(x + step * direction) - residuals.values(x - step * direction)) / (
                2 * step
            )
            # Entries up to some hundreds: rounding 1e-14/step, and the second-order term is quadratic.
            assert np.allclose(residuals.jacobian(x)[:, i], slope, rtol=1e-6, atol=1e-6)


def test_a_layer_without_p_and_k_is_a_matrix():
    c, blocks = 0.25, best_layer.blocks_of(SINGLE)
    excess = full_family.excess([0, 0, c, 1, 0, 0, 1, 0, 0], full_family.prompts(SINGLE))
    bayes = best_layer.SingleLayer(Expectation(SINGLE), 4096).bayes.value
    lower, upper = ends(excess)
    exact = best_layer.layer(blocks, (Fraction(c),)).risk - bayes
    assert lower <= exact <= upper
    assert upper - lower < Fraction(1, 10**40)


@pytest.mark.parametrize("law", [SINGLE, PAIR])
def test_searches_end_at_the_optimum_or_above(law):
    found = full_family.search(law, range(12), 3)
    distances = [ends(distance) for distance in found.less(found.optimum)]
    assert min(distance[0] for distance in distances) > -Fraction(1, 10**30)
    assert min(distance[1] for distance in distances) < Fraction(1, 10**14)
    assert any(distance[0] > Fraction(1, 100) for distance in distances), "no local minimum was met"


def test_searches_depend_on_the_seed_alone():
    first, again, other = (full_family.search(SINGLE, range(2), seed) for seed in (1, 1, 2))
    assert [ends(end) for end in first.ends] == [ends(end) for end in again.ends]
    assert [ends(end) for end in first.ends] != [ends(end) for end in other.ends]


@pytest.mark.parametrize(
    "text", ["uniform(1, 1e100)", "atoms({1: 1/2, 1e100: 1/2})", "uniform(1e-100, 1e-99)", "chi2(5)"]
)
def test_searches_at_extreme_scales(text):
    found = full_family.search(gauss_law(parse_law("squared_norm", text), 4), range(12), 0)
    assert min(ends(distance)[1] for distance in found.less(found.optimum)) < Fraction(1, 10**14)


def test_a_density_is_refused():
    with pytest.raises(TypeError):
        full_family.prompts(parse_law("squared_norm", "uniform(1, 4)"))
