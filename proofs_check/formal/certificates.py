"""Certificates: what a run verified of one law, as a Coq file that applies the formal library.

A statement is exported only if its claim was run and decided, and if the integers say so too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from proofs_check.formal.coq import LIBRARY, FormalError
from proofs_check.formal.finite import Side, Table, precision
from reports.results import TheoremResult, Verdict

if TYPE_CHECKING:
    from numerics.laws import Law

Values = Mapping[str, Any]
NARROW = Fraction(1, 10**30)
"""What is added on both sides of a number that is known exactly: statements are strict."""
HEAD = """(* {law}

   Written by proofs-check {version}; python -m proofs_check formal checks it. *)
From Coq Require Import Reals ZArith List.
Import ListNotations.
From {library} Require Import {imports}.
Open Scope R_scope.

(* s = v/{den} with a mass of w in {mass}, for each (v, w); s > 0 lies in [{low}/{den}, {high}/{den}]. *)
Definition atoms : table := (mk_table {den} {low} {high}
  [{rows}])%Z.
Lemma atoms_valid : valid atoms = true.
Proof. computed. Qed.
Definition P : law := finite atoms atoms_valid.
"""
IMPORTS = "Law OneParameter SelfAttention Minimax FiniteLaw Computed Certificates"
TO_A_LINE = 8


@dataclass(frozen=True)
class Statement:
    """A theorem of a certificate: the lemma of the library that it applies ends in a computation."""

    name: str
    statement: str
    lemma: str

    def __str__(self) -> str:
        """As Coq reads it; what is false fails at the last line but one."""
        return (
            f"Theorem {self.name} :\n  {self.statement}.\nProof.\n  apply {self.lemma}.\n  computed.\nQed.\n"
        )


def certificate(law: Law, results: Sequence[TheoremResult], version: str) -> str:
    """The text of a certificate.  Raises NoInstance; FormalError if nothing for it was verified."""
    table = Table.of(law)
    found = [statement for result in results for statement in statements(table, result)]
    if not found:
        raise FormalError("no claim that a certificate can hold was verified")
    rows = [f"({v}, {w})" for v, w in table.rows]
    lines = ["; ".join(rows[i : i + TO_A_LINE]) for i in range(0, len(rows), TO_A_LINE)]
    head = HEAD.format(
        law=_comment(f"{law.kind}: {', '.join(law.texts)}"),
        version=version,
        library=LIBRARY,
        imports=IMPORTS,
        den=table.den,
        low=table.low,
        high=table.high,
        mass=sum(w for _, w in table.rows),
        rows=";\n   ".join(lines),
    )
    return "\n".join([head, *map(str, found)])


def statements(table: Table, result: TheoremResult) -> Iterator[Statement]:
    """What can be stated of a result, in the order of its claims."""
    for claim in result.claims:
        theorem, _, short = claim.id.partition(".")
        write = WRITERS.get(claim.id)
        if write is not None and claim.verdict is write.exports:
            yield from write.statements(f"{theorem}_{short}", table, claim.values)


def _minimiser(name: str, table: Table, values: Values) -> Iterator[Statement]:
    """Lower < alpha_T < upper at each depth."""
    for row in values["alpha_T"]:
        T, low, high = row["T"], Fraction(row["lower"]), Fraction(row["upper"])
        bits = precision(f"{name}_{T}", partial(table.encloses, low, high, T))
        yield Statement(
            f"{name}_{T}",
            f"forall a, minimiser P (depth {T}) a -> {number(low)} < a < {number(high)}",
            f"(alpha_between atoms atoms_valid {bits})",
        )


def _limit(name: str, table: Table, values: Values) -> Iterator[Statement]:
    """alpha* is this number, and alpha_T is near it from T0 on."""
    center, epsilon, T0 = Fraction(values["alpha_star"]), Fraction(values["epsilon"]), values["T0"]
    bits = precision(name, partial(table.stays_near, center, epsilon, T0))
    yield Statement(
        f"{name}_alpha_star", f"alpha_star P = {number(center)}", "(alpha_star_is atoms atoms_valid)"
    )
    yield Statement(
        name,
        f"forall T a, (depth {T0} <= T)%nat -> minimiser P T a ->\n"
        f"    Rabs (a - {number(center)}) < {number(epsilon)} * ({number(center)})",
        f"(alpha_stays_near atoms atoms_valid {bits})",
    )


def _candidate(name: str, table: Table, values: Values) -> Iterator[Statement]:
    """alpha_T does not tend to the candidate: a weight lies between."""
    candidate = Fraction(values["candidate"])
    center = Fraction(2 * table.den, 2 * table.den + table.low + table.high)
    side: Side = "Above" if candidate < center else "Below"
    between = (center + max(candidate, Fraction(0))) / 2
    T0 = 1
    while not any(table.settles(side, between, T0, bits) for bits in (64, 256)):
        T0 *= 2
    bits = precision(name, partial(table.settles, side, between, T0))
    yield Statement(
        name,
        f"~ tends_to P ({number(candidate)})",
        f"(not_the_limit atoms atoms_valid {side} {bits} {between.numerator} {between.denominator}) "
        f"with (T0 := {T0}%positive)",
    )


def _gap(name: str, table: Table, values: Values) -> Iterator[Statement]:
    """The gap of one layer of linear self-attention lies between two fractions."""
    low, high = Fraction(values["gap"]["lower"]), Fraction(values["gap"]["upper"])
    if low == high:
        low, high = low * (1 - NARROW), high * (1 + NARROW)
    bits = precision(name, partial(table.gap_between, low, high))
    yield Statement(
        name, f"{number(low)} < gap P < {number(high)}", f"(gap_is_between atoms atoms_valid {bits})"
    )


def _minimax(name: str, table: Table, values: Values) -> Iterator[Statement]:
    """alpha* is the only weight with the least worst residual, kappa."""
    center, worst = number(Fraction(values["alpha_star"])), number(Fraction(values["worst_case"]))
    yield Statement(
        name,
        f"worst_residual P ({center}) ({worst})\n"
        f"  /\\ forall a w, worst_residual P a w -> a <> {center} -> {worst} < w",
        "(minimax_is atoms atoms_valid)",
    )


@dataclass(frozen=True)
class _Writer:
    statements: Callable[[str, Table, Values], Iterator[Statement]]
    exports: Verdict = Verdict.VERIFIED


WRITERS = {
    "theorem_4_1.gap_positive": _Writer(_gap),
    "theorem_6_2.minimiser_enclosure": _Writer(_minimiser),
    "theorem_6_2.limit": _Writer(_limit),
    "theorem_6_2.candidate": _Writer(_candidate, exports=Verdict.REFUTED),
    "depth_minimax.minimax_weight": _Writer(_minimax),
}
"""By claim."""


def exporting() -> list[str]:
    """The theorems of which a certificate can hold something."""
    return sorted({claim.partition(".")[0] for claim in WRITERS})


def number(value: Fraction) -> str:
    """A fraction as Coq reads it in R, always as one of two integers: 2/7, or a decimal."""
    places, rest = 0, value.denominator
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1 or places < 4 or value < 0:
        return f"{value.numerator}/{value.denominator}"
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _comment(text: str) -> str:
    """Text that a Coq comment can hold."""
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain.replace('"', "'").replace("(*", "( *").replace("*)", "* )")
