"""The steps of a claim as items of a report: alike ones together, none lost."""

from __future__ import annotations

from reports.latex.steps import items
from reports.latex.text import argument
from reports.results import Evidence, Step, Verdict

LONG = " + ".join(f"x_{{{k}}}" for k in range(30))


def step(
    statement: str, detail: str = "", latex: str = "", verdict: Verdict = Verdict.VERIFIED, bits: int = 64
) -> Step:
    return Step(Evidence.ENCLOSURE, statement, latex, verdict, bits, detail)


def test_depths_are_one_item_with_a_finding_each() -> None:
    steps = [step(f"the loss is small, T = {T}", f"< 1e-{T}", bits=64 * T) for T in (1, 2, 8)]
    (item,) = items(steps)
    assert item.statement == "the loss is small"
    assert item.evidence == "enclosure, 64--512 bits"
    assert [(found.case, found.text) for found in item.findings] == [
        ("$T = 1$", "$< 10^{-1}$"),
        ("$T = 2$", "$< 10^{-2}$"),
        ("$T = 8$", "$< 10^{-8}$"),
    ]
    assert len(item.widest) == len("$T = 1$")


def test_where_all_is_alike_the_depths_are_a_list() -> None:
    (item,) = items([step(f"the flow from {a} falls, T = {T}", "sign") for T in (1, 2) for a in (0, 10)])
    assert item.statement == "the flow from each start falls, from 0, 10; $T = 1$, 2"
    assert (item.detail, item.findings) == ("sign", ())


def test_a_case_in_the_middle_keeps_its_name() -> None:
    (item,) = items(
        [step("the gap at t = 1/2 is positive", "0.1"), step("the gap at t = 1 is positive", "0.2")]
    )
    assert item.statement == "the gap at $t$ is positive"
    assert [found.case for found in item.findings] == ["$t = 1/2$", "$t = 1$"]


def test_a_verdict_that_is_not_verified_is_seen() -> None:
    steps = [step("small, T = 1"), step("small, T = 2", verdict=Verdict.REFUTED), step("small, T = 3")]
    (item,) = items(steps)
    assert [found.text for found in item.findings] == ["", r"\textbf{refuted}", ""]
    (alone,) = items([step("small, T = 1", verdict=Verdict.INCONCLUSIVE)])
    assert alone.evidence == r"enclosure, 64 bits, \textbf{inconclusive}"


def test_short_formulas_stand_beside_their_case_and_long_ones_apart() -> None:
    (item,) = items([step(f"matrices, T = {T}", latex=f"F^{T} = X") for T in (1, 2)])
    assert [found.text for found in item.findings] == ["$F^1 = X$", "$F^2 = X$"]
    assert [len(items([step(f"matrices, T = {T}", latex=f"{LONG} = {T}") for T in (1, 2)]))] == [2]


def test_the_same_step_twice_stays_at_its_place() -> None:
    texts = ["base", "step", "base", "in coordinates, d = 1", "other", "in coordinates, d = 1"]
    assert [item.statement for item in items([step(text) for text in texts])] == [
        "base",
        "step",
        "base",
        "in coordinates, $d = 1$",
        "other",
        "in coordinates, $d = 1$",
    ]


def test_other_kinds_and_other_words_stay_apart() -> None:
    numeric = Step(Evidence.NUMERIC, "small, T = 2", "", Verdict.VERIFIED)
    assert len(items([step("small, T = 1"), numeric, step("large, T = 3")])) == 3


def test_an_argument_has_paragraphs_and_displays() -> None:
    text = "If at one odd n\n\n    E[s q^n] > 0,\n\nthen at\nevery larger one."
    assert argument(text).split("\n\n") == [
        "If at one odd $n$",
        "\\begin{center}\n\\fitted{$\\mathbb{E}[s q^{n}] > 0$,}\n\\end{center}",
        "then at every larger one.",
    ]
