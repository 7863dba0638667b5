"""The array libraries on which the simulation is tested."""

from __future__ import annotations

import pytest

from numerics.simulation.arrays import Backend, MissingBackend, load_backend
from tests.strict import StrictBackend


@pytest.fixture(params=["numpy", "strict", pytest.param("cupy", marks=pytest.mark.gpu)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """NumPy, the array API standard to the letter on a second device, and CuPy where there is a GPU."""
    if request.param == "strict":
        return StrictBackend()
    try:
        return load_backend(request.param)
    except MissingBackend as missing:
        pytest.skip(str(missing))


@pytest.fixture
def library(backend: Backend, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """Runs a test module on every library: it stands for the module's `NUMPY`."""
    monkeypatch.setattr(request.module, "NUMPY", backend)
    return backend
