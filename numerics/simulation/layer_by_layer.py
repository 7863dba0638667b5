"""The stack without skip from F^0 = 0, run layer by layer."""

from __future__ import annotations

import numpy as np

from numerics.simulation.architectures import no_skip_stack
from numerics.simulation.attention import LayerWeights, all_rows, embeddings, read_out
from numerics.simulation.measured import MEMORY, backend
from numerics.simulation.prompts import PromptSource, batches

CONTEXT, PROMPTS, DEPTH, BETA = 20, 512, 8, -0.3


def silent_without_skip(source: PromptSource) -> tuple[bool, int]:
    """Whether W_S = 0 and F^0 = 0 predict 0 at every depth, with the excess zeta^2 s/lam; and the prompts."""
    silent = True
    model = no_skip_stack({DEPTH: BETA}, start="zero")
    for batch in batches(source, CONTEXT, PROMPTS, backend(), MEMORY, tokens=True):
        tokens = batch.tokens
        assert tokens is not None
        for f in embeddings(all_rows(tokens), tokens.x, LayerWeights(0.0, BETA), DEPTH):
            silent &= bool(np.all(read_out(tokens, f[:, -1, :]) == 0))
        s = batch.latents.squared_norm
        expected = batch.latents.zeta**2 * s / (1 + s)
        ((_, excess),) = model.excess(batch)
        rounding = 16 * s.size**0.5 * np.finfo(np.float64).eps
        silent &= bool(np.all(np.abs(excess - expected) <= rounding * (1 + expected)))
    return silent, PROMPTS
