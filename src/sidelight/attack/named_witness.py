"""Name the real people of a worst investigation, from the publisher's table.

A witness of `Acquaintance` speaks of anyone of a group, of as many others, of as many relatives.  In the table there
are people of whom all of it is true: a target t who has the value σ (then no value that is ruled out is t's, and
whatever is said of t's family holds), others who have the values that the witness needs, and relatives, who may be any.
An attacker who can tell which row is whose, and finds out just that, reaches the finding's probability for t.

How much luck does it take?  All worlds that fit the release are equally likely to an attacker who knows no more:

    exists   in what share of them are there any such people?  In all where people have one value or a set of them, for
             the groups print it.  In a multiset, k others must lack σ: at most n − k people share its a occurrences,

                 Pr = Σ_{d ≤ n−k} C(n, d) · surj(a, d) / n^a,      between ((n−k)/n)^a and C(n, k) times that

    holds    in what share of them would these very people do, had they been chosen blindly?  Those in which the others
             have such values between them, in any order: Π C(n_f(v), u_v) over all v / C(n_f, k) in `single`,
             C(n_f − a, k) / C(n_f, k) in `set`, ((n_f − k)/n_f)^a in `multiset`; times what `odds` says of the target
             and the family, given the others.

Names stand in the answer and nowhere else: no document, message or repr has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.engines.read import distinct_rows
from sidelight.errors import BadMeasure, BadTable, expect, parameter
from sidelight.measures.criterion import Amount, Finding
from sidelight.measures.exact import BITS_REPORTED, RatioArithmetic, compute_exactly
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance, AcquaintanceWitness
from sidelight.release.locate import Locate, Lookup, SuppressedPeople, link
from sidelight.release.release import Release
from sidelight.rounding import in_words, round_up
from sidelight.table.labels import Label, in_order, shown
from sidelight.text import counted
from sidelight.worlds.closed_forms import odds

if TYPE_CHECKING:
    from sidelight.release.groups import GroupName
    from sidelight.table.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, repr=False)
class NamedWitness:
    """Real people whose values would break a release, and in what share of worlds there are such people.

    For the publisher alone: it holds names and, by what the witness says of them, values.
    """

    finding: Finding
    target: Label  # who would be shown to have the value, and has it
    others: tuple[tuple[Label, Label], ...]  # name, value that is found out; where people have several: one they lack
    family: tuple[Label, ...]
    targets: tuple[Label, ...]  # all who could be the target of the same investigation
    exists: tuple[Amount, Amount]  # the share of worlds in which there are such people, or bounds of it
    holds: Amount  # the share in which these very people are such, whichever of the others has which value

    @property
    def people(self) -> tuple[Label, ...]:
        """All people about whom something would have to be found out, the target first."""
        return (self.target, *(name for name, _ in self.others), *self.family)

    def explain(self) -> str:
        """Write the witness with names, for the publisher's eyes."""
        witness = _acquaintance(self.finding)
        value = shown(witness.value)
        single = witness.semantics == "single"
        learns = [f"{shown(name)} {'has' if single else 'does not have'} {shown(each)}" for name, each in self.others]
        about_target = [f"{shown(self.target)} does not have {shown(each)}" for each in witness.rules_out if single]
        relatives = [f"if {shown(name)} has {value}, so has {shown(self.target)}" for name in self.family]
        known = "; ".join((*about_target, *learns, *relatives)) or "nothing"
        low, high = self.exists
        share = in_words(low) if low == high else f"between {in_words(low)} and {in_words(high)}"
        worlds = "all worlds" if low == 1 else f"{share} of all worlds"
        which = ", whoever of the others has which value" if len({each for _, each in self.others}) > 1 else ""
        return (
            f"{shown(self.target)} could be shown to have {value} with probability {in_words(self.finding.value)} by "
            f"someone who knows: {known}. Such people exist in {worlds} that fit the release; these very people are "
            f"such in {in_words(self.holds)} of all{which}."
        )

    def __repr__(self) -> str:
        others, relatives = counted(len(self.others), "other"), counted(len(self.family), "relative")
        return f"<NamedWitness: a target, {others} and {relatives}>"


