"""A result as JUnit XML, the form that CI servers read.

A claim is a test case: refuted is a failure, inconclusive an error, not
applicable skipped.  A false variant is one too, and passes if it is refuted.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from reports.results import ClaimResult, FalseVariantResult, RunResult, TheoremResult, Verdict
from reports.text import summary
from reports.text.marked import visible
from reports.text.summary import to_unicode

_OUTCOMES = {Verdict.REFUTED: "failure", Verdict.INCONCLUSIVE: "error", Verdict.NOT_APPLICABLE: "skipped"}
_VARIANT_OUTCOMES = {
    Verdict.VERIFIED: "failure",
    Verdict.INCONCLUSIVE: "error",
    Verdict.NOT_APPLICABLE: "error",
}
TOTALS = {"failures": "failure", "errors": "error"}
# Of `testsuites` Jenkins' schema knows no such attribute.
SKIPPED = {"skipped": "skipped"}


def to_junit(result: TheoremResult | RunResult, begun: datetime) -> bytes:
    """UTF-8 XML with a `testsuite` for each theorem; `begun` is when the run was, with its time zone."""
    suites = ElementTree.Element("testsuites", name="proofs_check", time=f"{result.seconds:.3f}")
    at = begun.astimezone(UTC)
    for theorem in summary.theorems(result):
        suites.append(_suite(theorem, at))
        at += timedelta(seconds=theorem.seconds)
    _count(suites, TOTALS)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(result: TheoremResult, begun: datetime) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=result.theorem,
        time=f"{result.seconds:.3f}",
        timestamp=begun.strftime("%Y-%m-%dT%H:%M:%S"),
    )
    properties = ElementTree.SubElement(suite, "properties")
    shown = {
        "law": summary.law_text(result.law),
        "command": " ".join(result.command),
        "seed": str(result.environment.seed),
        "closing": to_unicode(summary.closing_line(result)),
    }
    if extent := summary.extent(result):
        shown["extent"] = extent
    for name, value in shown.items():
        ElementTree.SubElement(properties, "property", name=name, value=visible(value))
    suite.extend(_claim_case(result, claim) for claim in result.claims)
    suite.extend(_variant_case(result, variant) for variant in result.false_variants)
    _count(suite, TOTALS | SKIPPED)
    return suite


def _claim_case(result: TheoremResult, claim: ClaimResult) -> ElementTree.Element:
    case = _case(result.theorem, summary.short_id(claim.id), claim.seconds)
    lines = [
        f"{step.verdict.value} ({step.kind.value}): {to_unicode(step.statement)}\n{to_unicode(step.detail)}"
        for step in claim.steps
        if step.verdict is not Verdict.VERIFIED
    ]
    said = summary.decided(claim) or claim.statement
    _outcome(case, claim.verdict, _OUTCOMES, to_unicode(said), lines)
    return case


def _variant_case(result: TheoremResult, variant: FalseVariantResult) -> ElementTree.Element:
    case = _case(f"{result.theorem}.false_variants", summary.short_id(variant.id), 0.0)
    message = f"false variant {variant.verdict.value} on {variant.law}"
    lines = [to_unicode(variant.statement), to_unicode(variant.detail)]
    _outcome(case, variant.verdict, _VARIANT_OUTCOMES, message, lines)
    return case


def _case(group: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=group, name=name, time=f"{seconds:.3f}")


def _outcome(
    case: ElementTree.Element,
    verdict: Verdict,
    outcomes: Mapping[Verdict, str],
    message: str,
    lines: list[str],
) -> None:
    if (outcome := outcomes.get(verdict)) is not None:
        element = ElementTree.SubElement(case, outcome, message=visible(message))
        if outcome != "skipped":
            element.set("type", verdict.value)
        element.text = "\n".join(lines)


def _count(element: ElementTree.Element, totals: Mapping[str, str]) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    for plural, outcome in totals.items():
        element.set(plural, str(len(element.findall(f".//{outcome}"))))
