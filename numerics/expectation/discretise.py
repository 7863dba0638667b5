"""A law with few atoms in place of a law: the Gauss rule that its moments determine."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np

from numerics.arithmetic.balls import as_ball, dyadic
from numerics.expectation.over_law import Expectation
from numerics.laws import Atoms, Law
from numerics.laws.sums import sum_of


def gauss_law(law: Law, size: int) -> Law:
    """`size` atoms with the moments E s^k, k < 2 size, of the law, to float64 accuracy; block by block.

    A law of at most `size` atoms is kept as it is.
    """
    if law.modalities is not None:
        return sum_of(*(gauss_law(part, size) for part in law.modalities))
    if not law.pieces and law.atoms is not None and len(law.atoms.values) <= size:
        atoms = law.atoms
    else:
        atoms = _gauss(_moments(law, 2 * size))
    masses = ", ".join(f"{s}: {p}" for s, p in zip(atoms.values, atoms.masses, strict=True))
    return Law("squared_norm", (f"atoms({{{masses}}})",), (atoms,))


def _moments(law: Law, count: int) -> list[Fraction]:
    """E s^k, k < count; a number very near it where it is not rational."""
    if law.is_rational:
        return law.moments(count)
    return [dyadic(as_ball(Expectation(law).moment(k))) for k in range(count)]


def _gauss(moments: list[Fraction]) -> Atoms:
    """Nodes and weights from the eigenvectors of the Jacobi matrix; masses below float64 are left out.

    Golub and Welsch (1969).  SciPy's `roots_jacobi` and the like know the recurrence of classical weights
    alone; here Chebyshev's algorithm finds it from exact moments, where float64 would lose every digit.
    """
    unit = moments[2] / moments[1]
    scaled = [moment / unit**k for k, moment in enumerate(moments)]
    diagonal, squares = _recurrence(scaled)
    off = [sqrt(square) for square in squares]
    matrix = np.diag([float(a) for a in diagonal]) + np.diag(off, 1) + np.diag(off, -1)
    nodes, vectors = np.linalg.eigh(matrix)
    found: dict[Fraction, Fraction] = {}
    for node, weight in zip(nodes, vectors[0] ** 2, strict=True):
        value = unit * Fraction(max(float(node), 0.0))
        found[value] = found.get(value, Fraction(0)) + Fraction(float(weight))
    total = sum(found.values())
    values = sorted(value for value, mass in found.items() if mass)
    return Atoms(tuple(values), tuple(found[value] / total for value in values))


def _recurrence(moments: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """Coefficients of the monic orthogonal polynomials, p_(k+1) = (x - a_k) p_k - b_k p_(k-1), exactly.

    Chebyshev's algorithm.  The law has at least len(moments)/2 points in its support.
    """
    size = len(moments) // 2
    diagonal, squares = [moments[1] / moments[0]], []
    before, row = [Fraction(0)] * len(moments), moments
    for k in range(1, size):
        square = row[k - 1] / before[k - 2] if k > 1 else Fraction(0)
        new = [Fraction(0)] * len(moments)
        for j in range(k, len(moments) - k):
            new[j] = row[j + 1] - diagonal[-1] * row[j] - square * before[j]
        diagonal.append(new[k + 1] / new[k] - row[k] / row[k - 1])
        squares.append(new[k] / row[k - 1])
        before, row = row, new
    return diagonal, squares
