"""Numerical integration over a law, without certificates: Gauss rules in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import comb, log
from typing import TYPE_CHECKING

import numpy as np

from numerics.errors import NoConvergence
from numerics.laws import Atoms, BetaPiece, Component, CutPiece, GammaPiece, Law, SignedPiece, SumPiece
from numerics.laws.components import MANY_ATOMS
from numerics.laws.contents import share as share_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from theory.normal_form import BoundTerm

    Array = NDArray[np.float64]

LogValue = Callable[[float], tuple[int, float]]
"""Sign and log-modulus of a number."""
MAX_NODES = 384
MAX_LAGUERRE_NODES = 150
MAX_PRODUCT_NODES = 96
MEAN_TOLERANCE = 1e-8
"""To which a rule of SciPy's has to have the density's mean."""
CUT_NODES = 16
"""Nodes that the smooth factor of a density that was cut is worth in each of its cells."""
SMALLEST_SHARE = 1e-10
"""Of an atom, for a Gauss rule in place of many: the root of its share has to stand out from rounding."""
ATOMS_AT_A_TIME = 1024
BREAKDOWN = 1e-13
SMOOTH_DEGREE = 64
"""A polynomial degree that 1/lam is worth to a Gauss rule."""


class FloatRule:
    """Nodes and weights for a whole law; exact for polynomials of degree < 2 size in s.

    Past MAX_NODES the Gauss nodes still resolve q^n, whose peaks at the ends are
    1/n wide, up to n of the order of MAX_NODES^2.
    """

    def __init__(self, law: Law, size: int) -> None:
        rules = [_rule(component, size) for component in law.components]
        s = np.concatenate([rule[0] for rule in rules])
        weight = np.concatenate([rule[1] for rule in rules])
        keep = weight > 0
        self.s, self.lam = s[keep], 1 + s[keep]
        with np.errstate(divide="ignore"):
            self.log_s = np.log(self.s)
        self.log_lam, self.log_weight = np.log1p(self.s), np.log(weight[keep])
        self._tables: dict[tuple[int, int], Array] = {}
        self._last: tuple[float, Array, Array] = (0.0, np.ones_like(self.lam), np.zeros_like(self.lam))

    @staticmethod
    def size(degree: int) -> int:
        """Nodes for this degree: enough, and few different sizes."""
        return min(MAX_NODES, max(32, 1 << (degree // 2 + 1).bit_length()))

    def term(self, term: BoundTerm) -> tuple[int, float]:
        """Sign and log-modulus of the expectation of one term with float weights."""
        return self.along(term)(float(term.slope))

    def along(self, term: BoundTerm) -> LogValue:
        """The same as a function of the slope alone."""
        zero, coefficient, exponent = term.coefficient == 0, float(term.coefficient), term.exponent
        weights = self._log_weights(term.s_power, term.lam_power)

        def value(slope: float) -> tuple[int, float]:
            q, log_q = self._base(slope)
            logs = weights + exponent * log_q if exponent else weights
            top = logs.item(logs.argmax())
            if top == -np.inf or zero:
                return 0, -np.inf
            size = np.exp(logs - top)
            total = float(size @ np.sign(q) if exponent % 2 else np.add.reduce(size))
            if total == 0:
                return 0, -np.inf
            total *= coefficient
            return (1 if total > 0 else -1), top + log(abs(total))

        return value

    def _base(self, slope: float) -> tuple[Array, Array]:
        """q = 1 - slope lam and log |q| at the nodes; a loss and its derivatives ask for the same."""
        if self._last[0] != slope:
            q = 1 - slope * self.lam
            size = np.abs(q)
            # Rarely is one exactly 0, and to enter `errstate` takes as long as all else here.
            if np.count_nonzero(size) == len(size):
                self._last = slope, q, np.log(size)
            else:
                with np.errstate(divide="ignore"):
                    self._last = slope, q, np.log(size)
        return self._last[1], self._last[2]

    def _log_weights(self, i: int, k: int) -> Array:
        """log of weight s^i lam^-k at the nodes."""
        if (i, k) not in self._tables:
            log = self.log_weight - k * self.log_lam
            self._tables[i, k] = log + i * self.log_s if i else log
        return self._tables[i, k]


class FloatRules:
    """The Gauss rules of one law, by degree; keeps them."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self._rules: dict[int, FloatRule] = {}
        self._by_degree: dict[int, FloatRule] = {}

    def of(self, degree: int) -> FloatRule:
        """A rule that is exact for polynomials in s of this degree, up to that of the largest rule."""
        found = self._by_degree.get(degree)
        if found is None:
            size = FloatRule.size(degree)
            if size not in self._rules:
                self._rules[size] = FloatRule(self.law, size)
            found = self._by_degree[degree] = self._rules[size]
        return found

    def log_sum(self, terms: Iterable[BoundTerm]) -> tuple[int, float]:
        """Sign and log-modulus of the expectation of the terms."""
        return signed_log_sum([self._for(term).term(term) for term in terms])

    def along(self, term: BoundTerm) -> LogValue:
        """The same of one term as a function of its slope."""
        return self._for(term).along(term)

    def _for(self, term: BoundTerm) -> FloatRule:
        return self.of(term.exponent + term.s_power + SMOOTH_DEGREE * term.lam_power)

    def mean(self, degree: int, integrand: Callable[[Array], Array]) -> float:
        """E of a polynomial in s of this degree, or of that times 1/lam."""
        rule = self.of(degree + SMOOTH_DEGREE)
        return float(np.exp(rule.log_weight) @ integrand(rule.s))


