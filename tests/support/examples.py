"""How many examples a property test looks at: few in a quick run, many in a thorough one."""

from __future__ import annotations

from hypothesis import settings

QUICK = 40
"""What the quick profile looks at, unless a test says otherwise."""


def examples(number: int) -> settings:
    """Look at `number` examples in a quick run, and at more in proportion where the profile says more."""
    return settings(max_examples=max(number * settings().max_examples // QUICK, 1))
