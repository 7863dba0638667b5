"""What benchmarks share: the array library (`--backend cupy`), and a machine quiet enough to measure on."""

from __future__ import annotations

import time

import psutil
import pytest

from numerics.simulation.arrays import Backend, MissingBackend, load_backend

QUIET_PERCENT = 15.0
LONGEST_WAIT = 120.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--backend", default="numpy", help="array library of the simulation's benchmarks")
    parser.addoption(
        "--busy-is-failure", action="store_true", help="fail, not skip, what a busy machine cannot measure"
    )


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> Backend:
    """The array library asked for."""
    try:
        return load_backend(request.config.getoption("--backend", default="numpy"))
    except MissingBackend as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def deadline() -> float:
    """When to stop waiting, for the whole session."""
    return time.monotonic() + LONGEST_WAIT


@pytest.fixture
def quiet_machine(deadline: float, pytestconfig: pytest.Config) -> None:
    """Wait until nobody else uses the processors; skip, or fail if so asked, if that takes too long."""
    strict = pytestconfig.getoption("--busy-is-failure", default=False)
    while (busy := psutil.cpu_percent(interval=1.0)) > QUIET_PERCENT:
        if time.monotonic() > deadline:
            give_up = pytest.fail if strict else pytest.skip
            give_up(f"the machine is {busy:.0f}% busy: a ratio measured now would mean nothing")
