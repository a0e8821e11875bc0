"""What is to be written: the files, and what a reader must find in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sidelight.errors import NotPublished
from sidelight.publish.chance import Shuffle
from sidelight.publish.formats import FormatName
from sidelight.publish.layouts import Layout, Sheet, by_counts, person_by_person, unused
from sidelight.publish.printed import as_printed
from sidelight.publish.sidecar import Reading
from sidelight.release.release import Release, whole_groups
from sidelight.search.buckets import Buckets
from sidelight.search.found import Found
from sidelight.table.columns import Column
from sidelight.table.counts import Counts


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


def planned(found: Found, path: Path, *, shuffle: Shuffle, layout: Layout | None, written_as: FormatName) -> Plan:
    """Plan the files of what was found.

    Where a person may have several values, rows of (group, value) would lose the number of people, and rows that say
    whose values they are would tell more than the measures know of: only counts are published then.
    """
    release = publishable(found)
    buckets = found.outcome.buckets
    chosen = layout or _usual(release, buckets)
    if (buckets is not None) != (chosen in ("two tables", "shuffled")):
        message = f"""layout="{chosen}" is not for method "{found.method.name}"; leave layout= out for the usual one"""
        raise NotPublished(message)
    if chosen == "people" and release.semantics != "single":
        message = f'people have several values here ("{release.semantics}"); publish them with layout="counts"'
        raise NotPublished(message)
    told = Told(_reading(release, path.name, written_as, counts=chosen == "counts"), release)
    if buckets is None:
        return Plan({path.name: _sheet(told, shuffle)}, told)
    return _anatomised(told, buckets, path, shuffle, together=chosen == "shuffled")


def publishable(found: Found) -> Release:
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
    columns = buckets.two_tables().people
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
