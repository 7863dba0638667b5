"""Results of verification runs and everything they turn into; imports no other package of this project.

Results do not know how they are shown: what a notebook calls is attached here.
"""

from __future__ import annotations

from reports.results import RunResult, TheoremResult


def _html(result: TheoremResult | RunResult) -> str:
    from reports.latex.templating import notebook_html

    return notebook_html(result)


def _latex(result: TheoremResult | RunResult) -> str:
    from reports.latex.templating import notebook_latex

    return notebook_latex(result)


for _kind in (TheoremResult, RunResult):
    for _name, _hook in {"_repr_html_": _html, "_repr_latex_": _latex}.items():
        setattr(_kind, _name, _hook)
