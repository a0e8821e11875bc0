"""What questions are asked of: the files, who counts their rows, and the policy.

What a request states has the last word over a policy file, and both over the sidecar of a published file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import sidelight as sl
from sidelight.answers.request import DUCKDB, EngineChoice, Request
from sidelight.engines.files import columns_in_words, columns_of, files_of, spark_file
from sidelight.engines.read import fits_here, streamed_table_from, table_from
from sidelight.errors import BadPolicy, BadRelease, listed, parameter
from sidelight.files import noise_path, sidecar_path
from sidelight.intake.presets import read_preset
from sidelight.policy.limits import read_limit, read_measure
from sidelight.policy.measure_names import population_measures
from sidelight.policy.policy import Policy, drop_repeats
from sidelight.policy.policy_file import PolicyFile, read_policy_file
from sidelight.release.population import Population
from sidelight.release.read import release_from
from sidelight.streams.memory import MEMORY, Memory
from sidelight.table.hierarchy_io import column_of, hierarchy_files, read_hierarchies
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.documents.document import ReaderFacts
    from sidelight.engines.spark.source import SparkFile
    from sidelight.publish.sidecar import Reading, Sidecar
    from sidelight.release.locate import LocateMethod, SuppressedPeople
    from sidelight.streams.streamed_table import AnyTable
    from sidelight.table.labels import Label


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a file: who is who in it, which limits, and which measures without a limit."""

    roles: Roles
    policy: Policy | None
    measures: tuple[sl.Measure, ...]
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # where it was read from, and populations are
    population: Population | None = None  # with which measures compare that name none
    policy_file: Path | None = None  # which says all that the policy does

    @property
    def needs_weights(self) -> bool:
        measures = (*(self.policy.measures if self.policy else ()), *self.measures)
        return any(each.needs_weights for each in measures)

    def compared(self) -> tuple[sl.Measure, ...]:
        """All that there is to ask about a release and the population, where there is one."""
        if self.population is None:
            return ()
        return tuple(kind().compare_with(self.population) for kind in population_measures())


@dataclass(frozen=True, slots=True)
class PeopleLookup:
    """How people are found in published files, in the words of `intersect` and `posterior`."""

    folder: Path | None = None  # with hierarchies
    locate: LocateMethod | None = None
    suppressed: SuppressedPeople | None = None

    def by(self) -> dict[str, sl.Hierarchy] | None:
        return None if self.folder is None else read_hierarchies(self.folder)

    def files(self) -> list[Path]:
        return [] if self.folder is None else hierarchy_files(self.folder)


@dataclass(frozen=True, slots=True)
class TableRequest(Request):
    """What is asked of a table along the hierarchies of its columns; some are only published as they are or as `*`."""

    kind: ClassVar[str]  # of the answer, also where nothing is within the policy

    file: str
    question: Question
    hierarchies: Path | None = None
    suppress_only: tuple[str, ...] = field(default=(), kw_only=True)
    engine: EngineChoice = field(default=DUCKDB, kw_only=True)

    @property
    def policy(self) -> Policy | None:
        return self.question.policy

    def files(self) -> tuple[Path, ...]:
        return (*read_files(self.file, self.engine), *self._hierarchy_files(), *self.question.files)

    def read_table(self) -> tuple[sl.Table, dict[str, sl.Hierarchy]]:
        """Read the table and the hierarchies, and make those of columns that are published as they are or as `*`."""
        by = self._read_hierarchies()
        table = open_table(self.file, self.question.roles, by, self.engine)
        return table, by | self._suppressions(table)

    def stream_table(self, memory: str | None) -> tuple[AnyTable, dict[str, sl.Hierarchy]]:
        """Read the same in bounded memory if that is said, or if Spark counts more keys than fit here.

        Coarser sensitive values are those of a table that is held.
        """
        roles, bound = self.question.roles, Memory.parse(memory or MEMORY)
        if memory is None and self.engine.engine != "spark":
            return self.read_table()
        source = source_of(self.file, roles, self.engine)
        if memory is None and fits_here(source, roles.complete(), bound):
            return self.read_table()
        by = self._read_hierarchies()
        table: AnyTable = streamed_table_from(source, roles, bound)
        if roles.sensitive_level is not None and isinstance(table, sl.StreamedTable):
            table = sl.coarser_values(table.held(parameter("sensitive_level")), by=by, to=roles.sensitive_level)
        return table, by | self._suppressions(table)

    def _read_hierarchies(self) -> dict[str, sl.Hierarchy]:
        return read_hierarchies(self.hierarchies) if self.hierarchies else {}

    def _suppressions(self, table: AnyTable) -> dict[str, sl.Hierarchy]:
        labels = {name: [text for text in table.column(name).labels if text is not None] for name in self.suppress_only}
        return {name: sl.Hierarchy.suppression(name, texts or ["*"]) for name, texts in labels.items()}

    def notes(self, table: AnyTable) -> Iterator[str]:
        """Note what the question does, the hierarchies that --suppress-only replaces, and those of other columns."""
        yield from self.question.notes
        known = {column.name for column in table.quasi}
        if table.intake.roles.get("sensitive_level") is not None:
            known |= {*table.sensitive_columns}
        for file in self._hierarchy_files():
            name = column_of(file)
            if name in self.suppress_only:
                yield f"{file} is not used: --suppress-only {name} takes its place"
            elif name not in known:
                yield f"{file} is not used: no column '{name}' is among those that outsiders may know"

    def _hierarchy_files(self) -> list[Path]:
        return hierarchy_files(self.hierarchies) if self.hierarchies else []


