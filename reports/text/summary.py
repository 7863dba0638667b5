"""The sentences that every form of a result shares: its law, its numbers, its closing verdict."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from reports.results import (
    Basis,
    ClaimResult,
    FalseVariantResult,
    LawRecord,
    Origin,
    Provenance,
    RunResult,
    TheoremResult,
    Universal,
    Verdict,
    rational,
)
from reports.text.marked import Kind, Piece, pieces, plain, visible

NOT_PROVED = "Not proved here"
"""The heading over the assumptions, wherever they are listed."""
MAX_TEXT = 160
MAX_DIGITS, SHOWN_DIGITS = 80, 20
_OUTPUTS = {"--json", "--junit", "--report", "--report-style", "--csv", "--plot", "--certificate"}

_SUBJECTS = {
    "squared_norm": ("‖m‖²",),
    "norm": ("‖m‖",),
    "factors": tuple(f"s_{j}" for j in range(1, 100)),
}


def theorems(result: TheoremResult | RunResult) -> list[TheoremResult]:
    """The results of single theorems in it."""
    return result.theorems if isinstance(result, RunResult) else [result]


def short_id(id: str) -> str:
    """A claim's id without its theorem."""
    return id.partition(".")[2] or id


def shorten(text: str, length: int = MAX_TEXT) -> str:
    """`text` with its middle left out if it is too long to print; a law may name thousands of atoms."""
    if len(text) <= length:
        return text
    return f"{text[: length // 2]} ... {text[-length // 4 :]} ({len(text)} characters)"


def law_name(text: str) -> str:
    """The text of a law; many atoms by their number."""
    atoms = re.fullmatch(r"atoms\(\{(.*)\}\)", text)
    if atoms is None or len(text) <= MAX_TEXT:
        return shorten(text)
    return f"atoms at {atoms[1].count(':')} points"


def without_outputs(command: Sequence[str], outputs: Mapping[str, str]) -> str:
    """A command line as one repeats it: not where its results went, nor how much of them was shown."""
    named = {"--report-style", *(f"--{name}" for name in outputs)}
    words, rest = [], iter(command)
    for word in rest:
        if word in named:
            next(rest, None)
        elif word.partition("=")[0] not in named and word not in {"--quiet", "--debug"}:
            words.append(word)
    return " ".join(words)


def shorten_numbers(text: str) -> str:
    """`text` with the middle of numbers left out that have more digits than anybody reads."""

    def short(match: re.Match[str]) -> str:
        digits = match[0]
        return f"{digits[:SHOWN_DIGITS]}...{digits[-4:]} ({len(digits)} digits)"

    return re.sub(rf"\d{{{MAX_DIGITS},}}", short, text)


def showable(text: str, encoding: str | None) -> str:
    """The text without control characters, its mathematics spelled out if the encoding lacks its letters."""
    if encoding is not None and not encoding.lower().startswith("utf"):
        from reports.text.spelling import shows_mathematics, spelled_out

        if not shows_mathematics(encoding):
            text = spelled_out(text)
    return visible(text)


def to_unicode(text: str) -> str:
    """A marked text on one line, spaces collapsed; the first formula loads the tables of `unicode_math`."""
    return visible(" ".join("".join(map(_in_unicode, pieces(text))).split()))


def _in_unicode(piece: Piece) -> str:
    if piece.kind is Kind.FORMULA:
        from reports.text.unicode_math import formula_to_unicode

        return formula_to_unicode(piece.text)
    return f"`{piece.text}`" if piece.kind is Kind.CODE else piece.text


def law_text(law: LawRecord) -> str:
    """``‖m‖² ~ uniform(1, 4)``."""
    subjects = _SUBJECTS.get(law.kind, ("s",) * len(law.texts))
    if law.kind == "modalities":
        several = tuple(f"‖v_{i}‖²" for i in range(1, len(law.texts) + 1))
        subjects = ("‖v‖²", "‖r‖²") if len(law.texts) == 2 else several
    return ", ".join(
        f"{subject} ~ {shorten(text)}" for subject, text in zip(subjects, law.texts, strict=False)
    )