def signed_log_sum(parts: Sequence[tuple[int, float]]) -> tuple[int, float]:
    """Sign and log-modulus of a sum of numbers given so; 0 is (0, -inf).

    >>> signed_log_sum([(1, 1000.0), (-1, 999.0)])[0], signed_log_sum([(1, 5.0), (-1, 5.0)])
    (1, (0, -inf))
    """
    if len(parts) == 1:
        return parts[0] if parts[0][0] else (0, -np.inf)
    top = max((log for sign, log in parts if sign), default=-np.inf)
    if top == -np.inf:
        return 0, -np.inf
    total = sum(sign * np.exp(log - top) for sign, log in parts if sign)
    if total == 0:
        return 0, -np.inf
    return (1 if total > 0 else -1), float(top + np.log(abs(total)))


def _rule(component: Component, size: int) -> tuple[Array, Array]:
    """Nodes s and weights (the mass included) of one component."""
    if isinstance(component, Atoms):
        s, p = (np.array(column) for column in component.floats)
        many = len(s) > max(MANY_ATOMS, 2 * size) and size < MAX_NODES
        return _of_many(s, p, size) if many else (s, p)
    if isinstance(component, BetaPiece):
        return _jacobi(component, size)
    if isinstance(component, GammaPiece):
        return _laguerre(component, size)
    if isinstance(component, CutPiece):
        return _cut(component, size)
    if isinstance(component, SignedPiece):
        return _signed(component, size)
    assert isinstance(component, SumPiece)
    count = min(size, MAX_PRODUCT_NODES)
    (s1, w1), (s2, w2) = (
        _condensed(*_rule(part, count), count) for part in (component.first, component.second)
    )
    return np.add.outer(s1, s2).ravel(), float(component.mass) * np.multiply.outer(w1, w2).ravel()


def _of_many(s: Array, weights: Array, size: int) -> tuple[Array, Array]:
    """The rule for dP/lam as one for dP, so that 1/lam is exact too; of some at a time, then of those."""
    if (by_lam := weights / (1 + s)).min() < SMALLEST_SHARE * by_lam.sum():
        return s, weights
    weights = by_lam
    while len(s) > size:
        parts = [
            _lanczos(s[i : i + ATOMS_AT_A_TIME], weights[i : i + ATOMS_AT_A_TIME], size)
            for i in range(0, len(s), ATOMS_AT_A_TIME)
        ]
        s, weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return s, weights * (1 + s)


