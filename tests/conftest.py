"""Hypothesis profiles: `quick` by default, `nightly` with ``--hypothesis-profile=nightly``."""

from hypothesis import settings

settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("nightly", max_examples=1000, deadline=None)
settings.load_profile("quick")
