"""The ways in which a computation may honestly fail.

The runner turns these, and only these, into the verdict `inconclusive`; any
other exception is a bug.
"""

from __future__ import annotations


class NumericsError(Exception):
    """A computation gave up; nothing is known about its answer.

    The message is a marked text, formulas in dollars.
    remedy: what would let it go on; empty where nothing known does.
    """

    remedy = ""


class PrecisionExhausted(NumericsError):
    """The working precision reached its limit before the question was decided."""

    remedy = "raise `--max-bits`"


class NoConvergence(NumericsError):
    """An iteration or an integration reached its limit."""


class DepthLimit(NumericsError):
    """The depth is beyond what is implemented for this law and weight."""

    remedy = "ask for smaller depths, or a larger `--epsilon`"


class NotRational(NumericsError):
    """An exact number was asked for where the law has only enclosures."""


class TimeLimit(NumericsError):
    """The time allowed for a claim ran out."""
