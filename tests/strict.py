"""The array API standard to the letter, on a device of its own: whatever mixes devices raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import array_api_strict
import numpy as np

from numerics.simulation.arrays import Array, Backend, HostArray

SECOND = array_api_strict.Device("device1")


@dataclass(frozen=True)
class StrictBackend(Backend):
    """array-api-strict on its second device."""

    name: str = "strict"
    xp: Any = array_api_strict

    device: Any = SECOND

    def to_host(self, values: Array) -> HostArray:
        assert values.device == self.device
        return np.asarray(values.to_device(self.xp.Device("CPU_DEVICE")), dtype=np.float64)
