"""The way in: a release and statements become beliefs, of one value per person or of sets of them.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.

What would somebody believe about sets of values?  Each value by itself, as somebody has it or not.

P(q, S, b) is the chance that a person of the release is known as q, has the values S and is in group b.  The release
fixes P(q, b), and for each value v how many people of b have it; it says nothing of which values go together.

    H(q, S, b) = H(q, b) + H(S | q, b)  ≤  H(q, b) + Σ_v H(v ∈ S | q, b)

with equality if values are independent given (q, b).  Where every statement speaks of one value, nothing keeps them
from being so: the problem falls apart into one for each value v, of people who have v and people who do not, in the
same groups, which is that of one value per person (`beliefs`).  A value that no statement mentions has the closed form
P(v ∈ S | q, b) = n(v, b) / n(b).

Two things could link values after all, and are refused: a statement about several values at once, and what is not
known about people in more than one value's statements: how many a group hides (`parts`), or in which of several groups
a named person is.  Where one value's statements are about people whom groups hide, its estimate of how many those are
is that of all values: they are independent of whom it tells apart.

Source: ours, on Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, pair_equal
from sidelight.errors import BadKnowledge, BadMeasure, expect, mapping_or_empty, parameter
from sidelight.knowledge.events import keep_conditions_on_values
from sidelight.knowledge.facts import Who, as_who
from sidelight.knowledge.statements import Statements, read_statements
from sidelight.max_entropy.beliefs import Beliefs, Certificate, MeantPeople, ReleaseBeliefs, beliefs_of
from sidelight.max_entropy.constraints import NOBODY, shares_of
from sidelight.max_entropy.key_beliefs import KeyBeliefs, KeysOfPeople
from sidelight.max_entropy.problem import Variables
from sidelight.progress import Progress, quiet
from sidelight.release.locate import Lookup, SuppressedPeople
from sidelight.release.release import Release, whole_groups
from sidelight.rounding import exact_number, round_down
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Counts, expect_one_sensitive
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.knowledge.statements import Statement
    from sidelight.release.groups import GroupName
    from sidelight.table.hierarchy import Hierarchy


HAS = 0
"""The value of those who have it, in the release about one value; the other one is of those who have not."""


def set_beliefs_of(
    variables: Variables, known: tuple[Statement, ...], *, deadline: float, progress: Progress = quiet
) -> SetBeliefs:
    """Compute the distribution of largest entropy, value by value; `variables` are of the release with sets."""
    release = variables.release
    by_value: dict[Label, list[Statement]] = {}
    for each in known:
        by_value.setdefault(_value_of(release, each), []).append(each)

    def of_value(value: Label, stated: Sequence[Statement]) -> Beliefs:
        who_has_it = replace(variables, release=_split_by_value(release, value))
        return beliefs_of(who_has_it, tuple(stated), deadline=deadline, progress=progress)

    solved = {value: of_value(value, stated) for value, stated in by_value.items()}
    _check_independent(solved)
    # without statements the people are the same whatever the value, so that the first one will do
    return SetBeliefs(variables, known, solved, of_value(release.domain[0], ()))


def _value_of(release: Release, known: Statement) -> Label:
    values = dict.fromkeys(
        value
        for share in shares_of([known])
        for has in (*keep_conditions_on_values(share.event), *keep_conditions_on_values(share.given))
        for value in has.values
    )
    if not values:
        message = f"'{known.words}' names no value, and where people have sets of values, each is believed by itself"
        raise BadKnowledge(message)
    for value in values:
        release.groups.code_of(value)  # an error names the nearest
    if len(values) > 1:
        message = (
            f"'{known.words}' links {len(values)} values, and where people have sets of values, each is believed by "
            "itself; say a statement for each of them"
        )
        raise BadKnowledge(message)
    return next(iter(values))


def _split_by_value(release: Release, value: Label) -> Release:
    groups = release.groups
    having = groups.counts.column(groups.code_of(value))
    # (groups, 2): who has the value, and who has not
    cells = np.stack((having, groups.sizes - having), axis=1)
    about = whole_groups(
        domain=(value, f"not {shown(value)}"),
        sizes=groups.sizes,
        counts=Counts.from_cells(cells),
        columns=groups.columns,
    )
    return Release(about, release.sensitive, release.people, members=release.members, printing=release.printing)


def _check_independent(solved: Mapping[Label, Beliefs]) -> None:
    """Refuse what links values: what is not known about people, and part of the estimate of more than one value."""
    hidden = [value for value, each in solved.items() if _depends_on_hidden(each)]
    if len(hidden) > 1:
        message = (
            f"statements about {len(hidden)} values are about people whom some groups may hide, which links these "
            "values; ask with the statements about one of them at a time"
        )
        raise BadKnowledge(message)
    for each in solved.values():
        somewhere = [who for who, rows in each.constraints.people.items() if len(rows) > 1]
        if somewhere and len(solved) > 1:
            message = (
                f"{counted(len(somewhere), 'person')} may be in several groups, which links the values that statements "
                "speak of; ask with the statements about one value at a time"
            )
            raise BadKnowledge(message)


def _depends_on_hidden(beliefs: Beliefs) -> bool:
    members, parts = beliefs.variables.members, beliefs.variables.parts
    return bool((parts.divided_rows & beliefs.touched_groups[members.group]).any())


@dataclass(frozen=True, eq=False, repr=False)
class SetBeliefs(ReleaseBeliefs):
    """What somebody believes about people with sets of values, by maximum entropy; made by `maxent`.

    Each probability is that of having a value, among others; those of a person may add up to more or less than one.

    >>> import sidelight as sl
    >>> visits = sl.Release.from_counts([{"Flu": 2, "Cold": 3}], sizes=[4], values="set", labels=[{"age": "30-39"}])
    >>> beliefs = sl.maxent(visits, ["P(Flu | person=#1) = 0.1"])
    >>> [round(beliefs.probability(value, person=sl.Someone(1)), 6) for value in ("Flu", "Cold")]
    [0.1, 0.75]
    """

    of_value: Mapping[Label, Beliefs]  # of each value that a statement mentions: who has it and who has not
    nothing_known: Beliefs  # the same people, of whom no statement is

    @cached_property
    def people(self) -> Beliefs:
        """What is believed about who is meant: that of the one value whose statements are about hidden people."""
        return next((each for each in self.of_value.values() if _depends_on_hidden(each)), self.nothing_known)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: whom statements may mean, and which say nothing about this release."""
        return tuple(dict.fromkeys(note for each in self.of_value.values() for note in each.notes))

    @property
    def undecided(self) -> int:
        """How many amounts are next to nothing that may be 0, as the time was up, over all values (see `Beliefs`)."""
        return sum(each.undecided for each in self.of_value.values())

    def notes_on(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return whom a condition may mean besides those who are certain."""
        return self.people.notes_on(given)

    def meant(self, given: Mapping[str, object], *, group: GroupName | int | None = None) -> MeantPeople:
        """Return how many people a condition means for certain, and how many more may be meant."""
        return self.people.meant(given, group=group)

    def names(self, person: Who) -> bool:
        """Return whether a statement names this person."""
        return any(each.names(person) for each in self.of_value.values())

    def find_touched_groups(self, value: int) -> Flags:
        """Return which groups (by row) a statement about a value touches."""
        beliefs = self.of_value.get(self.release.domain[value])
        return np.zeros(len(self.release), bool) if beliefs is None else beliefs.touched_groups

    def probability(
        self,
        value: object,
        *,
        given: Mapping[str, object] | None = None,
        group: GroupName | int | None = None,
        person: object = None,
    ) -> float:
        """Return the probability that a person who says this has the value, whatever others they have.

        `given` names columns and cells; `group` is the group that the person is known to be in; `person` somebody
        whom the statements name.
        """
        if isinstance(value, list | tuple | set):
            message = "of sets, each value is believed by itself; ask about one value at a time"
            raise BadKnowledge(message)
        text, code = label(value), self.release.groups.code_of(label(value))
        if person is not None:
            return self._probability_of_person(text, code, as_who(person))
        beliefs = self.of_value.get(text)
        # whom a group hides is estimated by the only value whose statements ask about them
        if beliefs is not None and (beliefs is self.people or not _depends_on_hidden(self.people)):
            return beliefs.probability(text, given=given, group=group)
        return self.people.average_rates(self._rates(code), given=given, group=group)

    def _probability_of_person(self, text: Label, code: int, who: Who) -> float:
        if text in self.of_value and self.of_value[text].names(who):
            return self.of_value[text].probability(text, person=who)
        named = [each for each in self.of_value.values() if each.names(who)]
        if not named:
            message = "no statement names this person; ask with given= instead"
            raise BadKnowledge(message)
        rows = named[0].constraints.people[who]
        if len(rows) > 1:
            message = "this person may be in several groups; ask about the value that statements speak of"
            raise BadKnowledge(message)
        return float(self._rates(code)[rows[0]])

    def _rates(self, code: int) -> Floats:
        """Return P(v ∈ S | q, b) for each row (q, b)."""
        beliefs, groups = self.of_value.get(self.release.domain[code]), self.release.groups
        if beliefs is not None:
            return beliefs.rates(HAS)
        rates: Floats = (groups.counts.column(code) / groups.sizes)[self.variables.members.group]
        return rates

    @cached_property
    def entries(self) -> tuple[Integers, Integers, Floats]:
        """All rows (q, b) with the values of their groups, and how many people have them: row, value, people."""
        members, groups = self.variables.members, self.release.groups
        group, value, count = groups.counts.entries()
        order = np.argsort(group, kind="stable")
        # every row with all values of its group
        row, at = pair_equal(members.group, group[order])
        value, count = value[order][at], count[order][at]
        rates = count / groups.sizes[members.group[row]]
        for text in self.of_value:
            code = groups.code_of(text)
            mentioned = value == code
            rates[mentioned] = self._rates(code)[row[mentioned]]
        return row, value, rates * members.people[row]

    @cached_property
    def by_kind(self) -> KeyBeliefs:
        """As `by_key`, and people whom the statements about a value tell apart or name, for that value."""
        kinds, names = [self.by_key.keys], tuple[str, ...]()
        entries = [(self.by_key.key, self.by_key.value, self.by_key.probability)]
        for text, beliefs in self.of_value.items():
            apart = beliefs.by_kind
            special = np.flatnonzero((apart.keys.part >= 0) | (apart.keys.person != NOBODY))
            at = np.flatnonzero((apart.value == HAS) & np.isin(apart.key, special))
            # special kinds of this value are numbered behind those of all values before
            kind = sum(map(len, kinds)) + np.searchsorted(special, apart.key[at])
            entries.append((kind, np.full(len(at), self.release.groups.code_of(text)), apart.probability[at]))
            of_value = apart.keys.take(special)
            person = np.where(of_value.person >= 0, of_value.person + len(names), of_value.person)
            kinds.append(replace(of_value, person=person))
            names += apart.keys.names
        key, value, probability = map(np.concatenate, zip(*entries, strict=True))
        keys = KeysOfPeople.concatenate(kinds, names)
        return KeyBeliefs(self.people.variables, keys, self.release.domain, key, value, probability)

    def forget_statements(self, seconds: float) -> SetBeliefs:
        """Return what follows from the release alone, which takes no time."""
        del seconds
        return replace(self, known=(), of_value={})

    @cached_property
    def certificate(self) -> Certificate:
        """What shows that this is the distribution of largest entropy: that of all values together."""
        each = [beliefs.certificate for beliefs in self.of_value.values()]
        return Certificate(
            residual=max((one.residual for one in each), default=0.0),
            misplaced=max((one.misplaced for one in each), default=0.0),
            multipliers={words: pushes for one in each for words, pushes in one.multipliers.items()},
            forced_zeros=sum(one.forced_zeros for one in each),
        )


SOLVER_SECONDS = 600.0
"""How long solving may take, unless otherwise said."""


def maxent(
    release: Release,
    knowing: Statements = (),
    *,
    people: Mapping[str, Mapping[str, object]] | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    suppressed: SuppressedPeople | None = None,
    seconds: float = SOLVER_SECONDS,
    progress: Progress = quiet,
) -> Beliefs | SetBeliefs:
    """Compute what an attacker believes who sees this release, knows these statements, and assumes nothing else.

    Of all distributions P(q, s, b) of what is known about a person (q), the value (s) and the group (b) that fit the
    release and the statements, the one of largest entropy.  This is another model than counting possible worlds
    (`posterior`): the two agree when nothing is known, and may differ otherwise.

    A statement is also about people in groups that print less than it asks, such as `*` or `30-39`: how many of them
    are meant is not known, and part of the estimate (`beliefs.notes` tells).  `by` are hierarchies that say what
    printed labels stand for; `people` says who somebody is whom a statement names: column → cell.  As everywhere,
    nobody is assumed to be in suppressed rows (`*` in every column): whole groups are suppressed, so whoever is known
    in every column and fits a printed group is in that one, and whoever fits none is nowhere, unless
    `suppressed="may hold them"` is said.  Raises `Contradiction` with a smallest set of statements that cannot all
    hold, and `TooHard` when it takes longer than `seconds`; where only details are open by then, `beliefs.undecided`
    and the notes say so.  Of a release with sets of values, see `SetBeliefs`.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "male"}, {"sex": "male"}, {"sex": "female"}], ["Flu", "Cold", "Breast cancer"])])
    >>> maxent(ward).probability("Flu", given={"sex": "male"})
    0.3333333333333333
    >>> beliefs = maxent(ward, knowing=["P(Breast cancer | sex=male) = 0"])
    >>> beliefs.probability("Breast cancer", given={"sex": "female"})
    1.0
    >>> labels = [{"city": "Ulm", "sex": "f"}, {"city": "Ulm", "sex": "*"}]
    >>> wards = Release.from_counts([{"Flu": 1, "Cold": 1}, {"Flu": 1, "Cold": 2}], labels=labels)
    >>> print(*maxent(wards, knowing=["P(Flu | sex=f) = 1/3"]).notes)
    sex=f: 2 people for certain; 3 people in 1 group may be meant too, of whom the estimate takes 1.54 to be

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
    """
    expect(Release, release, "what is seen")
    expect_one_sensitive(release, "maximum entropy")
    if release.semantics == "multiset":
        message = (
            "maximum entropy needs one value per person, or a set of them, and this release has "
            f"{parameter('values', release.semantics)}; read it with {parameter('values', 'set')}"
        )
        raise BadMeasure(message)
    # rounded down: a deadline may come early, never late
    deadline = time.monotonic() + round_down(exact_number(seconds, BadMeasure, parameter("seconds")))
    lookup = Lookup.build(by, suppressed=suppressed)
    somebody = Variables(
        release,
        mapping_or_empty(people, parameter("people"), '{"Ann": {"sex": "f"}}'),
        nodes=lookup.nodes(release),
        look_in_suppressed=lookup.suppressed == "may hold them",
    )
    believe = set_beliefs_of if release.semantics == "set" else beliefs_of
    return believe(somebody, read_statements(knowing), deadline=deadline, progress=progress)
