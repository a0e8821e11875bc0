"""Publish a release: written aside, read back, judged again, and only then put in its place.

First it is planned which files there are and which release a reader must find in each (`plan_files`); then `publish`
writes them and makes sure of it.  Nothing is published that was not read back the same and within policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sidelight.engines.spark.parts import running_spark
from sidelight.engines.streamed_table import StreamedTable
from sidelight.errors import BadRelease, BadTable, NotPublished, expect, parameter
from sidelight.files import (
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    unfinished_folder,
)
from sidelight.policy.policy import Policy, Verdict
from sidelight.publish.dictionary import build_dictionary, dictionary_path
from sidelight.publish.formats import (
    Format,
    FormatName,
    Layout,
    Sheet,
    Shuffle,
    sheet_of_carried,
    sheet_of_counts,
    sheet_of_people,
    shuffler,
)
from sidelight.publish.parts import parts_or_file
from sidelight.publish.sidecar import (
    PublishedFile,
    Reading,
    Sidecar,
    add_members,
    as_printed,
    build_sidecar,
    digest,
    is_same_release,
    read_back,
    sidecar_path,
)
from sidelight.release.release import Release, whole_groups
from sidelight.search.method import Method, SearchResult
from sidelight.search.recoding import Buckets
from sidelight.streams.memory import Memory
from sidelight.table.counts import Counts
from sidelight.table.table import Column, JointDomain, unused_name, value_columns
from sidelight.text import counted, html_table, one_or_several


@dataclass(frozen=True, slots=True, repr=False)
class Published:
    """What was written: the files of the release, the sidecar and the dictionary beside them, and what it says."""

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
    for name, option in (
        ("force", force),
        ("bounds", bounds),
        ("private_hierarchies", private_hierarchies),
        ("quiet_method", quiet_method),
    ):
        expect(bool, option, parameter(name))
    form = parts_or_file(path, written_as, in_spark=running_spark() is not None)
    if quiet_method:
        refuse_loud(result.method)
    sidecar, dictionary = sidecar_path(path), dictionary_path(path)
    refuse_left_over(path, sidecar, force=force)
    _refuse(result, (path, sidecar, dictionary), force=force)
    plan = plan_files(result, path, shuffle=shuffler(seed), layout=layout, written_as=form.name)
    sheets = {name: sheet.with_bounds() if bounds else sheet for name, sheet in plan.sheets.items()}
    paths = tuple(path.with_name(name) for name in plan.sheets)
    _refuse(result, paths, force=force)
    with unfinished_folder(path) as folder:
        # From here on nothing is believed but what was read from the disk.
        files = tuple(_write(folder / name, sheet, form) for name, sheet in sheets.items())
        table = result.outcome.recoding.table
        memory = table.memory if isinstance(table, StreamedTable) else None
        read = _read_back(folder, plan.groups, memory)
        if plan.who is not None:
            read = add_members(read, _read_back(folder, plan.who))
        # what its labels cover is known here, as the sidecar tells its readers
        known = replace(read, printing=result.release.printing, provenance=result.release.provenance)
        verdict = _judge(known, result.policy)
        who = None if plan.who is None else plan.who.reading
        seeded = seed is not None
        document = build_sidecar(
            result,
            read,
            verdict,
            files=files,
            reading=plan.groups.reading,
            who=who,
            seeded=seeded,
            private_hierarchies=private_hierarchies,
            quiet_method=quiet_method,
        )
        _write_text(folder / sidecar.name, document.to_json())
        _write_text(folder / dictionary.name, build_dictionary(document, sheets))
        # The sidecar first, the file that was asked for last: when that is there, all is there.
        move_into_place(folder, (sidecar, dictionary, *paths), force=force)
    return Published(paths, sidecar, document)


def refuse_loud(method: Method) -> None:
    """Refuse to keep a method back that the form of the files tells: buckets in two tables, averages."""
    if not method.prints_rows or method.prints_averages:
        message = f"what method '{method.name}' prints tells the method; leave {parameter('quiet_method')} out"
        raise NotPublished(message)


def _refuse(result: SearchResult, targets: tuple[Path, ...], *, force: bool) -> None:
    for target in targets:
        refuse_input(target, result.outcome.recoding.table.intake.files)
        refuse_existing(target, force=force)


def _write(path: Path, sheet: Sheet, form: Format) -> PublishedFile:
    form.write_to(path, sheet)
    return PublishedFile(name=path.name, sha256=digest(path), rows=len(sheet))


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
    flush_to_disk(path)


def _judge(read: Release, policy: Policy) -> Verdict:
    """Judge what a reader sees."""
    verdict = policy.judge(read)
    if not verdict.safe:
        message = f"what would be published is {verdict}; nothing was published"
        raise NotPublished(message)
    return verdict


def _read_back(folder: Path, expected: ExpectedFile, memory: Memory | None = None) -> Release:
    """Read a file, and check that it says what was meant."""
    try:
        read = read_back(folder, expected.reading, memory)
    except (BadTable, BadRelease) as problem:
        message = f"what was written cannot be read back ({problem}); nothing was published; try .parquet"
        raise NotPublished(message) from None
    if not is_same_release(read, expected.release):
        message = "what was read back is not what was written; nothing was published; try .parquet"
        raise NotPublished(message)
    return read


@dataclass(frozen=True, eq=False, slots=True)
class ExpectedFile:
    """A way to read a file, and the release that a reader must find."""

    reading: Reading
    release: Release


@dataclass(frozen=True, eq=False, slots=True)
class PublishPlan:
    """Files by name, in the order in which they appear; the groups they tell of, and who is in them (anatomy)."""

    sheets: Mapping[str, Sheet]
    groups: ExpectedFile
    who: ExpectedFile | None = None


def plan_files(
    result: SearchResult, path: Path, *, shuffle: Shuffle, layout: Layout | None, written_as: FormatName
) -> PublishPlan:
    """Plan the files of what was found.

    Where a person may have several values, rows of (group, value) would lose the number of people, and rows that say
    whose values they are would tell more than the measures know of: only counts are published then.
    """
    release = as_printed(result.release)
    buckets = result.outcome.buckets
    chosen = layout or _usual_layout(release, buckets)
    if (buckets is not None) != (chosen in ("two tables", "shuffled")):
        message = (
            f'{parameter("layout", chosen)} is not for method "{result.method.name}"; '
            f"leave {parameter('layout')} out for the usual one"
        )
        raise NotPublished(message)
    if chosen in ("people", "shuffled") and release.semantics != "single":
        instead = "counts" if buckets is None else "two tables"
        message = (
            f'people have several values here ("{release.semantics}"); publish them with {parameter("layout", instead)}'
        )
        raise NotPublished(message)
    expected = ExpectedFile(_reading(release, path.name, written_as, counts=chosen == "counts"), release)
    table = result.outcome.recoding.table
    if table.carried is not None:
        if chosen != "people":
            message = f"{parameter('keep')} needs a row per person; publish with {parameter('layout', 'people')}"
            raise NotPublished(message)
        rows = sheet_of_carried(result.release, table, result.release_rows, shuffle)
        return PublishPlan({path.name: rows}, expected)
    if buckets is None:
        return PublishPlan({path.name: _sheet(expected, shuffle)}, expected)
    return _plan_anatomy(expected, buckets, path, shuffle, in_one_file=chosen == "shuffled")


def _usual_layout(release: Release, buckets: Buckets | None) -> Layout:
    if buckets is not None:
        return "two tables"
    return "people" if release.semantics == "single" else "counts"


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


def _sheet(expected: ExpectedFile, shuffle: Shuffle) -> Sheet:
    people, count = expected.reading.people, expected.reading.count
    if people is None or count is None:
        return sheet_of_people(expected.release, shuffle)
    return sheet_of_counts(expected.release, shuffle, people=people, count=count)


def _plan_anatomy(
    expected: ExpectedFile, buckets: Buckets, path: Path, shuffle: Shuffle, *, in_one_file: bool
) -> PublishPlan:
    """Print everybody's columns with a bucket; the values of the buckets apart, or shuffled inside them."""
    columns = buckets.tables().people
    known = _people_in_buckets(columns)
    who = ExpectedFile(
        Reading(
            file=path.name,
            group=tuple(column.name for column in columns[:-1]),
            sensitive=columns[-1].name,
            values="single",
            rows="people",
            format=expected.reading.format,
        ),
        known,
    )
    if in_one_file:
        everything = (*columns, *_shuffled_values(buckets, shuffle))
        return PublishPlan({path.name: _shuffled_sheet(everything, shuffle)}, expected, who)
    beside = values_path(path).name
    apart = ExpectedFile(_reading(expected.release, beside, expected.reading.format, counts=True), expected.release)
    return PublishPlan({beside: _sheet(apart, shuffle), path.name: _shuffled_sheet(columns, shuffle)}, apart, who)


