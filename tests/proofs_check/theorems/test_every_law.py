"""Every theorem on every family of laws, with the evidence that it has for uniform(1, 4)."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import pytest
from flint import arb, ctx

from numerics.laws import families
from proofs_check import verify
from proofs_check.theorems import _layerwise_steps as layerwise_steps
from proofs_check.theorems import _two_parameter as two_parameter
from reports.results import Evidence, Verdict
from tests.proofs_check.theorems.test_layerwise_broken import failing, prepare

CUT = {"squared_norm": "truncated(chi2(5), high=9)"}
SHALLOW = {
    "theorem_6_2": {"depth": "1,2,8", "epsilon": "1/10"},
    "theorem_6_3": {"depth": "2,3"},
    "layerwise": {"depth": "1,2,3", "epsilon": "1/10"},
    "skip_ablation": {"depth": "1,2"},
    "depth_minimax": {"depth": "1,2,64"},
    "theorem_4_1": {},
    "latent_factor_model": {},
}
LAWS = [
    CUT,
    {"modalities": ("uniform(0, 1)", "triangular(0, 1, 2)", "atoms({0: 1/2, 2: 1/2})")},
]
MORE = [
    {"squared_norm": "point(2)"},
    {"squared_norm": "atoms({0: 1/2, 1: 1/3, 4: 1/6})"},
    {"squared_norm": "atoms({1/100: 1/2, 400: 1/2})"},
    {"squared_norm": "beta(1/2, 3, low=1, high=4)"},
    {"squared_norm": "chi2(5)"},
    {"squared_norm": "triangular(1, 2, 4)"},
    {"squared_norm": 'density("s*(4-s)", low=0, high=4)'},
    {"squared_norm": 'density("(s^2-2)^2", low=0, high=4)'},
    {"squared_norm": "mixture({truncated(chi2(5), high=9): 1/2, point(4): 1/2})"},
    {"squared_norm": "truncated(chi2(5), low=3)"},
    {"squared_norm": "truncated(beta(1/2, 7/2), low=1/10, high=1/3)"},
    {"squared_norm": "truncated(mixture({chi2(5): 1/2, beta(1/2, 2): 1/2}), high=1)"},
    {"norm": "truncated(chi2(5), low=1, high=3)"},
    {"modalities": ("truncated(chi2(5), high=9)", "uniform(0, 1)")},
    {"modalities": ("truncated(beta(1/2, 3/2), low=1/4)", "chi2(3)")},
    {"factor": ("truncated(chi2(5), high=9)", "uniform(1, 4)")},
]


OPEN = {("theorem_6_3", "{'squared_norm': 'atoms({1/100: 1/2, 400: 1/2})'}")}


@cache
def expected(theorem: str) -> dict[str, Evidence]:
    """The kinds of evidence for uniform(1, 4)."""
    result = verify(theorem, **SHALLOW[theorem])
    return {claim.id: claim.kind for claim in result.claims if claim.kind is not None}


@pytest.mark.parametrize(
    "law", [*LAWS, *(pytest.param(law, marks=pytest.mark.nightly) for law in MORE)], ids=repr
)
@pytest.mark.parametrize("theorem", SHALLOW)
def test_every_theorem_on_every_law(theorem, law):
    """Verified, or a hypothesis on the law fails; false variants are refuted; no evidence is weaker."""
    if (theorem, str(law)) in OPEN:
        pytest.skip("the integrated flow stops before the minimum")
    result = verify(theorem, falsify=True, **law, **SHALLOW[theorem])
    assert result.verdict in (Verdict.VERIFIED, Verdict.NOT_APPLICABLE)
    assert result.verdict is Verdict.VERIFIED or not all(h.holds for h in result.hypotheses)
    for claim in result.claims:
        assert claim.verdict in (Verdict.VERIFIED, Verdict.NOT_APPLICABLE), claim.id
        if claim.verdict is Verdict.VERIFIED:
            # Balls where the moments are not rational.
            weakest = max(expected(theorem).get(claim.id, Evidence.NUMERIC), Evidence.ENCLOSURE, key=strength)
            assert strength(claim.kind) <= strength(weakest), claim.id
    assert all(variant.verdict is Verdict.REFUTED for variant in result.false_variants)


def strength(kind: Evidence) -> int:
    """From 0, the strongest, on."""
    return kind.strength


def test_no_family_is_left_out():
    tried = " ".join(str(law) for law in [*LAWS, *MORE])
    # An observed column is atoms, and a uniform law is the comparison.
    assert {name for name in families() if f"{name}(" not in tried} == {"empirical"}


def test_where_balls_do_not_show_a_double_root_two_enclosures_are_compared(monkeypatch):
    run = prepare(CUT["squared_norm"])
    reached = "two parameters reach $e_T$, to 24 digits, $T = 2$"
    assert reached not in failing("best_depth_T", run)
    right = two_parameter.enclosed(run, 2, excess_digits=25).excess_ball
    with ctx.workprec(256):
        small = arb("1e-20")
        found = [(right * 2, Verdict.REFUTED), (right * (1 + small), Verdict.REFUTED)]
        found.append((right + right * small * arb(0, 1), Verdict.INCONCLUSIVE))
    for excess, verdict in found:
        wrong = SimpleNamespace(excess_ball=excess)
        monkeypatch.setattr(layerwise_steps.two_parameter, "enclosed", lambda *_, is_=wrong, **__: is_)
        assert failing("best_depth_T", run)[reached] is verdict
