"""The steps of a claim with the cases of one together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reports.results import Step


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
    """The statement about any case; `names`: of what varies."""
    words = step.words
    for name, value in step.case.items():
        if name not in names:
            words = words.replace(f"{{{name}}}", value)
        elif f"{name} = {{{name}}}" in words:
            words = words.replace(f"{name} = {{{name}}}", name)
        else:
            words = words.replace(f"{{{name}}}", f"each {name}")
    fixed = [
        f"{name} = {value}"
        for name, value in step.case.items()
        if name not in names and f"{{{name}}}" not in step.words
    ]
    return ", ".join([words, *fixed])
