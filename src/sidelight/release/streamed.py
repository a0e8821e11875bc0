"""A release with any number of groups: gone through in order, block by block, and never held.

Groups have the same numbers, and print the same, as in a `Release` that is read without a limit on memory.  What a
measure asks of them is summarised and forgotten; what a block is compared with, the whole, is known from the start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Integers
from sidelight._text import counted
from sidelight.errors import BadRelease, WrongKind
from sidelight.release.groups import Groups, first_of_each_kind
from sidelight.release.release import Release
from sidelight.table.key_stream import KeyBlock, KeyStream, read_stream
from sidelight.table.labels import Label
from sidelight.table.memory import Memory
from sidelight.table.roles import Missing, Roles, Suppressed
from sidelight.table.table import Counts, Intake, Semantics, Table, sensitive_names


def stream_release(
    source: object,
    *,
    group: str | Sequence[str],
    sensitive: str | Sequence[str],
    memory: str | int = "2GB",
    person: str | None = None,
    values: Semantics = "single",
    missing: Missing = "an error",
    suppressed: Suppressed = "a group",
    missing_marks: str | Sequence[object] = (),
    domain: Sequence[object] | Mapping[str, Sequence[object]] | None = None,
    encoding: str | None = None,
    kinds: Mapping[str, object] | None = None,
) -> StreamedRelease:
    """Read a published table of any size in bounded memory, to be judged by a policy or measures.

    As `read_release`, of files and Arrow tables; nothing but totals is held.  `memory` is what this process may use in
    all, such as "2GB"; what does not fit is sorted in temporary files, which nobody else can open and which are gone
    with the process.  Findings and witnesses are those of `read_release`, group numbers included.  Measures that look
    at a whole release at once (`MaxEnt`, `Learner`, …) need `read_release`.

    >>> import pyarrow as pa
    >>> import sidelight as sl
    >>> rows = pa.table({"age": ["20-29", "20-29", "30-39"], "disease": ["Flu", "Cold", "Flu"]})
    >>> release = stream_release(rows, group="age", sensitive="disease", memory="1GB")
    >>> release
    <StreamedRelease of 3 people in 2 groups, disease: 2 values (single)>
    >>> sl.Policy(sl.GroupSize() >= 2).judge(release)
    <Verdict: not within policy: group size ≥ 2>
    """
    roles = Roles.of(
        quasi=group,
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        suppressed=suppressed,
        missing_marks=missing_marks,
        domain=domain,
        encoding=encoding,
        kinds=kinds,
    )
    return streamed_from(source, roles, Memory.of(memory))


def streamed_from(source: object, roles: Roles, memory: Memory) -> StreamedRelease:
    """Read a published table by roles, of which `quasi` are the columns of the group."""
    if isinstance(source, Table | Release):
        message = f"that is a {type(source).__name__}, which is in memory already; use it as it is"
        raise WrongKind(message)
    stream = read_stream(source, replace(roles, quasi_word="group").complete(), memory)
    return StreamedRelease(stream, ", ".join(roles.value_columns))


@dataclass(frozen=True, eq=False)
class GroupBlock:
    """Some groups of a release, whole and in order; what they print is unpacked of those that are asked for."""

    block: KeyBlock
    semantics: Semantics

    def __len__(self) -> int:
        return len(self.block)

    @cached_property
    def all(self) -> Groups:
        """All of the groups."""
        return self.take(slice(None))

    @cached_property
    def kinds(self) -> Groups:
        """The first of those that have the same people and counts, and perhaps a few more: enough to find the worst."""
        rows = first_of_each_kind(self.block.sizes, self.block.counts, self.semantics)
        return self.take(rows)

    def take(self, rows: Integers | slice) -> Groups:
        """Some of the groups, in order."""
        stream, block = self.block.stream, self.block
        numbers = np.arange(block.first, block.first + len(block))[rows]
        return Groups(
            stream.domain,
            block.sizes[rows],
            block.counts.take(rows),
            block.columns(rows),
            self.semantics,
            stream.whole,
            numbers,
        )


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRelease:
    """A release that is gone through group by group; made by `stream_release`."""

    stream: KeyStream
    sensitive: str

    @property
    def semantics(self) -> Semantics:
        """Whether people have one value or several."""
        return self.stream.semantics

    @property
    def domain(self) -> tuple[Label, ...]:
        """All sensitive values that there are."""
        return self.stream.domain

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns: as a rule one."""
        return sensitive_names(self.sensitive, self.domain)

    @property
    def size(self) -> int:
        """How many people it is about."""
        return self.stream.people

    @property
    def intake(self) -> Intake:
        """What reading did to the rows."""
        return self.stream.intake

    @property
    def columns(self) -> tuple[str, ...]:
        """What is printed about groups."""
        return self.stream.roles.quasi

    @property
    def spilled(self) -> int:
        """Bytes that were written into temporary files, besides what DuckDB wrote."""
        return self.stream.spilled

    @cached_property
    def outline(self) -> Release:
        """Everybody as one group, which prints what the first group does: what is known before groups are looked at."""
        first = next(self.stream.blocks())
        groups = Groups(
            self.domain,
            np.array([self.size]),
            Counts.from_cells([self.stream.whole]),
            first.columns(slice(0, 1)),
            self.semantics,
            self.stream.whole,
            np.array([1]),
        )
        return Release(groups, sensitive=self.sensitive, intake=self.intake)

    @cached_property
    def _groups(self) -> int:
        return sum(map(len, self.stream.blocks()))

    def __len__(self) -> int:
        """Count the groups, which goes through them unless somebody has."""
        return self._groups

    def blocks(self) -> Iterator[GroupBlock]:
        """Go through all groups in order, some at a time."""
        groups = 0
        for block in self.stream.blocks():
            groups += len(block)
            yield GroupBlock(block, self.semantics)
        self.__dict__["_groups"] = groups  # counted in passing

    def sizes_of(self, numbers: Collection[int]) -> dict[int, int]:
        """Say how many people some groups have, by their numbers."""
        wanted = np.array(sorted(numbers), np.int64)
        sizes: dict[int, int] = {}
        for block in self.stream.blocks():
            here = wanted[(wanted >= block.first) & (wanted < block.first + len(block))]
            sizes |= dict(zip(here.tolist(), block.sizes[here - block.first].tolist(), strict=True))
            if len(sizes) == len(wanted):
                return sizes
        missing = next(number for number in wanted.tolist() if number not in sizes)
        message = f"no group {missing} in the release; they are numbered 1 to {len(self)}"
        raise BadRelease(message)

    def __repr__(self) -> str:
        """Say how large it is and what it is about."""
        values = counted(len(self.domain), "combination" if len(self.sensitive_columns) > 1 else "value")
        groups, people = counted(len(self), "group"), counted(self.size, "person")
        return f"<StreamedRelease of {people} in {groups}, {self.sensitive}: {values} ({self.semantics})>"


AnyRelease: TypeAlias = Release | StreamedRelease
