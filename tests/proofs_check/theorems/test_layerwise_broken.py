"""Each step of `layerwise` is seen to fail where what it is given is wrong."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb, ctx

from numerics.errors import PrecisionExhausted
from numerics.layerwise import best_excess, depths
from proofs_check.command_line.options import Options
from proofs_check.command_line.planning import make_plan
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.engine.registry import load_theorem
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _layerwise_depths as layerwise_depths
from proofs_check.theorems import _layerwise_steps as layerwise_steps
from proofs_check.theorems import _quantities as quantities
from proofs_check.theorems import _single_layer as single_layer
from reports.results import Evidence, Verdict

F = Fraction
UNIFORM = "uniform(1, 4)"
THREE = "atoms({1: 1/3, 2: 1/3, 4: 1/3})"
REFUTED, INCONCLUSIVE, VERIFIED = Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.VERIFIED


def prepare(law=UNIFORM, depth="2"):
    plan = make_plan(load_theorem("layerwise"), Options(squared_norm=law, depth=depth))
    return Run(plan.law, plan.settings)


def failing(claim, run):
    """The statements of the claim's steps that do not hold, and their verdicts."""
    check = next(part for part in load_theorem("layerwise").claims if part.id == claim)
    record = Record(check.weakest)
    check.check(run, record)
    return {step.statement: step.verdict for step in record.steps if step.verdict is not VERIFIED}


def test_nothing_fails_where_nothing_is_wrong():
    for law in (UNIFORM, THREE):
        for claim in load_theorem("layerwise").claims:
            assert failing(claim.id, prepare(law, "1,2")) == {}


def test_a_law_that_is_taken_for_perfect(monkeypatch):
    run = prepare(THREE)
    monkeypatch.setattr(layerwise, "is_perfect", lambda run, T: True)
    assert (
        failing("best_depth_T", run)[
            r"$e_T = 0$: the product over the support of $\lambda$ has degree $\le T$, $T = 2$"
        ]
        is REFUTED
    )
    assert failing("reciprocal_gauss_nodes", run) == {
        r"$1/\lambda$ over the support of $\lambda$: every residual is 0, $T = 2$": REFUTED
    }


def test_a_wrong_elimination(monkeypatch):
    right = best_excess.by_linear_solve
    monkeypatch.setattr(best_excess, "by_linear_solve", lambda law, T: right(law, T) + F(1, 10**20))
    agree = (
        r"$\rho_T/\pi_T(0)$ by the recurrence and $C - g^\top G^{-1} g$ by rational elimination agree, "
        "to 24 digits, $T = 2$"
    )
    assert failing("best_depth_T", prepare()) == {
        agree: REFUTED,
        "two parameters reach $e_T$, $T = 2$": REFUTED,
    }
    found = failing("best_depth_T", prepare(THREE))
    assert found[r"$C - g^\top G^{-1} g$ is the quotient of Hankel determinants, $T = 2$"] is REFUTED
    assert found[r"it lies in the enclosure of $\rho_T/\pi_T(0)$, $T = 2$"] is REFUTED


def test_a_wide_enclosure_agrees_with_nothing(monkeypatch):
    monkeypatch.setattr(layerwise_steps, "_solved", lambda run, T, bits: arb(0, 1))
    assert list(failing("best_depth_T", prepare()).values()) == [INCONCLUSIVE]


@pytest.mark.parametrize(("rise", "verdict"), [(arb(1), REFUTED), (arb(0, 1), INCONCLUSIVE)])
def test_an_excess_that_does_not_fall(monkeypatch, rise, verdict):
    monkeypatch.setattr(layerwise, "excesses", lambda run, depth: [arb(1), arb(0.5), arb(0.5) + rise])
    assert failing("best_depth_T", prepare()) == {r"$e_0 > e_1 > \dots > e_{2}$": verdict}


