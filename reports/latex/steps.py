"""The steps of a claim as a report lists them: what was checked at several depths or sizes is one item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from reports.latex.display import width
from reports.latex.text import formula, note, number, prose
from reports.results import Step, Valued, Verdict
from reports.text.cases import general, groups, varying
from reports.text.summary import shorten, word

# A formula beside its case, as many characters wide at most.
SHORT = 48


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
    """The steps in reading order, the cases of one together at the place of the first."""
    found = groups(steps, lambda step: step.latex if width(step.latex) > SHORT else "")
    return [item for group in found for item in _items(group)]


def _items(group: list[Step]) -> list[Item]:
    names = varying(group)
    if len(group) == 1 or not names:
        return [_single(step) for step in group]
    statement = prose(general(group[0], names))
    evidence = _evidence(group)
    formulas = {step.latex for step in group}
    if len(formulas) == 1 and len({step.detail for step in group}) == 1 and _verified(group):
        values = _list([{name: step.case[name] for name in names} for step in group])
        return [Item(f"{statement}, {values}", evidence, note(group[0].detail), formula(group[0].latex))]
    shown = formula(group[0].latex) if len(formulas) == 1 else ""
    findings = [
        Finding(_case({name: step.case[name] for name in names}), _found(step, with_formula=not shown))
        for step in group
    ]
    return [Item(statement, evidence, "", shown, findings)]


def _single(step: Step) -> Item:
    mark = "" if step.verdict is Verdict.VERIFIED else rf", \textbf{{{word(step.verdict)}}}"
    shown = [step.latex, *(f"{value.name} = {value.latex}" for value in step.values)]
    numbers = ", ".join(map(_valued, step.values))
    detail = "; ".join(filter(None, [note(step.detail), numbers]))
    together = r" \\ ".join(filter(None, shown))
    return Item(prose(step.statement), _evidence([step]) + mark, detail, formula(together))


def _valued(value: Valued) -> str:
    """``rho = 0.44``, and at which values of the letters."""
    import msgspec

    at = ", ".join(f"{_letter(name)} = {note(shorten(given, 40))}" for name, given in value.at.items())
    return f"{note(value.name)} = {number(msgspec.to_builtins(value.value))} at {at}"


def _letter(name: str) -> str:
    return f"${formula(name)}$" if "\\" in name else note(name)


def _verified(group: Sequence[Step]) -> bool:
    return all(step.verdict is Verdict.VERIFIED for step in group)


def _evidence(group: Sequence[Step]) -> str:
    """Kind, and the working precision."""
    bits = sorted({step.precision_bits for step in group if step.precision_bits})
    span = f"{bits[0]}--{bits[-1]}" if len(bits) > 1 else f"{bits[0]}" if bits else ""
    return f"{group[0].kind}{f', {span} bits' if span else ''}"


def _case(case: dict[str, str]) -> str:
    """``$T = 8$``; what is named by a word stands after it."""
    return ", ".join(_one(name, value) for name, value in case.items())


def _one(name: str, value: str) -> str:
    symbol = len(name) == 1 or name.startswith("(")
    return note(f"{name} = {value}") if symbol else f"{name} {note(value)}"


def _list(cases: Sequence[dict[str, str]]) -> str:
    """``T = 1, 2, 8``; with several things that vary, every value of each or every case."""
    columns = {name: list(dict.fromkeys(case[name] for case in cases)) for name in cases[0]}
    if prod(map(len, columns.values())) == len(cases):
        return "; ".join(_values(name, values) for name, values in columns.items())
    return "; ".join(map(_case, cases))


def _values(name: str, values: Sequence[str]) -> str:
    return ", ".join([_one(name, values[0]), *map(note, values[1:])])


def _found(step: Step, with_formula: bool) -> str:
    parts = [f"${formula(step.latex)}$" if step.latex and with_formula else "", note(step.detail)]
    if step.verdict is not Verdict.VERIFIED:
        parts.append(rf"\textbf{{{word(step.verdict)}}}")
    return ", ".join(filter(None, parts))
