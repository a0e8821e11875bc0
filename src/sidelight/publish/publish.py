"""Publish a release: write it aside, read it back, judge it again, and only then move it into place.  And read it.

`plan_files` decides which files are written and which release must be read from each; nothing is published that was not
read back the same and within policy.

A published file is read with its sidecar, and only if it is the file that was judged.  A file has no order of groups,
and groups that print the same are one; so releases are compared as printed (`reduce_to_printed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.documents.document import release_facts
from sidelight.engines.formats.write import (
    WRITERS,
    FormatName,
    RandomBytes,
    Sheet,
    Writer,
    draw_order,
    fits_one_shuffle,
    random_bytes,
    writer_of,
)
from sidelight.engines.spark.source import running_spark
from sidelight.errors import BadRelease, BadTable, NotPublished, expect, parameter
from sidelight.files import (
    digest,
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    sidecar_path,
    undo_path,
    unfinished_folder,
)
from sidelight.publish.sidecar import (
    PublishedFile,
    Reading,
    Sidecar,
    build_dictionary,
    build_sidecar,
    dictionary_path,
    read_checked,
)
from sidelight.release.groups import Groups, roll_up, suppressed_groups, whole_groups
from sidelight.release.printed_labels import bound_columns
from sidelight.release.read import release_from
from sidelight.release.release import Members, Release
from sidelight.streams.memory import Memory
from sidelight.table.labels import Column, JointDomain, Label, unused_name, value_columns
from sidelight.table.table import Counts, Intake, Table
from sidelight.text import counted, html_table, one_or_several

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.search.method import Method, SearchResult
    from sidelight.search.utility import Buckets
    from sidelight.table.roles import Domain


@dataclass(frozen=True, slots=True, repr=False)
class Published:
    """The files of a published release, its sidecar and dictionary, and the sidecar's content."""

    paths: tuple[Path, ...]
    sidecar: Path
    document: Sidecar

    @property
    def dictionary(self) -> Path:
        """The data dictionary: what each column is."""
        return dictionary_path(self.path)

    @property
    def path(self) -> Path:
        """The file that was asked for."""
        return self.paths[-1]

    def __repr__(self) -> str:
        people = counted(self.document.people.people_out, "person")
        return f"<Published {', '.join(path.name for path in self.paths)}: {people}, {self.document.verdict}>"

    def _repr_html_(self) -> str:
        rows = [(each.text, each.limit.text, each.result.text) for each in self.document.findings]
        return html_table(
            f"Published as {self.path.name}, {self.document.verdict}",
            ["measure", "wanted", "found"],
            rows,
            total=len(rows),
            note=f"{self.document.not_covered} All that is told of it is in {self.sidecar.name}.",
        )


def publish(
    result: SearchResult,
    path: str | Path,
    *,
    force: bool = False,
    seed: int | None = None,
    layout: Layout | None = None,
    written_as: FormatName | None = None,
    bounds: bool = False,
    private_hierarchies: bool = False,
    quiet_method: bool = False,
) -> Published:
    """Publish the result of a search; the options are those of `SearchResult.publish`.

    All files are written into an "unfinished" folder beside the path; flushed; read back; compared with the plan;
    judged by the policy once more.  Only then the sidecar is moved into place, and the file at `path` last: if it is
    there, it was judged, and the sidecar has its digest.  After a `kill -9` in between, the files are the old ones, or
    none if there were none, and the same call succeeds.
    """
    path = Path(path)
    switches = {"force": force, "bounds": bounds}
    switches |= {"private_hierarchies": private_hierarchies, "quiet_method": quiet_method}
    for name, switch in switches.items():
        expect(bool, switch, parameter(name))
    writer = writer_of(path, written_as, in_spark=running_spark() is not None)
    if quiet_method:
        refuse_loud(result.method)
    sidecar, dictionary = sidecar_path(path), dictionary_path(path)
    refuse_left_over(path, sidecar, force=force)
    # before planning, which may take long; the other files are known, and refused, only after it
    _refuse(result, (path, sidecar, dictionary), force=force)
    sheets, groups, who = plan_files(result, path, draw=random_bytes(seed), layout=layout, written_as=writer.name)
    if bounds:
        sheets = {name: add_bounds(sheet) for name, sheet in sheets.items()}
    paths = tuple(path.with_name(name) for name in sheets)
    _refuse(result, paths, force=force)
    with unfinished_folder(path) as folder:
        # from here on only what was read from the disk is judged and described
        files = []
        for name, sheet in sheets.items():
            writer.write_to(folder / name, sheet)
            files.append(PublishedFile(name=name, sha256=digest(folder / name), rows=len(sheet)))
        table = result.recoding.table
        read = _check_file(folder, *groups, None if isinstance(table, Table) else table.memory)
        if who is not None:
            read = add_members(read, _check_file(folder, *who))
        # what its labels cover is known here, as it is to readers of the sidecar
        known = replace(read, printing=result.release.printing, provenance=result.release.provenance)
        verdict = result.policy.judge(known)
        if not verdict.safe:
            raise NotPublished(f"what would be published is {verdict}; nothing was published")
        document = build_sidecar(
            result,
            read,
            verdict,
            files=tuple(files),
            reading=groups[0],
            who=None if who is None else who[0],
            seeded=seed is not None,
            private_hierarchies=private_hierarchies,
            quiet_method=quiet_method,
        )
        for target, text in ((sidecar, document.to_json()), (dictionary, build_dictionary(document, sheets))):
            (folder / target.name).write_bytes(text.encode())
            flush_to_disk(folder / target.name)  # before `move_into_place` gives it its name
        # the sidecar first, the file at `path` last: if that is there, all are
        move_into_place(folder, (sidecar, dictionary, *paths), force=force)
    return Published(paths, sidecar, document)


