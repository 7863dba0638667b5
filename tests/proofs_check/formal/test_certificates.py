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
from proofs_check.formal.components import Components, Sums
from proofs_check.formal.coq import DoesNotCompile, FormalError
from proofs_check.formal.finite import Table
from proofs_check.formal.library import ask, sources, theorem_names
from proofs_check.formal.parts import Atom, Piece
from reports.results import Verdict

LAW = "atoms({1: 1/3, 4: 2/3})"
FIVE = "atoms({0: 1/7, 1: 1/7, 7/2: 2/7, 4: 2/7, 5: 1/7})"
UNIFORM = "uniform(1, 4)"
MIXTURE = "mixture({point(0): 1/6, point(2): 1/6, beta(2, 3, low=1, high=4): 2/3})"
RUNS = {
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
        "uniform": of_all(UNIFORM),
        "mixture": of_all(MIXTURE),
    }


def of_all(law):
    """One certificate of all theorems."""
    results = [run(theorem, law=law, **RUNS.get(theorem, {})) for theorem in CLAIMS]
    return certificate(parse_law("squared_norm", law), results, "0")


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


@pytest.mark.parametrize("theorem", [*CLAIMS, "uniform", "mixture"])
def test_a_true_certificate_is_proved(coq, library, texts, theorem):
    found, text = check_certificate(coq, texts[theorem], print), texts[theorem]
    valid = ["atoms_valid"] if theorem in CLAIMS else []
    assert [name.partition(".")[2] for name, _ in found.theorems] == [*valid, *theorem_names(text)]
    if valid and theorem != "layerwise":
        assert "rows := [(1%Z, 1%Z); (4%Z, 2%Z)]" in found.definitions[0]
    if theorem == "mixture":
        assert "rest := [(4%positive, Piece 1 3 1 2)]" in found.definitions[0]


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


@pytest.mark.parametrize("law", ["theorem_6_2", "uniform", "mixture"])
def test_an_enclosure_moved_by_its_width_fails(coq, library, texts, law):
    fails_at(coq, moved(texts[law]), "theorem_6_2_minimiser_enclosure_8")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("theorem_6_2_limit", "depth 36", "depth 35"),
        ("theorem_6_2_limit", "a - 2/7) < 1/100 * (2/7", "a - 2/5) < 1/100 * (2/5"),
        ("theorem_6_2_limit", "3 1 2)", "3 1 3)"),
        ("theorem_6_2_limit_alpha_star", "alpha_star P = 2/7", "alpha_star P = 2/5"),
        ("theorem_6_2_limit_alpha_star", "Piece 1 3", "Piece 1 4"),
        ("theorem_6_2_minimiser_enclosure_1", "(4, Piece", "(5, Piece"),
        ("theorem_6_2_minimiser_enclosure_1", "3 1 2)", "3 2 2)"),
        ("theorem_6_2_candidate", "tends_to P (2/5)", "tends_to P (2/7)"),
        ("theorem_4_1_gap_positive", "386542 <", "386559 <"),
        ("theorem_4_1_gap_positive", "parts 256 106", "parts 64 27"),
        ("theorem_4_1_gap_positive", "parts 256 106", "parts 256 10"),
        ("theorem_4_1_gap_positive", "mk_components 1 1", "mk_components 1 2"),
        ("theorem_6_3_limit", "depth 38", "depth 36"),
        ("theorem_6_3_limit", "1/10 * (2/7", "1/20 * (2/7"),
        ("theorem_6_3_limit", "(3 # 7)", "(4 # 7)"),
        ("theorem_6_3_limit", "3 1 2)", "3 1 3)"),
        (
            "layerwise_best_depth_T_2",
            "0.0006562873176389222825639007241",
            "0.0006562873176389222825639007242",
        ),
        ("layerwise_best_depth_T_2", "-76531; 11228]", "-76531; 11229]"),
        ("layerwise_best_depth_T_1", "least_excess P (depth 1)", "least_excess P (depth 2)"),
        ("depth_minimax_minimax_weight", "3/7", "4/7"),
    ],
)
def test_a_changed_number_of_a_mixture_fails(coq, library, texts, name, old, new):
    assert old in texts["mixture"]
    fails_at(coq, texts["mixture"].replace(old, new), name)


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


def random_components(rng):
    den = rng.randint(1, 4)
    parts = [Piece(den, rng.randint(0, 6), rng.randint(1, 12), rng.randint(0, 3), rng.randint(0, 3))]
    parts += [Atom(den, rng.randint(1, 20)) for _ in range(rng.randint(0, 2))]
    rng.shuffle(parts)
    return Components(den, rng.randint(0, 5), tuple((rng.randint(1, 9), part) for part in parts))


def test_the_sums_moments_and_shares_of_coq_are_those_of_python(coq, library):
    """On random mixtures of atoms and densities: to the last digit."""
    rng, wanted, questions = random.Random(1), [], []
    for _ in range(8):
        law = random_components(rng)
        first, *rest = (f"({weight}, {part})" for weight, part in law.parts)
        M = f"(mk_components {law.den} {law.zero} {first} [{'; '.join(rest)}])%positive"
        a, T = Fraction(rng.randint(1, 30), rng.randint(20, 60)), rng.randint(1, 9)
        bits, k, lam = rng.choice([16, 128]), rng.randint(0, 6), 1 + Fraction(rng.randint(0, 40), 8)
        side, terms = rng.choice(["Above", "Below"]), law.terms(bits)
        above, below = rng.choice([(0, 0), (rng.randint(0, 40), -rng.randint(0, 40))])
        tails = law.tails(side, a, T, above, below)
        weight = f"{a.numerator} {a.denominator} {T}"
        x = f"({lam.numerator} # {lam.denominator})"
        questions += [
            f"Eval vm_compute in (sum_below {bits} {T}~0\n"
            f"  (law_terms {M} {side} {weight} {above} ({below})), 1)%Z.",
            *(
                f"Eval vm_compute in (let x := {value} in (Qnum x, QDen x))."
                for value in (
                    f"law_moment {M} {k}",
                    f"nu_below {M} false {bits} {terms} {x}",
                    f"nu_above {M} true {bits} {terms} {x}",
                )
            ),
        ]
        ends = law.ends
        wanted += [
            Sums(T, ()).below(tails, bits),
            law.moment(k),
            law.share(ends[0], lam, bits),
            law.bound_sum(lam * law.den, ends[1] * law.den, bits, up=True),
        ]
    answers = ask(coq, questions, sources(), (library, "Formal"), first="From Coq Require Import QArith.")
    found = [Fraction(*map(int, re.findall(r"(-?\d+)\)?%Z", answer))) for answer in answers]
    assert found == wanted


def test_depths_that_reach_0_are_not_exported():
    names = theorem_names(written("layerwise", law=FIVE, depth="1:5"))
    assert names == [f"layerwise_best_depth_T_{T}" for T in (1, 2, 3)]


def test_shares_of_the_mass_may_be_tiny():
    """A threshold beyond which lies less than 2^-64 of nu."""
    text = written("theorem_6_3", law="beta(31, 20, low=1, high=4)", epsilon="1/10")
    smallest = min(Fraction(int(p), int(q)) for p, q in re.findall(r"\((\d+) # (\d+)\)", text) if int(p))
    assert smallest < Fraction(1, 2**64)


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
