"""Formulas as MathML: what TeX would set, nothing that could do harm, and what cannot be read said so."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.html.mathematics import argument, formula, marked
from reports.html.mathml import ATTRIBUTES, ELEMENTS, UnreadableError, mathml
from reports.latex.display import inline, width
from reports.text.marked import visible


def tree(latex: str, **how: bool) -> Element:
    return ElementTree.fromstring(mathml(latex, **how))


def operator(root: Element, text: str, at: int = 0) -> Element:
    return [node for node in root.iter("mo") if node.text == text][at]


def test_a_sign_before_a_term_has_no_space_around_it() -> None:
    first, second = (operator(tree("a = -b - c"), "−", at) for at in (0, 1))
    assert (first.get("form"), first.get("lspace"), first.get("rspace")) == ("prefix", "0", "0")
    assert second.get("form") is None
    continued = tree(r"\begin{aligned} a & = b \\ & \qquad + c \end{aligned}", block=True)
    assert operator(continued, "+").get("form") is None


def test_a_relation_after_words_has_their_space_only() -> None:
    assert operator(tree("= 0.5"), "=").get("lspace") == "0"
    assert operator(tree("a = 0.5"), "=").get("lspace") is None


def test_bars_open_and_close() -> None:
    root = tree(r"c|a - |b|| < \lVert m\rVert^2")
    bars = [node.get("form") for node in root.iter("mo") if node.text == "|"]
    assert bars == ["prefix", "prefix", "postfix", "postfix"]
    first, second = (node for node in root.iter("mo") if node.text == "‖")
    assert (first.get("form"), first.get("stretchy")) == ("prefix", "false")
    assert (second.get("form"), second.get("stretchy")) == ("postfix", "false")


@pytest.mark.parametrize(
    ("latex", "tag", "text"),
    [
        (r"\Lambda", "mi", "Λ"),
        (r"\mathrm{excess}_T", "mi", "excess"),
        (r"\operatorname{ess\,sup} x", "mo", "ess\u2009sup"),
        (r"\operatorname*{argmin}_x f", "mo", "argmin"),
        (r"\arg x", "mo", "arg"),
        (r"\Bigl\{ x", "mo", "{"),
        (r"x \to \infty", "mi", "∞"),
        (r"\unknowncommand", "mi", "unknowncommand"),
    ],
)
def test_names_and_letters(latex: str, tag: str, text: str) -> None:
    assert text in [node.text for node in tree(latex).iter(tag)]


@pytest.mark.parametrize(
    ("latex", "sign"), [(r"\alpha_T \not\to 2", "↛"), (r"a \not= b", "≠"), (r"\frac{x \not\le y}{2}", "≰")]
)
def test_a_negation_is_seen(latex: str, sign: str) -> None:
    root = tree(latex)
    assert [node.text for node in root.iter("mo")] == [sign]
    assert not list(root.iter("mpadded"))


def test_functions_touch_brackets_and_stand_off_letters() -> None:
    assert operator(tree(r"\max(0, a)"), "max").get("rspace") == "0"
    assert operator(tree(r"c \log x"), "log").get("lspace") == "0.167em"
    assert operator(tree(r"c \log x"), "log").get("rspace") == "0.167em"
    assert operator(tree(r"= \max_s |x|"), "max").get("lspace") == "0"


def test_only_what_is_tall_has_tall_brackets() -> None:
    assert operator(tree(r"\left(a + b\right)^2"), "(").get("stretchy") == "false"
    assert operator(tree(r"\left(\frac{a}{b}\right)"), "(").get("stretchy") == "true"


HOSTILE = [
    r"\text{<script>alert(1)</script>}",
    r"\href{javascript:alert(1)}{x}",
    r"\style{background:url(http://x)}{x} \class{wide}{y}",
    r"\text{</math><img src=x onerror=alert(1)>}",
    r"\cancel{x}",
    "<script>",
    "&lt;script&gt;",
]


@pytest.mark.parametrize("latex", HOSTILE)
def test_a_formula_is_harmless(latex: str) -> None:
    shown = str(formula(latex))
    root = ElementTree.fromstring(shown)
    for node in root.iter():
        assert node.tag in ELEMENTS
        assert not node.attrib.keys() - ATTRIBUTES
    assert "<script" not in shown
    assert "<img" not in shown


COMMANDS = [r"\frac", r"\left", r"\begin{pmatrix}", r"\mathrm", r"\operatorname"]
PIECES = [*r"\{}^_&$%#~<>()[]|'=+-,abE0 é", *COMMANDS]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_a_formula_or_shown_as_it_is(latex: str) -> None:
    for block in (False, True):
        root = ElementTree.fromstring(str(formula(latex, block=block)))
        assert root.tag in {"math", "code"}
        assert root.tag == "math" or (root.text or "") == visible(latex)


@pytest.mark.parametrize("latex", ["x^", r"\left( x", "{", "x_1_2"])
def test_what_cannot_be_read_is_said(latex: str) -> None:
    with pytest.raises(UnreadableError):
        mathml(latex)
    assert str(formula(latex)) == f'<code class="unread">{latex}</code>'


def test_words_code_and_formulas() -> None:
    found = str(marked("a $x < 1$ and <b>"))
    assert found.startswith("a <math")
    assert found.endswith("</math> and &lt;b&gt;")
    assert str(marked("with `--depth <i>`")) == "with <code>--depth &lt;i&gt;</code>"


def test_an_argument_has_paragraphs_and_lines() -> None:
    assert str(argument("one\nline\n\n    $x$\n    $y$\n\nand more")).count("<p") == 3
    assert str(argument("one\n\n    $x$\n    $y$")).count("<br>") == 1


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        ("a = b", ["a = b"]),
        (
            "a_1 + b_1 = c_1 + d_1, e = f(g, h) + i_1 + j_1 + k_1",
            ["a_1 + b_1 =", " c_1 + d_1,", " e =", " f(g, h) + i_1 + j_1 + k_1"],
        ),
        (r"\alpha \not\to \frac{2}{2 + \mu}" + 20 * " + x", None),
        (r"|1 - a| \le \frac{a = b + c + d + e + f + g + h + i + j + k + l}{2}", None),
    ],
)
def test_a_long_formula_may_end_a_line(latex: str, parts: list[str] | None) -> None:
    found = inline(latex)
    assert "".join(found) == latex
    assert parts is None or found == parts
    assert width(latex) <= 30 or len(found) > 1
    assert not any(part.endswith(r"\not") for part in found)