def refuse_loud(method: Method) -> None:
    """Raise where a method is to be kept back that the form of the files discloses: buckets in two tables, averages."""
    if not method.prints_rows or method.prints_averages:
        raise NotPublished(
            f"what method '{method.name}' prints tells the method; leave {parameter('quiet_method')} out"
        )


def _refuse(result: SearchResult, targets: tuple[Path, ...], *, force: bool) -> None:
    for target in targets:
        refuse_input(target, result.recoding.table.intake.files)
        refuse_existing(target, force=force)


def _check_file(folder: Path, reading: Reading, release: Release, memory: Memory | None = None) -> Release:
    try:
        read = read_back(folder, reading, memory)
    except (BadTable, BadRelease) as problem:
        raise NotPublished(
            f"what was written cannot be read back ({problem}); nothing was published; try .parquet"
        ) from None
    if not is_same_release(read, release):
        raise NotPublished("what was read back is not what was written; nothing was published; try .parquet")
    return read


Layout: TypeAlias = Literal["people", "counts", "two tables", "shuffled"]
"""A row per person; a row per group and value, with the people of the group and the value's count; and, for anatomy,
one table of people with their buckets and one of buckets with their values, or people with values that are shuffled
inside their bucket."""


ExpectedFile: TypeAlias = tuple[Reading, Release]
"""How to read a file, and the release that must be read from it."""

Plan: TypeAlias = tuple[dict[str, Sheet], ExpectedFile, ExpectedFile | None]
"""Files by name, in the order in which they are moved into place; their groups, and who is in them (anatomy)."""


def plan_files(
    result: SearchResult, path: Path, *, draw: RandomBytes, layout: Layout | None, written_as: FormatName
) -> Plan:
    """Plan the files of a search's result.

    Where a person may have several values, rows of (group, value) would lose the number of people, and rows with an
    identifier would disclose more than the measures consider: only counts are published then.
    """
    # compared with what is read back, so it holds only what a file can have
    release = reduce_to_printed(result.release)
    buckets = result.buckets
    usual: Layout = "two tables" if buckets is not None else "people" if release.semantics == "single" else "counts"
    chosen = layout or usual
    if (buckets is not None) != (chosen in ("two tables", "shuffled")):
        raise NotPublished(
            f'{parameter("layout", chosen)} is not for method "{result.method.name}"; '
            f"leave {parameter('layout')} out for the usual one"
        )
    if chosen in ("people", "shuffled") and release.semantics != "single":
        instead = "counts" if buckets is None else "two tables"
        raise NotPublished(
            f'people have several values here ("{release.semantics}"); publish them with {parameter("layout", instead)}'
        )
    if buckets is not None:
        return _plan_anatomy(release, buckets, path, draw, written_as, in_one_file=chosen == "shuffled")
    reading, table = _reading(release, path.name, written_as, counts=chosen == "counts"), result.recoding.table
    if table.carried is not None:
        if chosen != "people":
            raise NotPublished(
                f"{parameter('keep')} needs a row per person; publish with {parameter('layout', 'people')}"
            )
        sheet = sheet_of_carried(result.release, table, result.release_rows, draw)
    else:
        sheet = _write_sheet(reading, release, draw)
    return {path.name: sheet}, (reading, release), None


