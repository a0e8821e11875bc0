"""What do several releases give away together about these people?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

import sidelight as sl
from sidelight.answers.recipe import Name, write_call, write_python, write_release
from sidelight.answers.sources import PeopleLookup, inputs_of, open_release_or_noise
from sidelight.arrays import Integers
from sidelight.attack.report import (
    REPORTED_CONFIDENCES,
    at_least,
    document,
    nobody_located,
    percent,
    sentences,
    witness_document,
)
from sidelight.attack.targets import ExpectedCounts, release_of
from sidelight.errors import BadMeasure, BadRelease, listed
from sidelight.files import noise_path, real_path
from sidelight.measures.criterion import exact
from sidelight.policy.limits import read_number, read_share
from sidelight.release.groups import suppressed_groups
from sidelight.release.locate import Lookup, link
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Grid, Paragraph, Verdict
from sidelight.report.plots import Drawing
from sidelight.rounding import ROUNDED
from sidelight.table.labels import Column, Label
from sidelight.table.roles import Roles
from sidelight.text import counted, form


@dataclass(frozen=True, slots=True)
class AttackRequest:
    """Which releases, about whom, and what the attacker knows and believes."""

    releases: tuple[str, ...]
    roles: Roles
    lookup: PeopleLookup = field(default_factory=PeopleLookup)
    people: str | None = None
    person: str | None = None
    truth: str | None = None
    who: str | None = None
    prior: Literal["pooled", "uniform"] = "pooled"
    present: tuple[str, ...] = ()
    evidence: Literal["shared", "independent", "sets"] = "shared"
    same_value: tuple[str, ...] = ()
    at_most: str | None = None
    unlocated: Literal["open", "ignore"] = "open"

    @property
    def limit(self) -> Fraction | None:
        """The share of people that may be given away."""
        share = None if self.at_most is None else read_share(self.at_most)
        if share is None and self.at_most is not None:
            message = f"cannot read --at-most {self.at_most}; give a share of the people, such as 0.01 or 1/100"
            raise BadMeasure(message)
        return share

    @property
    def same_values(self) -> dict[str, str] | None:
        """Values that are called differently; '=' alone says that equal words, and no others, mean the same."""
        same = {}
        for text in self.same_value:
            one, equals, other = text.partition("=")
            if not equals or bool(one) != bool(other):
                message = (
                    f"cannot read --same-value '{text}'; write it as 'Influenza=Flu', or '=' if no others are the same"
                )
                raise BadRelease(message)
            if one:
                same[one] = other
        return same if self.same_value else None

    @property
    def presence(self) -> list[str | Fraction] | str | Fraction | None:
        """Who is in which release: a number is a probability, everything else names a column."""
        present = [_read_probability(text) for text in self.present]
        return present if len(present) > 1 else present[0] if present else None

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        people = () if self.people is None else (self.people,)
        return (*inputs_of(*self.releases, *people), *self.lookup.files())

    def check(self) -> None:
        """Raise what is wrong with the request itself, before any file is read."""
        _ = self.limit
        if self.people is None:
            message = "missing option '--people', or --as for one file; see 'sidelight attack --help'"
            raise BadMeasure(message)
        # A release tells nothing more when it is read twice, and would be believed twice as much.
        places = [real_path(Path(file)) for file in self.releases]
        for index, file in enumerate(self.releases):
            if places[index] in places[:index]:
                message = f"{file} is listed twice; list each release once"
                raise BadRelease(message)

    def settings(self) -> dict[str, Any]:
        """Return the settings of `intersect` that are said otherwise than by default, besides the hierarchies."""
        settings = {
            "people": self.people,
            "quasi": self.roles.quasi or None,
            "person": self.person,
            "truth": self.truth,
            "locate": self.lookup.locate,
            "suppressed": self.lookup.suppressed,
            "prior": self.prior,
            "present": self.presence,
            "evidence": self.evidence,
            "same_values": self.same_values,
            "missing_marks": self.roles.missing_marks,
            "split": self.roles.split,
            "encoding": self.roles.encoding,
            "sheet": self.roles.sheet,
        }
        defaults = {"prior": "pooled", "evidence": "shared", "missing_marks": ()}
        return {name: each for name, each in settings.items() if each != defaults.get(name)}

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        names = [f"release_{number}" for number in range(1, len(self.releases) + 1)]
        reads = [
            f"{name} = {_write_reading(file, self.roles)}" for name, file in zip(names, self.releases, strict=True)
        ]
        by = None
        if self.lookup.folder is not None:
            reads.append(f"hierarchies = {write_call('sl.read_hierarchies', str(self.lookup.folder))}")
            by = Name("hierarchies")
        call = write_call("sl.intersect", Name(f"[{', '.join(names)}]"), by=by, **self.settings())
        return write_python(*reads, f"exposure = {call}", "print(exposure.to_arrow())")


def _write_reading(file: str, roles: Roles) -> str:
    if noise_path(Path(file)).is_file():
        return f"{write_call('sl.read_noise', file)}.expected_counts()"
    return write_release(file, roles)


def _read_probability(text: str) -> str | Fraction:
    try:
        return Fraction(exact(read_number(text)))
    except (ValueError, OverflowError):
        return text


class AttackAnswer(Answer[dict[str, Any]]):
    """What releases give away together, whether few enough people are given away, and what is left open."""

    question: ClassVar[str] = "What do these releases give away together?"

    exposure: Live[sl.Exposure]
    witness: Live[sl.ExposureWitness | None]
    judged: Live[Verdict | None]
    hints: Live[tuple[str, ...]]  # what would locate people who were not located, and how it was judged

    @property
    def verdict(self) -> Verdict | None:
        """Whether few enough people are given away; nothing is within a limit where a release has nobody."""
        if self.exposure.releases_without_people and self.judged != "not within":
            return "could not tell"
        return self.judged

    def open_in_words(self) -> str:
        """Return why it was not computed."""
        return f"could not tell: {' '.join((*nobody_located(self.exposure), *self.hints))}"

    def charts(self) -> Iterator[Drawing]:
        """Yield how many values are left, and how sure somebody gets."""
        yield self.exposure.plot("values left")
        yield self.exposure.plot("belief")

    def blocks(self) -> Blocks:
        """Yield who was located, the releases, what is given away, and what gives one person away."""
        exposure, nobody = self.exposure, len(list(nobody_located(self.exposure)))
        said = [Paragraph(text, "answer" if index == 0 else "plain") for index, text in enumerate(self.notes)]
        yield from said[:nobody]
        yield self._releases()
        if exposure.located:
            yield _breaches(exposure)
        yield from said[nobody:]
        yield Paragraph(ROUNDED)
        if self.witness is not None:
            yield Paragraph("\n" + self.witness.explain())

    def _releases(self) -> Grid:
        exposure = self.exposure
        headings = ("release", "groups", "smallest", "people around one", "not located", "in several groups")
        rows = tuple(
            (
                Path(file).name + ("" if view.rules_out else " (noise)"),
                f"{len(view.groups):,}",
                f"{exposure.smallest_groups[index]:,}",
                at_least(exposure.mean_group_sizes[index]),
                f"{exposure.unlocated[index]:,}",
                f"{exposure.ambiguous[index]:,}",
            )
            for index, (file, view) in enumerate(zip(self.source or (), exposure.views, strict=True))
        )
        return Grid(headings, rows, figures=frozenset(range(1, len(headings))))


def _breaches(exposure: sl.Exposure) -> Grid:
    """Return how many people's values are told how surely."""
    confidences = REPORTED_CONFIDENCES
    headings = ("of located people", *("certain" if each == 1 else f"≥ {each}" for each in confidences))
    rows = []
    if exposure.semantics == "single":
        left = f"by the values that are left{', at least' if exposure.is_lower_bound else ''}"
        rows.append((left, *(percent(exposure.partial(each)) for each in confidences)))
    # no bound either way where counts are tied
    likely = f"by how likely they are{', one person at a time' if exposure.is_lower_bound else ''}"
    rows.append((likely, *(percent(exposure.sure(each)) for each in confidences)))
    return Grid(headings, tuple(rows), figures=frozenset(range(1, len(headings))))


