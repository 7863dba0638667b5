"""Every text that a theorem shows is marked: words outside of formulas, LaTeX inside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from latex2mathml.converter import convert

from proofs_check import verify
from proofs_check.engine.claims import Theorem
from proofs_check.engine.registry import load_theorem, theorem_names
from reports.results import TheoremResult
from reports.text.marked import Kind, pieces
from reports.text.summary import to_unicode

WORDS_OF_GREEK = "alpha|beta|kappa|lam|lambda|rho|zeta|eps|epsilon|nu|theta|delta|mu|sigma|xi"
IN_WORDS = re.compile(
    rf"[\\^_<>={{}}|~$`*]|[^\x00-\x7f]|\d/\d|->|\+-|\b(?:{WORDS_OF_GREEK})\b|\b[a-zA-Z]\d+\b"
)
LONE_LETTER = re.compile(r"(?<![\w'-])[b-zB-Z](?![\w'-])")
PLACE = re.compile(r"\{\w+\}")
NAMES = re.compile(r"Appendix F|Theorem \d|uniform\([^)]*\)")
GROUP = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\{(?:[^{}]|\\.)*\}")
LONG_WORD = re.compile(r"[A-Za-z]{3,}")


def complaints(text: str) -> list[str]:
    """What is wrong with a marked text."""
    found = []
    for piece in pieces(text):
        if piece.kind is Kind.PLAIN:
            words = NAMES.sub("", piece.text)
            found += [f"{match[0]!r} in words" for match in IN_WORDS.finditer(words)]
            found += [f"the letter {match[0]} in words" for match in LONE_LETTER.finditer(words)]
        elif piece.kind is Kind.FORMULA:
            found += formula_complaints(piece.text)
    return found


def formula_complaints(latex: str) -> list[str]:
    bare = re.sub(r"\\(?:[A-Za-z]+|.)", " ", GROUP.sub(" ", latex))
    found = [f"{match[0]!r} in a formula" for match in LONG_WORD.finditer(bare)]
    if re.search(r"[^\x00-\x7f]|<=|>=|->|\+-|\*(?!\})(?=\w)|\d\.?\d*e-?\d", latex):
        found.append("no LaTeX in a formula")
    if latex.count("{") - latex.count(r"\{") != latex.count("}") - latex.count(r"\}"):
        found.append("unbalanced braces")
    try:
        mathml = convert(latex)
    except Exception as error:  # noqa: BLE001  whatever it is, the formula cannot be read
        return [*found, f"not read as LaTeX: {type(error).__name__}"]
    return [*found, *(f"{command} is not read" for command in re.findall(r"\\[A-Za-z]+", mathml))]


def declared(theorem: Theorem) -> Iterator[str]:
    """The texts that need no run."""
    yield from (theorem.title, theorem.source, theorem.statement, theorem.depth_limits, *theorem.assumptions)
    yield from theorem.definitions
    for hypothesis in theorem.hypotheses:
        yield from (hypothesis.statement, hypothesis.adjective, hypothesis.condition)
    for claim in theorem.claims:
        yield from (claim.statement, claim.proof)
        if claim.argument:
            yield from (claim.argument.summary, claim.argument.text, *claim.argument.coq.values())
        if claim.provenance:
            yield claim.provenance.note
    yield from (variant.statement for variant in theorem.false_variants)
    for table in theorem.tables:
        yield from (table.heading, table.note)
        for column in table.columns:
            yield from (column.label, column.note)
    for part in theorem.figures:
        yield from (
            part.caption,
            part.heading,
            PLACE.sub("8", part.title),
            part.label,
            part.x_label,
            part.y_label,
        )


def found(result: TheoremResult) -> Iterator[str]:
    """The texts that a run makes."""
    yield from (hypothesis.detail for hypothesis in result.hypotheses)
    for claim in result.claims:
        yield claim.summary
        for step in claim.steps:
            yield from (step.statement, step.detail, f"${step.latex}$" if step.latex else "")
            yield from (value.name for value in step.values)
            yield from (f"${value.latex}$" for value in step.values)
    yield from (variant.detail for variant in result.false_variants)


@pytest.mark.parametrize("name", theorem_names())
def test_what_a_theorem_declares(name: str) -> None:
    texts = declared(load_theorem(name))
    assert {text: wrong for text in texts if (wrong := complaints(text))} == {}


@pytest.mark.parametrize("law", ["uniform(1, 4)", "atoms({1: 1/3, 4: 2/3})"])
@pytest.mark.parametrize("name", theorem_names())
def test_what_a_run_says(name: str, law: str) -> None:
    result = verify(name, squared_norm=law, falsify=True)
    assert {text: wrong for text in found(result) if (wrong := complaints(text))} == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("alpha_T tends to alpha*", "'_' in words"),
        ("the weight is <= 1", "'<' in words"),
        (r"W_S = \alpha I", "'\\\\' in words"),
        ("||m||^2 is bounded", "'|' in words"),
        ("‖m‖ is bounded", "'‖' in words"),
        ("where s is constant", "the letter s in words"),
        ("by T0 = 5", "'T0' in words"),
        ("at $T = 8", "'$' in words"),
        ("at `--depth 8", "'`' in words"),
        ("$s is constant$", "'constant' in a formula"),
        ("$alpha > 0$", "'alpha' in a formula"),
        ("$s <= 4$", "no LaTeX in a formula"),
        ("$α > 0$", "no LaTeX in a formula"),
        ("$s = 1.2e-30$", "no LaTeX in a formula"),
        (r"$\frac{1}{2$", "unbalanced braces"),
        (r"$\no\such$", r"\no is not read"),
    ],
)
def test_what_is_not_marked_is_seen(text: str, wrong: str) -> None:
    assert wrong in complaints(text)


def test_a_made_up_theorem_without_marks_is_seen_and_shown_as_words() -> None:
    theorem = replace(load_theorem("theorem_6_2"), statement="alpha_T -> alpha*", claims=[])
    assert "'->' in words" in complaints(next(text for text in declared(theorem) if "->" in text))
    assert to_unicode(theorem.statement) == theorem.statement
