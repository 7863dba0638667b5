"""Steps that hold for every law are seen to fail where what they are given is wrong.

A wrong number is planted in the memory of a run, or a law checked that the claim's hypotheses exclude.
"""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb

import numerics
import theory
from numerics.errors import NumericsError
from numerics.self_attention.best_layer import EnclosedRisk
from numerics.simulation.finite_optimum import DepthTwo
from numerics.two_parameter.minimum import WEIGHT_DIGITS
from numerics.two_parameter.starts import StartOutcomes
from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.registry import load_theorem
from proofs_check.theorems import _finite_context as finite_context
from proofs_check.theorems import _one_parameter_steps as one_parameter_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _single_layer as single_layer
from proofs_check.theorems import _two_parameter as two_parameter
from proofs_check.theorems import _two_parameter_steps as two_parameter_steps
from reports.results import Evidence, Verdict

F = Fraction
UNIFORM = "uniform(1, 4)"


def prepare(theorem, **options):
    plan = make_plan(load_theorem(theorem), Options(**options))
    return Run(plan.law, plan.settings)


def failing(theorem, claim, run):
    """The statements of the claim's steps that do not hold, and their verdicts."""
    check = next(part for part in load_theorem(theorem).claims if part.id == claim)
    record = Record(check.weakest)
    try:
        check.check(run, record)
    except NumericsError:
        assert record.steps
    return {step.statement: step.verdict for step in record.steps if step.verdict is not Verdict.VERIFIED}


def test_a_distance_that_is_not_positive(monkeypatch):
    right = theory.covariate_shift.mean_square_distance()
    wrong = replace(right, isotropic=0 * right.isotropic)
    monkeypatch.setattr(theory.covariate_shift, "mean_square_distance", lambda: wrong)
    run = prepare("latent_factor_model", squared_norm=UNIFORM)
    assert failing("latent_factor_model", "covariate_shift", run) == {
        "positive for this law, $d = 2$": Verdict.REFUTED
    }


def test_a_law_without_norm_has_no_unique_minimiser():
    """Its hypothesis keeps this law from the claim."""
    run = prepare("theorem_6_2", squared_norm="point(0)")
    run.settings = replace(run.settings, depths=())
    found = failing("theorem_6_2", "unique_minimiser", run)
    assert found["$s > 0$ with positive probability"] is Verdict.REFUTED
    assert found["the derivative is negative at 0, positive at 1"] is Verdict.REFUTED


def exchange(run, layers):
    """The best scalar in place of the best M, and the other way round."""
    layer = layers(run)
    layer.best, layer.scalar = layer.scalar, layer.best


def test_a_scalar_that_is_better_than_the_best_layer():
    options = {"modalities": (UNIFORM, "point(1)")}
    run = prepare("theorem_4_1", **options)
    exchange(run, single_layer.layer)
    assert failing("theorem_4_1", "modalities", run)["at least as good as the best scalar"] is Verdict.REFUTED
    run = prepare("depth_minimax", **options)
    exchange(run, single_layer.layer)
    assert failing("depth_minimax", "depth_is_needed", run) == {
        "no scalar $M$ is better than the best $M$": Verdict.REFUTED,
        "the enclosures of the excess at $T = 1$ and of that of the best scalar $M$ overlap": Verdict.REFUTED,
    }


def test_a_gap_of_0():
    run = prepare("theorem_4_1", squared_norm=UNIFORM)
    single_layer.layer(run).gap = EnclosedRisk(arb(0, 1), 64)
    assert failing("theorem_4_1", "sharp_condition", run) == {}, "a density has no exact gap"
    run = prepare("theorem_4_1", modalities=("atoms({1: 1/2, 4: 1/2})", "point(1)"))
    single_layer.layer(run).gap = EnclosedRisk(F(0), None)
    assert failing("theorem_4_1", "sharp_condition", run) == {"the gap of this law is not 0": Verdict.REFUTED}
    assert failing("theorem_4_1", "modalities", run) == {"still above the Bayes risk": Verdict.REFUTED}


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [(EnclosedRisk(F(0), None), Verdict.REFUTED), (EnclosedRisk(arb(0, 1), 64), Verdict.INCONCLUSIVE)],
)
def test_a_gap_that_is_not_positive_needs_no_depth(gap, verdict):
    run = prepare("depth_minimax", squared_norm=UNIFORM)
    single_layer.layer(run).gap = gap
    assert failing("depth_minimax", "depth_is_needed", run)["the gap is positive"] is verdict


def test_a_depth_that_is_too_small_for_the_bound(monkeypatch):
    right = numerics.one_parameter.rate.depth_below
    monkeypatch.setattr(numerics.one_parameter.rate, "depth_below", lambda *args: right(*args) - 1)
    found = failing("depth_minimax", "depth_is_needed", prepare("depth_minimax", squared_norm=UNIFORM))
    assert list(found.values()) == [Verdict.REFUTED]
    assert next(iter(found)).startswith(r"$\mathbb{E}[s/\lambda] \kappa^{2T} < \mathrm{gap}/100$ at $T_1")


