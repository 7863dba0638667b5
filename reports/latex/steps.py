"""The steps of a claim as a report lists them: what was checked at several depths or sizes is one item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from reports.latex.display import width
from reports.latex.text import formula, note, prose
from reports.results import Step, Verdict
from reports.text.summary import word

# A formula beside its case, as many characters wide at most.
SHORT = 48
_CASE = re.compile(
    r"(?P<name>\b[TtdnL]\b|\(d1, d2\)) = (?P<value>\([^()]*\)|-?\d[\d./]*(?:e-?\d+)?)(?![\w/^])"
    r"|\bfrom (?P<start>\([^()]*\)|-?\d[\d./]*)(?![\w/^])"
)


@dataclass(frozen=True)
class Finding:
    """What was found in one case: LaTeX."""

    case: str
    text: str


@dataclass(frozen=True)
class Item:
    """One or more steps: statement, evidence, what was found, formula; all LaTeX."""

    statement: str
    evidence: str
    detail: str = ""
    formula: str = ""
    findings: Sequence[Finding] = ()

    @property
    def widest(self) -> str:
        """The longest name of a case, to make room for it."""
        return max((finding.case for finding in self.findings), key=len, default="")


def items(steps: Sequence[Step]) -> list[Item]:
    """The steps in reading order, alike ones together at the place of the first."""
    groups: list[list[Step]] = []
    alike: dict[tuple[object, ...], list[Step]] = {}
    for step in steps:
        texts = tuple(re.split(_CASE, step.statement)[:: _CASE.groups + 1])
        shown = step.latex if width(step.latex) > SHORT else ""
        key = (step.kind, texts, shown, bool(step.latex))
        group = alike.get(key, [])
        if not group or step.statement in {other.statement for other in group}:
            # The same case again belongs to another derivation.
            alike[key] = group = []
            groups.append(group)
        group.append(step)
    return [item for group in groups for item in _items(group)]


def _items(group: list[Step]) -> list[Item]:
    found = [list(_CASE.finditer(step.statement)) for step in group]
    varying = [
        slot for slot, matches in enumerate(zip(*found, strict=True)) if len({m[0] for m in matches}) > 1
    ]
    if len(group) == 1 or not varying:
        return [_single(step) for step in group]
    statement = _without(group[0].statement, [found[0][slot] for slot in varying])
    cases = [", ".join(note(matches[slot][0]) for slot in varying) for matches in found]
    evidence = _evidence(group)
    formulas = {step.latex for step in group}
    if len(formulas) == 1 and len({step.detail for step in group}) == 1 and _verified(group):
        values = _list([[matches[slot] for slot in varying] for matches in found])
        shown = formula(group[0].latex)
        return [Item(f"{statement}, {values}", evidence, note(group[0].detail), shown)]
    shown = formula(group[0].latex) if len(formulas) == 1 else ""
    findings = [
        Finding(case, _found(step, with_formula=not shown)) for case, step in zip(cases, group, strict=True)
    ]
    return [Item(statement, evidence, "", shown, findings)]


def _single(step: Step) -> Item:
    mark = "" if step.verdict is Verdict.VERIFIED else rf", \textbf{{{word(step.verdict)}}}"
    return Item(prose(step.statement), _evidence([step]) + mark, note(step.detail), formula(step.latex))


def _verified(group: Sequence[Step]) -> bool:
    return all(step.verdict is Verdict.VERIFIED for step in group)


def _evidence(group: Sequence[Step]) -> str:
    """Kind, and the working precision."""
    bits = sorted({step.precision_bits for step in group if step.precision_bits})
    span = f"{bits[0]}--{bits[-1]}" if len(bits) > 1 else f"{bits[0]}" if bits else ""
    return f"{group[0].kind}{f', {span} bits' if span else ''}"


def _without(statement: str, cases: Sequence[re.Match[str]]) -> str:
    """The statement about any case: LaTeX."""
    for case in reversed(cases):
        before, after = statement[: case.start()], statement[case.end() :]
        if case["start"]:
            statement = f"{before}from each start{after}"
        elif before.endswith(", ") or not before:
            statement = (before.removesuffix(", ") + after).removeprefix(", ")
        else:
            statement = f"{before}{case['name']}{after}"
    return prose(statement)


def _list(cases: Sequence[Sequence[re.Match[str]]]) -> str:
    """``T = 1, 2, 8``; with several things that vary, every value of each or every case."""
    columns = [list({match[0]: match for match in column}.values()) for column in zip(*cases, strict=True)]
    if prod(map(len, columns)) == len(cases):
        return "; ".join(map(_values, columns))
    return "; ".join(", ".join(note(match[0]) for match in case) for case in cases)


def _values(matches: Sequence[re.Match[str]]) -> str:
    first, *rest = matches
    return ", ".join([note(first[0]), *(note(match["value"] or match["start"]) for match in rest)])


def _found(step: Step, with_formula: bool) -> str:
    parts = [f"${formula(step.latex)}$" if step.latex and with_formula else "", note(step.detail)]
    if step.verdict is not Verdict.VERIFIED:
        parts.append(rf"\textbf{{{word(step.verdict)}}}")
    return ", ".join(filter(None, parts))
