"""What a result says and why, as one reads it where it is shown: on a terminal, or typeset in a notebook."""

from __future__ import annotations

import io
from dataclasses import dataclass

from reports.results import ClaimResult, RunResult, TheoremResult


@dataclass(frozen=True, repr=False)
class Explained:
    """The statements of a result with their proofs."""

    result: TheoremResult | RunResult | ClaimResult

    def __repr__(self) -> str:
        from reports.terminal.explanation import of_claim, of_result, print_claim, print_explanation
        from reports.text.summary import theorems

        text = io.StringIO()
        if isinstance(self.result, ClaimResult):
            print_claim(of_claim(self.result), text)
        else:
            for theorem in theorems(self.result):
                print_explanation(of_result(theorem), text)
        return text.getvalue().rstrip()

    def _repr_html_(self) -> str:
        from reports.html.notebook import fragment

        return fragment(self.result, unfolded=True)
