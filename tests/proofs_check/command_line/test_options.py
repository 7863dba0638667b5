import inspect
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check import simulate, verify
from proofs_check.command_line.check_options import CheckOptions
from proofs_check.command_line.commands import main
from proofs_check.command_line.options import (
    MOST_DEPTHS,
    Given,
    LawOptions,
    Option,
    Options,
    as_text,
    as_texts,
    read_depths,
    whole,
)
from proofs_check.command_line.planning import make_plan, make_plans
from proofs_check.command_line.simulation_options import SimulationOptions
from proofs_check.engine.context import OF_SOME_THEOREMS, SETTINGS, Settings, UsageError
from proofs_check.engine.registry import load_theorem

MADE_UP = "tests.proofs_check.made_up"
ARITHMETIC = load_theorem("arithmetic", MADE_UP)
FAILING = load_theorem("failing", MADE_UP)


def depths(text):
    return read_depths(Given("--depth", (text,), ARITHMETIC))


def plan(**options):
    return make_plan(ARITHMETIC, Options(**options))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3", (3,)),
        ("1,2,8", (1, 2, 8)),
        ("8, 2,2,1", (1, 2, 8)),
        ("1:4", (1, 2, 3, 4)),
        ("7,1:3,2:4", (1, 2, 3, 4, 7)),
        ("4096", (4096,)),
    ],
)
def test_depths(text, found):
    assert depths(text) == found


@given(st.sets(st.integers(1, 4096), min_size=1, max_size=6))
def test_depths_of_python_values_are_read_back(wanted):
    assert depths(as_text(wanted)) == tuple(sorted(wanted))


@given(st.integers(1, 4096), st.integers(1, 100))
def test_a_range_of_depths_is_read_back(first, count):
    wanted = range(first, min(first + count, 4097))
    assert depths(as_text(wanted)) == tuple(wanted)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", "at least 1"),
        ("-1", "at least 1"),
        ("0:3", "at least 1"),
        ("5:2", "write 2:5"),
        ("4097", "goes to depth 4096"),
        ("1:1000000000", "goes to depth 4096"),
        ("9" * 5000, "goes to depth 4096"),
        ("abc", "write 1,2,8 or 1:64"),
        ("", "write 1,2,8 or 1:64"),
        ("1,,2", "write 1,2,8 or 1:64"),
        ("1:2:3", "write 1,2,8 or 1:64"),
        ("1.5", "write 1,2,8 or 1:64"),
        ("nan", "write 1,2,8 or 1:64"),
        ("٣", "write 1,2,8 or 1:64"),
        ("1\n2", "write 1,2,8 or 1:64"),
    ],
)
def test_bad_depths(text, reason):
    with pytest.raises(UsageError) as caught:
        depths(text)
    line = str(caught.value)
    assert line.startswith("--depth ")
    assert reason in line
    assert "\n" not in line
    assert len(line) < 160


def test_a_range_without_depth_limit_is_still_finite(monkeypatch):
    monkeypatch.setattr(ARITHMETIC, "max_depth", None)
    assert len(depths(f"1:{MOST_DEPTHS}")) == MOST_DEPTHS
    with pytest.raises(UsageError, match="at most"):
        depths(f"1:{MOST_DEPTHS + 1}")


def test_defaults():
    default = plan()
    assert default.law.texts == ("uniform(1, 4)",)
    assert default.settings.depths == (1, 2)
    assert default.settings.epsilon == Fraction(1, 100)
    assert default.settings.seed == 0
    assert default.variants == ()
    assert [claim.id for claim in default.claims] == ["sum", "mean", "varied", "half"]


def test_numbers_are_exact():
    settings = plan(epsilon="0.1", candidate="1/3", start=("-0.05,1e-1", "0,0"), basin="3,4").settings
    assert settings.epsilon == Fraction(1, 10)
    assert settings.candidate == Fraction(1, 3)
    assert settings.starts == ((Fraction(-1, 20), Fraction(1, 10)), (Fraction(0), Fraction(0)))
    assert settings.basin == (3, 4)


