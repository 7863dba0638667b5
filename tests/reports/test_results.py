"""Results, their JSON and what a notebook shows of them."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

from proofs_check.command_line.outputs import exit_code
from reports.results import (
    Evidence,
    FalseVariantResult,
    Result,
    RunResult,
    SimulationResult,
    TheoremResult,
    Verdict,
    from_json,
    json_schema,
    to_json,
)
from tests.reports import invented


def results(any_result: TheoremResult, run: RunResult, simulation: SimulationResult) -> list[Result]:
    return [any_result, run, simulation]


def test_json_and_back(
    any_result: TheoremResult, run_result: RunResult, simulation_result: SimulationResult
) -> None:
    for result in results(any_result, run_result, simulation_result):
        data = to_json(result)
        again = from_json(data)
        assert type(again) is type(result)
        assert to_json(again) == data


def test_json_follows_its_schema(
    any_result: TheoremResult, run_result: RunResult, simulation_result: SimulationResult
) -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    for result in results(any_result, run_result, simulation_result):
        document = json.loads(to_json(result))
        validator.validate(document)
        del document["law" if "law" in document else "theorems"]
        assert not validator.is_valid(document)


@pytest.mark.parametrize("change", [{"schema": 2}, {"verdict": "likely"}, {"claims": None}])
def test_other_documents_are_refused(one_parameter_result: TheoremResult, change: dict[str, object]) -> None:
    document = json.loads(to_json(one_parameter_result)) | change
    with pytest.raises(msgspec.ValidationError):
        from_json(json.dumps(document).encode())


def test_worst_and_weakest() -> None:
    verified, refuted, inconclusive, not_applicable = Verdict
    assert Verdict.worst([verified, inconclusive, refuted, not_applicable]) is refuted
    assert Verdict.worst([verified, inconclusive, not_applicable]) is inconclusive
    assert Verdict.worst([verified, not_applicable]) is verified
    assert Verdict.worst([not_applicable]) is Verdict.worst([]) is not_applicable
    assert [Verdict.of(holds) for holds in (True, False, None)] == [verified, refuted, inconclusive]
    assert Evidence.weakest([Evidence.EXACT, Evidence.NUMERIC, Evidence.SYMBOLIC]) is Evidence.NUMERIC
    assert Evidence.weakest([]) is None


@pytest.mark.parametrize("verdict", list(Verdict))
def test_what_is_verified_and_nothing_else_is_true(verdict: Verdict) -> None:
    claim = invented.claim("theorem_6_2.limit", verdict)
    result = invented.theorem("theorem_6_2", [claim], verdict=verdict)
    run = RunResult(1, verdict, [result], result.environment, 0.1)
    for judged in (claim.steps[0], claim, result, run):
        assert bool(judged) is judged.ok is (verdict is Verdict.VERIFIED)
    assert bool(variant(verdict)) is variant(verdict).ok is (verdict is Verdict.REFUTED)


def variant(verdict: Verdict) -> FalseVariantResult:
    return FalseVariantResult("theorem_6_2.twin", "theorem_6_2.limit", "", "point(2)", verdict, {})


@pytest.mark.parametrize("verdict", [Verdict.VERIFIED, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE])
def test_a_false_variant_that_stands_makes_a_result_false(verdict: Verdict) -> None:
    """As the exit code says: 1 or 3, though every claim is verified."""
    claims = [invented.claim("theorem_6_2.limit")]
    fallen = invented.theorem("theorem_6_2", claims, variants=[variant(Verdict.REFUTED)])
    standing = invented.theorem("theorem_6_2", claims, variants=[variant(Verdict.REFUTED), variant(verdict)])
    assert fallen.ok
    assert not standing.ok
    assert not RunResult(1, Verdict.VERIFIED, [fallen, standing], fallen.environment, 0.1)
    assert (exit_code(fallen), bool(exit_code(standing))) == (0, True)


def test_a_result_is_true_where_the_exit_code_is_0(any_result: TheoremResult, run_result: RunResult) -> None:
    for result in (any_result, run_result, *run_result.theorems):
        assert bool(result) is (exit_code(result) == 0)


def test_a_partial_result_is_true_of_what_was_asked_for(one_parameter_result: TheoremResult) -> None:
    some = msgspec.structs.replace(one_parameter_result, partial=True)
    assert some.ok
    assert some.partial


def test_hypotheses_and_simulations(odd_result: TheoremResult, simulation_result: SimulationResult) -> None:
    assert [bool(hypothesis) for hypothesis in odd_result.hypotheses] == [
        h.holds for h in odd_result.hypotheses
    ]
    assert not all(odd_result.hypotheses)
    assert not simulation_result
    assert msgspec.structs.replace(simulation_result, complete=True)


def test_results_are_copied_and_pickled_whole(
    any_result: TheoremResult, run_result: RunResult, simulation_result: SimulationResult
) -> None:
    for result in results(any_result, run_result, simulation_result):
        for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert again == result
            assert from_json(to_json(again)) == from_json(to_json(result))
        assert msgspec.structs.replace(result, seconds=result.seconds + 1) != result


def test_claims_by_name(one_parameter_result: TheoremResult) -> None:
    claim = one_parameter_result.claim("bayes_optimal")
    assert one_parameter_result.claim("theorem_6_2.bayes_optimal") is claim
    with pytest.raises(KeyError):
        one_parameter_result.claim("theorem_6_2")


def test_notebooks_show_latex(odd_result: TheoremResult, run_result: RunResult) -> None:
    latex = odd_result._repr_latex_()
    for claim in odd_result.claims:
        assert claim.id.partition(".")[2].replace("_", r"\_") in latex.replace(r"\allowbreak{}", "")
    assert run_result._repr_latex_().count(r"\begin{tabular}") == len(run_result.theorems)


@pytest.mark.parametrize(
    "code",
    [
        "from reports.results import from_json; result = from_json(open(stored, 'rb').read())",
        "import proofs_check; result = proofs_check.verify('latent_factor_model', squared_norm='point(2)')",
    ],
)
def test_a_fresh_kernel_shows_what_it_gets(tmp_path: Path, odd_result: TheoremResult, code: str) -> None:
    (tmp_path / "result.json").write_bytes(to_json(odd_result))
    shown = f"stored = {str(tmp_path / 'result.json')!r}; {code}; print(result._repr_html_())"
    finished = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert finished.stdout.startswith('<div class="proofs-check">')


def test_importing_is_light() -> None:
    code = "import sys, reports.terminal.console, reports.files, reports.junit; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"rich.console", "jinja2", "matplotlib", "numpy", "sympy", "scipy", "flint"}
    assert not heavy & set(loaded.stdout.split())
