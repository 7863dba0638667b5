"""The whole family of linear self-attention layers (p, c, K, k) in d = 2: a search for its least risk.

The prompts are finitely many: m runs over the atoms of a law of s times the directions of a
regular octagon, which have the moments of a uniform direction up to degree 7, while the risk
is a polynomial of degree 6 in m; or, with two modalities, over (+-sqrt p, +-sqrt q), in
d = (1, 1), which is isotropic in each.  So the risk is that of the isotropic law with the same
law of s.  zeta = 1: m and -m have one law.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, ctx

from numerics.arithmetic.balls import ball, power
from numerics.laws import Law
from numerics.self_attention.best_layer import best_layer, blocks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SIZE = 9
"""Parameters in the order p_1, p_2, c, K_11, K_12, K_21, K_22, k_1, k_2."""
BITS = 192
MAX_EVALUATIONS = 400


@dataclass(frozen=True)
class Prompt:
    """(m_1, m_2) = (sign_1 sqrt(square_1), sign_2 sqrt(square_2)) with probability `mass`."""

    squares: tuple[Fraction, Fraction]
    signs: tuple[int, int]
    mass: Fraction


def prompts(law: Law) -> list[Prompt]:
    """The prompts over a law of s with atoms only, m = 0 left out."""
    found = []
    for first, second, mass, signs in _squares(law):
        if first + second > 0:
            found += [Prompt((first, second), sign, mass / len(signs)) for sign in signs]
    return found


def _squares(law: Law) -> Iterator[tuple[Fraction, Fraction, Fraction, Sequence[tuple[int, int]]]]:
    corners = [(a, b) for a in (1, -1) for b in (1, -1)]
    if law.modalities is not None:
        first, second = (dict(_atoms(part)) for part in law.modalities)
        for p, mass_p in first.items():
            for q, mass_q in second.items():
                yield p, q, mass_p * mass_q, corners
        return
    zero = Fraction(0)
    for s, mass in _atoms(law):
        yield s / 2, s / 2, mass / 2, corners
        yield s, zero, mass / 4, [(1, 0), (-1, 0)]
        yield zero, s, mass / 4, [(0, 1), (0, -1)]


def _atoms(law: Law) -> Iterator[tuple[Fraction, Fraction]]:
    if law.pieces or law.atoms is None:
        raise TypeError("a law with finitely many values is needed")
    return zip(law.atoms.values, law.atoms.masses, strict=True)


def error_row(x: Any, m_1: Any, m_2: Any) -> tuple[Any, Any]:
    """p^T Lambda K + p^T m k^T + c m^T K + c k^T - m^T/lam: the predictor less the Bayes predictor.

    x: the nine parameters.  Numbers, balls or arrays over prompts.
    """
    p_1, p_2, c, k_11, k_12, k_21, k_22, k_1, k_2 = x
    along = p_1 * m_1 + p_2 * m_2
    # p^T Lambda = p^T + (p^T m) m^T
    left_1, left_2 = p_1 + (along + c) * m_1, p_2 + (along + c) * m_2
    lam = 1 + m_1 * m_1 + m_2 * m_2
    row_1 = left_1 * k_11 + left_2 * k_21 + (along + c) * k_1 - m_1 / lam
    row_2 = left_1 * k_12 + left_2 * k_22 + (along + c) * k_2 - m_2 / lam
    return row_1, row_2


def excess(x: Sequence[float], given: Sequence[Prompt]) -> arb:
    """Enclosure of the excess risk E[e Lambda e^T], e the error row, at float parameters."""
    with ctx.workprec(BITS):
        total, parameters = arb(0), [arb(number) for number in x]
        for prompt in given:
            m_1, m_2 = (
                sign * ball(square).sqrt() for sign, square in zip(prompt.signs, prompt.squares, strict=True)
            )
            e_1, e_2 = error_row(parameters, m_1, m_2)
            total += ball(prompt.mass) * (power(e_1, 2) + power(e_2, 2) + power(e_1 * m_1 + e_2 * m_2, 2))
        return total


class Residuals:
    """The excess as a sum of squares, for a least-squares search in scaled parameters.

    unit: a typical lam.  At scaled parameters of order 1 every term of the row is of the order of m/lam.
    """

    def __init__(self, given: Sequence[Prompt], unit: float) -> None:
        signs = np.array([prompt.signs for prompt in given], dtype=float)
        squares = np.array([[float(square) for square in prompt.squares] for prompt in given])
        self.m_1, self.m_2 = (signs * np.sqrt(squares)).T
        self.weight = np.sqrt([float(prompt.mass) for prompt in given])
        half = unit**-0.5
        self.scale: Array = np.array([half, half, 1.0, *[1 / unit] * 4, half, half])

    def _stacked(self, e_1: Array, e_2: Array) -> Array:
        parts = (e_1, e_2, e_1 * self.m_1 + e_2 * self.m_2)
        stacked: Array = np.concatenate([self.weight * part for part in parts])
        return stacked

    def values(self, scaled: Array) -> Array:
        """Residuals whose squares add up to the excess."""
        return self._stacked(*error_row(scaled * self.scale, self.m_1, self.m_2))

    def jacobian(self, scaled: Array) -> Array:
        """Their derivatives in the scaled parameters."""
        p_1, p_2, c, k_11, k_12, k_21, k_22, k_1, k_2 = scaled * self.scale
        m_1, m_2, zero = self.m_1, self.m_2, np.zeros_like(self.m_1)
        factor = p_1 * m_1 + p_2 * m_2 + c
        left_1, left_2 = p_1 + factor * m_1, p_2 + factor * m_2
        # In c the row moves along m^T K + k^T, in p_i along m_i times that and the i-th row of K.
        c_1, c_2 = m_1 * k_11 + m_2 * k_21 + k_1, m_1 * k_12 + m_2 * k_22 + k_2
        columns = [
            (k_11 + m_1 * c_1, k_12 + m_1 * c_2),
            (k_21 + m_2 * c_1, k_22 + m_2 * c_2),
            (c_1, c_2),
            (left_1, zero),
            (zero, left_1),
            (left_2, zero),
            (zero, left_2),
            (factor, zero),
            (zero, factor),
        ]
        stacked: Array = np.stack([self._stacked(*column) for column in columns], axis=1)
        return stacked * self.scale


@dataclass(frozen=True)
class Search:
    """Where the searches ended, over a law with finitely many values.

    optimum: the risk of the best M, exactly.  bayes: the Bayes risk, exactly.
    ends:    the excess risk at each end, enclosed.
    """

    optimum: Fraction
    bayes: Fraction
    ends: tuple[arb, ...]

    def less(self, risk: Fraction) -> list[arb]:
        """The risks found, less another one."""
        with ctx.workprec(BITS):
            return [end - ball(risk - self.bayes) for end in self.ends]


def search(law: Law, starts: Iterable[int], seed: int) -> Search:
    """Levenberg-Marquardt over all parameters, from a random start for each of `starts`.

    law: finitely many values, not almost surely 0.
    """
    from scipy.optimize import least_squares

    given = prompts(law)
    unit = float((law.mean + law.moment(2)) / law.mean)
    residuals, draw, ends = Residuals(given, unit), np.random.default_rng(seed), []
    for _ in starts:
        ended = least_squares(
            residuals.values,
            draw.standard_normal(SIZE),
            residuals.jacobian,
            method="lm",
            x_scale="jac",
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
            max_nfev=MAX_EVALUATIONS,
        )
        ends.append(excess([float(x) for x in ended.x * residuals.scale], given))
    bayes = sum((mass / (1 + s) for s, mass in _atoms(law)), Fraction(0))
    return Search(best_layer(blocks_of(law)).risk, bayes, tuple(ends))