def name_witness(
    finding: Finding,
    release: Release,
    table: object,
    *,
    person: str,
    by: Mapping[str, Hierarchy] | None = None,
    locate: Locate | None = None,
    suppressed: SuppressedPeople | None = None,
) -> NamedWitness:
    """Return the people of a finding of `Acquaintance` by name, for publishers alone.

    Args:
        finding: what `Acquaintance` found of the release, on its own or as part of a verdict.
        release: the release that was measured.
        table: the rows it was made from (or the published rows with names): a file, or any dataframe.
        person: the column that names people.
        by: hierarchies, where printed labels cover what the table says.
        locate: how people are found in the release, as in `intersect`.
        suppressed: "may hold them": who fits nothing that is printed is looked for among suppressed rows.

    Raises:
        BadTable: the table's people are not those of the groups in question, or nobody there fits the witness.

    >>> import pyarrow as pa
    >>> rows = pa.table({
    ...     "name": ["Ann", "Bob", "Cleo", "Dan"], "age": ["31", "34", "38", "45"],
    ...     "disease": ["Flu", "Cold", "AIDS", "Flu"]})
    >>> release = Release.from_counts(
    ...     [{"Flu": 1, "Cold": 1, "AIDS": 1}, {"Flu": 1}], labels=[{"age": "30-39"}, {"age": "40-49"}])
    >>> from dataclasses import replace
    >>> release = replace(release, sensitive="disease")
    >>> finding = Acquaintance(others=2, value="AIDS").measure(release)
    >>> named = name_witness(finding, release, rows, person="name")
    >>> named.target, named.others, named.exists[0], named.holds
    ('Cleo', (('Bob', 'Cold'), ('Ann', 'Flu')), Fraction(1, 1), Fraction(1, 3))
    """
    expect(Release, release, "the release")
    witness = _acquaintance(expect(Finding, finding, "what people are named for"))
    members = _find_members(release, table, witness, person, Lookup.build(by, locate, suppressed))
    have_value = [name for name, values in members[witness.group].items() if witness.value in values]
    others = _others(witness, members)
    # the target is chosen last, among those whose value has not been found out
    taken = {name for name, _ in others}
    targets = tuple(name for name in have_value if name not in taken)
    if not targets:
        raise BadTable("nobody in the table fits this witness; measure the release again")
    relatives = members[witness.family.group] if witness.family else {}
    free = [name for name in relatives if name not in taken and name != targets[0]]
    family = tuple(free[: witness.family.people]) if witness.family else ()
    seen = finding.measure.targets.view_release(release) if isinstance(finding.measure, Acquaintance) else release
    exists, holds = _exists(seen, witness), _holds(seen, witness)
    return NamedWitness(finding, targets[0], others, family, targets, exists, holds)


def _acquaintance(finding: Finding) -> AcquaintanceWitness:
    if not isinstance(finding.measure, Acquaintance) or not isinstance(finding.witness, AcquaintanceWitness):
        raise BadMeasure(f"'{finding.measure}' has no investigation to name people for; measure sl.Acquaintance")
    if finding.witness.any_of and finding.witness.semantics == "set":
        raise BadMeasure("people with any of several values are not named where people have sets; ask about one value")
    return finding.witness


# Group → name → the person's values, in the order of names
PeopleOfGroups: TypeAlias = "dict[GroupName, dict[Label, frozenset[Label]]]"


def _find_members(
    release: Release, table: object, witness: AcquaintanceWitness, person: str, lookup: Lookup
) -> PeopleOfGroups:
    """Find the people of the groups in question; they must be exactly those whom the release prints there."""
    columns = [column.name for column in release.groups.columns if column.name != person]
    rows, times = distinct_rows(table, [*columns, release.sensitive, person])
    *known, values, names = rows
    linkage = link(release, known, len(times), lookup)
    only_one = linkage.matches[linkage.profile] == 1
    # people who fit no group, or several, are in none
    group = np.full(len(times), -1)
    group[only_one] = linkage.group[linkage.starts[:-1][linkage.profile[only_one]]]
    members: PeopleOfGroups = {}
    for name in witness.investigation.groups():
        row = name.number - 1
        here = np.flatnonzero(group == row).tolist()
        cells = [(names.cell(index), values.cell(index), int(times[index])) for index in here]
        if release.semantics == "single" and None not in release.domain:  # who has no value is in no release
            cells = [cell for cell in cells if cell[1] is not None]
        # answers about others than the group's people would be worse than none
        people = {who for who, _, _ in cells}
        occurring: Counter[Label] = Counter()
        for _, text, count in cells:
            occurring[text] += count if release.semantics != "set" else 1
        if None not in release.domain:  # then it stands for having none
            del occurring[None]
        size = int(release.groups.sizes[row])
        if None in people or len(people) != size or dict(occurring) != release.groups.value_counts(row):
            raise BadTable(
                f"the table's people are not those of group {row + 1}: {len(people):,} of them are located there, and "
                f"it has {counted(size, 'person')}; give the table it was made from, its column that names people, and "
                f"hierarchies ({parameter('by')})"
            )
        members[name] = {
            who: frozenset(
                witness.value if text in witness.any_of else text for other, text, _ in cells if other == who
            )
            for who in in_order({who for who, _, _ in cells})
        }
    return members


