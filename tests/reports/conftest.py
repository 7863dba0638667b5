"""Fixtures of invented results."""

from __future__ import annotations

import pytest

from reports.results import RunResult, SimulationResult, TheoremResult
from tests.reports import invented


@pytest.fixture(params=list(invented.BUILDERS))
def any_result(request: pytest.FixtureRequest) -> TheoremResult:
    """Each invented result in turn."""
    return invented.BUILDERS[request.param]()


@pytest.fixture
def odd_result() -> TheoremResult:
    """The one with odd text, every verdict and a hypothesis that fails."""
    return invented.odd()


@pytest.fixture
def one_parameter_result() -> TheoremResult:
    """Everything verified."""
    return invented.theorem_6_2()


@pytest.fixture
def run_result() -> RunResult:
    """The result of `all`."""
    return invented.run_of_all()


@pytest.fixture
def simulation_result() -> SimulationResult:
    """A simulation that was interrupted."""
    return invented.simulation()
