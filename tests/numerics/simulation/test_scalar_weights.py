"""Two routes to the excess of scalar weights: layer by layer, and in the eigenbasis of the Gram matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from numerics.laws.syntax import parse_law
from numerics.simulation.architectures import LeastSquares, ScalarStack, no_skip_stack
from numerics.simulation.arrays import Backend, HostArray, load_backend
from numerics.simulation.attention import Start
from numerics.simulation.prompts import Batch, PromptSource, batches
from numerics.simulation.scalar_weights import (
    ScalarSetting,
    _sums,
    decomposes,
    filtered_cost,
    filtered_excess,
    geometric,
    layered_cost,
    layered_excess,
)
from numerics.simulation.spectrum import Spectrum
from tests.numerics.simulation.routes import one_parameter_stack

NUMPY = load_backend()
LAWS = ["uniform(1, 4)", "atoms({0: 1/2, 1000: 1/2})", "chi2(5)"]
SETTINGS = [
    ScalarSetting(0.28, -0.28, (1, 2, 3, 7, 64)),
    ScalarSetting(0.3, -0.25, (5,)),
    ScalarSetting(-0.2, 0.1, (4, 6)),
    ScalarSetting(0.1, 0.0, (8, 9)),
    ScalarSetting(0.0, -0.2, (10,)),
]


def drawn(
    backend: Backend, text: str = "uniform(1, 4)", context: int = 9, dims: tuple[int, ...] = (3, 1)
) -> Batch:
    source = PromptSource(parse_law("squared_norm", text), dims, seed=4)
    (batch,) = batches(source, context, 32, backend, 10**9)
    return batch


def difference_bound(
    batch: Batch, setting: ScalarSetting, depth: int, start: Start, unit: float, backend: Backend
) -> HostArray:
    """How far apart rounding may put the two routes, prompt by prompt.

    In the eigenbasis p acts on Lhat + E, |E| <= 10 d u |Lhat| (LAPACK's bound, 4.7 of its guide) and
    1 + beta l is rounded; a layer rounds its product by d u |beta| sqrt d |Lhat| and its sum.  A move of one
    factor by r moves x^k by k rho^(k-1) r, rho the largest |1 + beta l|; a power is rounded 4 T + 8 times.
    """
    u, d = unit, batch.latents.m.shape[1]
    gram, b, m, w = (
        np.asarray(backend.to_host(array))
        for array in (
            batch.statistics.gram,
            batch.statistics.cross,
            batch.latents.m,
            batch.latents.regression_vector,
        )
    )
    alpha, beta = abs(setting.alpha), abs(setting.beta)
    values = np.linalg.eigvalsh(gram)
    size = np.max(np.abs(values), axis=1)
    rho = np.max(np.abs(1 + setting.beta * values), axis=1) + 10 * d * u * beta * size
    move = u * (11 * d * beta * size + rho + (d + 3) * (1 + beta * d**0.5 * size))
    k = np.arange(depth)
    powers = np.sum(rho[:, None] ** k, axis=1)
    slopes = np.sum(k * rho[:, None] ** np.maximum(k - 1, 0), axis=1)
    each = (4 * depth + 8 + 12 * d) * u
    response, moved = alpha * powers, alpha * (move * slopes + each * powers)
    if start == "tokens":
        response = response + rho**depth
        moved = moved + move * depth * rho ** (depth - 1) + each * rho**depth
    b_size, w_size = np.linalg.norm(b, axis=1), np.linalg.norm(w, axis=1)
    delta = moved * b_size + 2 * u * response * b_size + (12 * d + 2) * u * w_size
    lam = 1 + np.sum(m**2, axis=1)
    exact = next(
        backend.to_host(values)
        for found, values in filtered_excess(batch.spectrum, [setting], start=start)
        if found == depth
    )
    # The form is rounded too, and its vector along m: 12 d u for the basis, 2 d + 4 for the sums.
    form = 2 * (14 * d + 4) * u * lam * (exact + delta**2)
    return np.asarray(2 * np.sqrt(lam * exact) * delta + lam * delta**2 + form, dtype=np.float64)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("text", LAWS)
@pytest.mark.parametrize(("context", "dims"), [(2, (3, 1)), (9, (3, 1)), (200, (5, 4)), (3, (1,))])
@pytest.mark.parametrize("start", ["zero", "tokens"])
def test_both_routes_agree_to_rounding(
    backend: Backend, dtype: str, text: str, context: int, dims: tuple[int, ...], start: Start
) -> None:
    backend = replace(backend, dtype_name=dtype)
    unit = float(np.finfo(dtype).eps) / 2
    batch = drawn(backend, text, context, dims)
    with np.errstate(over="ignore", invalid="ignore"):
        layers = dict(layered_excess(batch, SETTINGS, start=start))
        filtered = dict(filtered_excess(batch.spectrum, SETTINGS, start=start))
        assert list(layers) == list(filtered) == sorted(T for s in SETTINGS for T in s.depths)
        for setting in SETTINGS:
            for depth in setting.depths:
                first, second = (backend.to_host(route[depth]) for route in (layers, filtered))
                assert second.shape == (32,)
                bound = difference_bound(batch, setting, depth, start, unit, backend)
                finite = np.isfinite(first) & np.isfinite(second) & np.isfinite(bound)
                assert np.any(finite)
                assert np.all(np.abs(first - second)[finite] <= bound[finite])


def test_the_bound_tells_another_filter() -> None:
    batch, setting = drawn(NUMPY), ScalarSetting(0.28, -0.28, (7,))
    bound = difference_bound(batch, setting, 7, "zero", 2**-53, NUMPY)
    assert np.all(bound < 1e-8)
    ((_, true),) = layered_excess(batch, [setting])
    for wrong in (ScalarSetting(0.28, -0.28, (6,)), ScalarSetting(0.28, -0.28 * (1 + 1e-7), (7,))):
        ((_, found),) = filtered_excess(batch.spectrum, [wrong])
        assert np.sum(np.abs(found - true) > bound) >= 30


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_overflows_does_so_on_both_routes(dtype: str) -> None:
    """Apart from prompts within a factor of e^20 of the largest number."""
    backend = load_backend("numpy", dtype)
    batch = drawn(backend, context=5)
    top = np.log(np.finfo(dtype).max)
    values = np.linalg.eigvalsh(np.asarray(batch.statistics.gram, dtype=np.float64))
    seen: set[bool] = set()
    for depth in (16, 64, 200, 400, 3000):
        setting = ScalarSetting(1.5, -1.5, (depth,))
        with np.errstate(over="ignore", invalid="ignore"):
            ((_, first),) = layered_excess(batch, [setting])
            ((_, second),) = filtered_excess(batch.spectrum, [setting])
        size = 2 * depth * np.log(np.max(np.abs(1 - 1.5 * values), axis=1))
        clear = np.abs(size - top) > 20
        assert np.array_equal(np.isfinite(first)[clear], np.isfinite(second)[clear])
        assert np.array_equal(np.isfinite(second)[clear], (size < top)[clear])
        seen |= set(np.isfinite(second)[clear].tolist())
    assert seen == {True, False}


def test_geometric_sums_lose_nothing_near_one() -> None:
    for terms in (1, 2, 3, 7, 64, 1000, 4095):
        for x in (1.0, -1.0, 0.0, 0.5, -0.75, 1 - 2.0**-40, 1 + 2.0**-50, -1 + 2.0**-30):
            total, power = geometric(np.array([x]), terms)
            exact = Fraction(x) ** terms
            sums = Fraction(terms) if x == 1 else (exact - 1) / (Fraction(x) - 1)
            absolute = (
                terms if abs(x) == 1 else float((1 - Fraction(abs(x)) ** terms) / (1 - Fraction(abs(x))))
            )
            assert abs(total[0] - float(sums)) <= (4 * terms + 8) * 2**-53 * absolute
            assert abs(power[0] - float(exact)) <= 4 * terms * 2**-53 * abs(float(exact)) + 5e-324


@pytest.mark.parametrize("terms", [1, 2, 7, 64, 401])
def test_sums_by_the_power_are_those_by_doubling(terms: int) -> None:
    """|beta l| from 1/terms on, on both sides of x = 0; the twin drops the sign of an odd power."""
    values = np.concatenate([np.linspace(4 / terms, 8, 50), np.linspace(9, 12, 50)])[None, :]
    spectrum = Spectrum(values, values, values, values)
    for beta in (-0.25, 0.25):
        total, power = _sums(beta, spectrum, terms)
        expected, factor = geometric(1 + beta * values, terms)
        size, _ = geometric(abs(1 + beta * values), terms)
        assert np.all(abs(total - expected) <= (8 * terms + 16) * 2**-53 * size)
        np.testing.assert_allclose(power, factor, rtol=(4 * terms + 8) * 2**-53)
    if terms % 2 and terms > 1:
        twin = (abs(1 - 0.25 * values) ** terms - 1) / (-0.25 * values)
        expected, _ = geometric(1 - 0.25 * values, terms)
        assert np.max(abs(twin - expected)) > 1


def own(depths: Sequence[int]) -> list[ScalarSetting]:
    return [ScalarSetting(0.2 + T * 1e-4, -0.2, (T,)) for T in depths]


def test_the_choice_is_made_by_count() -> None:
    shared = [ScalarSetting(0.2, -0.2, tuple(range(1, 65)))]
    for settings, d, chosen in (
        (own(range(1, 401)), 7, True),
        (own([16]), 32, False),
        (own([1]), 7, False),
        (own([4096]), 7, True),
        (shared, 128, False),
    ):
        assert decomposes(settings, d) is chosen
        assert (filtered_cost(settings, d) < layered_cost(settings, d)) is chosen
    # Layers: the square of the depth; the eigenbasis: the depth, but for its logarithm.
    assert layered_cost(own(range(1, 401)), 7) > 15 * layered_cost(own(range(1, 101)), 7)
    assert filtered_cost(own(range(1, 401)), 7) < 4.2 * filtered_cost(own(range(1, 101)), 7)


def test_stacks_take_the_route_with_fewer_operations_and_decompose_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    eigh = NUMPY.xp.linalg.eigh
    monkeypatch.setattr(NUMPY.xp.linalg, "eigh", lambda gram: calls.append(len(gram)) or eigh(gram))
    batch, deep = drawn(NUMPY, context=3), {T: 0.2 + T * 1e-4 for T in range(1, 101)}
    list(one_parameter_stack({1: 0.2}).excess(batch))
    assert calls == []
    for model in (one_parameter_stack(deep), no_skip_stack(deep), LeastSquares()):
        assert len(list(model.excess(batch))) >= 1
    assert calls == [32]


def test_the_stack_has_what_its_settings_have() -> None:
    batch = drawn(NUMPY)
    pairs = {T: (0.2 + (T % 3) / 20, -0.25) for T in (1, 2, 3, 5, 8, 100, 101, 500)}
    found = dict(ScalarStack("s", pairs).excess(batch))
    for depth, (alpha, beta) in pairs.items():
        ((_, alone),) = filtered_excess(batch.spectrum, [ScalarSetting(alpha, beta, (depth,))])
        np.testing.assert_allclose(found[depth], alone, rtol=1e-11)
