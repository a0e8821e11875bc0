"""Fill the sidecar: what is told of a search, of its release as it was read back, and of the verdict on that."""

from __future__ import annotations

import datetime as dt
import math
import platform
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from sidelight import __version__
from sidelight.documents.document import (
    finding_facts,
    joint_column_notes,
    number,
    people_counts,
    plain,
    reader_facts,
    release_facts,
)
from sidelight.engines.files import files_of
from sidelight.files import digest
from sidelight.measures.criterion import Criterion, Judgement
from sidelight.policy.policy import Policy, Verdict, policy_text
from sidelight.publish.sidecar import (
    HierarchyFacts,
    PopulationFacts,
    PublishedFile,
    PublishedFinding,
    Reading,
    ResistanceFacts,
    SearchFacts,
    Sidecar,
)
from sidelight.release.locate import covers_to_tell
from sidelight.release.population import Population
from sidelight.release.printed_labels import Printing
from sidelight.release.release import Release
from sidelight.search.method import SearchResult
from sidelight.search.utility import OF_VALUES
from sidelight.table.labels import Label
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.engines.streamed_table import AnyTable


SEEDED = "the order of the rows was drawn with a seed, for a test: whoever knows the seed learns the order before it"
KEPT_BACK = (
    "how the release was made is kept back; its own shape tells most of it, so nobody is protected by that from "
    "somebody who guesses"
)


def build_sidecar(
    result: SearchResult,
    release: Release,
    verdict: Verdict,
    *,
    files: tuple[PublishedFile, ...],
    reading: Reading,
    who: Reading | None,
    seeded: bool,
    private_hierarchies: bool = False,
    quiet_method: bool = False,
) -> Sidecar:
    """Build the sidecar of a search and of `release`, as it was read back, with the verdict on it."""
    table = result.outcome.recoding.table
    kinds = {name: kind for name, kind in result.kinds.items() if name in reading.group}
    covered = {} if private_hierarchies else _find_covers(release, result.release.printing)
    return Sidecar(
        files=files,
        reading=reading.model_copy(update={"kinds": kinds}),
        who=who,
        kept=() if table.carried is None else table.carried.names,
        release=release_facts(release),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        policy=_policy_text(result, table),
        hierarchies=tuple(
            HierarchyFacts(column=name, levels=hierarchy.height, covers=covered.get(name, {}))
            for name, hierarchy in sorted(result.hierarchies.items())
        ),
        populations=tuple(_population_facts(each, reading.group) for each in result.policy.registers),
        findings=tuple(published_finding(each) for each in verdict.judgements),
        people=people_counts(result, release),
        utility={name: _round_worth(name, result.utility[name]) for name in result.utility if name not in OF_VALUES},
        search=_search_facts(result, quiet=quiet_method),
        readers=tuple(
            reader_facts(each.for_readers())
            for each in result.readers
            if not quiet_method or not each.attacker.knows_method  # what such a one reaches tells how it was made
        ),
        versions={
            "sidelight": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "duckdb", "pyarrow")},
        },
        warnings=(
            *([SEEDED] if seeded else ()),
            *([KEPT_BACK] if quiet_method else ()),
            *result.warnings,
            *joint_column_notes(release, verdict.judgements),
        ),
    )


def _find_covers(release: Release, printing: Printing | None) -> dict[str, dict[str, tuple[Label, ...]]]:
    """Return what printed labels cover, by column: what the hierarchy has, whether or not it occurs."""
    nodes = {} if printing is None else printing.nodes
    columns = (column for column in release.groups.columns if column.name in nodes)
    return {column.name: covers_to_tell(column.labels, nodes[column.name]) for column in columns}


def published_finding(judgement: Judgement) -> PublishedFinding:
    """Write what a criterion found, with nothing that the release does not print."""
    criterion, finding = strip_folder(judgement.criterion), judgement.finding
    measure, witness = criterion.measure, finding.witness
    return PublishedFinding(
        **finding_facts(measure, finding.value, criterion).shared(),
        holds=judgement.holds,
        group=None if witness is None else dict(witness.group.printed),
        value=None if witness is None else witness.value,
        notes=finding.notes,
    )


def strip_folder(criterion: Criterion) -> Criterion:
    """Return a criterion that names its population by its file alone: the publisher's folders are private."""
    register = criterion.measure.register
    if register is None or register.place is None:
        return criterion
    return replace(criterion, measure=criterion.measure.compare_with(Population(Path(register.place).name)))


def _population_facts(population: Population, columns: Sequence[str]) -> PopulationFacts:
    if population.place is None:
        return PopulationFacts(name=None, sha256=None, people=population.people(columns))
    files = files_of(population.place)
    sha256 = digest(files[0]) if len(files) == 1 else None
    return PopulationFacts(name=Path(population.place).name, sha256=sha256, people=population.people(columns))


def _policy_text(result: SearchResult, table: AnyTable) -> str:
    """Write the policy and how the table was read; not its domain, which may name values that are suppressed."""
    names = tuple(column.name for column in table.quasi)
    columns = Roles(quasi=names, sensitive=table.sensitive_columns, values=table.semantics)
    policy = Policy(*map(strip_folder, result.policy.criteria))
    return policy_text(policy, replace(columns, **table.intake.roles).stated())


def _round_worth(name: str, worth: float) -> float | None:
    """Return what a release is worth: to three digits, unless it is public, so that guesses cannot be tested."""
    if not math.isfinite(worth):
        return None
    public = name in ("discernibility", "average group size", "suppressed")
    # three digits: an exact value would let a reader test guesses about the table against it
    return worth if public else float(f"{worth:.3g}")


def _search_facts(result: SearchResult, *, quiet: bool) -> SearchFacts:
    if quiet:
        return SearchFacts(method=None, options={}, levels={}, complete=True)
    method, resistance = result.method, result.resistance
    options = (each.name for each in fields(method) if each.repr)  # type: ignore[arg-type]
    belief = None if resistance is None else resistance.belief
    return SearchFacts(
        method=method.name,
        options={name: plain(getattr(method, name)) for name in options},
        levels=dict(result.levels),
        utility=result.chosen_by,
        averages=method.prints_averages,
        complete=result.complete,
        resistance=None
        if resistance is None
        else ResistanceFacts(
            reader=resistance.reader, belief=None if belief is None else number(belief, large_is_bad=True)
        ),
    )