def require_policy(question: Question) -> Policy:
    """Return the limits of a question; there have to be some."""
    if question.policy is None:
        message = "a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'"
        raise BadPolicy(message)
    return question.policy


def read_question(
    policy: Path | None,
    *,
    limits: Sequence[str] = (),
    measures: Sequence[str] = (),
    roles: Roles | None = None,
    population: str | None = None,
    preset: str | None = None,
    otherwise: PolicyFile | None = None,
) -> Question:
    """Put the question together from a policy file and options; options have the last word.

    `otherwise` stands in for the file where nothing else says what is asked, and for its roles in any case.
    """
    file = read_policy_file(policy, population=population) if policy else None
    if file is None and otherwise is not None:
        roles = otherwise.roles.update(roles or Roles())
        file = None if limits or measures or preset else otherwise
    chosen = None if preset is None else read_preset(preset, population=population)
    criteria = [
        *(file.policy.criteria if file else ()),
        *(chosen.criteria if chosen else ()),
        *(read_limit(text) for text in limits),
    ]
    question = Question(
        roles=(file.roles if file else Roles()).update(roles or Roles()),
        policy=Policy(*criteria) if criteria else None,
        measures=drop_repeats(
            (
                *(read_measure(text) for text in measures),
                *(file.beside if file else ()),
                *(chosen.beside if chosen else ()),
            )
        ),
        notes=(*(file.notes if file else ()), *(chosen.notes if chosen else ())),
        files=(policy,) if policy else (),
        policy_file=None if limits or preset or population else policy,
    )
    return _attach_populations(question, population)


def _attach_populations(question: Question, population: str | None) -> Question:
    """Let populations be read as the table is, each once; the one of the option is for measures that name none, or it.

    It is the one that they name if its file is called the same: policies of sidecars name no folders.
    """
    criteria = question.policy.criteria if question.policy else ()
    measures = (*(criterion.measure for criterion in criteria), *question.measures)

    def place_of(measure: sl.Measure) -> str | None:
        named = None if measure.register is None else measure.register.place
        if population is not None and (named is None or Path(named).name == Path(population).name):
            return population
        return named

    person = question.roles.person_column
    places = dict.fromkeys((*map(place_of, measures), population))
    read = {place: _population(place, question.roles) for place in places if place is not None}

    def compared(measure: sl.Measure) -> sl.Measure:
        place = place_of(measure)
        return measure if place is None else measure.compare_with(read[place])

    compares = any(each.register is not None or compared(each) != each for each in measures)
    if population is not None and measures and not compares:
        message = (
            f"nothing that is asked compares with {parameter('population')} '{population}'; add a limit such as "
            "'journalist risk <= 1/11', or leave it out"
        )
        raise BadPolicy(message)
    return replace(
        question,
        policy=Policy(*(replace(each, measure=compared(each.measure)) for each in criteria)) if criteria else None,
        measures=drop_repeats(map(compared, question.measures)),
        # nobody checks that rows are people where a population does not say whose row it is, as the table does
        notes=(
            *question.notes,
            *(
                f"{each.place} has no column '{person}': each of its rows counts as a person of its own"
                for each in read.values()
                if person is not None and "person" not in each.reading
            ),
        ),
        files=(*question.files, *(path for place in read for path in files_of(place))),
        population=None if population is None else read[population],
    )


