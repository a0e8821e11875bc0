"""Publish a release: written aside, read back, judged again, and only then put in its place.

It is planned which files there are and which release a reader must find in each (`plan`); then they are written, and
nothing is published that was not read back the same and within policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sidelight.engines.formats.file_format import FormatName, Sheet, Writer, shuffler
from sidelight.engines.spark.source import parts_or_file, running_spark
from sidelight.engines.streamed_table import StreamedTable
from sidelight.errors import BadRelease, BadTable, NotPublished, expect, parameter
from sidelight.files import (
    digest,
    flush_to_disk,
    move_into_place,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    sidecar_path,
    unfinished_folder,
)
from sidelight.policy.policy import Policy, Verdict
from sidelight.publish.describe import build_sidecar
from sidelight.publish.dictionary import build_dictionary, dictionary_path
from sidelight.publish.plan import ExpectedFile, Layout, add_bounds, plan_files
from sidelight.publish.read_back import add_members, is_same_release, read_back
from sidelight.publish.sidecar import PublishedFile, Sidecar
from sidelight.release.release import Release
from sidelight.search.method import Method, SearchResult
from sidelight.streams.memory import Memory
from sidelight.text import counted, html_table


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
    for name, option in (
        ("force", force),
        ("bounds", bounds),
        ("private_hierarchies", private_hierarchies),
        ("quiet_method", quiet_method),
    ):
        expect(bool, option, parameter(name))
    writer = parts_or_file(path, written_as, in_spark=running_spark() is not None)
    if quiet_method:
        refuse_loud(result.method)
    sidecar, dictionary = sidecar_path(path), dictionary_path(path)
    refuse_left_over(path, sidecar, force=force)
    # before planning, which may take long; the other files are known, and refused, only after it
    _refuse(result, (path, sidecar, dictionary), force=force)
    plan = plan_files(result, path, shuffle=shuffler(seed), layout=layout, written_as=writer.name)
    sheets = {name: add_bounds(sheet) if bounds else sheet for name, sheet in plan.sheets.items()}
    paths = tuple(path.with_name(name) for name in plan.sheets)
    _refuse(result, paths, force=force)
    with unfinished_folder(path) as folder:
        # From here on nothing is believed but what was read from the disk.
        files = tuple(_write(folder / name, sheet, writer) for name, sheet in sheets.items())
        table = result.outcome.recoding.table
        memory = table.memory if isinstance(table, StreamedTable) else None
        read = _check_file(folder, plan.groups, memory)
        if plan.who is not None:
            read = add_members(read, _check_file(folder, plan.who))
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


def _write(path: Path, sheet: Sheet, writer: Writer) -> PublishedFile:
    writer.write_to(path, sheet)
    return PublishedFile(name=path.name, sha256=digest(path), rows=len(sheet))


def _write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
    # on the disk before `move_into_place` gives it its name
    flush_to_disk(path)


def _judge(read: Release, policy: Policy) -> Verdict:
    """Judge what a reader sees."""
    verdict = policy.judge(read)
    if not verdict.safe:
        message = f"what would be published is {verdict}; nothing was published"
        raise NotPublished(message)
    return verdict


def _check_file(folder: Path, expected: ExpectedFile, memory: Memory | None = None) -> Release:
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
