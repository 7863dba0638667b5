"""What a notebook shows of a result: formulas as MathML, claims folded."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from reports.html.templating import render
from reports.results import ClaimResult, RunResult, TheoremResult
from reports.text import summary


def fragment(result: TheoremResult | RunResult | ClaimResult, *, unfolded: bool = False) -> str:
    """A piece of HTML without ids, since one result may be shown several times."""
    # As a page has it: what is stored of the numbers.
    stored = msgspec.json.decode(msgspec.json.encode(result), type=type(result))
    if isinstance(stored, ClaimResult):
        return _rendered([], stored, unfolded)
    return _rendered(summary.theorems(stored), None, unfolded)


def _rendered(theorems: list[TheoremResult], claim: ClaimResult | None, unfolded: bool) -> str:
    given = {"theorems": theorems, "claim": claim, "open": Markup(" open") if unfolded else ""}
    return render("notebook.html.jinja", **given).decode()
