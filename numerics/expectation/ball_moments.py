"""Moments of a piece about a fixed point, by recurrences in ball arithmetic.

A piece is s = shift + (center + y)^power with y from a law whose moments have a
recurrence.  About the middle of a bounded support the expansion of
(1 - slope lam)^n in y loses almost no digits, where raw moments lose all of them.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import Protocol

from flint import acb, arb, arb_poly, ctx, fmpq_poly

from numerics.arithmetic.balls import ball, rational
from numerics.laws import BetaPiece, GammaPiece
from numerics.laws.components import piece_support
from numerics.laws.mass_bounds import beta_distribution

MAX_TAIL_TERMS = 4000
GUARD_BITS = 32


class Moments(Protocol):
    """A piece, without its mass, as seen by an evaluator.

    norm: the polynomial s(y).
    """

    norm: fmpq_poly

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        ...

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        ...


def tail_terms(shrink: arb) -> int:
    """Steps at which `downward` starts beyond the last moment; more than MAX_TAIL_TERMS if it is too slow."""
    ratio = float(shrink.upper())
    return int(ctx.prec / -log2(ratio)) + 8 if ratio < 1 else MAX_TAIL_TERMS + 1


def downward(plain: list[arb], pole: acb, count: int, bound: arb) -> list[acb]:
    """E[y^m / (pole + y)], m = 0..count, from |E[y^M / (pole + y)]| <= bound at M = len(plain).

    Each step J_m = (E y^m - J_(m+1)) / pole shrinks the error by |y| / |pole|.
    """
    value, values = acb(arb(0, bound.upper()), arb(0, bound.upper())), []
    for m in range(len(plain) - 1, -1, -1):
        value = (plain[m] - value) / pole
        values.append(value)
    return values[: -count - 2 : -1]


def upward(plain: list[arb], pole: acb, first: acb) -> list[acb]:
    """The same from J_0 = `first`; each step multiplies the error by |pole|."""
    values = [first]
    for moment in plain[:-1]:
        values.append(moment - pole * values[-1])
    return values


class BetaMoments:
    """r = center + y with y from a Beta law on [-h, h]; s = shift + r^power.

    A window keeps y between two balls; None is the end of the support.
    """

    def __init__(self, piece: BetaPiece) -> None:
        self.piece = piece
        self.center, self.half = (piece.low + piece.high) / 2, (piece.high - piece.low) / 2
        r = fmpq_poly([rational(self.center), 1])
        self.norm: fmpq_poly = r**piece.power + rational(piece.shift)

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        return self.windowed(count, None, None)

    def windowed(self, count: int, low: arb | None, high: arb | None) -> list[arb]:
        """E[y^m; low < y < high], m = 0..count.

        Pearson's equation: the integral of d/dy [(h^2 - y^2) y^m density] over the window.
        """
        h, piece = ball(self.half), self.piece
        skew, total, square = h * ball(piece.a - piece.b), ball(piece.a + piece.b), ball(self.half) ** 2
        mass, edges = self._mass(low, high), []
        if high is not None:
            edges.append((high, (square - high * high) * self._density(high)))
        if low is not None:
            edges.append((low, -(square - low * low) * self._density(low)))
        values, before = [mass], arb(0)
        for m in range(count):
            flux = arb(0)
            for position, (t, edge) in enumerate(edges):
                flux += edge
                edges[position] = (t, edge * t)
            values.append((skew * values[m] + m * square * before - flux) / (total + m))
            before = values[m]
        return values

    def within(self, count: int, low: Fraction | None, high: Fraction | None) -> list[arb]:
        """E[y^m; low < s < high], m = 0..count."""
        bottom, top = piece_support(self.piece)
        assert top is not None
        if max(bottom, bottom if low is None else low) >= min(top, top if high is None else high):
            return [arb(0)] * (count + 1)
        cuts = [None if end is None or not bottom < end < top else self._position(end) for end in (low, high)]
        return self.windowed(count, *cuts)

    def _position(self, s: Fraction) -> arb:
        """The y at which s is taken."""
        root = ball(s - self.piece.shift)
        return (root.sqrt() if self.piece.power == 2 else root) - ball(self.center)

    def _mass(self, low: arb | None, high: arb | None) -> arb:
        """P(low < Y < high)."""
        if high is None:
            return arb(1) if low is None else self._tail(-low, self.piece.b, self.piece.a)
        below = self._tail(high, self.piece.a, self.piece.b)
        return below if low is None else below - self._tail(low, self.piece.a, self.piece.b)

    def _tail(self, y: arb, a: Fraction, b: Fraction) -> arb:
        """P(Y < y) for the exponents (a, b): it rises with y, so the two ends of the ball enclose it."""
        u = (y / ball(self.half) + 1) / 2
        edges = (end.nonnegative_part().min(arb(1)) for end in (u.lower(), u.upper()))
        low, high = (beta_distribution(edge, a, b) for edge in edges)
        return low.union(high)

    def _density(self, y: arb) -> arb:
        """Density of Y inside its support."""
        h, a, b = ball(self.half), ball(self.piece.a), ball(self.piece.b)
        scale = (a + b).gamma() / (a.gamma() * b.gamma() * (2 * h) ** (a + b - 1))
        return scale * (h + y) ** (a - 1) * (h - y) ** (b - 1)

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count.

        For power 2, 1 / (A^2 + r^2) = Im[1 / (r - iA)] / A.
        """
        height = ball(1 + self.piece.shift)
        if self.piece.power == 2:
            return self._over_square(count, height)
        pole, half = height + ball(self.center), ball(self.half)
        tail = tail_terms(half / pole)
        if tail <= MAX_TAIL_TERMS:
            length = count + tail
            bound = half ** (length + 1) / (pole - half)
            values = downward(self.plain(length), acb(pole), count, bound)
        else:
            values = upward(self.plain(count), acb(pole), self._stieltjes(acb(pole)))
        return [value.real for value in values]

    def _over_square(self, count: int, height: arb) -> list[arb]:
        """E[y^m / (height + r^2)] by powers of the pole c - iA = R e^(-i phi), their imaginary parts alone.

        Steps through complex balls, as `downward` takes them, would lose digits at each: a ball is a box.
        """
        A, center, half = height.sqrt(), ball(self.center), ball(self.half)
        R, phi = (height + center**2).sqrt(), arb.atan2(A, center)
        tail = tail_terms(half / R)
        with ctx.extraprec(GUARD_BITS):
            if tail > MAX_TAIL_TERMS:
                return [value / A for value in self._upward_in_sines(count, R, phi, acb(center, -A))]
            # 1/(pole + y) = sum_k (-y)^k pole^(-k-1), and |pole + y| >= A where it ends.
            sines = [(-half / R) ** k * ((k + 1) * phi).sin() / (R * A) for k in range(tail)]
            rest = (half / R) ** tail / height
            scaled = [value / half**m for m, value in enumerate(self.plain(count + tail))]
            product = arb_poly(sines[::-1]) * arb_poly(scaled)
            spread = arb(0, rest.upper())
            return [half**m * (product[m + tail - 1] + spread) for m in range(count + 1)]

    def _upward_in_sines(self, count: int, R: arb, phi: arb, pole: acb) -> list[arb]:
        """Im J_m, J_m = E[y^m / (pole + y)] = (-pole)^m J_0 + sum_(k < m) (-pole)^(m-1-k) E[y^k]."""
        first = self._stieltjes(pole)
        sines = [-(j * phi).sin() for j in range(count)]
        scaled = [value / (-R) ** k for k, value in enumerate(self.plain(count))]
        product, found = arb_poly(sines) * arb_poly(scaled), []
        for m in range(count + 1):
            turned = (m * phi).cos() * first.imag - (m * phi).sin() * first.real
            found.append((-R) ** m * turned + (product[m - 1] * (-R) ** (m - 1) if m else 0))
        return found

    def _stieltjes(self, pole: acb) -> acb:
        """E[1 / (pole + y)], by the hypergeometric function."""
        width = 2 * ball(self.half)
        start = pole - ball(self.half)
        a, b = acb(ball(self.piece.a)), acb(ball(self.piece.a + self.piece.b))
        return (-width / start).hypgeom_2f1(acb(1), a, b) / start


