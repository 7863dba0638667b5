"""A theorem file is checked as a whole when it is loaded; a faulty one stops nobody else."""

import importlib
import json
import subprocess
import sys

import pytest

from proofs_check import UsageError
from proofs_check.command_line.commands import main
from proofs_check.engine.registry import faults, load_all, load_theorem, theorem_names

SOUND = """\
from proofs_check.engine.claims import Hypothesis, Theorem
from reports.results import Evidence

THEOREM = Theorem(
    name="own",
    title="Own",
    source="nowhere",
    statement="1 = 1",
    assumptions=(),
    hypotheses=(
        Hypothesis("bounded", "s is bounded", lambda run: (run.law.is_bounded, "by its law")),
        Hypothesis("positive", "s > 0", lambda run: (not run.law.is_zero, "by its law")),
    ),
    options=frozenset({"depth", "epsilon", "candidate"}),
    default_depths=(1, 2),
    max_depth=8,
)


@THEOREM.claim("first", "1 = 1", Evidence.EXACT, needs=("bounded",))
def first(run, record):
    record.check(Evidence.EXACT, "1 = 1", True)


@THEOREM.claim("second", "1 = 1", Evidence.EXACT, needs=("bounded", "positive"), uses=("first",))
def second(run, record):
    record.check(Evidence.EXACT, "1 = 1", True)


@THEOREM.claim("third", "1 = 1", Evidence.EXACT, option="candidate")
def third(run, record):
    record.check(Evidence.EXACT, "1 = 1", True)


@THEOREM.false_variant("twin", "first", "1 = 2", witness="point(1)")
def twin(run, record):
    record.check(Evidence.EXACT, "1 = 2", False)
"""
SECOND = 'needs=("bounded", "positive"), uses=("first",)'
NEEDS, USES, WAITS, WITNESS = (
    'needs=("bounded",)',
    'uses=("first",)',
    'option="candidate"',
    'witness="point(1)"',
)
FAULTY = [
    (
        'needs=("bounded",)',
        'needs=("bouned",)',
        "claim first: needs 'bouned': no such hypothesis; did you mean boun",
    ),
    (
        'needs=("bounded",)',
        'needs="bounded"',
        "claim first: needs 'b': no such hypothesis; one of bounded, p",
    ),
    (USES, 'uses=("fist",)', "claim second: uses 'fist': no such claim; did you mean first?"),
    (
        '"twin", "first"',
        '"twin", "thrid"',
        "false variant twin: twin of 'thrid': no such claim; did you mean t",
    ),
    ('"epsilon",', '"epsilom",', "options: 'epsilom': no such option of a theorem; did you mean epsilon?"),
    ('"epsilon",', '"timeout",', "options: 'timeout': no such option of a theorem"),
    (
        'option="candidate"',
        'option="candidat"',
        "claim third: option 'candidat': no such option to wait for",
    ),
    (WAITS, 'option="epsilon"', "claim third: option 'epsilon': no such option to wait for"),
    (WAITS, 'option="basin"', "claim third: option 'basin': no such option to wait for"),
    ('"epsilon", "candidate"', '"epsilon"', "claim third: option 'candidate': no such option to wait for"),
    ('claim("second"', 'claim("first"', "'first': the id of 2 claims or false variants; give each its own"),
    ('false_variant("twin"', 'false_variant("first"', "'first': the id of 2 claims or false variants"),
    ('Hypothesis("positive"', 'Hypothesis("bounded"', "'bounded': the id of 2 hypotheses; give each its own"),
    ("    default_depths=(1, 2),\n", "", "options: 'depth' without default depths; add default_depths"),
    ("default_depths=(1, 2)", "default_depths=()", "options: 'depth' without default depths"),
    ('"depth", ', "", "default_depths: without the option 'depth'; add it to options"),
    ("(1, 2)", "(2, 1)", "default_depths (2, 1): not increasing from 1 or more to max_depth, 8"),
    ("(1, 2)", "(1, 1)", "default_depths (1, 1): not increasing"),
    ("(1, 2)", "(0, 1)", "default_depths (0, 1): not increasing"),
    ("(1, 2)", "(1, 9)", "default_depths (1, 9): not increasing"),
    (
        SECOND,
        'needs=("positive",), uses=("first",)',
        "claim second: uses 'first', which needs bounded; add ",
    ),
    (
        'uses=("first",)',
        'uses=("third",)',
        "claim second: uses 'third', which waits for --candidate",
    ),
    (USES, 'cites=("fist",)', "claim second: cites 'fist': no such claim; did you mean first?"),
    (USES, 'cites=("second",)', "claim second: cites 'second', which does not stand before it"),
    (
        SECOND,
        'needs=("positive",), cites=("first",)',
        "claim second: cites 'first', which needs bounded; add ",
    ),
    (
        '"by its law")),\n    ),',
        '"by its law"), implies=("bouned",)),\n    ),',
        "hypothesis positive: implies 'bouned': no such hypothesis; did you mean bounded?",
    ),
    (WITNESS, 'witness="pont(1)"', "false variant twin: witness 'pont(1)': "),
    (
        'witness="point(1)"',
        'witness=("point(1)", "pont(1)")',
        "false variant twin: witness ('point(1)',",
    ),
    *(
        (SOUND, f"{SOUND}\nTHEOREM.figure('f', claim={claim!r}, {how})", f"figure f: {fault}")
        for claim, how, fault in [
            ("fist", "series='s', x='T', y='a'", "claim 'fist': no such claim; did you mean first?"),
            ("first", "series='s', x='T', y='a', kind='bars'", "Invalid enum value 'bars' - at `$.kind`"),
            ("first", "series='s', x='T', y=('a', 'b')", "y ['a', 'b']: lines takes 1"),
            ("first", "series='s', x='T', y='a', kind='intervals'", "y ['a']: intervals takes 2"),
            ("first", "series='s', y='a'", "lines without a series and a column x"),
            ("first", "series='s', x='T', y='a', kind='plane'", "plane without a column `by` that"),
        ]
    ),
    *(
        (SOUND, f"{SOUND}\nfrom reports.layouts import TableColumn as C\n{calls}", f"table {fault}")
        for calls, fault in [
            (
                "THEOREM.table('t', C('fist', 's', 'a'))",
                "t: claim 'fist': no such claim; did you mean first?",
            ),
            ("THEOREM.table('t', C('first', 's', 'a', y=['a', 'b', 'c']))", "t: y ['a', 'b', 'c']: one"),
            ("THEOREM.table('t', *[C('first', 's', 'a')] * 2)", "t: 2 columns are ('s', '') of first; give"),
            (
                "for _ in range(2): THEOREM.table('t', C('first', 's', 'a'))",
                "'t': the name of 2 tables",
            ),
        ]
    ),
    ('name="own"', 'name="other"', "its theorem is named 'other'; name it own"),
    (SOUND[SOUND.index("@THEOREM") :], "", "its theorem has no claim"),
    (SOUND, "THEOREM = {}", "THEOREM is no Theorem but dict"),
]
SLIPS = [
    ("THEOREM = Theorem(", "THEOREM = Theorem((", ", line 4: SyntaxError: '(' was never closed"),
    ('needs=("bounded",)', 'need=("bounded",)', ", line 20: TypeError: "),
    ("Evidence.EXACT, needs", "Evidence.EXCAT, needs", ", line 20: AttributeError: "),
    ("import Evidence", "import Evidences", ", line 2: ImportError: "),
    ("THEOREM = Theorem(", "Theorem(", ", line 20: NameError: name 'THEOREM' is not defined"),
    (SOUND, "", ": AttributeError: "),
]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with the theorem `sound`, and what makes the file `own` beside it."""
    names = iter(range(1000))

    def make(source):
        name = f"theorems_of_{tmp_path.name}_{next(names)}".replace("-", "_")
        folder = tmp_path / name
        folder.mkdir()
        for file, text in {"__init__": "", "own": source, "sound": SOUND.replace('"own"', '"sound"')}.items():
            (folder / f"{file}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        return name

    monkeypatch.syspath_prepend(tmp_path)
    return make


@pytest.mark.parametrize("name", theorem_names())
def test_the_theorems_of_the_package_have_no_fault(name):
    assert list(faults(load_theorem(name), name)) == []


def test_a_sound_file_is_loaded(package, capsys):
    name = package(SOUND)
    assert load_all(name)[1] == {}
    assert main(["own", "--falsify", "--quiet"], name) == 0
    assert main(["list"], name) == 0
    assert "cannot be run" not in capsys.readouterr().out


@pytest.mark.parametrize(("right", "wrong", "line"), [(a, b, f": {c}") for a, b, c in FAULTY] + SLIPS)
def test_a_faulty_file_is_named_and_stops_nobody_else(package, capsys, right, wrong, line):
    assert SOUND.count(right) >= 1
    name = package(SOUND.replace(right, wrong, 1))
    expected = f"{name}/own.py{line}"
    for words in (["own"], ["own", "--falsify"], ["explain", "own"], ["all"]):
        assert main(words, name) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith(f"error: {expected}")
        assert output.err.count("\n") == 1
    with pytest.raises(UsageError) as caught:
        load_theorem("own", name)
    assert str(caught.value).startswith(expected)
    assert main(["list"], name) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert f"own: cannot be run: {expected}" in listed
    assert "sound (Own)" in listed
    assert main(["list", "--json"], name) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in document["theorems"]] == ["sound"]
    assert [each["name"] for each in document["faulty"]] == ["own"]
    assert main(["sound", "--falsify", "--quiet"], name) == 0


def test_an_error_that_is_no_slip_of_the_file_is_a_bug(package):
    name = package(SOUND + "\nraise RuntimeError\n")
    assert main(["own"], name) == 70


def test_checking_every_file_loads_nothing_heavy():
    script = (
        "import sys\nfrom proofs_check.engine.registry import load_all\nassert load_all()[1] == {}\n"
        "sys.exit(bool({'sympy', 'scipy', 'numpy', 'flint'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def test_a_hypothesis_brings_what_it_implies(package):
    cited = SOUND.replace(SECOND, 'needs=("positive",), cites=("first",)')
    implied = cited.replace('"by its law")),\n    ),', '"by its law"), implies=("bounded",)),\n    ),')
    name = package(implied)
    assert load_theorem("own", name).claims[1].cites == ("first",)
    with pytest.raises(UsageError, match="add bounded to its needs"):
        load_theorem("own", package(cited))
