"""Who is meant?  The people whom facts name, each identified with one group of a release.

An entity is a person of the facts: a name that the release knows, someone of a numbered group, or a description by
columns.  A description has to fit one group only, by what is printed there (`release.printed_labels` says what a
printed label covers) or by what the release knows of its members.  People who are written differently are different
people, so what may be one person under two descriptions is refused rather than counted twice: two entities of a group
differ if in some column no label fits both descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sidelight._arrays import Flags
from sidelight._text import counted
from sidelight.errors import BadKnowledge, did_you_mean, in_python, parameter
from sidelight.knowledge.people import Described, Someone, Who, person_text
from sidelight.knowledge.tokens import in_short
from sidelight.release.groups import Groups
from sidelight.release.printed_labels import covers, read_label
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Column


@dataclass(frozen=True, slots=True)
class Entities:
    """The people of some facts, all of them different, and the group of each (its row in the arrays)."""

    group_of: dict[Who, int]

    def in_group(self, group: int) -> list[Who]:
        """Say who of them is in a group, in the order of mention."""
        return [who for who, its_group in self.group_of.items() if its_group == group]


def identify(release: Release, people: Iterable[Who]) -> Entities:
    """Find everybody's group; people who are written differently are different people.

    >>> release = Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 1}], labels=[{"age": "20-29"}, {"age": "30"}])
    >>> identify(release, [Someone(1), Described.of({"age": 30})]).group_of
    {Someone(group=1, number=1): 0, Described(cells=(('age', '30'),)): 1}
    """
    entities = Entities({who: _group_of(release, who) for who in people})
    for group in dict.fromkeys(entities.group_of.values()):
        members = entities.in_group(group)
        _check_room(release.groups, group, members)
        _check_different(release.groups, group, members)
    return entities


def _group_of(release: Release, who: Who) -> int:
    if isinstance(who, Described):
        return _group_fitting(release, who)
    if isinstance(who, Someone):
        if who.group > len(release):
            message = f"no group {who.group} in the release; they are numbered 1 to {len(release)}"
            raise BadKnowledge(message)
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
            f"the release names nobody, so '{in_short(name)}' cannot be found in it; write #3 for someone in group 3, "
            "describe the person as {column = cell}, or say which column has the names with "
            f"{parameter('person')}{in_python(', with keep_people=True as well')}"
        )
    return f"nobody in the release is called '{in_short(name)}'; check the spelling, or put odd names into quotes"


def _group_fitting(release: Release, who: Described) -> int:
    groups = np.flatnonzero(_fits(release, who))
    if len(groups) != 1:
        some = "fits no group" if len(groups) == 0 else f"fits {len(groups):,} groups"
        message = (
            f"{in_short(str(who))} {some}; describe the person by columns that fit one, in the words of the release, "
            "or write #3 for someone in group 3"
        )
        raise BadKnowledge(message)
    return int(groups[0])


def _fits(release: Release, who: Described) -> Flags:
    """Say which groups have people who may look like this: as printed, or as is known about their members."""
    groups, members = release.groups, release.members
    printed = {column.name: column for column in groups.columns}
    known = {} if members is None else {column.name: column for column in members.columns}
    columns = {*printed, *known}
    group = np.arange(len(groups)) if members is None else members.group
    fits = np.ones(len(group), bool)
    for name, text in who.cells:
        if name not in columns:
            message = f"the release prints no column '{in_short(name)}'{did_you_mean(name, sorted(columns))}"
            raise BadKnowledge(message)
        # printed or known of a member: either may be what the description was taken from
        may_have = _covers(printed[name], text)[group] if name in printed else np.zeros(len(group), bool)
        if members is not None and name in known:
            may_have |= _covers(known[name], text)[members.key]
        fits &= may_have
    return np.bincount(group[fits], minlength=len(groups)) > 0


def _covers(column: Column, text: Label) -> Flags:
    return np.array([covers(label, text) for label in column.labels], bool)[column.codes]


def _check_room(groups: Groups, group: int, people: list[Who]) -> None:
    """Refuse more people than there are."""
    size = int(groups.sizes[group])
    beyond = [who for who in people if isinstance(who, Someone) and who.number > size]
    if beyond or len(people) > size:
        which = f"there is no {beyond[0]}" if beyond else f"the facts speak of {len(people):,} different ones"
        message = f"{groups.name(group)} has {counted(size, 'person')}; {which}"
        raise BadKnowledge(message)


def _check_different(groups: Groups, group: int, people: list[Who]) -> None:
    """Refuse descriptions that may be of the same person."""
    for who in (each for each in people if isinstance(each, Described)):
        for other in people:
            if other is not who and not _differ(who, other):
                message = (
                    f"{in_short(str(who))} and {in_short(person_text(other))} may be the same person of "
                    f"{groups.name(group)}; write #{group + 1}.1 and #{group + 1}.2 for two people of it"
                )
                raise BadKnowledge(message)


def _differ(who: Described, other: Who) -> bool:
    """Say whether two people cannot be the same: in some column, what is said of one cannot hold of the other."""
    if isinstance(other, Someone):
        return True
    if isinstance(other, str):
        return False
    others = dict(other.cells)
    both = [(text, others[column]) for column, text in who.cells if column in others]
    return any(not read_label(text).overlaps(read_label(its_text)) for text, its_text in both)
