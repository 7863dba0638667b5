"""Results and explanations as text."""

from __future__ import annotations

import io
import re
from typing import Any

import msgspec
import pytest

from reports.layouts import TableColumn, TableLayout
from reports.results import (
    Basis,
    ClaimResult,
    Evidence,
    FalseVariantResult,
    LawRecord,
    RunResult,
    Series,
    Step,
    TheoremResult,
    Universal,
    Verdict,
)
from reports.terminal import console
from reports.terminal.explanation import ExplainedClaim, Explanation, print_explanation
from reports.terminal.theorem import print_result
from reports.text import summary
from reports.text.marked import in_case
from tests.reports import invented


def printed(result: TheoremResult | RunResult) -> str:
    stream = io.StringIO()
    print_result(result, stream)
    return stream.getvalue()


def flat(text: str) -> str:
    """The text with line breaks and padding taken out."""
    return re.sub(r"\s+", "", text)


def test_every_part_is_there(any_result: TheoremResult) -> None:
    text = printed(any_result)
    for claim in any_result.claims:
        row = rf"^  [a-z ]+  {claim.id.partition('.')[2]}( |$)"
        (line,) = [line for line in text.splitlines() if re.search(row, line)]
        assert summary.word(claim.verdict) in line
        assert summary.to_unicode(claim.figure) in line
    for hypothesis in any_result.hypotheses:
        assert hypothesis.id in text
    for variant in any_result.false_variants:
        assert variant.id in text
    assert "Not proved here" in text
    assert flat(text).endswith(flat(summary.to_unicode(summary.closing_line(any_result))))


def test_a_claim_says_for_which_laws_it_is_argued_and_how_this_law_was_checked() -> None:
    universal = Universal("every bounded law", Basis.FORMAL, "Limits.limit")
    claim = msgspec.structs.replace(invented.claim("t.limit"), universal=universal)
    text = printed(invented.theorem("t", [claim]))
    assert "every bounded law: Coq (Limits.limit); this law: enclosure; 0.04 s" in text
    symbolic = msgspec.structs.replace(claim, universal=Universal("every law", Basis.SYMBOLIC))
    assert "every law: computer algebra; 0.04 s" in printed(invented.theorem("t", [symbolic]))


def test_a_variant_names_its_law_where_that_is_another() -> None:
    twins = [
        FalseVariantResult(f"t.{id}", "t.limit", "", law, Verdict.REFUTED, {}, "seen")
        for id, law in (("here", "uniform(1, 4)"), ("there", "point(2)"))
    ]
    text = printed(invented.theorem("t", [invented.claim("t.limit")], variants=twins))
    assert re.search(r"refuted  here +seen", text)
    assert re.search(r"refuted  there +on point\(2\): seen", text)


def table_of(rows: list[list[Any]], **how: Any) -> TheoremResult:
    claim = invented.claim("t.c", series={"s": Series(["T", "lower", "upper"], rows)})
    layout = TableLayout(
        "by_depth", [TableColumn("c", "s", r"$\alpha_T$", **how)], rows=["T"], heading="By depth"
    )
    return msgspec.structs.replace(invented.theorem("t", [claim]), tables=[layout])


def test_a_table_shows_the_digits_that_are_certain() -> None:
    rows = [[1, "0.25", "0.25"], [128, "1.27387e-97", "1.27388e-97"], [4, "0.99", "1.01"], [9, None, None]]
    lines = printed(table_of(rows, note="the minimiser")).splitlines()
    start = lines.index("By depth")
    assert lines[start + 1 : start + 8] == [
        "    T  α_T",
        "    1  0.25",
        "  128  1.2738… × 10⁻⁹⁷",
        "    4  1.00(1)",
        "    9  -",
        "  α_T: the minimiser",
        "  (1) after a number: so many units of its last digit up or down",
    ]


def test_a_long_table_shows_its_ends() -> None:
    lines = printed(table_of([[T, "1", "1"] for T in range(1, 101)])).splitlines()
    shown = [int(match[1]) for line in lines if (match := re.fullmatch(r"  +(\d+)  1", line))]
    assert shown == [*range(1, 21), *range(81, 101)]
    assert "  100 rows; --csv writes all of them" in lines


