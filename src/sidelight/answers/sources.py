"""The inputs of a question: its files, the engine that counts their rows, and the policy.

A request overrides a policy file, and both override the sidecar of a published file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import sidelight as sl
from sidelight.answers.questions import AuditRequest, ProtectRequest, SimulateRequest, TableRequest
from sidelight.answers.request import Request, Settings
from sidelight.engines.files import columns_in_words, columns_of, files_of, spark_file
from sidelight.engines.read import fits_here, streamed_table_from, table_from
from sidelight.errors import BadNoise, BadPolicy, BadRelease, as_names, listed, parameter
from sidelight.files import SIDECAR_ENDING, noise_path, sidecar_path
from sidelight.intake.presets import read_preset
from sidelight.policy.limits import read_limit, read_measure
from sidelight.policy.measure_names import population_measures
from sidelight.policy.policy import Policy, drop_repeats
from sidelight.policy.policy_file import PolicyFile, read_policy_file, read_policy_text
from sidelight.publish.publish import read_by_sidecar, reduce_to_printed
from sidelight.publish.sidecar import Sidecar, read_checked, read_sidecar
from sidelight.release.population import Population
from sidelight.release.read import release_from, streamed_from
from sidelight.streams.memory import MEMORY, Memory
from sidelight.table.hierarchy_io import column_of, hierarchy_files, read_hierarchies
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.documents.document import AttackerFacts
    from sidelight.engines.spark.source import SparkFile
    from sidelight.release.release import ReleaseBlocks
    from sidelight.streams.streamed_table import AnyTable
    from sidelight.table.labels import Label


@dataclass(frozen=True, slots=True)
class Question:
    """The roles of columns, the limits, and the measures without a limit."""

    roles: Roles
    policy: Policy | None
    measures: tuple[sl.Measure, ...]
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # that it was read from, and those of populations
    population: Population | None = None  # of measures that name none
    policy_file: Path | None = None  # if it contains the whole policy

    @property
    def needs_weights(self) -> bool:
        measures = (*(self.policy.measures if self.policy else ()), *self.measures)
        return any(each.needs_weights for each in measures)

    def compared(self) -> tuple[sl.Measure, ...]:
        """Return all measures that compare a release with the population, if there is one."""
        if self.population is None:
            return ()
        return tuple(kind().compare_with(self.population) for kind in population_measures())


def read_asked_hierarchies(request: Request) -> dict[str, sl.Hierarchy]:
    """Read the hierarchies of a request, if it names a folder."""
    return {} if request.hierarchies is None else read_hierarchies(request.hierarchies)


def read_asked_table(request: TableRequest | SimulateRequest) -> tuple[sl.Table, dict[str, sl.Hierarchy]]:
    """Read the table and its hierarchies; those of `suppress_only` columns are made."""
    by = read_asked_hierarchies(request)
    table = open_table(request.file, request.roles, by, request.settings)
    return table, by | make_suppressions(request, table)


def stream_asked_table(request: ProtectRequest) -> tuple[AnyTable, dict[str, sl.Hierarchy]]:
    """Read the same, in bounded memory with `--memory`, or if Spark counts more keys than fit here.

    Only a table in memory can have coarser sensitive values.
    """
    roles, settings = request.roles, request.settings
    if settings.memory is None and settings.engine != "spark":
        return read_asked_table(request)
    bound, source = Memory.parse(settings.memory or MEMORY), source_of(request.file, roles, settings)
    if settings.memory is None and fits_here(source, roles.complete(), bound):
        return read_asked_table(request)
    by = read_asked_hierarchies(request)
    table: AnyTable = streamed_table_from(source, roles, bound)
    if roles.sensitive_level is not None and isinstance(table, sl.StreamedTable):
        table = sl.coarser_values(table.held(parameter("sensitive_level")), by=by, to=roles.sensitive_level)
    return table, by | make_suppressions(request, table)


def make_suppressions(request: Request, table: AnyTable) -> dict[str, sl.Hierarchy]:
    """Build the hierarchies of columns that are published unchanged or as `*`."""
    names = request.suppress_only if isinstance(request, TableRequest) else ()
    labels = {name: [text for text in table.column(name).labels if text is not None] for name in names}
    return {name: sl.Hierarchy.suppression(name, texts or ["*"]) for name, texts in labels.items()}


def note_hierarchies(request: TableRequest, table: AnyTable) -> Iterator[str]:
    """Yield the notes of the question, and a note for each hierarchy file that is not used."""
    yield from request.question.notes
    known = {column.name for column in table.quasi}
    if table.intake.roles.get("sensitive_level") is not None:
        known |= {*table.sensitive_columns}
    for file in () if request.hierarchies is None else hierarchy_files(request.hierarchies):
        name = column_of(file)
        if name in request.suppress_only:
            yield f"{file} is not used: --suppress-only {name} takes its place"
        elif name not in known:
            yield f"{file} is not used: no column '{name}' is among those that outsiders may know"


def require_policy(question: Question) -> Policy:
    """Return the policy of a question, or raise `BadPolicy` without any limit."""
    if question.policy is None:
        raise BadPolicy("a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'")
    return question.policy


def read_question(settings: Settings, *, roles: Roles | None = None, otherwise: PolicyFile | None = None) -> Question:
    """Build the question from a policy file and options, which override it.

    `otherwise` supplies roles in any case, and the limits where neither the file nor options have any.
    """
    policy, preset, population = settings.policy, settings.preset, settings.population
    file = read_policy_file(policy, population=population) if policy else None
    if file is None and otherwise is not None:
        roles = otherwise.roles.update(roles or Roles())
        file = None if settings.limits or settings.measures or preset else otherwise
    chosen = None if preset is None else read_preset(preset, population=population)
    read = [each for each in (file, chosen) if each is not None]
    criteria = [*chain.from_iterable(each.criteria for each in read), *map(read_limit, settings.limits)]
    beside = chain.from_iterable(each.beside for each in read)
    question = Question(
        roles=(file.roles if file else Roles()).update(roles or Roles()),
        policy=Policy(*criteria) if criteria else None,
        measures=drop_repeats((*map(read_measure, settings.measures), *beside)),
        notes=tuple(chain.from_iterable(each.notes for each in read)),
        files=(policy,) if policy else (),
        policy_file=None if settings.limits or preset or population else policy,
    )
    return _attach_populations(question, population)


def read_sidecar_policy(file: str, population: str | None = None) -> PolicyFile | None:
    """Return the policy of a sidecar, with the roles of its table; None without a sidecar."""
    path = Path(file.removesuffix(SIDECAR_ENDING))
    return read_policy_text(read_sidecar(path).policy, population=population) if sidecar_path(path).is_file() else None


def _attach_populations(question: Question, population: str | None) -> Question:
    """Attach populations to measures, each read once, like the table; the option's goes to measures that name none.

    It also goes to measures that name a file of the same name: policies of sidecars name no folders.
    """
    criteria = question.policy.criteria if question.policy else ()
    measures = (*(criterion.measure for criterion in criteria), *question.measures)

    def find_place(measure: sl.Measure) -> str | None:
        named = None if measure.register is None else measure.register.place
        if population is not None and (named is None or Path(named).name == Path(population).name):
            return population
        return named

    person = question.roles.person_column
    places = dict.fromkeys((*map(find_place, measures), population))
    read = {place: _population(place, question.roles) for place in places if place is not None}

    def compared(measure: sl.Measure) -> sl.Measure:
        place = find_place(measure)
        return measure if place is None else measure.compare_with(read[place])

    compares = any(each.register is not None or compared(each) != each for each in measures)
    if population is not None and measures and not compares:
        raise BadPolicy(
            f"nothing that is asked compares with {parameter('population')} '{population}'; add a limit such as "
            "'journalist risk <= 1/11', or leave it out"
        )
    return replace(
        question,
        policy=Policy(*(replace(each, measure=compared(each.measure)) for each in criteria)) if criteria else None,
        measures=drop_repeats(map(compared, question.measures)),
        # without the column of the person nothing checks that rows are people
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
    """Return a population that is read like the table, by people if it has the column of the person."""
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
    settings: Settings = Settings(),
) -> sl.Release:
    """Read a published file with these roles, completed by the sidecar beside it.

    Weights are read only if `weights`, as suppressed rows have none.  Of a file with a sidecar, whose groups are in
    memory, `settings` bound what the engine holds and may let Spark count the rows.
    """
    roles = roles if weights else replace(roles, weight=None)
    if noise_path(Path(file)).is_file():
        raise BadRelease(
            f"'{file}' holds noisy counts, not people; '{noise_path(Path(file)).name}' beside it says what they promise"
        )
    if not sidecar_path(Path(file)).is_file():
        require_columns(file, roles)
        return release_from(file, roles, keep_people=keep_people)

    def count_by(path: Path) -> Path | SparkFile:
        return path if settings.engine != "spark" else spark_file(str(path), Roles(), settings.master)

    document, bound = read_checked(Path(file)), None if settings.memory is None else Memory.parse(settings.memory)
    if not keep_people and _as_published(document, roles):
        release = _merge_alike(read_by_sidecar(Path(file), bound, count_by), roles, document)
        return release.about(roles.value_columns[0]) if len(roles.value_columns) == 1 else release
    reading = document.reading
    merged = replace(reading.update(roles), encoding=None, sheet=None)  # UTF-8, whatever other files are
    release = release_from(
        count_by(Path(file)),
        merged,
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
        keep_people=keep_people,
        memory=bound,
    )
    return replace(release, printing=document.printing())


def open_buckets(file: str, roles: Roles, told_apart: tuple[str, ...]) -> sl.Release:
    """Read a published file whose groups are buckets, with columns that distinguish the people of a bucket."""
    if not roles.quasi or roles.sensitive is None:
        raise BadPolicy("which columns? name the bucket with --group, the value with --sensitive")
    return release_from(file, replace(roles, suppressed=None, weight=None), told_apart=told_apart)


def open_release_blocks(request: AuditRequest) -> ReleaseBlocks:
    """Read a published file: in memory, or as a stream with `--memory` or if Spark counts too many groups."""
    file, settings, roles, needs_weights = request.file, request.settings, request.roles, request.question.needs_weights
    # the groups of a file with a sidecar were in memory, and are read in their order
    if sidecar_path(Path(file)).is_file() or (settings.memory is None and settings.engine != "spark"):
        return open_release(file, roles, weights=needs_weights, settings=settings)
    source, memory = source_of(file, roles, settings), Memory.parse(settings.memory or MEMORY)
    if settings.memory is None and fits_here(source, replace(roles, quasi_word="group").complete(), memory):
        return release_from(source, roles)
    return streamed_from(source, roles if needs_weights else replace(roles, weight=None), memory)


def find_asked_attackers(file: str, roles: Roles) -> tuple[AttackerFacts, ...]:
    """Return the attackers that were tested at publication, if the file is read as it was published."""
    if not sidecar_path(Path(file)).is_file():
        return ()
    document = read_sidecar(Path(file))
    return document.readers if _as_published(document, roles) else ()


def open_release_or_noise(file: str, roles: Roles) -> sl.Release | sl.NoisyCounts:
    """Read a published file, or noisy counts if their document is beside it."""
    if not noise_path(Path(file)).is_file():
        return open_release(file, roles)
    noisy = sl.read_noise(file)
    if roles.sensitive is not None and roles.value_columns != (noisy.sensitive,):
        raise BadRelease(f"'{file}' holds noisy counts of '{noisy.sensitive}', not of {listed(roles.value_columns)}")
    return noisy


def open_table(
    file: str,
    roles: Roles,
    hierarchies: Mapping[str, sl.Hierarchy] | None = None,
    settings: Settings = Settings(),
) -> sl.Table:
    """Read a table of people with these roles, its sensitive values at their `sensitive_level`."""
    table = table_from(source_of(file, roles, settings), roles)
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
                raise BadPolicy(
                    f"cannot read --levels '{text}'; write columns and their levels, such as --levels age=2,sex=0"
                )
            if read["column"] in levels:
                raise BadPolicy(f"--levels says two levels for '{read['column']}'; say one")
            levels[read["column"]] = int(read["level"])
            at = read.end()
    return levels


def find_declared_domain(roles: Roles, by: Mapping[str, sl.Hierarchy]) -> tuple[Label, ...]:
    """Return the declared sensitive values: listed, or taken from the hierarchy of the sensitive column."""
    if roles.sensitive is None:
        raise BadPolicy("which column is sensitive? name it with --sensitive, or in [roles] of the policy")
    if len(roles.value_columns) > 1:
        raise BadPolicy(
            f"noise is about one sensitive column; pick one of {listed(roles.value_columns)} with --sensitive"
        )
    (sensitive,) = roles.value_columns
    declared = roles.domain_of(sensitive)
    if declared is None and sensitive in by:
        declared = by[sensitive].labels(find_sensitive_level(roles, sensitive))
        # empty text is a missing value, which is a value by default
        declared = tuple(text or None for text in declared if text or roles.missing in (None, "a value"))
    if declared is None:
        raise BadNoise(
            "the domain is not declared; list every sensitive value there could be, whether it occurs or not, with "
            "--domain, --domain-file, a hierarchy of that column, or in [roles] of the policy"
        )
    return (*declared, None) if roles.missing == "a value" else declared


def find_sensitive_level(roles: Roles, sensitive: str) -> int:
    """Return the level at which a sensitive column is counted."""
    level = roles.sensitive_level
    return int(level.get(sensitive, 0) if isinstance(level, Mapping) else level or 0)


def source_of(file: str, roles: Roles, settings: Settings) -> str | SparkFile:
    """Return the source of a file: its name, or the same file in Spark."""
    if settings.engine != "spark":
        if settings.master is not None:
            raise BadPolicy(
                f"{parameter('master')} is about Spark; add {parameter('engine', 'spark')}, or leave it out"
            )
        require_columns(file, roles)
        return file
    if not roles.quasi or roles.sensitive is None:
        raise BadPolicy("which columns? name them with --group and --sensitive, or in [roles] of the policy")
    return spark_file(file, roles, settings.master)


def list_inputs(request: Request) -> Iterator[Path]:
    """Yield the files on this machine that a request reads, and that nothing may overwrite."""
    if request.settings.engine == "spark":
        yield from (path for path in map(Path, request.files) if path.exists())
    else:
        named = [getattr(request, name) or () for name in request.tables]
        yield from inputs_of(*chain.from_iterable(map(as_names, named)))
    for file in request.ledgers:
        yield from sl.Ledger(Path(file)).files
    if request.hierarchies is not None:
        yield from hierarchy_files(request.hierarchies)
    yield from request.question.files
    if request.settings.roles_file is not None:
        yield request.settings.roles_file


def find_single_file(file: str) -> tuple[Path, ...]:
    """Return the path if `file` is a single file: standard input has no digest."""
    paths = tuple(files_of(file))
    return tuple(path for path in paths if path.is_file()) if len(paths) == 1 else ()


def require_columns(file: str, roles: Roles) -> None:
    """Raise `BadPolicy` for roles without quasi-identifiers or a sensitive column, with the columns of the file."""
    if roles.quasi and roles.sensitive is not None:
        return
    options = {"--group": roles.quasi or None, "--sensitive": roles.sensitive}
    unnamed = " and ".join(option for option, column in options.items() if column is None)
    columns = columns_in_words(file, roles)
    raise BadPolicy(f"which columns? name them with {unnamed}, or in [roles] of the policy; {file} has: {columns}")


def inputs_of(*files: str) -> Iterator[Path]:
    """Yield the paths that reading published files takes: also sidecars, and the files that they name.

    A folder of parts is one published file, with a sidecar beside it.
    """
    paths = [path for file in files for path in files_of(file)]
    yield from paths
    for path in (*filter(Path.is_dir, map(Path, files)), *paths):
        if noise_path(path).is_file():
            yield noise_path(path)
        if sidecar_path(path).is_file():
            yield sidecar_path(path)
            yield from (path.with_name(part.name) for part in read_sidecar(path).files)


def _as_published(document: Sidecar, roles: Roles) -> bool:
    """Return whether roles are those of the sidecar, or have fewer columns."""
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
    if len(kept) in (0, len(release.groups.columns)):  # none: they are the columns of the people of anatomy
        return release
    return reduce_to_printed(replace(release, groups=replace(release.groups, columns=kept)))
