"""The predictors of a simulation by name: their weights for a law, and what the theory says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from numerics.errors import NumericsError
from numerics.expectation.quadrature import FloatRules
from numerics.laws import Law
from numerics.self_attention import best_layer
from numerics.simulation import sample_sizes
from numerics.simulation.architectures import (
    LSA,
    LayerwiseStack,
    LeastSquares,
    Model,
    SampleMean,
    ScalarStack,
    Softmax,
    no_skip_stack,
)
from numerics.simulation.arrays import HostArray
from numerics.simulation.attention import LSAWeights
from numerics.simulation.finite_context import (
    Residual,
    first_order,
    layer_coefficient,
    layerwise_residual,
    no_skip_residual,
    population,
    stack_residual,
)
from numerics.simulation.weights import Population

NAMES = (
    "lsa",
    "one_parameter",
    "two_parameter",
    "layerwise",
    "no_skip",
    "least_squares",
    "sample_mean",
    "softmax",
)
LAYERWISE = "layerwise"
STACKS = ("one_parameter", "two_parameter", "no_skip", "softmax")
TRAINABLE = ("lsa", "one_parameter", "two_parameter", LAYERWISE)
LISTED = 8
WITHOUT_WEIGHTS = ("least_squares", "sample_mean")

Pair = tuple[float, float]
"""(alpha, beta)"""
Layer = tuple[float, ...] | HostArray
"""LSA's M: a number for each block, or a (d, d) matrix, K of the layer with c = 1."""


@dataclass(frozen=True)
class Theory:
    """The excess risk per unit E zeta^2; `exact`, or up to terms of order 1/L^2."""

    value: float
    exact: bool


@dataclass(frozen=True)
class PredictorWeights:
    """Weights of the predictors at one width and context.

    layer:  None if LSA is not run.
    stacks: name -> depth -> (alpha, beta); no_skip has alpha = 0.
    layers: depth -> the weights of the layers, where each has its own.
    """

    layer: Layer | None
    stacks: Mapping[str, Mapping[int, Pair]]
    layers: Mapping[int, tuple[float, ...]] = field(default_factory=dict)


@dataclass
class PopulationWeights:
    """Minimisers of the population losses, computed once for all widths and contexts.

    Softmax attention runs at the weights of the one-parameter stack.
    notes: depths at which a stack has no weights, as the computation gave up, or weights of which less is
           shown than that they are what they are meant to be.
    """

    law: Law
    names: Sequence[str]
    depths: Sequence[int]
    track: Callable[[Sequence[int]], Sequence[int]] = field(default=lambda depths: depths)

    def __post_init__(self) -> None:
        found = Population(self.law)
        rules: dict[str, Callable[[int], Pair]] = {
            "one_parameter": lambda T: (found.one_parameter(T), -found.one_parameter(T)),
            "two_parameter": found.two_parameter,
            "no_skip": lambda T: (0.0, found.no_skip(T)),
            "softmax": lambda T: (found.one_parameter(T), -found.one_parameter(T)),
        }
        chosen = [name for name in STACKS if name in self.names]
        own = LAYERWISE in self.names
        stacks: dict[str, dict[int, Pair]] = {name: {} for name in chosen}
        layers: dict[int, tuple[float, ...]] = {}
        remarks: dict[tuple[str, str], list[int]] = {}
        if chosen or own:
            for T in self.track(self.depths):
                for name in (*chosen, LAYERWISE)[: len(chosen) + own]:
                    try:
                        if name == LAYERWISE:
                            layers[T] = found.layerwise(T)
                        else:
                            stacks[name][T] = rules[name](T)
                        remark = found.remark(name, T)
                    except NumericsError as error:
                        remark = f"left out, its weights are not known: {error}"
                    if remark is not None:
                        remarks.setdefault((name, remark), []).append(T)
        self.notes = [f"{name}, T = {_listed(depths)}: {text}" for (name, text), depths in remarks.items()]
        layer = None
        if "lsa" in self.names:
            try:
                layer = self._layer()
            except NumericsError as error:
                self.notes.append(f"lsa: left out, its weights are not known: {error}")
        self.weights = PredictorWeights(layer, stacks, layers)

    def _layer(self) -> tuple[float, ...]:
        """The best M: 0 where s = 0."""
        blocks = best_layer.blocks_of(self.law)
        if self.law.is_zero:
            return (0.0,) * len(blocks)
        return tuple(float(weight) for weight in best_layer.best_layer(blocks).weights)


def _listed(depths: Sequence[int]) -> str:
    """The depths, or how many there are from where to where."""
    if len(depths) <= LISTED:
        return ", ".join(map(str, depths))
    return f"{depths[0]} to {depths[-1]} ({len(depths)} depths)"


