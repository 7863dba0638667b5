"""Moments and Laplace transforms of any piece of a law, sums of independent pieces among them."""

from __future__ import annotations

from fractions import Fraction
from operator import mul

from flint import acb, arb, arb_poly, ctx, fmpq_poly

from numerics.arithmetic.balls import ball
from numerics.errors import DepthLimit
from numerics.expectation.ball_moments import (
    MAX_TAIL_TERMS,
    BetaMoments,
    GammaMoments,
    Moments,
    downward,
    tail_terms,
    upward,
)
from numerics.expectation.cut_moments import CutMoments, TailMoments, cut_laplace
from numerics.laws import BetaPiece, CutPiece, GammaPiece, Piece, SignedPiece, SumPiece


class SumMoments:
    """The sum of two independent pieces of the law of s: moments by convolution."""

    def __init__(self, piece: SumPiece) -> None:
        self.parts = (piece.first, piece.second)
        self.moments = tuple(moments(part) for part in self.parts)
        if any(part.norm.degree() != 1 for part in self.moments):
            raise DepthLimit("a sum of squared norms is known by the laws of the squares")
        self.norm = fmpq_poly([sum(part.norm[0] for part in self.moments), 1])

    @property
    def half(self) -> Fraction | None:
        """Half the length of the support, about whose middle the moments are; None where they are not."""
        total = Fraction(0)
        for part in self.moments:
            half = getattr(part, "half", None)
            if half is None:
                return None
            total += half
        return total

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count: a product of exponential generating functions."""
        factors = []
        for part in self.moments:
            values, inverse = part.plain(count), arb(1)
            for m in range(1, count + 1):
                inverse /= m
                values[m] *= inverse
            factors.append(arb_poly(values))
        product, factor, values = factors[0] * factors[1], arb(1), []
        for m in range(count + 1):
            values.append(product[m] * factor)
            factor *= m + 1
        return values

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        pole = 1 + arb(self.norm[0])
        if self.half is not None:
            half = ball(self.half)
            tail = tail_terms(half / pole)
            if tail <= MAX_TAIL_TERMS:
                length = count + tail
                bound = half ** (length + 1) / (pole - half)
                return [value.real for value in downward(self.plain(length), acb(pole), count, bound)]
        return [value.real for value in upward(self.plain(count), acb(pole), acb(self._reciprocal()))]

    def _reciprocal(self) -> arb:
        return self.reciprocal_up_to(int(ctx.prec * 0.7) + 8)

    def reciprocal_up_to(self, cut: int) -> arb:
        """E[1 / lam] = int_0^oo e^-t E[e^(-t s)] dt, past `cut` bounded; a sum's transform is a product."""

        def integrand(t: acb, analytic: bool) -> acb:
            return (-t).exp() * laplace(self.parts[0], t, analytic) * laplace(self.parts[1], t, analytic)

        body = acb.integral(integrand, 0, cut).real
        return body + arb(-cut).exp() * arb(0.5, 0.5)


class SignedMoments:
    """The combination of Beta laws of one interval, about its middle."""

    def __init__(self, piece: SignedPiece) -> None:
        self.parts = [BetaMoments(part) for _, part in piece.parts]
        first = self.parts[0]
        self.center, self.half, self.norm = first.center, first.half, first.norm
        self._weights = [weight for weight, _ in piece.parts]

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        return self._combined([part.plain(count) for part in self.parts])

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        return self._combined([part.divided(count) for part in self.parts])

    def within(self, count: int, low: Fraction | None, high: Fraction | None) -> list[arb]:
        """E[y^m; low < s < high], m = 0..count."""
        return self._combined([part.within(count, low, high) for part in self.parts])

    def _combined(self, rows: list[list[arb]]) -> list[arb]:
        weights = list(map(ball, self._weights))
        return [sum(map(mul, weights, column), arb(0)) for column in zip(*rows, strict=True)]


def moments(piece: Piece) -> Moments:
    """The moments of a piece."""
    if isinstance(piece, BetaPiece):
        return BetaMoments(piece)
    if isinstance(piece, SignedPiece):
        return SignedMoments(piece)
    if isinstance(piece, CutPiece):
        return TailMoments(piece) if piece.window.high is None else CutMoments(piece)
    return GammaMoments(piece) if isinstance(piece, GammaPiece) else SumMoments(piece)


def laplace(piece: Piece, t: acb, analytic: bool) -> acb:
    """E[e^(-t s)] of a piece of power 1, without its mass, Re t >= 0.

    Not finite where `analytic` is asked for and the branch cut may be met.
    """
    if isinstance(piece, SumPiece):
        return laplace(piece.first, t, analytic) * laplace(piece.second, t, analytic)
    if isinstance(piece, SignedPiece):
        return sum((ball(weight) * laplace(part, t, analytic) for weight, part in piece.parts), acb(0))
    if isinstance(piece, CutPiece):
        return cut_laplace(piece, t, analytic)
    if isinstance(piece, GammaPiece):
        base = 1 + ball(piece.scale) * t
        if analytic and not base.real > 0:
            return acb(arb.nan())
        return (-t * ball(piece.shift)).exp() * base.pow(acb(-ball(piece.shape)))
    width = ball(piece.high - piece.low)
    a, b = acb(ball(piece.a)), acb(ball(piece.a + piece.b))
    return (-t * ball(piece.shift + piece.low)).exp() * (-t * width).hypgeom_1f1(a, b)
