"""The excess of a stack with given weights, its residual evaluated as a product: no moment enters.

Over a density E[(s/lam) r^2] = E[s/lam] + E[s (r^2 - 1)/lam]; since r = 1 at lam = 0, what follows E
is a polynomial in s, which a Gauss rule of the density integrates without error.  Its nodes are enclosed,
from the recurrence of Jacobi's or Laguerre's polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from operator import mul

from flint import arb, ctx

from numerics.arithmetic.balls import ball
from numerics.expectation.ball_evaluators import evaluator
from numerics.expectation.cut_moments import CutMoments
from numerics.expectation.piece_moments import SignedMoments, moments
from numerics.laws import Atoms, BetaPiece, CutPiece, Law, Piece, SignedPiece, SumPiece
from numerics.laws.components import piece_support
from numerics.layerwise.recurrence import Recurrence, from_moments, zeros

LOST_BITS = 12
"""A node, of the moments from which a rule is found."""

Rule = list[tuple[arb, arb]]
"""Values of s and their weights, which add up to 1."""


def residual(lam: arb, nodes: Sequence[arb]) -> arb:
    """prod over t of (1 - lam/z_t); a ball about 0 where lam is a node, which flint's ** makes nan."""
    return reduce(mul, (1 - lam / node for node in nodes), arb(1))


class ProductExcess:
    """E[(s/lam) r^2] of one law at one working precision; rules serve every depth up to `depth`."""

    def __init__(self, law: Law, depth: int) -> None:
        self._atoms: Rule = []
        self._pieces: list[tuple[arb, arb, Rule]] = []
        for component in law.components:
            if isinstance(component, Atoms):
                self._atoms = [
                    (ball(1 + s), ball(p * s / (1 + s)))
                    for s, p in zip(component.values, component.masses, strict=True)
                    if s > 0
                ]
            else:
                start = evaluator(component).complete(1, 1, arb(0), 0)
                self._pieces.append((ball(component.mass), start, rule(component, depth)))

    def at(self, nodes: Sequence[arb]) -> arb:
        """The excess of the stack with alpha_t = 1/z_t."""
        total = arb(0)
        for lam, weight in self._atoms:
            r = residual(lam, nodes)
            total += weight * (r * r)
        for mass, start, nodes_and_weights in self._pieces:
            part = arb(0)
            for s, weight in nodes_and_weights:
                r = residual(1 + s, nodes)
                part += weight * s / (1 + s) * (r * r - 1)
            total += start + mass * part
        return total


def rule(piece: Piece, depth: int) -> Rule:
    """A Gauss rule for the law of s on the piece, without its mass: exact to the degree 2 depth in s."""
    if isinstance(piece, SumPiece):
        first, second = rule(piece.first, depth), rule(piece.second, depth)
        return [(s + r, p * q) for s, p in first for r, q in second]
    if isinstance(piece, CutPiece | SignedPiece):
        return _found_rule(piece, depth)
    size = piece.power * depth + 1
    if isinstance(piece, BetaPiece):
        nodes, low, width = (
            _gauss(_jacobi(piece.a, piece.b, size), Fraction(1)),
            piece.low,
            piece.high - piece.low,
        )
    else:
        nodes, low, width = _gauss(_laguerre(piece.shape, size), None), Fraction(0), piece.scale
    shift = ball(piece.shift)
    return [(shift + (ball(low) + ball(width) * u) ** piece.power, weight) for u, weight in nodes]


def _found_rule(piece: CutPiece | SignedPiece, depth: int) -> Rule:
    """The rule of a density whose recurrence has no closed form: from its moments."""
    inner = piece.window.piece if isinstance(piece, CutPiece) else piece.parts[0][1]
    size = depth + 1 if piece_support(piece)[1] is None else inner.power * depth + 1
    with ctx.workprec(ctx.prec + LOST_BITS * size):
        shape = moments(piece)
        plain = shape.plain(2 * size)
        recurrence = from_moments(plain[:-1])
    if not isinstance(shape, CutMoments | SignedMoments):
        # y = r^power, above its lower end.
        lowest = piece_support(piece)[0] - inner.shift
        return [(ball(inner.shift) + y, plain[0] * weight) for y, weight in _gauss(recurrence, None, lowest)]
    half, low = ball(shape.half), ball(shape.center - shape.half)
    raised = Recurrence(tuple(a + half for a in recurrence.diagonal), recurrence.squares)
    nodes = _gauss(raised, 2 * shape.half)
    return [(ball(inner.shift) + (low + u) ** inner.power, plain[0] * weight) for u, weight in nodes]


def _gauss(recurrence: Recurrence, high: Fraction | None, low: Fraction = Fraction(0)) -> Rule:
    """Nodes and weights of a probability measure on (low, high) at the working precision."""
    size, found = len(recurrence.diagonal), []
    for root in zeros(recurrence, size, low, high, (ctx.prec - 40) // 4):
        total, square = arb(0), arb(1)
        for k, value in enumerate(recurrence.values(root.ball, size - 1)):
            square *= recurrence.squares[k] if k else 1
            total += value * value / square
        found.append((root.ball, 1 / total))
    return found


def _jacobi(a: Fraction, b: Fraction, size: int) -> Recurrence:
    """Of the Beta(a, b) law on (0, 1)."""
    diagonal, squares = [a / (a + b)], [Fraction(0)]
    for k in range(1, size):
        n = 2 * k + a + b - 2
        diagonal.append((1 + ((a - 1) ** 2 - (b - 1) ** 2) / (n * (n + 2))) / 2)
        # At k = 1 a factor n - 1 = a + b - 1 cancels.
        inner = Fraction(1) if k == 1 else (k + a + b - 2) / (n - 1)
        squares.append(k * (k + a - 1) * (k + b - 1) * inner / (n**2 * (n + 1)))
    return Recurrence(tuple(map(ball, diagonal)), tuple(map(ball, squares)))


def _laguerre(shape: Fraction, size: int) -> Recurrence:
    """Of the Gamma(shape, 1) law."""
    return Recurrence(
        tuple(ball(2 * k + shape) for k in range(size)),
        tuple(ball(k * (k + shape - 1)) for k in range(size)),
    )
