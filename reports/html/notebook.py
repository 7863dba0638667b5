"""What a notebook shows of a result: formulas as MathML, claims folded."""

from __future__ import annotations

from typing import Any

import msgspec
from markupsafe import Markup

from reports.html.page import sizes
from reports.html.templating import render
from reports.results import ClaimResult, Result, SimulationResult
from reports.text import summary


def fragment(result: Result | ClaimResult, *, unfolded: bool = False) -> str:
    """A piece of HTML without ids, since one result may be shown several times."""
    # As a page has it: what is stored of the numbers.
    stored = msgspec.json.decode(msgspec.json.encode(result), type=type(result))
    shown: dict[str, Any] = {"theorems": [], "claim": None, "simulation": None, "sizes": []}
    if isinstance(stored, ClaimResult):
        shown["claim"] = stored
    elif isinstance(stored, SimulationResult):
        shown |= {"simulation": stored, "sizes": list(sizes(stored))}
    else:
        shown["theorems"] = summary.theorems(stored)
    return render("notebook.html.jinja", open=Markup(" open") if unfolded else "", **shown).decode()
