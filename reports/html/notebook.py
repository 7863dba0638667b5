"""What a notebook shows of a result: formulas as MathML, claims folded."""

from __future__ import annotations

import msgspec

from reports.html.templating import render
from reports.results import ClaimResult, RunResult, TheoremResult
from reports.text import summary


def fragment(result: TheoremResult | RunResult | ClaimResult) -> str:
    """A piece of HTML without ids, since one result may be shown several times."""
    # As a page has it: what is stored of the numbers.
    stored = msgspec.json.decode(msgspec.json.encode(result), type=type(result))
    if isinstance(stored, ClaimResult):
        return render("notebook.html.jinja", theorems=[], claim=stored).decode()
    return render("notebook.html.jinja", theorems=summary.theorems(stored), claim=None).decode()