def values_path(path: Path) -> Path:
    """Return where the values of buckets go that are published apart from the people."""
    return path.with_name(f"{path.stem}.values{path.suffix}")


def _people_in_buckets(columns: tuple[Column, ...]) -> Release:
    *quasi, bucket = columns
    people = np.arange(len(bucket))
    groups = whole_groups(
        domain=bucket.labels,
        sizes=np.ones(len(bucket), np.int64),
        counts=Counts.from_entries(people, bucket.codes, np.ones(len(bucket)), (len(bucket), len(bucket.labels))),
        columns=tuple(quasi),
    )
    return as_printed(Release(groups, sensitive=bucket.name))


def _shuffled_sheet(columns: tuple[Column, ...], shuffle: Shuffle) -> Sheet:
    order = shuffle(len(columns[0]))
    return Sheet({column.name: column.take(order) for column in columns})


def _shuffled_values(buckets: Buckets, shuffle: Shuffle) -> tuple[Column, ...]:
    """Return the values bucket by bucket, as the people stand, in an order drawn by chance inside each."""
    bucket, value, count = buckets.counts.entries()
    bucket, value = np.repeat(bucket, count), np.repeat(value, count)
    # An order of all, sorted by bucket and stable, is an order drawn by chance inside each bucket.
    order = shuffle(len(value))
    order = order[np.argsort(bucket[order], kind="stable")]
    return value_columns(buckets.table.sensitive, buckets.table.domain, value[order])