def _lanczos(s: Array, weights: Array, size: int) -> tuple[Array, Array]:
    """The Gauss rule of `size` nodes of a law of atoms, or of as many as its atoms or float64 tell apart.

    Lanczos's method, each vector orthogonalised to all before, and Golub and Welsch's eigenvectors.
    """
    from scipy.linalg import eigh_tridiagonal

    total, middle, half = weights.sum(), (s[0] + s[-1]) / 2, (s[-1] - s[0]) / 2
    if len(s) <= size or half == 0:
        return s, weights
    x = (s - middle) / half
    basis = np.empty((size, len(s)))
    diagonal, off = np.empty(size), np.empty(size)
    vector = np.sqrt(weights / total)
    for k in range(size):
        basis[k] = vector
        vector = x * vector
        diagonal[k] = vector @ basis[k]
        vector = vector - diagonal[k] * basis[k] - (off[k - 1] * basis[k - 1] if k else 0)
        vector = vector - (basis[: k + 1] @ vector) @ basis[: k + 1]
        off[k] = np.sqrt(vector @ vector)
        if off[k] < BREAKDOWN:
            break
        vector = vector / off[k]
    nodes, vectors = eigh_tridiagonal(diagonal[: k + 1], off[:k])
    return np.clip(middle + half * nodes, s[0], s[-1]), total * vectors[0] ** 2


def _jacobi(piece: BetaPiece, size: int) -> tuple[Array, Array]:
    """Gauss-Jacobi in u, of power * size nodes, so exact for the same degree in s."""
    from scipy.special import roots_jacobi

    count = min(piece.power * size, MAX_NODES)
    a, b = float(piece.a), float(piece.b)
    with np.errstate(all="ignore"):
        u, weights = _usable(
            _scipy(lambda: roots_jacobi(count, b - 1, a - 1)), a / (a + b), lambda x: (x + 1) / 2
        )
        if not len(u):
            u, weights = _gauss(*_jacobi_matrix(a, b, count))
            u = np.clip((u + 1) / 2, 0, 1)
    r = float(piece.low) + float(piece.high - piece.low) * u
    return float(piece.shift) + r**piece.power, float(piece.mass) * weights


def _cut(piece: CutPiece, size: int) -> tuple[Array, Array]:
    """A Gauss-Jacobi rule in each of the cells in which the density is a Beta density times a smooth one."""
    from numerics.laws.sampling import CutDensity

    density, inner = CutDensity(piece.window), piece.window.piece
    nodes, logs = [], []
    for cell, _, _ in density.cells:
        a, b = (Fraction(x) for x in density.exponents(cell))
        count = (inner.power * size) // 2 + CUT_NODES
        u, weights = _jacobi(BetaPiece(Fraction(1), Fraction(0), Fraction(1), a, b), count)
        t = cell.width * u
        nodes.append(density.radius(cell, t))
        with np.errstate(divide="ignore"):
            logs.append(np.log(weights) + density.smooth(cell, t) + density.log_mass(cell))
    log = np.concatenate(logs)
    weights = np.exp(log - log.max())
    share = float(piece.mass) * float(share_of(piece)) / weights.sum()
    return float(inner.shift) + np.concatenate(nodes) ** inner.power, share * weights


