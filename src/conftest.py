"""What examples in docstrings may name without importing it: all public names."""

from __future__ import annotations

from typing import Any

import pytest

import sidelight


@pytest.fixture(autouse=True, scope="session")
def public_names(doctest_namespace: dict[str, Any]) -> None:
    """Let examples name what the package makes public."""
    doctest_namespace["sl"] = sidelight
    doctest_namespace.update((name, getattr(sidelight, name)) for name in dir(sidelight))
