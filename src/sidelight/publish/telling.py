"""What the sidecar tells of a release that was found: plain data, witnesses reduced to what is printed."""

from __future__ import annotations

import datetime as dt
import math
import platform
from dataclasses import fields
from importlib.metadata import version

from sidelight import __version__
from sidelight.measures.criterion import Judgement
from sidelight.policy.policy import Verdict
from sidelight.policy.policy_file import Roles
from sidelight.policy.writing import policy_text, settings
from sidelight.publish.sidecar import HierarchyFacts, People, PublishedFile, PublishedFinding, Reading, Search, Sidecar
from sidelight.release.release import Release
from sidelight.report.making import bound_of, number, plain, release_facts
from sidelight.report.report import Plain
from sidelight.search.found import Found
from sidelight.search.method import Method
from sidelight.table.table import Table

SEEDED = "the order of the rows was drawn with a seed, for a test: whoever knows the seed learns the order before it"

TOLD_BY_THE_RELEASE = ("discernibility", "average group size", "suppressed")
"""Utilities that anybody can compute from what is published."""


def sidecar_of(
    found: Found,
    release: Release,
    verdict: Verdict,
    *,
    files: tuple[PublishedFile, ...],
    reading: Reading,
    who: Reading | None,
    seeded: bool,
) -> Sidecar:
    """Tell of a search and of what was read back, `release`, with the verdict on that."""
    table = found.outcome.recoding.table
    return Sidecar(
        files=files,
        reading=reading,
        who=who,
        release=release_facts(release),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        policy=_policy(found, table),
        hierarchies=tuple(
            HierarchyFacts(column=name, levels=hierarchy.height)
            for name, hierarchy in sorted(found.hierarchies.items())
        ),
        findings=tuple(_finding(each) for each in verdict.judgements),
        people=People(
            rows_in=table.intake.rows,
            people_in=table.people,
            people_out=release.size,
            suppressed=found.suppressed,
        ),
        utility={name: _worth(name, worth) for name, worth in found.utility.items()},
        search=_search(found),
        versions=_versions(),
        warnings=(*((SEEDED,) if seeded else ()), *found.warnings),
    )


def _finding(judgement: Judgement) -> PublishedFinding:
    criterion, finding = judgement.criterion, judgement.finding
    measure, witness = criterion.measure, finding.witness
    return PublishedFinding(
        measure=measure.name,
        settings={name: plain(value) for name, value in settings(measure).items()},
        said=str(measure),
        wanted=bound_of(criterion),
        found=number(finding.value, large_is_bad=measure.large_is_bad),
        holds=judgement.holds,
        group=None if witness is None else dict(witness.group.says),
        value=None if witness is None else witness.value,
        notes=finding.notes,
    )


def _policy(found: Found, table: Table) -> str:
    """Write the policy and how the table was read; not its domain, which may name values that are suppressed."""
    names = tuple(column.name for column in table.quasi)
    said = {"quasi": names, "sensitive": table.sensitive, "values": table.semantics, **table.intake.roles}
    return policy_text(found.policy, Roles.model_validate(said))


def _worth(name: str, worth: float) -> float | None:
    """Say what a release is worth; what was computed with the table only roughly, so that guesses cannot be tried."""
    if not math.isfinite(worth):
        return None
    return worth if name in TOLD_BY_THE_RELEASE else float(f"{worth:.3g}")


def _search(found: Found) -> Search:
    return Search(
        method=found.method.name,
        options=_options(found.method),
        levels=dict(found.levels),
        minimal=tuple(dict(levels) for levels in found.minimal),
        checked=found.checked,
        complete=found.complete,
    )


def _options(method: Method) -> Plain:
    shown = (each.name for each in fields(method) if each.repr)  # type: ignore[arg-type]
    return {name: plain(getattr(method, name)) for name in shown}


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "duckdb", "pyarrow")}
    return {"sidelight": __version__, "python": platform.python_version(), **others}