def _reading(release: Release, file: str, written_as: FormatName, *, counts: bool) -> Reading:
    group = tuple(column.name for column in release.groups.columns)
    taken = (*group, *release.sensitive_columns)
    domain = release.domain
    return Reading(
        file=file,
        group=group,
        sensitive=one_or_several(release.sensitive_columns),
        values=release.semantics,
        domain={each.name: each.labels for each in domain.columns} if isinstance(domain, JointDomain) else domain,
        rows="counts" if counts else "people",
        people=unused_name("people", taken) if counts else None,
        count=unused_name("count", taken) if counts else None,
        format=written_as,
    )


def _write_sheet(reading: Reading, release: Release, draw: RandomBytes) -> Sheet:
    if reading.people is None or reading.count is None:
        return sheet_of_people(release, draw)
    return sheet_of_counts(release, draw, people=reading.people, count=reading.count)


def _plan_anatomy(
    release: Release, buckets: Buckets, path: Path, draw: RandomBytes, written_as: FormatName, *, in_one_file: bool
) -> Plan:
    """Plan a table of people with their buckets, and the values of buckets in another file, or shuffled inside them."""
    columns = buckets.tables()[0]
    *quasi, bucket = columns
    # one group per row of people, whose sensitive value is the bucket: (rows, buckets) counts of 0 and 1
    ones = np.ones(len(bucket), np.int64)
    shape = (len(bucket), len(bucket.labels))
    groups = whole_groups(
        domain=bucket.labels,
        sizes=ones,
        counts=Counts.from_entries(np.arange(len(bucket)), bucket.codes, ones, shape),
        columns=tuple(quasi),
    )
    who = reduce_to_printed(Release(groups, sensitive=bucket.name))
    read_who = _reading(who, path.name, written_as, counts=False).model_copy(update={"domain": None})
    sheets: dict[str, Sheet] = {}
    if in_one_file:
        columns = (*columns, *_shuffled_values(buckets, draw))
        reading = _reading(release, path.name, written_as, counts=False)
    else:
        reading = _reading(release, values_path(path).name, written_as, counts=True)
        sheets[reading.file] = _write_sheet(reading, release, draw)
    order = draw_order(draw, len(bucket))
    sheets[path.name] = Sheet({column.name: column.take(order) for column in columns})
    return sheets, (reading, release), (read_who, who)


def values_path(path: Path) -> Path:
    """Return the path of the values of buckets, where they are in a file of their own."""
    return path.with_name(f"{path.stem}.values{path.suffix}")


def _shuffled_values(buckets: Buckets, draw: RandomBytes) -> tuple[Column, ...]:
    """Return the values in the order of the people's buckets, in a random order inside each bucket."""
    bucket, value, count = buckets.counts.entries()
    bucket, value = np.repeat(bucket, count), np.repeat(value, count)
    # a random order of all, sorted by bucket with a stable sort, is a random order inside each bucket
    order = draw_order(draw, len(value))
    order = order[np.argsort(bucket[order], kind="stable")]
    return value_columns(buckets.table.sensitive, buckets.table.domain, value[order])


def sheet_of_people(release: Release, draw: RandomBytes) -> Sheet:
    """Write a row per person: the labels of the group, and a value; in a random order."""
    row, value, count = release.groups.counts.entries()
    # many rows are shuffled while they are written, so that no shuffled index of all people is held
    shuffled_later = not fits_one_shuffle(people := int(count.sum()))
    if not shuffled_later:
        order = draw_order(draw, people)
        row, value = np.repeat(row, count)[order], np.repeat(value, count)[order]
    columns = [column.take(row) for column in release.groups.columns]
    values = value_columns(release.sensitive, release.domain, value)
    return Sheet({each.name: each for each in (*columns, *values)}, count if shuffled_later else None, draw)


def sheet_of_carried(release: Release, table: Table, group: Integers, draw: RandomBytes) -> Sheet:
    """Write a row per person as `sheet_of_people` does, with the person's cells of the carried columns.

    `group`: (keys,) the row of the release that the people of each key are in; −1: they are left out.  Suppressed
    people, whose group prints nothing but `*`, have no cells in the carried columns either.
    """
    carried = table.carried
    assert carried is not None
    entry = np.repeat(np.arange(len(carried.count)), carried.count)
    # (people,): entries repeated by count, without those whom the release leaves out
    entry = entry[group[carried.key[entry]] >= 0]
    entry = entry[draw_order(draw, len(entry))]
    rows = group[carried.key[entry]]
    # a suppressed person's carried cells would single them out, so they stay empty
    hidden = suppressed_groups(release.groups)[rows]
    columns = {column.name: column.take(rows) for column in release.groups.columns}
    columns |= {each.name: each for each in value_columns(table.sensitive, table.domain, carried.value[entry])}
    return Sheet(columns | {each.name: each.take(entry).without(hidden) for each in carried.columns})


