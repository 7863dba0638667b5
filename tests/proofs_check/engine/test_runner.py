import hashlib
import signal
import threading
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from types import SimpleNamespace

import msgspec
import pytest
from mpmath import mp, mpf

import numerics
import theory
from numerics.errors import PrecisionExhausted
from numerics.laws.syntax import parse_law
from numerics.processes import Child, Late
from proofs_check.command_line.options import Options
from proofs_check.command_line.outputs import exit_code
from proofs_check.command_line.planning import make_plan, make_plans
from proofs_check.engine.claims import Hypothesis, Theorem
from proofs_check.engine.context import Plan, Run, Settings, UsageError, once_a_run
from proofs_check.engine.registry import load_theorem, theorem_names
from proofs_check.engine.runner import overall_verdict, run_plan, run_plans, theorem_verdict
from reports.results import Evidence, HypothesisResult, Verdict, from_json, to_json
from reports.text.summary import closing_line, support_text
from tests.waiting import PATIENCE

MADE_UP = "tests.proofs_check.made_up"
ARITHMETIC = load_theorem("arithmetic", MADE_UP)
FAILING = load_theorem("failing", MADE_UP)


def run(theorem=ARITHMETIC, **options):
    return run_plan(make_plan(theorem, Options(**options)), ["test"], package=MADE_UP)


def act(seed, **options):
    return run(FAILING, seed=str(seed), **options)


def comparable(result):
    """A result without its times."""
    kept = to_json(result).splitlines()
    return [line for line in kept if b'"seconds"' not in line]


def one_claim(check, *, needs=(), hypotheses=(), weakest=Evidence.EXACT):
    theorem = Theorem("small", "Small", "nowhere", "nothing", (), hypotheses=hypotheses)
    theorem.claim("only", "nothing", weakest, needs=needs)(check)
    return theorem


def test_everything_holds():
    result = run()
    assert result.verdict is Verdict.VERIFIED
    assert [claim.verdict for claim in result.claims] == [Verdict.VERIFIED] * 4
    assert result.claim("mean").values == {"mean": "5/2"}
    assert result.claim("arithmetic.sum").kind is Evidence.SYMBOLIC
    assert result.law.m_hi == "4"
    assert result.environment.packages["sympy"]


def test_a_false_claim_is_refuted():
    result = run(squared_norm="uniform(0, 1)")
    assert result.claim("mean").verdict is Verdict.REFUTED
    assert result.verdict is Verdict.REFUTED


def test_a_failing_hypothesis_silences_only_what_needs_it():
    result = run(squared_norm="chi2(5)")
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert {h.id: h.holds for h in result.hypotheses} == {"bounded": False, "varies": True}
    assert result.claim("mean").verdict is Verdict.NOT_APPLICABLE
    assert "needs `bounded`" in result.claim("mean").figure
    assert result.claim("mean").steps == []
    assert result.claim("sum").verdict is Verdict.VERIFIED


def test_a_hypothesis_that_no_chosen_claim_needs_does_not_matter():
    result = run(squared_norm="chi2(5)", claim=("sum",))
    assert result.verdict is Verdict.VERIFIED
    assert result.hypotheses == []


def test_a_claim_that_says_nothing_is_left_out():
    result = run(squared_norm="point(2)")
    assert result.claim("varied").verdict is Verdict.NOT_APPLICABLE
    assert result.claim("varied").figure == "needs `varies`: $s$ is constant"
    assert result.verdict is Verdict.VERIFIED


def test_nothing_that_applies():
    assert run(squared_norm="point(2)", claim=("varied",)).verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize(("candidate", "verdict"), [("5/2", Verdict.VERIFIED), ("2", Verdict.REFUTED)])
def test_a_claim_with_an_option_of_its_own(candidate, verdict):
    result = run(candidate=candidate)
    assert result.claim("candidate").verdict is verdict
    assert result.verdict is verdict
    with pytest.raises(KeyError):
        run().claim("candidate")


@pytest.mark.parametrize(
    ("seed", "verdict", "figure"),
    [
        (0, Verdict.VERIFIED, ""),
        (1, Verdict.REFUTED, ""),
        (2, Verdict.INCONCLUSIVE, "undecided at 65536 bits"),
        (3, Verdict.INCONCLUSIVE, ""),
        (8, Verdict.REFUTED, ""),
        (10, Verdict.INCONCLUSIVE, "nothing was checked"),
    ],
)
def test_how_a_claim_may_end(seed, verdict, figure):
    claim = act(seed).claim("act")
    assert (claim.verdict, claim.figure) == (verdict, figure)


