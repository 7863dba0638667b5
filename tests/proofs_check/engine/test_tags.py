"""What every claim says of itself: for which laws its argument holds, and where its statement comes from."""

import json
from dataclasses import replace

import pytest
from msgspec.structs import replace as replace_struct
from sympy import Rational, sympify

from proofs_check import verify
from proofs_check.command_line.commands import main
from proofs_check.engine.claims import Argument, by_coq, by_prose, by_symbols, in_summary, quoted
from proofs_check.engine.registry import faults, load_all
from proofs_check.formal.index import index, statements
from reports.results import Basis, Evidence, Origin, Verdict, from_json, to_json
from reports.text.coq import laid_out
from reports.text.summary import closing_line, provenance_text, universal_text
from theory.identities import to_latex

THEOREMS, _ = load_all()
CLAIMS = [
    pytest.param(claim, id=f"{theorem.name}.{claim.id}") for theorem in THEOREMS for claim in theorem.claims
]


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_no_statement_is_without_an_origin(theorem):
    assert theorem.provenance is not None
    untagged = [claim.id for claim in theorem.claims if claim.argument is None or claim.provenance is None]
    assert untagged == []


@pytest.mark.parametrize("claim", CLAIMS)
def test_nothing_is_quoted_from_a_paper_that_is_not_at_hand(claim):
    assert claim.provenance.kind in {Origin.SUMMARY, Origin.DERIVED}
    if claim.provenance.kind is Origin.DERIVED:
        assert not claim.provenance.number


def test_a_theorem_of_coq_is_in_the_index():
    """Needs no Coq: the index is kept in the repository, and held against the library where there is one."""
    known = {each.name: each.statement for each in index()}
    for theorem in THEOREMS:
        for claim in theorem.claims:
            universal = theorem.universal(claim)
            assert {each.theorem: each.statement for each in universal.coq}.items() <= known.items()
            assert (universal.theorem is not None) is (universal.by is Basis.FORMAL)


def test_what_is_formal_is_so_for_all_the_laws_of_the_claim():
    """Coq's laws are bounded: a claim about others is not carried by one of its theorems alone."""
    formal = [
        universal
        for theorem in THEOREMS
        for claim in theorem.claims
        for universal in [theorem.universal(claim)]
        if universal.by is Basis.FORMAL
    ]
    assert formal
    for universal in formal:
        assert universal.coq[0].theorem == universal.theorem
        assert {each.laws for each in universal.coq} <= {universal.laws, "every law"}


def test_a_part_that_coq_has_checked_says_for_which_laws():
    theorem = next(theorem for theorem in THEOREMS if theorem.name == "theorem_6_2")
    coq = {claim.id: theorem.universal(claim).coq for claim in theorem.claims}
    assert [each.laws for each in coq["unique_minimiser"]] == [
        r"every bounded law with $\mathbb{P}(s > 0) > 0$"
    ] * 2
    assert {each.laws for each in coq["embedding_closed_form"]} == {"every law"}
    assert coq["limit"][0].statement.startswith("forall (P : law) (eps : R), 0 < eps -> exists T0")


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("", []),
        ("0 <= gap P", ["0 <= gap P"]),
        (
            "forall (f : R -> R) (x : R), 0 < x -> exists g : R -> R, f = g /\\ (forall y, g y = 0 -> y = x)",
            [
                "forall (f : R -> R) (x : R),",
                "0 < x ->",
                "exists g : R -> R,",
                "f = g /\\",
                "(forall y, g y = 0 -> y = x)",
            ],
        ),
    ],
)
def test_a_statement_of_coq_is_laid_out(statement, lines):
    assert laid_out(statement) == lines


