"""A result in the few lines that Python shows of it, and an enclosure as a number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, localcontext
from functools import singledispatch
from textwrap import wrap

from reports.results import Certified, ClaimResult, RunResult, SimulationResult, TheoremResult
from reports.text import summary
from reports.text.numbers import certain_digits

WIDTH, MOST_LINES = 100, 5
PLACES = 60


@singledispatch
def brief(value: object) -> str:
    """What `repr` gives for it."""
    raise TypeError(f"no result: {type(value).__name__}")


@brief.register
def of_theorem(result: TheoremResult) -> str:
    """The closing line, and the claims by the ids that `result[...]` takes."""
    return _lines(
        summary.closing_line(result), "claims", (summary.short_id(claim.id) for claim in result.claims)
    )


@brief.register
def of_run(result: RunResult) -> str:
    """The closing line, and the theorems."""
    return _lines(summary.closing_line(result), "theorems", (theorem.theorem for theorem in result.theorems))


@brief.register
def of_claim(claim: ClaimResult) -> str:
    """What was found and by which evidence, and the values by their keys."""
    by = f" ({kind})" if (kind := summary.evidence(claim)) else ""
    found = f": {decided}" if (decided := summary.decided(claim)) else ""
    return _lines(f"{claim.id}: {summary.word(claim.verdict)}{by}{found}", "values", claim.values)


@brief.register
def of_simulation(result: SimulationResult) -> str:
    """Its size, and the models."""
    end = "" if result.complete else ", interrupted before the end"
    rows = f"{len(result.rows)} row{'' if len(result.rows) == 1 else 's'}"
    models = dict.fromkeys(row.model for row in result.rows)
    return _lines(f"simulation on {summary.law_text(result.law)}: {rows}{end}", "models", models)


def _lines(sentence: str, what: str, names: Iterable[str]) -> str:
    named = ", ".join(names)
    texts = [(sentence, MOST_LINES - 2), (f"{what}: {named}", 2)] if named else [(sentence, MOST_LINES)]
    return "\n".join(
        line
        for text, most in texts
        for line in wrap(
            summary.to_unicode(text),
            WIDTH,
            max_lines=most,
            subsequent_indent="  ",
            placeholder=" ...",
            break_on_hyphens=False,
        )
    )


@brief.register
def of_enclosure(number: Certified) -> str:
    """The rational number, or decimals with how far off they may be: ``0.28091 ± 2e-5``."""
    if number.exact is not None:
        return summary.shorten_numbers(number.exact)
    digits = certain_digits(Decimal(number.lower), Decimal(number.upper), PLACES)
    mantissa, _, doubt = digits.mantissa.rstrip(")").partition("(")
    exponent = f"e{digits.exponent}" if digits.exponent else ""
    if not doubt:
        return f"{mantissa}{exponent}"
    place = digits.exponent - len(mantissa.partition(".")[2])
    return f"{mantissa}{exponent} ± {Decimal(doubt).scaleb(place):g}".replace("e+", "e")


def formatted(number: Certified, format: str) -> str:
    """`.6g`, `.3e` and the like are of the middle, at any magnitude; what only aligns, of the whole text."""
    if re.search(r"\.\d|[a-zA-Z%]$", format) is None:
        return f"{of_enclosure(number):{format}}"
    middle = number.middle
    with localcontext() as context:
        # Enough for the digits asked for, however many stand before the point.
        asked = re.search(r"\.(\d+)", format)
        before = max(0, len(str(abs(int(middle)))))
        context.prec = max(PLACES, before + int(asked[1] if asked else 0) + 3)
        return f"{Decimal(middle.numerator) / Decimal(middle.denominator):{format}}"
