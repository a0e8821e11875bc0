"""Who is meant?  The people whom facts name, each identified with one group of a release.

An entity is a person of the facts: a name that the release knows, someone of a numbered group, or a description by
columns.  A description has to fit one group only (`release.locate` says which ones it fits).  People who are written
differently are different people, so what may be one person under two descriptions is refused rather than counted twice:
two entities of a group differ if in some column no label fits both descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import BadKnowledge, did_you_mean, in_python, parameter, shortened
from sidelight.errors import listed as listed_names
from sidelight.knowledge.facts import Described, Someone, Who, person_text
from sidelight.release.groups import suppressed_groups
from sidelight.release.locate import Lookup, link
from sidelight.release.printed_labels import Nodes, is_coarse, knows_label, may_be_of_one
from sidelight.table.labels import SUPPRESSED, Column, Label, shown
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.release.release import Release

GROUPS_NAMED = 3
"""The number of groups that an error names where a description does not fit one."""


@dataclass(frozen=True, slots=True)
class Entities:
    """The people of some facts, all of them different, and the group of each (its row in the arrays).

    `notes` say what was assumed to find them.
    """

    group_of: dict[Who, int]
    notes: tuple[str, ...] = ()

    def list_members(self, group: int) -> list[Who]:
        """Return the people of a group, in the order of mention."""
        return [who for who, its_group in self.group_of.items() if its_group == group]


def identify(release: Release, people: Iterable[Who], lookup: Lookup | None = None) -> Entities:
    """Return the group of everybody; people who are written differently are different people.

    >>> release = Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 1}], labels=[{"age": "20-29"}, {"age": "30"}])
    >>> identify(release, [Someone(1), Described.of({"age": 30})]).group_of
    {Someone(group=1, number=1): 0, Described(cells=(('age', '30'),)): 1}
    """
    lookup = lookup or Lookup()
    people = [*people]
    described = Descriptions(release, lookup).groups_of([who for who in people if isinstance(who, Described)])
    entities = Entities(
        {who: described[who][0] if isinstance(who, Described) else _group_of(release, who) for who in people},
        tuple(note for _, notes in described.values() for note in notes),
    )
    nodes = lookup.nodes(release)
    # group by group, once all are found: those in different groups are different people anyway
    for group in dict.fromkeys(entities.group_of.values()):
        members, size = entities.list_members(group), int(release.groups.sizes[group])
        beyond = [who for who in members if isinstance(who, Someone) and who.number > size]
        if beyond or len(members) > size:
            which = f"there is no {beyond[0]}" if beyond else f"the facts speak of {len(members):,} different ones"
            raise BadKnowledge(f"{release.groups.name(group)} has {counted(size, 'person')}; {which}")
        for who, other in product(members, members):
            if isinstance(who, Described) and other is not who and not _differ(who, other, nodes):
                raise BadKnowledge(
                    f"{shortened(str(who))} and {shortened(person_text(other))} may be the same person of "
                    f"{release.groups.name(group)}; write #{group + 1}.1 and #{group + 1}.2 for two people of it"
                )
    return entities


def _group_of(release: Release, who: str | Someone) -> int:
    if isinstance(who, Someone):
        if who.group > len(release):
            raise BadKnowledge(f"no group {who.group} in the release; they are numbered 1 to {len(release)}")
        return who.group - 1
    if release.people is None or who not in release.people:
        raise BadKnowledge(_unknown_name(release, who))
    return release.people[who]


def _unknown_name(release: Release, name: str) -> str:
    numbered = re.fullmatch(r"#([0-9]+)(?:\.([0-9]+))?", name)
    if numbered:  # a name in Python, someone of a group in a text
        someone = ", ".join(number for number in numbered.groups() if number)
        return f"nobody in the release is called '{name}'; in Python, someone in a group is sl.Someone({someone})"
    if release.people is None:
        return (
            f"the release names nobody, so '{shortened(name)}' cannot be found in it; write #3 for someone in group "
            "3, describe the person as {column = cell}, or say which column has the names with "
            f"{parameter('person')}{in_python(', with keep_people=True as well')}"
        )
    return f"nobody in the release is called '{shortened(name)}'; check the spelling, or put odd names into quotes"


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Describes people by columns, and finds the one group that each of them fits."""

    release: Release
    lookup: Lookup

    def groups_of(self, people: Sequence[Described]) -> dict[Described, tuple[int, list[str]]]:
        """Return the group of each, with notes on assumptions; people with the same columns are looked up together."""
        by_columns: dict[tuple[str, ...], list[Described]] = {}
        for who in people:
            by_columns.setdefault(tuple(column for column, _ in who.cells), []).append(who)
        return {who: located for alike in by_columns.values() for who, located in self._look_up(alike)}

    def _look_up(self, people: list[Described]) -> Iterator[tuple[Described, tuple[int, list[str]]]]:
        names = [column for column, _ in people[0].cells]
        wrong = next((name for name in names if name not in self._columns), None)
        if wrong is not None:
            raise BadKnowledge(
                f"the release prints no column '{shortened(wrong)}'{did_you_mean(wrong, sorted(self._columns))}"
            )
        known = [Column.of(name, [dict(who.cells)[name] for who in people]) for name in names]
        linkage = link(self.release, known, len(people), self.lookup)
        nodes = self.lookup.nodes(self.release)
        unknown = []  # the labels of each column that neither the release nor a hierarchy knows
        for column in known:
            printed = self._printed_labels(column.name)
            unknown.append({each for each in column.labels if not knows_label(each, printed, nodes.get(column.name))})
        for row, who in enumerate(people):
            # a label that is printed nowhere may be among the suppressed, where these may hold people; else refused
            assumed = bool(linkage.assumed_rows[row])
            strange = [
                (each.name, each.cell(row))
                for each, labels in zip(known, unknown, strict=True)
                if each.cell(row) in labels
            ]
            if strange and not assumed:
                raise BadKnowledge(self._refusal(*strange[0]))
            groups = linkage.groups_of(row)
            if len(groups) != 1:
                raise BadKnowledge(self._several(who, groups) if len(groups) else self._none(who))
            yield who, (int(groups[0]), [*self._notes(who, strange, assumed=assumed)])

    def _notes(self, who: Described, strange: Sequence[tuple[str, Label]], *, assumed: bool) -> Iterator[str]:
        if assumed:
            why = "".join(f" ({self._unknown(*each)})" for each in strange)
            person = shortened(str(who))
            yield f"{person} fits nothing that is printed{why}: this rests on suppressed rows holding the person"
        elif self.release.members is None and self.lookup.way(self.release) == "nearest":
            yield f"{shortened(str(who))} was looked for at the nearest average, and may be in another group"

    @property
    def _columns(self) -> dict[str, Column]:
        columns = {column.name: column for column in self.release.groups.columns}
        return columns | {column.name: column for column in self._member_columns if column.name not in columns}

    @property
    def _member_columns(self) -> tuple[Column, ...]:
        return () if self.release.members is None else self.release.members.columns

    def _printed_labels(self, name: str) -> list[Label]:
        of_members = [text for each in self._member_columns if each.name == name for text in each.labels]
        return [*self._columns[name].labels, *of_members]

    def _unknown(self, name: str, text: Label) -> str:
        nodes = self.lookup.nodes(self.release).get(name)
        there = [*self._printed_labels(name), *(nodes.above if nodes else ()), *(nodes.labels_by_node if nodes else ())]
        known = dict.fromkeys(shown(each) for each in there if each not in (None, SUPPRESSED))
        return f"the release knows no {shortened(name)} '{shortened(shown(text))}'{did_you_mean(shown(text), known)}"

    def _refusal(self, name: str, text: Label) -> str:
        remedies = []
        if name not in self.lookup.nodes(self.release):
            remedies.append(f"if a printed label covers it, {self._hierarchies([name])}")
        remedies += self._suppressed_remedy()
        return "; ".join([self._unknown(name, text), *remedies])

    def _several(self, who: Described, groups: Integers) -> str:
        described = dict(who.cells)
        printed = {column.name: column for column in self.release.groups.columns}
        differing = {name: len({*column.codes[groups].tolist()}) for name, column in printed.items()}
        suppressed = suppressed_groups(self.release.groups)[groups]
        telling = [name for name, column in printed.items() if {*column.labels} != {SUPPRESSED}]
        # a person who is known in all telling columns, and fits a printed group, is in that one: so these decide
        open_columns = [name for name in telling if name not in described and (differing[name] > 1 or suppressed.any())]
        deciding = sorted(open_columns, key=lambda name: -differing[name])
        deciding += [each.name for each in self._member_columns if each.name not in described | differing]
        nodes = self.lookup.nodes(self.release)
        coarse = [name for name, text in who.cells if differing.get(name, 0) > 1 and is_coarse(text, nodes.get(name))]
        remedies = [f"say also {listed_names(deciding)}, where they differ"] if deciding else []
        remedies += [f"say {listed_names(coarse)} more exactly"] if coarse else []
        remedies = remedies or ["what they print overlaps, so that no column decides between them"]
        printed_cells = (self.release.groups.name(group).printed for group in groups.tolist())
        exact = [-sum(described.get(name) == text for name, text in cells) for cells in printed_cells]
        # groups that print most cells exactly as described come first, suppressed ones last
        nearest = groups[np.lexsort((np.array(exact), suppressed))]
        return (
            f"{shortened(str(who))} fits {len(groups):,} groups: {self._match_named(nearest)}; "
            f"{', or '.join(remedies)}, or {self._match_numbered(nearest)}"
        )

    def _none(self, who: Described) -> str:
        fits = [self._fits(name, text) for name, text in who.cells]
        suppressed = suppressed_groups(self.release.groups)
        # suppressed rows fit nobody in particular, and so are never the nearest
        misses = np.sum([~each for each in fits], axis=0) + (len(fits) + 1) * suppressed
        order = np.argsort(misses, kind="stable")[: min(GROUPS_NAMED, int((~suppressed).sum()))]
        nearest = order[misses[order] == misses[order[0]]]
        failing = [name for (name, _), each in zip(who.cells, fits, strict=True) if not each[nearest].all()]
        remedies = [*self._remedies(failing), self._match_numbered(nearest)]
        where = f", which {'differs' if len(nearest) == 1 else 'differ'} in {listed_names(failing)}" if failing else ""
        nearest_ones = f"the nearest {'is' if len(nearest) == 1 else 'are'} {self._match_named(nearest)}{where}"
        return f"{shortened(str(who))} fits no group; {nearest_ones}; {', or '.join(remedies)}"

    def _fits(self, name: str, text: Label) -> Flags:
        fits = np.zeros(len(self.release), bool)
        fits[link(self.release, [Column.of(name, [text])], 1, self.lookup).groups_of(0)] = True
        return fits

    def _remedies(self, failing: Sequence[str]) -> Iterator[str]:
        nodes = self.lookup.nodes(self.release)
        if any(name not in nodes for name in failing):
            yield f"{self._hierarchies([name for name in failing if name not in nodes])} if a printed label covers it"
        if self.lookup.locate == "labels":
            yield f"read the printed forms with {parameter('locate', 'intervals')}"
        yield from self._suppressed_remedy()

    def _suppressed_remedy(self) -> Iterator[str]:
        if suppressed_groups(self.release.groups).any() and self.lookup.suppressed != "may hold them":
            yield f"say {parameter('suppressed', 'may hold them')} if suppressed rows may hold this person"

    def _hierarchies(self, columns: Sequence[str]) -> str:
        if self.lookup.by:
            return f"add a hierarchy of {listed_names(columns)} to {parameter('by')}"
        return f"give hierarchies with {parameter('by')}"

    def _match_numbered(self, groups: Integers) -> str:
        number = int(self.release.groups.numbers[groups[0]])
        return f"write #{number} for someone in group {number}"

    def _match_named(self, groups: Integers) -> str:
        names = [shortened(str(self.release.groups.name(int(group)))) for group in groups[:GROUPS_NAMED]]
        return ", ".join(names) + (", …" if len(groups) > GROUPS_NAMED else "")


def _differ(who: Described, other: Who, nodes: Mapping[str, Nodes]) -> bool:
    """Return whether two people cannot be the same: in some column, their labels exclude each other."""
    if isinstance(other, Someone):
        return True
    if isinstance(other, str):
        # nothing is known of a name that would distinguish it from a description
        return False
    others = dict(other.cells)
    both = [(text, others[column], nodes.get(column)) for column, text in who.cells if column in others]
    return any(not may_be_of_one(*each) for each in both)