@pytest.mark.parametrize(
    ("id", "laws"),
    [
        ("theorem_6_2.limit", r"every bounded law with $\mathbb{P}(s > 0) > 0$"),
        ("theorem_6_2.population_loss", "every law"),
        ("theorem_6_3.limit", r"every bounded law with $s$ not constant on $\{s > 0\}$"),
        (
            "theorem_4_1.gap_positive",
            r"every law with $s$ not constant on $\{s > 0\}$ and with $\mathbb{E}\,s^2 < \infty$",
        ),
    ],
)
def test_laws_follow_from_the_hypotheses(id, laws):
    name, _, short = id.partition(".")
    theorem = next(theorem for theorem in THEOREMS if theorem.name == name)
    claim = next(claim for claim in theorem.claims if claim.id == short)
    assert theorem.universal(claim).laws == laws


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.name)
def test_every_hypothesis_on_the_law_says_which_laws_it_leaves(theorem):
    on_depths = {"beta_matters", "even_depth"}
    silent = {h.id for h in theorem.hypotheses if not (h.adjective or h.condition)}
    assert silent <= on_depths


def _faults(change):
    theorem = THEOREMS[2]
    changed = next(claim for claim in theorem.claims if claim.id == "flow_converges")
    claims = [replace(claim, **change) if claim is changed else claim for claim in theorem.claims]
    return list(faults(replace(theorem, claims=claims), theorem.name))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"argument": Argument(Basis.FORMAL, "x")}, "by 'formal' with the name"),
        ({"argument": Argument(Basis.PROSE, "x", theorem="Minimax.minimax")}, "by 'formal' with the name"),
        ({"weakest": Evidence.SYMBOLIC}, "in prose, where every step has to be symbolic"),
        ({"argument": by_prose("x"), "check": lambda run, record: None}, "no docstring"),
        ({"provenance": quoted("", "6.2")}, "without the paper's version"),
        ({"provenance": quoted("v1", "")}, "without the paper's version"),
    ],
)
def test_tags_that_cannot_be_so(change, fault):
    assert _faults({}) == []
    assert [fault in line for line in _faults(change)] == [True]


def test_a_theorem_of_coq_is_named():
    change = {"argument": by_coq("OneParameterLimit.limit", "the one-inequality argument")}
    assert _faults(change) == []


@pytest.mark.parametrize(
    "argument", [by_coq("OneParameterLimit.limits", "c"), by_symbols("s").in_coq({"Law.no": "a"})]
)
def test_coq_has_the_theorem_that_is_named(argument):
    (line,) = _faults({"argument": argument})
    assert "no such theorem in Coq" in line


@pytest.fixture(scope="module")
def found():
    return [verify(theorem.name, depth="2,3" if "depth" in theorem.options else None) for theorem in THEOREMS]


def test_results_carry_the_tags(found):
    for result in found:
        stored = from_json(to_json(result))
        assert stored.provenance == result.provenance is not None
        for claim in stored.claims:
            assert claim.universal is not None
            assert claim.provenance is not None
        cited = {claim.universal.argument for claim in stored.claims}
        assert set(stored.arguments) <= cited
    claims = json.loads(to_json(found[2]))["claims"]
    assert next(claim for claim in claims if claim["id"] == "theorem_6_2.limit")["universal"] == {
        "for": r"every bounded law with $\mathbb{P}(s > 0) > 0$",
        "by": "formal",
        "theorem": "OneParameterLimit.limit",
        "argument": "the one-inequality argument",
        "coq": [
            {
                "theorem": "OneParameterLimit.limit",
                "for": r"every bounded law with $\mathbb{P}(s > 0) > 0$",
                "part": "",
                "statement": statements()["OneParameterLimit.limit"],
            }
        ],
    }


def test_results_carry_what_a_claim_rests_on(found):
    for theorem, result in zip(THEOREMS, found, strict=True):
        hypotheses, claims = ({part.id for part in parts} for parts in (result.hypotheses, result.claims))
        for claim in from_json(to_json(result)).claims:
            assert set(claim.needs) <= hypotheses
            assert set(claim.uses) <= claims
        assert {claim.id: len(claim.needs) for claim in result.claims} == {
            f"{theorem.name}.{claim.id}": len(claim.needs) for claim in theorem.claims if claim.option is None
        }
    claim = found[3].claim("bayes_optimal")
    assert (claim.needs[:1], claim.uses) == (
        ["bounded_norm"],
        ["theorem_6_3.population_loss", "theorem_6_3.limit"],
    )


