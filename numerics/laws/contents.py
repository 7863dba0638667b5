"""How much of a density lies in a window, to the working precision."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from numerics.arithmetic.balls import ball
from numerics.laws.components import BetaPiece, CutPiece, GammaPiece, Whole, Window

MAX_DOUBLINGS = 8


def content(window: Window) -> arb:
    """P(low <= r <= high) of the whole density, to the working precision, however little that is."""
    piece = window.piece
    if isinstance(piece, GammaPiece):
        low, high = (None if end is None else end / piece.scale for end in (window.low, window.high))
    else:
        low, high = ((end - piece.low) / (piece.high - piece.low) for end in (window.low, window.high or 0))
    goal = ctx.prec
    for doublings in range(MAX_DOUBLINGS):
        with ctx.workprec((goal + 32) << doublings):
            below, above = (_tails(piece, end) for end in (low, high))
            # By the smaller tails, where 1 - ... would cancel.
            parts = [below[1] - above[1], above[0] - below[0]]
            found = max(parts, key=lambda part: part.rel_accuracy_bits())
        if found.rel_accuracy_bits() >= goal:
            break
    return found


def _tails(piece: BetaPiece | GammaPiece, x: Fraction | None) -> tuple[arb, arb]:
    """P(X < x) and P(X > x) of the standard variable; None is the upper end."""
    if x is None or (isinstance(piece, BetaPiece) and x >= 1):
        return arb(1), arb(0)
    if x <= 0:
        return arb(0), arb(1)
    if isinstance(piece, GammaPiece):
        shape = ball(piece.shape)
        below, above = ball(x).gamma_lower(shape, regularized=1), ball(x).gamma_upper(shape, regularized=1)
    else:
        a, b = ball(piece.a), ball(piece.b)
        below, above = ball(x).beta_lower(a, b, regularized=1), ball(1 - x).beta_lower(b, a, regularized=1)
    return below, above


def share(piece: CutPiece) -> arb:
    """P(the piece), without its mass."""
    return content(piece.window) / whole(piece.whole)


def whole(windows: Whole) -> arb:
    """What lies in the windows by which a cut density is divided, with their weights."""
    return sum((ball(weight) * content(window) for weight, window in windows), arb(0))
