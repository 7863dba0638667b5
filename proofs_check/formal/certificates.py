"""Certificates: what a run verified of one law, as a Coq file that applies the formal library.

A statement is exported only if its claim was run and decided, and if the integers say so too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from proofs_check.formal.components import Components
from proofs_check.formal.coq import LIBRARY, FormalError
from proofs_check.formal.finite import Table
from reports.results import TheoremResult, Verdict

if TYPE_CHECKING:
    from numerics.laws import Law

Values = Mapping[str, Any]
Instance = Table | Components
NARROW = Fraction(1, 10**30)
"""What is added on both sides of a number that is known exactly: statements are strict."""
HEAD = """(* {law}

   Written by proofs-check {version}; python -m proofs_check formal checks it. *)
From Coq Require Import Reals ZArith QArith List.
Import ListNotations.
From {library} Require Import Law OneParameter SelfAttention Minimax.
From {library} Require Import {imports}.
Open Scope R_scope.

{definition}"""


@dataclass(frozen=True)
class Statement:
    """A theorem of a certificate: the lemma of the library that it applies ends in a computation."""

    name: str
    statement: str
    lemma: str

    def __str__(self) -> str:
        """As Coq reads it; what is false fails at the last line."""
        return (
            f"Theorem {self.name} :\n  {self.statement}.\nProof.\n  apply {self.lemma}.\n  computed.\nQed.\n"
        )


class NoInstance(FormalError):
    """The formal library has no instance for a law."""


def instance_of(law: Law) -> Instance:
    """The law as the formal library has it.  Raises NoInstance."""
    found = Table.of(law) or Components.of(law)
    if found is None:
        raise NoInstance(
            "the formal library has no instance for this law; it has for atoms, for densities of s that are "
            "polynomials (s - low)^i (high - s)^j, and for mixtures of these, with a mass at s > 0"
        )
    return found


def certificate(law: Law, results: Sequence[TheoremResult], version: str) -> str:
    """The text of a certificate.  Raises NoInstance; FormalError if nothing for it was verified."""
    instance = instance_of(law)
    found = [statement for result in results for statement in statements(instance, result)]
    if not found:
        raise FormalError("no claim that a certificate can hold was verified")
    head = HEAD.format(
        law=_comment(f"{law.kind}: {', '.join(law.texts)}"),
        version=version,
        library=LIBRARY,
        imports=instance.imports,
        definition=instance.definition(),
    )
    return "\n".join([head, *map(str, found)])


def statements(instance: Instance, result: TheoremResult) -> Iterator[Statement]:
    """What can be stated of a result, in the order of its claims."""
    several = result.law.kind == "modalities"
    for claim in result.claims:
        if claim.id == "theorem_4_1.gap_positive" and several:
            continue  # It is of the best matrix; the library's is of the best scalar.
        if claim.id in WRITERS and claim.verdict is EXPORTED.get(claim.id, Verdict.VERIFIED):
            yield from WRITERS[claim.id](claim.id.replace(".", "_"), instance, claim.values)


def exporting(claims: Collection[str]) -> list[str]:
    """The theorems that these claims belong to."""
    return sorted({claim.partition(".")[0] for claim in claims})


def _minimiser(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """Lower < alpha_T < upper at each depth."""
    for row in values["alpha_T"]:
        T, low, high = row["T"], Fraction(row["lower"]), Fraction(row["upper"])
        yield Statement(
            f"{name}_{T}",
            f"forall a, minimiser P (depth {T}) a -> {number(low)} < a < {number(high)}",
            instance.enclosing(f"{name}_{T}", low, high, T),
        )


def _limit(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """alpha* is this number, and alpha_T is near it from T0 on."""
    center, epsilon, T0 = Fraction(values["alpha_star"]), Fraction(values["epsilon"]), values["T0"]
    yield Statement(f"{name}_alpha_star", f"alpha_star P = {number(center)}", instance.star())
    yield Statement(
        name,
        f"forall T a, (depth {T0} <= T)%nat -> minimiser P T a ->\n"
        f"    Rabs (a - {number(center)}) < {number(epsilon)} * ({number(center)})",
        instance.near(name, center, epsilon, T0),
    )


def _candidate(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """alpha_T does not tend to the candidate."""
    candidate = Fraction(values["candidate"])
    yield Statement(name, f"~ tends_to P ({number(candidate)})", instance.apart(name, candidate))


def _gap(key: str, name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """The gap of one layer of linear self-attention with M = c I lies between two fractions."""
    low, high = Fraction(values[key]["lower"]), Fraction(values[key]["upper"])
    if low == high:
        low, high = low * (1 - NARROW), high * (1 + NARROW)
    yield Statement(name, f"{number(low)} < gap P < {number(high)}", instance.gap(name, low, high))


def _two_parameter_limit(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """Every minimiser (alpha, beta) is near (alpha*, -alpha*) from T0 on."""
    center, epsilon = Fraction(values["alpha_star"]), Fraction(values["epsilon"])
    star = f"{center.numerator}/{center.denominator}"
    within = f"< {epsilon.numerator}/{epsilon.denominator} * ({star})"
    yield Statement(f"{name}_alpha_star", f"alpha_star P = {star}", instance.star())
    yield Statement(
        name,
        f"forall T alpha beta, (depth {values['T0']} <= T)%nat -> minimiser2 P T alpha beta ->\n"
        f"    Rabs (beta + {star}) {within} /\\ Rabs (alpha - {star}) {within}",
        instance.two_parameter(name, epsilon, values["T0"]),
    )


def _least_excess(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """e_T lies between two fractions, at the depths where it is not 0."""
    for row in values["e_T"]:
        T, low, high = row["T"], Fraction(row["lower"]), Fraction(row["upper"])
        if low == high:
            low, high = low * (1 - NARROW), high * (1 + NARROW)
        lemma = instance.least_excess(f"{name}_{T}", low, high, T)
        if lemma is not None:
            yield Statement(
                f"{name}_{T}",
                f"forall e, least_excess P (depth {T}) e -> {number(low)} < e < {number(high)}",
                lemma,
            )


def _minimax(name: str, instance: Instance, values: Values) -> Iterator[Statement]:
    """alpha* is the only weight with the least worst residual, kappa."""
    center, worst = number(Fraction(values["alpha_star"])), number(Fraction(values["worst_case"]))
    yield Statement(
        name,
        f"worst_residual P ({center}) ({worst})\n"
        f"  /\\ forall a w, worst_residual P a w -> a <> {center} -> {worst} < w",
        instance.minimax(),
    )


WRITERS: Mapping[str, Callable[[str, Any, Values], Iterator[Statement]]] = {
    "theorem_4_1.gap_positive": partial(_gap, "gap"),
    "theorem_4_1.modalities": partial(_gap, "scalar_gap"),
    "theorem_6_2.minimiser_enclosure": _minimiser,
    "theorem_6_2.limit": _limit,
    "theorem_6_2.candidate": _candidate,
    "theorem_6_3.limit": _two_parameter_limit,
    "layerwise.best_depth_T": _least_excess,
    "depth_minimax.minimax_weight": _minimax,
}
"""By claim."""
EXPORTED = {"theorem_6_2.candidate": Verdict.REFUTED}
"""The verdict that is exported, where it is not `verified`."""


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
