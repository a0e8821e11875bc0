"""Intersect releases about the same people: the attack, from files to exposure.

For each person i: the groups of each release j that i may be in (`targets`), the values there S_ij, those that are in
all of them S_i = ∩_j S_ij, and how likely each of these is (`posterior`).  S_i holds every value that is possible, and
may hold more: people are taken one at a time, and releases that share people constrain each other
(`Exposure.is_lower_bound`).  A release rules values out only for people who are known to be in it.  People with the
same values are one row, and rows are taken a block at a time: memory is bounded by a block of rows × values, whatever
the number of people.

Where the true values are known, the attacker is checked, among located people whose value is known.  Where people have
several values each, what is true is a pair of a person and a value, and the attacker is right about a person who has
the likeliest value.

Calibration: of the people of whom an attacker claims a value with 70 %, do 70 % have it?  People are put into ten bins
by the belief in their likeliest value; the expected calibration error is Σ_bins share of people · |mean belief −
right|.

`People` is a table of its own: one row for all with the same values, so a million targets with a thousand different
keys cost a thousand rows from here on.  Names are read only when a person is asked for by name.  Whether they are in a
release at all is a probability for all of them, or a column of theirs that says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, unpack_bits
from sidelight.attack.exposure import Exposure
from sidelight.attack.posterior import (
    CommonDomain,
    ExpectedCounts,
    ReleaseOrResult,
    Together,
    View,
    WithNoise,
    cut_rows,
    decide_values,
    estimate_agreement,
    find_parts,
    find_release,
    open_values,
    prior_of,
    rows_in_some_group,
    values_for_sure,
    values_in_all,
)
from sidelight.engines.read import distinct_rows, read_table
from sidelight.errors import (
    BadRelease,
    BadTable,
    UnknownColumn,
    as_names,
    did_you_mean,
    expect_or_none,
    expect_several,
    is_one_of,
    parameter,
)
from sidelight.release.locate import (
    Linkage,
    Listed,
    Locate,
    Lookup,
    SuppressedPeople,
    columns_of,
    link,
    link_listed,
    names_people,
)
from sidelight.release.release import Release
from sidelight.rounding import exact_number
from sidelight.search.method import SearchResult
from sidelight.search.utility import Regions
from sidelight.table.labels import Column, Label, label, number_equal_rows
from sidelight.table.roles import Roles, marks_of
from sidelight.table.table import Counts, Table, expect_one_sensitive
from sidelight.text import counted, fraction_in

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy

# What is believed before: how often each value occurs in all releases together, or all values alike
PriorName: TypeAlias = Literal["pooled", "uniform"]

# What several releases say: partly the same, which counts once, or each something of its own; "sets" weighs as
# "shared", and counts only the people whom the candidate sets disclose
Evidence: TypeAlias = Literal["shared", "independent", "sets"]


def intersect(
    releases: Iterable[ReleaseOrResult | WithNoise],
    *,
    people: object,
    quasi: str | Sequence[str] | None = None,
    person: str | None = None,
    truth: str | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | Sequence[Locate | None] | None = None,
    suppressed: SuppressedPeople | None = None,
    prior: PriorName = "pooled",
    present: StatedPresence | Sequence[StatedPresence] = None,
    evidence: Evidence = "shared",
    same_values: Mapping[str, str] | None = None,
    missing_marks: str | Sequence[object] = (),
    split: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Exposure:
    """Return what independent releases about the same people disclose together.

    For each person: the values in their groups of all releases, and how likely each of these is, by the shares in the
    groups, where what several groups say together counts once.  People are taken one at a time: releases that share
    people constrain each other, so that the people counted as disclosed are a lower bound (`Exposure.is_lower_bound`).

    In "set" and "multiset" releases people have any number of values, and each value is a question of its own: does
    the person have it?  A value is certain when everybody in one of the groups has it, and ruled out when nobody has.

    Args:
        releases: `Release`s, what `protect` found, or `NoisyCounts`: these rule out nothing, and say how likely each
            value is by the counts that are to be expected behind the noise.  Of a value that they did not count they
            say nothing: it is taken to be as frequent in each group as in the other releases.
        people: whom the attacker looks for: a `Table`, which brings the truth with it, or any dataframe or file.
        quasi: the columns that the attacker knows of them; default: all that the releases print.
        person: the column that names people, to ask for a `witness` by name.
        truth: the column with the true values, to check the attacker.
        by: hierarchies: a printed label then also covers the values under it.  `*` covers everything.
        locate: how people are found; default: as the release was made, where that is known, else by "intervals"
            (`17-36`, `816**`, `{A, B}` and other printed forms are read).  "labels" (labels are names and nothing
            else), "nearest" (the nearest printed average), or a `Listed`; one for all or one each.  Who fits several
            groups may have the values of any of them.
        suppressed: who fits nothing that is printed is not located; "may hold them": is looked for among the rows that
            are `*` throughout, and the exposure says of how many people that was assumed.
        prior: what is believed before: "pooled" over all releases, or "uniform".
        present: who is in which release: a column of the people (yes or no, 1 or 0, or a probability), or a probability
            for all; one for all releases or one each.  Default: everybody is known to be in all of them.  A release
            rules out nothing for people who may not be in it.
        evidence: "shared" (what the groups of several releases say together counts once, by how much they agree),
            "independent" (each is evidence of its own: ∝ Π_j Pr_j(s) / prior(s)^(n−1), overconfident when releases go
            by the same columns) or "sets" (as "shared", and `Exposure.within` takes the count by candidate sets for
            the answer, although it is a lower bound where releases share people).
        same_values: what a value is called elsewhere, where releases use different words; {}: equal words only.
        missing_marks: texts that mean missing in what is known of people, such as "?".
        split: what separates several true values in one cell.
        encoding: how the letters of the people's file are written, as for `read_table`.
        sheet: which sheet of a spreadsheet the people are on.

    >>> import pyarrow as pa
    >>> from sidelight.release.release import Release
    >>> zips = [{"zip": "130**"}, {"zip": "148**"}]
    >>> one = Release.from_counts([{"AIDS": 1, "Flu": 2}, {"Flu": 3}], labels=zips)
    >>> other = Release.from_counts([{"AIDS": 2, "Cancer": 2}, {"Flu": 1, "Cancer": 1}], labels=zips)
    >>> exposure = intersect([one, other], people=pa.table({"zip": ["130**", "148**"]}))
    >>> exposure.perfect, exposure.candidates[0]
    (Fraction(1, 1), ('AIDS',))

    Source: Ganta, Kasiviswanathan and Smith, Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008.
    """
    several = expect_several(
        Release, releases, "releases", each="release", also=(SearchResult, ExpectedCounts, WithNoise)
    )
    published = [each.expected_counts() if isinstance(each, WithNoise) else each for each in several]
    lookups = lookups_for(published, by=by, locate=locate, suppressed=suppressed)
    _check_attacked(published, prior, evidence)
    marks = presence_for(present, len(published))
    looked_up = [(find_release(each), lookup) for each, lookup in zip(published, lookups, strict=True)]
    targets = people_of(
        people,
        known=_name_known_columns(looked_up, quasi, person),
        person=person,
        truth=truth,
        marks=[each for each in marks if isinstance(each, str)],
        reading=Roles(missing_marks=marks_of(missing_marks), split=split, encoding=encoding, sheet=sheet),
        several_values=looked_up[0][0].semantics != "single",
    )
    common = CommonDomain([release.groups for release, _ in looked_up], same_values)
    # before the views are built, so that noisy releases have every value that another one has
    whole = common.complete([(find_release(each).groups, find_parts(each)) for each in published])
    views = []
    for each, (release, lookup), groups, marked in zip(published, looked_up, whole, marks, strict=True):
        linkage = link(release, targets.known, len(targets), lookup, person=person)
        right, presence = share_linked_right(each, targets, linkage), targets.presence(marked)
        views.append(View(groups, common.counts(groups), linkage, *presence, right, find_parts(each)))
    beliefs, together = prior_of(views, prior), Together.independent(len(views))
    if evidence != "independent":
        together = estimate_agreement(views, beliefs, targets, [columns_of(*each) for each in looked_up])
    return _weigh_people(targets, tuple(views), common, beliefs, together, evidence=evidence)


def _weigh_people(
    people: People,
    views: tuple[View, ...],
    common: CommonDomain,
    prior: tuple[Fraction, ...],
    together: Together,
    *,
    evidence: Evidence,
) -> Exposure:
    """Intersect and weigh, some rows of people at a time."""
    left_open, likeliest = np.empty(len(people), np.int64), np.empty(len(people), np.int64)
    certain, contradictory, belief = np.empty(len(people), bool), np.empty(len(people), bool), np.empty(len(people))
    semantics, width = views[0].semantics, len(common.domain)
    placed = rows_in_some_group(views)
    row, code, count = entries = _list_true_values(people, placed, common)
    possible, in_truth, log_others = np.zeros((len(views) + 1, len(row)), bool), np.zeros(len(row)), 0.0
    # the posterior of a block is (rows, values); nothing of that size outlives the block
    for rows in cut_rows(views, np.arange(len(people))):
        may_have, must_have = values_in_all(views, rows), values_for_sure(views, rows)
        left_open[rows] = open_values(may_have, must_have, semantics)
        certain[rows], contradictory[rows] = decide_values(may_have, must_have, semantics)
        posterior = together.posteriors(views, prior, rows)
        # no value is possible, so there is no belief, whatever the weights say
        posterior[contradictory[rows]] = np.nan
        # argmax would choose a nan; in a row of nothing else it is index 0, and the belief stays nan
        likeliest[rows] = np.nan_to_num(posterior, nan=-1.0).argmax(axis=1)
        belief[rows] = posterior[np.arange(len(rows)), likeliest[rows]]
        # entries of the truth are sorted by row, so those of a block are a slice
        here = slice(*np.searchsorted(row, [rows[0], rows[-1] + 1]).tolist())
        at = row[here] - rows[0], code[here]
        for alone, bits in zip(possible, [*(view.values(rows) for view in views), may_have], strict=True):
            alone[here] = unpack_bits(bits, width)[at]
        # nan is a contradiction: nothing is believed there, and so the true value gets 0
        in_truth[here] = np.nan_to_num(posterior[at])
        if semantics != "single" and len(row):
            occurring = code[here] >= 0
            lacking = np.repeat(np.where(placed[rows], people.sizes[rows], 0)[:, np.newaxis], width, axis=1)
            np.subtract.at(lacking, tuple(each[occurring] for each in at), count[here][occurring])
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = lacking * np.log(1 - np.nan_to_num(posterior, nan=1.0))
            log_others += float(np.where(lacking > 0, logs, 0.0).sum())
    every = slice(None)
    # what each release alone leaves open, (releases, rows of people)
    alone = np.stack([open_values(view.values(every), view.sure_values(every), semantics) for view in views])
    figures = alone, left_open, certain, contradictory, belief, likeliest
    exposure = Exposure(people, views, common.domain, prior, together, *figures, evidence=evidence)
    # a value that occurs nowhere has code −1, which looked up the last one
    possible &= code >= 0
    return replace(exposure, truth=_check_truth(exposure, entries, possible, in_truth, log_others))


def _list_true_values(people: People, placed: Flags, common: CommonDomain) -> tuple[Integers, Integers, Integers]:
    """List the true values of located people: rows, in their order; values, −1 where they occur nowhere; how often."""
    if people.truth is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    true, counts = people.truth
    row, value, count = counts.entries()
    known = np.array([text is not None for text in true])[value] & placed[row]
    return row[known], common.codes(true)[value][known], count[known]


def _check_truth(
    exposure: Exposure,
    entries: tuple[Integers, Integers, Integers],
    possible: Flags,
    in_truth: Floats,
    log_others: float,
) -> TruthCheck | None:
    """Compute how often the attacker is right.

    By true value (entry): whether each release, and at last all of them, leave it `possible`, and the belief
    `in_truth`; with several values each, `log_others` adds up ln belief in what is not so.
    """
    (row, code, count), single = entries, exposure.semantics == "single"
    pairs, sizes, belief = int(count.sum()), exposure.people.sizes, exposure.belief
    if pairs == 0:
        return None
    totals = np.bincount(row, count, len(sizes)) if single else np.where(rows_in_some_group(exposure.views), sizes, 0)
    known = totals.astype(np.int64)  # people of whom the truth is known, by row
    people, in_truth = int(known.sum()), np.where(possible[-1], in_truth, 0.0)
    guessed = (exposure.likeliest[row] == code) & ~np.isnan(belief[row])
    right = np.bincount(row[guessed], count[guessed], len(sizes)).astype(np.int64)
    before = np.array([*map(float, exposure.prior), 0.0])[code]  # at −1: values that occur nowhere
    with np.errstate(divide="ignore"):
        log_belief = float(count @ np.log(in_truth)) + log_others
    bins = []
    for tenth in range(10):
        # a belief of exactly 1 belongs to the last bin, and a contradiction to none
        inside = (np.minimum(np.floor(belief * 10), 9) == tenth) & (known > 0)
        if inside.any():
            n = int(known[inside].sum())
            claimed, share = float(known[inside] @ belief[inside]) / n, Fraction(int(right[inside].sum()), n)
            bins.append(ClaimedValues(Fraction(tenth, 10), Fraction(tenth + 1, 10), n, claimed, share))
    hits, *hits_by_release = (Fraction(int(count[each].sum()), pairs) for each in (possible[-1], *possible[:-1]))
    return TruthCheck(
        people=people,
        hits=hits,
        hits_by_release=tuple(hits_by_release),
        given_away=Fraction(int(count[guessed & exposure.certain[row]].sum()), people),
        guessed=Fraction(int(count[guessed].sum()), people),
        belief=float(count @ in_truth) / pairs,
        belief_before=float(count @ before) / pairs,
        log_belief=log_belief / (pairs if single else people * len(exposure.domain)),
        calibration=ClaimedValues.merge(tuple(bins)),
    )


def _name_known_columns(
    looked_up: Sequence[tuple[Release, Lookup]], quasi: str | Sequence[str] | None, person: str | None
) -> list[str]:
    """Name what is known of people: what the caller says, or all that they can be found by."""
    named = any(names_people(*each) for each in looked_up)
    if named and person is None:
        raise BadTable(f"a release names its people; give {parameter('person')}, the column that names them")
    printed = dict.fromkeys(name for each in looked_up for name in columns_of(*each))
    known = dict.fromkeys(printed if quasi is None else as_names(quasi))
    if named and person is not None:
        known[person] = None
    if not known:
        raise BadTable(f"the releases print no columns to find people by; name what is known in {parameter('quasi')}")
    return list(known)


def _check_attacked(releases: Sequence[ReleaseOrResult], prior: str, evidence: str) -> None:
    if len(releases) == 0:
        raise BadRelease("no releases to compare; give at least one, and two to see what they give away together")
    if not is_one_of(prior, PriorName):
        raise BadRelease(f'no {parameter("prior", prior)}; choose "pooled" or "uniform"')
    if not is_one_of(evidence, Evidence):
        raise BadRelease(f'no {parameter("evidence", evidence)}; choose "shared", "independent" or "sets"')
    for number, each in enumerate(releases, start=1):
        expect_one_sensitive(find_release(each), f"release {number} of an attack")
    kinds = [find_release(each).semantics for each in releases]
    for number, kind in enumerate(kinds[1:], start=2):
        if (kind == "single") != (kinds[0] == "single"):
            raise BadRelease(
                f"release 1 has {parameter('values', kinds[0])} and release {number} {parameter('values', kind)}; "
                "one value per person and several cannot be compared: read both the same way"
            )


# Who is in a release: a column of the people that says so, a probability, or nothing said: known to be in it
StatedPresence: TypeAlias = str | float | Fraction | None


def presence_for(present: StatedPresence | Sequence[StatedPresence], releases: int) -> list[str | Fraction]:
    """Return for each release a column, or the probability that everybody is in it."""
    each = [present] * releases if present is None or isinstance(present, str | float | int | Fraction) else [*present]
    if len(each) != releases:
        raise BadTable(
            f"{parameter('present')} says who is in {counted(len(each), 'release')} of {releases}; "
            "give one for each, or one for all"
        )
    stated: list[str | Fraction] = []
    for one in each:
        probability = Fraction(1) if one is None else one
        if not isinstance(probability, str):
            probability = exact_number(probability, BadTable, "who is present")
            if not 0 <= probability <= 1:
                raise BadTable(f"{parameter('present', one)} is no probability; give a number from 0 to 1, or a column")
            probability = Fraction(probability)
        stated.append(probability)
    return stated


def _read_presence(column: str, text: Label) -> Fraction:
    """Parse a cell about a person's presence: a number from 0 to 1, or a word."""
    word = "" if text is None else str(text).lower()
    level = Fraction(word in ("yes", "true")) if word in ("yes", "true", "no", "false") else fraction_in(str(text))
    if level is None or not 0 <= level <= 1:
        what = "nothing" if text is None else "something else"
        raise BadTable(
            f"column '{column}' ({parameter('present')}) says {what} about some people; "
            "write yes or no, true or false, 1 or 0, or a probability in between"
        )
    return level