class GammaMoments:
    """s = shift + y, y = (scale g)^power: unbounded, expanded about its lower end."""

    def __init__(self, piece: GammaPiece) -> None:
        self.piece = piece
        self.norm = fmpq_poly([rational(piece.shift), 1])

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        shape, scale, power = ball(self.piece.shape), ball(self.piece.scale), self.piece.power
        values = [arb(1)]
        for m in range(count):
            value = values[m]
            for j in range(power):
                value = value * scale * (shape + (power * m + j))
            values.append(value)
        return values

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        pole = acb(ball(1 + self.piece.shift))
        return [value.real for value in upward(self.plain(count), pole, acb(self._reciprocal()))]

    def _reciprocal(self) -> arb:
        """E[1 / lam], from E[1 / (g + z)] = z^(shape-1) e^z Gamma(1-shape, z)."""
        piece = self.piece
        height, scale, shape = ball(1 + piece.shift), ball(piece.scale), acb(ball(piece.shape))

        def stieltjes(z: acb) -> acb:
            return z.pow(shape - 1) * z.exp() * z.gamma_upper(1 - shape)

        if piece.power == 1:
            return (stieltjes(acb(height / scale)) / scale).real
        y = height.sqrt() / scale
        # 1 / (g^2 + y^2) = Im[1 / (g - i y)] / y
        return stieltjes(acb(0, -y)).imag / (y * scale**2)