def ask(request: AttackRequest) -> AttackAnswer:
    """Read the releases, intersect them, and judge."""
    request.check()
    several = request.roles.values in {"set", "multiset"} and request.roles.split is None
    # Only where people may have several values, the releases need the column that says whose row it is.
    roles = replace(request.roles, person=request.person) if several and request.roles.person is None else request.roles
    releases = [_open(file, roles) for file in request.releases]
    by = request.lookup.by()
    exposure = sl.intersect(releases, by=by, **request.settings())
    witness = None if request.who is None else exposure.witness(request.who)
    judged, notes = judge(exposure, request.limit, ignore=request.unlocated == "ignore")
    hints = (*_unplaced_hints(request, releases, exposure, by or {}), *notes)
    answer = document(exposure)
    if witness is not None:
        answer["witness"] = witness_document(witness)
    return AttackAnswer(
        kind="attack",
        schema_version=3,
        source=request.releases,
        answer=answer,
        notes=(*sentences(exposure), *hints),
        exposure=exposure,
        witness=witness,
        judged=judged,
        hints=hints,
    )


def _open(file: str, roles: Roles) -> sl.Release | ExpectedCounts:
    published = open_release_or_noise(file, roles)
    return published if isinstance(published, sl.Release) else published.expected_counts()


def judge(
    exposure: sl.Exposure, limit: Fraction | None, *, ignore: bool = False
) -> tuple[Verdict | None, tuple[str, ...]]:
    """Judge by those who are given away; whoever is open, or not located, or tied to others may be one of them."""
    if limit is None:
        return None, ()
    left_out = exposure.not_located if ignore else 0
    judged = exposure.judged(located_alone=ignore)
    left = f"{counted(left_out, 'person')} who {form('was', left_out)} not located {form('is', left_out)} left out"
    notes = [f"{left}; {judged:,} {form('is', judged)} judged."] if left_out else []
    within = exposure.within(limit, located_alone=ignore)
    if within and exposure.is_lower_bound:
        notes.append("Judged by candidate sets, as --evidence sets accepts: a lower bound, and more may be disclosed.")
    if within is not None:
        return "within" if within else "not within", tuple(notes)
    if not judged:
        notes.append("Nobody was judged: none of the people looked for can be in a release.")
        return "could not tell", tuple(notes)
    remedies = []
    if exposure.is_lower_bound and exposure.evidence != "sets":
        remedies.append("; --evidence sets judges by candidate sets, a lower bound where releases share people")
    if exposure.not_located and not ignore:
        remedies.append("; --unlocated ignore judges the others alone")
    undecided = f"{exposure.undecided(located_alone=ignore):,} of {counted(judged, 'person')} are open"
    return "could not tell", (*notes, f"{undecided}: they may be given away as well{''.join(remedies)}.")


# What would place people who fit no group: nothing that was given already.


def _unplaced_hints(
    request: AttackRequest,
    releases: Sequence[sl.Release | ExpectedCounts],
    exposure: sl.Exposure,
    by: Mapping[str, sl.Hierarchy],
) -> Iterator[str]:
    """Yield of each release how many people fit no group of it, in which columns, and what would place them."""
    lookup = Lookup.build(by, request.lookup.locate, request.lookup.suppressed)
    for file, release, view in zip(request.releases, map(release_of, releases), exposure.views, strict=True):
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
        remedies = [*_remedies(request.lookup, release, columns, by)]
        if not remedies and request.lookup.locate is None and release.printing is None:
            remedies.append("say --locate nearest if groups print averages")
        unknown = [
            name
            for name in columns
            if name in by and any(not by[name].has(text) for text in _labels(exposure.people.column(name), rows))
        ]
        if unknown:
            remedies.insert(0, f"add the values that the hierarchy of {listed(unknown)} lacks")
        total = int(people.sum())
        unlocated = f"{counted(total, 'person')} {form('is', total)} not located in {Path(file).name}"
        yield f"{unlocated}: {where}{'; ' if remedies else ''}{' or '.join(remedies)}."


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