def test_what_is_argued_by_symbols_has_a_symbolic_step(found):
    for result in found:
        for claim in result.claims:
            if claim.verdict is Verdict.NOT_APPLICABLE or claim.universal.by is not Basis.SYMBOLIC:
                continue
            kinds = {step.kind for step in claim.steps if step.verdict is Verdict.VERIFIED}
            assert Evidence.SYMBOLIC in kinds, claim.id


def test_cross_checks_do_not_decide(found):
    flow = found[2].claim("flow_converges")
    assert (flow.kind, flow.decided_by) == (Evidence.NUMERIC, Evidence.ENCLOSURE)
    for result in found:
        for claim in result.claims:
            deciding = [step.kind for step in claim.steps if not step.cross_check]
            assert claim.decided_by is Evidence.weakest(deciding)
            assert not claim.steps or claim.decided_by is not None, claim.id


def test_words():
    assert universal_text(None) == provenance_text(None) == ""
    theorem = THEOREMS[2]
    claims = [
        replace(theorem.claims[0], argument=argument)
        for argument in (by_symbols("i"), by_coq("Minimax.minimax", "c"))
    ]
    assert [universal_text(theorem.universal(claim)) for claim in claims] == [
        "every law, by computer algebra: i",
        "every law, in Coq (Minimax.minimax): c",
    ]
    read = "Theorem 1 of the paper, as a published summary of it says; n"
    assert provenance_text(in_summary("Theorem 1", "n")) == read
    assert provenance_text(quoted("v2", "Theorem 1")) == "quoted: Theorem 1 of the paper, version v2"


def test_list_and_explain_show_them(capsys):
    assert main(["list"]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "argument for every bounded law with ℙ(s > 0) > 0, in Coq" in listed
    assert "in Coq: SelfAttention.gap_pos, for every bounded law with s not constant on {s > 0}: " in listed
    assert main(["explain", "depth_minimax"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("then at every larger one") == 1
    assert "in Coq: Minimax.minimax, for every bounded law" in shown
    assert "worst_residual P a w ->\n" in shown
    assert "statement: derived here" in shown


def _lies_in(value):
    """Whether a formula with its letters put in is the number that is printed beside it."""
    formula = sympify(value.expression)
    letters = {symbol: Rational(value.at[to_latex(symbol)]) for symbol in formula.free_symbols}
    number = formula.subs(letters)
    return Rational(value.value.lower) <= number <= Rational(value.value.upper)


@pytest.mark.parametrize(
    "law", ["uniform(1, 4)", "atoms({0: 1/2, 1/3: 1/4, 7: 1/4})", "beta(2, 5, low=1, high=4)"]
)
def test_every_formula_evaluates_to_the_number_beside_it(law):
    seen = set()
    for name in ("theorem_4_1", "theorem_6_2", "theorem_6_3", "layerwise", "depth_minimax"):
        options = {} if name == "theorem_4_1" else {"epsilon": "1/50", "depth": "1,2"}
        result = verify(name, squared_norm=law, **options)
        values = [value for claim in result.claims for step in claim.steps for value in step.values]
        assert all(map(_lies_in, values))
        wrong = [replace_struct(value, at=dict.fromkeys(value.at, "3/7")) for value in values]
        assert not any(map(_lies_in, wrong))
        seen |= {value.name for value in values}
    assert seen >= {
        r"$\rho$",
        r"$\kappa$",
        r"$\alpha^*$",
        "worst case",
        "$c$",
        "risk of $c I$",
        r"$\alpha_1$",
        "$z_1$",
    }
    assert (seen >= {r"$\alpha$", r"$\beta$"}) is law.startswith("atoms")


def test_the_candidate_is_what_is_refuted():
    refuted = verify("theorem_6_2", candidate="1/4", depth="1,2")
    line = closing_line(refuted)
    assert "the candidate 1/4" in line
    assert r"$\alpha_T > " in line
    assert "theorem_6_2 is refuted" not in line