def test_single_numbers_have_their_fraction_where_it_is_short() -> None:
    values = {
        "a": "2/7",
        "b": f"1/{10**20}",
        "c": None,
        "d": True,
        "e": r"$\alpha_T = 2/7$",
        "f": 0.123456789012,
    }
    layout = TableLayout("numbers", [TableColumn("c", key, key, f"note on {key}") for key in values])
    claim = invented.claim("t.c", values=values)
    text = printed(msgspec.structs.replace(invented.theorem("t", [claim]), tables=[layout]))
    for line in (
        "a  2/7 = 0.285714285714285…  note on a",
        "b  1 × 10⁻²⁰                 note on b",
        "c  -                         note on c",
        "d  yes                       note on d",
        "e  α_T = 2/7                 note on e",
        "f  0.123456789               note on f",
    ):
        assert line in text


def test_plain_text_where_there_is_no_terminal(odd_result: TheoremResult) -> None:
    text = printed(odd_result)
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_colour_and_no_user_markup_on_a_terminal(
    odd_result: TheoremResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    print_result(odd_result, file=stream)
    text = stream.getvalue()
    assert "\x1b[1;31mrefuted" in text
    assert "\ufffd[31m[bold]" in re.sub(r"\s+", "", text)


def test_steps_that_failed_are_shown(odd_result: TheoremResult) -> None:
    text = printed(odd_result)
    assert "odd_theorem.refuted_claim: steps not verified" in text
    assert "working precision 64 bits is spent" in text
    assert "verified_claim: steps" not in text


@pytest.mark.parametrize("width", [30, 60, 200])
def test_lines_fit(odd_result: TheoremResult, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PLAIN_WIDTH", width)
    lines = printed(odd_result).splitlines()
    assert max(map(len, lines)) <= width
    assert "norms_#1" in flat("".join(lines))


def test_all_ends_with_its_own_closing_line(run_result: RunResult) -> None:
    text = flat(printed(run_result))
    assert text.endswith(flat(summary.to_unicode(summary.closing_line(run_result))))
    assert all(
        flat(summary.to_unicode(summary.closing_line(theorem))) in text for theorem in run_result.theorems
    )


def test_a_stream_that_knows_no_greek(one_parameter_result: TheoremResult) -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="ascii")
    print_result(one_parameter_result, file=stream)
    stream.flush()
    assert b"minimiser_enclosure" in buffer.getvalue()


CLOSINGS = [
    ([Verdict.VERIFIED], [Verdict.REFUTED], "is verified for", "1 of 1 false variants refuted"),
    ([Verdict.VERIFIED, Verdict.REFUTED], [], "is refuted by c1 for", "1 verified, 1 refuted"),
    ([Verdict.INCONCLUSIVE], [], "is inconclusive by c0 for", "1 inconclusive"),
    ([Verdict.VERIFIED], [Verdict.VERIFIED], "is verified for", "false variants not refuted: v0"),
    ([Verdict.VERIFIED], [Verdict.INCONCLUSIVE], "is verified for", "false variants not refuted: v0"),
    ([Verdict.NOT_APPLICABLE], [], "does not apply to", "no claim applies"),
]


@pytest.mark.parametrize(("claims", "variants", "first", "second"), CLOSINGS)
def test_closing_line(claims: list[Verdict], variants: list[Verdict], first: str, second: str) -> None:
    found: list[ClaimResult] = [invented.claim(f"t.c{i}", verdict) for i, verdict in enumerate(claims)]
    twins = [
        FalseVariantResult(f"v{i}", "t.c0", "", "uniform(1, 4)", verdict, {})
        for i, verdict in enumerate(variants)
    ]
    line = summary.closing_line(invented.theorem("t", found, variants=twins))
    assert first in line
    assert second in line


def test_closing_line_names_the_hypothesis_that_fails() -> None:
    result = invented.odd()
    failing = invented.theorem(
        "t", result.claims, hypotheses=result.hypotheses, verdict=Verdict.NOT_APPLICABLE
    )
    line = summary.closing_line(failing)
    assert "hypothesis bounded_norm fails" in line
    assert "refuted all the same: refuted_claim" in line


def test_closing_line_of_all(run_result: RunResult) -> None:
    line = summary.closing_line(run_result)
    assert line.startswith("All theorems: refuted (6 verified, 1 refuted)")
    assert "not refuted: twin_verified, twin_inconclusive" in line


def test_a_law_of_thousands_of_atoms_is_shortened() -> None:
    text = "atoms({" + ", ".join(f"{i}: 1/5000" for i in range(5000)) + "})"
    law = LawRecord("squared_norm", [text], "1", "4999", "0")
    assert len(summary.law_text(law)) < 300
    assert f"({len(text)} characters)" in summary.law_text(law)


def test_depths_are_listed_as_they_are_typed() -> None:
    rows = [[T, 0, 0] for T in (1, 2, 3, 8, 9, 32)]
    series = {"s": Series(["T", "lower", "upper"], rows)}
    result = invented.theorem("t", [invented.claim("t.c", series=series)])
    assert summary.depths_text(result) == "1:3, 8, 9, 32"


def said(words: str, latex: str, **case: str) -> Step:
    return Step(Evidence.SYMBOLIC, in_case(words, case), latex, Verdict.VERIFIED, words=words, case=case)


def test_explanation() -> None:
    stream = io.StringIO()
    claim = ExplainedClaim(
        "t.limit",
        r"$\alpha_T \to \alpha^*$",
        "One inequality.\n\nInduction on T.",
        [said("two lines", r"a = b \\ = c"), said("$T = 2$", "F^{2} = p_{2} X")],
        variants={"twin": r"$\alpha_T \to 0$"},
    )
    explained = Explanation(
        "One parameter",
        "Theorem 6.2",
        r"$\alpha_T$",
        [r"$\mathbb{E} \zeta^2 > 0$"],
        {"bounded": r"$s \le m$"},
        [claim],
        ["$s$ is it."],
    )
    print_explanation(explained, stream)
    lines = [line.strip() for line in stream.getvalue().splitlines()]
    expected = [
        "One parameter  (Theorem 6.2)",
        "s is it.",
        "t.limit",
        "α_T → α*",
        "One inequality.",
        "Induction on T.",
        "two lines",
        "a = b",
        "= c",
        "T = 2",
        "F² = p₂ X",
        "twin  α_T → 0",
    ]
    positions = [lines.index(line) for line in expected]
    assert positions == sorted(positions)
    assert any("bounded  s ≤ m" in line for line in lines)
    assert any("𝔼 ζ² > 0" in line for line in lines)


def explained(*claims: ExplainedClaim) -> list[str]:
    stream = io.StringIO()
    print_explanation(Explanation("Title", "", "$x$", [], {}, list(claims)), stream)
    return [line.strip() for line in stream.getvalue().splitlines()]


def test_a_formula_stands_once_for_its_cases() -> None:
    steps = [said("in coordinates", "w = a", d_1=d, d_2="1") for d in ("1", "2")]
    steps += [
        said("at depth", "p = 1", T="1"),
        said("at depth", "p = 1", T="4"),
        said("at depth", "p = 2", T="8"),
    ]
    lines = explained(ExplainedClaim("t.c", "$x$", "", steps))
    assert "in coordinates, d₂ = 1, d₁ = 1, 2" in lines
    assert "at depth, T = 1, 4" in lines
    assert "at depth, T = 8" in lines
    assert lines.count("w = a") == lines.count("p = 1") == 1


def test_a_derivation_that_comes_again_is_cited() -> None:
    first, second = said("Isserlis' rule", "E = 3"), said("the excess", "x = y")
    lines = explained(
        ExplainedClaim("t.a", "$x$", "", [first]), ExplainedClaim("t.b", "$x$", "", [first, second])
    )
    assert lines.count("E = 3") == 1
    assert "As above: Isserlis' rule." in lines
    assert lines.index("As above: Isserlis' rule.") < lines.index("x = y")


def test_a_long_formula_is_broken_and_cut() -> None:
    sides = [" + ".join(f"x_{{{i}}}" for i in range(length)) for length in (3, 10, 400)]
    lines = explained(ExplainedClaim("t.a", "$x$", "", [said("long", " = ".join(sides))]))
    assert "x₀ + x₁ + x₂" in lines
    assert any(line.startswith("= x₀ + ") and line.endswith("x₉") for line in lines)
    assert re.search(r"x₁₀ .* \.\.\. .*x₃₉₉ \(\d+ characters\)", " ".join(lines))


def test_what_coq_and_each_law_have_to_do_with_it() -> None:
    claim = ExplainedClaim(
        "t.a",
        "$x$",
        "By induction.",
        holds_for="every law, in Coq (A.b)",
        checked_by="checked by enclosure or stronger",
        origin="derived here",
        coq=[("A.b, for every law", ["forall x : R,", "x = x"])],
    )
    lines = explained(claim)
    expected = [
        "for every law, in Coq (A.b)",
        "for the law at hand: checked by enclosure or stronger",
        "statement: derived here",
        "By induction.",
        "in Coq: A.b, for every law",
        "forall x : R,",
        "x = x",
    ]
    positions = [lines.index(line) for line in expected]
    assert positions == sorted(positions)
