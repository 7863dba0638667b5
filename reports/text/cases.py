"""The steps of a claim with the cases of one together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from reports.results import Step
from reports.text.marked import in_case


def groups(steps: Sequence[Step], apart: Callable[[Step], object] = lambda step: "") -> list[list[Step]]:
    """The steps in reading order, the cases of one together at the place of the first.

    apart: what else keeps steps apart than kind, words and names of the case.
    """
    found: list[list[Step]] = []
    alike: dict[tuple[object, ...], list[Step]] = {}
    for step in steps:
        key = (step.kind, step.words or step.statement, tuple(step.case), apart(step), bool(step.latex))
        group = alike.get(key, [])
        if not group or not step.case or step.case in [other.case for other in group]:
            # The same case again belongs to another derivation.
            alike[key] = group = []
            found.append(group)
        group.append(step)
    return found


def varying(group: Sequence[Step]) -> list[str]:
    """The names of what differs from case to case."""
    return [name for name in group[0].case if len({step.case[name] for step in group}) > 1]


def general(step: Step, names: Sequence[str]) -> str:
    """The sentence about any case, ``the flow from each start rises``; `names`: of what varies."""
    words = step.words
    for name in names:
        for here, anywhere in ((f"{name} = {{{name}}}", name), (f"${{{name}}}$", f"each {name}")):
            words = words.replace(here, anywhere)
        words = words.replace(f"{{{name}}}", name)
    return in_case(words, {name: value for name, value in step.case.items() if name not in names})


def case_name(words: str, name: str, value: str) -> str:
    """What tells a case from the others: ``$T = 8$``, ``start $0$``; what stands as words, alone."""
    if f"{{{name}}}" not in words or f"{name} = {{{name}}}" in words:
        return f"${name} = {value}$"
    return f"{name} ${value}$" if f"${{{name}}}$" in words else value


def listed(group: Sequence[Step], names: Sequence[str]) -> str:
    """The cases, ``$T = 1$, $2$, $8$``; where several things vary, every value of each or every case."""
    words = group[0].words
    columns = {name: list(dict.fromkeys(step.case[name] for step in group)) for name in names}
    if prod(map(len, columns.values())) == len(group):
        return "; ".join(_values(words, name, values) for name, values in columns.items())
    cases = ([case_name(words, name, step.case[name]) for name in names] for step in group)
    return "; ".join(", ".join(case) for case in cases)


def _values(words: str, name: str, values: Sequence[str]) -> str:
    first, *others = (case_name(words, name, value) for value in values)
    bare_values = (other.replace(f"{name} = ", "").replace(f"{name} ", "") for other in others)
    return ", ".join([first, *bare_values])
