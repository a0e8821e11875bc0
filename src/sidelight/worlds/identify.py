"""Who is meant: the people of facts, found in the groups of a release."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    {Someone(group=1, number=1): 0, Described(says=(('age', '30'),)): 1}
    """
    entities = Entities({who: _row(release, who) for who in people})
    for row in dict.fromkeys(entities.group_of.values()):
        _check_room(release.groups, row, entities.in_group(row))
    return entities


def _row(release: Release, who: Who) -> int:
    if isinstance(who, Described):
        return _described_row(release, who)
    if isinstance(who, Someone):
        if who.group > len(release):
            message = f"no group {who.group} in the release; they are numbered 1 to {len(release)}"
            raise BadKnowledge(message)
        return who.group - 1
    if release.people is None or who not in release.people:
        raise BadKnowledge(_unknown(release, who))
    return release.people[who]


def _unknown(release: Release, name: str) -> str:
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


def _described_row(release: Release, who: Described) -> int:
    found = np.flatnonzero(_fitting(release, who))
    if len(found) != 1:
        some = "fits no group" if len(found) == 0 else f"fits {len(found):,} groups"
        message = (
            f"{in_short(str(who))} {some}; describe the person by columns that fit one, in the words of the release, "
            "or write #3 for someone in group 3"
        )
        raise BadKnowledge(message)
    return int(found[0])


def _fitting(release: Release, who: Described) -> npt.NDArray[np.bool_]:
    """Say which groups have people who may look like this: as printed, or as is known about their members."""
    groups, members = release.groups, release.members
    printed = {column.name: column for column in groups.columns}
    known = {} if members is None else {column.name: column for column in members.columns}
    columns = {*printed, *known}
    group = np.arange(len(groups)) if members is None else members.group
    fits = np.ones(len(group), bool)
    for name, text in who.says:
        if name not in columns:
            message = f"the release prints no column '{in_short(name)}'{did_you_mean(name, sorted(columns))}"
            raise BadKnowledge(message)
        may = _covering(printed[name], text)[group] if name in printed else np.zeros(len(group), bool)
        if members is not None and name in known:
            may |= _covering(known[name], text)[members.line]
        fits &= may
    return np.bincount(group[fits], minlength=len(groups)) > 0


def _covering(column: Column, text: Label) -> npt.NDArray[np.bool_]:
    return np.array([covers(label, text) for label in column.labels], bool)[column.codes]


def _check_room(groups: Groups, row: int, people: list[Who]) -> None:
    """Refuse more people than there are, and descriptions that may be of the same person."""
    size, name = int(groups.sizes[row]), groups.name(row)
    beyond = [who for who in people if isinstance(who, Someone) and who.number > size]
    if beyond or len(people) > size:
        which = f"there is no {beyond[0]}" if beyond else f"the facts speak of {len(people):,} different ones"
        message = f"{name} has {size:,} {'person' if size == 1 else 'people'}; {which}"
        raise BadKnowledge(message)
    described = [who for who in people if isinstance(who, Described)]
    for who in described:
        for other in people:
            if other is not who and not _differ(who, other):
                message = (
                    f"{in_short(str(who))} and {in_short(person_text(other))} may be the same person of {name}; "
                    f"write #{row + 1}.1 and #{row + 1}.2 for two people of it"
                )
                raise BadKnowledge(message)


def _differ(who: Described, other: Who) -> bool:
    """Say whether two people cannot be the same: in some column, what is said of one cannot be so of the other."""
    if isinstance(other, Someone):
        return True
    if isinstance(other, str):
        return False
    others = dict(other.says)
    return any(
        column in others and not read_label(text).overlaps(read_label(others[column])) for column, text in who.says
    )
