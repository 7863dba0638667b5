"""Weights of their own in each layer: derivations, false twins, the landscape by finite differences."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sympy import Expr, Integer, lambdify

from theory import landscape, layerwise
from theory.identities import Derivation
from theory.landscape import R, a_i, a_j, factor
from theory.layerwise import a_t, b_t, r, rho, x, y
from theory.limits import optimum
from theory.symbols import alpha, lam, s

best, worst = optimum()
q = factor(alpha)

#: Derivations, and what their false twins claim.
TABLE: dict[str, tuple[Callable[..., Derivation], tuple[Any, ...]]] = {
    "embedding": (
        layerwise.embedding,
        (
            (1 + b_t * lam) * r - (a_t - b_t) * lam,
            (1 + b_t * lam) * r - a_t * lam,
            (1 - a_t * lam) * r,
            (1 + b_t * lam) * r - (a_t + b_t) * lam**2,
        ),
    ),
    "population_loss": (layerwise.population_loss, (s / lam * r, s * r**2, r**2)),
    "best_residual": (layerwise.best_residual, (0, 2)),
    "chebyshev": (layerwise.chebyshev, (rho() ** 2, y / (x + y), (y + 2 * x) / y)),
    "tied_floor": (layerwise.tied_floor, (worst, worst - best * layerwise.Symbol("h", nonnegative=True) / 2)),
    "critical_points": (
        landscape.critical_points,
        ((a_j - a_i) * lam * R, (a_i - a_j) * R, Integer(0)),
    ),
    "saddles": (landscape.saddles, (4 * lam**2 * R**2 * q**2, Integer(0), -2 * lam**2 * R**2 * q**2)),
    "order_is_kept": (
        landscape.order_is_kept,
        (
            (a_i - a_j) * lam**2 * R**2 * factor(a_i) * factor(a_j),
            2 * (a_i + a_j) * lam**2 * R**2 * factor(a_i) * factor(a_j),
            2 * (a_j - a_i) * lam**2 * R**2 * factor(a_i) * factor(a_j),
        ),
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_holds_and_can_be_read(name: str) -> None:
    found = TABLE[name][0]()
    assert found.holds is True, [step.statement for step in found.failures]
    for step in found.steps:
        assert not re.search(r"\d\.\d", step.latex)
        assert "Dummy" not in step.latex
        assert step.latex.count("{") == step.latex.count("}")


@pytest.mark.parametrize(
    ("name", "claimed"),
    [(name, claimed) for name, (_, twins) in TABLE.items() for claimed in twins],
    ids=str,
)
def test_false_twin(name: str, claimed: Expr) -> None:
    found = TABLE[name][0](claimed=claimed)
    assert found.holds is False
    assert any(step.holds is False and step.witness is not None for step in found.failures)


def test_every_step_is_named_once() -> None:
    for build, _ in TABLE.values():
        names = [(step.statement, *step.case.items()) for step in build().steps]
        assert len(names) == len({*names})


NODES, MASSES = np.array([2.0, 3.0, 4.5, 5.0]), np.array([0.1, 0.3, 0.2, 0.15])


def loss(weights: np.ndarray) -> float:
    """The integral of r^2 over a measure with four points: no formula of `theory` enters."""
    residual = np.prod([1 - weight * NODES for weight in weights], axis=0)
    return float(MASSES @ residual**2)


def over_measure(expression: Expr, values: dict[Expr, float], others: list[float]) -> float:
    """The integral of a formula in lam, R the product of the factors of the other weights."""
    product = np.prod([1 - weight * NODES for weight in others], axis=0) if others else np.ones_like(NODES)
    symbols = list(values)
    compiled = lambdify([lam, R, *symbols], expression)
    return float(MASSES @ (compiled(NODES, product, *values.values()) * np.ones_like(NODES)))


@pytest.mark.parametrize("weights", [[0.2, 0.3], [0.5, -0.1, 0.25], [0.2, 0.31, 0.42, 0.6]], ids=len)
def test_the_flow_of_a_difference_against_finite_differences(weights: list[float]) -> None:
    h, point = 1e-2, np.array(weights)  # The loss is quadratic in each weight: no error but rounding.
    slope = [(loss(point + h * one) - loss(point - h * one)) / (2 * h) for one in np.eye(len(weights))[:2]]
    (step, *_) = landscape.order_is_kept().steps
    claimed = over_measure(step.right, {a_i: weights[0], a_j: weights[1]}, weights[2:])
    assert slope[1] - slope[0] == pytest.approx(claimed, rel=1e-9)


@pytest.mark.parametrize("others", [[], [0.7], [0.2, 0.45]], ids=len)
def test_the_bend_at_a_tie_against_finite_differences(others: list[float]) -> None:
    h, tie = 1e-2, 0.3

    def difference(step: float) -> float:
        split = [loss(np.array([tie + t, tie - t, *others])) for t in (-step, 0, step)]
        return (split[0] - 2 * split[1] + split[2]) / step**2

    (step,) = (s for s in landscape.saddles().steps if s.statement.startswith("second derivative of $r^2$"))
    claimed = over_measure(step.right, {alpha: tie}, others)
    assert claimed < 0
    # An even polynomial of degree 4 in the split: two steps leave rounding alone.
    assert (4 * difference(h) - difference(2 * h)) / 3 == pytest.approx(claimed, rel=1e-8)


@pytest.mark.parametrize("T", [2, 3, 4])
def test_the_hessian_at_a_tie_against_finite_differences(T: int) -> None:
    h, tie = 1e-2, 0.29
    one = np.eye(T)
    point = np.full(T, tie)

    def bend(i: int, j: int) -> float:
        corners = ((a * b, loss(point + h * (a * one[i] + b * one[j]))) for a in (1, -1) for b in (1, -1))
        return sum(sign * value for sign, value in corners) / (4 * h * h)

    A = float(MASSES @ (NODES**2 * (1 - tie * NODES) ** (2 * T - 2)))
    measured = np.array([[bend(i, j) for j in range(T)] for i in range(T)])
    assert measured == pytest.approx(A * (4 * np.ones((T, T)) - 2 * np.eye(T)), rel=1e-8)