def ran_on(kind: str, texts: Sequence[str]) -> str:
    """The law as false variants name the one that they were run on: ``uniform(1, 4)``, ``norm point(2)``."""
    if kind == "factors":
        return f"factors {', '.join(texts)}"
    return " + ".join(texts) if kind != "norm" else f"norm {texts[0]}"


def support_text(law: LawRecord) -> str:
    """The number of values observed, if any; the ends of the support of s over {s > 0}; any mass at 0."""
    facts = [f"{number} values" for number in law.observed]
    if law.m_lo is None:
        return ", ".join([*facts, "s = 0 almost surely"])
    facts += [
        f"m_lo = {shorten(law.m_lo)}",
        "unbounded" if law.m_hi is None else f"m_hi = {shorten(law.m_hi)}",
    ]
    if law.mass_at_zero != "0":
        facts.append(f"ℙ(s = 0) = {shorten(law.mass_at_zero)}")
    return ", ".join(facts)


def seconds_text(seconds: float) -> str:
    """Three digits are enough for a time."""
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def command_text(words: Sequence[str]) -> str:
    """The command that gives the same result, as one would type it: without the files that it wrote."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name not in _OUTPUTS:
            kept.append(word)
        elif not value:
            next(rest, None)
    return shlex.join(["python", "-m", "proofs_check", *kept])


def survivors(result: TheoremResult) -> list[FalseVariantResult]:
    """The false variants not refuted: each is a check that failed to see an error, or did not look."""
    return [variant for variant in result.false_variants if variant.verdict is not Verdict.REFUTED]


def closing_line(result: TheoremResult | RunResult) -> str:
    """The verdict in one sentence, with what decided it; a marked text."""
    if isinstance(result, TheoremResult):
        return f"{_verdict_clause(result)}{_variant_clause([result])}."
    counts = Counter(theorem.verdict for theorem in result.theorems)
    listing = ", ".join(f"{counts[verdict]} {word(verdict)}" for verdict in Verdict if counts[verdict])
    subject = "All theorems" if result.complete else "Interrupted, not all theorems"
    parts = [theorem for theorem in result.theorems if theorem.partial]
    some = f"; partial: {', '.join(theorem.theorem for theorem in parts)}" if parts else ""
    counted = f"({listing or 'none was run'}{some})"
    return f"{subject}: {word(result.verdict)} {counted}{_variant_clause(result.theorems)}."


def extent(result: TheoremResult | RunResult) -> str:
    """How much was run, where that is not all: ``partial: 1 of 8 claims``."""
    notes = [] if result.complete else ["interrupted"]
    if result.partial and isinstance(result, TheoremResult):
        notes.append(f"partial: {len(result.claims)} of {result.claims_in_all} claims")
    elif result.partial:
        notes.append("partial")
    return ", ".join(notes)


def word(verdict: Verdict) -> str:
    """The verdict as a reader's word."""
    return verdict.value.replace("_", " ")


def decided(claim: ClaimResult) -> str:
    """The number or sentence that decided the claim, else what its last step found."""
    return claim.summary or claim.figure or (claim.steps[-1].detail if claim.steps else "")


def evidence(claim: ClaimResult) -> str:
    """The kind of evidence that decides; with that of weaker steps which only cross-check it."""
    if claim.decided_by in (None, claim.kind):
        return claim.kind or ""
    return f"{claim.decided_by}; {claim.kind} check"


def universal_text(universal: Universal | None) -> str:
    """For which laws the argument holds: ``every bounded law, in prose: the one-inequality argument``."""
    if universal is None:
        return ""
    by = {
        Basis.SYMBOLIC: "by computer algebra",
        Basis.PROSE: "in prose",
        Basis.FORMAL: f"in Coq ({universal.theorem})",
    }[universal.by]
    return f"{universal.laws}, {by}" + (f": {universal.argument}" if universal.argument else "")


def scope(claim: ClaimResult) -> list[str]:
    """What the claim's argument is for, and by what; then by what this law was checked."""
    parts = []
    if universal := claim.universal:
        by = {
            Basis.SYMBOLIC: "computer algebra",
            Basis.PROSE: "in prose",
            Basis.FORMAL: f"Coq ({universal.theorem})",
        }[universal.by]
        parts.append(f"{universal.laws}: {by}")
    if claim.kind is not None and not (universal and universal.by is Basis.SYMBOLIC):
        parts.append(f"this law: {evidence(claim).replace('; ', ', ')}")
    return parts


