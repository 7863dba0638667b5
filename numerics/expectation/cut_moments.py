"""Moments of a density on condition that it lies in a window, in ball arithmetic.

A bounded window is covered by cells.  In each the density of r is that of a Beta law, which keeps a
singular end, times a function that is analytic on a disc of more than twice the cell's width: a polynomial
and an error that is bounded by Cauchy's estimate.  Moments and windows are then those of Beta laws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from operator import mul

from flint import acb, arb, arb_poly, ctx, fmpq_poly

from numerics.arithmetic.balls import ball, rational
from numerics.errors import DepthLimit
from numerics.expectation.ball_moments import BetaMoments, upward
from numerics.laws import BetaPiece, CutPiece, GammaPiece, Window
from numerics.laws.contents import content, whole

MAX_CELLS = 500
CLEAR = 3
"""How far, in half widths from its middle, a cell is kept from what is singular and not its own end."""
MAX_SCALES = 16
"""How long a cell is at most over the scale of exp(-r/scale)."""
MAX_STEEPNESS = 64
"""How much (r - end)^exponent may bend within a cell: the exponent times the half width over the distance."""
GUARD_BITS = 16
MAX_TERMS = 20_000
FEW = 64
"""Moments that are summed one by one, where a product of polynomials would take longer."""

Rows = Callable[[BetaMoments, int], list[arb]]
Function = tuple[Fraction, Fraction, int]
"""(end, exponent, side): |r - end|^exponent to the right (1) or left (-1) of the end."""


@dataclass(frozen=True)
class _Cell:
    """The moments of the Beta law on a cell, and the function that multiplies its density, about its middle.

    factor: coefficients in y/h, h the half width; error: a bound on what they leave out.
    """

    base: BetaMoments
    factor: arb_poly
    error: arb


def _powers(window: Window, low: Fraction, high: Fraction) -> tuple[list[Function], Fraction, Fraction]:
    """The powers that are not those of the cell's own ends, and the exponents of its Beta law."""
    piece, a, b = window.piece, Fraction(1), Fraction(1)
    inner: list[Function] = []
    if isinstance(piece, GammaPiece):
        ends = [(Fraction(0), piece.shape - 1, 1)]
    else:
        ends = [(piece.low, piece.a - 1, 1), (piece.high, piece.b - 1, -1)]
    for end, exponent, side in ends:
        if side == 1 and end == low:
            a += exponent
        elif side == -1 and end == high:
            b += exponent
        elif exponent:
            inner.append((end, exponent, side))
    return inner, a, b


def _cover(window: Window) -> list[tuple[Fraction, Fraction]]:
    """Cells, each clear of singular points and not too long.  Raises DepthLimit for too many."""
    assert window.high is not None
    pending, found = [(window.low, window.high)], []
    while pending:
        low, high = pending.pop()
        half, middle = (high - low) / 2, (low + high) / 2
        inner, _, _ = _powers(window, low, high)
        clear = all(
            abs(middle - end) >= CLEAR * half and abs(e) * half <= MAX_STEEPNESS * (abs(middle - end) - half)
            for end, e, _ in inner
        )
        piece = window.piece
        if clear and not (isinstance(piece, GammaPiece) and high - low > MAX_SCALES * piece.scale):
            found.append((low, high))
        else:
            pending += [(low, middle), (middle, high)]
        if len(found) + len(pending) > MAX_CELLS:
            raise DepthLimit(f"the density is covered by over {MAX_CELLS} cells")
    return found


