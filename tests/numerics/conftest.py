"""The array libraries on which the simulation is tested."""

from __future__ import annotations

import array_api_strict
import pytest

from numerics.simulation.arrays import Backend, MissingBackend, load_backend


@pytest.fixture(params=["numpy", "strict", pytest.param("cupy", marks=pytest.mark.gpu)])
def backend(request: pytest.FixtureRequest) -> Backend:
    """NumPy, the array API standard to the letter, and CuPy where there is a GPU."""
    if request.param == "strict":
        return Backend("strict", array_api_strict)
    try:
        return load_backend(request.param)
    except MissingBackend as missing:
        pytest.skip(str(missing))
