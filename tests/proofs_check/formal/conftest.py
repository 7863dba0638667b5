"""Coq where there is one; on a CI server a missing one is a failure."""

import os
from pathlib import Path

import pytest

from proofs_check.formal.coq import CoqMissing, find_coq
from proofs_check.formal.library import compiled, sources

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def coq():
    try:
        return find_coq()
    except CoqMissing as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def library(coq):
    """The folder of the compiled library, kept between runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(ROOT / ".pytest_cache"))
        yield compiled(coq, sources(), print)
