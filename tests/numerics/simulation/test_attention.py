from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from numerics.simulation.arrays import Backend, HostArray, SimulationInputError, load_backend
from numerics.simulation.attention import (
    LayerWeights,
    LSAWeights,
    Start,
    all_rows,
    embeddings,
    least_squares,
    lsa_weight_vector,
    read_out,
    softmax_attention,
)
from numerics.simulation.prompts import Statistics, Tokens, statistics_of
from numerics.simulation.scalar_weights import ScalarSetting, scalar_weight_vectors
from tests.numerics.simulation.routes import (
    embeddings_through_gram,
    least_squares_of_tokens,
    lsa_predictions,
    one_parameter,
    weight_vectors,
)

NUMPY = load_backend()
PROMPTS, D = 3, 4
CONTEXTS = [1, 2, 4, 9]


def draw_tokens(context: int, seed: int = 0) -> dict[str, HostArray]:
    rng = np.random.default_rng(seed)
    shapes = {"x": (context, D), "y": (context,), "x_query": (D,), "y_query": ()}
    return {name: rng.standard_normal((PROMPTS, *shape)) for name, shape in shapes.items()}


def on(backend: Backend, drawn: dict[str, HostArray]) -> Tokens:
    return Tokens(**{name: backend.asarray(values) for name, values in drawn.items()})


def draw_weights(seed: int, matrices: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((2, D, D)) / D) if matrices else tuple(rng.standard_normal(2))


def weights_on(backend: Backend, pair: Iterable[Any]) -> LayerWeights:
    return LayerWeights(*(backend.asarray(w) if np.ndim(w) else float(w) for w in pair))


def last(iterator: Iterable[Any]) -> Any:
    return deque(iterator, maxlen=1)[0]


def definition(tokens: Tokens, weights: LayerWeights, depth: int, start: Start = "zero") -> Any:
    """The prediction as the paper defines it: all tokens, layer by layer, then the read-out."""
    f = last(embeddings(all_rows(tokens), tokens.x, weights, depth, start=start))
    return read_out(tokens, f[:, -1, :])


def predict(theta: Any, tokens: Tokens) -> Any:
    return np.sum(np.asarray(theta) * np.asarray(tokens.x_query), axis=-1)


def rounding_bound(
    drawn: dict[str, HostArray], pair: tuple[Any, Any], depth: int, start: Start, unit: float
) -> HostArray:
    """Every route sums the same monomials in inputs and weights, in some order.

    With the inputs rounded too, its error is at most gamma_k times the sum of their absolute values
    (Higham 2002, section 3.1), k the longest chain of roundings: that sum is the definition itself at
    absolute values.
    """
    context = drawn["x"].shape[1]
    k = (depth + 1) * (context + 2 * D + 8)
    size = definition(
        on(NUMPY, {name: abs(v) for name, v in drawn.items()}), LayerWeights(*map(abs, pair)), depth, start
    )
    return np.asarray(k * unit / (1 - k * unit) * size, dtype=np.float64)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("matrices", [False, True])
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("start", ["zero", "tokens"])
def test_every_route_is_the_definition(
    backend: Backend, dtype: str, matrices: bool, context: int, start: Start
) -> None:
    backend = replace(backend, dtype_name=dtype)
    unit = float(np.finfo(dtype).eps) / 2
    drawn, pair = draw_tokens(context), draw_weights(context, matrices)
    exact = on(NUMPY, drawn)
    tokens, weights = on(backend, drawn), weights_on(backend, pair)
    statistics, rows = statistics_of(tokens), all_rows(tokens)
    thetas = weight_vectors(statistics, weights, 5, start=start)
    layers = embeddings(rows, tokens.x, weights, 5, start=start)
    through_gram = embeddings_through_gram(rows, statistics.gram, weights, 5, start=start)
    query_alone = embeddings(rows[:, -1:, :], tokens.x, weights, 5, start=start)
    routes = zip(thetas, layers, through_gram, query_alone, strict=True)
    for depth, (theta, layer, gram_layer, query) in enumerate(routes, start=1):
        expected = np.asarray(definition(exact, weights_on(NUMPY, pair), depth, start))
        # The expected value has an error of its own, in float64.
        bound = rounding_bound(drawn, pair, depth, start, unit) + rounding_bound(
            drawn, pair, depth, start, 2**-53
        )
        found = [
            backend.xp.vecdot(theta, tokens.x_query),
            read_out(tokens, layer[:, -1, :]),
            read_out(tokens, gram_layer[:, -1, :]),
            read_out(tokens, query[:, 0, :]),
        ]
        for prediction in found:
            assert prediction.dtype == backend.dtype
            assert np.all(np.abs(backend.to_host(prediction) - expected) <= bound)


