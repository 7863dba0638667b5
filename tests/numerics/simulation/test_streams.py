"""Streams counted out on a device, which run on any array library: what CuPy would draw, without a GPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import chi2, ks_1samp, norm

from numerics.laws.syntax import parse_law
from numerics.simulation import streams
from numerics.simulation.arrays import Backend, MissingBackend, load_backend
from numerics.simulation.prompts import FixedZeta, PromptSource, batches
from numerics.simulation.streams import DeviceDraws, Draws, philox
from numerics.simulation.sweep import Sweep, SweepPlan
from tests.numerics.simulation.routes import one_parameter_stack
from tests.strict import StrictBackend

UNIFORM = parse_law("squared_norm", "uniform(1, 4)")
# Chance of a false alarm in one comparison, at fixed seeds.
LEVEL = 1e-5


def draws(backend: Backend, seed: int = 0) -> DeviceDraws:
    return DeviceDraws(np.random.SeedSequence(seed), backend)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_known_answers(
    backend: Backend, counter: tuple[int, ...], key: tuple[int, int], expected: tuple[int, ...]
) -> None:
    """Those published with the generator (Random123)."""
    xp = backend.xp
    words = [xp.asarray([word], dtype=xp.uint64, device=backend.device) for word in counter]
    assert tuple(int(word[0]) for word in philox(words, key)) == expected


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_normal_numbers(backend: Backend, dtype: str) -> None:
    backend = replace(backend, dtype_name=dtype)
    found = draws(backend).normal((300, 101))
    assert found.dtype == backend.dtype
    host = backend.to_host(found)
    assert ks_1samp(host.ravel(), norm.cdf).pvalue > LEVEL
    # Neighbours, of one block or two, have nothing in common.
    for lag in (1, 2, 3):
        product = host.ravel()[lag:] * host.ravel()[:-lag]
        assert abs(product.mean()) < norm.isf(LEVEL) / product.size**0.5


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_chi_square_numbers(backend: Backend, dtype: str) -> None:
    backend = replace(backend, dtype_name=dtype)
    degrees = [1, 2, 5, 0, 40, 10**6]
    found = draws(backend).chi_square(20_000, degrees)
    assert found.dtype == backend.dtype
    host = backend.to_host(found)
    assert not host[:, 3].any()
    for column, k in zip(host.T, degrees, strict=True):
        if k:
            assert ks_1samp(column, chi2(k).cdf).pvalue > LEVEL
            # Told from one degree more, where the sample is large enough for that.
            assert k > 10**3 or ks_1samp(column, chi2(k + 1).cdf).pvalue < LEVEL
    assert abs(np.corrcoef(host[:, [0, 1, 2, 4, 5]].T) - np.eye(5)).max() < 5 / 20_000**0.5


def test_the_first_rows_are_the_same_however_many_are_drawn(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def some(prompts: int) -> list[list[float]]:
        stream = draws(backend)
        arrays = (stream.normal((prompts, 3)), stream.chi_square(prompts, [1, 4]), stream.normal((prompts,)))
        return [backend.to_host(array)[:5, ...].tolist() for array in arrays]

    whole = some(400)
    assert some(5) == whole
    monkeypatch.setattr(streams, "AT_ONCE", 7)
    assert some(400) == whole


def test_seeds_have_streams_of_their_own(backend: Backend) -> None:
    first, second = (backend.to_host(draws(backend, seed).normal((500,))) for seed in (0, 1))
    assert len(set(first) | set(second)) == 1000
    stream = draws(backend)
    assert set(backend.to_host(stream.normal((500,)))).isdisjoint(backend.to_host(stream.normal((500,))))


@dataclass(frozen=True)
class Device(StrictBackend):
    """A stand-in for CuPy: its streams and its chunks, on a device that does not mix with the host."""

    def draws(self, seeds: np.random.SeedSequence) -> Draws:
        return DeviceDraws(seeds, self)

    @property
    def chunk_prompts(self) -> int:
        return 2**18

    @property
    def chunk_numbers(self) -> int:
        return 2**26


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_sweep_on_a_device(dtype: str) -> None:
    """One layer has its exact excess, 1 - 2 a E s + a^2 E[s lam + (d + 3 s + 2 s^2)/L] - E 1/lam."""
    source, alpha, context = PromptSource(UNIFORM, (3, 2), FixedZeta(), seed=3), 2 / 7, 50
    plan = SweepPlan(
        source,
        [(3, 2)],
        [context],
        20_000,
        lambda _, __: [one_parameter_stack({1: alpha, 2: alpha})],
        Device(dtype_name=dtype),
        10**9,
        confidence=1 - LEVEL,
    )
    sweep = Sweep(plan)
    assert list(sweep) == [20_000]
    row = sweep.rows()[0].excess
    s, square = float(UNIFORM.moment(1)), float(UNIFORM.moment(2))
    limit = 1 - 2 * alpha * s + alpha**2 * (s + square) - np.log(5 / 2) / 3
    term = alpha**2 * (5 + 3 * s + 2 * square) / context
    assert row.low is not None
    assert row.high is not None
    assert row.low <= limit + term <= row.high
    assert not row.low <= limit <= row.high


def test_tokens_on_a_device() -> None:
    backend = Device()
    (batch,) = batches(PromptSource(UNIFORM, (2,), seed=1), 30, 2000, backend, 10**9, tokens=True)
    m, gram = backend.to_host(batch.latents.m), backend.to_host(batch.statistics.gram)
    excess = gram - np.eye(2) - m[:, :, None] * m[:, None, :]
    error = excess.std(axis=0, ddof=1) / 2000**0.5
    assert np.all(abs(excess.mean(axis=0)) < norm.isf(LEVEL) * error)


def test_the_host_draws_by_numpy() -> None:
    assert isinstance(load_backend().draws(np.random.SeedSequence(0)), streams.HostDraws)
    assert isinstance(Backend("cupy", np).draws(np.random.SeedSequence(0)), DeviceDraws)


@pytest.mark.gpu
def test_a_gpu_draws_what_its_stand_in_draws() -> None:
    """The same counters, so the same prompts, to the rounding of logarithms and angles."""
    try:
        gpu = load_backend("cupy")
    except MissingBackend as missing:
        pytest.skip(str(missing))
    source = PromptSource(UNIFORM, (3, 2), seed=2)
    (ours,), (stand_in,) = (batches(source, 50, 1000, library, 10**9) for library in (gpu, Device()))
    np.testing.assert_allclose(
        gpu.to_host(ours.statistics.gram), Device().to_host(stand_in.statistics.gram), rtol=1e-9, atol=1e-9
    )