@pytest.mark.parametrize(
    ("options", "argument", "reason"),
    [
        ({"squared_norm": "uniform(4, 1)"}, "--squared-norm", ""),
        ({"norm": "unifrom(1, 4)"}, "--norm", "uniform"),
        ({"modalities": ("point(1)", "nonsense")}, "--modalities", ""),
        ({"modalities": ("point(1)",)}, "--modalities", "two or more"),
        ({"norm": "point(1)", "squared_norm": "point(1)"}, "--squared-norm and --norm", "one of them"),
        ({"epsilon": "0"}, "--epsilon", "between 0 and 1"),
        ({"epsilon": "-1/100"}, "--epsilon", "between 0 and 1"),
        ({"epsilon": "1"}, "--epsilon", "between 0 and 1"),
        ({"epsilon": "1000"}, "--epsilon", "between 0 and 1"),
        ({"epsilon": "nan"}, "--epsilon", ""),
        ({"epsilon": "1/0"}, "--epsilon", ""),
        ({"candidate": "a third"}, "--candidate", ""),
        ({"start": ("1",)}, "--start", "ALPHA,BETA"),
        ({"start": ("1,x",)}, "--start", ""),
        ({"basin": "5"}, "--basin", "NA,NB"),
        ({"basin": "0,5"}, "--basin", "from 1"),
        ({"basin": "1000,1000"}, "--basin", "at most"),
        ({"seed": "-1"}, "--seed", "random"),
        ({"seed": "many"}, "--seed", "random"),
        ({"max_bits": "15"}, "--max-bits", "from 16"),
        ({"max_bits": "9" * 5000}, "--max-bits", "from 16"),
        ({"timeout": "0"}, "--timeout", "above 0"),
        ({"timeout": "inf"}, "--timeout", "above 0"),
        ({"timeout": "nan"}, "--timeout", "above 0"),
        ({"timeout": "soon"}, "--timeout", "above 0"),
        ({"claim": ("sums",)}, "--claim", "did you mean sum?"),
        ({"claim": ("",)}, "--claim", "sum, mean"),
        ({"claim": ("failing.act",)}, "--claim", "sum, mean"),
        ({"claim": ("candidate",)}, "--claim", "--candidate"),
        ({"statistical": True}, "--statistical", "leave it out"),
    ],
)
def test_bad_options_are_named(options, argument, reason):
    with pytest.raises(UsageError) as caught:
        plan(**options)
    line = str(caught.value)
    assert line.startswith(argument)
    assert reason in line
    assert "\n" not in line


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "1025"])
def test_bad_jobs(text):
    with pytest.raises(UsageError, match=r"^--jobs"):
        _ = Options(jobs=text).jobs


@pytest.mark.parametrize("name", ["depth", "epsilon", "candidate", "start", "basin"])
def test_an_option_that_the_theorem_lacks(name):
    value = ("1,1",) if name == "start" else "1"
    with pytest.raises(UsageError, match=rf"^--{name}: failing has no such option"):
        make_plan(FAILING, Options(**{name: value}))


def test_all_passes_an_option_to_those_that_have_it():
    first, second = make_plans([ARITHMETIC, FAILING], Options(depth="3", epsilon="1/7", max_bits="64"))
    assert first.settings.depths == (3,)
    assert first.settings.epsilon == Fraction(1, 7)
    assert second.settings.depths == ()
    assert second.settings.epsilon == Fraction(1, 100)
    assert first.settings.max_bits == second.settings.max_bits == 64


@pytest.mark.parametrize("options", [{"candidate": "1"}, {"start": ("1,1",)}, {"basin": "2,2"}])
def test_all_refuses_what_is_meant_for_one_theorem(options):
    with pytest.raises(UsageError, match="`all`"):
        make_plans([ARITHMETIC, FAILING], Options(**options))


def test_all_wants_full_claim_ids_and_runs_only_their_theorems():
    (only,) = make_plans([ARITHMETIC, FAILING], Options(claim=("failing.strong",)))
    assert only.theorem is FAILING
    assert [claim.id for claim in only.claims] == ["strong"]
    with pytest.raises(UsageError, match=r"failing\.strong"):
        make_plans([ARITHMETIC, FAILING], Options(claim=("strong",)))


def test_a_claim_brings_what_it_uses_and_the_hypotheses_it_needs():
    mean = plan(claim=("arithmetic.mean",), falsify=True)
    assert [claim.id for claim in mean.claims] == ["sum", "mean"]
    assert [hypothesis.id for hypothesis in mean.hypotheses] == ["bounded"]
    assert [variant.id for variant in mean.variants] == ["mean_is_2"]
    half = plan(claim=("half",), falsify=True)
    assert half.hypotheses == ()
    assert half.variants == ()


def test_a_random_seed_is_fresh_and_kept():
    assert len({Options(seed="random").seed for _ in range(8)}) > 1
    plans = make_plans([ARITHMETIC, FAILING], Options(seed="random"))
    assert plans[0].settings.seed == plans[1].settings.seed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("1/3", "1/3"),
        (Fraction(1, 3), "1/3"),
        (0.1, "0.1"),
        (8, "8"),
        ((1, 2, 8), "1,2,8"),
        (range(1, 65), "1:64"),
        (range(1, 9, 2), "1,3,5,7"),
        (np.array(3), "3"),
        (range(1, 10**15), "1:999999999999999"),
    ],
)
def test_python_values_as_text(value, text):
    assert as_text(value) == text


