"""What every way of searching is: a table and a policy in, the most useful release within policy out.

`Method` is what a search must be able to do, `Outcome` what it hands to `protect`, and `SearchResult` what a user gets:
the release, the verdict on it, and how the search came to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sidelight._progress import Progress
from sidelight.policy.policy import Policy, Verdict
from sidelight.release.release import Release
from sidelight.search.recoding import Buckets, Recoding
from sidelight.search.utility import UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.publish.formats import FormatName, Layout
    from sidelight.publish.publish import Published


class Method(ABC):
    """A way of searching.  Each is a frozen dataclass in a file of its own; its fields are its options."""

    name: ClassVar[str]
    warnings: ClassVar[tuple[str, ...]] = ()  # what a reader of such a release has to know

    @abstractmethod
    def search(
        self, table: Table, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> Outcome:
        """Find a release within policy; one group of everybody is known to be within it."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method's search ends with: a release, how it recodes the table, and what only some methods can say."""

    release: Release
    recoding: Recoding
    levels: Mapping[str, int] = field(default_factory=dict)
    minimal: tuple[Mapping[str, int], ...] = ()
    suppressed: int = 0
    checked: int = 0
    complete: bool = True

    @property
    def buckets(self) -> Buckets | None:
        """Anatomy's buckets, which are published as two tables."""
        return self.recoding if isinstance(self.recoding, Buckets) else None


class SearchedLevels(dict[str, int]):
    """The level of each column, as a search picked it by looking at the table.

    A mapping like any other, but a noisy release knows it when it sees it: a grouping that was chosen from the
    data reveals something of the data, and that has to be paid for.
    """


NOT_COMPLETE = "the search was stopped before its end: a more useful release within the policy may exist"


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The most useful release within policy that a search found, and how it got there."""

    release: Release
    policy: Policy
    verdict: Verdict
    method: Method
    outcome: Outcome = field(repr=False)
    utility: Mapping[str, float]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict, repr=False)  # of the table's columns

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column (lattice)."""
        return SearchedLevels(self.outcome.levels)

    @property
    def minimal(self) -> tuple[Mapping[str, int], ...]:
        """All minimal level vectors within policy (lattice)."""
        return tuple(SearchedLevels(levels) for levels in self.outcome.minimal)

    @property
    def suppressed(self) -> int:
        """How many people are suppressed."""
        return self.outcome.suppressed

    @property
    def checked(self) -> int:
        """How many candidates were looked at."""
        return self.outcome.checked

    @property
    def complete(self) -> bool:
        """Whether the search came to its end; otherwise this is the best one found so far."""
        return self.outcome.complete

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the release has to know; it stands in the sidecar of the published file too."""
        return (*self.method.warnings, *(() if self.complete else (NOT_COMPLETE,)))

    def publish(
        self,
        path: str | Path,
        *,
        force: bool = False,
        seed: int | None = None,
        layout: Layout | None = None,
        written_as: FormatName | None = None,
    ) -> Published:
        """Write the release, and beside it a sidecar that tells of it; as Parquet or CSV, by the file's ending.

        The rows have no numbers, and their order is drawn by chance.  The file is read back and judged again before
        it appears; whatever goes wrong, nothing that looks finished is left behind.  Never over the input; over
        other files only with `force`.

        Args:
            path: where to; `.parquet` or `.csv`.
            force: replace a file that exists.
            seed: draws the same order again, for tests; the sidecar warns of it.
            layout: "people" (a row per person; the default where people have one value) or "counts" (a row per
                group and value).
            written_as: "arx" for ARX's CSV, with semicolons and no quotes; default: by the ending.
        """
        from sidelight.publish.publish import publish  # noqa: PLC0415 - it stands below: it needs the report

        return publish(self, path, force=force, seed=seed, layout=layout, written_as=written_as)
