"""A result as JUnit XML, the form that CI servers read.

A claim is a test case: refuted is a failure, inconclusive an error, not
applicable skipped.  A false variant is one too, and passes if it is refuted.
"""

from __future__ import annotations

from xml.etree import ElementTree

from reports.results import ClaimResult, FalseVariantResult, RunResult, TheoremResult, Verdict
from reports.text import summary
from reports.text.summary import visible
from reports.text.unicode_math import to_unicode

_OUTCOMES = {Verdict.REFUTED: "failure", Verdict.INCONCLUSIVE: "error", Verdict.NOT_APPLICABLE: "skipped"}
_VARIANT_OUTCOMES = {
    Verdict.VERIFIED: "failure",
    Verdict.INCONCLUSIVE: "error",
    Verdict.NOT_APPLICABLE: "error",
}


def to_junit(result: TheoremResult | RunResult) -> bytes:
    """UTF-8 XML with a `testsuite` for each theorem; the same result gives the same bytes."""
    suites = ElementTree.Element("testsuites", name="proofs_check", time=f"{result.seconds:.3f}")
    for theorem in summary.theorems(result):
        suites.append(_suite(theorem))
    _count(suites)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(result: TheoremResult) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=result.theorem, time=f"{result.seconds:.3f}")
    properties = ElementTree.SubElement(suite, "properties")
    shown = {
        "law": summary.law_text(result.law),
        "command": " ".join(result.command),
        "seed": str(result.environment.seed),
        "closing": summary.closing_line(result),
    }
    for name, value in shown.items():
        ElementTree.SubElement(properties, "property", name=name, value=visible(value))
    suite.extend(_claim_case(result, claim) for claim in result.claims)
    suite.extend(_variant_case(result, variant) for variant in result.false_variants)
    _count(suite)
    return suite


def _claim_case(result: TheoremResult, claim: ClaimResult) -> ElementTree.Element:
    case = _case(result.theorem, summary.short_id(claim.id), claim.seconds)
    lines = [
        f"{step.verdict.value} ({step.kind.value}): {to_unicode(step.statement)}\n{visible(step.detail)}"
        for step in claim.steps
        if step.verdict is not Verdict.VERIFIED
    ]
    _outcome(case, _OUTCOMES.get(claim.verdict), claim.figure or to_unicode(claim.statement), lines)
    return case


def _variant_case(result: TheoremResult, variant: FalseVariantResult) -> ElementTree.Element:
    case = _case(f"{result.theorem}.false_variants", summary.short_id(variant.id), 0.0)
    message = f"false variant {variant.verdict.value} on {variant.law}"
    lines = [to_unicode(variant.statement), visible(variant.detail)]
    _outcome(case, _VARIANT_OUTCOMES.get(variant.verdict), message, lines)
    return case


def _case(group: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=group, name=name, time=f"{seconds:.3f}")


def _outcome(case: ElementTree.Element, outcome: str | None, message: str, lines: list[str]) -> None:
    if outcome is not None:
        element = ElementTree.SubElement(case, outcome, message=visible(message))
        element.text = "\n".join(lines)


def _count(element: ElementTree.Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    for plural, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(plural, str(len(element.findall(f".//{outcome}"))))