@dataclass(frozen=True, eq=False)
class People:
    """People by what is known about them: one row for all with the same values, `sizes[i]` people in row i."""

    known: tuple[Column, ...]
    sizes: Integers
    truth: tuple[tuple[Label, ...], Counts] | None = None  # a domain, and how often each row has each value of it
    marks: tuple[Column, ...] = ()  # what says who is in which release
    each_row: bool = False  # every row is treated as a person, although people may have several values
    source: object = None  # where names are read, in the column `person`, on demand
    person: str | None = None
    reading: Roles = field(default_factory=Roles)  # what odd cells mean, and how their file is written

    def __len__(self) -> int:
        return len(self.sizes)

    def presence(self, present: str | Fraction) -> tuple[tuple[Fraction, ...], Integers, str | None]:
        """Return how likely people are in a release, the index of that for each row, and the column that says so."""
        if isinstance(present, Fraction):
            return (present,), np.zeros(len(self), np.int64), None
        column = next(column for column in (*self.marks, *self.known) if column.name == present)
        # only labels that occur are read as probabilities; others may say anything
        used, codes = np.unique(column.codes, return_inverse=True)
        probabilities = tuple(_read_presence(present, column.labels[code]) for code in used.tolist())
        return probabilities, codes.astype(np.int64), present

    @property
    def total(self) -> int:
        """The number of people."""
        return int(self.sizes.sum())

    def column(self, name: str) -> Column | None:
        """Return the column of this name, or None."""
        return next((column for column in self.known if column.name == name), None)

    def row(self, who: str | int | Mapping[str, object]) -> int:
        """Return the row of a person: by name, by what is known, or by its number."""
        if isinstance(who, Mapping):
            return self._row_with({name: label(cell) for name, cell in who.items()})
        if self.person is not None:
            return self._row_with(self._find_known(label(who), self.person))
        if isinstance(who, str):
            raise BadTable(
                f"people have no names here; give {parameter('person')}, the column that names them, "
                "or say what is known"
            )
        if not 0 <= who < len(self):
            raise BadTable(f"there is no row {who}; rows of people who look alike are numbered 0 to {len(self) - 1}")
        return who

    def _find_known(self, name: Label, person: str) -> dict[str, Label]:
        *known, names = self._rows_by_name
        if name not in names.labels:
            raise BadTable(f"nobody among the people has that name; look it up in column '{person}'")
        row = int(np.flatnonzero(names.codes == names.labels.index(name))[0])
        cells = {column.name: column.cell(row) for column in known}
        return cells | ({person: name} if any(each.name == person for each in (*self.known, *self.marks)) else {})

    @cached_property
    def _rows_by_name(self) -> tuple[Column, ...]:
        names = [column.name for column in (*self.known, *self.marks) if column.name != self.person]
        return distinct_rows(self.source, [*names, str(self.person)], **file_roles(self.reading))[0]

    def _row_with(self, labels: Mapping[str, Label]) -> int:
        columns = (*self.known, *self.marks)
        names = [column.name for column in columns]
        for name in labels:
            if name not in names:
                raise UnknownColumn(f"nothing is known of a column '{name}'{did_you_mean(name, names)}")
        fits = np.ones(len(self), bool)
        for column in columns:
            if column.name in labels:
                # compared once per label, (labels,), then taken to the rows by their codes
                equal = [text == labels[column.name] for text in column.labels]
                fits &= np.array(equal, bool)[column.codes]
        rows = np.flatnonzero(fits)
        if len(rows) != 1:
            raise BadTable(
                f"{len(rows):,} rows of people fit that; say what is known in every column: {', '.join(names)}"
            )
        return int(rows[0])