def minimum_steps(run, T):
    record = Record(Evidence.ENCLOSURE)
    two_parameter_steps.check_minimum(run, record, T)
    return {step.statement.partition(", $T =")[0]: step.verdict for step in record.steps}


@pytest.mark.parametrize(
    ("other", "verdict"),
    [(F(1), Verdict.VERIFIED), (F(0), Verdict.REFUTED), (arb(0, 1), Verdict.INCONCLUSIVE)],
)
def test_another_minimum_that_is_deeper(monkeypatch, other, verdict):
    """The saddle is taken for a minimum, with a loss that is not its own."""
    run, T = prepare("theorem_6_3", squared_norm=UNIFORM), 4
    profile, right = two_parameter.profile(run, T), two_parameter.enclosed(run, T)
    saddle = next(point for point in profile.critical_points if point.kind == "saddle")
    monkeypatch.setattr(two_parameter, "minima", lambda run, T: profile.critical_points)
    run.memory[two_parameter.enclosed_at, T, saddle.beta.low, WEIGHT_DIGITS] = replace(right, excess=other)
    assert minimum_steps(run, T)["the loss is no larger than at the other minimum"] is verdict


def test_a_minimum_that_the_flow_is_not_shown_to_reach():
    run, T = prepare("theorem_6_3", squared_norm=UNIFORM), 4
    run.memory[two_parameter.reached, T] = replace(two_parameter.reached(run, T), proved=False)
    unproved = [step for step, verdict in minimum_steps(run, T).items() if verdict is Verdict.INCONCLUSIVE]
    assert unproved == [r"the flow from the one-parameter minimiser $(\alpha, -\alpha)$ reaches it"]


def test_the_curvatures_have_to_be_known():
    run, T = prepare("theorem_6_3", squared_norm=UNIFORM), 4
    right = two_parameter.enclosed(run, T)
    definite = "of the critical points of the plane, all isolated, this one is positive definite"
    low = two_parameter.reached(run, T).basin.minimum.beta.low
    key = two_parameter.enclosed_at, T, low, WEIGHT_DIGITS
    for curvatures, verdict in [
        ((arb(1), arb(0, 1)), Verdict.INCONCLUSIVE),
        ((arb(0, 1), arb(1)), Verdict.INCONCLUSIVE),
        ((arb(1), arb(-1)), Verdict.REFUTED),
        ((arb(-1), arb(1)), Verdict.REFUTED),
    ]:
        run.memory[key] = replace(right, curvatures=curvatures)
        assert minimum_steps(run, T)[definite] is verdict


def test_a_minimum_that_is_no_better_than_infinity():
    run, T = prepare("theorem_6_3", squared_norm=UNIFORM), 4
    profile = two_parameter.profile(run, T)
    vars(profile)["gain_at_infinity"] = profile.best_gain(F(-2, 7))
    assert minimum_steps(run, T)[r"the loss is larger where $\beta$ tends to infinity"] is Verdict.VERIFIED
    vars(profile)["gain_at_infinity"] = F(10)
    assert minimum_steps(run, T)[r"the loss is larger where $\beta$ tends to infinity"] is Verdict.REFUTED


@pytest.mark.parametrize(
    ("reach", "verdict"), [((F(1, 100), F(1, 100)), Verdict.REFUTED), ((0, F(1, 100)), Verdict.INCONCLUSIVE)]
)
def test_an_enclosure_of_another_root(reach, verdict):
    """Beside the interval that was isolated, or reaching out of it."""
    run, T = prepare("theorem_6_3", squared_norm=UNIFORM), 4
    right = two_parameter.enclosed(run, T)
    low = two_parameter.reached(run, T).basin.minimum.beta.low
    key = two_parameter.enclosed_at, T, low, WEIGHT_DIGITS
    run.memory[key] = replace(right, beta=tuple(end + by for end, by in zip(right.beta, reach, strict=True)))
    found = minimum_steps(run, T)
    agree = r"$\alpha$, $\alpha + \beta$ and the excess agree with the rational $N/D$ and $C - N^2/D$"
    agree += ", to 9 digits"
    assert found[r"the sign change of $R$ that encloses $\beta_T$ is the isolated one"] is verdict
    assert found[agree] is Verdict.REFUTED


@pytest.mark.parametrize(
    ("proved", "integrated", "verdict"),
    [
        (["converged"], ["escaped"], Verdict.INCONCLUSIVE),
        (["converged"], [None], Verdict.INCONCLUSIVE),
        ([None], ["escaped"], Verdict.VERIFIED),
    ],
)
def test_a_flow_that_ends_elsewhere(proved, integrated, verdict):
    """Integration is no proof: it refutes nothing, and is not needed where nothing is proved."""
    record = Record(Evidence.NUMERIC)
    two_parameter_steps.check_agreement(
        record, StartOutcomes([(F(0), F(0))], proved, integrated, None), "a start", 2
    )
    assert record.verdict is verdict


