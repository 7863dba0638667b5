"""The steps of a claim as a report lists them: what was checked at several depths or sizes is one item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.latex.display import width
from reports.latex.text import bare, formula, number, prose
from reports.results import Step, Valued, Verdict
from reports.text.cases import case_name, general, groups, listed, varying
from reports.text.marked import as_formula
from reports.text.summary import shorten, word

# A formula beside its case, as many characters wide at most.
SHORT = 48
# Of more cases than these, the first and the last ones, and whatever is not verified.
MANY_CASES, SHOWN_CASES = 10, 3


@dataclass(frozen=True)
class Finding:
    """What was found in one case: LaTeX."""

    case: str
    text: str


@dataclass(frozen=True)
class Item:
    """One or more steps: statement, kind of evidence, what was found, formula; all LaTeX.

    bits:    the working precision; empty where none is set.
    verdict: empty for what is verified, and where the findings say it.
    """

    statement: str
    kind: str
    bits: str = ""
    verdict: str = ""
    detail: str = ""
    formula: str = ""
    findings: tuple[Finding, ...] = ()

    def evidence(self, besides: str | None = None) -> str:
        """What it rests on, for who knows that it is of the kind `besides`."""
        mark = rf"\textbf{{{self.verdict}}}" if self.verdict else ""
        kind = "" if self.kind == besides else self.kind
        return ", ".join(filter(None, [kind, f"{self.bits} bits" if self.bits else "", mark]))

    @property
    def widest(self) -> str:
        """The longest name of a case, to make room for it."""
        return max((finding.case for finding in self.findings), key=len, default="")


def items(steps: Sequence[Step]) -> list[Item]:
    """The steps in reading order, the cases of one together at the place of the first."""
    return [item for group in grouped(steps) for item in _items(group)]


def grouped(steps: Sequence[Step]) -> list[list[Step]]:
    """The cases of one together; what has a long formula, with its like alone."""
    return groups(steps, lambda step: step.latex if width(step.latex) > SHORT else "")


def _items(group: list[Step]) -> list[Item]:
    names = varying(group)
    if len(group) == 1 or not names:
        return [_single(step) for step in group]
    statement = prose(general(group[0], names))
    kind, bits = str(group[0].kind), _bits(group)
    formulas = {step.latex for step in group}
    if len(formulas) == 1 and len({step.detail for step in group}) == 1 and _verified(group):
        values = prose(listed(group, names))
        once = prose(group[0].detail), formula(group[0].latex)
        return [Item(f"{statement}, {values}", kind, bits, "", *once)]
    shown = formula(group[0].latex) if len(formulas) == 1 else ""
    return [Item(statement, kind, bits, "", "", shown, _findings(group, names, with_formula=not shown))]


def _findings(group: Sequence[Step], names: Sequence[str], with_formula: bool) -> tuple[Finding, ...]:
    """What was found in each case; of many verified ones in a row those in the middle are counted."""
    found = [
        Finding(_case(step.words, {name: step.case[name] for name in names}), _found(step, with_formula))
        for step in group
    ]
    if len(group) <= MANY_CASES:
        return tuple(found)
    ends = {*range(SHOWN_CASES), *range(len(group) - SHOWN_CASES, len(group))}
    kept = [i for i, step in enumerate(group) if i in ends or step.verdict is not Verdict.VERIFIED]
    shown: list[Finding] = []
    for i, following in zip(kept, [*kept[1:], len(group)], strict=True):
        shown.append(found[i])
        if following > i + 1:
            shown.append(Finding(r"\dots", f"{following - i - 1} more, all verified"))
    return tuple(shown)


def _single(step: Step) -> Item:
    verdict = "" if step.verdict is Verdict.VERIFIED else word(step.verdict)
    together = r" \\ ".join(filter(None, [formula(step.latex), *map(_valued, step.values)]))
    return Item(prose(step.statement), step.kind, _bits([step]), verdict, prose(step.detail), together)


def _valued(value: Valued) -> str:
    r"""``\rho = \max(...) = 0.44``, and at which values of the letters."""
    import msgspec

    found = bare(number(msgspec.to_builtins(value.value)))
    equal = found if found.startswith(r"\approx") else f"= {found}"
    at = ", ".join(f"{formula(name)} = {shorten(given, 40)}" for name, given in value.at.items())
    return rf"{as_formula(value.name)} = {formula(value.latex)} {equal} \qquad ({at})"


def _verified(group: Sequence[Step]) -> bool:
    return all(step.verdict is Verdict.VERIFIED for step in group)


def _bits(group: Sequence[Step]) -> str:
    """The working precision, or from which to which."""
    bits = sorted({step.precision_bits for step in group if step.precision_bits})
    return f"{bits[0]}--{bits[-1]}" if len(bits) > 1 else f"{bits[0]}" if bits else ""


def _case(words: str, case: Mapping[str, str]) -> str:
    """``$T = 8$``."""
    return ", ".join(prose(case_name(words, name, value)) for name, value in case.items())


def _found(step: Step, with_formula: bool) -> str:
    parts = [f"${formula(step.latex)}$" if step.latex and with_formula else "", prose(step.detail)]
    if step.verdict is not Verdict.VERIFIED:
        parts.append(rf"\textbf{{{word(step.verdict)}}}")
    return ", ".join(filter(None, parts))