def file_roles(reading: Roles) -> dict[str, Any]:
    """Return the settings of a file and its cells that do not name columns."""
    return {name: getattr(reading, name) for name in ("missing_marks", "encoding", "sheet")}


def people_of(
    source: object,
    *,
    known: Sequence[str],
    person: str | None = None,
    truth: str | None = None,
    marks: Sequence[str] = (),
    reading: Roles | None = None,
    several_values: bool = False,
) -> People:
    """Read people from a table, a dataframe or files, as `reading` says; raw rows meet one GROUP BY only."""
    columns = list(dict.fromkeys([*known, *marks]))
    reading = reading or Roles()
    for role, column in (("person", person), ("truth", truth)):
        expect_or_none(str, column, parameter(role))
    if isinstance(source, Table):
        return _from_table(source, known, columns, several_values=several_values)
    named: dict[str, Any] = {"source": source, "person": person, "reading": reading} if person else {}
    if several_values and truth is not None:
        if person is None and reading.split is None:
            raise BadTable(
                f"people may have several values; give {parameter('person')}, the column that says whose row it is, "
                f"or {parameter('split')}, what stands between values in one cell"
            )
        table = read_table(
            source,
            quasi=columns,
            sensitive=truth,
            person=person if reading.split is None else None,  # a row is a person then
            values="set",
            missing="no value",
            split=reading.split,
            **file_roles(reading),
        )
        return replace(_from_table(table, known, columns, several_values=True), **named)
    # the truth is read with the rest, and taken out again: it is not what the attacker knows
    names_of_columns = list(dict.fromkeys([*columns, *([truth] if truth else [])]))
    several_rows = several_values and person is not None
    rows, times = distinct_rows(
        source, names_of_columns, person=person, several_rows=several_rows, **file_roles(reading)
    )
    by_name = {column.name: column for column in rows}
    true = None
    if truth:
        values = by_name[truth]
        shape = len(times), len(values.labels)
        true = values.labels, Counts.from_entries(np.arange(len(times)), values.codes, times, shape)
    each_row = several_values and person is None and reading.split is None
    people = _join_alike([by_name[name] for name in columns], known, times, true)
    return replace(people, each_row=each_row, **named)


