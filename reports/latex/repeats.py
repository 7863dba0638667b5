"""What a document has said before: steps and arguments that come again are cited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from reports.latex.steps import Item, items
from reports.results import ClaimResult, Evidence, Step


@dataclass(frozen=True)
class Cited:
    """Steps of a claim that stand before: which, in LaTeX what the first of them says, and where."""

    first: int
    last: int
    statement: str
    claim: str

    @property
    def numbers(self) -> str:
        """``step 3`` or ``steps 3--5``."""
        return f"step~{self.first}" if self.first == self.last else f"steps~{self.first}--{self.last}"


class Repeats:
    """Remembers, while a document is made, where in it a step or an argument stands first."""

    def __init__(self) -> None:
        self._steps: dict[Item, tuple[str, int]] = {}
        self._first: dict[Hashable, str] = {}

    def listed(self, claim: ClaimResult) -> list[Item | Cited]:
        """The items of a claim in order, one for each run of them that stands in an earlier claim."""
        shown: list[Item | Cited] = []
        for item in items(claim.steps):
            place = self._steps.get(item)
            if place is None or place[0] == claim.id:
                shown.append(item)
                self._steps.setdefault(item, (claim.id, len(shown)))
            elif shown and (longer := _continued(shown[-1], *place)):
                shown[-1] = longer
            else:
                shown.append(Cited(place[1], place[1], item.statement, place[0]))
        return shown

    def first(self, said: Hashable, label: str) -> str:
        """The label under which this was said first: `label` itself if that is here."""
        return self._first.setdefault(said, label)


def _continued(before: Item | Cited, claim: str, number: int) -> Cited | None:
    """The citation with one more step, if that comes next."""
    if isinstance(before, Cited) and before.claim == claim and before.last + 1 == number:
        return replace(before, last=number)
    return None


def common_evidence(steps: Sequence[Step]) -> Evidence:
    """The kind of evidence of most of the steps, of which there is one."""
    counts = Counter(step.kind for step in steps)
    return max(counts, key=lambda kind: counts[kind])
