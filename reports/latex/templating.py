"""The templates: documents and notebook fragments in which only the result varies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.latex.display import display
from reports.latex.steps import items
from reports.latex.tables import simulation_rows, tables
from reports.latex.text import argument, claimed, escape, heading, law, note, prose
from reports.results import RunResult, TheoremResult
from reports.text import coq, summary

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "templates"


def render(template: str, **values: Any) -> str:
    """The template of this name, filled in."""
    return _environment().get_template(template).render(**values)


def notebook_latex(result: TheoremResult | RunResult) -> str:
    """What a notebook that becomes a LaTeX document shows of a result."""
    return "\n".join(render("notebook.tex.jinja", theorem=theorem) for theorem in summary.theorems(result))


@cache
def _environment() -> Environment:
    """Templates in which ``<< >>`` prints and ``<% %>`` steers, so that LaTeX's braces stay its own."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,
    )
    environment.filters |= {
        "text": escape,
        "code": lambda text: escape(text, unbroken=0),
        "prose": prose,
        "heading": heading,
        "display": display,
        "argument": argument,
        "claimed": claimed,
        "items": items,
        "note": note,
        "tables": tables,
        "simulation_rows": simulation_rows,
        "law": law,
        "closing": summary.closing_line,
        "extent": summary.extent,
        "deciding": summary.decided,
        "evidence": summary.evidence,
        "universal": summary.universal_text,
        "carried": coq.carried,
        "laid_out": coq.laid_out,
        "origin": summary.provenance_text,
        "depths": summary.depths_text,
        "short": summary.short_id,
        "word": summary.word,
        "seconds": summary.seconds_text,
        "shorten": summary.shorten,
    }
    return environment
