"""E[f(s)] over a law by `acb.integral` on its density: a route that shares nothing with the package's own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import acb, arb

from numerics.arithmetic.balls import ball, ends
from numerics.laws import Atoms, BetaPiece, CutPiece, GammaPiece, Law, SumPiece, Window

Integrand = Callable[[acb], acb]
Density = Callable[[acb, bool], acb]

NEGLIGIBLE = arb(2) ** -1000


def holds(enclosure: arb, exact: Fraction) -> bool:
    """Whether the number is in the ball; `arb.contains` rounds the number first."""
    lower, upper = ends(enclosure)
    return lower <= exact <= upper


def mean(
    law: Law,
    f: Integrand,
    low: Fraction | None = None,
    high: Fraction | None = None,
    negligible: arb = NEGLIGIBLE,
) -> arb:
    """E[f(s); low < s < high] at the working precision, f analytic near the support; no sums."""
    return sum((component_mean(part, f, low, high, negligible) for part in law.components), arb(0))


def component_mean(part, f: Integrand, low: Fraction | None, high: Fraction | None, negligible: arb) -> arb:
    if isinstance(part, Atoms):
        pairs = zip(part.values, part.masses, strict=True)
        inside = [(s, p) for s, p in pairs if (low is None or s > low) and (high is None or s < high)]
        return sum((ball(p) * f(acb(ball(s))).real for s, p in inside), arb(0))
    assert not isinstance(part, SumPiece)
    if isinstance(part, CutPiece):
        return cut_mean(part, f, low, high, negligible)
    if isinstance(part, GammaPiece):
        return gamma_mean(part, f, low, high, negligible)
    return beta_mean(part, f, low, high, negligible)


def integral(g: Density, low: arb, high: arb, negligible: arb) -> arb:
    """To the working precision, relative to the largest part of the integral that is not negligible."""
    return acb.integral(g, acb(low), acb(high), abs_tol=negligible).real


def beta_mean(
    part: BetaPiece, f: Integrand, low: Fraction | None, high: Fraction | None, negligible: arb
) -> arb:
    """In r = low + (high - low) u, u = v^Q below 1/2 and 1 - u = v^Q above, so that nothing is singular."""

    def u_of(s: Fraction | None, default: int) -> arb:
        if s is None:
            return arb(default)
        inner = s - part.shift
        if inner <= part.low**part.power:
            return arb(0)
        if inner >= part.high**part.power:
            return arb(1)
        root = ball(inner) if part.power == 1 else ball(inner).sqrt()
        return (root - ball(part.low)) / ball(part.high - part.low)

    start, stop = u_of(low, 0), u_of(high, 1)
    total = arb(0)
    for near, far, mirrored in ((part.a, part.b, False), (part.b, part.a, True)):
        first, last = (1 - stop, 1 - start) if mirrored else (start, stop)
        first, last = first.min(arb(0.5)), last.min(arb(0.5))
        q = near.denominator

        def g(v: acb, analytic: bool, near=near, far=far, mirrored=mirrored, q=q) -> acb:
            close = v**q
            u = 1 - close if mirrored else close
            r = acb(ball(part.low)) + acb(ball(part.high - part.low)) * u
            weight = q * v ** (near.numerator - 1)
            rest = (1 - close).pow(acb(ball(far - 1)), analytic=analytic and far.denominator > 1)
            return f(acb(ball(part.shift)) + r**part.power) * weight * rest

        total += integral(g, *(end if end == 0 else end.root(q) for end in (first, last)), negligible)
    a, b = ball(part.a), ball(part.b)
    return ball(part.mass) * total * (a + b).gamma() / (a.gamma() * b.gamma())


def cut_mean(
    part: CutPiece, f: Integrand, low: Fraction | None, high: Fraction | None, negligible: arb
) -> arb:
    """The integral of f over the window by that of 1 over all windows."""

    def over(window: Window, g: Integrand, low: Fraction | None, high: Fraction | None) -> arb:
        piece = window.piece
        bottom = piece.shift + window.low**piece.power
        top = None if window.high is None else piece.shift + window.high**piece.power
        first = bottom if low is None else max(low, bottom)
        last = top if high is None else high if top is None else min(high, top)
        if last is not None and first >= last:
            return arb(0)
        return component_mean(piece, g, first, last, negligible)

    whole = sum(
        (ball(weight) * over(window, lambda s: s**0, None, None) for weight, window in part.whole), arb(0)
    )
    return ball(part.mass) * over(part.window, f, low, high) / whole


def gamma_mean(
    part: GammaPiece, f: Integrand, low: Fraction | None, high: Fraction | None, negligible: arb
) -> arb:
    """In g = v^Q, cut where what is left is below 2^-200 of the whole for the small depths tried."""
    q = part.shape.denominator

    def v_of(s: Fraction | None, default: int) -> arb:
        if s is None:
            return arb(default).root(q) if default else arb(0)
        if s <= part.shift:
            return arb(0)
        root = ball(s - part.shift)
        return ((root if part.power == 1 else root.sqrt()) / ball(part.scale)).root(q)

    start, cut = v_of(low, 0), v_of(high, 700)

    def g(v: acb, _: bool) -> acb:
        base = v**q
        s = acb(ball(part.shift)) + (acb(ball(part.scale)) * base) ** part.power
        return f(s) * q * v ** (part.shape.numerator - 1) * (-base).exp()

    return ball(part.mass) * integral(g, start, cut, negligible) / ball(part.shape).gamma()
