"""Certificates: what is exported, that Coq accepts it, and that it refuses it with one number changed."""

import json
import random
import re
import time
from fractions import Fraction

import pytest

from numerics.laws.syntax import parse_law
from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.formal.certificates import WRITERS, certificate, exporting, number
from proofs_check.formal.checking import NotProved, check_certificate
from proofs_check.formal.coq import DoesNotCompile, FormalError
from proofs_check.formal.finite import Table
from proofs_check.formal.library import ask, sources, theorem_names
from proofs_check.formal.rounding import ln_down, ln_up
from proofs_check.formal.uniform_moments import UniformMoments
from reports.results import Verdict

LAW = "atoms({1: 1/3, 4: 2/3})"
FIVE = "atoms({0: 1/7, 1: 1/7, 7/2: 2/7, 4: 2/7, 5: 1/7})"
UNIFORM = "uniform(1, 4)"
UNIFORM_RUNS = {
    "theorem_6_2": {"depth": "1,8,128", "candidate": "2/5"},
    "theorem_6_3": {"epsilon": "1/10"},
    "layerwise": {"depth": "1:3"},
}
CLAIMS = {
    "theorem_6_2": ("minimiser_enclosure", "limit", "candidate"),
    "theorem_4_1": ("gap_positive",),
    "theorem_6_3": ("limit",),
    "layerwise": ("best_depth_T",),
    "depth_minimax": ("minimax_weight",),
}


def run(theorem, claims=None, law=LAW, **options):
    return verify(theorem, squared_norm=law, claim=claims or CLAIMS[theorem], **options)


def written(theorem, claims=None, law=LAW, **options):
    return certificate(parse_law("squared_norm", law), [run(theorem, claims, law, **options)], "0")


@pytest.fixture(scope="module")
def texts():
    return {
        "theorem_6_2": written("theorem_6_2", depth="1,8", candidate="2/5"),
        "theorem_4_1": written("theorem_4_1"),
        "theorem_6_3": written("theorem_6_3"),
        "layerwise": written("layerwise", law=FIVE, depth="1:5"),
        "depth_minimax": written("depth_minimax"),
        "uniform": certificate(
            parse_law("squared_norm", UNIFORM),
            [run(theorem, law=UNIFORM, **UNIFORM_RUNS.get(theorem, {})) for theorem in CLAIMS],
            "0",
        ),
    }


def moved(text):
    """The enclosure at depth 8 moved up by its width."""
    line = next(line for line in text.splitlines() if "(depth 8)" in line)
    low, high = re.findall(r"0\.\d+", line)
    width = Fraction(high) - Fraction(low)
    return text.replace(f"{low} < a < {high}", f"{high} < a < {number(Fraction(high) + width)}")


CHANGES = [
    ("theorem_6_2_limit", "depth 23", "depth 22"),
    ("theorem_6_2_limit", "1/100", "1/120"),
    ("theorem_6_2_limit", "a - 2/7) < 1/100 * (2/7", "a - 2/5) < 1/100 * (2/5"),
    ("theorem_6_2_limit_alpha_star", "alpha_star P = 2/7", "alpha_star P = 2/5"),
    ("theorem_6_2_minimiser_enclosure_1", "(4, 2)", "(4, 3)"),
    ("theorem_6_2_minimiser_enclosure_8", "(depth 8)", "(depth 9)"),
    ("theorem_6_2_candidate", "tends_to P (2/5)", "tends_to P (2/7)"),
    ("theorem_6_2_candidate", "Below 256 12 35", "Above 256 12 35"),
    ("theorem_4_1_gap_positive", "428 < gap", "429 < gap"),
    ("theorem_4_1_gap_positive", "(1, 1)", "(1, 2)"),
    ("theorem_6_3_limit", "depth 68", "depth 67"),
    ("theorem_6_3_limit", "1/100", "1/150"),
    ("theorem_6_3_limit", "(4, 2)", "(4, 200)"),
    ("layerwise_best_depth_T_3", "0.00009062896501721950335327170563", "0.00009062896501721950335327170564"),
    ("layerwise_best_depth_T_3", "24520; -10707", "24521; -10707"),
    ("layerwise_best_depth_T_1", "(7, 2)", "(7, 3)"),
    ("layerwise_best_depth_T_2", "(depth 2)", "(depth 3)"),
    ("depth_minimax_minimax_weight", "3/7", "4/7"),
    ("depth_minimax_minimax_weight", "2/7", "2/5"),
    ("atoms_valid", "mk_table 1 1 4", "mk_table 1 2 4"),
]


