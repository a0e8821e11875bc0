"""What a search found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight.policy.policy import Policy, Verdict
from sidelight.release.release import Release
from sidelight.search.method import Method, Outcome
from sidelight.search.searched_levels import SearchedLevels
from sidelight.table.hierarchy import Hierarchy

if TYPE_CHECKING:
    from sidelight.publish.formats import FormatName
    from sidelight.publish.layouts import Layout
    from sidelight.publish.publish import Published


NOT_COMPLETE = "the search was stopped before its end: a more useful release within the policy may exist"


@dataclass(frozen=True, eq=False)
class Found:
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