def test_the_bound_tells_a_wrong_pass() -> None:
    drawn, pair = draw_tokens(9), draw_weights(1, False)
    tokens = on(NUMPY, drawn)
    expected = definition(tokens, LayerWeights(*pair), 4)
    bound = rounding_bound(drawn, pair, 4, "zero", 2**-53)
    nearly = LayerWeights(pair[0], pair[1] * (1 + 1e-10))
    assert np.all(np.abs(definition(tokens, nearly, 4) - expected) > bound)
    assert np.all(np.abs(definition(tokens, LayerWeights(*pair), 3) - expected) > bound)
    assert np.all(np.abs(9 * expected - expected) > bound)


def test_two_layers_written_out() -> None:
    drawn = draw_tokens(3)
    (w_s, w_v), i = draw_weights(7, True), 1
    x, y, query = drawn["x"][i], drawn["y"][i], drawn["x_query"][i]
    gram = sum(np.outer(row, row) for row in x) / 3
    f1 = w_s @ query
    f2 = f1 + w_s @ query + w_v @ gram @ f1
    expected = sum(y[j] * x[j] @ f2 for j in range(3)) / 3
    assert definition(on(NUMPY, drawn), LayerWeights(w_s, w_v), 2)[i] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("start", ["zero", "tokens"])
def test_several_settings_at_once(backend: Backend, start: Start) -> None:
    statistics = statistics_of(on(backend, draw_tokens(6)))
    settings = [
        ScalarSetting(0.2, -0.1, (2,)),
        ScalarSetting(0.3, -0.3, (1, 7, 4)),
        ScalarSetting(-0.5, 0.2, (3, 2)),
        ScalarSetting(0.0, -0.2, (5,)),
    ]
    found = list(scalar_weight_vectors(statistics, settings, start=start))
    assert [(j, t) for j, t, _ in found] == sorted(
        ((j, t) for j, s in enumerate(settings) for t in s.depths),
        key=lambda pair: (pair[1], -max(settings[pair[0]].depths)),
    )
    for j, depth, theta in found:
        alone = last(
            weight_vectors(statistics, LayerWeights(settings[j].alpha, settings[j].beta), depth, start=start)
        )
        np.testing.assert_allclose(backend.to_host(theta), backend.to_host(alone), rtol=1e-12, atol=1e-13)


def test_numpy_scalars_do_not_widen_float32() -> None:
    narrow = load_backend("numpy", "float32")
    statistics = statistics_of(on(narrow, draw_tokens(6)))
    weights = LayerWeights(np.float64(0.3), np.float64(-0.3))
    assert last(weight_vectors(statistics, weights, 3)).dtype == np.float32
    settings = [ScalarSetting(np.float64(0.3), np.float64(-0.3), (2,))]
    assert last(scalar_weight_vectors(statistics, settings))[2].dtype == np.float32
    assert lsa_weight_vector(statistics, LSAWeights(np.float64(0.3))).dtype == np.float32


