"""What do releases about the same people give away together?  The attack, from files to exposure.

For each person i: the groups of each release j that i may be in (`linkage`), the values there S_ij, those that are in
all of them S_i = ∩_j S_ij, and how likely each of these is (`posterior`, by Bayes).  People who look alike are one row,
and rows are taken a block at a time: memory is bounded by a block of rows × values, whatever the number of people.

Where the true values are known, a tally beside it counts how often the attacker is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import get_args

import numpy as np

from sidelight._arrays import Floats, Integers, unpack_bits
from sidelight.attack.exposure import Exposure, TruthCheck
from sidelight.attack.linkage import ReleaseOrResult, lookups_for, release_of, share_linked_right
from sidelight.attack.posterior import CommonDomain, Prior, View, posteriors, prior_of, values_in_all
from sidelight.attack.targets import People, people_of
from sidelight.errors import BadRelease, BadTable, expect_several, parameter
from sidelight.release.locate import Locate, Lookup, SuppressedPeople, columns_of, link, names_people
from sidelight.release.release import Release
from sidelight.search.method import SearchResult
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.roles import as_names
from sidelight.table.table import CELLS_AT_ONCE, expect_one_sensitive


def intersect(
    releases: Iterable[ReleaseOrResult],
    *,
    people: object,
    quasi: str | Sequence[str] | None = None,
    person: str | None = None,
    truth: str | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | Sequence[Locate | None] | None = None,
    suppressed: SuppressedPeople | None = None,
    prior: Prior = "pooled",
    same_values: Mapping[str, str] | None = None,
    missing_marks: str | Sequence[object] = (),
) -> Exposure:
    """What do independent releases about the same people give away together?

    For each person: the group in each release, the values there (S_ij), and those that are in all of them,
    S_i = ∩_j S_ij; beside it how likely each is, ∝ Π_j Pr_j(s) / prior(s)^(n−1) with Pr_j(s) = n_g(s)/n_g.

    Args:
        releases: `Release`s, or what `protect` found.
        people: those who are in all releases: a `Table`, which brings the truth with it, or any dataframe or file.
        quasi: the columns that the attacker knows of them; default: all that the releases print.
        person: the column that names people, to ask for a `witness` by name.
        truth: the column with the true values, to check the attacker.
        by: hierarchies: a printed label then also covers the values under it.  `*` covers everything.
        locate: how people are found; default: as the release was made, where it knows that, else by "intervals"
            (`17-36`, `816**`, `{A, B}` and other printed forms are read).  "labels" (labels are names and nothing
            else), "nearest" (the nearest printed average), or a `Listed`; one for all or one each.  Who fits several
            groups may have the values of any of them.
        suppressed: who fits nothing that is printed is not located; "may hold them": is looked for among the rows that
            are `*` throughout, and the exposure says of how many people that was assumed.
        prior: what is believed before: "pooled" over all releases, or "uniform".
        same_values: what a value is called elsewhere, where releases use different words; {}: equal words only.
        missing_marks: texts that mean missing in what is known of people, such as "?".

    >>> import pyarrow as pa
    >>> from sidelight.release.locate import Locate, Lookup, SuppressedPeople, columns_of, link, names_people
    from sidelight.release.release import Release
    >>> zips = [{"zip": "130**"}, {"zip": "148**"}]
    >>> one = Release.from_counts([{"AIDS": 1, "Flu": 2}, {"Flu": 3}], labels=zips)
    >>> other = Release.from_counts([{"AIDS": 2, "Cancer": 2}, {"Flu": 1, "Cancer": 1}], labels=zips)
    >>> exposure = intersect([one, other], people=pa.table({"zip": ["130**", "148**"]}))
    >>> exposure.perfect, exposure.candidates[0]
    (Fraction(1, 1), ('AIDS',))

    Source: Ganta, Kasiviswanathan and Smith, Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008.
    """
    published = _releases(releases)
    lookups = lookups_for(published, by=by, locate=locate, suppressed=suppressed)
    _check(published, prior)
    known = _known(published, lookups, quasi, person)
    targets = people_of(people, known=known, person=person, truth=truth, missing_marks=missing_marks)
    common = CommonDomain([release_of(each).groups for each in published], same_values)
    views = tuple(
        _view(each, lookup, people=targets, common=common, person=person)
        for each, lookup in zip(published, lookups, strict=True)
    )
    return _exposure(targets, views, common, prior)


def _exposure(people: People, views: tuple[View, ...], common: CommonDomain, prior: Prior) -> Exposure:
    """Intersect and weigh, some rows of people at a time."""
    prior_beliefs = prior_of(views, prior)
    values_by_release = np.stack([view.values_by_row() for view in views])
    values_left, belief = np.empty(len(people), np.int64), np.empty(len(people))
    likeliest = np.empty(len(people), np.int64)
    tally = _TruthTally.of(people, views, common, prior_beliefs)
    for rows in _blocks(views, len(people)):
        left = values_in_all(views, rows)
        values_left[rows] = np.bitwise_count(left).sum(axis=1)
        posterior = posteriors(views, prior_beliefs, rows)
        likeliest[rows] = np.nan_to_num(posterior, nan=-1.0).argmax(axis=1)
        belief[rows] = posterior[np.arange(len(rows)), likeliest[rows]]
        tally.add(rows, unpack_bits(left, len(common.domain)), posterior, likeliest[rows])
    return Exposure(
        people, views, common.domain, prior_beliefs, values_by_release, values_left, belief, likeliest, tally.result()
    )


def _blocks(views: Sequence[View], rows: int) -> Iterator[Integers]:
    """Cut the rows into blocks that can be spread out, whatever the number of groups that they fit."""
    # a row costs as many rows of values as it fits groups, in the release where it fits most
    work = np.max([np.maximum(view.linkage.matches, 1)[view.linkage.profile] for view in views], axis=0)
    done = np.cumsum(work * views[0].counts.width) // CELLS_AT_ONCE
    cuts = np.flatnonzero(np.diff(done)) + 1
    yield from np.split(np.arange(rows), cuts)


def _view(
    published: ReleaseOrResult,
    lookup: Lookup,
    *,
    people: People,
    common: CommonDomain,
    person: str | None,
) -> View:
    release = release_of(published)
    linkage = link(release, people.known, len(people), lookup, person=person)
    return View.of(
        release.groups, common.counts(release.groups), linkage, share_linked_right(published, people, linkage)
    )


def _known(
    releases: Sequence[ReleaseOrResult],
    lookups: Sequence[Lookup],
    quasi: str | Sequence[str] | None,
    person: str | None,
) -> list[str]:
    """Name what is known of people: what the caller says, or all that they can be found by."""
    looked_up = [(release_of(each), lookup) for each, lookup in zip(releases, lookups, strict=True)]
    named = any(names_people(*each) for each in looked_up)
    if named and person is None:
        message = f"a release names its people; give {parameter('person')}, the column that names them"
        raise BadTable(message)
    printed = dict.fromkeys(name for each in looked_up for name in columns_of(*each))
    known = dict.fromkeys(printed if quasi is None else as_names(quasi))
    if named and person is not None:
        known[person] = None
    if not known:
        message = f"the releases print no columns to find people by; name what is known in {parameter('quasi')}"
        raise BadTable(message)
    return list(known)


def _releases(releases: Iterable[ReleaseOrResult]) -> tuple[ReleaseOrResult, ...]:
    """Take several releases, or what searches found; one alone can be iterated too, and is not several."""
    return expect_several(Release, releases, "releases", each="release", also=(SearchResult,))


def _check(releases: Sequence[ReleaseOrResult], prior: str) -> None:
    if len(releases) == 0:
        message = "no releases to compare; give at least one, and two to see what they give away together"
        raise BadRelease(message)
    if prior not in get_args(Prior):
        message = f'no {parameter("prior", prior)}; choose "pooled" or "uniform"'
        raise BadRelease(message)
    for number, each in enumerate(releases, start=1):
        expect_one_sensitive(release_of(each), f"release {number} of an attack")
        kind = release_of(each).semantics
        if kind != "single":
            message = (
                f"release {number} has {parameter('values', kind)}; "
                "only releases with one value per person can be intersected"
            )
            raise BadRelease(message)


class _TruthTally:
    """Counts how often the attacker is right, block by block, among people whose value is known."""

    def __init__(self, rows: Integers, codes: Integers, people: Integers, views: Sequence[View]) -> None:
        self._rows, self._codes, self._people, self._views = rows, codes, people, views
        self._before = 0.0
        self._hits = self._given_away = self._guessed = 0
        self._by_release = [0] * len(views)
        self._belief = 0.0

    @classmethod
    def of(cls, people: People, views: Sequence[View], common: CommonDomain, prior: Sequence[Fraction]) -> _TruthTally:
        if people.truth is None:
            nothing = np.empty(0, np.int64)
            return cls(nothing, nothing, nothing, views)
        row, value, count = people.truth.counts.entries()
        known = np.array([text is not None for text in people.truth.domain])[value]
        codes = common.codes(people.truth.domain)[value]
        tally = cls(row[known], codes[known], count[known], views)
        before = np.array([*map(float, prior), 0.0])  # at −1: values that occur nowhere
        tally._before = float(count[known] @ before[codes[known]])
        return tally

    def add(self, rows: Integers, left: np.typing.NDArray[np.bool_], posterior: Floats, likeliest: Integers) -> None:
        """Take one block of rows, which follow each other."""
        # entries of the truth are sorted by row, so those of a block are a slice
        start, stop = np.searchsorted(self._rows, [rows[0], rows[-1] + 1])
        if start == stop:
            return
        at, code, people = self._rows[start:stop] - rows[0], self._codes[start:stop], self._people[start:stop]
        # a value that occurs nowhere has code −1, which would index the last one
        there = code >= 0
        hit = left[at, code] & there
        self._hits += int(people[hit].sum())
        self._given_away += int(people[hit & (left.sum(axis=1)[at] == 1)].sum())
        self._guessed += int(people[hit & (likeliest[at] == code)].sum())
        self._belief += float(people[hit] @ posterior[at[hit], code[hit]])
        for number, view in enumerate(self._views):
            alone = unpack_bits(view.values(rows), left.shape[1])[at, code] & there
            self._by_release[number] += int(people[alone].sum())

    def result(self) -> TruthCheck | None:
        """Give the shares."""
        total = int(self._people.sum())
        if total == 0:
            return None
        return TruthCheck(
            people=total,
            hits=Fraction(self._hits, total),
            hits_by_release=tuple(Fraction(each, total) for each in self._by_release),
            given_away=Fraction(self._given_away, total),
            guessed=Fraction(self._guessed, total),
            belief=self._belief / total,
            belief_before=self._before / total,
        )
