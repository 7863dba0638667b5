"""What theorems there are, and what each says: `list` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.context import Plan
from reports.results import SCHEMA_VERSION, Evidence, json_schema
from reports.text import coq
from reports.text.summary import provenance_text, universal_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from proofs_check.engine.claims import Claim, Theorem
    from reports.terminal.explanation import Explanation


def catalogue(theorems: Sequence[Theorem], faulty: Mapping[str, str]) -> dict[str, Any]:
    """Theorems and their claims, families of laws, errors of faulty files, the JSON Schema of results."""
    from numerics.laws import families

    return {
        "schema": SCHEMA_VERSION,
        "theorems": [_entry(theorem) for theorem in theorems],
        "faulty": [{"name": name, "error": error} for name, error in faulty.items()],
        "laws": [{"name": law.name, "example": law.example, "note": law.note} for law in families().values()],
        "json_schema": json_schema(),
    }


def _entry(theorem: Theorem) -> dict[str, Any]:
    return {
        "name": theorem.name,
        "title": theorem.title,
        "source": theorem.source,
        "statement": theorem.statement,
        "provenance": msgspec.to_builtins(theorem.provenance),
        "definitions": theorem.definitions,
        "assumptions": theorem.assumptions,
        "options": sorted(o.name for o in Options.declared() if o.name in theorem.options),
        "default_depths": theorem.default_depths,
        "max_depth": theorem.max_depth,
        "depth_limits": theorem.depth_limits,
        "hypotheses": [{"id": h.id, "statement": h.statement} for h in theorem.hypotheses],
        "claims": [
            {
                "id": f"{theorem.name}.{claim.id}",
                "statement": claim.statement,
                "evidence": claim.weakest,
                "needs": claim.needs,
                "option": claim.option,
                "universal": msgspec.to_builtins(theorem.universal(claim)),
                "provenance": msgspec.to_builtins(claim.provenance),
            }
            for claim in theorem.claims
        ],
        "false_variants": [
            {
                "id": f"{theorem.name}.{variant.id}",
                "claim": f"{theorem.name}.{variant.claim}",
                "statement": variant.statement,
                "witness": variant.witness,
            }
            for variant in theorem.false_variants
        ],
    }


def print_listing(theorems: Sequence[Theorem], faulty: Mapping[str, str]) -> None:
    """Print what `list` shows: statements, options, claims with the evidence they need; families of laws."""
    from rich.console import Group

    from numerics.laws import families
    from reports.terminal.console import block, grid, heading, open_console, section, words
    from reports.text.summary import to_unicode

    console = open_console()
    for theorem in theorems:
        heading(console, theorem.name, theorem.title)
        block(console, to_unicode(theorem.statement))
        for line in _facts(theorem):
            block(console, to_unicode(line), space=False, style="dim")
        console.print()
        rows: list[list[RenderableType]] = []
        for claim in theorem.claims:
            tags = (words(to_unicode(line), "dim") for line in _tags(theorem, claim))
            rows.append([words(claim.id), Group(words(to_unicode(claim.statement)), *tags)])
        width = max(len(claim.id) for claim in theorem.claims)
        grid(console, rows, [width, 0])
        console.print()
    section(
        console,
        "Laws",
        [[words(law.example), words(to_unicode(law.note))] for law in families().values()],
    )
    for name, error in faulty.items():
        console.print(words(f"{name}: cannot be run: {error}", "bold red"))


def _facts(theorem: Theorem) -> Iterator[str]:
    """Where it is from, and its depths."""
    yield theorem.source
    if theorem.default_depths:
        limit = "" if theorem.max_depth is None else f", depth limit: {theorem.max_depth}"
        yield f"depths: {','.join(map(str, theorem.default_depths))} by default{limit}"
    yield from (line.strip() for line in theorem.depth_limits.splitlines() if line.strip())


def _tags(theorem: Theorem, claim: Claim) -> Iterator[str]:
    """What evidence a claim needs, where it is from, for which laws it is argued."""
    only = f", with --{claim.option}" if claim.option else ""
    origin = provenance_text(claim.provenance)
    yield f"{claim.weakest} or stronger{only}{origin and '; '}{origin}"
    if universal := universal_text(theorem.universal(claim)):
        yield f"argument for {universal}"
    yield from (f"in Coq: {coq.carried(checked)}" for checked in coq.further(theorem.universal(claim)))


def explanation(theorem: Theorem) -> Explanation:
    """Statement, hypotheses and proofs; the derivations of symbolic claims come from running them."""
    from proofs_check.engine.runner import run_plan
    from reports.terminal.explanation import ExplainedClaim, Explanation

    whole = make_plan(theorem, Options())
    symbolic = {claim.id for claim in theorem.claims if claim.weakest is Evidence.SYMBOLIC}
    derived = run_plan(Plan.of(theorem, whole.law, whole.settings, symbolic), ["explain", theorem.name])
    steps = {claim.id: claim.steps for claim in derived.claims}
    universal = {claim.id: theorem.universal(claim) for claim in theorem.claims}
    return Explanation(
        title=theorem.title,
        source=theorem.source,
        statement=theorem.statement,
        definitions=theorem.definitions,
        assumptions=theorem.assumptions,
        hypotheses={hypothesis.id: hypothesis.statement for hypothesis in theorem.hypotheses},
        claims=[
            ExplainedClaim(
                id=f"{theorem.name}.{claim.id}",
                statement=claim.statement,
                proof=claim.proof,
                steps=steps.get(f"{theorem.name}.{claim.id}", []),
                holds_for=universal_text(universal[claim.id]),
                checked_by=_checked_by(claim),
                origin=provenance_text(claim.provenance),
                coq=[
                    (coq.carried(checked), coq.laid_out(checked.statement))
                    for found in [universal[claim.id]]
                    for checked in (found.coq if found else ())
                ],
                variants={
                    variant.id: variant.statement
                    for variant in theorem.false_variants
                    if variant.claim == claim.id
                },
            )
            for claim in theorem.claims
        ],
        arguments=theorem.shared_arguments(theorem.claims),
    )


def _checked_by(claim: Claim) -> str:
    """What is computed for the law of a run."""
    if claim.weakest is Evidence.SYMBOLIC:
        return "nothing is left to compute, every step is an identity"
    only = f", with --{claim.option}" if claim.option else ""
    return f"checked by {claim.weakest} or stronger{only}"