def _cell(window: Window, low: Fraction, high: Fraction) -> _Cell:
    """One cell at the working precision."""
    piece, half, middle = window.piece, (high - low) / 2, (low + high) / 2
    inner, a, b = _powers(window, low, high)
    # The disc on which the factor is bounded, in half widths.
    reach = min([Fraction(4), *(Fraction(4, 5) * abs(middle - end) / half for end, _, _ in inner)])
    logarithm = _constant(window, a, b, high - low)
    most = arb(0)
    for end, exponent, _ in inner:
        distance = abs(middle - end)
        logarithm += ball(exponent) * ball(distance).log()
        most += ball(exponent) * (1 + ball((1 if exponent > 0 else -1) * reach * half / distance)).log()
    if isinstance(piece, GammaPiece):
        logarithm -= ball(middle / piece.scale)
        most += ball(reach * half / piece.scale)
    degree = ceil(float((most.upper() + (ctx.prec + 2) * arb.const_log2()) / ball(reach).log())) + 1
    # (d + y)^e or (d - y)^e over d^e; the sign of d - y is that of end - middle.
    fall = -ball(half / piece.scale) if isinstance(piece, GammaPiece) else arb(0)
    factor = _product([(ball(half / (middle - end)), ball(e)) for end, e, _ in inner], fall, degree)
    share = 1 / ball(reach)
    error = most.exp() * share ** (degree + 1) / (1 - share)
    scale = logarithm.exp()
    base = BetaPiece(Fraction(1), low, high, a, b, piece.shift, piece.power)
    return _Cell(BetaMoments(base), factor * scale, (error * scale).upper())


def _constant(window: Window, a: Fraction, b: Fraction, width: Fraction) -> arb:
    """The logarithm of the density's constant over that of the cell's Beta law."""
    piece = window.piece
    own = ball(a).lgamma() + ball(b).lgamma() - ball(a + b).lgamma() + ball(a + b - 1) * ball(width).log()
    if isinstance(piece, GammaPiece):
        return own - ball(piece.shape).lgamma() - ball(piece.shape) * ball(piece.scale).log()
    both = piece.a + piece.b
    beta = ball(piece.a).lgamma() + ball(piece.b).lgamma() - ball(both).lgamma()
    return own - beta - ball(both - 1) * ball(piece.high - piece.low).log()


def _product(powers: list[tuple[arb, arb]], fall: arb, degree: int) -> arb_poly:
    """prod (1 + ratio x)^exponent exp(fall x), two powers at most, by its first-order equation."""
    (r, e), (s, f) = [*powers, (arb(0), arb(0)), (arb(0), arb(0))][:2]
    # (1 + r x)(1 + s x) g' = g (e r (1 + s x) + f s (1 + r x) + fall (1 + r x)(1 + s x))
    sums, both = r + s, r * s
    first, second, third = e * r + f * s + fall, (e + f) * both + fall * sums, fall * both
    found = [arb(1)]
    for n in range(degree):
        value = (first - n * sums) * found[n]
        if n:
            value += (second - (n - 1) * both) * found[n - 1]
        if n > 1:
            value += third * found[n - 2]
        found.append(value / (n + 1))
    return arb_poly(found)


class CutMoments:
    """r = center + y, y between -half and half; s = shift + r^power."""

    def __init__(self, piece: CutPiece) -> None:
        window = piece.window
        assert window.high is not None
        self.piece, self.window = piece, window
        self.center, self.half = (window.low + window.high) / 2, (window.high - window.low) / 2
        r = fmpq_poly([rational(self.center), 1])
        self.norm: fmpq_poly = r**window.piece.power + rational(window.piece.shift)
        self._cover = _cover(window)
        self._cells: tuple[int, list[_Cell], arb] = (0, [], arb(0))

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        return self._over_cells(_plain, count)

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        return self._over_cells(lambda base, reach: base.divided(reach), count)

    def within(self, count: int, low: Fraction | None, high: Fraction | None) -> list[arb]:
        """E[y^m; low < s < high], m = 0..count."""
        return self._over_cells(lambda base, reach: base.within(reach, low, high), count)

    def _over_cells(self, rows: Rows, count: int) -> list[arb]:
        """The sum over the cells, about the middle of all."""
        if self._cells[0] != ctx.prec:
            with ctx.workprec(ctx.prec + GUARD_BITS):
                cells = [_cell(self.window, *cell) for cell in self._cover]
                divisor = self._whole(cells)
            self._cells = ctx.prec, cells, divisor
        total = [arb(0)] * (count + 1)
        for cell in self._cells[1]:
            by = cell.base.center - self.center
            reach, error = _reach(cell.base.half, by, count)
            values = _moved(_times(cell, rows, reach), by, count, error)
            total = [one + other for one, other in zip(total, values, strict=True)]
        return [value / self._cells[2] for value in total]

    def _whole(self, cells: list[_Cell]) -> arb:
        """What lies in the windows by which the density is divided."""
        if self.piece.whole == ((Fraction(1), self.window),):
            return sum((_times(cell, _plain, 0)[0] for cell in cells), arb(0))
        return whole(self.piece.whole)


