"""The help of a theorem: the options that it has, its depths, its claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proofs_check.command_line.options import Options
from proofs_check.engine.context import OF_SOME_THEOREMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proofs_check.engine.claims import Theorem


def adapt(command: Any, theorems: Sequence[Theorem], *, every: bool) -> None:
    """Hide the options of a command that its theorems lack, and say what these have.

    every: it runs all theorems, and has no option that is meant for one.
    """
    had = {option for theorem in theorems for option in theorem.options}
    for_one = {option.name for option in Options.declared() if not option.with_all} if every else set()
    for parameter in command.params:
        parameter.hidden = parameter.name in (OF_SOME_THEOREMS - had) | for_one
    if every:
        return
    (theorem,) = theorems
    command.help = f"{command.help} {theorem.title}."
    command.epilog = f"Claims: {', '.join(claim.id for claim in theorem.claims)}."
    for parameter in command.params:
        if parameter.name == "depth" and theorem.default_depths:
            depths = ",".join(map(str, theorem.default_depths))
            limit = "" if theorem.max_depth is None else f"; up to {theorem.max_depth}"
            parameter.help = f"{parameter.help.removesuffix('.')} (default: {depths}{limit})."
