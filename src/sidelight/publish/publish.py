"""Publish a release: written aside, read back, judged again, and only then put in its place.  And read it again.

It is planned which files there are and which release a reader must find in each (`plan_files`); then they are written,
and nothing is published that was not read back the same and within policy.

A published file is read as its sidecar says, and only if it is the file that was judged.  No file can say the order of
groups, nor keep groups apart that print the same; so releases are compared as printed (`reduce_to_printed`).
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
from sidelight.table.table import Counts, Table
from sidelight.text import counted, html_table, one_or_several

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.engines.formats.write import Writer
    from sidelight.search.method import Method, SearchResult
    from sidelight.search.utility import Buckets
    from sidelight.table.roles import Domain
    from sidelight.table.table import Intake


@dataclass(frozen=True, slots=True, repr=False)
class Published:
    """The files that were written: those of the release, the sidecar and the dictionary; and the sidecar's content."""

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
    """Publish what a search found; `SearchResult.publish` says what the options mean.

    Everything is written into a folder beside the file, whose name says that it is unfinished; flushed; read back;
    compared with what was meant; judged by the policy once more.  Only then the sidecar is moved to its place, and
    the file that was asked for last: when it is there, it was judged, and the digest in the sidecar says that it is
    this one.  After a `kill -9` in between, readers find what was to be replaced, or nothing if nothing stood there,
    and the same call succeeds.
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
        # From here on nothing is believed but what was read from the disk.
        files = []
        for name, sheet in sheets.items():
            writer.write_to(folder / name, sheet)
            files.append(PublishedFile(name=name, sha256=digest(folder / name), rows=len(sheet)))
        table = result.recoding.table
        read = _check_file(folder, *groups, None if isinstance(table, Table) else table.memory)
        if who is not None:
            read = add_members(read, _check_file(folder, *who))
        # what its labels cover is known here, as the sidecar tells its readers
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
        for beside, text in ((sidecar, document.to_json()), (dictionary, build_dictionary(document, sheets))):
            (folder / beside.name).write_bytes(text.encode())
            flush_to_disk(folder / beside.name)  # before `move_into_place` gives it its name
        # The sidecar first, the file that was asked for last: when that is there, all is there.
        move_into_place(folder, (sidecar, dictionary, *paths), force=force)
    return Published(paths, sidecar, document)


def refuse_loud(method: Method) -> None:
    """Refuse to keep a method back that the form of the files tells: buckets in two tables, averages."""
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
"""A way to read a file, and the release that a reader must find."""

Plan: TypeAlias = tuple[dict[str, Sheet], ExpectedFile, ExpectedFile | None]
"""Files by name, in the order in which they appear; the groups they tell of, and who is in them (anatomy)."""


def plan_files(
    result: SearchResult, path: Path, *, draw: RandomBytes, layout: Layout | None, written_as: FormatName
) -> Plan:
    """Plan the files of what was found.

    Where a person may have several values, rows of (group, value) would lose the number of people, and rows that say
    whose values they are would tell more than the measures know of: only counts are published then.
    """
    # compared with what is read back, so it must hold nothing that a file cannot say
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
    """Print everybody's columns with a bucket; the values of the buckets apart, or shuffled inside them."""
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
    """Return where the values of buckets go that are published apart from the people."""
    return path.with_name(f"{path.stem}.values{path.suffix}")


def _shuffled_values(buckets: Buckets, draw: RandomBytes) -> tuple[Column, ...]:
    """Return the values bucket by bucket, as the people stand, in an order drawn by chance inside each."""
    bucket, value, count = buckets.counts.entries()
    bucket, value = np.repeat(bucket, count), np.repeat(value, count)
    # An order of all, sorted by bucket and stable, is an order drawn by chance inside each bucket.
    order = draw_order(draw, len(value))
    order = order[np.argsort(bucket[order], kind="stable")]
    return value_columns(buckets.table.sensitive, buckets.table.domain, value[order])


def sheet_of_people(release: Release, draw: RandomBytes) -> Sheet:
    """Write a row per person: what is printed about the group, and a value of it; in an order drawn by chance."""
    row, value, count = release.groups.counts.entries()
    # many rows are dealt while they are written, so that no shuffled index of all people is held
    dealt = not fits_one_shuffle(people := int(count.sum()))
    if not dealt:
        order = draw_order(draw, people)
        row, value = np.repeat(row, count)[order], np.repeat(value, count)[order]
    columns = [column.take(row) for column in release.groups.columns]
    values = value_columns(release.sensitive, release.domain, value)
    return Sheet({each.name: each for each in (*columns, *values)}, count if dealt else None, draw)