def _plain(base: BetaMoments, count: int) -> list[arb]:
    return base.plain(count)


def _times(cell: _Cell, rows: Rows, count: int) -> list[arb]:
    """E[y^m ...] with the factor, from rows without it, in units of the half width."""
    coefficients, half = cell.factor.coeffs(), ball(cell.base.half)
    degree = len(coefficients) - 1
    unit, scaled = arb(1), []
    for value in rows(cell.base, count + degree):
        scaled.append(value * unit)
        unit /= half
    if count < FEW:
        sums = [sum(map(mul, coefficients, scaled[m:]), arb(0)) for m in range(count + 1)]
    else:
        product = arb_poly(coefficients[::-1]) * arb_poly(scaled)
        sums = [product[m + degree] for m in range(count + 1)]
    spread, unit, found = arb(0, cell.error), arb(1), []
    for value in sums:
        found.append((value + spread) * unit)
        unit *= half
    return found


def _reach(half: Fraction, by: Fraction, count: int) -> tuple[int, arb]:
    """How many moments of a cell tell those about a point at the distance `by`, and a bound on the others.

    E|y|^j <= half^j E 1, so that the terms of E[(y + by)^m], m <= count, past y^J are less than |by|^m E 1
    times sum over j > J of x^j/j!, x = count half/|by|, which falls by a half at least from j = 2x on.
    """
    if not (by and count):
        return count, arb(0)
    x = ball(count * half / abs(by))
    first = ceil(2 * count * half / abs(by))
    logarithm = first * x.log() - arb(first + 1).lgamma()
    slope = arb(2).log()
    # Each further term is at most half of the one before.
    more = ceil(max(0.0, float((logarithm / slope).upper()) + ctx.prec + GUARD_BITS))
    reach = first + more
    if reach >= count:
        return count, arb(0)
    return reach, 2 * ((reach + 1) * x.log() - arb(reach + 2).lgamma()).exp()


def _moved(moments: list[arb], by: Fraction, count: int, error: arb) -> list[arb]:
    """E[(y + by)^m], m = 0..count: a product of exponential generating functions.

    moments: as many as are needed; `error` times |by|^m times the first bounds what the others give.
    """
    if not by:
        return moments
    factorial, shift, row, powers, spreads = arb(1), arb(1), [], [], []
    spread = arb(0, (moments[0].abs_upper() * error).upper())
    for m in range(count + 1):
        factorial *= max(m, 1)
        if m < len(moments):
            row.append(moments[m] / factorial)
        powers.append(shift / factorial)
        spreads.append(spread * shift)
        shift *= ball(by)
    product, factorial, found = arb_poly(row) * arb_poly(powers), arb(1), []
    for m, left_out in enumerate(spreads):
        factorial *= max(m, 1)
        found.append(product[m] * factorial + left_out)
    return found


