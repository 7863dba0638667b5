"""JUnit XML for CI servers."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from reports.junit import to_junit
from reports.results import FalseVariantResult, RunResult, TheoremResult, Verdict
from tests.reports import invented


def outcome(case: ElementTree.Element) -> str:
    found = {child.tag for child in case}
    assert len(found) <= 1
    return found.pop() if found else "passed"


@pytest.mark.parametrize(
    ("verdict", "claim", "variant"),
    [
        (Verdict.VERIFIED, "passed", "failure"),
        (Verdict.REFUTED, "failure", "passed"),
        (Verdict.INCONCLUSIVE, "error", "error"),
        (Verdict.NOT_APPLICABLE, "skipped", "error"),
    ],
)
def test_outcomes(verdict: Verdict, claim: str, variant: str) -> None:
    twin = FalseVariantResult("twin", "t.c", "", "uniform(1, 4)", verdict, {})
    result = invented.theorem("t", [invented.claim("t.c", verdict)], variants=[twin])
    cases = ElementTree.fromstring(to_junit(result)).findall(".//testcase")
    assert [(case.get("classname"), case.get("name"), outcome(case)) for case in cases] == [
        ("t", "c", claim),
        ("t.false_variants", "twin", variant),
    ]


def test_counts(run_result: RunResult) -> None:
    root = ElementTree.fromstring(to_junit(run_result))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [result.theorem for result in run_result.theorems]
    for element in (root, *suites):
        cases = element.findall(".//testcase")
        assert element.get("tests") == str(len(cases))
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert element.get(plural) == str(sum(outcome(case) == tag for case in cases))
    assert suites[-1].get("failures") == "2"


def test_failures_say_why(odd_result: TheoremResult) -> None:
    failure = ElementTree.fromstring(to_junit(odd_result)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "0.4 ≠ 2/7 for a_b\\c"
    assert "50%_of\\norms_#1.csv" in (failure.text or "")
    assert "\x1b" not in (failure.text or "")


def test_same_result_same_bytes(any_result: TheoremResult) -> None:
    assert to_junit(any_result) == to_junit(any_result)
