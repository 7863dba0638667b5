"""The predictors that a simulation compares: each gives its excess risk on a batch of prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from array_api_compat import array_namespace

from numerics.simulation.arrays import Array, SimulationInputError, like
from numerics.simulation.attention import (
    LayerWeights,
    LSAWeights,
    Start,
    check_depth,
    check_finite,
    embeddings,
    is_array,
    least_squares,
    lsa_weight_vector,
    read_out,
    softmax_attention,
)
from numerics.simulation.prompts import Batch, excess_risk
from numerics.simulation.scalar_weights import ScalarSetting, decomposes, filtered_excess, layered_excess


class Model(Protocol):
    """A predictor, at one or several depths."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def depths(self) -> tuple[int | None, ...]:
        """Increasing; (None,) for a predictor without layers."""
        ...

    @property
    def needs_tokens(self) -> bool:
        """Whether the sufficient statistics are not enough."""
        ...

    def workspace(self, dimension: int, context: int) -> int:
        """Numbers a prompt that `excess` holds at once."""
        ...

    def excess(self, batch: Batch) -> Iterator[tuple[int | None, Array]]:
        """(depth, excess risk over Bayes of each prompt, shape (n,)), by increasing depth.

        The query is integrated out where the predictor is linear in it.
        """
        ...


@dataclass(frozen=True)
class ScalarStack:
    """LCA with W_S = alpha I, W_V = beta I, at weights (alpha, beta) of its own for each depth.

    Layer by layer or in the eigenbasis of the Gram matrices, whichever takes fewer operations.

    With start "tokens" and alpha = 0 this is the stack without skip.
    """

    name: str
    weights: Mapping[int, tuple[float, float]]
    start: Start = "zero"
    needs_tokens: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._settings()

    @property
    def depths(self) -> tuple[int, ...]:
        """See :class:`Model`."""
        return tuple(sorted(self.weights))

    def _settings(self) -> list[ScalarSetting]:
        """One setting for all depths that share their weights."""
        grouped: dict[tuple[float, float], list[int]] = {}
        for depth in self.depths:
            grouped.setdefault(self.weights[depth], []).append(depth)
        return [ScalarSetting(alpha, beta, tuple(depths)) for (alpha, beta), depths in grouped.items()]

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        settings = self._settings()
        if decomposes(settings, dimension):
            shared = sum(len(setting.depths) > 1 for setting in settings)
            return (dimension + 2 * shared + 16) * dimension
        return (5 * len(settings) + 4) * dimension

    def excess(self, batch: Batch) -> Iterator[tuple[int, Array]]:
        """See :class:`Model`."""
        settings = self._settings()
        if decomposes(settings, batch.latents.m.shape[1]):
            return filtered_excess(batch.spectrum, settings, start=self.start)
        return layered_excess(batch, settings, start=self.start)


@dataclass(frozen=True)
class LayerwiseStack:
    """LCA with W_S = -W_V = alpha_t I in layer t, from depth -> the weights of its layers, in their order.

    In the eigenbasis of the Gram matrices, layer by layer: p <- p + alpha_t (1 - l p).
    """

    weights: Mapping[int, tuple[float, ...]]
    name: str = "layerwise"
    needs_tokens: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for depth, weights in self.weights.items():
            check_depth(depth)
            if len(weights) != depth:
                raise SimulationInputError(f"depth {depth}: {len(weights)} weights, one a layer is needed")
            for weight in weights:
                check_finite("alpha", weight)

    @property
    def depths(self) -> tuple[int, ...]:
        """See :class:`Model`."""
        return tuple(sorted(self.weights))

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        return (dimension + 8) * dimension

    def excess(self, batch: Batch) -> Iterator[tuple[int, Array]]:
        """See :class:`Model`."""
        spectrum = batch.spectrum
        for depth in self.depths:
            response = 0 * spectrum.values
            for alpha in self.weights[depth]:
                response = response + alpha * (1 - spectrum.values * response)
            yield depth, spectrum.excess_risk(response * spectrum.cross)


