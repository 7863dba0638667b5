"""The minimiser of the one-parameter loss at one depth, and the loss there."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING

from flint import arb

from numerics.arithmetic.balls import ball, refine, relative
from numerics.arithmetic.certified_roots import Root, isolate_root
from numerics.errors import NumericsError
from numerics.expectation.ball_evaluators import CLOSED_FORM_LIMIT
from numerics.expectation.over_law import Expectation
from numerics.laws.components import MANY_ATOMS

if TYPE_CHECKING:
    from theory.losses import PopulationLoss

DEEP = 200


def minimiser(expectation: Expectation, loss: PopulationLoss, T: int, digits: int, max_bits: int) -> Root:
    """alpha_T, relative half-width 10^-digits / 2.

    The law must not be 0; its derivative then rises strictly from a negative value at 0.
    Raises PrecisionExhausted.

    >>> from numerics.laws.syntax import parse_law
    >>> from theory.losses import one_parameter
    >>> law = parse_law("squared_norm", "uniform(1, 4)")
    >>> found = minimiser(Expectation(law), one_parameter(), 1, 20, 1024)
    >>> found.lower < Fraction(5, 19) < found.upper  # E s/E[s lam]
    True
    """
    assert loss.curvature is not None
    gradient, curvature = loss.gradient[0], loss.curvature
    l1, l2 = expectation.law.lambda_ends
    bracket = (Fraction(0) if l2 is None else 1 / l2, 1 / l1)
    guess = 1 / l1 if l2 is None else 2 / (l1 + l2)
    atoms = expectation.law.atoms
    many = atoms is not None and len(atoms.values) > MANY_ATOMS
    if many or (T > DEEP and expectation.max_exponent < CLOSED_FORM_LIMIT):
        # It only saves time: without it the search starts where that of other laws does.
        with suppress(NumericsError):
            guess = _float_minimiser(expectation, loss, T, bracket)
    return isolate_root(
        lambda a: -expectation.ball(gradient.bind(T, a)),
        lambda a: -expectation.ball(curvature.bind(T, a)),
        bracket,
        digits,
        max_bits,
        guess=guess,
    )


def _float_minimiser(
    expectation: Expectation, loss: PopulationLoss, T: int, bracket: tuple[Fraction, Fraction]
) -> Fraction:
    """alpha_T in float64: a guess, where evaluations in balls take long.

    Brent's method (1973, chapter 4) on a root of the derivative that has its sign and fewer decades.
    """
    from scipy.optimize import brentq

    def compressed(a: float) -> float:
        sign, size = expectation.float64(loss.gradient[0].bind(T, a))
        return sign * exp(size / (2 * T - 1))

    low, high = (float(end) for end in bracket)
    if not compressed(low) < 0 < compressed(high):
        return sum(bracket, Fraction(0)) / 2
    return Fraction(brentq(compressed, low, high, xtol=1e-300, rtol=1e-15))


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