def sheet_of_counts(release: Release, draw: RandomBytes, *, people: str, count: str) -> Sheet:
    """Write a row per group and value; a group without values has one row, with a count of 0."""
    groups = release.groups
    row, value, amount = groups.list_entries()
    # shuffled as people are, so that the order of rows carries no information
    order = draw_order(draw, len(row))
    row = row[order]
    printed = {column.name: column.take(row) for column in groups.columns}
    values = {column.name: column for column in value_columns(release.sensitive, release.domain, value[order])}
    return Sheet({**printed, people: groups.sizes[row], **values, count: amount[order]})


def add_bounds(sheet: Sheet) -> Sheet:
    """Add, after each column of intervals, columns with their ends as numbers or days."""
    columns: dict[str, Column | Integers | Floats] = {}
    for name, column in sheet.columns.items():
        columns[name] = column
        ends = bound_columns(column, taken=sheet.columns) if isinstance(column, Column) else None
        columns |= {each.name: each for each in ends or ()}
    return replace(sheet, columns=columns)


def read_published(path: str | Path, *, memory: str | int | None = None) -> Release:
    """Read a file that Sidelight published, with the sidecar beside it.

    A file that is not the one that was judged is an error.  `memory` (such as "2GB") bounds what the engine holds of
    the rows; the groups are held in any case.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
    >>> with TemporaryDirectory() as folder:
    ...     _ = found.publish(f"{folder}/release.parquet")
    ...     read_published(f"{folder}/release.parquet")
    <Release of 45,222 people in 5 groups, occupation: 14 values (single)>
    """
    return read_by_sidecar(Path(path), None if memory is None else Memory.parse(memory))


FileEngine: TypeAlias = Callable[[Path], object]
"""Returns what is read: the file itself, or an engine's view of it."""


def generation(path: Path) -> tuple[int, int] | None:
    """Return numbers that differ between a document beside a file and its successor; None while it is being replaced.

    The inode alone would not do: after two replacements it may be the first one again.
    """
    try:
        sidecar = sidecar_path(path).stat()
        # inode and time: one of them alone may stay the same when a sidecar is replaced quickly
        return None if undo_path(path).is_dir() else (sidecar.st_ino, sidecar.st_mtime_ns)
    except (OSError, ValueError):
        return 0, 0


def read_by_sidecar(path: Path, memory: Memory | None = None, engine: FileEngine = Path) -> Release:
    """Read a published file with its sidecar, whichever engine counts its rows."""
    for attempt in range(5):  # again while others replace it, after longer and longer waits, 1.5 s in all
        before = generation(path)
        try:
            return _read_by_sidecar(path, memory, engine)
        except (BadRelease, BadTable):
            if generation(path) == before is not None:
                raise
        sleep(0.05 * 2**attempt)
    return _read_by_sidecar(path, memory, engine)


def _read_by_sidecar(path: Path, memory: Memory | None, engine: FileEngine) -> Release:
    before = generation(path)
    # digests first: a file that is not the one judged is refused before its rows are read
    document = read_checked(path)
    read = read_back(path.parent, document.reading, memory, engine)
    if release_facts(read) != document.release:
        raise BadRelease(
            f"the sidecar of '{path}' tells of other people, groups or columns than are read; publish again, or "
            "remove it and say which columns are which"
        )
    release = replace(read, printing=document.printing(), provenance=document.provenance())
    if document.kept:
        release = replace(release, intake=_count_singled_out(release, path.parent, document, memory, engine))
    if document.who is not None:
        release = add_members(release, read_back(path.parent, document.who, memory, engine))
    if generation(path) != before:
        raise BadRelease(f"'{path}' was replaced while it was read; read it again")
    return release


def read_back(folder: Path, reading: Reading, memory: Memory | None = None, engine: FileEngine = Path) -> Release:
    """Read a file with the original labels, groups and values in order; in bounded memory if `memory` is set."""
    writer = WRITERS[reading.format]
    roles = reading.to_roles()
    encoded = replace(
        roles,
        quasi=tuple(map(writer.encode, roles.quasi)),
        sensitive=tuple(map(writer.encode, roles.value_columns)),
        domain=_encode_domain(reading.domain, writer),
    )
    release = release_from(
        engine(folder / reading.file),
        encoded,
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
        memory=memory,
    )
    return reduce_to_printed(_decode_labels(release, writer, reading))


