"""Moments of many atoms about the middle of their support, in ball arithmetic."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt

from flint import arb, arb_mat, ctx, fmpq_poly

from numerics.arithmetic.balls import rational
from numerics.laws import Atoms

TABLE_BITS = 384
"""Of the table at first: more bits cost little, another table much."""
ATOMS_AT_A_TIME = 4096


class AtomMoments:
    """Many atoms, their masses included: s = center + half y, |y| <= 1.

    One table, of E[y^m / lam], gives the rest; it is kept at the highest precision asked for.
    """

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        low, high = rational(atoms.values[0]), rational(atoms.values[-1])
        self.norm = fmpq_poly([(low + high) / 2, (high - low) / 2])
        self._bits, self._table = 0, list[arb]()

    def plain(self, count: int) -> list[arb]:
        """E[y^m], m = 0..count: times lam/lam."""
        table, lam = self.divided(count + 1), (1 + arb(self.norm[0]), arb(self.norm[1]))
        return [lam[0] * now + lam[1] * after for now, after in pairwise(table)]

    def divided(self, count: int) -> list[arb]:
        """E[y^m / lam], m = 0..count."""
        if self._bits < ctx.prec or len(self._table) <= count:
            self._bits = max(self._bits, TABLE_BITS, 1 << (ctx.prec - 1).bit_length())
            with ctx.workprec(self._bits):
                self._table = self._power_sums(1 << count.bit_length())
        return self._table[: count + 1]

    def _power_sums(self, count: int) -> list[arb]:
        """For m < count; y^(a + r b) = y^a y^(r b): a product of matrices, over some atoms at a time."""
        values, unit, masses, mass_unit = self.atoms.scaled
        r = isqrt(count - 1) + 1
        total, middle, width = arb_mat(r, r), values[0] + values[-1], values[-1] - values[0]
        for start in range(0, len(values), ATOMS_AT_A_TIME):
            here = slice(start, start + ATOMS_AT_A_TIME)
            ys = [arb(2 * v - middle) / width for v in values[here]]
            low = [[arb(1)] * len(ys)]
            for _ in range(r):
                low.append([power * y for power, y in zip(low[-1], ys, strict=True)])
            steps = low.pop()
            weights = [arb(p * unit) / (unit + v) for v, p in zip(values[here], masses[here], strict=True)]
            high = [weights]
            for _ in range(r - 1):
                high.append([power * step for power, step in zip(high[-1], steps, strict=True)])
            total += arb_mat(low) * arb_mat(high).transpose()
        return [total[m % r, m // r] / mass_unit for m in range(count)]
