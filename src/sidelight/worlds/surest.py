"""Of whom, and of which value, is somebody surest?  Over everybody in the release, not only over those facts mention.

    risk(release, φ)  =  max over people p and values s of  Pr(p has s | release, φ)

Facts φ say nothing about groups none of whose people they mention, because groups are independent.  There everybody has
a value s that occurs m times among n people with probability

    m/n  where nobody has a value twice,      1 − ((n − 1)/n)^m  in a multiset,

which grows with m.  So its most frequent value stands for each such group; the worst group is found by the logarithm of
lacking the value, and decided in fractions over the few different (m, n) near the least.

Source: Martin et al., Worst-case background knowledge, ICDE 2007, definition 5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.errors import BadKnowledge, parameter
from sidelight.knowledge.facts import Has
from sidelight.knowledge.people import Someone, Who, person_text
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.table.labels import Label, label, shown


@dataclass(frozen=True, slots=True, repr=False)
class SurestGuess:
    """The person and value that somebody is surest of; `posterior(release, guess.target, given=…)` is its probability.

    People of a group whom the facts do not mention are all alike; one of them stands for all (`unnamed`).
    """

    person: Who
    group: GroupName
    value: Label
    probability: Fraction
    before: Fraction  # to one who knows nothing but the release
    unnamed: bool = False  # anyone of the group whom the facts do not mention

    @property
    def target(self) -> Has:
        """What is guessed, as a fact."""
        return Has(self.person, self.value)

    def who(self) -> str:
        """Return about whom the guess is."""
        return f"anyone else in {self.group}" if self.unnamed else person_text(self.person)

    def __str__(self) -> str:
        return f"{self.who()}: {shown(self.value)} with probability {self.probability}"

    def __repr__(self) -> str:
        return f"<SurestGuess: {self}>"


def values_in_question(release: Release, apart_from: Sequence[Label]) -> Integers:
    """List the values that somebody may want to learn, as places in the domain."""
    left_out = {release.groups.code_of(label(value)) for value in apart_from}
    places = np.array([place for place in range(len(release.domain)) if place not in left_out], np.int64)
    if len(places) == 0:
        message = f"{parameter('apart_from')} leaves no value to ask about; leave one of them out"
        raise BadKnowledge(message)
    return places


def surest_elsewhere(release: Release, concerned: Collection[int], places: Integers) -> SurestGuess | None:
    """Return the surest guess in the groups that facts do not concern; the first of equal ones, if any group is left.

    >>> release = Release.from_counts([{"Flu": 3, "Cold": 1}, {"Flu": 1, "Cold": 1}])
    >>> surest_elsewhere(release, [1], np.array([0, 1]))  # by the groups' numbers
    <SurestGuess: #2: Cold with probability 1/2>
    """
    rows = np.flatnonzero(~np.isin(release.groups.numbers, [*concerned]))
    if len(rows) == 0:
        return None
    most, sizes = release.groups.counts.take(rows).highest(places), release.groups.sizes[rows]
    lacking = _log_probability_of_lacking(release, most, sizes)
    least = lacking.min()
    # Logarithms that are no further apart than this, relative, may be those of equal probabilities.
    near = np.flatnonzero(lacking <= least + 1e-9 * max(abs(least), 1.0) if np.isfinite(least) else lacking == least)
    pairs = np.column_stack((most, sizes))[near]
    different, first = np.unique(pairs, axis=0, return_index=True)
    probabilities = [_probability(release, many, people) for many, people in different.tolist()]
    surest = max(probabilities)
    place = min(int(at) for at, each in zip(first, probabilities, strict=True) if each == surest)
    row = int(rows[near[place]])
    return _guess(release, row, int(most[near[place]]), places, surest)


def _log_probability_of_lacking(release: Release, most: Integers, sizes: Integers) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        if release.semantics == "multiset":
            logs: Floats = np.where(most > 0, most * np.log1p(-1 / sizes), 0.0)
        else:
            logs = np.log1p(-most / sizes)
    return logs


def _probability(release: Release, many: int, people: int) -> Fraction:
    if release.semantics == "multiset":
        return 1 - Fraction(people - 1, people) ** many
    return Fraction(many, people)


def _guess(release: Release, row: int, most: int, places: Integers, probability: Fraction) -> SurestGuess:
    counts = release.groups.counts.row(row)
    value = release.domain[next(int(place) for place in places if counts[place] == most)]
    return SurestGuess(Someone(row + 1), release.groups.name(row), value, probability, probability)