def test_any_other_error_is_a_bug():
    with pytest.raises(ZeroDivisionError):
        act(5)


def test_a_time_out_is_inconclusive_and_the_next_claim_runs():
    result = act(6, timeout="2")
    assert result.claim("act").verdict is Verdict.INCONCLUSIVE
    assert result.claim("act").figure == "time limit: not finished within 2 s"
    assert result.claim("strong").verdict is Verdict.VERIFIED


def test_a_time_limit_touches_no_timer_of_this_process():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        act(6, timeout="2")
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not rung


def test_a_time_limit_in_another_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(act(6, timeout="2")))
    thread.start()
    thread.join()
    assert [claim.verdict for claim in found[0].claims] == [
        Verdict.INCONCLUSIVE,
        Verdict.VERIFIED,
        Verdict.VERIFIED,
    ]


def test_what_was_refuted_before_the_time_was_up_is_refuted(monkeypatch):
    attempt = Child.attempt

    def late_once_a_step_is_heard(self, work, *args, heard=None, within=None):
        def hear(item):
            heard(item)
            raise Late

        return attempt(self, work, *args, heard=heard and hear, within=PATIENCE)

    monkeypatch.setattr(Child, "attempt", late_once_a_step_is_heard)
    claim = act(9, timeout="100", claim="act").claim("act")
    assert claim.verdict is Verdict.REFUTED
    assert [step.verdict for step in claim.steps] == [Verdict.REFUTED, Verdict.INCONCLUSIVE]


def test_a_process_that_the_system_kills_is_an_outcome():
    """As happens where memory runs out; the other claims run."""
    result = act(11, timeout="100")
    assert "killed" in result.claim("act").figure
    assert [claim.verdict for claim in result.claims[1:]] == [Verdict.VERIFIED] * 2


def test_a_process_that_ends_by_itself_is_a_bug():
    with pytest.raises(RuntimeError, match="code 3"):
        act(12, timeout="100")


def test_false_variants_wait_to_be_asked_for():
    assert run().false_variants == []


@pytest.mark.parametrize(
    ("squared_norm", "where"),
    [("uniform(1, 4)", "uniform(1, 4)"), ("uniform(1, 3)", "point(3)"), ("chi2(5)", "point(3)")],
)
def test_a_false_variant_runs_where_it_is_false(squared_norm, where):
    """E s = 2 is true for uniform(1, 3), and the claim does not apply to chi2(5): there the witness helps."""
    (variant,) = run(squared_norm=squared_norm, falsify=True).false_variants
    assert variant.verdict is Verdict.REFUTED
    assert variant.law == where
    assert variant.id == "arithmetic.mean_is_2"
    assert variant.detail.startswith(r"$\mathbb{E}\,s = ")


def test_a_false_variant_that_is_false_for_every_law_runs_on_the_law_of_the_run():
    theorem = one_claim(lambda run, record: record.check(Evidence.EXACT, "1 = 1", True))

    @theorem.false_variant("always", "only", "1 = 2", witness="point(3)")
    def always(run, record):
        record.check(Evidence.EXACT, "1 = 2", False)

    (variant,) = run(theorem, falsify=True).false_variants
    assert (variant.law, variant.verdict) == ("uniform(1, 4)", Verdict.REFUTED)


def test_a_witness_does_not_see_the_memory_of_the_run():
    """The claim remembers E s of the user's law; the twin has to compute that of its witness."""
    mean = once_a_run(lambda run: run.law.mean)
    theorem = one_claim(lambda run, record: record.values.update(mean=str(mean(run))))

    @theorem.false_variant("twin", "only", "E s = 5/2", witness="point(3)", differs=lambda run: False)
    def twin(run, record):
        record.check(
            Evidence.EXACT, "E s = 5/2", mean(run) == parse_law("squared_norm", "uniform(1, 4)").mean
        )

    (variant,) = run(theorem, falsify=True).false_variants
    assert variant.verdict is Verdict.REFUTED


def test_a_quantity_is_computed_once_a_run_for_the_same_arguments():
    computed = []

    @once_a_run
    def power(run, n, *, scale=1):
        """E s to the n."""
        computed.append((run.law.texts, n, scale))
        return scale * run.law.mean**n

    one = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings())
    other = one.on(parse_law("squared_norm", "point(3)"))
    mean = Fraction(5, 2)
    assert [power(one, 2), power(one, 2), power(one, 3)] == [mean**2, mean**2, mean**3]
    assert [power(other, 2), power(one, 2, scale=2), power(other, 2)] == [9, 2 * mean**2, 9]
    assert len(computed) == 4
    assert power.__doc__ == "E s to the n."
    one.memory[power, 2] = 7
    assert power(one, 2) == 7


