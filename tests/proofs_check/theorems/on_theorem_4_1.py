"""Theorem 4.1 on a law object, for its test files."""

from fractions import Fraction

from proofs_check.engine.context import Plan, Settings
from proofs_check.engine.registry import load_theorem
from proofs_check.engine.runner import run_plan
from reports.results import Verdict

THEOREM = load_theorem("theorem_4_1")
LAW_CLAIMS = ("gap_positive", "sharp_condition", "modalities", "gap_family")
PAIR = ("uniform(0, 1)", "beta(2, 1/2)")
VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, NOT_APPLICABLE = Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE


def on(law, *claims):
    """The theorem, or some claims, on a law object."""
    return run_plan(
        Plan.of(THEOREM, law, Settings(), set(claims) or {c.id for c in THEOREM.claims}), ["test"]
    )


def verdicts(result):
    return {claim.id.partition(".")[2]: claim.verdict for claim in result.claims}


def enclosed(number):
    return Fraction(number["lower"]), Fraction(number["upper"])