def sheet_of_carried(release: Release, table: Table, group: Integers, draw: RandomBytes) -> Sheet:
    """Write a row per person as `sheet_of_people` does, and what the person says in columns that are carried along.

    `group` is the row of the release that the people of each key are in; −1: they are left out.  Suppressed people,
    whose group prints nothing but `*`, say nothing in the carried columns either.
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
    """Write a row per group and value; a group in which nobody has a value has one row, with a count of 0."""
    groups = release.groups
    row, value, amount = groups.list_entries()
    # shuffled as people are, so that the order of rows carries no information
    order = draw_order(draw, len(row))
    row = row[order]
    printed = {column.name: column.take(row) for column in groups.columns}
    values = {column.name: column for column in value_columns(release.sensitive, release.domain, value[order])}
    return Sheet({**printed, people: groups.sizes[row], **values, count: amount[order]})


def add_bounds(sheet: Sheet) -> Sheet:
    """Add, after each column of intervals, the ends of what it prints as numbers or days of their own."""
    columns: dict[str, Column | Integers | Floats] = {}
    for name, column in sheet.columns.items():
        columns[name] = column
        ends = bound_columns(column, taken=sheet.columns) if isinstance(column, Column) else None
        columns |= {each.name: each for each in ends or ()}
    return replace(sheet, columns=columns)


def read_published(path: str | Path, *, memory: str | int | None = None) -> Release:
    """Read a file that Sidelight published.

    The sidecar beside it says how to read it; a file that is not the one that was judged is an error.  With `memory`
    (such as "2GB"), what the engine holds of the rows is bounded; the groups are held in any case.

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
"""Says what is read: the file itself, or the same as an engine has it."""


def generation(path: Path) -> tuple[int, int] | None:
    """Distinguish one document beside a file from its next: other numbers are another one; None: it is being replaced.

    The place on the disk alone would not do: what is replaced twice may stand where it stood before.
    """
    try:
        beside = sidecar_path(path).stat()
        # inode and time: one of them alone may stay the same when a sidecar is replaced quickly
        return None if undo_path(path).is_dir() else (beside.st_ino, beside.st_mtime_ns)
    except (OSError, ValueError):
        return 0, 0


def read_by_sidecar(path: Path, memory: Memory | None = None, engine: FileEngine = Path) -> Release:
    """Read a published file as its sidecar says, whichever engine counts its rows."""
    for look in range(5):  # again while others replace it, after longer and longer waits, 1.5 s in all
        before = generation(path)
        try:
            return _read_by_sidecar(path, memory, engine)
        except (BadRelease, BadTable):
            if generation(path) == before is not None:
                raise
        sleep(0.05 * 2**look)
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
    """Read a file as published, in bounded memory if need be: labels as they were, groups and values in their order."""
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
    """Count the people whom the columns that are carried along single out, as any reader of the file can."""
    reading, kept = document.reading, tuple(document.kept)
    finer = read_back(folder, reading.model_copy(update={"group": (*reading.group, *kept)}), memory, engine)
    judged = replace(finer.groups, columns=finer.groups.columns[: len(reading.group)])
    alone = (finer.groups.sizes == 1) & ~suppressed_groups(judged)  # who is suppressed says nothing in them
    others = tuple(name for name in release.intake.columns_dropped if name not in kept)
    return replace(release.intake, columns_dropped=others, carried=kept, singled_out=int(alone.sum()))


def add_members(release: Release, who: Release) -> Release:
    """Put the table of people beside that of buckets: who is in which bucket."""
    (bucket,) = release.groups.columns
    # buckets are matched by their label, as the two tables need not list them in the same order
    row = {bucket.cell(number): number for number in range(len(release))}
    line, value, people = who.groups.counts.entries()
    group = np.array([row[text] for text in who.domain], np.int64)[value]
    order = np.argsort(group, kind="stable")
    return replace(release, members=Members(who.groups.columns, group[order], line[order], people[order]))


def _decode_labels(release: Release, writer: Writer, reading: Reading) -> Release:
    """Return a release with its labels as they were before they were written."""

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
    """Forget what no file can say: the order of groups, groups that print the same, labels that nobody has.

    >>> twice = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "*"}, {"age": "*"}])
    >>> reduce_to_printed(twice)
    <Release of 3 people in 1 group, value: 1 value (single)>
    """
    groups = release.groups
    # Tidy labels first, so that groups which print the same have the same codes and are rolled up into one.
    merged = roll_up(groups, tuple(column.compact().sort_naturally() for column in groups.columns))
    domain, counts = merged.domain, merged.counts
    if isinstance(domain, JointDomain):  # a single column's values stay, as files say which there could be
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