def test_a_tied_excess_that_is_wrong(monkeypatch):
    monkeypatch.setattr(quantities, "excess", lambda run, T: (arb(10) ** -9, 64))
    assert failing("best_depth_T", prepare(depth="1,2")) == {
        "the enclosures of the two agree, to 14 digits, $T = 1$": REFUTED,
        "$e_T$ is less than the excess of the tied optimum, $T = 2$": REFUTED,
    }


@pytest.mark.parametrize("law", [UNIFORM, "point(2)", "truncated(chi2(3), high=9)"])
def test_a_single_weight_that_reaches_less(monkeypatch, law):
    """Enclosures of 15 digits do not see it."""
    run = prepare(law, depth="1")
    right = single_layer.layer(run)
    with ctx.workprec(1024):
        off = F(1, 10**40) if run.law.is_rational else arb(10) ** -40
        wrong = replace(right.scalar, risk=right.scalar.risk + off)
    monkeypatch.setattr(single_layer, "layer", lambda run: SimpleNamespace(scalar=wrong))
    ((statement, verdict),) = failing("best_depth_T", run).items()
    assert statement.startswith("$e_T$ is the excess of the tied optimum")
    assert ("to within" in statement) is (not run.law.is_rational)
    assert verdict is REFUTED


def moved(roots, by):
    return tuple(replace(root, lower=root.lower + by, upper=root.upper + by) for root in roots)


@pytest.mark.parametrize(("by", "inside"), [(F(1, 10**6), True), (F(1), False)])
def test_nodes_that_are_none(monkeypatch, by, inside):
    run = prepare(depth="1,2")
    right = {T: layerwise.nodes(run, T) for T in (1, 2)}
    monkeypatch.setattr(layerwise, "nodes", lambda run, T: (moved(right[T][0], by), right[T][1]))
    found = failing("reciprocal_gauss_nodes", run)
    outside = (
        r"$\pi_T$ has $T$ sign changes in disjoint intervals, strictly inside the ends of $\lambda$, $T = 2$"
    )
    assert (outside not in found) is inside
    assert found["the kernel polynomial, solved for from the moments, changes sign there, $T = 2$"] is REFUTED
    assert found[r"the excess at $\alpha_t = 1/z_t$ is $e_T$, to 24 digits, $T = 2$"] is REFUTED
    assert found[r"$z_1 = \mathbb{E}[s \lambda]/\mathbb{E}\,s$ at $T = 1$"] is REFUTED


def test_nodes_that_meet(monkeypatch):
    run = prepare()
    (first, _), bits = layerwise.nodes(run, 2)
    monkeypatch.setattr(layerwise, "nodes", lambda run, T: ((first, first), bits))
    assert failing("landscape", run) == {"the weights of the optimum are distinct, $T = 2$": REFUTED}


def test_an_excess_above_the_bounds(monkeypatch):
    monkeypatch.setattr(layerwise, "excess", lambda run, T: arb(1))
    assert failing("chebyshev_bound", prepare()) == {
        r"$e_T \le C/T_T(1/\kappa)^2$, $T = 2$": REFUTED,
        r"$e_T \le 4 C \rho^{2T}$, $T = 2$": REFUTED,
    }
    monkeypatch.setattr(layerwise, "exact_excess", lambda run, T: F(1))
    assert failing("chebyshev_bound", prepare(THREE))[r"$e_T \le C/T_T(1/\kappa)^2$, $T = 2$"] is REFUTED


def test_a_rate_that_is_none(monkeypatch):
    monkeypatch.setattr(depths, "rho", lambda law: arb(1))
    assert failing("chebyshev_bound", prepare()) == {r"$\rho < 1$": REFUTED}


