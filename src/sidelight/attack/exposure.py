"""The figures of what several releases disclose together, and the witness that disclosed one person's value.

An `Exposure` keeps arrays and the releases as the attacker sees them, so that candidates and posteriors of a person are
computed on demand; shares of people are exact.  An `ExposureWitness` names the groups and values behind one
person's candidates, and `replay` finds these again from those groups alone, with plain sets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from sidelight.arrays import Flags, Floats, Integers, number_vectors, unpack_bits
from sidelight.attack.posterior import (
    ReleaseOrResult,
    Together,
    View,
    WithNoise,
    cut_rows,
    decide_values,
    find_release,
    rows_in_some_group,
    values_for_sure,
    values_in_all,
)
from sidelight.errors import BadMeasure, as_given, expect, mapping_or_empty, parameter
from sidelight.measures.exact import NEAR
from sidelight.rounding import exact_number, in_words, to_places
from sidelight.table.labels import Label, Semantics, Tabular, show_in_list, shown
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.attack.intersection import Evidence, People, TruthCheck
    from sidelight.measures.criterion import Bound
    from sidelight.release.groups import GroupName

ExposurePicture: TypeAlias = Literal["values left", "belief"]  # what can be drawn of an exposure


@dataclass(frozen=True, eq=False)
class Exposure(Tabular):
    """The figures of what these releases, taken together, disclose about these people.

    Arrays have one entry for all people with the same values (`people.sizes` counts them); shares are exact, and of
    the people who can be in a release: those `located` in at least one group.  `located_nowhere` counts the rest.
    Where the candidates run out the releases contradict each other: such people are counted in `contradicted`, never
    as safe and never as disclosed.  People whom no group of a release fits are counted in `unlocated`; what the other
    releases say of them still counts.

    Candidates are counted one person at a time.  Releases that share people constrain each other beyond that, so
    `perfect`, `partial` and `vulnerable` are lower bounds where `is_lower_bound` is true.

    `values_by_release` is how many values each release leaves a person (|S_ij|, release × people), `values_left` how
    many all of them together do (|S_i|), `certain` whether only one is left, `contradictory` whether none is, `belief`
    the largest posterior (nan: contradiction) and `likeliest` the value that has it, as an index into `domain`.
    `together` is what the releases say in common.

    Where people have several values each (`semantics` "set" or "multiset"), the values left are those that are neither
    certain nor ruled out, a person is disclosed when some value is certain, and a contradiction is a value that one
    release makes certain and another rules out.
    """

    people: People
    views: tuple[View, ...]
    domain: tuple[Label, ...]
    prior: tuple[Fraction, ...]
    together: Together
    values_by_release: Integers
    values_left: Integers
    certain: Flags
    contradictory: Flags
    belief: Floats
    likeliest: Integers
    truth: TruthCheck | None = None
    evidence: Evidence = "shared"

    def __repr__(self) -> str:
        releases = counted(len(self.views), "release")
        return f"<Exposure of {counted(self.located, 'person')} in {releases}: {self.given_away_in_words} given away>"

    def _repr_html_(self) -> str:
        columns = ("release", "people", "groups", "smallest group", "people one stands among", "fit no group")
        sizes = [view.people for view in self.views]
        among = [f"{to_places(size, 1, up=False):,f}" for size in self.mean_group_sizes]
        rows = [
            (at + 1, int(each.sum()), len(each), self.smallest_groups[at], among[at], self.unlocated[at])
            for at, each in enumerate(sizes)
        ]
        return html_table(repr(self)[1:-1], columns, rows, note=self.explain())

    @property
    def given_away(self) -> int:
        """The number of people whose value is disclosed; a lower bound where `is_lower_bound` is true."""
        return int(self.perfect * self.located)

    @property
    def given_away_in_words(self) -> str:
        """The number of people whose value is disclosed, with "at least" where there may be more."""
        return f"{'at least ' if self.is_lower_bound else ''}{self.given_away:,}"

    @cached_property
    def is_lower_bound(self) -> bool:
        """Whether more people may be disclosed than are counted.

        The candidates S_i = ∩_j S_ij look at one person at a time.  They are exact where nobody may be in two groups.
        A person who may be in two, of two releases or of one, ties the counts of both groups together, and what
        follows for everybody in them is not computed.  Noise rules out nothing, and ties nothing.
        """
        # groups that a person may be in, (rows,), over all releases that can rule something out
        groups = np.zeros(len(self.people), np.int64)
        for view in self.views:
            if view.rules_out:
                groups += np.where(view.may_be_present, view.linkage.matches[view.linkage.profile], 0)
        return bool((groups > 1).any()) and not self.certain[self._has_group].all()

    @property
    def semantics(self) -> Semantics:
        """How many values people have: one ("single"), or several."""
        return self.views[0].semantics

    # one person

    @property
    def candidates(self) -> Candidates:
        """The values that each person may have, computed on demand."""
        return Candidates(self)

    def witness(self, who: str | int | Mapping[str, object]) -> ExposureWitness:
        """Return the witness for one person: by name (with person=), by what is known, or by the number of a row."""
        row, views = self.people.row(who), self.views
        by_release: list[tuple[Label, ...]] = []
        for view in views:
            groups = view.linkage.groups_of(row)
            totals = view.counts.take(groups).totals().tolist() if len(groups) else [1] * len(self.domain)
            by_release.append(tuple(text for text, total in zip(self.domain, totals, strict=True) if total))
        decides = [view.rules_out and view.exact_presence(row) == 1 and bool(view.located[row]) for view in views]
        deciding = [set(values) for values, rules in zip(by_release, decides, strict=True) if rules]
        allowed, sightings = set().union(*deciding), []
        for number, (view, values, rules) in enumerate(zip(views, by_release, decides, strict=True), start=1):
            # where people have one value each, there is nothing to add to the values
            several = view.semantics != "single" and bool(view.located[row])
            shares = view.probabilities(np.array([row]), exactly=True)[0] if several else ()
            sightings.append(
                Sighting(
                    number,
                    tuple(view.groups.name(int(group)) for group in view.linkage.groups_of(row)),
                    values,
                    tuple(text for text in self.domain if rules and text in allowed.difference(values)),
                    view.exact_presence(row),
                    tuple(text for text, share in zip(self.domain, shares, strict=several) if share == 1),
                    noisy=not view.rules_out,
                )
            )
        cells = tuple((column.name, column.cell(row)) for column in self.people.known)
        left = tuple(text for text in self.domain if all(text in values for values in deciding))
        posterior = self.together.exact_posterior(views, self.prior, row)
        beliefs = {} if posterior is None else dict(zip(self.domain, posterior, strict=True))
        candidates = {text: beliefs[text] for text in left if text in beliefs}
        people = int(self.people.sizes[row])
        return ExposureWitness(cells, people, tuple(sightings), left, candidates, self.semantics)

    @property
    def values_lost(self) -> Integers:
        """The number of values that only the releases together rule out: min_j |S_ij| − |S_i|."""
        return self._values("before") - self.values_left

    @property
    def confidence(self) -> Floats:
        """1 / |S_i|; nan where the releases contradict each other."""
        self._expect_one_value("confidence")
        return 1 / np.where(self.values_left == 0, np.nan, self.values_left)

    def posterior(self, rows: Integers) -> Floats:
        """Return the posterior of rows of people: (rows, values of `domain`)."""
        return self.together.posteriors(self.views, self.prior, rows)

    # all people

    @property
    def perfect(self) -> Fraction:
        """The share of people with one candidate left, or, with several values each, of whom some value is certain."""
        return self._share(self.certain)

    def partial(self, confidence: Bound) -> Fraction:
        """Return the share of people whose candidates are few enough: 1/|S_i| ≥ confidence."""
        self._expect_one_value("partial")
        bound = exact_number(confidence, BadMeasure, "a confidence")
        if not 0 < bound <= 1:
            raise BadMeasure(
                f"a confidence of {as_given(confidence)} makes no sense; give a number above 0 and at most 1"
            )
        # no value left is a contradiction, and no breach
        return self._share((self.values_left > 0) & (self.values_left <= int(1 / bound)))

    def sure(self, belief: Bound) -> Fraction:
        """Return the share of people with a value that an attacker believes at least this much, decided exactly."""
        bound = min(exact_number(belief, BadMeasure, "a belief"), Fraction(2))  # nobody believes more than 1
        sure = self.belief >= float(bound)  # nan is not
        # people with a certain value are decided without floats
        sure[self.certain] = bound <= 1
        # floats cannot say: decided in fractions
        close = np.flatnonzero((np.abs(self.belief - float(bound)) <= NEAR) & ~self.certain)
        # people of the same groups and presence in every release are decided once
        alike = [each for view in self.views for each in (view.whereabouts(close), view.presence_codes[close])]
        kind, first = number_vectors(np.stack(alike, axis=1))
        exactly = [self.together.exact_posterior(self.views, self.prior, row) for row in close[first].tolist()]
        decided = [max(each or [0]) >= bound for each in exactly]
        sure[close] = np.array(decided, bool)[kind]
        return self._share(sure)

    @property
    def vulnerable(self) -> Fraction:
        """The share of people with fewer candidates left than the best release alone leaves."""
        return self._share(~self.contradictory & (self.values_lost >= 1))

    @property
    def contradicted(self) -> Fraction:
        """The share of people about whom the releases contradict each other."""
        return self._share(self.contradictory)

    @property
    def unlocated(self) -> tuple[int, ...]:
        """The number of people who fit no group of each release, without those who are known not to be in it."""
        return tuple(int(self.people.sizes[view.missed].sum()) for view in self.views)

    @cached_property
    def located(self) -> int:
        """The number of people who fit a group of at least one release that may hold them: shares are of these."""
        return self._count(self._has_group)

    @property
    def located_nowhere(self) -> int:
        """The number of people who fit no group of any release, without those who are known to be in none."""
        sought = np.logical_or.reduce([view.may_be_present for view in self.views])
        return self._count(sought & ~self._has_group)

    @property
    def releases_without_people(self) -> tuple[int, ...]:
        """The numbers, from 1, of releases that may hold some of the people, and in which nobody was located."""
        return tuple(
            number
            for number, view in enumerate(self.views, start=1)
            if view.may_be_present.any() and not (view.may_be_present & view.located).any()
        )

    @cached_property
    def _has_group(self) -> Flags:
        return rows_in_some_group(self.views)

    @cached_property
    def _open(self) -> Flags:
        # contradicted, not located in some release and not disclosed, or disclosed if they are where they may be
        return self.contradictory | self._lacks_group | self._certain_if_present

    @property
    def open(self) -> Fraction:
        """The share of people who may be disclosed: they are contradicted, not located, or perhaps not there."""
        return self._share(self._open)

    def within(self, at_most: Bound, *, located_alone: bool = False) -> bool | None:
        """Return whether at most this share of people is disclosed; None where that is not computed."""
        bound = exact_number(at_most, BadMeasure, "a share of people")
        judged = self._rows_to_judge(located_alone=located_alone)
        if self.given_away > bound * self._count(judged & self._has_group):
            return False
        most = self.given_away + self.undecided(located_alone=located_alone)
        # kept only if it still is with everybody who is undecided disclosed
        return True if judged.any() and most <= bound * self._count(judged) else None

    def undecided(self, *, located_alone: bool = False) -> int:
        """Count people who may be disclosed and are not counted so: those who are open, or were not located.

        Where the people disclosed are a lower bound (`is_lower_bound`), these are all the others, unless the attack was
        made with evidence="sets", which judges by that bound.
        """
        judged = self._rows_to_judge(located_alone=located_alone)
        if self.is_lower_bound and self.evidence != "sets":
            return self._count(judged & ~self.certain)
        return self._count(judged & self._open)

    def judged(self, *, located_alone: bool = False) -> int:
        """Count the people whom `within` judges: all who were looked for where they may be, or the located alone."""
        return self._count(self._rows_to_judge(located_alone=located_alone))

    def _rows_to_judge(self, *, located_alone: bool) -> Flags:
        if expect(bool, located_alone, parameter("located_alone")):
            return self._has_group & ~self._lacks_group
        return self._has_group | self._lacks_group

    @property
    def not_located(self) -> int:
        """The number of people who fit no group of some release that may hold them, and are not disclosed by others."""
        return self._count(self._lacks_group)

    @property
    def if_present(self) -> Fraction:
        """The share of people who are disclosed only if they are in all releases that may hold them."""
        return self._share(self._certain_if_present)

    @cached_property
    def _lacks_group(self) -> Flags:
        # a release with noise cannot disclose anything, whether or not it locates a person
        missed: Flags = np.logical_or.reduce([view.missed & view.rules_out for view in self.views])
        return missed & ~(self.certain & self._has_group) & ~self.contradictory

    @cached_property
    def _certain_if_present(self) -> Flags:
        if all((view.is_present | ~view.may_be_present).all() for view in self.views):
            return np.zeros(len(self.people), bool)
        views = [view.if_present() for view in self.views]
        certain = np.empty(len(self.people), bool)
        for rows in cut_rows(views, np.arange(len(self.people))):
            may_have, must_have = values_in_all(views, rows), values_for_sure(views, rows)
            certain[rows] = decide_values(may_have, must_have, self.semantics)[0]
        return certain & ~self.certain

    @property
    def assumed(self) -> tuple[int, ...]:
        """The number of people of each release who are assumed to be suppressed, as nothing else fits them."""
        return tuple(int(self.people.sizes[view.linkage.assumed_rows].sum()) for view in self.views)

    @property
    def ambiguous(self) -> tuple[int, ...]:
        """The number of people of each release who fit several groups."""
        return tuple(
            int(self.people.sizes[view.linkage.matches[view.linkage.profile] > 1].sum()) for view in self.views
        )

    @property
    def located_right(self) -> tuple[Fraction | None, ...]:
        """The share of people who were looked for in the right group, where the search's result says which it is."""
        return tuple(view.share_linked_right for view in self.views)

    @property
    def smallest_groups(self) -> tuple[int, ...]:
        """The smallest group of each release: what k-anonymity promises."""
        return tuple(int(view.people.min()) for view in self.views)

    @property
    def mean_group_sizes(self) -> tuple[Fraction, ...]:
        """The mean size of the group of a located person, release by release."""
        return tuple(self._mean(view.group_sizes(), ~view.linkage.nowhere) for view in self.views)

    def mean(self, when: Literal["before", "after"]) -> Fraction:
        """Return how many values are left on average: by the best release alone, or by all (contradictions aside)."""
        return self._mean(self._values(when), self._has_group & ~self.contradictory)

    def _values(self, when: Literal["before", "after"]) -> Integers:
        fewest: Integers = self.values_by_release.min(axis=0)
        return fewest if expect(str, when, "when") == "before" else self.values_left

    def distribution(self, when: Literal["before", "after"]) -> dict[int, int]:
        """Count people by how many values are left them: by the best release alone, or by all.

        0 is a contradiction; with several values each it may also be that everything is decided.
        """
        amounts = self._values(when)
        people = np.bincount(amounts[self._has_group], weights=self.people.sizes[self._has_group]).astype(np.int64)
        return {int(amount): int(people[amount]) for amount in np.flatnonzero(people)}

    def explain(self) -> str:
        """Write the findings in a few sentences, for those who decide."""
        from sidelight.attack.report import sentences  # noqa: PLC0415 - it stands below

        return "\n".join(sentences(self))

    def plot(self, of: ExposurePicture = "values left", *, belief: Bound | None = None) -> alt.TopLevelMixin:
        """Draw how many values are left to people, or how confident an attacker is about how many of them.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("exposure.svg")` writes it.

        Args:
            of: "values left" (by the best release alone, and by all together) or "belief" (the share of people about
                whom an attacker has at least each confidence).
            belief: marks one point of the latter; default: 1, certain.
        """
        from sidelight.report.charts.attackers import breach_chart, exposure_chart  # noqa: PLC0415 - it stands below

        if isinstance(of, str) and of == "belief":
            return breach_chart(self, belief=1 if belief is None else belief)
        if not isinstance(of, str) or of != "values left" or belief is not None:
            options = f"'{as_given(of)}' with belief={as_given(belief)}"
            raise BadMeasure(f"there is no picture of {options}; choose 'values left', or 'belief'")
        return exposure_chart(self)

    def to_json(self) -> str:
        """Write the figures as JSON; shares exactly, and as numbers rounded up."""
        from sidelight.attack.report import exposure_document  # noqa: PLC0415 - it stands below

        return json.dumps(exposure_document(self), indent=2, ensure_ascii=False) + "\n"

    def table(self) -> pa.Table:
        """Return everything as an Arrow table, a row for all people with the same values."""
        known = {
            column.name: pa.DictionaryArray.from_arrays(
                pa.array(column.codes), pa.array(list(column.labels), pa.string())
            )
            for column in self.people.known
        }
        before = {f"before {number}": pa.array(row) for number, row in enumerate(self.values_by_release, start=1)}
        figures = {
            "people": pa.array(self.people.sizes),
            **before,
            "after": pa.array(self.values_left),
            "belief": pa.array(self.belief, from_pandas=True),
            "candidates": pa.array([list(each) for each in self.candidates], pa.list_(pa.string())),
        }
        return pa.table({**{name: column for name, column in known.items() if name not in figures}, **figures})

    to_arrow = table  # the name that dataframes have for it

    def _expect_one_value(self, name: str) -> None:
        if self.semantics != "single":
            raise BadMeasure(
                f"{name} counts candidates for one value, and people have several here; "
                "sure(…) says of how many some value is believed so much"
            )

    def _count(self, which: Flags) -> int:
        return int(self.people.sizes[which].sum())

    def _share(self, which: Flags) -> Fraction:
        return Fraction(self._count(which & self._has_group), self.located or 1)

    def _mean(self, amounts: Integers, which: Flags) -> Fraction:
        people = self.people.sizes[which]
        return Fraction(int(people @ amounts[which]), int(people.sum()) or 1)


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """The values that people may have: `candidates[row]` for a row of people, or all of them in turn."""

    exposure: Exposure

    def __len__(self) -> int:
        return len(self.exposure.people)

    def __getitem__(self, row: int) -> tuple[Label, ...]:
        return next(self._list(range(len(self))[row], 1))

    def __iter__(self) -> Iterator[tuple[Label, ...]]:
        return self._list(0, len(self))

    def matrix(self, rows: Integers) -> Flags:
        """Return rows of people × values of the domain."""
        return unpack_bits(values_in_all(self.exposure.views, rows), len(self.exposure.domain))

    def _list(self, first: int, rows: int) -> Iterator[tuple[Label, ...]]:
        domain = self.exposure.domain
        # in blocks, as bits are unpacked to a byte for each row and value
        for start in range(first, first + rows, 10_000):
            for left in self.matrix(np.arange(start, min(start + 10_000, first + rows))):
                yield tuple(domain[value] for value in np.flatnonzero(left))