@pytest.mark.parametrize("context", [2, 4, 40])
def test_deep_one_parameter_stack_is_least_squares(context: int) -> None:
    tokens = on(NUMPY, draw_tokens(context, seed=3))
    statistics = statistics_of(tokens)
    eigenvalues = np.linalg.eigvalsh(statistics.gram)
    lowest, highest = eigenvalues[:, -min(context, D)].min(), eigenvalues.max()
    alpha = 1.5 / highest
    # What is left along an eigenvector is (1 - alpha mu)^T; 1e-12 of it at the slowest.
    slowest = max(abs(1 - alpha * lowest), abs(1 - alpha * highest))
    depth = int(np.ceil(np.log(1e-12) / np.log(slowest)))
    theta = last(weight_vectors(statistics, one_parameter(alpha), depth))
    np.testing.assert_allclose(theta, least_squares_of_tokens(tokens), rtol=1e-8, atol=1e-9)
    # Past 2 / lambda_max it diverges.
    with np.errstate(over="ignore"):
        assert abs(last(weight_vectors(statistics, one_parameter(2.5 / highest), 400))).max() > 1e20


@pytest.mark.parametrize("context", [1, 3, 4, 30])
def test_least_squares(backend: Backend, context: int) -> None:
    tokens = on(backend, draw_tokens(context, seed=1))
    found = backend.to_host(least_squares(statistics_of(tokens)))
    x, y = backend.to_host(tokens.x), backend.to_host(tokens.y)
    expected = np.stack([np.linalg.lstsq(x[i], y[i])[0] for i in range(PROMPTS)])
    # The statistics square the condition number.
    condition = max(np.linalg.cond(row) for row in x) ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-14 * condition * D, atol=1e-14 * condition)
    np.testing.assert_allclose(
        backend.to_host(least_squares_of_tokens(tokens)), expected, rtol=1e-10, atol=1e-12
    )


def test_a_singular_gram_matrix_gives_no_number_and_no_error(backend: Backend) -> None:
    """Elsewhere in the batch nothing changes."""
    statistics = statistics_of(on(backend, draw_tokens(9)))
    gram = backend.to_host(statistics.gram)
    gram[1] = 0.0
    found = backend.to_host(least_squares(replace(statistics, gram=backend.asarray(gram))))
    assert not np.any(np.isfinite(found[1]))
    sound = [0, 2]
    np.testing.assert_allclose(found[sound], backend.to_host(least_squares(statistics))[sound], rtol=1e-12)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("full", [False, True])
def test_lsa_is_its_definition(backend: Backend, context: int, full: bool) -> None:
    rng = np.random.default_rng(2)
    tokens = on(backend, draw_tokens(context))
    p, k, key_query = rng.standard_normal(D), rng.standard_normal(D), rng.standard_normal((D, D))
    weights = (
        LSAWeights(0.7, *(backend.asarray(v) for v in (key_query, p, k))) if full else LSAWeights(0.7, 1.3)
    )
    theta = lsa_weight_vector(statistics_of(tokens), weights)
    found, expected = backend.xp.vecdot(theta, tokens.x_query), lsa_predictions(tokens, weights)
    np.testing.assert_allclose(backend.to_host(found), backend.to_host(expected), rtol=1e-11, atol=1e-12)


def test_lsa_written_out() -> None:
    rng = np.random.default_rng(2)
    drawn, c = draw_tokens(3), 0.7
    p, k, key_query = rng.standard_normal(D), rng.standard_normal(D), rng.standard_normal((D, D))
    e = np.hstack([drawn["x"][0], drawn["y"][0][:, None]])
    expected = np.append(p, c) @ (e.T @ e / 3) @ np.vstack([key_query, k]) @ drawn["x_query"][0]
    found = lsa_predictions(on(NUMPY, drawn), LSAWeights(c, key_query, p, k))
    assert found[0] == pytest.approx(expected, rel=1e-12)


def test_one_layer_is_scalar_lsa() -> None:
    statistics = statistics_of(on(NUMPY, draw_tokens(5)))
    theta = last(weight_vectors(statistics, one_parameter(0.3), 1))
    np.testing.assert_array_equal(theta, lsa_weight_vector(statistics, LSAWeights(0.3)))