def test_a_loss_that_depends_on_beta_at_depth_one(monkeypatch):
    run, right = (
        prepare("theorem_6_3", squared_norm=UNIFORM, depth="1:2"),
        numerics.two_parameter.profile.Profile.of,
    )
    monkeypatch.setattr(numerics.two_parameter.profile.Profile, "of", lambda law, T: right(law, 2))
    found = failing("theorem_6_3", "critical_point_enclosure", run)
    statement = r"$T = 1$ is degenerate: the loss does not depend on $\beta$, and its minimisers form a line"
    assert found == {statement: Verdict.REFUTED}


def test_an_excess_above_its_bounds():
    run = prepare("theorem_6_3", squared_norm=UNIFORM, depth="4")
    quantities.excess(run, 4)
    run.memory[quantities.excess, 4] = arb(1e-30), 64
    assert failing("theorem_6_3", "bayes_optimal", run) == {
        "the excess is at most the one-parameter excess, $T = 4$": Verdict.REFUTED
    }


@pytest.mark.parametrize("theorem", ["theorem_6_2", "theorem_6_3"])
def test_an_excess_above_a_rate_that_is_too_good(monkeypatch, theorem):
    """kappa^2 = 9/49 for uniform(1, 4)."""
    monkeypatch.setattr(quantities, "kappa", lambda run: F(1, 7))
    found = failing(theorem, "bayes_optimal", prepare(theorem, squared_norm=UNIFORM, depth="4"))
    assert any("$T = 4$" in statement and verdict is Verdict.REFUTED for statement, verdict in found.items())


@pytest.fixture
def unsampled(monkeypatch):
    """No prompt is drawn: only the steps that are exact."""
    monkeypatch.setattr(finite_context.Comparisons, "sampled", lambda *args, **options: None)
    monkeypatch.setattr(finite_context, "_trained", lambda *args: None)
    monkeypatch.setattr(finite_context, "_reached", lambda *args: None)


@pytest.mark.parametrize("coefficient", [F(0), F(-1, 3)])
def test_a_layer_that_loses_nothing_at_finite_context(monkeypatch, unsampled, coefficient):
    monkeypatch.setattr(numerics.simulation.finite_context, "layer_coefficient", lambda *args: coefficient)
    found = failing("theorem_4_1", "finite_context", prepare("theorem_4_1", squared_norm=UNIFORM))
    (statement,) = [name for name, verdict in found.items() if verdict is Verdict.REFUTED]
    assert statement.startswith("the risk is above its limit")


def exact_steps(check):
    run, record = prepare("theorem_6_2", squared_norm=UNIFORM), Record(Evidence.STATISTICAL)
    check(SimpleNamespace(run=run, record=record))
    return [step.verdict for step in record.steps if step.kind is Evidence.EXACT]


def test_a_minimiser_at_finite_context_that_is_not_the_derived_one(monkeypatch, unsampled):
    one, two = finite_context._trained_at_depth_one, finite_context._trained_at_depth_two
    assert exact_steps(one) == exact_steps(two) == [Verdict.VERIFIED]
    right = numerics.simulation.finite_optimum.one_parameter
    monkeypatch.setattr(
        numerics.simulation.finite_optimum, "one_parameter", lambda law, d, L: right(law, d + 1, L)
    )
    degenerate = DepthTwo((F(1), F(1), F(1)), (F(1), F(1)))
    constant = DepthTwo((F(2), F(1), F(1)), (F(1), F(2)))
    assert exact_steps(one) == [Verdict.REFUTED]
    monkeypatch.setattr(DepthTwo, "minimiser", (F(1), F(1)))
    for equations, verdict in [(constant, Verdict.VERIFIED), (degenerate, Verdict.REFUTED)]:
        monkeypatch.setattr(
            numerics.simulation.finite_optimum, "two_parameter", lambda *args, got=equations: got
        )
        assert exact_steps(two) == [verdict]


def test_an_enclosure_at_depth_one_that_misses_the_fraction():
    """alpha_1 = (5/2)/(5/2 + 7) for uniform(1, 4)."""
    run, record = prepare("theorem_6_2", squared_norm=UNIFORM, depth="1"), Record(Evidence.ENCLOSURE)
    root, exact = quantities.minimiser(run, 1), r"$\alpha_1 = \mathbb{E}\,s / \mathbb{E}[s(1+s)]$"
    beside = replace(root, lower=root.upper, upper=root.upper + F(1, 10**40))
    for planted, verdict in [(root, Verdict.VERIFIED), (beside, Verdict.REFUTED)]:
        run.memory[quantities.minimiser, 1] = planted
        one_parameter_steps.enclosure(run, record, 1)
        assert {step.statement: step.verdict for step in record.steps}[exact] is verdict