def _population(file: str, roles: Roles) -> Population:
    """Return how a population is read: as the table is, and by people where it names them as the table does."""
    reading: dict[str, object] = {"missing_marks": roles.missing_marks, "encoding": roles.encoding}
    if roles.person_column in columns_of(file, roles):
        reading |= {"person": roles.person_column, "several_rows": True}
    return Population(file, reading=reading)


def open_release(
    file: str,
    roles: Roles,
    *,
    keep_people: bool = False,
    weights: bool = False,
    memory: str | None = None,
    engine: EngineChoice = DUCKDB,
) -> sl.Release:
    """Read a published file with these roles; what they do not say, a sidecar beside it does.

    Weights are left where they are unless they are needed: suppressed rows have none.  `memory` bounds what the engine
    holds of a file with a sidecar; its groups are held.  Of such a file, Spark may count the rows.
    """
    roles = roles if weights else replace(roles, weight=None)
    if noise_path(Path(file)).is_file():
        message = (
            f"'{file}' holds noisy counts, not people; '{noise_path(Path(file)).name}' beside it says what they promise"
        )
        raise BadRelease(message)
    if not sidecar_path(Path(file)).is_file():
        require_columns(file, roles)
        return release_from(file, roles, keep_people=keep_people)
    from sidelight.publish.publish import read_by_sidecar  # noqa: PLC0415 - only files with a sidecar need it
    from sidelight.publish.sidecar import read_checked  # noqa: PLC0415

    def count_by(path: Path) -> Path | SparkFile:
        return path if engine.engine != "spark" else spark_file(str(path), Roles(), engine.master)

    document, bound = read_checked(Path(file)), None if memory is None else Memory.parse(memory)
    if not keep_people and _as_published(document, roles):
        release = _merge_alike(read_by_sidecar(Path(file), bound, count_by), roles, document)
        return release.about(roles.value_columns[0]) if len(roles.value_columns) == 1 else release
    reading = document.reading
    ours = replace(merge_roles(reading, roles), encoding=None, sheet=None)  # UTF-8, whatever other files are
    release = release_from(
        count_by(Path(file)),
        ours,
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
        keep_people=keep_people,
        memory=bound,
    )
    return replace(release, printing=document.printing())


def find_asked_attackers(file: str, roles: Roles) -> tuple[ReaderFacts, ...]:
    """Return which attackers were asked when a file was published, where it is read as it was published."""
    if not sidecar_path(Path(file)).is_file():
        return ()
    from sidelight.publish.sidecar import read_sidecar  # noqa: PLC0415 - only files with a sidecar need it

    document = read_sidecar(Path(file))
    return document.readers if _as_published(document, roles) else ()


def open_release_or_noise(file: str, roles: Roles) -> sl.Release | sl.NoisyCounts:
    """Read a published file, or noisy counts where the document of such is beside it."""
    if not noise_path(Path(file)).is_file():
        return open_release(file, roles)
    noisy = sl.read_noise(file)
    if roles.sensitive is not None and roles.value_columns != (noisy.sensitive,):
        message = f"'{file}' holds noisy counts of '{noisy.sensitive}', not of {listed(roles.value_columns)}"
        raise BadRelease(message)
    return noisy


def open_table(
    file: str, roles: Roles, hierarchies: Mapping[str, sl.Hierarchy] | None = None, engine: EngineChoice = DUCKDB
) -> sl.Table:
    """Read a table of people with these roles, its sensitive values as coarse as they say."""
    table = table_from(source_of(file, roles, engine), roles)
    if roles.sensitive_level is None:
        return table
    return sl.coarser_values(table, by=hierarchies or {}, to=roles.sensitive_level)


def read_levels(texts: Sequence[str]) -> dict[str, int]:
    """Read `age=2,sex=0`, or one column at a time.

    >>> read_levels(["age=2,sex=0", "zip, old=1"])
    {'age': 2, 'sex': 0, 'zip, old': 1}
    """
    one = re.compile(r"\s*(?P<column>[^=]+?)\s*=\s*(?P<level>[0-9]{1,9})\s*(?:,|$)")
    levels: dict[str, int] = {}
    for text in texts:
        at = 0
        while at < len(text):
            read = one.match(text, at)
            if read is None:
                message = f"cannot read --levels '{text}'; write columns and their levels, such as --levels age=2,sex=0"
                raise BadPolicy(message)
            if read["column"] in levels:
                message = f"--levels says two levels for '{read['column']}'; say one"
                raise BadPolicy(message)
            levels[read["column"]] = int(read["level"])
            at = read.end()
    return levels