def models(names: Sequence[str], weights: PredictorWeights, dims: Sequence[int]) -> list[Model]:
    """The predictors in the order of their names; those without weights are left out.

    Softmax attention has the temperature 1/sqrt(d), at which its scores are x_i^T f.  For Gaussian tokens
    the infinite context then gives what linear attention does, E[x e^(x^T f)]/E[e^(x^T f)] = Lambda f.
    """
    found: dict[str, Model] = {"least_squares": LeastSquares(), "sample_mean": SampleMean()}
    if weights.layer is not None:
        found["lsa"] = LSA(LSAWeights(1.0, _matrix(weights.layer, dims)))
    for name, pairs in weights.stacks.items():
        if not pairs:
            continue
        if name == "no_skip":
            found[name] = no_skip_stack({T: beta for T, (_, beta) in pairs.items()})
        elif name == "softmax":
            found[name] = Softmax(pairs, temperature=sum(dims) ** -0.5)
        else:
            found[name] = ScalarStack(name, pairs)
    if weights.layers:
        found[LAYERWISE] = LayerwiseStack(weights.layers)
    return [found[name] for name in names if name in found]


def _matrix(layer: Layer, dims: Sequence[int]) -> float | HostArray:
    """K of LSA with c = 1: theta = K^T b."""
    if isinstance(layer, np.ndarray):
        return layer
    return layer[0] if len(layer) == 1 else np.diag(np.repeat(layer, dims))


class TheoryTable:
    """What the theory says of the predictors, for one law."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self._mean = FloatRules(law).mean
        self._terms: dict[tuple[str, tuple[float, ...], int, int], tuple[float, float]] = {}

    def excess(
        self, weights: PredictorWeights, dims: Sequence[int], context: int, name: str, T: int | None
    ) -> Theory | None:
        """The excess of one predictor; None where the theory says nothing.

        That is on softmax, on a full matrix, and on least squares up to L = d + 1.
        """
        d = sum(dims)
        if name == "least_squares":
            exact = self._bayes() * d / (context - d - 1) if context > d + 1 else None
        elif name == "sample_mean":
            exact = 1 - self._bayes() + 1 / context
        elif name == "lsa":
            exact = self._layer(weights.layer, dims, context)
        elif name == "softmax" or T is None:
            exact = None
        else:
            filtered = weights.layers[T] if name == LAYERWISE else weights.stacks[name][T]
            return self._stack(name, filtered, T, d, context)
        return None if exact is None else Theory(exact, exact=True)

    def shape(
        self, weights: PredictorWeights, place: tuple[Sequence[int], int, str, int | None], rare: float
    ) -> sample_sizes.Shape | None:
        """The law of one predictor's excess over prompts with zeta normal; None where it is not known.

        place: dims, context, name and depth; rare: see `sample_sizes.rarity`.
        """
        dims, context, name, T = place
        d = sum(dims)
        if name == "least_squares":
            return sample_sizes.least_squares(self.law, d, context)
        if name == "sample_mean":
            return sample_sizes.sample_mean(self.law, context)
        if name == "lsa" and weights.layer is not None and not isinstance(weights.layer, np.ndarray):
            if len(weights.layer) == 2:
                return sample_sizes.layer(self.law.modalities or (), weights.layer, dims, context)
            if len(weights.layer) > 2:
                return None
            return sample_sizes.stack(
                self.law, sample_sizes.Filter(weights.layer[0], 0.0, 1), d, context, rare
            )
        if name not in {"one_parameter", "two_parameter", "no_skip", LAYERWISE} or T is None:
            return None
        if name == LAYERWISE:
            return sample_sizes.stack(self.law, sample_sizes.LayerFilter(weights.layers[T]), d, context, rare)
        alpha, beta = weights.stacks[name][T]
        stack = sample_sizes.Filter(alpha, beta, T, tokens=name == "no_skip")
        return sample_sizes.stack(self.law, stack, d, context, rare)

    def _bayes(self) -> float:
        """E[1/lam]."""
        return self._mean(0, lambda s: 1 / (1 + s))

    def _stack(self, name: str, weights: tuple[float, ...], T: int, d: int, context: int) -> Theory:
        skips = name != "no_skip"
        key = (name, weights, T, d)
        if key not in self._terms:
            self._terms[key] = self._expansion(*key)
        limit, coefficient = self._terms[key]
        return Theory(limit + coefficient / context, exact=skips and T == 1)

    def _expansion(self, name: str, weights: tuple[float, ...], T: int, d: int) -> tuple[float, float]:
        """A stack's excess for L -> infinity, and the coefficient of 1/L: the same at every context."""

        def residual(s: HostArray) -> Residual:
            if name == LAYERWISE:
                return layerwise_residual(weights, 1 + s)
            alpha, beta = weights
            return (
                no_skip_residual(beta, T, 1 + s)
                if name == "no_skip"
                else stack_residual(alpha, beta, T, 1 + s)
            )

        degree = 2 * T + 4
        return (
            self._mean(degree, lambda s: population(residual(s), s)),
            self._mean(degree, lambda s: first_order(residual(s), s, d)),
        )

    def _layer(self, layer: Layer | None, dims: Sequence[int], context: int) -> float | None:
        if layer is None or isinstance(layer, np.ndarray):
            return None
        weights = [Fraction(weight) for weight in layer]
        risk = best_layer.layer(best_layer.blocks_of(self.law), weights).risk
        return float(risk + layer_coefficient(self.law, weights, dims) / context) - self._bayes()