@pytest.mark.parametrize("theorem", [*CLAIMS, "uniform"])
def test_a_true_certificate_is_proved(coq, library, texts, theorem):
    found, text = check_certificate(coq, texts[theorem], print), texts[theorem]
    valid = "ends_valid" if theorem == "uniform" else "atoms_valid"
    assert [name.partition(".")[2] for name, _ in found.theorems] == [valid, *theorem_names(text)]
    if valid == "atoms_valid" and theorem != "layerwise":
        assert "rows := [(1%Z, 1%Z); (4%Z, 2%Z)]" in found.definitions[0]


def fails_at(coq, text, name):
    """The computation of this theorem comes out false: the kernel says so at its Qed.

    The other theorems are left out, as they take their time.
    """
    blocks = text.split("\n\n")
    text = "\n\n".join(each for each in blocks if not each.startswith("Theorem") or f" {name} :" in each)
    lines = text.splitlines()
    begun = next(i for i, line in enumerate(lines) if f" {name} :" in line)
    ended = next(i for i, line in enumerate(lines) if i >= begun and line.endswith("Qed."))
    with pytest.raises(NotProved) as caught:
        check_certificate(coq, text, print)
    assert str(caught.value) == f"{name}: false by computation (line {ended + 1})"


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_number_fails_at_the_final_computation(coq, library, texts, name, old, new):
    text = next((text for theorem, text in texts.items() if name.startswith(theorem)), texts["theorem_4_1"])
    assert old in text
    fails_at(coq, text.replace(old, new), name)


@pytest.mark.parametrize("law", ["theorem_6_2", "uniform"])
def test_an_enclosure_moved_by_its_width_fails(coq, library, texts, law):
    fails_at(coq, moved(texts[law]), "theorem_6_2_minimiser_enclosure_8")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("theorem_6_2_limit", "depth 17", "depth 16"),
        ("theorem_6_2_limit", "a - 2/7) < 1/100 * (2/7", "a - 2/5) < 1/100 * (2/5"),
        ("theorem_6_2_limit_alpha_star", "alpha_star P = 2/7", "alpha_star P = 2/5"),
        ("theorem_6_2_minimiser_enclosure_1", " 1 4 1", " 1 5 1"),
        ("theorem_6_2_candidate", "tends_to P (2/5)", "tends_to P (2/7)"),
        ("theorem_4_1_gap_positive", "557713021 <", "557713032 <"),
        ("theorem_4_1_gap_positive", "ends_valid 256 106", "ends_valid 64 27"),
        ("theorem_4_1_gap_positive", "ends_valid 256 106", "ends_valid 256 10"),
        ("theorem_6_3_limit", "depth 25", "depth 23"),
        ("theorem_6_3_limit", "1/10 * (2/7", "1/20 * (2/7"),
        ("theorem_6_3_limit", "(3 # 7)", "(4 # 7)"),
        ("layerwise_best_depth_T_2", "0.002038936607575577740371277489", "0.002038936607575577740371277488"),
        ("layerwise_best_depth_T_2", "[1379; -800; 110]", "[1379; -800; 111]"),
        ("layerwise_best_depth_T_2", " 60\n", " 30\n"),
        ("layerwise_best_depth_T_1", "least_excess P (depth 1)", "least_excess P (depth 2)"),
        ("depth_minimax_minimax_weight", "3/7", "4/7"),
        ("ends_valid", " 1 4 1", " 4 1 1"),
    ],
)
def test_a_changed_number_of_a_uniform_law_fails(coq, library, texts, name, old, new):
    assert old in texts["uniform"]
    fails_at(coq, texts["uniform"].replace(old, new), name)


def test_the_gap_of_two_modalities_is_that_of_the_best_scalar(coq, library):
    laws = ("atoms({1: 1/2, 2: 1/2})", "atoms({1: 1/2, 3: 1/2})")
    result = verify("theorem_4_1", modalities=laws, claim=("gap_positive", "modalities"))
    text = certificate(parse_law("modalities", *laws), [result], "0")
    assert theorem_names(text) == ["theorem_4_1_modalities"]
    assert check_certificate(coq, text, print).theorems


@pytest.mark.parametrize(
    ("added", "why"),
    [
        ("Axiom cheat : 1 = 2.", "adds an axiom: Certificate.cheat"),
        ("Module Hidden. Parameter cheat : 1 = 2. End Hidden.", "adds an axiom: Certificate.Hidden.cheat"),
        ("Theorem cheat : 1 = 2. Admitted.", "rests on Certificate.cheat"),
        ("Theorem cheat : 1 = 2. Proof. admit. Admitted.", "rests on Certificate.cheat"),
        (
            "Unset Guard Checking. Fixpoint loop (n : nat) : False := loop n. "
            "Theorem cheat : 1 = 2. Proof. destruct (loop O). Qed.",
            "loop is assumed to be guarded",
        ),
    ],
)
def test_a_certificate_that_cheats_is_refused(coq, library, texts, added, why):
    with pytest.raises(NotProved, match=re.escape(why)):
        check_certificate(coq, f"{texts['depth_minimax']}\n{added}\n", print)


