"""Publish a release: written aside, read back, judged again, and only then put in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidelight._files import (
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    unfinished_folder,
)
from sidelight.errors import BadRelease, BadTable, NotPublished, parameter
from sidelight.policy.policy import Policy, Verdict
from sidelight.publish.formats import (
    Format,
    FormatName,
    Layout,
    Sheet,
    Shuffle,
    by_counts,
    format_of,
    person_by_person,
    shuffles,
    unused,
)
from sidelight.publish.read import as_printed, digest, read_back, same, with_members
from sidelight.publish.sidecar import PublishedFile, Reading, Sidecar, sidecar_of, sidecar_path
from sidelight.release.release import Release, whole_groups
from sidelight.search.method import SearchResult
from sidelight.search.recoding import Buckets
from sidelight.table.table import Column, Counts


@dataclass(frozen=True, slots=True)
class Published:
    """What was written: the files of the release, the sidecar beside them, and what that says."""

    paths: tuple[Path, ...]
    sidecar: Path
    document: Sidecar

    @property
    def path(self) -> Path:
        """The file that was asked for."""
        return self.paths[-1]


def publish(
    found: SearchResult,
    path: str | Path,
    *,
    force: bool = False,
    seed: int | None = None,
    layout: Layout | None = None,
    written_as: FormatName | None = None,
) -> Published:
    """Publish what a search found; `SearchResult.publish` says what the options mean.

    Everything is written into a folder beside the file, whose name says that it is unfinished; flushed; read back;
    compared with what was meant; judged by the policy once more.  Only then the sidecar is moved to its place, and
    the file that was asked for last: when it is there, it was judged, and the digest in the sidecar says that it is
    this one.  After a `kill -9` in between, the sidecar tells of a file that is not there, and no reader takes it.
    """
    path = Path(path)
    form = format_of(path, written_as)
    sidecar = sidecar_path(path)
    refuse_left_over(path, sidecar, force=force)
    _refuse(found, (path, sidecar), force=force)
    plan = planned(found, path, shuffle=shuffles(seed), layout=layout, written_as=form.name)
    paths = tuple(path.with_name(name) for name in plan.sheets)
    _refuse(found, paths, force=force)
    with unfinished_folder(path) as folder:
        files = tuple(_written(folder / name, sheet, form) for name, sheet in plan.sheets.items())
        read = _checked(folder, plan.groups)
        if plan.who is not None:
            read = with_members(read, _checked(folder, plan.who))
        verdict = _judged(read, found.policy)
        who = None if plan.who is None else plan.who.reading
        seeded = seed is not None
        document = sidecar_of(found, read, verdict, files=files, reading=plan.groups.reading, who=who, seeded=seeded)
        (folder / sidecar.name).write_text(document.to_json(), encoding="utf-8")
        flush_to_disk(folder / sidecar.name)
        move_into_place(folder, (sidecar, *paths))
    return Published(paths, sidecar, document)


def _refuse(found: SearchResult, targets: tuple[Path, ...], *, force: bool) -> None:
    for target in targets:
        refuse_input(target, found.outcome.recoding.table.intake.files)
        refuse_existing(target, force=force)


def _written(path: Path, sheet: Sheet, form: Format) -> PublishedFile:
    with path.open("wb") as file:
        form.write(sheet, file)
    flush_to_disk(path)
    return PublishedFile(name=path.name, sha256=digest(path), rows=len(sheet))


def _judged(read: Release, policy: Policy) -> Verdict:
    """Judge what a reader sees."""
    verdict = policy.judge(read)
    if not verdict.safe:
        message = f"what would be published is {verdict}; nothing was published"
        raise NotPublished(message)
    return verdict


def _checked(folder: Path, told: Told) -> Release:
    """Read a file, and check that it says what was meant."""
    try:
        read = read_back(folder, told.reading)
    except (BadTable, BadRelease) as problem:
        message = f"what was written cannot be read back ({problem}); nothing was published; try .parquet"
        raise NotPublished(message) from None
    if not same(read, told.release):
        message = "what was read back is not what was written; nothing was published; try .parquet"
        raise NotPublished(message)
    return read


# ----------------------------------------------------------------------------------------------------
# What is to be written: the files, and what a reader must find in them.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, slots=True)
class Told:
    """A way to read a file, and the release that a reader must find."""

    reading: Reading
    release: Release


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Files by name, in the order in which they appear; the groups they tell of, and who is in them (anatomy)."""

    sheets: Mapping[str, Sheet]
    groups: Told
    who: Told | None = None