def test_a_depth_that_is_none(monkeypatch):
    run = prepare(depth="2,5")
    right = layerwise.fewer(run)
    inherited = r"$\rho < \kappa - \alpha^* h$: later depths inherit it"
    monkeypatch.setattr(layerwise, "fewer", lambda run: replace(right, ratio=F(1)))
    assert failing("fewer_layers", run) == {inherited: REFUTED}
    monkeypatch.setattr(layerwise, "fewer", lambda run: replace(right, T1=2))
    assert failing("fewer_layers", run) == {
        r"$4 \rho^{2T} < 1/100 p (\kappa - \alpha^* h)^{2T}$ at $T_1 = 2$": REFUTED,
        "$e_T < 1/100$ times the tied excess, $T = 2$": REFUTED,
        "$e_T < 1/100$ times the tied excess, $T = 5$": REFUTED,
    }


def test_masses_that_are_not_there(monkeypatch):
    run = prepare(depth="2")
    right = layerwise.fewer(run)
    monkeypatch.setattr(layerwise, "fewer", lambda run: replace(right, mass=F(9, 10)))
    found = failing("fewer_layers", run)
    for end in ("low", "high"):
        assert found[rf"at least $C p$ of $\nu$ lies within $h$ of the {end} end"] is REFUTED
    assert found[r"the tied excess is at least $C p (\kappa - \alpha^* h)^{2T}$, $T = 2$"] is REFUTED


def test_a_table_out_of_order(monkeypatch):
    monkeypatch.setattr(layerwise_depths, "_smallest_depths", lambda run, share: [1, 2, 3])
    found = failing("fewer_layers", prepare(depth="9"))
    assert set(found.values()) == {REFUTED}
    assert len(found) == 6


@pytest.mark.parametrize("claim", ["best_depth_T", "landscape"])
def test_a_far_narrow_law_is_decided(claim):
    """All of it lies between 2000 and some 2040: 30 digits of the tied weight leave a sign open."""
    assert failing(claim, prepare("truncated(chi2(3), low=2000)", "2,32")) == {}


def test_a_sign_that_more_digits_do_not_tell(monkeypatch):
    run = prepare("truncated(chi2(3), low=2000)", "32")
    quantities.minimiser(run, 32)
    run.settings = replace(run.settings, max_bits=480)
    with pytest.raises(PrecisionExhausted, match="undecided at 480 bits"):
        layerwise.bend_at_tie(run, 32)


@pytest.mark.parametrize(("bend", "verdict"), [(arb(-1), REFUTED), (arb(0, 1), INCONCLUSIVE)])
def test_a_tied_optimum_that_is_no_saddle(monkeypatch, bend, verdict):
    monkeypatch.setattr(layerwise, "bend_at_tie", lambda run, T: (bend, 64))
    assert failing("landscape", prepare()) == {"the tied optimum is a strict saddle, $T = 2$": verdict}


def test_one_weight_is_no_saddle():
    record = Record(Evidence.SYMBOLIC)
    layerwise_steps.check_tied_optimum(prepare(), record, 1, is_minimum=False)
    assert record.verdict is REFUTED


@pytest.mark.parametrize("change", [{"weights": (0.1, 0.2)}, {"error": 1.0}], ids=str)
def test_a_flow_that_ends_elsewhere(monkeypatch, change):
    """Integration refutes nothing."""
    run = prepare()
    right = layerwise.followed(run, 2)
    wrong = {**right, "far": replace(right["far"], **change)}
    monkeypatch.setattr(layerwise, "followed", lambda run, T: wrong)
    assert failing("flow_converges", run) == {
        "the flow from a start far ends at $1/z_t$, $T = 2$": INCONCLUSIVE
    }


def test_an_excess_that_is_0_too_early(monkeypatch):
    monkeypatch.setattr(layerwise, "exact_excess", lambda run, T: F(0))
    assert failing("finite_support", prepare(THREE)) == {"$e_T > 0$, $T = 2$": REFUTED}
    monkeypatch.undo()
    monkeypatch.setattr(layerwise, "excess", lambda run, T: arb(0, 1))
    assert failing("finite_support", prepare()) == {"$e_T > 0$, $T = 2$": INCONCLUSIVE}
