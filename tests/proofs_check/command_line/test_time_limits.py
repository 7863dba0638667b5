"""Any time limit, on any theorem, is an outcome: what is in time is whole, the rest says why it is not."""

import json
from xml.etree import ElementTree

import jsonschema
import pytest

from proofs_check.command_line.commands import main
from proofs_check.engine.registry import load_theorem, theorem_names
from reports.results import from_json, json_schema
from tests.reports import test_junit as junit
from tests.reports.html import parsed

SHORTEST, LONGEST = 0.05, 5.0
FILES = {"--json": "result.json", "--junit": "result.xml", "--report": "result.html"}
# One that takes little and one that takes more, with few false variants.
TWO_CLAIMS = {
    "latent_factor_model": ("covariance", "bayes_risk"),
    "theorem_4_1": ("gap_positive", "sharp_condition"),
    "theorem_6_2": ("unique_minimiser", "limit"),
    "theorem_6_3": ("critical_point_enclosure", "limit"),
    "layerwise": ("best_depth_T", "reciprocal_gauss_nodes"),
    "depth_minimax": ("minimax_weight", "depth_is_needed"),
    "skip_ablation": ("embedding_vanishes", "floor_for_all_depths"),
}


def spread(count):
    """So many limits, in equal ratios from the shortest to the longest."""
    ratio = LONGEST / SHORTEST
    return [f"{SHORTEST * ratio ** (i / (count - 1)):.4g}" for i in range(count)]


def check_cut(folder, theorem, limit, claims, *words):
    """Under the limit every claim that was asked for is there, and every file is valid."""
    paths = {flag: folder / name for flag, name in FILES.items()}
    words += ("--quiet", *(str(word) for pair in paths.items() for word in pair))
    code = main([theorem, "--timeout", limit, *words])
    result = from_json(paths["--json"].read_bytes())
    assert [claim.id for claim in result.claims] == [f"{theorem}.{claim}" for claim in claims]
    late = f"time limit: not finished within {float(limit):g} s"
    for claim in result.claims:
        decided = claim.verdict in {"verified", "not applicable"}
        assert decided or (claim.verdict, claim.figure) == ("inconclusive", late), (limit, claim)
    for variant in result.false_variants:
        decided = variant.verdict == "refuted"
        assert decided or (variant.verdict, variant.detail) == ("inconclusive", late), (limit, variant)
    cut = [part.id for part in (*result.claims, *result.false_variants) if part.verdict == "inconclusive"]
    assert code == (3 if cut else 0), (limit, cut)
    assert result.complete
    jsonschema.validate(json.loads(paths["--json"].read_bytes()), json_schema())
    assert junit.faults(ElementTree.parse(paths["--junit"]).getroot()) == []
    page = parsed.parse(paths["--report"].read_bytes())
    assert parsed.faults(page) == []
    assert late in page.text or not cut


@pytest.mark.parametrize("theorem", theorem_names())
def test_three_limits_on_two_claims(theorem, tmp_path):
    claims = TWO_CLAIMS[theorem]
    asked = [word for claim in claims for word in ("--claim", claim)]
    for limit in spread(3):
        check_cut(tmp_path, theorem, limit, claims, *asked)


@pytest.mark.nightly
@pytest.mark.parametrize("theorem", theorem_names())
def test_forty_limits_on_all_claims(theorem, tmp_path):
    """In turn one process for the claims, and two."""
    claims = [claim.id for claim in load_theorem(theorem).claims if claim.option is None]
    for place, limit in enumerate(spread(40)):
        check_cut(tmp_path, theorem, limit, claims, "--jobs", str(1 + place % 2))
