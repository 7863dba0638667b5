"""Two stores side by side: the verdicts that changed, the numbers that moved by more than their width."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from proofs_check.sweeps.quantities import ends, quantities
from proofs_check.sweeps.store import Row, Store


@dataclass
class Difference:
    """What differs, each in a line, and how many tasks were there to compare."""

    lines: list[str] = field(default_factory=list)
    compared: int = 0
    only_old: int = 0
    only_new: int = 0


def difference_of(old: Store, new: Store) -> Difference:
    """The tasks that have an outcome in both, whatever computed them: the same questions, not addresses."""
    before, after = ({row.question: row for row in store.rows() if row.outcome} for store in (old, new))
    found = Difference(only_old=len(before.keys() - after.keys()), only_new=len(after.keys() - before.keys()))
    for question, row in after.items():
        if question in before:
            found.compared += 1
            found.lines += [f"{row.name}: {line}" for line in _changes(before[question], row)]
    return found


def _changes(old: Row, new: Row) -> list[str]:
    assert old.outcome is not None
    assert new.outcome is not None
    verdicts = [row.outcome.verdict or row.state for row in (old, new) if row.outcome is not None]
    lines = [f"{verdicts[0]}, now {verdicts[1]}"] if verdicts[0] != verdicts[1] else []
    if old.outcome.code != new.outcome.code and not lines:
        lines.append(f"exit code {old.outcome.code}, now {new.outcome.code}")
    values, now = quantities(old.outcome.result), quantities(new.outcome.result)
    lines += [
        f"{name}: {_text(values[name])}, now {_text(now[name])}"
        for name in values
        if name in now and moved(values[name], now[name])
    ]
    return lines


def moved(old: Any, new: Any) -> bool:
    """Whether two numbers lie outside each other's bounds; of what is no number, whether it is another."""
    first, second = ends(old), ends(new)
    if first is None or second is None:
        return bool(old != new)
    return bool(first[1] < second[0] or second[1] < first[0])


def _text(value: Any) -> str:
    found = ends(value)
    if found is None or found[0] == found[1]:
        return str(value if found is None else found[0])
    return f"[{found[0]}, {found[1]}]"
