"""Soft facts, such as `Ann = Flu with 0.9`, weigh worlds.

    H          the hard facts; all worlds that fit them are equally likely
    Report     what soft facts say about one person (where people have one value each), or one other soft fact.  It
               divides the worlds into cells c, with q(c) the belief in c of an attacker who knows H and this report
               alone.  Cells of belief 0 are ruled out, for all reports: they belong to H
    Weight     Pr(K | R) of a world R, up to a factor: Π over reports of q(c) / Pr(c | H), with R in c
    Answer     Pr(E | K, D*) = Σ_R Pr(K | R)·[E holds in R] / Σ_R Pr(K | R), over the worlds R that fit H

With one report that is Jeffrey's rule, Pr(E | K) = Σ_c q(c)·Pr(E | c, H).  Several reports are treated as independent
sources: given the world, one says nothing about the other, so their likelihoods multiply, in any order.  Reports about
groups that no fact links stay as they are; those that bear on each other (two people of one group share its values)
move each other, as two witnesses do.

What is said about one person is one report, because it speaks of one distribution: of sets of values S_i with q_i.  Two
of them must split the values alike (S or its complement within or beside T or its complement); then the sets, each
turned so that it lacks some first value, form a tree, and a cell is a set without those below it:

    q(cell of S)  =  q(S) − Σ q(T) over the largest T below S,      at least 0, and 0 where no value is left

Source: Chen, LeFevre and Ramakrishnan, Privacy Skyline, VLDB 2007, section 8 (probabilistic external knowledge);
Jeffrey, The Logic of Decision, 1965, chapter 11.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from sidelight.errors import BadKnowledge, Contradiction, shortened
from sidelight.knowledge.facts import Compound, Fact, OneOf, SoftFact, Who, conjuncts, holds, named_values, person_text
from sidelight.worlds.counting.compile import WeightedFact, components

if TYPE_CHECKING:
    from sidelight.table.labels import Label
    from sidelight.worlds.counting.counter import WorldCounter


def separate(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], tuple[SoftFact, ...]]:
    """Return hard facts and soft ones; soft facts that are certain or impossible count as hard.

    >>> from sidelight.knowledge.parse import read_facts
    >>> hard, soft = separate(read_facts("Ann = Flu with 0.9 and Bob = Flu with 0 and Cleo = Cold"))
    >>> [str(fact) for fact in (*hard, *soft)]
    ['Bob != Flu', 'Cleo = Cold', 'Ann = Flu with 0.9']
    """
    hard: list[Fact] = []
    soft: list[SoftFact] = []
    for fact in facts:
        if not isinstance(fact, SoftFact):
            hard.append(fact)
        elif fact.probability in (0, 1):
            hard += conjuncts(fact.fact if fact.probability else ~fact.fact)
        else:
            soft.append(fact)
    return tuple(hard), tuple(dict.fromkeys(soft))


def weigh(
    counter: WorldCounter, hard: tuple[Fact, ...], soft: Sequence[SoftFact]
) -> tuple[tuple[Fact, ...], tuple[str, ...]] | None:
    """Return the facts that rule worlds out or weigh them, and notes; `None` if no world fits."""
    for value in dict.fromkeys(value for fact in soft for atom in fact.atoms() for value in named_values(atom)):
        counter.release.groups.code_of(value)  # refuses a value that nobody could have
    by_subject: dict[Hashable, list[SoftFact]] = {}
    for fact in soft:
        # soft facts about one person are one report; others only if one is the other, or its negation
        subject = fact.people() if _is_about_one(counter, fact) else _positive(fact)[0]
        by_subject.setdefault(subject, []).append(fact)
    reports = list(by_subject.values())
    about_people = [about for about in reports if _is_about_one(counter, about[0])]
    others = [about for about in reports if not _is_about_one(counter, about[0])]
    # what reports rule out is as certain as a hard fact, and known to the sources of other reports
    ruled_out = [
        ~OneOf(who, sorted_as(shares, values))
        for about in about_people
        for who, shares in [_value_shares(counter, hard, about[0])]
        for values, belief in person_cells(about, shares).items()
        if not belief
    ]
    certain = (*hard, *ruled_out)
    possible = counter.probability(certain)
    if not possible:
        return None
    weighted: list[WeightedFact] = []
    for about in about_people:
        who, shares = _value_shares(counter, certain, about[0])
        weighted += _cell_weights(who, person_cells(about, shares), shares)
    for about in others:
        weighted += _likelihood(about, counter.joint(certain, about[0].fact)[1] / possible)
    return (*certain, *weighted), tuple(_report_notes(counter, hard, reports))


def _value_shares(counter: WorldCounter, facts: Sequence[Fact], about: SoftFact) -> tuple[Who, dict[Label, Fraction]]:
    """Return the person of a soft fact, and the share of all worlds that fit in which they have each possible value.

    The shares need not add up to 1.
    """
    (who,) = about.people()
    marginals = counter.marginals(facts, who)
    return who, {value: marginals[value] for value in counter.release.domain if marginals.get(value)}


def _is_about_one(counter: WorldCounter, fact: SoftFact) -> bool:
    """Return whether a soft fact speaks of the one value that one person has."""
    return counter.release.semantics == "single" and len(fact.people()) == 1


def _positive(fact: SoftFact) -> tuple[Fact, Fraction]:
    if isinstance(fact.fact, Compound) and fact.fact.word == "not":
        return _positive(SoftFact(fact.fact.facts[0], 1 - fact.probability))
    return fact.fact, fact.probability


def _likelihood(about: Sequence[SoftFact], before: Fraction) -> Iterator[WeightedFact]:
    belief = about[0].probability
    if len({_positive(fact)[1] for fact in about}) > 1:
        raise contradiction(about, "say different things of the same")
    if before in (0, 1):
        raise _no_matter_of_degree(about[0], always=bool(before))
    # q / Pr of the worlds in which the fact holds, against that of the others: only the ratio matters
    ratio = belief / before / ((1 - belief) / (1 - before))
    if ratio != 1:
        yield WeightedFact(about[0].fact, ratio.numerator, ratio.denominator)


def person_cells(about: Sequence[SoftFact], shares: Mapping[Label, Fraction]) -> dict[frozenset[Label], Fraction]:
    """Return cells of the values that a person may have, and the belief in each; raise if soft facts contradict.

    No soft fact distinguishes values of a cell.

    >>> from sidelight.knowledge.facts import Has
    >>> flu, cold = Has("Ann", "Flu").with_probability(0.5), OneOf("Ann", ["Flu", "Cold"]).with_probability(0.9)
    >>> for values, belief in person_cells([flu, cold], {"Flu": 1, "Cold": 1, "Heart": 1}).items():
    ...     print(sorted(values), belief)
    ['Flu'] 1/2
    ['Cold'] 2/5
    ['Heart'] 1/10
    """
    every, first = frozenset(shares), next(iter(shares))
    beliefs: dict[frozenset[Label], Fraction] = {every: Fraction(1)}
    words: dict[frozenset[Label], SoftFact] = {}
    for fact in about:
        (who,) = fact.people()
        values = frozenset(value for value in every if holds(fact.fact, {who: frozenset([value])}))
        belief = fact.probability
        if values in (frozenset(), every):
            raise _no_matter_of_degree(fact, always=bool(values))
        # turned so that none holds the first value: sets that split the values alike are then within or beside
        values, belief = (every - values, 1 - belief) if first in values else (values, belief)
        if beliefs.setdefault(values, belief) != belief:
            raise contradiction([words[values], fact], "say different things of the same")
        words.setdefault(values, fact)
    for one, other in combinations(words, 2):
        # in a tree, two sets are disjoint, or one is within the other
        if one & other and not (one < other or other < one):
            texts = f"'{shortened(str(words[one]))}' and '{shortened(str(words[other]))}'"
            raise BadKnowledge(
                f"{texts} overlap, which leaves open how sure somebody is of each part; say it of each part"
            )
    cells = dict(_cell_of(values, beliefs, words) for values in beliefs)
    return {cell: belief for cell, belief in cells.items() if cell}


def _cell_of(
    values: frozenset[Label], beliefs: Mapping[frozenset[Label], Fraction], words: Mapping[frozenset[Label], SoftFact]
) -> tuple[frozenset[Label], Fraction]:
    """Return a set without those below it, and the belief in it minus the beliefs in those."""
    below = [other for other in beliefs if other < values]
    largest = [one for one in below if not any(one < other for other in below)]
    cell = values.difference(*largest)
    belief = beliefs[values] - sum((beliefs[other] for other in largest), Fraction(0))
    if belief < 0 or (belief and not cell):
        too = "too much" if belief < 0 else "too little"
        blamed = [fact for each, fact in words.items() if each in (values, *largest)]
        raise contradiction(blamed, f"add up to {too}")
    return cell, belief


def _cell_weights(
    who: Who, cells: Mapping[frozenset[Label], Fraction], shares: Mapping[Label, Fraction]
) -> Iterator[WeightedFact]:
    # the weight of a world in cell c is q(c) / Pr(c | H)
    odds = {cell: belief / sum(shares[value] for value in cell) for cell, belief in cells.items() if belief}
    (*weighted, (_, last)) = odds.items()
    for cell, each in weighted:
        ratio = each / last
        if ratio != 1:
            yield WeightedFact(OneOf(who, sorted_as(shares, cell)), ratio.numerator, ratio.denominator)


def sorted_as(order: Iterable[Label], values: frozenset[Label]) -> list[Label]:
    """Return values in a given order."""
    return [value for value in order if value in values]


def _no_matter_of_degree(fact: SoftFact, *, always: bool) -> Contradiction:
    return contradiction([fact], f"{'always' if always else 'never'} holds, and so is not a matter of degree")


def contradiction(
    blamed: Sequence[Fact], why: str, *, what: str = "belief", remedy: str = "change {}"
) -> Contradiction:
    """Return the error that no world, or belief, fits some facts; the remedy is for one of them."""
    names = " and ".join(f"'{shortened(str(fact))}'" for fact in blamed[:5])
    names += " and others" if len(blamed) > 5 else ""
    change = remedy.format("it" if len(blamed) == 1 else "one")
    message = f"no {what} fits the release and the facts: {names} {why}; {change}"
    return Contradiction(message, facts=tuple(map(str, blamed)))


def _report_notes(counter: WorldCounter, hard: Sequence[Fact], reports: Sequence[Sequence[SoftFact]]) -> Iterator[str]:
    group_of = counter.entities.group_of
    several = [[group_of[who] for who in fact.people()] for fact in (*hard, *(about[0] for about in reports))]
    first = components(dict.fromkeys(group for groups in several for group in groups), several)
    linked: dict[int, list[SoftFact]] = {}
    for about in reports:
        linked.setdefault(first[group_of[about[0].people()[0]]], []).append(about[0])
    for some in linked.values():
        if len(some) > 1:
            people = list(dict.fromkeys(person_text(who) for fact in some for who in fact.people()))
            names = ", ".join(map(shortened, people[:3])) + (", …" if len(people) > 3 else "")
            yield (
                f"what is said of {names} is taken as {len(some)} independent reports that bear on each other, "
                "so somebody may end up more or less sure than each says"
            )