@pytest.mark.parametrize("law", ["point(2)", "atoms({0: 1/2, 3: 1/2})", "atoms({1: 1/3, 10000: 2/3})"])
def test_an_enclosure_of_an_expectation_holds_the_sum_over_the_atoms(law):
    run = Run(parse_law("squared_norm", law), Settings())
    terms = theory.losses.one_parameter().value.bind(8, Fraction(1, 5))
    low, high = numerics.arithmetic.balls.ends(run.enclosure(terms, digits=30)[0])
    atoms = zip(run.law.atoms.values, run.law.atoms.masses, strict=True)
    assert low <= sum(mass * s / (1 + s) * (1 - (1 + s) / 5) ** 16 for s, mass in atoms) <= high
    assert 0 < low <= high <= low * (1 + Fraction(1, 10**30))


def test_an_enclosure_of_an_expectation_holds_the_integral():
    """E[s/lam] = 1 - log(5/2)/3 for uniform(1, 4)."""
    run = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings())
    ball, bits = run.enclosure(theory.losses.one_parameter().value.bind(1, Fraction(0)), digits=40)
    low, high = numerics.arithmetic.balls.ends(ball)
    assert low < high <= low * (1 + Fraction(1, 10**40))
    with mp.workdps(200):
        value = 1 - mp.log(mpf(5) / 2) / 3
        assert mpf(low.numerator) / low.denominator < value < mpf(high.numerator) / high.denominator
    assert bits > 128
    assert run.expectation is run.expectation


def test_an_enclosure_that_the_precision_does_not_reach():
    run = Run(parse_law("squared_norm", "uniform(1, 4)"), Settings(max_bits=64))
    with pytest.raises(PrecisionExhausted):
        run.enclosure(theory.losses.one_parameter().value.bind(8, Fraction(1, 4)), digits=300)


def test_false_variants_that_stand():
    survivor, undecided = act(0, falsify=True).false_variants
    assert survivor.verdict is Verdict.VERIFIED
    assert undecided.verdict is Verdict.INCONCLUSIVE
    assert undecided.detail == "undecided; raise `--max-bits`"


def test_a_false_variant_that_says_nothing_is_not_refuted():
    theorem = one_claim(lambda run, record: record.check(Evidence.EXACT, "1 = 1", True))

    @theorem.false_variant("silent", "only", "nothing", witness="point(1)")
    def silent(run, record):
        return

    (variant,) = run(theorem, falsify=True).false_variants
    assert (variant.verdict, variant.detail) == (Verdict.INCONCLUSIVE, "nothing was checked")


def test_a_claim_states_the_conditions_that_the_theorem_does_not():
    assert ARITHMETIC.claims[3].statement == "$s$ is not constant: $s$ varies"
    assert next(c for c in ARITHMETIC.claims if c.id == "mean").statement == r"$\mathbb{E}\,s \ge 1$"


def test_weaker_evidence_than_asked_for_proves_nothing():
    theorem = one_claim(
        lambda run, record: record.check(Evidence.NUMERIC, "1 = 1", True), weakest=Evidence.SYMBOLIC
    )
    assert run(theorem).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    "holds", [lambda: False, 1, "no", [False], NotImplemented], ids=lambda value: type(value).__name__
)
def test_what_is_no_truth_value_is_a_bug_and_not_true(holds):
    with pytest.raises(TypeError, match="1 = 2: "):
        run(one_claim(lambda run, record: record.check(Evidence.EXACT, "1 = 2", holds)))


def test_a_failing_hypothesis_outweighs_a_refuted_claim_that_does_not_need_it():
    never = Hypothesis("never", "never", lambda run: (False, "by design"))
    theorem = one_claim(lambda run, record: record.check(Evidence.EXACT, "1 = 2", False), hypotheses=(never,))
    result = run(theorem)
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert result.claim("only").verdict is Verdict.REFUTED


def test_results_do_not_depend_on_the_number_of_processes():
    plans = make_plans([ARITHMETIC, FAILING], Options(falsify=True, squared_norm="uniform(1, 3)"))
    alone = run_plans(plans, ["test"], package=MADE_UP)
    together = run_plans(plans, ["test"], jobs=2, package=MADE_UP)
    assert comparable(alone) == comparable(together)


def test_an_error_in_another_process_is_the_same_error():
    plan = make_plan(FAILING, Options(seed="5"))
    with pytest.raises(ZeroDivisionError):
        run_plan(plan, ["test"], jobs=2, package=MADE_UP)


