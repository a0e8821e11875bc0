"""Who is exposed by a release and another one about the same people, and which coarser release would pass?

Everything that is counted is counted by `attack.intersect`: of both releases together, and of each alone.  What would
pass is found by making columns of the table coarser one level at a time, each time that which gives away the fewest
people; where the other release alone gives away too many, nothing would.

*Invariant: no row of a person.*  Whoever is worst off is told by what both releases print of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
from markupsafe import Markup

from sidelight.attack.exposure import Exposure
from sidelight.attack.intersection import intersect
from sidelight.attack.report import percent, sentences
from sidelight.documents.document import DocumentPart
from sidelight.engines.files import columns_of
from sidelight.errors import BadTable, SidelightError
from sidelight.progress import Progress
from sidelight.publish.read_back import read_published
from sidelight.release.generalise import generalise
from sidelight.release.locate import LocateMethod
from sidelight.release.read import release_from
from sidelight.release.release import Release
from sidelight.report.plots import picture_of
from sidelight.report.render import html_block
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import shown_in_list
from sidelight.table.roles import Roles
from sidelight.table.table import Table
from sidelight.text import counted
from sidelight.web.state import State
from sidelight.web.uploads import Upload
from sidelight.web.workspace import Workspace


class CoarserRelease(DocumentPart):
    """How many people are given away if this release prints these levels; `passes`: few enough, by candidate sets."""

    levels: dict[str, int]
    given_away: int
    holds: bool | None
    passes: bool


class ExposureAnswer(DocumentPart):
    """Who is exposed, and how."""

    name: str
    people: int
    given_away: int
    at_least: bool
    alone: int
    by_the_other_alone: int
    open: int
    sentence: str
    holds: bool | None
    witness: str
    coarser: tuple[CoarserRelease, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DrawnExposure:
    """An answer, and its pictures as they stand in a page; they are drawn when somebody looks."""

    answer: ExposureAnswer
    exposure: Exposure
    state: State
    beside: Beside

    @cached_property
    def pictures(self) -> tuple[Markup, ...]:
        """How many values are left, and how sure somebody gets; nothing without the extra `plot`."""
        try:
            charts = (self.exposure.plot("values left"), self.exposure.plot("belief"))
            return tuple(html_block(picture_of(each)) for each in charts)
        except SidelightError:
            return ()


@dataclass(frozen=True, slots=True)
class Beside:
    """What is looked at beside a release: another one, whom somebody looks for in both, and how."""

    other: Upload
    people: Upload | None  # None: those of the table
    roles: Roles  # of the other release, where no sidecar tells them
    present: Fraction
    at_most: Fraction
    locate: LocateMethod | None
    same_values: tuple[tuple[str, str], ...] | None = None  # None: nobody said so

    @property
    def question(self) -> tuple[object, ...]:
        """Tell it from others."""
        people = None if self.people is None else self.people.key
        columns = (self.roles.quasi, self.roles.value_columns)
        return self.at_most, self.other.key, people, columns, self.present, self.locate, self.same_values

    @property
    def attack(self) -> tuple[object, ...]:
        """Tell it from others, however many may be given away."""
        return self.question[1:]


LANE = "other releases"


def question_of(state: State, beside: Beside) -> tuple[object, ...]:
    """Return what is looked for from whatever else takes long."""
    return LANE, state.subject, beside.question


def tried_on(workspace: Workspace, state: State) -> tuple[DrawnExposure, ...]:
    """Return what was tried on this release and no other, as long as the page remembers it, in the order of trying."""
    ended: list[DrawnExposure] = [each.answer for each in workspace.jobs.ended_in(LANE)]
    tried = (each for each in reversed(ended) if each.state.subject == state.subject)
    return tuple({each.beside.attack: each for each in tried}.values())


def text_reading(roles: Roles) -> Roles:
    """Keep of the roles how texts are read; whose row it is, each file says itself."""
    return Roles(missing_marks=roles.missing_marks, missing=roles.missing)


@dataclass(frozen=True)
class TwoReleases:
    """The release that is looked at, the one beside it, and whom somebody looks for in both."""

    state: State
    beside: Beside
    release: Release  # about one sensitive column
    other: Release
    name: str  # of the release
    known: tuple[str, ...]  # what is known of people, of all that either release prints
    people: object  # a table, or the place of a file
    table: Table | None  # from which coarser releases are made
    hierarchies: Mapping[str, Hierarchy]  # of the table
    by: Mapping[str, Hierarchy]  # as they were given

    @classmethod
    def gather(cls, workspace: Workspace, state: State, beside: Beside) -> TwoReleases:
        """Read both releases and the people."""
        source, other, people = workspace.source, beside.other, beside.people
        release = _about_one(workspace.release(state), state)
        other_release = read_published(other.path) if other.sidecar else release_from(str(other.path), beside.roles)
        names = workspace.column_names if people is None else columns_of(people.path, text_reading(source.roles))
        known = tuple(name for name in _printed(release, other_release) if name in names)
        searched = source.read_table is not None
        return cls(
            state=state,
            beside=beside,
            release=release,
            other=other_release,
            name=source.title or Path(source.name).name,
            known=known,
            people=_people_of_table(workspace, state, known) if people is None else str(people.path),
            table=workspace.table(state) if searched else None,
            hierarchies=workspace.hierarchies(state) if searched else {},
            by=dict(source.hierarchies),
        )

    def exposed(self, progress: Progress) -> DrawnExposure:
        """Intersect, count, and look for what would pass."""
        progress("releases", 0, None)
        together = self._attacked(self.release)
        own, others = self._attacked(self.release, (1, 0)), self._attacked(self.release, (0, 1))
        holds = together.within(self.beside.at_most)
        too_many = holds is False and others.within(self.beside.at_most) is not False
        coarser = tuple(self._climb(progress)) if too_many else ()
        apart = (
            f"this one gives away {own.given_away_in_words} and {self.beside.other.name} {others.given_away_in_words}"
        )
        answer = ExposureAnswer(
            name=self.beside.other.name,
            people=together.located,
            given_away=together.given_away,
            at_least=together.is_lower_bound,
            alone=own.given_away,
            by_the_other_alone=others.given_away,
            open=_count_open(together),
            sentence=self._sentence(together, apart),
            holds=holds,
            witness=worst_off(together),
            coarser=coarser,
            notes=tuple(self._notes(together)),
        )
        return DrawnExposure(answer, together, self.state, self.beside)

    def _attacked(self, release: Release, present: tuple[int, int] = (1, 1)) -> Exposure:
        """Look for people in a release and the other one; `present` 0 says that nobody is in one of them."""
        beside, truth = self.beside, self.release.sensitive_columns[0]
        has_truth = beside.people is not None and truth in columns_of(beside.people.path)
        return intersect(
            [release, self.other],
            people=self.people,
            quasi=self.known if beside.people is not None else None,
            truth=truth if has_truth else None,
            by=dict(self.by) or None,
            locate=beside.locate,
            present=[Fraction(present[0]), present[1] * beside.present],
            same_values=None if beside.same_values is None else dict(beside.same_values),
        )

    def _climb(self, progress: Progress) -> Iterator[CoarserRelease]:
        """Make columns coarser one level at a time until few enough are given away, by candidate sets if need be."""
        table, hierarchies = self.table, self.hierarchies
        if table is None:
            return
        levels, tried = dict.fromkeys(hierarchies, 0) | dict(self.state.levels), 0
        while True:
            steps = []
            for name, hierarchy in hierarchies.items():
                if levels[name] + 1 < hierarchy.height:
                    above = {**levels, name: levels[name] + 1}
                    exposure = self._attacked(_about_one(generalise(table, by=hierarchies, to=above), self.state))
                    steps.append((exposure.perfect, exposure.open, tried, above, exposure))
                    tried += 1
                    progress("coarser releases", tried, None)
            if not steps:
                return
            *_, levels, exposure = min(steps, key=lambda step: step[:3])
            passes = replace(exposure, evidence="sets").within(self.beside.at_most) is True
            yield CoarserRelease(
                levels={name: level for name, level in levels.items() if level},
                given_away=exposure.given_away,
                holds=exposure.within(self.beside.at_most),
                passes=passes,
            )
            if passes:
                return

    def _sentence(self, together: Exposure, apart: str) -> str:
        still_open = _count_open(together)
        what = "the value" if together.semantics == "single" else "some value"
        share = f" ({percent(together.perfect)})" if together.given_away else ""
        unknown = f" Of {counted(still_open, 'person')} nobody can tell." if still_open else ""
        whom = f"{together.given_away_in_words} of {counted(together.located, 'person')}{share}"
        return f"Together they give away {what} of {whom}; alone, {apart}.{unknown}"

    def _notes(self, together: Exposure) -> Iterator[str]:
        yield f"Release 1 is {self.name}, as it is looked at here; release 2 is {self.beside.other.name}."
        if len(self.state.sensitive) > 1:
            yield f"It is about {shown_in_list(self.state.sensitive[0])}, and no other sensitive column."
        yield from sentences(together)
        unknown = [shown_in_list(each) for each in _printed(self.release, self.other) if each not in self.known]
        if unknown:
            yield f"Nothing is known of people in {', '.join(unknown)}: nobody is looked for by that."


def _about_one(release: Release, state: State) -> Release:
    return release.about(state.sensitive[0]) if len(release.sensitive_columns) > 1 else release


def _printed(*releases: Release) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.name for each in releases for column in each.groups.columns))


def _people_of_table(workspace: Workspace, state: State, known: tuple[str, ...]) -> Table:
    """Read the people of the table, by what is known of them."""
    read, source = workspace.source.read_table, workspace.source
    if read is None:
        message = (
            f"{source.name} was published already, and says nothing of single people; drop a file of the people "
            "whom somebody looks for, with the columns that are known of them"
        )
        raise BadTable(message)
    roles = replace(workspace.roles(state), quasi=known, sensitive=state.sensitive[0])
    question = ("people", roles.quasi, roles.value_columns, roles.missing)
    return workspace.tables.of(question, lambda: read(roles))


def _count_open(exposure: Exposure) -> int:
    """Count the people who were not located, are contradicted, or would be given away if they are in both releases."""
    return replace(exposure, evidence="sets").undecided()


def worst_off(exposure: Exposure) -> str:
    """Tell of those who are worst off by what is printed of them, never by their own row."""
    certain = np.flatnonzero(exposure.certain)
    if len(certain):
        by_loss = np.lexsort((exposure.people.sizes[certain], exposure.values_lost[certain]))
        row = int(certain[by_loss[-1]])
    elif np.isnan(exposure.belief).all():
        return ""
    else:
        row = int(np.nanargmax(exposure.belief))
    alike, everybody = np.ones(len(exposure.people), bool), np.arange(len(exposure.people))
    for view in exposure.views:
        where = view.whereabouts(everybody)
        alike &= (where == where[row]) & (view.presence.codes == view.presence.codes[row])
    people = int(exposure.people.sizes[alike].sum())
    return replace(exposure.witness(row), cells=(), people=people).explain()
