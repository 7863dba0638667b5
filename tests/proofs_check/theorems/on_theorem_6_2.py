"""Theorem 6.2 on a law object, for its test files."""

from __future__ import annotations

from numerics.laws.syntax import parse_law
from proofs_check.engine.context import Plan, Settings
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from reports.results import Verdict

THEOREM = load_theorem("theorem_6_2")
CLAIMS = [claim.id for claim in THEOREM.claims if claim.option is None]
TWINS = ("unsquared_norm", "mean_weight", "without_identity", "half_exponent", "always_minimax")


def on(law, *claims, **options):
    """Some claims on a law object, or all that run without an option of their own."""
    options.setdefault("depths", (1, 2, 5))
    return run_plan(Plan.of(THEOREM, law, Settings(**options), set(claims) or set(CLAIMS)), ["test"])


def verdicts(result):
    return {claim.id.partition(".")[2]: claim.verdict for claim in result.claims}


def twins(result):
    return {variant.id.partition(".")[2]: variant for variant in result.false_variants}


def failed(claim, text="uniform(1, 4)", **options):
    """Statement and verdict of the steps of a claim that do not hold."""
    (found,) = on(parse_law("squared_norm", text), claim, **options).claims
    return {step.statement: step.verdict for step in found.steps if step.verdict is not Verdict.VERIFIED}
