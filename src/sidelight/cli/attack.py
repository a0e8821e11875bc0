"""`sidelight attack`: what do these files give away together about these people?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

import sidelight as sl
from sidelight.answers.sources import PeopleLookup, inputs_of, open_release_or_noise
from sidelight.arrays import Integers
from sidelight.attack.linkage import ExpectedCounts, release_of
from sidelight.attack.report import (
    REPORTED_CONFIDENCES,
    at_least,
    document,
    nobody_located,
    percent,
    sentences,
    witness_document,
)
from sidelight.cli.options import AttackerOptions
from sidelight.cli.run import Output, Status, say
from sidelight.documents.document import Envelope
from sidelight.errors import BadMeasure, BadRelease, listed
from sidelight.files import real_path
from sidelight.measures.criterion import exact
from sidelight.policy.settings import read_number, read_share
from sidelight.release.groups import suppressed_groups
from sidelight.release.locate import Lookup, link
from sidelight.rounding import ROUNDED
from sidelight.table.labels import Label
from sidelight.table.roles import Roles
from sidelight.table.table import Column
from sidelight.text import counted, form

SCHEMA_VERSION = 3
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """Which files, about whom, and what the attacker knows and believes."""

    files: tuple[str, ...]
    roles: Roles
    attacker: AttackerOptions
    lookup: PeopleLookup = field(default_factory=PeopleLookup)


def attack(request: AttackRequest, output: Output) -> Status:
    """Read, intersect, print, judge."""
    limit = _limit(request.attacker.at_most)
    if request.attacker.people is None:
        message = "missing option '--people', or --as for one file; see 'sidelight attack --help'"
        raise BadMeasure(message)
    _refuse_repeated(request.files)
    output.refuse((*inputs_of(*request.files, request.attacker.people), *request.lookup.files()))
    roles = replace(request.roles, person=_person_of_rows(request.roles, request.attacker))
    releases = [_read(file, roles) for file in request.files]
    exposure = expose(request, releases)
    witness = None if request.attacker.who is None else exposure.witness(request.attacker.who)
    verdict = None if limit is None else judge(exposure, limit, ignore=request.attacker.unlocated == "ignore")
    hints = (*unplaced(request, releases, exposure), *(verdict.notes if verdict else ()))
    output.write(
        envelope(exposure, witness, request.files, hints),
        draw(request, exposure, witness, hints),
        charts=lambda: (exposure.plot("values left"), exposure.plot("belief")),
    )
    status = Status.WITHIN_POLICY if verdict is None else verdict.status
    if exposure.releases_without_people and status is Status.WITHIN_POLICY:
        status = Status.COULD_NOT_TELL
    if status is Status.COULD_NOT_TELL:
        say(f"could not tell: {' '.join((*nobody_located(exposure), *hints))}")
    return status


def _read(file: str, roles: Roles) -> sl.Release | ExpectedCounts:
    published = open_release_or_noise(file, roles)
    return published if isinstance(published, sl.Release) else published.expected_counts()


def _limit(at_most: str | None) -> Fraction | None:
    """Read the share of people that may be given away."""
    if at_most is None:
        return None
    share = read_share(at_most)
    if share is None:
        message = f"cannot read --at-most {at_most}; give a share of the people, such as 0.01 or 1/100"
        raise BadMeasure(message)
    return share


def _refuse_repeated(files: Sequence[str]) -> None:
    """A release tells nothing more when it is read twice, and would be believed twice as much."""
    places = [real_path(Path(file)) for file in files]
    for at, file in enumerate(files):
        if places[at] in places[:at]:
            message = f"{file} is listed twice; list each release once"
            raise BadRelease(message)


def expose(request: AttackRequest, releases: Sequence[sl.Release | ExpectedCounts]) -> sl.Exposure:
    """Intersect releases."""
    roles, attacker = request.roles, request.attacker
    return sl.intersect(
        releases,
        people=attacker.people,
        quasi=roles.quasi or None,
        person=attacker.person,
        truth=attacker.truth,
        by=request.lookup.by(),
        locate=request.lookup.locate,
        suppressed=request.lookup.suppressed,
        prior=attacker.prior,
        present=_present(attacker.present),
        evidence=attacker.evidence,
        same_values=_same_values(attacker.same_value),
        missing_marks=roles.missing_marks,
        split=roles.split,
        encoding=roles.encoding,
        sheet=roles.sheet,
    )


def _person_of_rows(roles: Roles, attacker: AttackerOptions) -> str | None:
    """Name the column of the releases that says whose row it is: only where people may have several, it is needed."""
    several = roles.values in {"set", "multiset"} and roles.split is None
    return attacker.person if several and roles.person is None else roles.person


def _present(texts: Sequence[str]) -> list[str | Fraction] | str | Fraction | None:
    """Read who is in which release: a number is a probability, everything else names a column."""
    present = [_probability_or_column(text) for text in texts]
    return present if len(present) > 1 else present[0] if present else None


def _probability_or_column(text: str) -> str | Fraction:
    try:
        return Fraction(exact(read_number(text)))
    except (ValueError, OverflowError):
        return text


def _same_values(pairs: Sequence[str]) -> dict[str, str] | None:
    """Read 'Influenza=Flu'; '=' alone says that equal words, and no others, mean the same."""
    same = {}
    for text in pairs:
        one, equals, other = text.partition("=")
        if not equals or bool(one) != bool(other):
            message = (
                f"cannot read --same-value '{text}'; write it as 'Influenza=Flu', or '=' if no others are the same"
            )
            raise BadRelease(message)
        if one:
            same[one] = other
    return same if pairs else None


@dataclass(frozen=True, slots=True)
class ExposureVerdict:
    """Whether few enough people are given away, and what a reader has to know of how that was judged."""

    status: Status
    notes: tuple[str, ...] = ()


def judge(exposure: sl.Exposure, limit: Fraction, *, ignore: bool = False) -> ExposureVerdict:
    """Judge by those who are given away; whoever is open, or not located, or tied to others may be one of them."""
    left_out = exposure.not_located if ignore else 0
    judged = exposure.judged(located_alone=ignore)
    left = f"{counted(left_out, 'person')} who {form('was', left_out)} not located {form('is', left_out)} left out"
    notes = [f"{left}; {judged:,} {form('is', judged)} judged."] if left_out else []
    within = exposure.within(limit, located_alone=ignore)
    if within and exposure.is_lower_bound:
        notes.append("Judged by candidate sets, as --evidence sets accepts: a lower bound, and more may be disclosed.")
    if within is not None:
        return ExposureVerdict(Status.WITHIN_POLICY if within else Status.NOT_WITHIN_POLICY, tuple(notes))
    if not judged:
        notes.append("Nobody was judged: none of the people looked for can be in a release.")
        return ExposureVerdict(Status.COULD_NOT_TELL, tuple(notes))
    undecided = exposure.undecided(located_alone=ignore)
    remedies = []
    if exposure.is_lower_bound and exposure.evidence != "sets":
        remedies.append("--evidence sets judges by candidate sets, a lower bound where releases share people")
    if exposure.not_located and not ignore:
        remedies.append("--unlocated ignore judges the others alone")
    notes.append(
        f"{undecided:,} of {counted(judged, 'person')} are open: they may be given away as well"
        f"{'; ' if remedies else ''}{'; '.join(remedies)}."
    )
    return ExposureVerdict(Status.COULD_NOT_TELL, tuple(notes))


# What would place people who fit no group: nothing that was given already.


def unplaced(
    request: AttackRequest, releases: Sequence[sl.Release | ExpectedCounts], exposure: sl.Exposure
) -> tuple[str, ...]:
    """Say of each release how many people fit no group of it, in which columns, and what would place them."""
    by = request.lookup.by() or {}
    lookup = Lookup.build(by, request.lookup.locate, request.lookup.suppressed)
    hints = []
    for file, release, view in zip(request.files, map(release_of, releases), exposure.views, strict=True):
        rows = np.flatnonzero(view.missed)
        if len(rows) == 0:
            continue
        people = exposure.people.sizes[rows]
        failing = {}
        for column in exposure.people.known:
            alone = link(release, [column.take(rows)], len(rows), lookup)
            failing[column.name] = int(people[alone.nowhere].sum())
        columns = sorted((name for name, count in failing.items() if count), key=lambda name: -failing[name])
        where = (
            "no group covers their " + ", ".join(f"{name} ({failing[name]:,})" for name in columns[:3])
            if columns
            else "no group covers all of their columns at once"
        )
        unknown = [
            name
            for name in columns
            if name in by and any(not by[name].has(text) for text in _labels(exposure.people.column(name), rows))
        ]
        remedies = [*_remedies(request.lookup, release, columns, by)]
        if not remedies and request.lookup.locate is None and release.printing is None:
            remedies.append("say --locate nearest if groups print averages")
        if unknown:
            remedies.insert(0, f"add the values that the hierarchy of {listed(unknown)} lacks")
        remedy = f"; {' or '.join(remedies)}" if remedies else ""
        total = int(people.sum())
        unlocated = f"{counted(total, 'person')} {form('is', total)} not located in {Path(file).name}"
        hints.append(f"{unlocated}: {where}{remedy}.")
    return tuple(hints)


def _labels(column: Column | None, rows: Integers) -> set[Label]:
    return set() if column is None else {column.labels[code] for code in np.unique(column.codes[rows]).tolist()}


def _remedies(
    lookup: PeopleLookup, release: sl.Release, columns: Sequence[str], by: Mapping[str, sl.Hierarchy]
) -> Iterator[str]:
    explained = release.printing.nodes if release.printing is not None else {}
    bare = [name for name in columns if name not in by and name not in explained]
    if bare and lookup.folder is None:
        yield "give --hierarchies"
    elif bare:
        yield f"add a hierarchy of {listed(bare)} to --hierarchies"
    if lookup.locate == "labels":
        yield "say --locate intervals"
    if lookup.suppressed is None and suppressed_groups(release.groups).any():
        yield "say --suppressed 'may hold them'"


def envelope(
    exposure: sl.Exposure, witness: sl.ExposureWitness | None, files: tuple[str, ...], hints: Sequence[str]
) -> Envelope[Any]:
    """Put the figures, and what gives one person away, into a document."""
    answer = document(exposure)
    if witness is not None:
        answer["witness"] = witness_document(witness)
    notes = (*sentences(exposure), *hints)
    return Envelope(kind="attack", schema_version=SCHEMA_VERSION, source=files, answer=answer, notes=notes)


def draw(
    request: AttackRequest, exposure: sl.Exposure, witness: sl.ExposureWitness | None, hints: Sequence[str]
) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    first = list(nobody_located(exposure))
    for sentence in first:
        yield Text(sentence)
    yield _releases(request, exposure)
    if exposure.located:
        yield _breaches(exposure)
    for sentence in (*[*sentences(exposure)][len(first) :], *hints):
        yield Text(sentence)
    yield Text(ROUNDED)
    if witness is not None:
        yield Text("\n" + witness.explain())


def _releases(request: AttackRequest, exposure: sl.Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("release", "groups", "smallest", "people around one", "not located", "in several groups"):
        table.add_column(heading, justify="left" if heading == "release" else "right")
    for number, file in enumerate(request.files):
        table.add_row(
            Text(Path(file).name + ("" if exposure.views[number].rules_out else " (noise)")),
            f"{len(exposure.views[number].groups):,}",
            f"{exposure.smallest_groups[number]:,}",
            at_least(exposure.mean_group_sizes[number]),
            f"{exposure.unlocated[number]:,}",
            f"{exposure.ambiguous[number]:,}",
        )
    return table


def _breaches(exposure: sl.Exposure) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("of located people")
    for each in REPORTED_CONFIDENCES:
        table.add_column("certain" if each == 1 else f"≥ {each}", justify="right")
    if exposure.semantics == "single":
        shares = (percent(exposure.partial(each)) for each in REPORTED_CONFIDENCES)
        table.add_row("by the values that are left" + (", at least" if exposure.is_lower_bound else ""), *shares)
    apart = ", one person at a time" if exposure.is_lower_bound else ""  # no bound either way where counts are tied
    table.add_row(f"by how likely they are{apart}", *(percent(exposure.sure(each)) for each in REPORTED_CONFIDENCES))
    return table
