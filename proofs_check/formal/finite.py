"""Inequalities over a law with finitely many atoms, on integers: what `theory/formal/Computed.v` computes.

A second implementation of the same booleans.  It finds the precision at which Coq's come out true, and no
certificate is written for an inequality that it does not find true.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Literal

from proofs_check.formal import layerwise, two_parameter
from proofs_check.formal.coq import FormalError
from proofs_check.formal.rounding import power, precision

if TYPE_CHECKING:
    from numerics.laws import Law

Side = Literal["Above", "Below"]
TO_A_LINE = 8
APART_BITS, DEPTHS = 256, tuple(1 << k for k in range(61))


@dataclass(frozen=True)
class Table:
    """A law as the library has it: P(s = v/den) = w/(sum of w) for (v, w) in `rows`.

    low/den and high/den are the ends of s over {s > 0}.
    """

    den: int
    low: int
    high: int
    rows: tuple[tuple[int, int], ...]
    law: Law | None = field(default=None, compare=False, repr=False)

    imports = (
        "FiniteLaw Computed Certificates TwoParameter BandCertificates TwoParameterCertificates "
        "Layerwise LayerwiseCertificates"
    )

    @classmethod
    def of(cls, law: Law) -> Table | None:
        """The table of a law of atoms that is not 0; None of any other."""
        if law.pieces or law.atoms is None or law.is_zero:
            return None
        scaled = law.atoms.scaled
        rows = tuple(zip(scaled.values, scaled.masses, strict=True))
        positive = [value for value in scaled.values if value > 0]
        return cls(scaled.value_unit, min(positive), max(positive), rows, law)

    def definition(self) -> str:
        """The law P in Coq, once its validity is computed."""
        rows = [f"({v}, {w})" for v, w in self.rows]
        lines = ["; ".join(rows[i : i + TO_A_LINE]) for i in range(0, len(rows), TO_A_LINE)]
        separator = ";\n   "
        ends = f"[{self.low}/{self.den}, {self.high}/{self.den}]"
        return (
            f"(* s = v/{self.den} with a mass of w in {sum(w for _, w in self.rows)}, for each (v, w); "
            f"s > 0 lies in {ends}. *)\n"
            f"Definition atoms : table := (mk_table {self.den} {self.low} {self.high}\n"
            f"  [{separator.join(lines)}])%Z.\n"
            "Lemma atoms_valid : valid atoms = true.\nProof. computed. Qed.\n"
            "Definition P : law := finite atoms atoms_valid.\n"
        )

    def enclosing(self, statement: str, low: Fraction, high: Fraction, T: int) -> str:
        """The lemma that gives low < alpha_T < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, partial(self.encloses, low, high, T))
        return f"(alpha_between atoms atoms_valid {bits})"

    def near(self, statement: str, center: Fraction, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |alpha_T' - center| < epsilon center for all T' >= T.  Raises FormalError."""
        bits = precision(statement, partial(self.stays_near, center, epsilon, T))
        return f"(alpha_stays_near atoms atoms_valid {bits})"

    def star(self) -> str:
        """The lemma that gives alpha*."""
        return "(alpha_star_is atoms atoms_valid)"

    def apart(self, statement: str, candidate: Fraction) -> str:
        """The lemma that gives that alpha_T does not tend to the candidate.  Raises FormalError."""
        center = Fraction(2 * self.den, 2 * self.den + self.low + self.high)
        side: Side = "Above" if candidate < center else "Below"
        between = (center + max(candidate, Fraction(0))) / 2
        T = next((T for T in DEPTHS if self.settles(side, between, T, APART_BITS)), None)
        if T is None:
            raise FormalError(f"{statement}: not decided up to depth {DEPTHS[-1]}")
        weight = f"{between.numerator} {between.denominator}"
        return f"(not_the_limit atoms atoms_valid {side} {APART_BITS} {weight}) with (T0 := {T}%positive)"

    def gap(self, statement: str, low: Fraction, high: Fraction) -> str:
        """The lemma that gives low < gap < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, partial(self.gap_between, low, high))
        return f"(gap_is_between atoms atoms_valid {bits})"

    def minimax(self) -> str:
        """The lemma that gives the minimax weight and the worst residual."""
        return "(minimax_is atoms atoms_valid)"

    def two_parameter(self, statement: str, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |beta + alpha*|, |alpha - alpha*| < epsilon alpha* for all T' >= T.

        Raises FormalError if the integers do not say so.
        """
        return two_parameter.near(self, statement, epsilon, T)

    def least_excess(self, statement: str, low: Fraction, high: Fraction, T: int) -> str | None:
        """The lemma that gives low < e_T < high; None where e_T is 0.  Raises FormalError."""
        if sum(v > 0 for v, _ in self.rows) <= T:
            return None
        return layerwise.between(self, statement, low, high, T)

    def moment(self, k: int) -> int:
        """E[s X^k], X = den lam, up to a factor."""
        return sum(w * v * (self.den + v) ** k for v, w in self.rows)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of lam over {s > 0}."""
        return 1 + Fraction(self.low, self.den), 1 + Fraction(self.high, self.den)

    def band_lemma(self, bits: int) -> str:
        """The lemma of `two_parameter`, but for the numbers of the band."""
        return f"two_parameter_stays_near atoms atoms_valid {bits}"

    def scale_up(self, bits: int = 256) -> Fraction:
        """E[s/lam], rounded up."""
        mass = sum(w for _, w in self.rows)
        return Fraction(sum(w * ((v << bits) // (self.den + v) + 1) for v, w in self.rows), mass << bits)

    def share(self, low: Fraction, high: Fraction, bits: int) -> Fraction:
        """E[s/lam; low <= lam <= high], rounded down."""
        mass = sum(w for _, w in self.rows)
        inside = (row for row in self.rows if low <= 1 + Fraction(row[0], self.den) <= high)
        return Fraction(sum(w * ((v << bits) // (self.den + v)) for v, w in inside), mass << bits)

    def residual(self, side: Side, a: Fraction, v: int) -> int:
        """1 - a (1 + v/den) over the denominator of a and den; turned round below."""
        cleared = a.denominator * self.den - a.numerator * (self.den + v)
        return cleared if side == "Above" else -cleared

    def decides(self, side: Side, a: Fraction, T: int, bits: int, apart: int = 0) -> bool:
        """Whether E[s q^(2T-1)] > 0 above, < 0 below, is seen; of 0 <= |q| <= apart nothing is counted."""
        ends = self.residual(side, a, self.low), self.residual(side, a, self.high)
        largest = max(map(abs, ends))
        return (
            largest > 0
            and sum(self.contribution(row, side, a, T, bits, largest, apart) for row in self.rows) > 0
        )

    def contribution(
        self, row: tuple[int, int], side: Side, a: Fraction, T: int, bits: int, largest: int, apart: int
    ) -> int:
        """Of one row to E[s q^(2T-1)], over a positive factor common to all, rounded down."""
        v, w = row
        r = self.residual(side, a, v)
        if r > apart:
            return w * v * power((r << bits) // largest, 2 * T - 1, bits, 0)
        if r < 0:
            return -w * v * power((-r << bits) // largest + 1, 2 * T - 1, bits, 1)
        return 0

    def settles(self, side: Side, a: Fraction, T: int, bits: int) -> bool:
        """Whether the one inequality at depth T, hence at every later one, is seen."""
        ends = self.residual(side, a, self.low), self.residual(side, a, self.high)
        return a > 0 and self.decides(side, a, T, bits, max(0, *(-end for end in ends)))

    def encloses(self, low: Fraction, high: Fraction, T: int, bits: int) -> bool:
        """Whether low < alpha_T < high is seen."""
        return self.decides("Above", low, T, bits) and self.decides("Below", high, T, bits)

    def stays_near(self, center: Fraction, epsilon: Fraction, T: int, bits: int) -> bool:
        """Whether |alpha_T' - center| < epsilon center for all T' >= T is seen."""
        low, high = center * (1 - epsilon), center * (1 + epsilon)
        return self.settles("Above", low, T, bits) and self.settles("Below", high, T, bits)

    def gap_between(self, low: Fraction, high: Fraction, bits: int) -> bool:
        """Whether low < E[s/lam] - (E s)^2/E[s lam] < high is seen."""
        mass = sum(w for _, w in self.rows)
        first = sum(v * w for v, w in self.rows)
        second = sum(v * w * (self.den + v) for v, w in self.rows)
        down = sum(w * ((v << bits) // (self.den + v)) for v, w in self.rows)
        up = down + mass

        def over(bound: Fraction) -> int:
            return (mass * bound.numerator * second + first * first * bound.denominator) << bits

        return over(low) < down * low.denominator * second and up * high.denominator * second < over(high)
