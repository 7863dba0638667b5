"""The minimiser of the one-parameter loss at one depth, and the loss there."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from numerics.balls import ball, refine, relative
from numerics.enclosures import Root, isolate_root
from numerics.expectation import Expectation

if TYPE_CHECKING:
    from theory.losses import PopulationLoss


def minimiser(expectation: Expectation, loss: PopulationLoss, T: int, digits: int, max_bits: int) -> Root:
    """alpha_T, relative half-width 10^-digits / 2.

    The law must not be 0; its derivative then rises strictly from a negative value at 0.
    Raises PrecisionExhausted.
    """
    assert loss.curvature is not None
    gradient, curvature = loss.gradient[0], loss.curvature
    l1, l2 = expectation.law.lambda_ends
    bracket = (Fraction(0) if l2 is None else 1 / l2, 1 / l1)
    return isolate_root(
        lambda a: -expectation.ball(gradient.bind(T, a)),
        lambda a: -expectation.ball(curvature.bind(T, a)),
        bracket,
        digits,
        max_bits,
        guess=1 / l1 if l2 is None else 2 / (l1 + l2),
    )


def loss_at(
    expectation: Expectation,
    loss: PopulationLoss,
    T: int,
    point: Fraction | Root,
    max_bits: int,
    digits: int = 15,
) -> tuple[arb, int]:
    """The loss at a weight, or at the minimiser in `point`, and the bits it took.

    To `digits` significant digits at a rational weight.  At a minimiser the loss lies
    between its value at the midpoint less what the slope can take away, and that value.
    Raises PrecisionExhausted.
    """
    if isinstance(point, Fraction):
        return refine(lambda: expectation.ball(loss.value.bind(T, ball(point))), relative(digits), max_bits)

    def least() -> arb:
        at_middle = expectation.ball(loss.value.bind(T, ball(point.middle)))
        slope = expectation.ball(loss.gradient[0].bind(T, ball(point.middle)))
        # Convex: loss(alpha_T) >= loss(middle) - |slope(middle)| |alpha_T - middle|.
        drop = (abs(slope) * ball((point.upper - point.lower) / 2)).upper()
        return at_middle.union((at_middle - drop).nonnegative_part())

    return refine(least, relative(digits), max_bits)
