"""Inequalities over a uniform law on integers: what `theory/formal/UniformCertificates.v` computes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from proofs_check.formal import two_parameter
from proofs_check.formal.rounding import power, precision
from proofs_check.formal.uniform_moments import UniformMoments

if TYPE_CHECKING:
    from numerics.laws import Law


@dataclass(frozen=True)
class Uniform:
    """The uniform law on [low/den, high/den], as the library has it."""

    low: int
    high: int
    den: int
    law: Law | None = field(default=None, compare=False, repr=False)

    imports = (
        "Computed Certificates UniformLaw UniformCertificates TwoParameter BandCertificates "
        "Layerwise UniformMoments"
    )

    @classmethod
    def of(cls, law: Law) -> Uniform | None:
        """The instance of a law; None if it is not uniform."""
        from numerics.laws import BetaPiece

        if len(law.components) != 1:
            return None
        piece = law.components[0]
        if not isinstance(piece, BetaPiece) or not piece.a == piece.b == piece.power == 1:
            return None
        low, high = piece.low + piece.shift, piece.high + piece.shift
        den = lcm(low.denominator, high.denominator)
        return cls(int(low * den), int(high * den), den, law)

    def definition(self) -> str:
        """The law P in Coq, once its validity is computed."""
        ends = self._ends()
        return (
            f"(* s is uniform on [{self.low}/{self.den}, {self.high}/{self.den}]. *)\n"
            f"Lemma ends_valid : uniform_ends {ends} = true.\nProof. computed. Qed.\n"
            f"Definition P : law := uniformZ {ends} ends_valid.\n"
        )

    def enclosing(self, statement: str, low: Fraction, high: Fraction, T: int) -> str:
        """The lemma that gives low < alpha_T < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, partial(self.encloses, low, high, T))
        return f"(uniform_alpha_between {self._ends()} ends_valid {bits})"

    def near(self, statement: str, center: Fraction, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |alpha_T' - center| < epsilon center for all T' >= T.  Raises FormalError."""
        bits = precision(statement, partial(self.stays_near, center, epsilon, T))
        return f"(uniform_alpha_stays_near {self._ends()} ends_valid {bits})"

    def star(self) -> str:
        """The lemma that gives alpha*."""
        return f"(uniform_alpha_star {self._ends()} ends_valid)"

    def apart(self, statement: str, candidate: Fraction) -> str:
        """The lemma that gives that alpha_T does not tend to the candidate."""
        return f"(uniform_not_the_limit {self._ends()} ends_valid)"

    def minimax(self) -> str:
        """The lemma that gives the minimax weight and the worst residual."""
        return f"(uniform_minimax_is {self._ends()} ends_valid)"

    def gap(self, statement: str, low: Fraction, high: Fraction) -> str:
        """The lemma that gives low < gap < high.  Raises FormalError if the integers do not say so."""
        bits = precision(statement, partial(self.moments.gap_between, low, high))
        return f"(uniform_gap_between {self._ends()} ends_valid {bits} {self.moments.terms(bits)})"

    def least_excess(self, statement: str, low: Fraction, high: Fraction, T: int) -> str:
        """The lemma that gives low < e_T < high.  Raises FormalError if the integers do not say so."""
        coefficients = self.moments.best_residual(T)
        bits = precision(statement, partial(self.moments.least_between, coefficients, low, high))
        numbers = f"{bits} {self.moments.terms(bits)} {lcm(*range(1, 2 * T + 2))}"
        return (
            f"(uniform_least_excess_between {self._ends()} ends_valid {numbers}\n"
            f"    [{'; '.join(map(str, coefficients))}]%Z)"
        )

    def two_parameter(self, statement: str, epsilon: Fraction, T: int) -> str:
        """The lemma that gives |beta + alpha*|, |alpha - alpha*| < epsilon alpha* for all T' >= T.

        Raises FormalError if the integers do not say so.
        """
        return two_parameter.near(self, statement, epsilon, T)

    @property
    def moments(self) -> UniformMoments:
        """Of X = den lam."""
        return UniformMoments(self.den, self.den + self.low, self.den + self.high)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of lam."""
        return Fraction(self.den + self.low, self.den), Fraction(self.den + self.high, self.den)

    def band_lemma(self, bits: int) -> str:
        """The lemma of `two_parameter`, but for the numbers of the band."""
        return f"uniform_two_parameter_stays_near {self._ends()} ends_valid {bits} {self.moments.terms(bits)}"

    def scale_up(self, bits: int) -> Fraction:
        """E[s/lam], rounded up."""
        return self.moments.scale(bits)[1]

    def share(self, low: Fraction, high: Fraction, bits: int) -> Fraction:
        """E[s/lam; low <= lam <= high], rounded down."""
        return self.moments.share(low, high, bits)

    def encloses(self, low: Fraction, high: Fraction, T: int, bits: int) -> bool:
        """Whether low < alpha_T < high is seen."""
        (first, last), (first_, last_) = self._residuals(low), self._residuals(high)
        return (
            low > 0
            and self._falls(low, T, [last], [first], bits)
            and self._falls(high, T, [first_], [last_], bits)
        )

    def stays_near(self, center: Fraction, epsilon: Fraction, T: int, bits: int) -> bool:
        """Whether |alpha_T' - center| < epsilon center for all T' >= T is seen."""
        low, high = center * (1 - epsilon), center * (1 + epsilon)
        return low > 0 and self.settles(low, T, 1, bits) and self.settles(high, T, -1, bits)

    def settles(self, a: Fraction, T: int, turn: int, bits: int) -> bool:
        """Whether the one inequality at depth T is seen, for a below alpha* (turn 1) or above (-1)."""
        near, far = self._residuals(a)[::turn]
        if turn * far >= 0:
            return turn * near > 0
        return -turn * far <= turn * near and self._falls(a, T, [far, -far], [near], bits)

    def _ends(self) -> str:
        return f"{self.low} {self.high} {self.den}"

    def _residuals(self, a: Fraction) -> tuple[int, int]:
        """1 - a lam at both ends, over the denominator of a and den."""
        p, q, d = a.numerator, a.denominator, self.den
        return q * d - p * (d + self.low), q * d - p * (d + self.high)

    def _falls(self, a: Fraction, T: int, plus: list[int], minus: list[int], bits: int) -> bool:
        """Whether the primitive of s (1 - a lam)^(2T-1) is seen to be larger at the residuals `plus`.

        It is r^(2T) (2T r - (2T+1)(1-a)), a negative factor taken out; r over the largest |r|.
        """
        rest = (2 * T + 1) * (a.denominator - a.numerator) * self.den
        terms = [(sign * (2 * T * r - rest), abs(r)) for sign, rs in ((1, plus), (-1, minus)) for r in rs]
        largest = max(r for _, r in terms)
        if largest == 0:
            return False
        total = 0
        for weight, r in terms:
            up = int(weight < 0)
            total += weight * power((r << bits) // largest + up, 2 * T, bits, up)
        return total > 0
