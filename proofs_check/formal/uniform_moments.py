"""Moments and masses of a uniform law on integers: what `theory/formal/UniformMoments.v` computes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, lcm, log

from proofs_check.formal.rounding import ln_down, ln_up


@dataclass(frozen=True)
class UniformMoments:
    """X = den lam is uniform on [a, b]."""

    den: int
    a: int
    b: int

    def moment(self, k: int) -> Fraction:
        """E[s X^k]."""
        parts = [Fraction(self.b**n - self.a**n, n) for n in (k + 1, k + 2)]
        return (parts[1] - self.den * parts[0]) / (self.den * (self.b - self.a))

    def terms(self, bits: int) -> int:
        """How many terms of the series of ln(b/a) settle so many binary places."""
        return ceil(bits * log(2) / (2 * log((self.b + self.a) / (self.b - self.a)))) + 1

    def scale(self, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds on E[s/lam] = 1 - den ln(b/a)/(b - a): scale_bound."""
        ends = ln_up(bits, self.terms(bits), self.a, self.b), ln_down(bits, self.terms(bits), self.a, self.b)
        low, high = (1 - Fraction(self.den * ln, (self.b - self.a) << bits) for ln in ends)
        return low, high

    def share(self, x: Fraction, y: Fraction, bits: int) -> Fraction:
        """E[s/lam; x <= lam <= y], rounded down."""
        num, den = x.numerator * y.denominator, y.numerator * x.denominator
        ln = Fraction(ln_up(bits, self.terms(bits), num, den), 1 << bits)
        return (y - x - ln) * Fraction(self.den, self.b - self.a)

    def gap_between(self, low: Fraction, high: Fraction, bits: int) -> bool:
        """Whether low < E[s/lam] - (E s)^2/E[s lam] < high is seen: gap_between_moments."""
        lost = self.den * self.moment(0) ** 2 / self.moment(1)
        scale = self.scale(bits)
        return low < scale[0] - lost and scale[1] - lost < high

    def least_between(self, coefficients: list[int], low: Fraction, high: Fraction, bits: int) -> bool:
        """Whether low < e_T < high is seen: least_between_moments, orthogonality apart, which is exact."""
        first, *rest = coefficients
        gained = Fraction(self.den, first) * sum(c * self.moment(j) for j, c in enumerate(rest))
        scale = self.scale(bits)
        return low < scale[0] + gained and scale[1] + gained < high

    def best_residual(self, T: int) -> list[int]:
        """Up to a positive factor, by powers of X, the constant first.

        The orthogonal polynomial of degree T of s dP, by its three-term recurrence, from the moments.
        """
        moments = [self.moment(k) for k in range(2 * T + 1)]

        def inner(p: list[Fraction], k: int) -> Fraction:
            """E[s p X^k]."""
            return sum((c * moments[j + k] for j, c in enumerate(p)), Fraction(0))

        old, new, square_before = [Fraction(0)], [Fraction(1)], Fraction(1)
        for k in range(T):
            # X^k and the polynomial of degree k differ by lower degrees, to which it is orthogonal.
            square = inner(new, k)
            shift = inner(new, k + 1) / square + (new[k - 1] if k else 0)
            back = square / square_before if k else Fraction(0)
            padded = [*old, *[Fraction(0)] * (k + 2 - len(old))]
            following = [
                up - shift * here - back * down
                for up, here, down in zip([Fraction(0), *new], [*new, Fraction(0)], padded, strict=True)
            ]
            old, new, square_before = new, following, square
        unit = lcm(*(c.denominator for c in new)) * (1 if new[0] > 0 else -1)
        return [int(c * unit) for c in new]
