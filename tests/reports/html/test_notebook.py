"""What a notebook shows of a result: typeset, folded, harmless."""

from __future__ import annotations

import re

import msgspec
import pytest

from reports.html.notebook import fragment
from reports.results import (
    ClaimResult,
    Evidence,
    Result,
    RunResult,
    SimulationResult,
    Step,
    TheoremResult,
    Verdict,
)
from reports.text.summary import short_id, word
from tests.reports import invented
from tests.reports.html.parsed import Node, parse
from tests.reports.html.test_page import HOSTILE


def shown(result: Result | ClaimResult) -> Node:
    return parse(result._repr_html_().encode())  # type: ignore[union-attr]


def test_every_claim_is_folded_under_its_verdict(any_result: TheoremResult) -> None:
    claims = shown(any_result).all("details")
    assert len(claims) == len(any_result.claims)
    for found, claim in zip(claims, any_result.claims, strict=True):
        (summary,) = found.all("summary")
        assert summary.all("code")[0].text == short_id(claim.id)
        assert word(claim.verdict) in summary.text
        assert ("open" in found.attributes) is (claim.verdict is Verdict.REFUTED)


def test_formulas_are_typeset_and_no_tex_is_left() -> None:
    root = shown(invented.theorem_6_2())
    assert root.all("math")
    assert not re.search(r"\\[a-z]+|\$", root.text)


def test_a_claim_alone_shows_what_its_theorem_shows_of_it(one_parameter_result: TheoremResult) -> None:
    for claim, folded in zip(
        one_parameter_result.claims, shown(one_parameter_result).all("details"), strict=True
    ):
        alone = shown(claim)
        assert len(alone.all("li")) == len(folded.all("li")) > 0
        assert len(alone.all("table")) == len(folded.all("table"))
        assert word(claim.verdict) in alone.text


def test_a_run_shows_every_theorem_and_false_variants_their_verdicts(run_result: RunResult) -> None:
    text = shown(run_result).text
    for theorem in run_result.theorems:
        assert f"{theorem.theorem} " in text
        for twin in theorem.false_variants:
            run = any(twin.claim == claim.id for claim in theorem.claims)
            assert (f"False variant {short_id(twin.id)}" in text) is run
    one = invented.theorem("theorem_6_2", [invented.claim("theorem_6_2.limit")], variants=[variant()])
    assert "twin ✓ verified on point(2)" in shown(one).text
    fallen = msgspec.structs.replace(one, false_variants=[variant(Verdict.REFUTED)])
    assert "twin, refuted on point(2)" in shown(fallen).text


def variant(verdict: Verdict = Verdict.VERIFIED) -> invented.FalseVariantResult:
    return invented.FalseVariantResult(
        "theorem_6_2.twin", "theorem_6_2.limit", "$0 = 1$", "point(2)", verdict, {}
    )


def test_a_step_that_fails_and_a_hypothesis_that_fails_are_seen(odd_result: TheoremResult) -> None:
    text = shown(odd_result).text
    for hypothesis in odd_result.hypotheses:
        assert (f"Hypothesis {hypothesis.id} fails" in text) is not hypothesis.holds
    wrong = Step(Evidence.EXACT, "one is two", "1 = 2", Verdict.REFUTED)
    claim = invented.claim("theorem_6_2.limit", Verdict.REFUTED, steps=[wrong])
    assert "one is two (exact)✗ refuted" in shown(claim).all("li")[0].text


def test_a_simulation_is_a_table_for_each_size(simulation_result: SimulationResult) -> None:
    root = shown(simulation_result)
    assert len(root.all("tr")) - len(root.all("table")) == len(simulation_result.rows)
    assert len(root.all("table")) == len({(tuple(row.dims), row.context) for row in simulation_result.rows})
    assert "interrupted before the end" in root.text


def test_it_may_be_shown_several_times_in_one_page(run_result: RunResult) -> None:
    """No id, no link into the page, no script."""
    for node in shown(run_result).walk():
        assert not {"id", "href", "src"} & node.attributes.keys()
        assert node.tag != "script"


@pytest.mark.parametrize("place", ["title", "source", "statement"])
def test_text_of_others_is_no_html(one_parameter_result: TheoremResult, place: str) -> None:
    claim = invented.claim("theorem_6_2.limit", statement=HOSTILE, figure=HOSTILE, values={HOSTILE: HOSTILE})
    hostile = msgspec.structs.replace(
        one_parameter_result, claims=[claim], false_variants=[variant()], **{place: HOSTILE}
    )
    root = shown(hostile)
    assert {"script", "img"} & {node.tag for node in root.walk()} == set()
    assert len(root.all("style")) == 1
    assert all(not key.startswith("on") for node in root.walk() for key in node.attributes)


def test_the_same_result_gives_the_same_fragment(one_parameter_result: TheoremResult) -> None:
    later = msgspec.structs.replace(
        one_parameter_result,
        seconds=99.0,
        claims=[msgspec.structs.replace(claim, seconds=9.0) for claim in one_parameter_result.claims],
    )
    assert fragment(later) == fragment(one_parameter_result)
