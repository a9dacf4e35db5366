"""How many examples a property test draws: a share of what the profile says, so that `make test-long` draws more."""

from __future__ import annotations

from hypothesis import settings


def share(of: float) -> settings:
    """So many times the examples of the profile: 30 in `make test`, 200 in `make test-long`."""
    profile = settings.default
    assert profile is not None
    return settings(max_examples=max(5, round(of * profile.max_examples)), deadline=None)