@pytest.mark.parametrize("command", ["Redirect", "Extraction", "Load", "Cd", "Print Universes"])
def test_coq_does_not_see_what_may_reach_files(command, tmp_path):
    text = f'Theorem x : 1 = 1. reflexivity. Qed.\n{command} "{tmp_path}/out" nat.\n'
    with pytest.raises(NotProved, match=r"a string \(line 2\)"):
        check_certificate(None, text, print)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Theorem open : 1 = 1. Proof.", DoesNotCompile),
        ("this is no certificate", DoesNotCompile),
        ("Lemma false : true = false. Proof. reflexivity. Qed.", DoesNotCompile),
        ("Definition nothing := 0.", NotProved),
    ],
)
def test_what_is_no_certificate(coq, library, text, error):
    with pytest.raises(error):
        check_certificate(coq, text, print)


def test_the_expectations_of_coq_are_those_of_python(coq, library):
    """On random finite laws: exactly, and within the rounding of the exact value."""
    rng, cases, questions = random.Random(0), [], []
    for _ in range(12):
        values = sorted(rng.sample(range(60), rng.randint(2, 5)))
        rows = tuple((v, rng.randint(1, 9)) for v in values)
        table = Table(rng.randint(1, 12), min(v for v in values if v), max(values), rows)
        a, T, bits = (
            Fraction(rng.randint(1, 30), rng.randint(20, 60)),
            rng.randint(1, 9),
            rng.choice([16, 128]),
        )
        side = rng.choice(["Above", "Below"])
        D = f"(mk_table {table.den} {table.low} {table.high} [{'; '.join(map(str, rows))}])%Z"
        weight = f"{side} {a.numerator} {a.denominator}"
        cases.append((table, a, T, bits, side))
        questions += [
            f"Eval vm_compute in (let M := Computed.largest {D} {weight} in "
            f"totalZ (contribution {D} {weight} {bits} {2 * T - 1} M 0) (rows {D})).",
            f"Eval vm_compute in (sum_first {D}, sum_second {D}, sum_ratios {D} (ratio_down {bits})).",
        ]
    answers = ask(coq, questions, sources(), (library, "Formal"))
    for (table, a, T, bits, side), total, sums in zip(cases, answers[::2], answers[1::2], strict=True):
        value = int(re.search(r"= \(?(-?\d+)\)?%Z", total)[1])
        largest = max(abs(table.residual(side, a, v)) for v in (table.low, table.high))
        assert value == sum(table.contribution(row, side, a, T, bits, largest, 0) for row in table.rows)
        exact = sum(
            w * v * Fraction(table.residual(side, a, v), largest) ** (2 * T - 1) for v, w in table.rows
        )
        error = 2**bits * exact - value
        assert 0 <= error <= 8 * T * sum(v * w for v, w in table.rows)
        first = sum(v * w for v, w in table.rows)
        second = sum(v * w * (table.den + v) for v, w in table.rows)
        ratios = sum(w * ((v << bits) // (table.den + v)) for v, w in table.rows)
        assert [int(each) for each in re.findall(r"\d+(?=%Z)", sums)] == [first, second, ratios]


def test_the_logarithms_and_moments_of_coq_are_those_of_python(coq, library):
    rng, cases, questions = random.Random(1), [], []
    for _ in range(12):
        den, a, k = rng.randint(1, 9), rng.randint(10, 40), rng.randint(0, 6)
        b, bits, terms = a + rng.randint(1, 90), rng.choice([16, 128]), rng.randint(1, 40)
        cases.append((UniformMoments(den, a, b), k, bits, terms))
        questions += [
            f"Eval vm_compute in ({name} {bits} {terms} {a} {b})%N%Z." for name in ("ln_down", "ln_up")
        ]
        questions.append(f"Eval vm_compute in (momentZ {a - den} {b - den} {den} 840 {k})%Z.")
    answers = ask(coq, questions, sources(), (library, "Formal"))
    found = [int(re.search(r"= \(?(-?\d+)\)?%Z", answer)[1]) for answer in answers]
    triples = zip(found[::3], found[1::3], found[2::3], strict=True)
    for (moments, k, bits, terms), (down, up, moment) in zip(cases, triples, strict=True):
        assert down == ln_down(bits, terms, moments.a, moments.b)
        assert up == ln_up(bits, terms, moments.a, moments.b)
        assert Fraction(moment, moments.den * 840 * (moments.b - moments.a)) == moments.moment(k)


def test_depths_that_reach_0_are_not_exported():
    names = theorem_names(written("layerwise", law=FIVE, depth="1:5"))
    assert names == [f"layerwise_best_depth_T_{T}" for T in (1, 2, 3)]


def test_nothing_is_exported_that_was_not_verified():
    law = parse_law("squared_norm", LAW)
    refuted = verify("theorem_6_2", squared_norm=LAW, claim="candidate", candidate="2/7")
    assert refuted.claim("candidate").verdict is Verdict.VERIFIED
    with pytest.raises(FormalError, match="no claim"):
        certificate(law, [refuted], "0")
    undecided = verify("theorem_6_2", squared_norm=LAW, claim="minimiser_enclosure", depth="8", max_bits="16")
    assert undecided.claim("minimiser_enclosure").verdict is Verdict.INCONCLUSIVE
    with pytest.raises(FormalError, match="no claim"):
        certificate(law, [undecided], "0")


def test_a_number_that_python_got_wrong_is_not_exported():
    result = verify("theorem_4_1", squared_norm=LAW, claim="gap_positive")
    result.claim("gap_positive").values["gap"] = {"lower": "0.06", "upper": "0.07"}
    with pytest.raises(FormalError, match="theorem_4_1_gap_positive: not decided"):
        certificate(parse_law("squared_norm", LAW), [result], "0")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(2, 7), "2/7"),
        (Fraction(3), "3/1"),
        (Fraction(-5, 3), "-5/3"),
        (Fraction(1, 100), "1/100"),
        (Fraction("0.28571"), "0.28571"),
        (Fraction("12.00005"), "12.00005"),
        (Fraction(1, 64), "0.015625"),
        (Fraction(1, 16 * 3), "1/48"),
    ],
)
def test_numbers_are_always_fractions_for_coq(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["theorem_6_2", "--norm", "uniform(1, 2)", "--certificate", "{}.v"], 2, "no instance for this law"),
        (
            ["theorem_6_2", "--squared-norm", "point(0)", "--certificate", "{}.v"],
            2,
            "no instance for this law",
        ),
        (
            ["skip_ablation", "--squared-norm", LAW, "--certificate", "{}.v"],
            2,
            "not of skip_ablation; of depth",
        ),
        (["theorem_6_2", "--squared-norm", LAW, "--certificate", "{}.txt"], 2, "a certificate ends in .v"),
        (
            ["theorem_6_2", "--squared-norm", LAW, "--claim", "population_loss", "--certificate", "{}.v"],
            5,
            "no claim that a certificate can hold was verified; nothing is written",
        ),
    ],
)
def test_what_cannot_be_exported_is_one_line(tmp_path, capsys, words, code, message):
    path = tmp_path / "certificate"
    assert main([*(word.format(path) if "{}" in word else word for word in words), "--quiet"]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_certificate_from_the_command_line(coq, library, tmp_path, capsys):
    path = tmp_path / "certificate.v"
    words = ["--squared-norm", LAW, "--certificate", str(path), "--json", "-"]
    assert main(["theorem_4_1", "--claim", "gap_positive", *words]) == 0
    gap = json.loads(capsys.readouterr().out)["claims"][0]["values"]["gap"]
    assert main(["formal", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"{gap['lower']} < gap Certificate.P < {gap['upper']}" in out
    assert "proved, Coq" in out
    path.write_text(path.read_text().replace("(4, 2)", "(4, 3)"))
    assert main(["formal", str(path)]) == 1
    assert "not proved: theorem_4_1_gap_positive: false by computation" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("make", "message"),
    [(lambda path: None, "No such file"), (lambda path: path.write_bytes(b"\xff"), "not UTF-8")],
)
def test_a_certificate_that_cannot_be_read(coq, tmp_path, capsys, make, message):
    path = tmp_path / "certificate.v"
    make(path)
    assert main(["formal", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_without_coq_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    for words in (["formal"], ["formal", "certificate.v"]):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert "install it (Debian: apt-get install coq libcoq-coquelicot)" in error
        assert error.count("\n") == 1


def test_each_theorem_that_exports_has_a_true_certificate_above():
    assert set(exporting(WRITERS)) == set(CLAIMS)


@pytest.mark.nightly
def test_a_thousand_rows_take_less_than_two_minutes(coq, library, tmp_path):
    rng = random.Random(0)
    path = tmp_path / "norms.csv"
    path.write_text("norm\n" + "".join(f"{rng.uniform(1, 2):.6f}\n" for _ in range(1000)))
    law = f'empirical("{path}", column="norm")'
    result = verify("theorem_6_2", norm=law, claim=("minimiser_enclosure", "limit"))
    text = certificate(parse_law("norm", law), [result], "0")
    begun = time.perf_counter()
    assert check_certificate(coq, text, print).theorems
    assert time.perf_counter() - begun < 120
