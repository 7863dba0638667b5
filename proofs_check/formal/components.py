"""Inequalities over atoms and polynomial densities on integers: `theory/formal/ComponentCertificates.v`.

A second implementation of what that computes.  It finds the precision at which Coq's booleans come out true;
no certificate is written for an inequality that it does not find true.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from math import gcd, lcm
from typing import TYPE_CHECKING

from proofs_check.formal import layerwise, two_parameter
from proofs_check.formal.parts import Atom, Piece, Terms, residual
from proofs_check.formal.rounding import power, precision

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.formal.finite import Side

TO_A_LINE = 4


@dataclass(frozen=True)
class Components:
    """A law as the library has it: s = 0 with the weight `zero`, and parts with weights."""

    den: int
    zero: int
    parts: tuple[tuple[int, Atom | Piece], ...]
    law: Law | None = field(default=None, compare=False, repr=False)

    imports = (
        "Computed Certificates Components TwoParameter BandCertificates Layerwise MomentCertificates "
        "ComponentMoments ComponentCertificates"
    )

    @classmethod
    def of(cls, law: Law) -> Components | None:
        """The instance of a law of atoms and of densities (s - low)^i (high - s)^j; None of any other."""
        found = [each for part in law.components for each in _read(part)]
        if law.is_zero or None in found:
            return None
        known = [each for each in found if each is not None]
        den = lcm(*(s.denominator for _, ends, _ in known for s in ends))
        unit = lcm(*(mass.denominator for mass, _, _ in known))
        weights = [int(mass * unit) for mass, _, _ in known]
        common = gcd(*weights)
        zero = 0
        parts: list[tuple[int, Atom | Piece]] = []
        for weight, (_, (low, high), exponents) in zip(weights, known, strict=True):
            w, a, width = weight // common, int(low * den), int((high - low) * den)
            if exponents is not None:
                parts.append((w, Piece(den, a, width, *exponents)))
            elif a > 0:
                parts.append((w, Atom(den, a)))
            else:
                zero += w
        return cls(den, zero, tuple(parts), law)

    def definition(self) -> str:
        """The law P in Coq."""
        first, *rest = [f"({weight}, {part})" for weight, part in self.parts]
        lines = ["; ".join(rest[i : i + TO_A_LINE]) for i in range(0, len(rest), TO_A_LINE)]
        separator = ";\n   "
        return (
            f"(* With a mass of w in {self.weight}, for each (w, Atom v): s = v/{self.den}; for each\n"
            f"   (w, Piece l n i j): a density proportional to ({self.den} s - l)^i (l + n - {self.den} s)^j "
            "where both\n"
            f"   factors are positive; s = 0 with a mass of {self.zero} in {self.weight}. *)\n"
            f"Definition parts : components := (mk_components {self.den} {self.zero} {first}\n"
            f"  [{separator.join(lines)}])%positive.\n"
            "Definition P : law := law_of parts.\n"
        )

    def enclosing(self, statement: str, low: Fraction, high: Fraction, T: int) -> str:
        """The lemma that gives low < alpha_T < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, self.enclosure(low, high, T).holds)
        return f"(mixed_alpha_between parts {bits})"

    def near(self, statement: str, center: Fraction, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |alpha_T' - center| < epsilon center for all T' >= T.  Raises FormalError."""
        bits = precision(statement, self.band(center, epsilon, T).holds)
        return f"(mixed_alpha_stays_near parts {bits})"

    def star(self) -> str:
        """The lemma that gives alpha*."""
        return "(mixed_alpha_star parts)"

    def apart(self, statement: str, candidate: Fraction) -> str:
        """The lemma that gives that alpha_T does not tend to the candidate."""
        return "(mixed_not_the_limit parts)"

    def minimax(self) -> str:
        """The lemma that gives the minimax weight and the worst residual."""
        return "(mixed_minimax_is parts)"

    def gap(self, statement: str, low: Fraction, high: Fraction) -> str:
        """The lemma that gives low < gap < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, partial(self.gap_between, low, high))
        return f"(mixed_gap_between parts {bits} {self.terms(bits)})"

    def least_excess(self, statement: str, low: Fraction, high: Fraction, T: int) -> str:
        """The lemma that gives low < e_T < high.  Raises FormalError if the integers do not say so."""
        coefficients = layerwise.best_residual(self.moment, T)
        bits = precision(statement, partial(self.least_between, coefficients, low, high))
        listed = "; ".join(map(str, coefficients))
        return f"(mixed_least_excess_between parts {bits} {self.terms(bits)}\n    [{listed}]%Z)"

    def two_parameter(self, statement: str, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |beta + alpha*|, |alpha - alpha*| < epsilon alpha* for all T' >= T.

        Raises FormalError if the integers do not say so.
        """
        return two_parameter.near(self, statement, epsilon, T)

    def band_lemma(self, bits: int) -> str:
        """The lemma of `two_parameter`, but for the numbers of the band."""
        return f"mixed_two_parameter_stays_near parts {bits} {self.terms(bits)}"

    @cached_property
    def weight(self) -> int:
        """Of all."""
        return self.zero + sum(weight for weight, _ in self.parts)

    @cached_property
    def _X(self) -> tuple[int, int]:
        """The ends of X = den lam over {s > 0}."""
        return min(part.ends[0] for _, part in self.parts), max(part.ends[1] for _, part in self.parts)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of lam over {s > 0}."""
        return Fraction(self._X[0], self.den), Fraction(self._X[1], self.den)

    def tails(self, side: Side, a: Fraction, T: int, above: int = 0, below: int = 0) -> Terms:
        """E[s r^(2T-1); r > above or r < below] up to a factor, r as in :mod:`parts`; turned round below."""
        sign = 1 if side == "Above" else -1
        return [
            (sign * weight * factor, r)
            for weight, part in self.parts
            for factor, r in part.tails(a, T, above, below)
        ]

    def enclosure(self, low: Fraction, high: Fraction, T: int) -> Sums:
        """What is positive if low < alpha_T < high."""
        if low <= 0:
            return Sums(T, ())
        return Sums(T, (self.tails("Above", low, T), self.tails("Below", high, T)))

    def band(self, center: Fraction, epsilon: Fraction, T: int) -> Sums:
        """What is positive if the one inequality at depth T keeps alpha within epsilon from there on."""
        if epsilon >= 1:
            return Sums(T, ())
        low, high = center * (1 - epsilon), center * (1 + epsilon)
        return Sums(T, (self.settling("Above", low, T), self.settling("Below", high, T)))

    def settling(self, side: Side, a: Fraction, T: int) -> Terms:
        """The one inequality at depth T: the larger side counts residuals beyond the largest opposite one."""
        first, last = (-residual(a, self.den, x) for x in self._X)
        if side == "Above":
            return self.tails(side, a, T, above=max(0, last))
        return self.tails(side, a, T, below=min(0, first))

    def moment(self, k: int) -> Fraction:
        """E[s X^k], X = den lam."""
        return sum((weight * part.moment(k) for weight, part in self.parts), Fraction(0)) / self.weight

    def terms(self, bits: int) -> int:
        """How many terms of the series of logarithms settle so many binary places."""
        return max(part.terms(bits) for _, part in self.parts)

    def bound_sum(self, low: Fraction, high: Fraction, bits: int, *, up: bool) -> Fraction:
        """E[s/lam; low <= X <= high], each part rounded: bound_sum."""
        terms, total = self.terms(bits), 0
        for weight, part in self.parts:
            share = part.share(low, high, bits, terms, up)
            total += weight * ((share.numerator << bits) // share.denominator + up)
        return Fraction(total, self.weight << bits)

    def share(self, low: Fraction, high: Fraction, bits: int) -> Fraction:
        """E[s/lam; low <= lam <= high], rounded down."""
        return self.bound_sum(low * self.den, high * self.den, bits, up=False)

    def scale(self, bits: int) -> tuple[Fraction, Fraction]:
        """Bounds on E[s/lam]."""
        ends = Fraction(0), Fraction(self._X[1])
        return self.bound_sum(*ends, bits, up=False), self.bound_sum(*ends, bits, up=True)

    def scale_up(self, bits: int) -> Fraction:
        """E[s/lam], rounded up."""
        return self.scale(bits)[1]

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


@dataclass(frozen=True)
class Sums:
    """Sums of weights times the (2T)-th powers of integers."""

    T: int
    sums: tuple[Terms, ...]

    def holds(self, bits: int) -> bool:
        """Whether all are seen to be positive; there are some."""
        return bool(self.sums) and all(self.below(terms, bits) > 0 for terms in self.sums)

    def below(self, terms: Terms, bits: int) -> int:
        """sum_below: weights to `bits` binary places, bases over the largest; 0 if all are 0."""
        largest, total = max((abs(base) for _, base in terms), default=0), 0
        if largest == 0:
            return 0
        for weight, base in terms:
            fixed = (weight.numerator << bits) // weight.denominator
            up = int(fixed < 0)
            total += fixed * power((abs(base) << bits) // largest + up, 2 * self.T, bits, up)
        return total


Read = tuple[Fraction, tuple[Fraction, Fraction], tuple[int, int] | None]


def _read(part: object) -> Iterator[Read | None]:
    """The masses, ends and, of a density, exponents of a component of a law; None if it is not as here."""
    from numerics.laws import Atoms, BetaPiece

    if isinstance(part, Atoms):
        for value, mass in zip(part.values, part.masses, strict=True):
            yield mass, (value, value), None
    elif isinstance(part, BetaPiece) and part.power == part.a.denominator == part.b.denominator == 1:
        low, high = part.low + part.shift, part.high + part.shift
        yield part.mass, (low, high), (int(part.a) - 1, int(part.b) - 1)
    else:
        yield None
