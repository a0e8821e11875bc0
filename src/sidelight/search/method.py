"""What every way of searching is: a table and a policy in, the best release found out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from sidelight.policy.policy import Policy
from sidelight.release.release import Release
from sidelight.search.buckets import Buckets
from sidelight.search.recoding import Recoding
from sidelight.search.utility import UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Told what is being tried, how much is done, and out of how much (None: nobody knows)."""


def quiet(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method made: a release, how it recodes the table, and what only some methods can say."""

    release: Release
    recoding: Recoding
    levels: Mapping[str, int] = field(default_factory=dict)
    minimal: tuple[Mapping[str, int], ...] = ()
    suppressed: int = 0
    checked: int = 0
    complete: bool = True
    buckets: Buckets | None = None  # anatomy's, which are published as two tables


class Method(ABC):
    """A way of searching.  Each is a frozen dataclass in a file of its own; its fields are its options."""

    name: ClassVar[str]
    warnings: ClassVar[tuple[str, ...]] = ()  # what a reader of such a release has to know

    @abstractmethod
    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Find a release within policy; one group of everybody is known to be within it."""