def _others(witness: AcquaintanceWitness, members: PeopleOfGroups) -> tuple[tuple[Label, Label], ...]:
    """Choose the people whose values are found out, the first by name of those who fit."""
    if witness.others is None:
        return ()
    there = members[witness.others.group]
    if witness.semantics != "single":
        lacking = [(name, witness.value) for name, values in there.items() if witness.value not in values]
        if len(lacking) < witness.others.people:
            raise BadTable(
                "in this table fewer people lack the value than the witness needs; no such investigation is true"
            )
        return tuple(lacking[: witness.others.people])
    having: dict[Label, list[Label]] = {}
    for name, values in there.items():
        having.setdefault(next(iter(values)), []).append(name)
    return tuple((name, value) for value, people in witness.others.values for name in having[value][:people])


def _exists(release: Release, witness: AcquaintanceWitness) -> tuple[Amount, Amount]:
    if witness.others is None or witness.semantics != "multiset":
        return Fraction(1), Fraction(1)
    groups = release.group(witness.others.group)
    people, count = int(groups.sizes[0]), int(groups.counts.row(0)[groups.code_of(witness.value)])
    return share_that_leave_out(people, count, witness.others.people)


def share_that_leave_out(
    people: int, occurrences: int, without: int, *, most_steps: int = 1_000_000
) -> tuple[Amount, Amount]:
    """Return the share of the ways to assign occurrences to people in which at least `without` get none.

    Where counting would take more than `most_steps`, bounds of it.

    >>> share_that_leave_out(3, 2, 1), share_that_leave_out(3, 2, 2)
    ((Fraction(1, 1), Fraction(1, 1)), (Fraction(1, 3), Fraction(1, 3)))
    """
    most = people - without
    if occurrences <= most:
        return Fraction(1), Fraction(1)
    if most == 0:
        return Fraction(0), Fraction(0)
    if occurrences * most > most_steps or occurrences * people.bit_length() > BITS_REPORTED:
        # the two bounds of the module in logarithms; 1e-9 covers the rounding of the sums
        logs = occurrences * (np.log(most) - np.log(people))
        choices = sum(np.log(people - index) - np.log(index + 1) for index in range(min(without, most)))
        return max(float(np.exp(logs)) * (1 - 1e-9), 0.0), min(
            float(np.exp(min(logs + choices, 0.0))) * (1 + 1e-9), 1.0
        )
    # ways[d]: occurrences so far that d people share; the next one goes to one of them, or to another person
    ways = [1, *([0] * most)]
    for _ in range(occurrences):
        ways = [0, *(ways[d] * d + ways[d - 1] * (people - d + 1) for d in range(1, most + 1))]
    share = Fraction(sum(ways), people**occurrences)
    return share, share


def _holds(release: Release, witness: AcquaintanceWitness) -> Amount:
    """Return the share of worlds in which what the witness knows is true of people who were chosen blindly."""
    bits = sum(
        int(group.sizes[0]) + int(group.counts.row(0).sum())
        for group in map(release.group, witness.investigation.groups())
    )
    others, choices = witness.others, 1  # how many could be the target
    if witness.semantics == "single":  # else `odds` are probabilities
        beside = others.people if others is not None and others.group == witness.group else 0
        choices = int(release.group(witness.group).sizes[0]) - beside

    def others_hold(arithmetic: RatioArithmetic[Any]) -> Any:  # noqa: ANN401
        if others is None:
            return arithmetic.ratio(1, 1)
        groups = release.group(others.group)
        people, counts = int(groups.sizes[0]), groups.value_counts(0)
        if witness.semantics == "multiset":
            return arithmetic.ratio(people - others.people, people) ** counts.get(witness.value, 0)
        if witness.semantics == "set":
            ways = comb(people - counts.get(witness.value, 0), others.people)
        else:
            ways = prod(comb(counts[value], number) for value, number in others.values)
        return arithmetic.ratio(ways, comb(people, others.people))

    def share(arithmetic: RatioArithmetic[Any]) -> Amount:
        has, lacks = odds(release, witness.investigation, arithmetic.ratio)
        # `odds` leaves out a factor of one value each: how many could be the target
        true = others_hold(arithmetic) * (has + lacks) / choices
        return min(round_up(true), 1.0) if isinstance(true, Decimal) else Fraction(true)

    return compute_exactly(bits, BITS_REPORTED, share)
