"""The checks of a claim as a page lists them: what was checked in several cases is one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
from markupsafe import Markup

from reports.html.mathematics import formula, marked
from reports.html.values import number
from reports.latex.steps import grouped
from reports.results import Step, Valued, Verdict
from reports.text.cases import case_name, general, listed, varying
from reports.text.marked import as_formula
from reports.text.summary import shorten


@dataclass(frozen=True)
class Finding:
    """What was found in one case."""

    case: Markup
    text: Markup
    verdict: Verdict


@dataclass(frozen=True)
class Item:
    """One or more steps; `verdict`: the worst."""

    statement: Markup
    evidence: str
    verdict: Verdict
    detail: Markup = field(default_factory=Markup)
    formulas: Sequence[Markup] = ()
    findings: Sequence[Finding] = ()


def items(steps: Sequence[Step]) -> list[Item]:
    """The steps in reading order, the cases of one together at the place of the first."""
    return [item for group in grouped(steps) for item in _items(group)]


def _items(group: list[Step]) -> list[Item]:
    names = varying(group)
    if len(group) == 1 or not names:
        return [_single(step) for step in group]
    worst = Verdict.worst(step.verdict for step in group)
    formulas = {step.latex for step in group}
    shown = [formula(group[0].latex, block=True)] if len(formulas) == 1 and group[0].latex else []
    if len(formulas) == 1 and len({step.detail for step in group}) == 1 and worst is Verdict.VERIFIED:
        statement = marked(f"{general(group[0], names)}, {listed(group, names)}")
        return [Item(statement, _evidence(group), worst, marked(group[0].detail), shown)]
    findings = [Finding(_case(step, names), _found(step, bool(shown)), step.verdict) for step in group]
    return [Item(marked(general(group[0], names)), _evidence(group), worst, Markup(), shown, findings)]


def _single(step: Step) -> Item:
    shown = [formula(latex, block=True) for latex in [step.latex] if latex]
    shown += [formula(f"{as_formula(value.name)} = {value.latex}", block=True) for value in step.values]
    detail = [marked(step.detail)] if step.detail else []
    detail += [_valued(value) for value in step.values]
    return Item(marked(step.statement), _evidence([step]), step.verdict, Markup("; ").join(detail), shown)


def _valued(value: Valued) -> Markup:
    """The number that a formula has, and at which values of its letters."""
    at = Markup(", ").join(
        Markup("{} = {}").format(formula(name), shorten(given, 40)) for name, given in value.at.items()
    )
    found = number(msgspec.to_builtins(value.value))
    return Markup("{} = {} at {}").format(marked(value.name), found, at)


def _evidence(group: Sequence[Step]) -> str:
    """Kind, working precision, and whether it is a second route to what another step has shown."""
    bits = sorted({step.precision_bits for step in group if step.precision_bits})
    span = f"{bits[0]}–{bits[-1]}" if len(bits) > 1 else f"{bits[0]}" if bits else ""
    second = "second route" if all(step.cross_check for step in group) else ""
    return ", ".join(filter(None, [group[0].kind, span and f"{span} bits", second]))


def _case(step: Step, names: Sequence[str]) -> Markup:
    """``T = 8``."""
    return Markup(", ").join(marked(case_name(step.words, name, step.case[name])) for name in names)


def _found(step: Step, formula_above: bool) -> Markup:
    parts = [formula(step.latex)] if step.latex and not formula_above else []
    return Markup(", ").join([*parts, *([marked(step.detail)] if step.detail else [])])
