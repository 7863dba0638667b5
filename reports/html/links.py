"""Names of the places in a page that links lead to."""

from __future__ import annotations

import re

from reports.results import TheoremResult

ASSUMPTIONS = "standing assumptions"


def anchor(id: str) -> str:
    """The id of the element: without spaces and what a link would read as a sign."""
    return re.sub(r"[^\w.-]+", "-", id)


def ground(theorem: TheoremResult, key: str) -> str:
    """Where a theorem's page has a hypothesis, an argument or the standing assumptions."""
    return f"{anchor(theorem.theorem)}-{anchor(key)}"