def _count_singled_out(
    release: Release, folder: Path, document: Sidecar, memory: Memory | None, engine: FileEngine
) -> Intake:
    """Count the people who are unique on the carried columns, which anyone with the file can see."""
    reading, kept = document.reading, tuple(document.kept)
    finer = read_back(folder, reading.model_copy(update={"group": (*reading.group, *kept)}), memory, engine)
    judged = replace(finer.groups, columns=finer.groups.columns[: len(reading.group)])
    unique = (finer.groups.sizes == 1) & ~suppressed_groups(judged)  # suppressed people have no cells in them
    others = tuple(name for name in release.intake.columns_dropped if name not in kept)
    return replace(release.intake, columns_dropped=others, carried=kept, singled_out=int(unique.sum()))


def add_members(release: Release, who: Release) -> Release:
    """Add the table of people, with their buckets, to a release of buckets."""
    (bucket,) = release.groups.columns
    # buckets are matched by their label, as the two tables need not list them in the same order
    row = {bucket.cell(number): number for number in range(len(release))}
    line, value, people = who.groups.counts.entries()
    group = np.array([row[text] for text in who.domain], np.int64)[value]
    order = np.argsort(group, kind="stable")
    return replace(release, members=Members(who.groups.columns, group[order], line[order], people[order]))


def _decode_labels(release: Release, writer: Writer, reading: Reading) -> Release:
    """Return a release with the labels decoded from the format."""

    def decode_labels(texts: Iterable[Label]) -> tuple[Label, ...]:
        return tuple(None if text is None else writer.decode(text) for text in texts)

    def decode(names: Iterable[str], columns: Iterable[Column]) -> tuple[Column, ...]:
        return tuple(
            Column(name, decode_labels(column.labels), column.codes, column.kind)
            for name, column in zip(names, columns, strict=True)
        )

    groups, sensitive = release.groups, reading.to_roles().value_columns
    domain: tuple[Label, ...]
    if isinstance(groups.domain, JointDomain):
        domain = JointDomain(decode(sensitive, groups.domain.columns))
    else:
        domain = decode_labels(groups.domain)
    groups = replace(groups, columns=decode(reading.group, groups.columns), domain=domain)
    return replace(release, groups=groups, sensitive=", ".join(sensitive))


def _encode_domain(domain: Domain | None, writer: Writer) -> Domain | None:
    def encode(labels: Iterable[Label]) -> tuple[Label, ...]:
        return tuple(None if label is None else writer.encode(label) for label in labels)

    if isinstance(domain, Mapping):
        return {writer.encode(name): encode(values) for name, values in domain.items()}
    return None if domain is None else encode(domain)


def reduce_to_printed(release: Release) -> Release:
    """Remove what a file cannot have: the order of groups, groups that print the same, labels that nobody has.

    >>> twice = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "*"}, {"age": "*"}])
    >>> reduce_to_printed(twice)
    <Release of 3 people in 1 group, value: 1 value (single)>
    """
    groups = release.groups
    # labels first, so that groups which print the same have the same codes and are rolled up into one
    merged = roll_up(groups, tuple(column.compact().sort_naturally() for column in groups.columns))
    domain, counts = merged.domain, merged.counts
    if isinstance(domain, JointDomain):  # the domain of a single column is in the sidecar, and stays
        kept = np.flatnonzero(counts.totals())
        domain, counts = JointDomain(domain.printed(kept)), counts.only_values(kept)
    printed = whole_groups(
        domain=domain,
        sizes=merged.sizes,
        counts=counts,
        columns=tuple(column.compact().sort_naturally() for column in merged.columns),
        semantics=merged.semantics,
    )
    return replace(release, groups=printed, people=None, members=None)


def is_same_release(one: Release, other: Release) -> bool:
    """Return whether two releases, each as printed, have the same groups and counts."""

    def labels(groups: Groups) -> list[object]:
        return [groups.domain, groups.semantics, *((each.name, each.labels) for each in groups.columns)]

    def numbers(groups: Groups) -> list[npt.NDArray[np.integer]]:
        row, value, count = groups.counts.entries()
        index = row * groups.counts.width + value
        order = np.argsort(index)
        return [groups.sizes, *(column.codes for column in groups.columns), index[order], count[order]]

    same_labels = labels(one.groups) == labels(other.groups)
    return same_labels and all(map(np.array_equal, numbers(one.groups), numbers(other.groups)))