def planned(
    found: SearchResult, path: Path, *, shuffle: Shuffle, layout: Layout | None, written_as: FormatName
) -> Plan:
    """Plan the files of what was found.

    Where a person may have several values, rows of (group, value) would lose the number of people, and rows that say
    whose values they are would tell more than the measures know of: only counts are published then.
    """
    release = publishable(found)
    buckets = found.outcome.buckets
    chosen = layout or _usual(release, buckets)
    if (buckets is not None) != (chosen in ("two tables", "shuffled")):
        message = (
            f'{parameter("layout", chosen)} is not for method "{found.method.name}"; '
            f"leave {parameter('layout')} out for the usual one"
        )
        raise NotPublished(message)
    if chosen == "people" and release.semantics != "single":
        message = (
            f'people have several values here ("{release.semantics}"); '
            f"publish them with {parameter('layout', 'counts')}"
        )
        raise NotPublished(message)
    told = Told(_reading(release, path.name, written_as, counts=chosen == "counts"), release)
    if buckets is None:
        return Plan({path.name: _sheet(told, shuffle)}, told)
    return _anatomised(told, buckets, path, shuffle, together=chosen == "shuffled")


def publishable(found: SearchResult) -> Release:
    """Give the release that was found as readers will see it."""
    return as_printed(found.release)


def _usual(release: Release, buckets: Buckets | None) -> Layout:
    if buckets is not None:
        return "two tables"
    return "people" if release.semantics == "single" else "counts"


def _reading(release: Release, file: str, written_as: FormatName, *, counts: bool) -> Reading:
    group = tuple(column.name for column in release.groups.columns)
    taken = (*group, release.sensitive)
    return Reading(
        file=file,
        group=group,
        sensitive=release.sensitive,
        values=release.semantics,
        domain=release.domain,
        rows="counts" if counts else "people",
        people=unused("people", taken) if counts else None,
        count=unused("count", taken) if counts else None,
        format=written_as,
    )


def _sheet(told: Told, shuffle: Shuffle) -> Sheet:
    people, count = told.reading.people, told.reading.count
    if people is None or count is None:
        return person_by_person(told.release, shuffle)
    return by_counts(told.release, shuffle, people=people, count=count)


def _anatomised(told: Told, buckets: Buckets, path: Path, shuffle: Shuffle, *, together: bool) -> Plan:
    """Print everybody's columns with a bucket; the values of the buckets apart, or shuffled inside them."""
    columns = buckets.tables().people
    known = _who_is_where(columns)
    who = Told(
        Reading(
            file=path.name,
            group=tuple(column.name for column in columns[:-1]),
            sensitive=columns[-1].name,
            values="single",
            rows="people",
            format=told.reading.format,
        ),
        known,
    )
    if together:
        everything = (*columns, _shuffled_inside(buckets, shuffle))
        return Plan({path.name: _shuffled(everything, shuffle)}, told, who)
    beside = path.with_name(f"{path.stem}.values{path.suffix}").name
    apart = Told(_reading(told.release, beside, told.reading.format, counts=True), told.release)
    return Plan({beside: _sheet(apart, shuffle), path.name: _shuffled(columns, shuffle)}, apart, who)


def _who_is_where(columns: tuple[Column, ...]) -> Release:
    *quasi, bucket = columns
    people = np.arange(len(bucket))
    groups = whole_groups(
        domain=bucket.labels,
        sizes=np.ones(len(bucket), np.int64),
        counts=Counts.from_entries(people, bucket.codes, np.ones(len(bucket)), (len(bucket), len(bucket.labels))),
        columns=tuple(quasi),
    )
    return as_printed(Release(groups, sensitive=bucket.name))


def _shuffled(columns: tuple[Column, ...], shuffle: Shuffle) -> Sheet:
    order = shuffle(len(columns[0]))
    return Sheet({column.name: column.take(order) for column in columns})


def _shuffled_inside(buckets: Buckets, shuffle: Shuffle) -> Column:
    """Give the values bucket by bucket, as the people stand, in an order drawn by chance inside each."""
    bucket, value, count = buckets.counts.entries()
    bucket, value = np.repeat(bucket, count), np.repeat(value, count)
    order = shuffle(len(value))
    order = order[np.argsort(bucket[order], kind="stable")]
    return Column(buckets.table.sensitive, buckets.table.domain, value[order].astype(np.int32))
