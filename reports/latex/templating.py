"""The templates: documents and notebook fragments in which only the result varies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.latex.display import display
from reports.latex.repeats import common_evidence
from reports.latex.tables import declared, numbers, simulation_sizes, tables
from reports.latex.text import argument, claimed, escape, heading, law, outline, prose, title
from reports.results import Environment as Recorded
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
        "declared": declared,
        "common_evidence": common_evidence,
        "numbers": numbers,
        "outline": outline,
        "tables": tables,
        "title": title,
        "author": _author,
        "sentence": _sentence,
        "trimmed": lambda text: text.rstrip(" ."),
        "variants": lambda theorem: summary.variants_text([theorem]),
        "simulation_sizes": simulation_sizes,
        "law": law,
        "ran_on": lambda law: summary.ran_on(law.kind, law.texts),
        "law_text": lambda text: escape(summary.law_name(text)),
        "asked": summary.without_outputs,
        "stated_by": summary.stated_by,
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


def _author(environment: Recorded) -> str:
    """Who wrote the report: this package, in the version that the result names."""
    return f"proofs-check {environment.packages.get('proofs-check', '')}".strip()


def _sentence(latex: str) -> str:
    """The statement with a full stop, if it ends in no other sign."""
    return latex if latex.rstrip()[-1:] in set(".:;!?") else f"{latex.rstrip()}."
