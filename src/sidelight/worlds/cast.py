"""Who is meant: the people of facts, found in the groups of a release."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sidelight.errors import BadKnowledge, did_you_mean
from sidelight.knowledge.people import Described, Someone, Who, written_who
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import SUPPRESSED, Label, as_number

_RANGE = re.compile(r"\[?(-?[0-9.]+)\s*(-|–|\.\.|,|:|to)\s*(-?[0-9.]+)([\])]?)")


@dataclass(frozen=True, slots=True)
class Cast:
    """The people of some facts, all of them different, and the group of each (its row in the arrays)."""

    rows: dict[Who, int]

    def of_row(self, row: int) -> list[Who]:
        """Say who of them is in a group, in the order of mention."""
        return [who for who, where in self.rows.items() if where == row]


def cast_of(release: Release, people: Iterable[Who]) -> Cast:
    """Find everybody's group; people who are written differently are different people.

    >>> release = Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 1}], labels=[{"age": "20-29"}, {"age": "30"}])
    >>> cast_of(release, [Someone(1), Described.of({"age": 30})]).rows
    {Someone(group=1, number=1): 0, Described(says=(('age', '30'),)): 1}
    """
    cast = Cast({who: _row(release, who) for who in people})
    for row in dict.fromkeys(cast.rows.values()):
        _check_room(release.groups, row, cast.of_row(row))
    return cast


def _row(release: Release, who: Who) -> int:
    if isinstance(who, Described):
        return _described_row(release.groups, who)
    if isinstance(who, Someone):
        if who.group > len(release):
            message = f"no group {who.group} in the release; they are numbered 1 to {len(release)}"
            raise BadKnowledge(message)
        return who.group - 1
    if release.people is None:
        message = (
            f"the release names nobody, so '{who}' cannot be found in it; write #3 for someone in group 3, describe "
            "the person as {column = cell}, or read the release with person= and keep_people=True"
        )
        raise BadKnowledge(message)
    if who not in release.people:
        message = f"nobody in the release is called '{who}'; check the spelling, or put odd names into quotes"
        raise BadKnowledge(message)
    return release.people[who]


def _described_row(groups: Groups, who: Described) -> int:
    fits = np.ones(len(groups), bool)
    columns = {column.name: column for column in groups.columns}
    for name, text in who.says:
        if name not in columns:
            message = f"the release prints no column '{name}'{did_you_mean(name, columns)}"
            raise BadKnowledge(message)
        covering = np.array([covers(label, text) for label in columns[name].labels], bool)
        fits &= covering[columns[name].codes]
    found = np.flatnonzero(fits)
    if len(found) != 1:
        many = "fits no group" if len(found) == 0 else f"fits {len(found):,} groups"
        message = f"{who} {many}; describe the person by columns that fit one, or write #3 for someone in group 3"
        raise BadKnowledge(message)
    return int(found[0])


def covers(printed: Label, text: Label) -> bool:
    """Say whether a printed cell may stand for what is known: the same, suppressed, a range or a masked code.

    >>> [covers(printed, "34") for printed in ("34", "*", "30-39", "[30, 40)", "[20, 34)", "3*", "44", None)]
    [True, True, True, True, False, True, False, False]
    """
    if printed in {text, SUPPRESSED}:
        return True
    if printed is None or text is None:
        return False
    if printed.endswith("*"):
        start = printed.rstrip("*")
        return len(printed) == len(text) and text.startswith(start)
    between, number = _RANGE.fullmatch(printed), as_number(text)
    if between is None or number is None:
        return False
    low, high = as_number(between[1]), as_number(between[3])
    if low is None or high is None:
        return False
    return low <= number < high if between[4] == ")" else low <= number <= high


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
                    f"{who} and {written_who(other)} may be the same person of {name}; "
                    f"write #{row + 1}.1 and #{row + 1}.2 for two people of it"
                )
                raise BadKnowledge(message)


def _differ(who: Described, other: Who) -> bool:
    """Say whether two people cannot be the same: in some column, neither covers what the other says."""
    if isinstance(other, Someone):
        return True
    if isinstance(other, str):
        return False
    others = dict(other.says)
    return any(
        column in others and not covers(text, others[column]) and not covers(others[column], text)
        for column, text in who.says
    )
