"""The templates of the pages; what they print is escaped unless it was made as HTML here."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from reports.html import mathematics, steps, tables, values
from reports.html.links import anchor, ground
from reports.html.rests import picture
from reports.results import Verdict
from reports.simulation import remarks
from reports.text import coq, summary
from reports.text.marked import visible

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "templates"
MARKS = {Verdict.VERIFIED: "✓", Verdict.REFUTED: "✗", Verdict.INCONCLUSIVE: "?", Verdict.NOT_APPLICABLE: "–"}


def render(template: str, **given: Any) -> bytes:
    """The template of this name, filled in, in UTF-8."""
    script = (FOLDER / "script.js").read_text(encoding="utf-8")
    given |= {
        "not_proved": summary.NOT_PROVED,
        "script": Markup(script),
        "style": Markup((FOLDER / "style.css").read_text(encoding="utf-8")),
        "policy": policy(script),
    }
    return _environment().get_template(template).render(given).encode()


def policy(script: str) -> str:
    """What a browser allows the page: its own style sheet, script and pictures, nothing from elsewhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "anchor": anchor,
        "argument": mathematics.argument,
        "carried": coq.carried,
        "command": summary.command_text,
        "closing": summary.closing_line,
        "declared": tables.declared,
        "deciding": summary.decided,
        "depths": summary.depths_text,
        "evidence": summary.evidence,
        "extent": summary.extent,
        "formula": mathematics.formula,
        "ground": ground,
        "items": steps.items,
        "laid_out": coq.laid_out,
        "law": values.law,
        "mark": MARKS.__getitem__,
        "marked": mathematics.marked,
        "model": values.model,
        "number": values.number,
        "origin": summary.provenance_text,
        "picture": picture,
        "plain": mathematics.plain,
        "ran_on": lambda law: summary.ran_on(law.kind, law.texts),
        "remarks": remarks,
        "seconds": summary.seconds_text,
        "short": summary.short_id,
        "shorten": summary.shorten,
        "tables": tables.tables,
        "universal": summary.universal_text,
        "visible": visible,
        "word": summary.word,
    }
    return environment
