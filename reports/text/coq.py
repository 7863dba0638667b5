"""What Coq has checked of a claim, in words and as Coq states it."""

from __future__ import annotations

import re

from reports.results import CoqTheorem, Universal


def carried(theorem: CoqTheorem) -> str:
    """For which laws a theorem of Coq carries what: ``Minimax.minimax, for every bounded law: the value``."""
    return f"{theorem.theorem}, for {theorem.laws}" + (f": {theorem.part}" if theorem.part else "")


def further(universal: Universal | None) -> list[CoqTheorem]:
    """The theorems of Coq beside the one that the argument itself is."""
    return [each for each in universal.coq if each.theorem != universal.theorem] if universal else []


def laid_out(statement: str) -> list[str]:
    """A statement by lines, one for each quantifier, premise and conjunct."""
    lines, depth = [""], 0
    for part in re.split(r"([()]|, | -> | /\\ )", statement):
        depth += {"(": 1, ")": -1}.get(part, 0)
        binding = lines[-1].startswith(("forall ", "exists "))
        if depth == 0 and part in ({", "} if binding else {" -> ", " /\\ "}):
            lines[-1] += part.rstrip()
            lines.append("")
        else:
            lines[-1] += part
    return lines if statement else []