def _signed(piece: SignedPiece, size: int) -> tuple[Array, Array]:
    """The Gauss-Legendre rule of the interval times the density, exact for as much."""
    first = piece.parts[0][1]
    degree = int(first.a + first.b) - 2
    uniform = BetaPiece(Fraction(1), Fraction(0), Fraction(1), Fraction(1), Fraction(1))
    u, weights = _jacobi(uniform, first.power * size + degree // 2 + 1)
    density = np.zeros_like(u)
    for weight, part in piece.parts:
        k = int(part.a) - 1
        density += float(weight) * (degree + 1) * comb(degree, k) * u**k * (1 - u) ** (degree - k)
    r = float(first.low) + float(first.high - first.low) * u
    return float(first.shift) + r**first.power, float(piece.mass) * weights * np.maximum(density, 0)


def _condensed(nodes: Array, weights: Array, size: int) -> tuple[Array, Array]:
    """The Gauss rule, of at most `size` nodes, of a rule with more: Lanczos, orthogonalised throughout."""
    if len(nodes) <= size:
        return nodes, weights
    total = weights.sum()
    vectors = np.zeros((size, len(nodes)))
    vectors[0] = np.sqrt(weights / total)
    diagonal, squares = np.zeros(size), np.zeros(size - 1)
    for k in range(size):
        new = nodes * vectors[k]
        diagonal[k] = vectors[k] @ new
        # Twice is enough (Kahan).
        for _ in range(2):
            new -= vectors[: k + 1].T @ (vectors[: k + 1] @ new)
        if k + 1 < size:
            squares[k] = new @ new
            vectors[k + 1] = new / np.sqrt(squares[k])
    x, condensed = _gauss(diagonal, squares)
    return x, total * condensed


def _laguerre(piece: GammaPiece, size: int) -> tuple[Array, Array]:
    from scipy.special import roots_genlaguerre

    count, shape = min(piece.power * size, MAX_LAGUERRE_NODES), float(piece.shape)
    with np.errstate(all="ignore"):
        x, weights = _usable(_scipy(lambda: roots_genlaguerre(count, shape - 1)), shape, lambda x: x)
        if not len(x):
            k: Array = np.arange(1.0, count)
            diagonal: Array = 2.0 * np.arange(float(count)) + shape
            x, weights = _gauss(diagonal, k * (k + shape - 1))
    return float(piece.shift) + (float(piece.scale) * x) ** piece.power, float(piece.mass) * weights


def _scipy(rule: Callable[[], tuple[Array, Array]]) -> tuple[Array, Array]:
    """SciPy's rule; empty for a shape that it does not take, as one that is -1 after rounding."""
    try:
        return rule()
    except ValueError:
        return np.empty(0), np.empty(0)


def _usable(rule: tuple[Array, Array], mean: float, place: Callable[[Array], Array]) -> tuple[Array, Array]:
    """The rule with its nodes placed and weights that add up to 1; empty where float64 could not hold it.

    SciPy's weights pass through Gamma functions, which overflow for concentrated densities.
    """
    nodes, weights = place(rule[0]), rule[1]
    if not (np.isfinite(nodes).all() and np.isfinite(weights).all() and weights.sum() > 0):
        return np.empty(0), np.empty(0)
    weights = weights / weights.sum()
    right = abs(float(nodes @ weights) - mean) <= MEAN_TOLERANCE * mean
    return (nodes, weights) if right else (np.empty(0), np.empty(0))


def _jacobi_matrix(a: float, b: float, count: int) -> tuple[Array, Array]:
    """Diagonal and squared off-diagonal for the weight (1 - x)^(b-1) (1 + x)^(a-1) on [-1, 1].

    In a and b, not in a - 1 and b - 1: a may be smaller than the rounding of 1.
    """
    both, k = a + b - 2, np.arange(2.0, count)
    inner = np.arange(1.0, count)
    diagonal = (a - b) * both / ((2 * inner + both) * (2 * inner + both + 2))
    # Factor by factor, as the products leave the range of float64.
    first = 4 * (a / (a + b)) * (b / (a + b)) / (a + b + 1)
    middle = 2 * k + both
    squares = (
        4 * (k / middle) * ((k - 1 + b) / middle) * ((k - 1 + a) / (middle + 1)) * ((k + both) / (middle - 1))
    )
    return np.concatenate([[(a - b) / (a + b)], diagonal]), np.concatenate([[first], squares])


def _gauss(diagonal: Array, squares: Array) -> tuple[Array, Array]:
    """The Gauss rule of a Jacobi matrix: weights 1/sum p_k(x)^2, p_k orthonormal by their recurrence.

    Golub and Welsch's nodes; the sum keeps the relative accuracy of weights that are tiny.
    Raises NoConvergence where float64 does not hold the matrix.
    """
    from scipy.linalg import eigvalsh_tridiagonal

    off = np.sqrt(squares)
    if not (np.isfinite(diagonal).all() and np.isfinite(off).all() and (off > 0).all()):
        raise NoConvergence(f"no Gauss rule of {len(diagonal)} nodes in float64 for this density")
    x = eigvalsh_tridiagonal(diagonal, off)
    before, now = np.zeros_like(x), np.ones_like(x)
    total, log_scale = np.ones_like(x), np.zeros_like(x)
    for k, step in enumerate(off):
        before, now = now, ((x - diagonal[k]) * now - (off[k - 1] if k else 0.0) * before) / step
        total += now**2
        # Far from the mass of a concentrated density the polynomials leave the range of float64.
        scale = np.where(np.abs(now) > 1e100, 1e-100, 1.0)
        before, now, total = before * scale, now * scale, total * scale**2
        log_scale -= 2 * np.log(scale)
    weights = np.exp(-np.log(total) - log_scale)
    return x, weights / weights.sum()