@dataclass(frozen=True, slots=True)
class Sighting:
    """One release: the groups that the person may be in, the values there, and those that only others allow.

    Where the person may be absent, or the counts have noise, nothing is ruled out.
    """

    release: int  # from 1
    groups: tuple[GroupName, ...]
    values: tuple[Label, ...]
    rules_out: tuple[Label, ...]
    present: Fraction = Fraction(1)  # how likely the person is in the release
    everybody_has: tuple[Label, ...] = ()
    noisy: bool = False

    def __str__(self) -> str:
        if not self.groups:
            return f"release {self.release}: {'not located' if self.present else 'known not to be in it'}"
        where = ", ".join(map(str, self.groups[:3])) + (" …" if len(self.groups) > 3 else "")
        values = f"release {self.release}: {where}, {counted(len(self.values), 'value')}: {_show_values(self.values)}"
        if self.present == 0:
            return f"{values}; known not to be in it"
        if self.noisy:
            return f"{values}; its counts have noise, so nothing is ruled out"
        if self.present < 1:
            return f"{values}; in it with probability {in_words(self.present)}, so nothing is ruled out"
        sure = f"; everybody there has {_show_values(self.everybody_has)}" if self.everybody_has else ""
        return values + sure + (f"; rules out {_show_values(self.rules_out)}" if self.rules_out else "")


