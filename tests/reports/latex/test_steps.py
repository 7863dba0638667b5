"""The steps of a claim as items of a report: alike ones together, none lost."""

from __future__ import annotations

from reports.latex.steps import items
from reports.latex.text import argument
from reports.results import Evidence, Step, Verdict
from reports.text.marked import in_case

LONG = " + ".join(f"x_{{{k}}}" for k in range(30))


def step(
    words: str,
    detail: str = "",
    latex: str = "",
    verdict: Verdict = Verdict.VERIFIED,
    bits: int = 64,
    **case: object,
) -> Step:
    shown = {name: str(value) for name, value in case.items()}
    sentence = in_case(words, shown)
    return Step(Evidence.ENCLOSURE, sentence, latex, verdict, bits, detail, words=words, case=shown)


def test_depths_are_one_item_with_a_finding_each() -> None:
    steps = [step("the loss is small", f"$< 10^{{-{T}}}$", bits=64 * T, T=T) for T in (1, 2, 8)]
    (item,) = items(steps)
    assert item.statement == "the loss is small"
    assert item.evidence() == "enclosure, 64--512 bits"
    assert item.evidence("enclosure") == "64--512 bits"
    assert [(found.case, found.text) for found in item.findings] == [
        ("$T = 1$", "$< 10^{-1}$"),
        ("$T = 2$", "$< 10^{-2}$"),
        ("$T = 8$", "$< 10^{-8}$"),
    ]
    assert len(item.widest) == len("$T = 1$")


def test_where_all_is_alike_the_depths_are_a_list() -> None:
    (item,) = items(
        [step("the flow from ${start}$ falls", "sign", start=a, T=T) for T in (1, 2) for a in (0, 10)]
    )
    assert item.statement == "the flow from each start falls, start $0$, $10$; $T = 1$, $2$"
    assert (item.detail, item.findings) == ("sign", ())


def test_a_case_in_the_middle_keeps_its_name() -> None:
    (item,) = items([step("the gap at $t = {t}$ is positive", f"${t}$", t=t) for t in ("1/2", 1)])
    assert item.statement == "the gap at $t$ is positive"
    assert [found.case for found in item.findings] == ["$t = 1/2$", "$t = 1$"]


def test_a_verdict_that_is_not_verified_is_seen() -> None:
    steps = [step("small", T=1), step("small", verdict=Verdict.REFUTED, T=2), step("small", T=3)]
    (item,) = items(steps)
    assert [found.text for found in item.findings] == ["", r"\textbf{refuted}", ""]
    (alone,) = items([step("small", verdict=Verdict.INCONCLUSIVE, T=1)])
    assert alone.evidence() == r"enclosure, 64 bits, \textbf{inconclusive}"


def test_short_formulas_stand_beside_their_case_and_long_ones_apart() -> None:
    (item,) = items([step("matrices", latex=f"F^{T} = X", T=T) for T in (1, 2)])
    assert [found.text for found in item.findings] == ["$F^1 = X$", "$F^2 = X$"]
    assert [len(items([step("matrices", latex=f"{LONG} = {T}", T=T) for T in (1, 2)]))] == [2]


def test_the_same_step_twice_stays_at_its_place() -> None:
    texts = ["base", "step", "base", "in coordinates, $d = 1$", "other", "in coordinates, $d = 1$"]
    assert [item.statement for item in items([step(text) for text in texts])] == [
        "base",
        "step",
        "base",
        "in coordinates, $d = 1$",
        "other",
        "in coordinates, $d = 1$",
    ]


def test_other_kinds_and_other_words_stay_apart() -> None:
    numeric = Step(Evidence.NUMERIC, "small, T = 2", "", Verdict.VERIFIED, words="small", case={"T": "2"})
    assert len(items([step("small", T=1), numeric, step("large", T=3)])) == 3


def test_steps_stored_before_there_were_cases_stand_one_by_one() -> None:
    stored = [Step(Evidence.EXACT, f"small, T = {T}", "", Verdict.VERIFIED) for T in (1, 2)]
    assert [item.statement for item in items(stored)] == ["small, T = 1", "small, T = 2"]


def test_an_argument_has_paragraphs_and_displays() -> None:
    text = "If at one odd $n$\n\n    $\\mathbb{E}[s q^n] > 0$,\n\nthen at\nevery larger one."
    assert argument(text).split("\n\n") == [
        "If at one odd $n$",
        "\\begin{center}\n\\fitted{$\\mathbb{E}[s q^n] > 0$,}\n\\end{center}",
        "then at every larger one.",
    ]