def _from_table(table: Table, known: Sequence[str], columns: Sequence[str], *, several_values: bool) -> People:
    """Return the people of a table, which brings the truth with it."""
    if table.semantics != ("set" if several_values else "single"):
        fitting = parameter("values", "set") if several_values else "one value each"
        raise BadTable(
            f"the releases need people with {fitting}, and this table has {parameter('values', table.semantics)}; "
            "read it so, or give rows without values"
        )
    return _join_alike([table.column(name) for name in columns], known, table.sizes, (table.domain, table.counts))


def _join_alike(
    columns: Sequence[Column], known: Sequence[str], sizes: Integers, truth: tuple[tuple[Label, ...], Counts] | None
) -> People:
    """Return people, a row for all with the same values; columns on presence are set apart from what is known."""
    number, first = number_equal_rows(tuple(columns), len(sizes))
    of_people = tuple(column.take(first) for column in columns if column.name in known)
    marks = tuple(column.take(first) for column in columns if column.name not in known)
    true = None if truth is None else (truth[0], truth[1].roll_up(number, groups=len(first)))
    return People(of_people, add_up(number, sizes, len(first)), true, marks)


def lookups_for(
    releases: Sequence[ReleaseOrResult],
    *,
    by: Mapping[str, Hierarchy] | None,
    locate: Locate | Sequence[Locate | None] | None,
    suppressed: SuppressedPeople | None,
) -> list[Lookup]:
    """Return how people are looked up in each release."""
    ways = [locate] * len(releases) if locate is None or isinstance(locate, str | Listed) else [*locate]
    if len(ways) != len(releases):
        raise BadRelease(
            f"{len(ways)} ways to locate people in {len(releases)} releases; give one for each, or one for all"
        )
    return [Lookup.build(by, way, suppressed) for way in ways]