def source_of(file: str, roles: Roles, engine: EngineChoice) -> str | SparkFile:
    """Return what is read: the file, or the same as Spark has it."""
    if engine.engine != "spark":
        if engine.master is not None:
            message = f"{parameter('master')} is about Spark; add {parameter('engine', 'spark')}, or leave it out"
            raise BadPolicy(message)
        require_columns(file, roles)
        return file
    if not roles.quasi or roles.sensitive is None:
        message = "which columns? name them with --group and --sensitive, or in [roles] of the policy"
        raise BadPolicy(message)
    return spark_file(file, roles, engine.master)


def read_files(file: str, engine: EngineChoice) -> tuple[Path, ...]:
    """Name the files that are read, as far as they are on this machine."""
    if engine.engine != "spark":
        return tuple(files_of(file))
    return (Path(file),) if Path(file).exists() else ()


def require_columns(file: str, roles: Roles) -> None:
    """Refuse roles without the columns that outsiders may know or the sensitive one, and list those of the file."""
    if roles.quasi and roles.sensitive is not None:
        return
    options = {"--group": roles.quasi or None, "--sensitive": roles.sensitive}
    unnamed = " and ".join(option for option, column in options.items() if column is None)
    columns = columns_in_words(file, roles)
    message = f"which columns? name them with {unnamed}, or in [roles] of the policy; {file} has: {columns}"
    raise BadPolicy(message)


def inputs_of(*files: str) -> Iterator[Path]:
    """Name all files that reading published files takes: also their sidecars, and what those name.

    A folder of parts is one published file, with a sidecar beside it.
    """
    parts = [path for file in files for path in files_of(file)]
    yield from parts
    for each in (*(Path(file) for file in files if Path(file).is_dir()), *parts):
        if noise_path(each).is_file():
            yield noise_path(each)
        if sidecar_path(each).is_file():
            from sidelight.publish.sidecar import read_sidecar  # noqa: PLC0415 - only files with a sidecar need it

            yield sidecar_path(each)
            yield from (each.with_name(part.name) for part in read_sidecar(each).files)


def _as_published(document: Sidecar, roles: Roles) -> bool:
    """Whether roles ask for nothing else than the sidecar tells of, or for fewer columns."""
    reading, who = document.reading, document.who
    quasi, published = set(roles.quasi), reading.to_roles().value_columns
    return (
        (quasi <= set(reading.group) or (who is not None and quasi == set(who.group)))
        and (set(roles.value_columns) == set(published) or roles.sensitive in (None, *published))
        and roles.values in (None, reading.values)
        and roles.domain in (None, reading.domain)
        and roles.suppressed != "leave out"
        and roles.weight is None
    )


def _merge_alike(release: sl.Release, roles: Roles, document: Sidecar) -> sl.Release:
    names = set(roles.quasi or document.reading.group)
    kept = tuple(column for column in release.groups.columns if column.name in names)
    if len(kept) in (0, len(release.groups.columns)):  # none: asked for by the columns of anatomy's people
        return release
    from sidelight.publish.publish import reduce_to_printed  # noqa: PLC0415 - only files with a sidecar need it

    return reduce_to_printed(replace(release, groups=replace(release.groups, columns=kept)))


def merge_roles(reading: Reading, roles: Roles) -> Roles:
    """Return who is who as the sidecar does, unless these roles say otherwise."""
    published = reading.to_roles()
    if not set(roles.value_columns) <= set(published.value_columns):
        others = tuple(name for name in published.quasi if name not in roles.value_columns)
        published = replace(published, quasi=others, missing=None, domain=None)
    if roles.person_column is None and reading.rows != "counts":
        published = replace(published, values=None)
    merged = published.update(roles)
    if merged.missing == "a value" or merged.domain is None:
        return merged
    if isinstance(merged.domain, Mapping):
        return replace(merged, domain={name: _drop_missing(values) for name, values in merged.domain.items()})
    return replace(merged, domain=_drop_missing(merged.domain))


def _drop_missing(values: tuple[Label, ...]) -> tuple[Label, ...]:
    return tuple(text for text in values if text is not None)
