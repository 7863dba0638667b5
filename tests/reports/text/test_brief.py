"""What `repr` and `format` give for results and enclosures."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.results import Certified, LawRecord, RunResult, SimulationResult, TheoremResult, Verdict
from reports.text.brief import brief
from tests.reports import invented


def test_a_result_fits_five_lines(
    any_result: TheoremResult, run_result: RunResult, simulation_result: SimulationResult
) -> None:
    for result in (any_result, run_result, simulation_result, *any_result.claims):
        lines = repr(result).splitlines()
        assert 1 <= len(lines) <= 5
        assert all(0 < len(line) <= 100 for line in lines)


def test_a_result_says_its_verdict_and_its_claims() -> None:
    claims = [invented.claim("theorem_6_2.limit", figure="T0 = 17", values={"T0": 17})]
    result = invented.theorem("theorem_6_2", claims)
    assert repr(result).splitlines() == [
        "theorem_6_2 is verified for ‖m‖² ~ uniform(1, 4) (claims: 1 verified).",
        "claims: limit",
    ]
    assert repr(claims[0]) == "theorem_6_2.limit: verified (enclosure): T0 = 17\nvalues: T0"
    run = RunResult(1, Verdict.VERIFIED, [result], result.environment, 0.1)
    assert repr(run).splitlines() == ["All theorems: verified (1 verified).", "theorems: theorem_6_2"]


def test_a_law_of_many_atoms_and_terminal_codes_are_cut() -> None:
    atoms = ", ".join(f"{k}: 1/1000" for k in range(1, 1001))
    law = LawRecord("squared_norm", [f"atoms({{{atoms}}})\x1b[31m"], "1", "1000", "0")
    claims = [invented.claim(f"theorem_6_2.a_claim_with_a_long_name_{k}", Verdict.REFUTED) for k in range(40)]
    shown = repr(invented.theorem("theorem_6_2", claims, law=law))
    assert len(shown.splitlines()) == 5
    assert [line.endswith(" ...") for line in shown.splitlines()] == [False, False, True, False, True]
    assert "\x1b" not in shown


def test_a_simulation_that_was_interrupted_says_so(simulation_result: SimulationResult) -> None:
    assert "interrupted" in repr(simulation_result)
    assert "interrupted" not in repr(msgspec.structs.replace(simulation_result, complete=True))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Certified("0.28091", "0.28095"), "0.28093 ± 0.00002"),
        (Certified("1.2e-970", "1.3e-970"), "1.25e-970 ± 5e-972"),
        (Certified("-1", "1"), "0 ± 1"),
        (Certified("0.25", "0.25"), "0.25"),
        (Certified("0.26", "0.27", "5/19"), "5/19"),
        (Certified("1", "1", "1" * 90), "11111111111111111111...1111 (90 digits)"),
    ],
)
def test_an_enclosure_is_a_number_with_how_far_off_it_may_be(number: Certified, text: str) -> None:
    assert repr(number) == str(number) == f"{number}" == text
    assert f"{number:>50}" == text.rjust(50)


@given(st.fractions(), st.fractions(min_value=0), st.integers(-900, 900))
def test_what_is_printed_holds_the_enclosure(low: Fraction, width: Fraction, exponent: int) -> None:
    ends = [f"{_decimal(x)}e{exponent}" for x in (low, low + width)]
    middle, _, radius = repr(Certified(*ends)).partition(" ± ")
    centre, reach = Fraction(middle), Fraction(radius or 0)
    assert centre - reach <= Fraction(ends[0])
    assert Fraction(ends[1]) <= centre + reach


def _decimal(number: Fraction) -> Decimal:
    return Decimal(math.floor(10**6 * number)).scaleb(-6)


@pytest.mark.parametrize(
    ("format", "text"),
    [(".3g", "1.25e-970"), (".1e", "1.2e-970"), ("+.2e", "+1.25e-970"), (">12.3g", "   1.25e-970")],
)
def test_a_format_of_floats_is_of_the_middle_at_any_magnitude(format: str, text: str) -> None:
    assert f"{Certified('1.2e-970', '1.3e-970'):{format}}" == text


def test_a_format_has_all_the_digits_asked_for() -> None:
    number = Certified("0.28", "0.29", "2/7")
    assert f"{number:.200f}" == "0." + ("285714" * 34)[:199] + "9"
    assert f"{Certified('1e90', '1e90', '1' + '0' * 90):.2f}" == "1" + "0" * 90 + ".00"


def test_what_formats_no_number_formats_no_enclosure() -> None:
    with pytest.raises(ValueError, match="format"):
        f"{Certified('1', '2'):.3x}"
    with pytest.raises(TypeError, match="no result: dict"):
        brief({})
