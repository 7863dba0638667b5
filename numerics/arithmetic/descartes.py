"""Bisection with Descartes' rule of signs (Vincent, Collins, Akritas), of integers or of intervals of them.

The number of sign changes of (1 + x)^n p(1/(1 + x)) is at least the number of roots of p in (0, 1) and of the
same parity, so 0 means none and 1 means one.  On squarefree p it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import fmpz_poly

from numerics.errors import NoConvergence, PrecisionExhausted

MAX_NODES = 20_000
_SHIFT = fmpz_poly([1, 1])

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Coefficients:
    """A polynomial by its coefficients; with `spread`, every one whose differ from them by at most that.

    All steps are additions and shifts, under which bounds on the errors add up.
    """

    middle: list[int]
    spread: list[int] | None = None

    def mapped(self, step: Callable[[list[int]], list[int]]) -> Coefficients:
        """The same linear step for the coefficients and for their bounds."""
        return Coefficients(step(self.middle), None if self.spread is None else step(self.spread))

    @property
    def errors(self) -> Sequence[int]:
        """Bounds on the errors."""
        return [0] * len(self.middle) if self.spread is None else self.spread

    def at_zero(self) -> int:
        """The sign of p(0).  Raises PrecisionExhausted where it is not known."""
        return sign(self.middle[0], self.errors[0])

    def changes(self) -> int:
        """Sign changes in the sequence of coefficients, zeros left out; PrecisionExhausted likewise."""
        found = [sign(c, error) for c, error in zip(self.middle, self.errors, strict=True)]
        return sum(one != other for one, other in pairwise(filter(None, found)))

    def bound(self) -> int:
        """An exponent e with all positive roots below 2^e.

        Lagrange's bound is the sum of the two largest |c_i/c_n|^(1/(n-i)) with c_i/c_n < 0; here twice the
        largest of all, rounded up.
        """
        degree, lead = len(self.middle) - 1, (abs(self.middle[-1]) - self.errors[-1]).bit_length() - 1
        tops = [(abs(c) + error).bit_length() for c, error in zip(self.middle, self.errors, strict=True)]
        return 1 + max(-((lead - top) // (degree - i)) for i, top in enumerate(tops[:-1]) if top)

    def scaled(self, exponent: int) -> Coefficients:
        """p(2^exponent x), times a power of 2 that makes its coefficients integers."""
        degree = len(self.middle) - 1
        if exponent >= 0:
            return self.mapped(lambda part: [c << (exponent * i) for i, c in enumerate(part)])
        return self.mapped(lambda part: [c << (-exponent * (degree - i)) for i, c in enumerate(part)])

    def shifted(self) -> Coefficients:
        """p(x + 1)."""
        return self.mapped(lambda part: padded(fmpz_poly(part)(_SHIFT), len(part)))

    def reversed(self) -> Coefficients:
        """x^n p(1/x)."""
        return self.mapped(lambda part: part[::-1])


def sign(value: Fraction | int, error: Fraction | int = 0) -> int:
    """The sign of a number known to an error.  Raises PrecisionExhausted where that leaves it open."""
    if error and not (value > error or -value > error):
        raise PrecisionExhausted("the coefficients of a polynomial are not known well enough")
    return (value > 0) - (value < 0)


def padded(polynomial: fmpz_poly, length: int) -> list[int]:
    """So many coefficients, those above the degree 0."""
    return [int(polynomial[place]) for place in range(length)]


def isolated(polynomial: Coefficients) -> tuple[Fraction | None, list[Interval]]:
    """Open intervals with one real root each; or a root that was met, and none.  0 is no root.

    Raises NoConvergence past MAX_NODES intervals, PrecisionExhausted where a sign is not known.
    """
    intervals = []
    for side in (1, -1):
        turned = [c * side**i for i, c in enumerate(polynomial.middle)]
        met, found = _positive(Coefficients(turned, polynomial.spread))
        if met is not None:
            return side * met, []
        intervals += [(low, high) if side == 1 else (-high, -low) for low, high in found]
    return None, intervals


def _positive(polynomial: Coefficients) -> tuple[Fraction | None, list[Interval]]:
    """Intervals of the positive roots; or the first root that is an end of one."""
    if polynomial.changes() == 0:
        return None, []
    exponent = polynomial.bound()
    # Each entry: a polynomial on (0, 1), which stands for (low, low + width).
    pending = [(polynomial.scaled(exponent), Fraction(0), Fraction(2) ** exponent)]
    found, nodes = [], 0
    while pending:
        here, low, width = pending.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise NoConvergence(f"real roots not isolated within {MAX_NODES} intervals")
        changes = here.reversed().shifted().changes()
        if changes == 1:
            found.append((low, low + width))
        if changes > 1:
            left, middle = here.scaled(-1), low + width / 2
            right = left.shifted()
            if right.at_zero() == 0:
                return middle, []
            pending += [(left, low, width / 2), (right, middle, width / 2)]
    return None, found