class TailMoments:
    """A gamma density above a point: s = shift + y, y = r^power, r > low.

    By parts E[r^(m+1)] = scale ((m + shape) E[r^m] + low^m F), with F = x^shape e^-x/Gamma(shape, x) at
    x = low/scale.
    """

    def __init__(self, piece: CutPiece) -> None:
        assert isinstance(piece.window.piece, GammaPiece)
        self.piece, self.gamma = piece, piece.window.piece
        self.norm = fmpq_poly([rational(self.gamma.shift), 1])

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count."""
        gamma, low, scale = self.gamma, ball(self.piece.window.low), ball(self.gamma.scale)
        x, shape = low / scale, ball(self.gamma.shape)
        edge = x**shape * (-x).exp() / self._incomplete()
        share = content(self.piece.window) / whole(self.piece.whole)
        value, found = arb(1), [share]
        for m in range(gamma.power * count):
            value = scale * ((m + shape) * value + edge)
            edge *= low
            found.append(share * value)
        return found[:: gamma.power]

    def _incomplete(self) -> arb:
        """Gamma(shape, low/scale), of which flint's series loses some low/scale bits."""
        return content(self.piece.window) * ball(self.gamma.shape).gamma()

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        pole = acb(ball(1 + self.gamma.shift))
        return [value.real for value in upward(self.plain(count), pole, acb(self._reciprocal()))]

    def _reciprocal(self) -> arb:
        """E[1/lam], r = low + scale t, integrated up to a t past which e^-t leaves nothing."""
        gamma, low = self.gamma, ball(self.piece.window.low)
        height, scale, power = ball(1 + gamma.shift), ball(gamma.scale), gamma.power
        x, exponent = low / scale, ball(gamma.shape - 1)
        cut = ctx.prec + 2 * ceil(gamma.shape)

        def integrand(t: acb, analytic: bool) -> acb:
            weight = (1 + t / x).pow(acb(exponent), analytic=analytic) * (-t).exp()
            return weight / (height + (low + scale * t) ** power)

        body = acb.integral(integrand, 0, cut, abs_tol=0).real
        # The whole integral of the weight is e^x x^(1-shape) Gamma(shape, x).
        unit = x.exp() * x ** (-exponent)
        rest = unit * (x + cut).gamma_upper(exponent + 1) / (height + low**power)
        total = unit * self._incomplete()
        share = content(self.piece.window) / whole(self.piece.whole)
        return share * (body + arb(0).union(rest)) / total


def cut_laplace(piece: CutPiece, t: acb, analytic: bool) -> acb:
    """E[e^(-t s)] of a piece of power 1, without its mass, Re t >= 0; as `ball_moments.laplace`."""
    inner = piece.window.piece
    if isinstance(inner, GammaPiece):
        return _gamma_laplace(piece, inner, t, analytic)
    half, steep = _half(piece), float(t.abs_upper())
    terms = ctx.prec + ceil(4 * steep * float(half))
    if terms > MAX_TERMS:
        return acb(arb.nan())
    total, factor = acb(0), acb(1)
    for n, moment in enumerate(_moments(piece, ctx.prec, -(-terms // 256) * 256)[: terms + 1]):
        total += factor * moment
        factor = factor * (-t) / (n + 1)
    # The moments are at most half^n, and the factors fall by more than a half from here on.
    rest = 2 * factor.abs_upper() * ball(half) ** (terms + 1)
    center = (piece.window.low + (piece.window.high or 0)) / 2
    return (-t * ball(inner.shift + center)).exp() * (total + acb(arb(0, rest), arb(0, rest)))


def _half(piece: CutPiece) -> Fraction:
    assert piece.window.high is not None
    return (piece.window.high - piece.window.low) / 2


@lru_cache(maxsize=8)
def _moments(piece: CutPiece, bits: int, count: int) -> list[arb]:
    """E[y^n] about the middle of the window, at the working precision `bits`."""
    with ctx.workprec(bits):
        return CutMoments(piece).plain(count)


def _gamma_laplace(piece: CutPiece, inner: GammaPiece, t: acb, analytic: bool) -> acb:
    """By what the window holds of the gamma density with the rate 1/scale + t."""
    base, shape = 1 + ball(inner.scale) * t, acb(ball(inner.shape))
    if analytic and not base.real > 0:
        return acb(arb.nan())
    ends = piece.window.low, piece.window.high
    below, above = (
        None if end is None else (base * ball(end / inner.scale)).gamma_upper(shape, regularized=1)
        for end in ends
    )
    assert below is not None
    part = (below if above is None else below - above) / whole(piece.whole)
    return (-t * ball(inner.shift)).exp() * base.pow(-shape) * part
