"""Hypothesis profiles: `quick` by default, `nightly` with ``--hypothesis-profile=nightly``.

Steps are watched: see `tests.outcomes`.
"""

import pytest
from hypothesis import settings

from proofs_check.engine import environment
from tests.outcomes import SOURCES, Outcomes, Sites

settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=1000, deadline=None)
settings.load_profile("quick")


environment.WARNINGS = "error"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Outcomes(Sites(config.rootpath / SOURCES)), "outcomes")
