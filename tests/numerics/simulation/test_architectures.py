from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import (
    LSA,
    LeastSquares,
    Model,
    SampleMean,
    ScalarStack,
    Softmax,
    no_skip_stack,
)
from numerics.simulation.arrays import Backend, HostArray, SimulationInputError
from numerics.simulation.attention import (
    LayerWeights,
    LSAWeights,
    all_rows,
    embeddings,
    read_out,
    softmax_attention,
)
from numerics.simulation.prompts import Batch, PromptSource, batches
from tests.numerics.simulation.routes import least_squares_of_tokens, one_parameter_stack

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def some_batch(backend: Backend, context: int = 9, *, tokens: bool = True) -> Batch:
    (batch,) = batches(PromptSource(UNIFORM, (3, 1)), context, 6, backend, 10**9, tokens=tokens)
    return batch


def excess_of(model: Model, batch: Batch, backend: Backend) -> dict[int | None, HostArray]:
    return {depth: backend.to_host(values) for depth, values in model.excess(batch)}


def quadratic_form(batch: Batch, theta: HostArray, backend: Backend) -> HostArray:
    m, zeta = backend.to_host(batch.latents.m), backend.to_host(batch.latents.zeta)
    lam = np.eye(4) + m[:, :, None] * m[:, None, :]
    error = theta - np.stack([np.linalg.solve(lam[i], zeta[i] * m[i]) for i in range(len(m))])
    return np.asarray(np.einsum("ni,nij,nj->n", error, lam, error), dtype=np.float64)


def predictor_matrix(
    batch: Batch, weights: LayerWeights, depth: int, start: str, backend: Backend
) -> HostArray:
    """theta by the plain definition: the predictions for the unit vectors as queries."""
    tokens = batch.tokens
    assert tokens is not None
    units = backend.asarray(np.tile(np.eye(4), (6, 1, 1)))
    *_, f = embeddings(units, tokens.x, weights, depth, start=start)  # type: ignore[arg-type]
    return np.stack([backend.to_host(read_out(tokens, f[:, j, :])) for j in range(4)], axis=-1)


STACKS = [
    (one_parameter_stack({1: 0.3, 2: 0.2, 5: 0.2}), "zero"),
    (ScalarStack("two_parameter", {4: (0.3, -0.25), 3: (0.3, -0.2)}), "zero"),
    (no_skip_stack({1: -0.2, 3: -0.15}), "tokens"),
]


@pytest.mark.parametrize(("model", "start"), STACKS)
@pytest.mark.parametrize("context", [2, 9])
def test_stacks_against_the_definition(
    backend: Backend, model: ScalarStack, start: str, context: int
) -> None:
    batch = some_batch(backend, context)
    found = excess_of(model, batch, backend)
    assert tuple(found) == model.depths == tuple(sorted(model.weights))
    for depth, pair in model.weights.items():
        theta = predictor_matrix(batch, LayerWeights(*pair), depth, start, backend)
        np.testing.assert_allclose(
            found[depth], quadratic_form(batch, theta, backend), rtol=1e-10, atol=1e-13
        )


def test_models_without_depth(backend: Backend) -> None:
    batch = some_batch(backend)
    assert batch.tokens is not None
    theta = backend.to_host(least_squares_of_tokens(batch.tokens))
    found = excess_of(LeastSquares(), batch, backend)[None]
    np.testing.assert_allclose(found, quadratic_form(batch, theta, backend), rtol=1e-9)
    key_query = np.diag([0.3, 0.3, 0.3, 0.1])
    found = excess_of(LSA(LSAWeights(1.0, key_query)), batch, backend)[None]
    theta = backend.to_host(batch.statistics.cross) @ key_query
    np.testing.assert_allclose(found, quadratic_form(batch, theta, backend), rtol=1e-11)
    found = excess_of(SampleMean(), batch, backend)[None]
    mean = backend.to_host(batch.tokens.y).mean(axis=1)
    np.testing.assert_allclose(found, quadratic_form(batch, np.zeros((6, 4)), backend) + mean**2, rtol=1e-11)


def test_no_skip_from_zero_predicts_nothing(backend: Backend) -> None:
    batch = some_batch(backend)
    found = excess_of(no_skip_stack({2: 0.5}, "zero"), batch, backend)[2]
    np.testing.assert_allclose(found, quadratic_form(batch, np.zeros((6, 4)), backend), rtol=1e-12)


def test_softmax(backend: Backend) -> None:
    batch = some_batch(backend)
    tokens = batch.tokens
    assert tokens is not None
    model = Softmax({1: (0.3, 0.1), 4: (0.2, -0.3), 2: (0.2, -0.3)}, temperature=0.7)
    found = excess_of(model, batch, backend)
    assert list(found) == [1, 2, 4]
    best = backend.to_host(backend.xp.vecdot(batch.latents.regression_vector, tokens.x_query))
    for depth, pair in model.weights.items():
        *_, f = embeddings(
            all_rows(tokens), tokens.x, LayerWeights(*pair), depth, attention=softmax_attention(0.7)
        )
        error = backend.to_host(read_out(tokens, f[:, -1, :])) - best
        np.testing.assert_allclose(found[depth], error**2, rtol=1e-9, atol=1e-14)


def test_softmax_needs_tokens(backend: Backend) -> None:
    batch = some_batch(backend, tokens=False)
    with pytest.raises(TypeError, match="needs a batch with its tokens"):
        list(Softmax({1: (0.3, 0.1)}).excess(batch))


def test_float32_stays_float32(backend: Backend) -> None:
    narrow = replace(backend, dtype_name="float32")
    batch = some_batch(narrow)
    models: list[Model] = [
        *(stack for stack, _ in STACKS),
        LSA(LSAWeights(1.0, np.eye(4), np.ones(4), np.ones(4))),
        LeastSquares(),
        SampleMean(),
        Softmax({2: (0.1, 0.1)}),
    ]
    for model in models:
        assert all(values.dtype == narrow.dtype for _, values in model.excess(batch)), model.name


def test_bad_models() -> None:
    with pytest.raises(SimulationInputError, match="depth"):
        one_parameter_stack({0: 0.1})
    with pytest.raises(SimulationInputError, match="finite"):
        no_skip_stack({1: float("nan")})
    with pytest.raises(SimulationInputError, match="finite"):
        Softmax({1: (float("nan"), 1.0)})
    with pytest.raises(SimulationInputError, match="temperature"):
        Softmax({1: (1.0, 1.0)}, temperature=0.0)
