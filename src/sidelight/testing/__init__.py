"""Hypothesis strategies for releases, tables and facts, for our tests and yours.

All are in `strategies`.  Not here: anything that the library itself needs (hypothesis is an extra).
"""

from __future__ import annotations

from importlib.util import find_spec

from sidelight.errors import NotAvailable

if find_spec("hypothesis") is None:
    raise NotAvailable.without(package="hypothesis", what="sidelight.testing", extra="testing")

from sidelight.testing.strategies import (
    facts,
    facts_of,
    measures,
    merged,
    merges,
    orders,
    releases,
    reordered,
    split,
    splits,
    tables,
)

__all__ = [
    "facts",
    "facts_of",
    "measures",
    "merged",
    "merges",
    "orders",
    "releases",
    "reordered",
    "split",
    "splits",
    "tables",
]