def test_no_skip() -> None:
    statistics = statistics_of(on(NUMPY, draw_tokens(5)))
    assert not last(weight_vectors(statistics, LayerWeights(0.0, 0.4), 3)).any()
    theta = last(weight_vectors(statistics, LayerWeights(0.0, 0.4), 3, start="tokens"))
    power = np.linalg.matrix_power(np.eye(D) + 0.4 * statistics.gram, 3)
    np.testing.assert_allclose(theta, np.einsum("nij,nj->ni", power, statistics.cross), rtol=1e-12)


def centred(drawn: dict[str, HostArray]) -> dict[str, HostArray]:
    return drawn | {"x": drawn["x"] - drawn["x"].mean(axis=1, keepdims=True)}


def softmax_layers(tokens: Tokens, weights: LayerWeights, temperature: float) -> list[HostArray]:
    return list(embeddings(all_rows(tokens), tokens.x, weights, 3, attention=softmax_attention(temperature)))


def test_softmax_tends_to_linear_attention() -> None:
    """softmax(z / c) = 1/L + (z - mean z) / (c L) + O(c^-2), and centred tokens have mean score 0."""
    tokens = on(NUMPY, centred(draw_tokens(7)))
    linear = list(embeddings(all_rows(tokens), tokens.x, LayerWeights(0.3, -0.2), 3))
    errors = []
    for temperature in (1e3, 1e4):
        weights = LayerWeights(0.3, -0.2 * temperature * D**0.5)
        errors.append(
            max(
                abs(s - f).max()
                for s, f in zip(softmax_layers(tokens, weights, temperature), linear, strict=True)
            )
        )
    assert 0 < errors[1] < errors[0] / 9
    assert errors[1] < 1e-3


def test_softmax_written_out(backend: Backend) -> None:
    drawn = draw_tokens(4)
    layers = softmax_layers(on(backend, drawn), LayerWeights(0.3, 0.2), 0.5)
    x, query = drawn["x"][2], drawn["x_query"][2]
    f = np.zeros(D)
    for layer in layers:
        scores = np.exp(x @ f / (0.5 * D**0.5))
        f = f + 0.3 * query + 0.2 * (scores / scores.sum()) @ x
        np.testing.assert_allclose(backend.to_host(layer)[2, -1], f, rtol=1e-12)


def test_softmax_of_large_scores_is_the_nearest_token() -> None:
    scores = np.array([[[1e6, 0.0, -1e6]]])
    assert softmax_attention(1e-3)(scores, 4).tolist() == [[[1.0, 0.0, 0.0]]]


def test_bad_weights_and_depths() -> None:
    statistics = statistics_of(on(NUMPY, draw_tokens(5)))
    matrix = np.eye(D)
    for bad in (np.nan, np.inf, np.where(matrix == 1, np.nan, 0.0)):
        with pytest.raises(SimulationInputError, match=r"^weights: W_V must be finite$"):
            LayerWeights(1.0, bad)
        with pytest.raises(SimulationInputError, match=r"^weights: key_query must be finite$"):
            LSAWeights(1.0, bad)
    with pytest.raises(SimulationInputError, match="beta must be finite"):
        ScalarSetting(1.0, np.nan, (1,))
    with pytest.raises(SimulationInputError, match="square"):
        LayerWeights(matrix[:2], 1.0)
    for depth in (0, -3):
        with pytest.raises(SimulationInputError, match=r"^depth: must be at least 1"):
            last(weight_vectors(statistics, LayerWeights(1.0, 1.0), depth))
        with pytest.raises(SimulationInputError, match=r"^depth: must be at least 1"):
            ScalarSetting(1.0, 1.0, (3, depth))
    with pytest.raises(SimulationInputError, match="none given"):
        ScalarSetting(1.0, 1.0, ())
    for temperature in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(SimulationInputError, match="temperature"):
            softmax_attention(temperature)


def test_statistics_know_their_context() -> None:
    found = statistics_of(on(NUMPY, draw_tokens(5)))
    assert isinstance(found, Statistics)
    assert found.context == 5
