"""JUnit XML for CI servers."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import msgspec
import pytest

from reports.junit import to_junit
from reports.results import FalseVariantResult, RunResult, TheoremResult, Verdict
from tests.reports import invented

BEGUN = datetime(2026, 2, 28, 23, 59, 30, tzinfo=UTC)


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
    cases = ElementTree.fromstring(to_junit(result, BEGUN)).findall(".//testcase")
    assert [(case.get("classname"), case.get("name"), outcome(case)) for case in cases] == [
        ("t", "c", claim),
        ("t.false_variants", "twin", variant),
    ]


def test_counts(run_result: RunResult) -> None:
    root = ElementTree.fromstring(to_junit(run_result, BEGUN))
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [result.theorem for result in run_result.theorems]
    for element in (root, *suites):
        cases = element.findall(".//testcase")
        assert element.get("tests") == str(len(cases))
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if (plural, element.tag) == ("skipped", "testsuites"):
                continue  # Jenkins' schema has no such attribute there
            assert element.get(plural) == str(sum(outcome(case) == tag for case in cases))
    assert suites[-1].get("failures") == "2"


def test_failures_say_why(odd_result: TheoremResult) -> None:
    failure = ElementTree.fromstring(to_junit(odd_result, BEGUN)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "0.4 ≠ 2/7 for a_b\\c"
    assert "50%_of\\norms_#1.csv" in (failure.text or "")
    assert "\x1b" not in (failure.text or "")


def test_same_result_same_bytes(any_result: TheoremResult) -> None:
    assert to_junit(any_result, BEGUN) == to_junit(any_result, BEGUN)


# Jenkins' xunit plugin, junit-10.xsd, as rules: element -> its children, its attributes, those required.
# Of the attributes' types: counts are whole numbers, a time has at most three decimals.
RULES = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors", "disabled"}, set()),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {
            *("name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname"),
            *("id", "package", "file", "log", "url", "version"),
        },
        {"name", "tests", "failures", "errors"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
    "testcase": (
        {"skipped", "error", "failure", "rerunFailure", "system-out", "system-err"},
        {"name", "time", "classname", "group"},
        {"name"},
    ),
    # Surefire's schema wants the type.
    "failure": (set(), {"type", "message"}, {"type"}),
    "error": (set(), {"type", "message"}, {"type"}),
    "skipped": (set(), {"type", "message"}, set()),
}
FORMS = {
    "time": r"\d+\.\d{1,3}",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    **dict.fromkeys(("tests", "failures", "errors", "skipped"), r"\d+"),
}


def faults(element: ElementTree.Element) -> list[str]:
    children, known, required = RULES[element.tag]
    found = [f"{element.tag} in {element.tag}" for child in element if child.tag not in children]
    found += [
        f"{element.tag}.{name}" for name in set(element.keys()) - known | required - set(element.keys())
    ]
    found += [
        f"{element.tag}.{name} = {value!r}"
        for name, value in element.items()
        if not re.fullmatch(FORMS.get(name, ".*"), value, re.DOTALL)
    ]
    return found + [fault for child in element for fault in faults(child)]


def test_jenkins_takes_it(run_result: RunResult, odd_result: TheoremResult) -> None:
    for result in (run_result, odd_result, msgspec.structs.replace(odd_result, partial=True)):
        document = to_junit(result, BEGUN)
        assert faults(ElementTree.fromstring(document)) == []
        assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", document)


def test_the_rules_reject_what_jenkins_rejects() -> None:
    """The root had `skipped`, and failures no type."""
    old = '<testsuites skipped="0"><testsuite name="a" tests="1" failures="1" errors="0"><testcase name="b">'
    old += '<failure message="c"/></testcase></testsuite></testsuites>'
    assert faults(ElementTree.fromstring(old)) == ["testsuites.skipped", "failure.type"]


def test_suites_follow_one_another_in_time(run_result: RunResult) -> None:
    stamps = [suite.get("timestamp", "") for suite in ElementTree.fromstring(to_junit(run_result, BEGUN))]
    assert stamps[0] == "2026-02-28T23:59:30"
    assert stamps == sorted(stamps)
