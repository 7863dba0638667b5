"""Signs of E[s (1 - a lam)^n] and of the one inequality, by routes that `ball_evaluators` has no part in.

Atoms are summed in integers, densities integrated by `acb.integral`, and the raw moments of s
expanded exactly where n is small.  Where none of them is cheap there is no second route, and
the functions return None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import acb, arb, ctx, fmpz

from numerics.arithmetic.balls import ball, sign
from numerics.expectation.over_law import Expectation
from numerics.laws import Atoms, BetaPiece, CutPiece, GammaPiece, Law, SignedPiece, SumPiece
from numerics.laws.components import piece_support
from numerics.laws.contents import whole

EXACT_EXPONENT = 64
INTEGRATED_EXPONENT = 2**50
MAX_ROOT = 8
"""Exponents of a density at its ends whose denominators are integrated in reasonable time."""
ATOM_BITS = 10**7
"""Size of the integers that are added up."""
BITS = (128, 256, 512, 1024, 2048)

Window = tuple[Fraction | None, Fraction | None]
WHOLE: Window = (None, None)


@dataclass(frozen=True)
class Look:
    """A sign, None where undecided; by what; and the bits it took (0: exact)."""

    sign: int | None
    route: str
    bits: int = 0


def derivative(expectation: Expectation, a: Fraction, T: int, max_bits: int) -> Look | None:
    """The sign of E[s (1 - a lam)^(2T-1)], which is that of alpha_T - a."""
    law, n = expectation.law, 2 * T - 1
    if not law.pieces and _fits(law.atoms, a, n):
        return Look(_integer_sign(law, a, n, [WHOLE]), "integers over the atoms")
    if law.pieces and law.is_rational and n < EXACT_EXPONENT:
        value = expectation.polynomial(1, a, n)
        return Look((value > 0) - (value < 0), "rational moments")
    return _integrated(law, a, n, [WHOLE], max_bits)


def inequality(
    expectation: Expectation, a: Fraction, side: Literal["above", "below"], T: int, max_bits: int
) -> Look | None:
    """The sign of left - right of inequality (1), or (2), of `large_depth` at n = 2T - 1.

    For a sum of densities: 1 where E[s q^n] exceeds the most that what is left out adds.
    """
    law, n = expectation.law, 2 * T - 1
    l1, l2 = law.lambda_ends
    assert l2 is not None
    above = side == "above"
    least = max(Fraction(0), a * l2 - 1 if above else 1 - a * l1)
    turn = 1 if above else -1
    # q = 1 - a (1 + s) falls with s.
    zero, edge = 1 / a - 1, (1 - turn * least) / a - 1
    windows: list[Window] = [(None, edge), (zero, None)] if above else [(edge, None), (None, zero)]
    found: Look | None
    if not law.pieces and _fits(law.atoms, a, n):
        found = Look(_integer_sign(law, a, n, windows), "integers over the atoms")
    elif (
        law.is_rational and n < EXACT_EXPONENT and all(isinstance(part, SumPiece) for part in law.components)
    ):
        margin = turn * expectation.polynomial(1, a, n) - least**n * law.mean
        return Look(1 if margin > 0 else None, "rational moments")
    else:
        found = _integrated(law, a, n, windows, max_bits)
    if found is None or found.sign is None:
        return found
    return Look(turn * found.sign, found.route, found.bits)


def _fits(atoms: Atoms | None, a: Fraction, n: int) -> bool:
    assert atoms is not None
    size = a.denominator.bit_length() + atoms.scaled.value_unit.bit_length()
    return n * size * len(atoms.values) <= ATOM_BITS


def _integer_sign(law: Law, a: Fraction, n: int, windows: list[Window]) -> int:
    """Everything over one denominator, which is positive."""
    atoms = law.atoms
    assert atoms is not None
    values, unit, masses, _ = atoms.scaled
    common = a.denominator * unit
    total = fmpz(0)
    for s, value, mass in zip(atoms.values, values, masses, strict=True):
        if any(_inside(s, window) for window in windows):
            total += fmpz(mass * value) * fmpz(int(common * (1 - a * (1 + s)))) ** n
    return int(total > 0) - int(total < 0)


def _inside(s: Fraction, window: Window) -> bool:
    low, high = window
    return (low is None or s > low) and (high is None or s < high)


def _integrated(law: Law, a: Fraction, n: int, windows: list[Window], max_bits: int) -> Look | None:
    """By integration of the densities; atoms beside them are summed in balls."""
    densities = [part for part in law.pieces if isinstance(part, BetaPiece | CutPiece | SignedPiece)]
    roots = [root for part in densities for root in _roots(part)]
    others = not roots or len(densities) < len(law.pieces) or not law.is_bounded
    if others or max(roots) > MAX_ROOT or n > INTEGRATED_EXPONENT:
        return None
    l1, l2 = law.lambda_ends
    assert l2 is not None
    scale = max(abs(1 - a * l1), abs(1 - a * l2))
    found, last = None, 0
    for bits in BITS:
        if bits > max_bits or found is not None:
            break
        with ctx.workprec(bits):
            found, last = sign(_total(law.atoms, densities, _scaled(a, n, scale), windows)), bits
    return Look(found, "integration of the density", last)


def _roots(part: BetaPiece | CutPiece | SignedPiece) -> tuple[int, ...]:
    """The roots that are taken of the distances from the ends of a density."""
    if isinstance(part, SignedPiece):
        return (1,)
    piece = part.window.piece if isinstance(part, CutPiece) else part
    if isinstance(piece, BetaPiece):
        return piece.a.denominator, piece.b.denominator
    return (piece.shape.denominator,)


def _scaled(a: Fraction, n: int, scale: Fraction) -> Callable[[acb], acb]:
    """s -> s (q/scale)^n, at the working precision: of the order of 1 where it counts."""
    slope, largest = acb(ball(a)), acb(ball(scale))
    return lambda s: s * ((1 - slope * (1 + s)) / largest) ** n


def _total(
    atoms: Atoms | None,
    pieces: list[BetaPiece | CutPiece | SignedPiece],
    f: Callable[[acb], acb],
    windows: list[Window],
) -> arb:
    """E[f(s); s in one of the windows, s > 0]."""
    total = arb(0)
    for low, high in windows:
        total += sum((_piece(part, f, low, high) for part in pieces), arb(0))
        total += sum(_atoms(atoms, f, (low, high)), arb(0))
    return total


def _atoms(atoms: Atoms | None, f: Callable[[acb], acb], window: Window) -> Iterator[arb]:
    if atoms is not None:
        for s, mass in zip(atoms.values, atoms.masses, strict=True):
            if s > 0 and _inside(s, window):
                yield ball(mass) * f(acb(ball(s))).real


def _piece(
    part: BetaPiece | CutPiece | SignedPiece,
    f: Callable[[acb], acb],
    low: Fraction | None,
    high: Fraction | None,
) -> arb:
    """E[f(s); low < s < high] over a piece."""
    if isinstance(part, BetaPiece):
        return _beta(part, f, low, high)
    if isinstance(part, SignedPiece):
        terms = (ball(weight) * _beta(one, f, low, high) for weight, one in part.parts)
        return ball(part.mass) * sum(terms, arb(0))
    bottom, top = piece_support(part)
    assert top is not None
    low, high = bottom if low is None else max(low, bottom), top if high is None else min(high, top)
    if low >= high:
        return arb(0)
    inner = part.window.piece
    found = _beta(inner, f, low, high) if isinstance(inner, BetaPiece) else _gamma(inner, f, low, high)
    return ball(part.mass) * found / whole(part.whole)


def _gamma(part: GammaPiece, f: Callable[[acb], acb], low: Fraction, high: Fraction) -> arb:
    """With r = scale v^Q the density has no singularity at 0."""
    root, scale, shift = part.shape.denominator, acb(ball(part.scale)), acb(ball(part.shift))

    def integrand(v: acb, analytic: bool) -> acb:
        g = v**root
        return f(shift + (scale * g) ** part.power) * root * v ** (part.shape.numerator - 1) * (-g).exp()

    ends = []
    for s in (low, high):
        inner = ball(s - part.shift)
        r = inner if part.power == 1 else inner.nonnegative_part().sqrt()
        ends.append(acb((r / ball(part.scale)).root(root)))
    return acb.integral(integrand, ends[0], ends[1]).real / ball(part.shape).gamma()


def _beta(part: BetaPiece, f: Callable[[acb], acb], low: Fraction | None, high: Fraction | None) -> arb:
    """With u = v^Q on the lower half and 1 - u = v^Q on the upper the density has no singularity."""
    start, stop = _position(part, low, 0), _position(part, high, 1)
    total = arb(0)
    for near, far, mirrored in ((part.a, part.b, False), (part.b, part.a, True)):
        first, last = (1 - stop, 1 - start) if mirrored else (start, stop)
        ends = [end.min(arb(0.5)).nonnegative_part().root(near.denominator) for end in (first, last)]
        total += acb.integral(_half(part, f, near, far, mirrored), acb(ends[0]), acb(ends[1])).real
    a, b = ball(part.a), ball(part.b)
    return ball(part.mass) * total * (a + b).gamma() / (a.gamma() * b.gamma())


def _half(
    part: BetaPiece, f: Callable[[acb], acb], near: Fraction, far: Fraction, mirrored: bool
) -> Callable[[acb, bool], acb]:
    """The integrand in v on one half of the support."""
    bottom, width, shift = (acb(ball(x)) for x in (part.low, part.high - part.low, part.shift))
    root, rest = near.denominator, acb(ball(far - 1))

    def integrand(v: acb, analytic: bool) -> acb:
        close = v**root
        u = 1 - close if mirrored else close
        weight = root * v ** (near.numerator - 1)
        other = (
            (1 - close) ** (far.numerator - 1)
            if far.denominator == 1
            else (1 - close).pow(rest, analytic=analytic)
        )
        return f(shift + (bottom + width * u) ** part.power) * weight * other

    return integrand


def _position(part: BetaPiece, s: Fraction | None, default: int) -> arb:
    """The u at which the piece takes s, within [0, 1]."""
    if s is None:
        return arb(default)
    inner = s - part.shift
    if inner <= part.low**part.power:
        return arb(0)
    if inner >= part.high**part.power:
        return arb(1)
    radius = ball(inner) if part.power == 1 else ball(inner).sqrt()
    return (radius - ball(part.low)) / ball(part.high - part.low)
