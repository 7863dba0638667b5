"""The stack with weights of its own for each layer: another route, its term of order 1/L, its weights."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, permutations
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.expectation.quadrature import FloatRule
from numerics.laws.syntax import parse_law
from numerics.layerwise.order import leja
from numerics.simulation import sample_sizes
from numerics.simulation.architectures import LayerwiseStack, ScalarStack
from numerics.simulation.arrays import SimulationInputError
from numerics.simulation.by_name import PopulationWeights, TheoryTable, models
from numerics.simulation.finite_context import first_order, layerwise_residual, population, stack_residual
from numerics.simulation.prompts import PromptSource, batches, excess_risk
from numerics.simulation.weights import Population

F = Fraction
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
rationals = st.builds(Fraction, st.integers(-4, 4), st.integers(3, 9))


def drawn(backend, law=UNIFORM, context=40):
    (batch,) = batches(PromptSource(law, (3, 1), seed=4), context, 64, backend, 10**9)
    return batch


def test_the_eigenbasis_against_layers_of_gram_matrices(backend):
    batch = drawn(backend)
    weights = {1: (0.3,), 3: (0.4, 0.2, -0.1), 5: (0.2, 0.5, 0.25, 0.3, 0.21)}
    for depth, found in LayerwiseStack(weights).excess(batch):
        theta = 0 * batch.statistics.cross
        for alpha in weights[depth]:
            product = (batch.statistics.gram @ theta[:, :, None])[:, :, 0]
            theta = theta + alpha * (batch.statistics.cross - product)
        expected = backend.to_host(excess_risk(batch.latents, theta))
        assert backend.to_host(found) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_equal_weights_are_the_tied_stack(backend):
    batch, depths = drawn(backend), (1, 2, 7)
    own = LayerwiseStack({T: (0.28,) * T for T in depths}).excess(batch)
    tied = ScalarStack("one_parameter", dict.fromkeys(depths, (0.28, -0.28))).excess(batch)
    for (depth, one), (other_depth, other) in zip(own, tied, strict=True):
        assert depth == other_depth
        assert backend.to_host(one) == pytest.approx(backend.to_host(other), rel=1e-10)


@pytest.mark.parametrize(
    ("weights", "message"),
    [({2: (0.1,)}, "1 weights"), ({0: ()}, "depth"), ({1: (float("nan"),)}, "alpha")],
    ids=str,
)
def test_weights_that_make_no_stack(weights, message):
    with pytest.raises(SimulationInputError, match=message):
        LayerwiseStack(weights)


@given(rationals, st.integers(1, 5), st.builds(Fraction, st.integers(1, 12), st.integers(1, 6)))
def test_the_residual_of_equal_weights(alpha, T, s):
    own, tied = layerwise_residual([alpha] * T, 1 + s), stack_residual(alpha, -alpha, T, 1 + s)
    assert own == tied


@given(
    st.lists(rationals, min_size=1, max_size=4), st.builds(Fraction, st.integers(1, 12), st.integers(1, 6))
)
def test_the_residual_against_its_definition(weights, s):
    """Divided differences as quotients, derivatives of the expanded polynomial."""
    lam = 1 + s
    g = np.polynomial.Polynomial([F(1)])
    for weight in weights:
        g = g * np.polynomial.Polynomial([F(1), -weight])
    coefficients = list(g.coef)

    def at(z, order=0):
        row = coefficients
        for _ in range(order):
            row = [k * c for k, c in enumerate(row)][1:] or [F(0)]
        return sum(c * z**k for k, c in enumerate(row))

    found = layerwise_residual(weights, lam)
    assert (found.at_lam, found.at_one, found.first, found.second) == (at(lam), at(1), at(lam, 1), at(lam, 2))
    once = (at(lam) - at(1)) / s
    assert found.divided == once
    assert found.divided_twice == (at(lam, 1) - once) / s


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4))
def test_the_filter_of_the_sample_sizes(weights):
    z = np.linspace(0.5, 6, 9)
    found = sample_sizes.LayerFilter(tuple(weight / 7 for weight in weights))
    assert found.degree == len(weights)
    assert found.g(z) == pytest.approx(layerwise_residual([weight / 7 for weight in weights], z).at_lam)
    tied, own = (
        sample_sizes.Filter(0.25, -0.25, 3),
        sample_sizes.LayerFilter((0.25,) * 3),
    )
    assert own.g(z) == pytest.approx(tied.g(z), abs=1e-14)


FIGURES = {1: 0.03667501920, 2: 0.002038936608, 4: 5.605277730e-6, 8: 3.826130268e-11, 20: 1.123932222e-26}


def test_the_weights_attain_the_least_excess():
    """Down to 1e-26: a product over the layers in their order loses no digits in float64."""
    rule, found = FloatRule(UNIFORM, 96), Population(UNIFORM)
    for T, least in FIGURES.items():
        weights = found.layerwise(T)
        value = float(np.exp(rule.log_weight) @ population(layerwise_residual(weights, rule.lam), rule.s))
        assert value == pytest.approx(least, rel=1e-4 if T == 20 else 1e-9)


def test_few_values_and_none():
    """Idle layers have weight 0."""
    law = parse_law("squared_norm", "atoms({0: 1/2, 1: 1/4, 4: 1/4})")
    assert Population(law).layerwise(4) == (0.2, 0.5, 0.0, 0.0)
    assert Population(law).layerwise(2) == (0.2, 0.5)
    assert Population(parse_law("squared_norm", "point(2)")).layerwise(2) == (1 / 3, 0.0)
    assert Population(parse_law("squared_norm", "point(0)")).layerwise(2) == (0.0, 0.0)


def test_lejas_order():
    """Greedy: each next node is the farthest from those before, by the product of distances."""
    nodes = [2.0, 2.5, 3.1, 4.0, 5.0]
    ordered = leja(nodes)
    assert ordered[:2] == [5.0, 2.0]
    assert sorted(ordered) == nodes
    for k in range(1, len(nodes)):
        reach = [np.prod([abs(node - before) for before in ordered[:k]]) for node in ordered[k:]]
        assert reach[0] == max(reach)
    assert {tuple(leja(list(order))) for order in permutations(nodes)} == {tuple(ordered)}
    assert leja([0.0]) == [0.0]
    assert leja([]) == []


def test_partial_products_stay_small_in_lejas_order():
    """On a wide law in increasing order they grow to 10^28 and more before they come back."""
    wide = parse_law("squared_norm", "uniform(0, 1000)")
    ordered = [1 / weight for weight in Population(wide).layerwise(64)]
    lam = np.linspace(1, 1001, 501)

    def largest(nodes):
        with np.errstate(over="ignore"):
            products = accumulate((np.abs(1 - lam / node) for node in nodes), mul)
            return max(float(product.max()) for product in products)

    assert largest(ordered) < 1e4
    assert largest(sorted(ordered)) > 1e28


def test_theory_against_a_large_sample(backend):
    """What is left of the expansion is of relative order 1/L; 60/L is allowed, and four standard errors."""
    law, context = UNIFORM, 3200
    weights = PopulationWeights(law, ["layerwise"], [1, 3]).weights
    (model,) = models(["layerwise"], weights, (2, 1))
    source, table = PromptSource(law, (2, 1), seed=2), TheoryTable(law)
    total, count = {}, 0
    for batch in batches(source, context, 20_000, backend, 10**9):
        count += batch.latents.zeta.shape[0]
        for depth, value in model.excess(batch):
            total.setdefault(depth, []).append(backend.to_host(value))
    for depth, parts in total.items():
        sample = np.concatenate(parts)
        theory = table.excess(weights, (2, 1), context, "layerwise", depth)
        error = sample.std() / len(sample) ** 0.5
        assert abs(sample.mean() - theory.value) < 4 * error + 60 / context * theory.value
        assert theory.exact is (depth == 1)
        shape = table.shape(weights, ((2, 1), context, "layerwise", depth), 0.0)
        assert shape.mean == pytest.approx(theory.value, rel=0.05)


def test_the_coefficient_matters():
    """At L = 50 the term of order 1/L is most of the excess at depth 4."""
    weights = Population(UNIFORM).layerwise(4)
    rule = FloatRule(UNIFORM, 64)
    mass = np.exp(rule.log_weight)
    residual = layerwise_residual(weights, rule.lam)
    limit, coefficient = mass @ population(residual, rule.s), mass @ first_order(residual, rule.s, 5)
    assert coefficient / 50 > 100 * limit > 0
