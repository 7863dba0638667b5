"""What a statement leaves out is a hypothesis of it: named, printed, and it decides the verdict."""

import inspect

import pytest
from hypothesis import given, settings

from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.engine import claims, hypotheses
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Plan, Run, Settings
from proofs_check.engine.parts import State
from proofs_check.engine.registry import load_theorem, theorem_names
from proofs_check.theorems import theorem_6_2
from reports.results import Evidence, Verdict
from tests.strategies import laws

THEOREMS = [load_theorem(name) for name in theorem_names()]


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_a_claim_needs_hypotheses_of_its_theorem_and_states_those_that_do_not_decide(theorem):
    known = {h.id: h for h in theorem.hypotheses}
    for claim in theorem.claims:
        assert set(claim.needs) <= set(known)
        for need in claim.needs:
            assert known[need].decisive or known[need].statement in claim.statement.partition(": ")[0]
    for h in theorem.hypotheses:
        assert any(h.id in claim.needs for claim in theorem.claims), h.id


def test_no_claim_can_leave_the_verdict_on_its_own():
    """Not applicable comes from a hypothesis alone: there is nothing that a check could raise for it."""
    raised = [name for name, value in vars(claims).items() if inspect.isclass(value)]
    assert not [name for name in raised if issubclass(vars(claims)[name], Exception)]


@pytest.mark.parametrize(
    ("hypothesis", "law", "depths", "holds"),
    [
        (hypotheses.BOUNDED, "chi2(5)", (1,), False),
        (hypotheses.NOT_ZERO, "point(0)", (1,), False),
        (hypotheses.VARIES, "atoms({0: 1/2, 2: 1/2})", (1,), False),
        (hypotheses.BETA_MATTERS, "uniform(1, 4)", (1,), False),
        (hypotheses.BETA_MATTERS, "uniform(1, 4)", (1, 2), True),
        (hypotheses.EVEN_DEPTH, "uniform(1, 4)", (1, 3), False),
        (hypotheses.EVEN_DEPTH, "uniform(1, 4)", (3, 4), True),
        (hypotheses.TWO_VALUES, "atoms({0: 1/3, 1: 1/3, 2: 1/3})", (1,), True),
        (hypotheses.TWO_VALUES, "atoms({1: 1/3, 2: 1/3, 3: 1/3})", (1,), False),
        (hypotheses.TWO_VALUES, "uniform(1, 2)", (1,), False),
        (hypotheses.CONVENTIONS_DIFFER, "uniform(0, 1)", (1,), False),
        (hypotheses.CONVENTIONS_DIFFER, "uniform(1, 4)", (1,), True),
    ],
)
def test_when_a_hypothesis_holds(hypothesis, law, depths, holds):
    found, detail = hypothesis.check(Run(parse_law("squared_norm", law), Settings(depths=depths)))
    assert found is holds
    assert detail


@settings(max_examples=20)
@given(laws())
def test_every_hypothesis_is_decided_for_every_law(law):
    run = Run(law, Settings(depths=(1, 2)))
    for theorem in THEOREMS:
        for h in theorem.hypotheses:
            holds, detail = h.check(run)
            assert isinstance(holds, bool)
            assert detail


@pytest.mark.parametrize(
    ("theorem", "claim", "law", "verdict"),
    [
        ("theorem_6_2", "squared_norm_convention", "uniform(0, 1)", Verdict.NOT_APPLICABLE),
        ("theorem_6_3", "exact_at_finite_depth", "uniform(1, 4)", Verdict.NOT_APPLICABLE),
        ("theorem_6_3", "exact_at_finite_depth", "atoms({1: 1/2, 4: 1/2})", Verdict.VERIFIED),
        ("theorem_4_1", "modalities", "uniform(1, 4)", Verdict.NOT_APPLICABLE),
    ],
)
def test_a_condition_that_the_claim_states(theorem, claim, law, verdict):
    assert verify(theorem, squared_norm=law, claim=claim).verdict is verdict


@pytest.mark.parametrize(
    "claim", [("skip_restores_optimality",), ("embedding_vanishes", "skip_restores_optimality")]
)
def test_a_claim_asked_for_by_name_that_does_not_apply_decides(claim):
    """Beside a claim that it uses, or that is asked for too, and is verified."""
    result = verify("skip_ablation", squared_norm="chi2(5)", depth=1, claim=claim)
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert result.claim("floor_for_all_depths").verdict is Verdict.VERIFIED
    assert verify("skip_ablation", squared_norm="chi2(5)", depth=1).verdict is Verdict.VERIFIED


def test_a_twin_whose_falsehood_is_not_decided_runs_on_its_witness():
    """At 24 bits the floors that tell it from the truth are not found."""
    theorem = load_theorem("skip_ablation")
    variant = next(v for v in theorem.false_variants if v.id == "least_at_depth_one")
    settings = Settings(depths=(1,), max_bits=24)
    plan = Plan(theorem, parse_law("squared_norm", "uniform(0, 3)"), settings, (), (), (variant,))
    found, _ = State(plan).perform(0)
    assert (found.law, found.verdict) == ("uniform(1, 4)", Verdict.INCONCLUSIVE)


def test_a_law_without_signal_has_no_strictly_convex_loss():
    """Beside the hypothesis: the steps see it themselves."""
    record = Record(Evidence.ENCLOSURE)
    theorem_6_2.unique_minimiser(Run(parse_law("squared_norm", "point(0)"), Settings(depths=())), record)
    refuted = [step.statement for step in record.steps if step.verdict is Verdict.REFUTED]
    assert refuted == [
        "$s > 0$ with positive probability",
        "the derivative is negative at 0, positive at 1",
    ]
