from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from numerics.simulation.arrays import (
    Backend,
    MemoryBudgetError,
    MissingBackend,
    SimulationInputError,
    check_budget,
    format_bytes,
    load_backend,
    parse_memory,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9),
        ("500 MB", 5 * 10**8),
        ("1.5GiB", 3 * 2**29),
        ("64k", 64000),
        ("7", 7),
        ("2TB", 2 * 10**12),
    ],
)
def test_memory_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize(
    "text", ["", "GB", "-1GB", "2XB", "two GB", "nan", "1e9", "0GB", "0.0", "5iB", "2GBB"]
)
def test_bad_memory_sizes(text: str) -> None:
    with pytest.raises(MemoryBudgetError, match=r"^memory: .*$"):
        parse_memory(text)


def test_sizes_for_a_reader() -> None:
    assert [format_bytes(size) for size in (12, 1500, 2 * 10**9)] == ["12 B", "1.5 kB", "2 GB"]


def test_unknown_backend_and_dtype() -> None:
    with pytest.raises(SimulationInputError, match="not one of numpy, cupy"):
        load_backend("torch")
    with pytest.raises(SimulationInputError, match="not one of float64, float32"):
        load_backend("numpy", "float16")


def test_cupy_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingBackend, match=r"not installed; install .*cupy-cuda12x"):
        load_backend("cupy")


class DriverError(RuntimeError):
    pass


@pytest.mark.parametrize("broken", [True, False])
def test_cupy_without_a_gpu(monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    def count() -> int:
        if broken:
            raise DriverError("no driver")
        return 0

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=DriverError)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    with pytest.raises(MissingBackend, match="no usable GPU \\(no driver\\)" if broken else "no GPU"):
        load_backend("cupy")


def test_more_memory_than_there_is() -> None:
    with pytest.raises(MemoryBudgetError, match="1e\\+06 TB asked"):
        check_budget(10**18, load_backend())
    with pytest.raises(MemoryBudgetError, match="must be positive"):
        check_budget(0, load_backend())
    check_budget(10**6, load_backend())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_draws(backend: Backend, dtype: str) -> None:
    backend = replace(backend, dtype_name=dtype)
    draws = backend.draws(np.random.SeedSequence(0))
    normal = draws.normal((400, 500))
    assert normal.dtype == backend.dtype
    host = backend.to_host(normal)
    # 200,000 draws; five standard errors of the mean, the variance and the fourth moment.
    assert abs(host.mean()) < 5 / 200_000**0.5
    assert abs((host**2).mean() - 1) < 5 * (2 / 200_000) ** 0.5
    assert abs((host**4).mean() - 3) < 5 * (96 / 200_000) ** 0.5
    degrees = [1, 7, 0, 10**6]
    chi_square = draws.chi_square(20_000, degrees)
    assert chi_square.dtype == backend.dtype
    columns = backend.to_host(chi_square)
    assert not columns[:, 2].any()
    for column, k in zip(columns.T, degrees, strict=True):
        assert abs(column.mean() - k) <= 5 * (2 * k / 20_000) ** 0.5


def test_one_stream_for_each_seed(backend: Backend) -> None:
    def first(seed: int) -> list[float]:
        return list(backend.to_host(backend.draws(np.random.SeedSequence(seed)).normal((4,))))

    assert first(3) == first(3)
    assert first(3) != first(4)