@dataclass(frozen=True, slots=True, repr=False)
class ExposureWitness:
    """The conclusions of an attacker about one person, and what they rest on."""

    cells: tuple[tuple[str, Label], ...]  # what is known about the person
    people: int  # who look like this
    sightings: tuple[Sighting, ...]
    candidates: tuple[Label, ...]
    beliefs: Mapping[Label, Fraction]  # posterior, of the candidates; empty when the releases contradict each other
    semantics: Semantics = "single"

    @property
    def certain(self) -> tuple[Label, ...]:
        """The values that are certain."""
        return tuple(value for value, belief in self.beliefs.items() if belief == 1)

    def __repr__(self) -> str:
        values = counted(len({*self._order(), *self.candidates}), "value")
        left = f"{len(self.candidates)} of {values} left"
        releases = counted(len(self.sightings), "release")
        return f"<ExposureWitness of {counted(self.people, 'person')} in {releases}: {left}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                each.release,
                ", ".join(map(str, each.groups)) or "not located",
                _show_values(each.values),
                _show_values(each.rules_out),
            )
            for each in self.sightings
        ]
        columns = ("release", "groups", "values there", "rules out")
        title = f"{counted(self.people, 'person')} in {counted(len(self.sightings), 'release')}"
        return html_table(title, columns, rows, total=len(rows), note=self._conclusion())

    def explain(self) -> str:
        """Write the conclusion and what it rests on, a line for each release.

        >>> from sidelight.release.groups import GroupName
        >>> seen = Sighting(1, (GroupName(2),), ("AIDS", "Flu"), ()), Sighting(2, (GroupName(1),), ("AIDS",), ("Flu",))
        >>> print(ExposureWitness((("zip", "13012"),), 1, seen, ("AIDS",), {"AIDS": Fraction(1)}).explain())
        1 person (zip 13012)
        release 1: group 2, 2 values: AIDS, Flu
        release 2: group 1, 1 value: AIDS; rules out Flu
        Only AIDS is in all of them.
        """
        known = ", ".join(f"{name} {show_in_list(text)}" for name, text in self.cells)
        who = f"{self.people:,} people who look alike" if self.people > 1 else "1 person"
        return "\n".join([who + (f" ({known})" if known else ""), *map(str, self.sightings), self._conclusion()])

    def _conclusion(self) -> str:
        single = self.semantics == "single"
        if not (self.candidates if single else self.beliefs):
            what = "No value is in all of them" if single else "What everybody has in one of them nobody has in another"
            return f"{what}: the releases contradict each other, or the person is not in one of them."
        if single and len(self.candidates) == 1:
            return f"Only {shown(self.candidates[0])} is in all of them."
        certain = () if single else self.certain
        undecided = [value for value in self.beliefs if value not in certain]
        likely = max(undecided, key=lambda value: self.beliefs[value], default=None)
        if single:
            return (
                f"{len(self.candidates)} values are left: {_show_values(self.candidates)}; "
                f"the likeliest is {shown(likely)}, with {in_words(self.beliefs[likely])}."
            )
        sentences = [f"Certain: {_show_values(certain)}."] if certain else []
        if undecided:
            likeliest = "" if len(undecided) == 1 else f"; the likeliest is {shown(likely)}"
            sentences.append(f"Possible: {_show_values(undecided)}{likeliest}, with {in_words(self.beliefs[likely])}.")
        return " ".join(sentences) or "No value is left: the person has none."

    def replay(
        self, releases: Sequence[ReleaseOrResult | WithNoise], same_values: Mapping[str, str] | None = None
    ) -> tuple[Label, ...]:
        """Compute the candidates again from the groups named here alone, with plain sets."""
        same = mapping_or_empty(same_values, parameter("same_values"), '{"Grippe": "Flu"}')
        left: set[Label] | None = None
        for sighting, published in zip(self.sightings, releases, strict=True):
            if isinstance(published, WithNoise):
                continue  # it rules out nothing
            release = find_release(published)
            values: set[Label] = set()
            for name in sighting.groups:
                counts = release.group(name).counts.row(0).tolist()
                values |= {same.get(shown(text), text) for text, n in zip(release.domain, counts, strict=True) if n}
            # only a release without noise that surely holds the person rules values out
            if sighting.groups and sighting.present == 1 and not sighting.noisy:
                left = values if left is None else left & values
        return self.candidates if left is None else tuple(text for text in self._order() if text in left)

    def _order(self) -> dict[Label, None]:
        return dict.fromkeys(text for sighting in self.sightings for text in (*sighting.values, *sighting.rules_out))


def _show_values(values: Sequence[Label]) -> str:
    return ", ".join(map(show_in_list, values)) or "none"