def test_repeated_python_values_as_texts():
    assert as_texts(()) == ()
    assert as_texts("0,0") == ("0,0",)
    assert as_texts([(0, Fraction(1, 2)), "1,1"]) == ("0,1/2", "1,1")


def test_the_command_line_with_the_same_meaning():
    options = Options(modalities=("point(1)", "point(2)"), start=("0,1", "1,0"), falsify=True, max_bits="64")
    words = "theorem --modalities point(1) point(2) --start 0,1 --start 1,0 --falsify --max-bits 64"
    assert options.command("theorem") == words.split()


@pytest.mark.parametrize("value", ["no", "False", "", 2, [True], np.array([True, False])])
def test_a_flag_is_true_or_false(value):
    with pytest.raises(UsageError, match="--falsify: neither True nor False"):
        Options(falsify=value)


@pytest.mark.parametrize(
    ("value", "given"), [(None, False), (np.False_, False), (0, False), (np.True_, True)]
)
def test_a_flag_may_come_from_numpy(value, given):
    assert Options(falsify=value).given("falsify") is given


@pytest.mark.parametrize("empty", [(), []])
def test_no_laws_are_not_the_default_law(empty):
    with pytest.raises(UsageError, match="--modalities: empty"):
        Options(modalities=empty)


@pytest.mark.parametrize("name", [None, 3, ["theorem_6_2"]])
def test_what_is_no_name_is_no_theorem(name):
    with pytest.raises(UsageError, match=r"THEOREM .*: unknown"):
        verify(name)


def test_verify_has_the_options_declared_and_no_others():
    """In their order, none of them given by default."""
    theorem, *others = inspect.signature(verify).parameters.values()
    assert theorem.name == "theorem"
    assert [each.name for each in others] == [option.name for option in Options.declared()]
    assert all(each.kind is each.KEYWORD_ONLY for each in others)
    assert Options(**{each.name: each.default for each in others}).words == {}


def test_simulate_has_the_options_declared_save_where_things_go():
    names = list(inspect.signature(simulate).parameters)
    elsewhere = {"json", "csv", "plot", "report", "report_style", "debug", "dask"}
    assert names == [option.name for option in SimulationOptions.declared() if option.name not in elsewhere]


def test_every_setting_has_an_option_with_its_default():
    options = {option.name: option for option in Options.declared()}
    assert SETTINGS.keys() <= options.keys()
    assert {"depth", "epsilon", "candidate", "start", "basin"} == OF_SOME_THEOREMS
    assert {name: options[name].default for name in SETTINGS} == {
        name: getattr(Settings(), setting) for name, setting in SETTINGS.items()
    }


@pytest.mark.parametrize("options", [LawOptions, Options, CheckOptions, SimulationOptions])
def test_a_default_that_the_help_shows_is_read_as_that_default(options):
    for option in options.declared():
        if "(default: " in option.explanation and option.shown is None:
            text = option.explanation.partition("(default: ")[2].removesuffix(").")
            assert getattr(options(**{option.name: text}), option.name) == option.default
        assert getattr(options(), option.name) == option.default


def test_an_option_that_is_not_declared_is_no_option():
    with pytest.raises(TypeError, match="dept"):
        Options(dept="1")
    with pytest.raises(TypeError, match="json"):
        Options(json="-")


def test_a_report_implies_the_false_variants():
    assert CheckOptions(report="report.tex").falsify
    assert not CheckOptions(json="-").falsify


class More(CheckOptions):
    """What a new option takes: its declaration."""

    rounds = Option("N", "Rounds.", whole(1, 9), 3)
    side = Option[tuple[str, ...]]("ID", "Sides.", lambda given: given.words, (), repeatable=True)


def test_a_new_option_is_one_declaration(monkeypatch, capsys):
    assert (More().rounds, More(rounds=5).rounds) == (3, 5)
    words = ["--rounds", "5", "--side", "a", "--side", "b"]
    assert More(rounds="5", side=["a", "b"]).command("x") == ["x", *words]
    with pytest.raises(UsageError, match=r"^--rounds '10': not a whole number from 1 to 9$"):
        _ = More(rounds="10").rounds
    seen = []
    monkeypatch.setattr("proofs_check.command_line.commands.CheckOptions", More)
    monkeypatch.setattr(
        "proofs_check.command_line.commands._run", lambda call, name, options: seen.append(options) or 0
    )
    assert main(["arithmetic", *words], MADE_UP) == 0
    assert (seen[0].rounds, seen[0].side, seen[0].epsilon) == (5, ("a", "b"), Fraction(1, 100))
    assert main(["arithmetic", "--help"], MADE_UP) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "--rounds N Rounds (default: 3)." in text
    assert "--side ID Sides (repeatable)." in text