def stated_by(provenance: Provenance | None) -> str:
    """Whose statement it is, in a word; empty where that is not said."""
    if provenance is None:
        return ""
    return "package" if provenance.kind is Origin.DERIVED else "paper"


def provenance_text(provenance: Provenance | None) -> str:
    """Where a statement comes from, in words; empty where that is not said."""
    if provenance is None:
        return ""
    place = f"{provenance.number} of the paper" if provenance.number else "the paper"
    text = {
        Origin.QUOTED: f"quoted: {place}, version {provenance.version}",
        Origin.SUMMARY: f"{place}, as a published summary of it says",
        Origin.DERIVED: "derived here",
    }[provenance.kind]
    return f"{text}; {provenance.note}" if provenance.note else text


def depths_text(result: TheoremResult) -> str:
    """The depths at which anything was computed, from the series: ``1:4, 8``; empty without any."""
    tables = [table for claim in result.claims for table in claim.series.values() if "T" in table.columns]
    cells = {str(row[table.columns.index("T")]) for table in tables for row in table.rows}
    depths = sorted({int(rational(cell)) for cell in cells})
    # Consecutive depths have the same distance to their position.
    runs = [list(run) for _, run in groupby(enumerate(depths), lambda pair: pair[1] - pair[0])]
    texts = [[f"{depth}" for _, depth in run] for run in runs]
    return ", ".join(f"{text[0]}:{text[-1]}" if len(text) > 2 else ", ".join(text) for text in texts)


def _verdict_clause(result: TheoremResult) -> str:
    law = plain(law_text(result.law))
    name = result.theorem + (f" ({extent(result)})" if extent(result) else "")
    if result.verdict is Verdict.NOT_APPLICABLE:
        failed = [
            hypothesis for hypothesis in result.hypotheses if hypothesis.decisive and not hypothesis.holds
        ]
        reasons = "; ".join(f"hypothesis {h.id} fails ({h.detail})" for h in failed) or "no claim applies"
        refuted = [short_id(claim.id) for claim in result.claims if claim.verdict is Verdict.REFUTED]
        besides = f"; refuted all the same: {', '.join(refuted)}" if refuted else ""
        return f"{name} does not apply to {law}: {reasons}{besides}"
    if not result.claims:
        return f"{name} is {word(result.verdict)} for {law}: no claim was run"
    counts = Counter(claim.verdict for claim in result.claims)
    listing = ", ".join(f"{counts[verdict]} {word(verdict)}" for verdict in Verdict if counts[verdict])
    deciding = [short_id(claim.id) for claim in result.claims if claim.verdict is result.verdict]
    named = f" by {', '.join(deciding)}" if deciding and result.verdict is not Verdict.VERIFIED else ""
    asked = [claim for claim in result.claims if claim.verdict is result.verdict]
    if result.verdict is Verdict.REFUTED and all(claim.option == "candidate" for claim in asked):
        number = plain(shorten(str(asked[0].values.get("candidate", "given")), 40))
        return (
            f"{name}: the candidate {number} is refuted for {law}: {decided(asked[0])}; "
            f"no claim of the theorem is (claims: {listing})"
        )
    return f"{name} is {word(result.verdict)}{named} for {law} (claims: {listing})"


def variants_text(results: Sequence[TheoremResult]) -> str:
    """What became of the false variants; empty where none was run."""
    variants = [variant for result in results for variant in result.false_variants]
    if not variants:
        return ""
    standing = [variant.id for result in results for variant in survivors(result)]
    if standing:
        return f"false variants not refuted: {', '.join(standing)}"
    refuted = sum(variant.verdict is Verdict.REFUTED for variant in variants)
    return f"{refuted} of {len(variants)} false variants refuted"


def _variant_clause(results: Sequence[TheoremResult]) -> str:
    return f"; {text}" if (text := variants_text(results)) else ""