def share_linked_right(published: ReleaseOrResult, people: People, linkage: Linkage) -> Fraction | None:
    """Return the share of the people in a search's table who were looked for in their group; None: nobody knows."""
    if not isinstance(published, SearchResult) or not isinstance(published.recoding, Regions):
        return None
    recoding = published.recoding
    if any(people.column(column.name) is None for column in recoding.table.quasi):
        return None
    # −1 is a row in no region: it is in the group of the suppressed, which a release has last, after all regions
    group = np.where(recoding.group < 0, len(recoding.sizes), recoding.group)
    true = link_listed((recoding.table.quasi, group, recoding.table.sizes), people.known, len(people))
    there = np.flatnonzero(true.matches[true.profile] == 1)
    if len(there) == 0:
        return None
    # a pair of profile and group is one number: whether it is among those linked is one lookup for all people
    true_group = true.group[true.starts[true.profile[there]]]
    width = len(recoding.sizes) + 2
    profile, linked = linkage.pairs
    right = np.isin(linkage.profile[there] * width + true_group, profile * width + linked)
    return Fraction(int(people.sizes[there[right]].sum()), int(people.sizes[there].sum()))


@dataclass(frozen=True, slots=True)
class ClaimedValues:
    """The confidence in people's likeliest values, `low` ≤ belief < `high`, and how often these are right."""

    low: Fraction
    high: Fraction
    people: int
    claimed: float  # the belief in the likeliest value, on average
    right: Fraction  # the share of them who have that value
    bins: tuple[ClaimedValues, ...] = ()  # of everybody: by tenths of belief, without those of nobody

    @classmethod
    def merge(cls, bins: tuple[ClaimedValues, ...]) -> ClaimedValues:
        """Merge bins."""
        people = sum(each.people for each in bins)
        claimed = math.fsum(each.people * each.claimed for each in bins) / max(people, 1)
        right = sum((each.people * each.right for each in bins), Fraction(0)) / max(people, 1)
        return cls(Fraction(0), Fraction(1), people, claimed, right, bins)

    @property
    def expected_error(self) -> float:
        """The expected calibration error: how far claims are from what is right, on average over people."""
        apart = math.fsum(each.people * abs(each.claimed - float(each.right)) for each in self.bins)
        return apart / max(self.people, 1)


@dataclass(frozen=True, slots=True)
class TruthCheck:
    """The accuracy of the attacker, among located people whose values are known; all shares are of those people.

    With several values per person `hits`, `hits_by_release` and the beliefs are over pairs of a person and a value that
    the person has; `log_belief` is over all pairs, whether the person has it or not.
    """

    people: int
    hits: Fraction  # the true value is among the candidates
    hits_by_release: tuple[Fraction, ...]  # … among those of one release alone
    given_away: Fraction  # it is certain
    guessed: Fraction  # it is what the attacker believes most
    belief: float  # in the true value, on average
    belief_before: float  # … before any release is looked at
    log_belief: float  # the mean of ln belief in what is so: −∞ once that was ruled out
    calibration: ClaimedValues

    @property
    def gain(self) -> float:
        """The increase of the belief in the true value, on average."""
        return self.belief - self.belief_before
