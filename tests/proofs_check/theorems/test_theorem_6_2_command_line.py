"""Theorem 6.2 from outside: exit codes, options, what is printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.context import UsageError
from reports.results import Evidence, Verdict, from_json, json_schema
from tests.proofs_check.theorems.on_theorem_6_2 import THEOREM, TWINS

ROOT = Path(__file__).parents[3]
VERIFIED = Verdict.VERIFIED


def process(*words):
    words = [sys.executable, "-m", "proofs_check", "theorem_6_2", *words]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        (["--falsify"], 0, "verified"),
        (["--candidate", "1/4"], 1, "refuted"),
        (["--candidate", "2/7", "--falsify"], 0, "verified"),
        (["--max-bits", "64", "--depth", "4096"], 3, "inconclusive"),
        (["--timeout", "0.001"], 3, "inconclusive"),
        (["--squared-norm", "chi2(5)"], 4, "not_applicable"),
        (["--squared-norm", "point(0)"], 4, "not_applicable"),
        (["--squared-norm", "chi2(5)", "--allow-not-applicable"], 0, "not_applicable"),
        (["--squared-norm", "point(2)"], 0, "verified"),
    ],
    ids=str,
)
def test_every_exit_code(words, code, verdict):
    finished = process(*words, "--json", "-")
    assert (finished.returncode, finished.stderr) == (code, "")
    document = json.loads(finished.stdout)
    jsonschema.validate(document, json_schema())
    assert document["verdict"] == verdict
    assert from_json(finished.stdout.encode()).theorem == "theorem_6_2"


def test_the_console_names_what_decided():
    finished = process("--candidate", "1/4", "--claim", "candidate", "--claim", "limit")
    assert finished.returncode == 1
    assert "refuted" in finished.stdout
    assert "0.2678571428" in finished.stdout
    assert "T₀ = 17" in finished.stdout


@pytest.mark.parametrize(
    "words", [["--epsilon", "0.999"], ["--epsilon", "1e-9"], ["--depth", "16384"]], ids=" ".join
)
def test_extreme_options(words, capsys):
    claims = [word for claim in ("limit", "minimiser_enclosure") for word in ("--claim", claim)]
    assert main(["theorem_6_2", *words, *claims]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("theorem", ["theorem_6_2", "theorem_6_3", "depth_minimax", "all"])
@pytest.mark.parametrize("epsilon", ["1", "1000"])
def test_a_band_that_holds_0_is_bad_input(theorem, epsilon, capsys):
    assert main([theorem, "--epsilon", epsilon]) == 2
    output, error = capsys.readouterr()
    assert (output, error.count("\n")) == ("", 1)
    assert "between 0 and 1" in error
    if theorem != "all":
        with pytest.raises(UsageError, match="between 0 and 1"):
            verify(theorem, epsilon=int(epsilon))


def test_explain_prints_every_proof(capsys):
    assert main(["explain", "theorem_6_2"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for claim in THEOREM.claims:
        assert claim.id in text
    assert "multiplies the left by at least" in text
    assert "summable, so" in text
    assert "induction on T" in text


def test_each_claim_has_a_proof_and_each_twin_a_claim():
    assert all(len(claim.proof) > 80 for claim in THEOREM.claims if claim.option is None)
    assert {variant.claim for variant in THEOREM.false_variants} <= {claim.id for claim in THEOREM.claims}
    assert set(TWINS) <= {variant.id for variant in THEOREM.false_variants}


@pytest.mark.parametrize("jobs", [2])
def test_processes_do_not_change_the_result(jobs):
    def plain(result):
        return [
            (
                c.id,
                c.verdict,
                c.values,
                c.series,
                [(s.statement, s.verdict, s.precision_bits) for s in c.steps],
            )
            for c in result.claims
            if c.kind is not Evidence.NUMERIC
        ]

    options = {"depth": "1,2,8", "squared_norm": "beta(2, 3)"}
    assert plain(verify("theorem_6_2", **options, jobs=jobs)) == plain(verify("theorem_6_2", **options))


def test_explain_prints_an_argument_that_claims_share(capsys):
    assert main(["explain", "theorem_6_3"]) == 0
    assert "Borel-Cantelli" in capsys.readouterr().out