def test_a_time_out_in_another_process():
    plan = make_plan(FAILING, Options(seed="6", timeout="2"))
    assert run_plan(plan, ["test"], jobs=2, package=MADE_UP).verdict is Verdict.INCONCLUSIVE


def test_results_survive_json():
    result = run(falsify=True)
    assert from_json(to_json(result)) == result


def test_overall_verdict_takes_the_first_that_occurs():
    order = [Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.VERIFIED]
    for i, verdict in enumerate(order):
        assert overall_verdict(order[i:][::-1]) is verdict
    assert overall_verdict([]) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("verdicts", [c for n in range(4) for c in combinations(Verdict, n)], ids=str)
def test_a_theorem_is_as_good_as_its_worst_claim_that_applies(verdicts):
    """And not applicable, whatever they say, where a decisive hypothesis fails."""
    claims = [SimpleNamespace(verdict=verdict) for verdict in verdicts]
    order = [Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.VERIFIED, Verdict.NOT_APPLICABLE]
    worst = next((verdict for verdict in order if verdict in verdicts), Verdict.INCONCLUSIVE)
    for holds, decisive, other in product([True, False], repeat=3):
        hypotheses = [
            HypothesisResult("a", "a", holds, "", decisive),
            HypothesisResult("b", "b", other, "", False),
        ]
        expected = Verdict.NOT_APPLICABLE if decisive and not holds else worst
        assert theorem_verdict(hypotheses, claims) is expected
        assert theorem_verdict(hypotheses[::-1], claims[::-1]) is expected


def test_theorems_are_found_by_the_listing():
    assert theorem_names(MADE_UP) == ["arithmetic", "failing"]
    with pytest.raises(UsageError, match="did you mean arithmetic"):
        load_theorem("aritmetic", MADE_UP)
    with pytest.raises(UsageError, match="one of arithmetic, failing"):
        load_theorem("theorem_0", MADE_UP)


def test_files_that_the_law_read_are_named_with_their_hash(tmp_path):
    path = tmp_path / "norms.csv"
    path.write_text("norm\n1\n2\n")
    result = run(norm=f'empirical("{path}", column="norm")')
    assert result.environment.files == {str(path): hashlib.sha256(path.read_bytes()).hexdigest()}
    assert result.law.observed == [2]
    path.write_text('norm\n1\n""\n1\n3\n')
    result = run(squared_norm=f'mixture({{empirical("{path}", missing="skip"): 1/2, point(0): 1/2}})')
    assert support_text(result.law) == "3 values, m_lo = 1, m_hi = 3, ℙ(s = 0) = 1/2"


def test_the_latex_of_derivations_is_all_that_a_plan_without_it_lacks():
    plan = make_plan(load_theorem("theorem_6_2"), Options(claim="population_loss"))
    (full,) = run_plan(plan, ["test"]).claims
    (bare,) = run_plan(replace(plan, typeset=False), ["test"]).claims
    assert any(step.latex for step in full.steps)
    assert bare.steps == [msgspec.structs.replace(step, latex="") for step in full.steps]


def test_a_theorem_none_of_whose_claims_ran_is_inconclusive():
    law = parse_law("squared_norm", "point(1)")
    result = run_plan(Plan.of(FAILING, law, Settings(), frozenset()), ["test"])
    assert (result.claims, result.verdict) == ([], Verdict.INCONCLUSIVE)
    assert exit_code(result, allow_not_applicable=True) == 3
    subject = "failing (partial: 0 of 3 claims)"
    assert closing_line(result) == f"{subject} is inconclusive for ‖m‖² ~ point(1): no claim was run."


def test_claims_that_all_wait_for_an_option_are_not_verified_without_it():
    theorem = Theorem("small", "Small", "nowhere", "nothing", ())
    check = theorem.claim("only", "nothing", Evidence.EXACT, option="statistical")
    check(lambda run, record: record.check(Evidence.EXACT, "1 = 1", True))
    assert run(theorem).verdict is Verdict.INCONCLUSIVE
    assert run(theorem, statistical=True).verdict is Verdict.VERIFIED


def test_a_false_variant_that_was_not_run_is_not_passed_over():
    """No run makes such a result; a stored one may say so."""
    result = act(0, falsify=True, claim="weak")
    (variant,) = result.false_variants
    skipped = msgspec.structs.replace(variant, verdict=Verdict.NOT_APPLICABLE)
    result = msgspec.structs.replace(result, false_variants=[skipped])
    assert exit_code(result, allow_not_applicable=True) == 3
    assert "not refuted: failing.undecided" in closing_line(result)
