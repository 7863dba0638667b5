"""Text to laws: exact numbers, canonical texts, and one clear line for everything else."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.laws import Law, LawError, families
from numerics.laws.syntax import parse_law, parse_number
from tests.strategies import law_texts

F = Fraction


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", F(2)),
        ("0.1", F(1, 10)),
        (".5", F(1, 2)),
        ("2.", F(2)),
        ("1e-3", F(1, 1000)),
        ("2.5E+2", F(250)),
        ("1/3", F(1, 3)),
        (" -1 / 4 ", F(-1, 4)),
        ("+7", F(7)),
        ("0e0", F(0)),
        ("1e100", F(10**100)),
        ("0.30000000000000004", F(30000000000000004, 10**17)),
    ],
)
def test_numbers_are_exact(text: str, number: Fraction) -> None:
    assert parse_number(text) == number


@given(st.fractions(min_value=-100, max_value=100, max_denominator=10**6))
def test_numbers_round_trip(number: Fraction) -> None:
    assert parse_number(str(number)) == number


@given(st.decimals(min_value=-1000, max_value=1000, allow_nan=False, places=9))
def test_decimals_are_read_as_fraction_does(number: object) -> None:
    assert parse_number(str(number)) == Fraction(str(number))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "the text is empty"),
        ("  ", "the text is empty"),
        ("x", "expected a number such as 2, 0.25, 1e-3 or 1/3 at character 1, where there is 'x'"),
        ("nan", "'nan' is not finite"),
        ("-Infinity", "'Infinity' is not finite"),
        ("1/0", "divides by 0"),
        ("1/0.0", "divides by 0"),
        ("1e999999999", "out of range"),
        ("1e101", "out of range"),
        ("1e-101", "out of range"),
        ("1e60/1e-60", "out of range"),
        ("0." + "1" * 200, "out of range"),
        ("1e" + "9" * 5000, "out of range"),
        ("1" * 1_100_000, "at most 1048576"),
        ("1 2", "expected nothing more at character 3"),
        ("1/2/3", "expected nothing more at character 4"),
        ("1_000", "expected nothing more at character 2"),
        ("0x10", "expected nothing more at character 2"),
        ("--1", "expected a number"),
        ("1+1", "expected nothing more"),
        ("1/-2", "expected a number"),
        ("½", "'½' at character 1: it has no meaning here"),
        ("٣", "it has no meaning here"),
        ("1,5", "expected nothing more"),
    ],
)
def test_bad_numbers(text: str, line: str) -> None:
    assert line in message(lambda: parse_number(text))


def message(call: object) -> str:
    """The message of the LawError that the call raises: one line, printable, not too long."""
    with pytest.raises(LawError) as caught:
        call()  # type: ignore[operator]
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 500
    return text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("uniform(1, 4)", "uniform(1, 4)"),
        ("uniform( low = 0.5,high=4, )", "uniform(1/2, 4)"),
        ("uniform(high=4, low=1)", "uniform(1, 4)"),
        ("uniform(1, high=4)", "uniform(1, 4)"),
        ("atoms({4: 2/3, 1: 1/3,})", "atoms({1: 1/3, 4: 2/3})"),
        ("beta(2, 5)", "beta(2, 5)"),
        ("beta(2, 5, 0, 1)", "beta(2, 5)"),
        ("beta(2, 5, low=1, high=4)", "beta(2, 5, low=1, high=4)"),
        ("\n chi2 (5)\t", "chi2(5)"),
        ("point(0)", "point(0)"),
    ],
)
def test_canonical_texts(text: str, canonical: str) -> None:
    assert parse_law("squared_norm", text).texts == (canonical,)


@given(law_texts())
def test_canonical_texts_give_the_same_law(text: str) -> None:
    law = parse_law("norm", text)
    assert parse_law("norm", *law.texts) == law


LAWS = [
    "atoms",
    "beta",
    "chi2",
    "density",
    "empirical",
    "mixture",
    "point",
    "triangular",
    "truncated",
    "uniform",
]


def test_examples_are_valid_and_canonical() -> None:
    known = families()
    assert list(known) == LAWS
    for name, family in known.items():
        if name != "empirical":
            assert parse_law("squared_norm", family.example).texts == (family.example,)


BAD = [
    ("", "the text is empty: write a law such as uniform(1, 4)"),
    ("unifrom(1, 4)", "there is no law 'unifrom': did you mean uniform? The laws are atoms, beta, chi2,"),
    ("Uniform(1, 4)", "did you mean uniform?"),
    ("zzz(1)", "there is no law 'zzz'. The laws are atoms, beta, chi2, density, empirical, mixture,"),
    ("3", "expected the name of a law at character 1, where there is '3'"),
    ("uniform", "expected '(' after the name of the law at character 8, where the text ends"),
    ("uniform(1, 4", "expected ',' or ')' at character 13, where the text ends"),
    ("uniform 1, 4)", "expected '('"),
    ("uniform(1, 4))", "expected nothing more at character 14"),
    ("uniform(1, 4) + 1", "expected nothing more at character 15"),
    ("uniform(1 4)", "expected ',' or ')' at character 11"),
    ("uniform(1, 4; 5)", "';' at character 13: it has no meaning here"),
    ("uniform((1), 4)", "expected a number"),
    ("(" * 60_000, "expected the name of a law"),
    ("point(" + "{" * 60_000, "expected a number"),
    ("uniform(1, 4)" + " " * 1_100_000, "at most 1048576"),
    ("uniform(1)", "uniform needs the parameter high: write uniform(1, 4)"),
    ("uniform()", "uniform needs the parameter low"),
    ("uniform(1, 2, 3)", "uniform has the parameters low, high, and 3 values were given"),
    ("uniform(1, top=3)", "uniform has no parameter 'top'; it has low, high"),
    ("uniform(1, 2, low=1)", "the parameter low of uniform is given twice"),
    ("uniform(low=1, low=1, high=2)", "the parameter low of uniform is given twice"),
    ("uniform(low=1, 2)", "expected a parameter with its name"),
    ("uniform({1: 1}, 2)", "the parameter low of uniform must be a number"),
    ("atoms(1)", "the parameter masses of atoms must be values with their masses, such as {1: 1/3"),
    ("empirical(1)", "the parameter path of empirical must be text in quotes"),
    ("uniform(4, 1)", "low is 4 and high is 1: low must be less than high"),
    ("uniform(1, 1)", "low must be less than high"),
    ("uniform(-1, 1)", "low is -1: a norm or squared norm cannot be negative"),
    ("uniform(1, inf)", "'inf' is not finite"),
    ("point(-1/2)", "value is -1/2: a norm or squared norm cannot be negative"),
    ("point(nan)", "'nan' is not finite"),
    ("point(1e999999999)", "'1e999999999' is out of range"),
    ("point(é)", "'é' at character 7: it has no meaning here"),
    ("point(\x00)", "'\\x00' at character 7: it has no meaning here"),
    ("point(\udc80)", "'\\udc80' at character 7: it has no meaning here"),
    ("beta(0, 1)", "a is 0: it must be positive"),
    ("beta(1, -2)", "b is -2: it must be positive"),
    ("beta(1, 2, low=2)", "low is 2 and high is 1"),
    ("chi2(0)", "dof is 0: it must be positive"),
    ("chi2(-3)", "dof is -3: it must be positive"),
    ("atoms({})", "atoms has no value: write atoms({1: 1/3, 4: 2/3})"),
    ("atoms({1: 0.5})", "the masses add up to 1/2: they must add up to 1"),
    ("atoms({1: 1/2, 2: 2/3})", "the masses add up to 7/6"),
    ("atoms({1: 0, 2: 1})", "the mass of 1 is 0: it must be positive"),
    ("atoms({1: -1, 2: 2})", "the mass of 1 is -1: it must be positive"),
    ("atoms({-1: 1})", "a value of atoms is -1: a norm or squared norm cannot be negative"),
    ("atoms({1: 1/2, 1.0: 1/2})", "the value 1 is given twice"),
    ("atoms({1: 1/2, 2/2: 1/2})", "the value 1 is given twice"),
    ("atoms({1: 1/2 2: 1/2})", "expected ',' or '}'"),
    ("atoms({1})", "expected ':' and a mass"),
    ("atoms({1: 1)", "expected ',' or '}'"),
    ("empirical('a.csv)", "''' at character 11: this quotation mark is not closed"),
    ("empirical('a\nb')", "characters that cannot be printed"),
]


@pytest.mark.parametrize(("text", "line"), BAD)
def test_bad_laws(text: str, line: str) -> None:
    assert line in message(lambda: parse_law("squared_norm", text))
    assert line in message(lambda: parse_law("modalities", "point(1)", text))


def test_the_number_of_texts() -> None:
    assert "modalities takes 2 laws to 16, not 1" in message(lambda: parse_law("modalities", "point(1)"))
    assert "norm takes 1 law, not 2" in message(lambda: parse_law("norm", "point(1)", "point(2)"))


BAD_FILES = [
    (b"", "", "is empty: it must have at least one value"),
    (b"\n \n", "", "is empty"),
    (b"norm\n", "", "has no values"),
    (b"norm\n1\nabc\n", "", "line 3: 'abc' is not a decimal number in range"),
    (b"1\n\nnan\n", "", "line 3: 'nan' is not a decimal number"),
    (b"nan\n1\n", "", "line 1: 'nan' is not a decimal number"),
    (b"1\n-inf\n", "", "line 2: '-inf' is not a decimal number"),
    (b"1\n-2\n", "", "line 2: -2 is negative, which no norm or square is"),
    (b"1\n1e999999999\n", "", "line 2: '1e999999999' is not a decimal number in range"),
    (b"1\n1e101\n", "", "line 2: '1e101' is not a decimal number in range"),
    (b"1\n1/3\n", "", "line 2: '1/3' is not a decimal number"),
    (b"1\n+-3\n", "", "line 2: '+-3' is not a decimal number"),
    (b"1\n2,3\n", "", "line 2: it has 2 cells where there must be 1"),
    (b"a,b\n1,2\n", "", "has 2 columns: name one with column='a', 'b'"),
    (b"a,b\n1,2\n", ", column='c'", "has no column 'c': its first line has 'a', 'b'"),
    (b"a,a\n1,2\n", ", column='a'", "has 2 columns 'a': names must differ"),
    (b"a,b\n1,2\n3\n", ", column='b'", "line 3: it has 1 cells where there must be 2"),
    (b"a,b\n1,\n", ", column='b'", 'line 2: the value is missing; missing="skip" leaves such rows out'),
    (b'norm\n1\n""\n2\n', "", "line 3: the value is missing"),
    (b"a,b\n1,2\n,\n", ", column='b'", "line 3: the value is missing"),
    (b"norm\n1\n", ", missing='drop'", ""),
    (b"norm;x\n1;2\n", ", column='norm'", "has semicolons between its columns: write commas"),
    (b"norm\tx\n1\t2\n", ", column='norm'", "has tabs between its columns: write commas"),
    (b"1,2\n3,4\n", ", column='1'", "line 1: numbers where the names of the columns must be"),
    (b"1\n\xff\n", "", "line 2: not UTF-8 text"),
    (b"1\n" + b"2" * 200_000, "", "line 2: "),
    (b"norm\n" + "é".encode() * 300, "", "is not a decimal number"),
]


@pytest.mark.parametrize(("content", "column", "line"), BAD_FILES)
def test_bad_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, column: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("norms.csv").write_bytes(content)
    found = message(lambda: parse_law("norm", f"empirical('norms.csv'{column})"))
    assert found.startswith("'norms.csv'" if line else "the parameter missing of empirical is 'drop'")
    assert line in found


def test_rows_without_a_value_are_left_out_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text('x,norm\n1,1\n2,""\n,2\n,\n')
    law = parse_law("squared_norm", f"empirical('{path}', column='norm', missing='skip')")
    assert law.components == parse_law("squared_norm", "atoms({1: 1/2, 2: 1/2})").components
    assert law.texts == (f'empirical("{path}", column="norm", missing="skip")',)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read: " in message(lambda: parse_law("norm", f"empirical('{tmp_path / 'none.csv'}')"))
    assert "cannot be read: " in message(lambda: parse_law("norm", f"empirical('{tmp_path}')"))
    assert "cannot be read: " in message(lambda: parse_law("norm", f"empirical('{'x' * 5000}')"))


ALPHABET = "uniformbetachi2spoint(){}:,=/+-.0123456789e \"'\\\n\x00é"


def law_or_line(text: str) -> Law | str:
    """The law, or the message of the LawError that it raises."""
    try:
        return parse_law("squared_norm", text)
    except LawError as error:
        return str(error)


@given(st.text(ALPHABET, max_size=30) | st.text(max_size=10) | st.text(ALPHABET).map("point({})".format))
def test_any_text_is_a_law_or_one_line(text: str) -> None:
    found = law_or_line(text)
    assert found.isprintable() if isinstance(found, str) else found.moment(0) == 1


@given(st.binary(max_size=40) | st.text('0123456789.,-e\n"a', max_size=40).map(str.encode))
def test_any_file_is_a_law_or_one_line(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "norms.csv"
        path.write_bytes(content)
        found = law_or_line(f"empirical('{path}')")
    assert found.isprintable() if isinstance(found, str) else found.moment(0) == 1