def no_skip_stack(betas: Mapping[int, float], start: Start = "tokens") -> ScalarStack:
    """W_S = 0, W_V = beta I, from depth -> beta; with F^0 = 0 it predicts 0."""
    return ScalarStack("no_skip", {depth: (0.0, beta) for depth, beta in betas.items()}, start)


@dataclass(frozen=True)
class Softmax:
    """The stack with softmax attention, at weights (alpha, beta) of its own for each depth.

    Not linear in the query: its excess is that of the prompt's own query,
    (prediction - w^T x_q)^2, whose mean over queries is the excess risk.
    """

    weights: Mapping[int, tuple[float, float]]
    temperature: float = 1.0
    name: str = "softmax"
    needs_tokens: ClassVar[bool] = True

    def __post_init__(self) -> None:
        softmax_attention(self.temperature)
        for depth, weights in self.weights.items():
            check_depth(depth)
            LayerWeights(*weights)

    @property
    def depths(self) -> tuple[int, ...]:
        """See :class:`Model`."""
        return tuple(sorted(self.weights))

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        return 6 * (dimension + context)

    def excess(self, batch: Batch) -> Iterator[tuple[int, Array]]:
        """See :class:`Model`."""
        tokens = batch.tokens
        if tokens is None:
            raise TypeError("softmax attention needs a batch with its tokens")
        xp = array_namespace(tokens.x)
        best = xp.vecdot(batch.latents.regression_vector, tokens.x_query)
        rows = tokens.x_query[:, None, :]
        attention = softmax_attention(self.temperature)
        running: dict[tuple[float, float], Iterator[tuple[int, Array]]] = {}
        for depth in self.depths:
            pair = self.weights[depth]
            if pair not in running:
                last = max(other for other in self.depths if self.weights[other] == pair)
                layers = embeddings(rows, tokens.x, LayerWeights(*pair), last, attention=attention)
                running[pair] = enumerate(layers, start=1)
            f = next(f for layer, f in running[pair] if layer == depth)
            error = read_out(tokens, f[:, 0, :]) - best
            yield depth, error * error


@dataclass(frozen=True)
class LSA:
    """A single LSA layer."""

    weights: LSAWeights
    name: str = "lsa"
    needs_tokens: ClassVar[bool] = False
    depths: ClassVar[tuple[None]] = (None,)

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        return 10 * dimension

    def excess(self, batch: Batch) -> Iterator[tuple[None, Array]]:
        """See :class:`Model`."""
        m, given = batch.latents.m, self.weights
        parts = (_alike(m, part) for part in (given.key_query, given.p, given.k))
        yield (
            None,
            excess_risk(batch.latents, lsa_weight_vector(batch.statistics, LSAWeights(given.c, *parts))),
        )


@dataclass(frozen=True)
class LeastSquares:
    """In-context least squares, of minimum norm if L < d."""

    name: str = "least_squares"
    needs_tokens: ClassVar[bool] = False
    depths: ClassVar[tuple[None]] = (None,)

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        return 4 * dimension * (dimension + 2)

    def excess(self, batch: Batch) -> Iterator[tuple[None, Array]]:
        """See :class:`Model`."""
        context, dimension = batch.statistics.context, batch.latents.m.shape[1]
        if context >= dimension:
            yield None, excess_risk(batch.latents, least_squares(batch.statistics))
        else:
            yield None, batch.spectrum.excess_risk(batch.spectrum.least_squares(context))


@dataclass(frozen=True)
class SampleMean:
    """Predicts the mean response of the context, whatever the query."""

    name: str = "sample_mean"
    needs_tokens: ClassVar[bool] = False
    depths: ClassVar[tuple[None]] = (None,)

    def workspace(self, dimension: int, context: int) -> int:
        """See :class:`Model`."""
        return 6 * dimension

    def excess(self, batch: Batch) -> Iterator[tuple[None, Array]]:
        """See :class:`Model`."""
        yield None, excess_risk(batch.latents, 0 * batch.latents.m, batch.statistics.mean_response)


def _alike(other: Array, value: Any) -> Any:
    """An array like `other`; anything else as it is."""
    return like(other, value) if is_array(value) else value
