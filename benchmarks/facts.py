"""How long does it take to say what somebody who knows some facts would conclude?

    python benchmarks/facts.py          all cases, for RESULTS.md

1 million people in 10,000 groups of 100, 20 values equally likely.  The baseline is reading the same counts as a
measure does: the negations of k = 1 over all groups.  Each case asks `posterior` for one person's value, five times
with fresh facts; the slowest counts.  Making the release is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import combinations, pairwise
from operator import or_

import numpy as np
from results import quick, write_part

import sidelight as sl
from sidelight.errors import Contradiction, TooHard
from sidelight.release.groups import whole_groups
from sidelight.table.labels import Semantics
from sidelight.table.table import Counts

GROUPS, PEOPLE, VALUES, TURNS = (100, 100, 20, 1) if quick() else (10_000, 100, 20, 5)
DOMAIN = tuple(f"v{value:02d}" for value in range(VALUES))
Facts = list[sl.Fact]


def release_of(semantics: Semantics) -> sl.Release:
    cells = np.random.default_rng(2007).multinomial(PEOPLE, np.full(VALUES, 1 / VALUES), size=GROUPS)
    sizes = np.full(GROUPS, PEOPLE)
    return sl.Release(whole_groups(domain=DOMAIN, sizes=sizes, counts=Counts.from_cells(cells), semantics=semantics))


# --- the knowledge: about eight people of one, two or eight groups, or twenty of twenty groups -----------------------

LAYOUTS = {
    "one group": [sl.Someone(1, number) for number in range(1, 9)],
    "two groups": [sl.Someone(1 + number % 2, 1 + number // 2) for number in range(8)],
    "eight groups": [sl.Someone(group) for group in range(1, 9)],
}
People = list[sl.Someone]


class Chance:
    """Draws people and values."""

    def __init__(self, people: People, seed: int) -> None:
        self.people, self.rng = people, np.random.default_rng(seed)

    def value(self) -> str:
        return DOMAIN[self.rng.integers(VALUES)]

    def values(self, many: int) -> list[str]:
        return [DOMAIN[place] for place in self.rng.choice(VALUES, many, replace=False)]

    def some(self, many: int) -> People:
        return [self.people[place] for place in self.rng.choice(len(self.people), many, replace=False)]

    def has(self) -> sl.Fact:
        return sl.Has(self.some(1)[0], self.value())


def known_values(chance: Chance) -> Facts:
    return [sl.Has(person, chance.value()) for person in chance.people[1:]]


def negations(chance: Chance) -> Facts:
    return [~sl.Has(person, chance.value()) for person in chance.people for _ in range(3)]


def one_of_ten(chance: Chance) -> Facts:
    return [sl.OneOf(person, chance.values(10)) for person in chance.people]


def chain(chance: Chance) -> Facts:
    return [
        sl.Has(one, chance.value()).implies(sl.Has(other, chance.value())) for one, other in neighbours(chance.people)
    ]


def implications(chance: Chance) -> Facts:
    return [chance.has().implies(chance.has()) for _ in range(16)]


def more_implications(chance: Chance) -> Facts:
    return [chance.has().implies(chance.has()) for _ in range(32)]


def clauses(chance: Chance) -> Facts:
    return [chance.has() | ~chance.has() | chance.has() for _ in range(16)]


def mixed(chance: Chance) -> Facts:
    p = chance.people
    return [
        sl.Has(p[0], chance.value()).implies(sl.Has(p[1], chance.value())),
        sl.Same(p[1], p[2]) | sl.Has(p[3], chance.value()),
        ~sl.Has(p[4], chance.value()),
        sl.OneOf(p[5], chance.values(5)),
        sl.Has(p[6], chance.value()).implies(~sl.Same(p[6], p[7])),
        sl.Same(p[0], p[4]).implies(sl.Has(p[5], chance.value())),
    ]


def all_the_same(chance: Chance) -> Facts:
    return [sl.Same(*pair) for pair in neighbours(chance.people)]


def neighbours_differ(chance: Chance) -> Facts:
    return [~fact for fact in all_the_same(chance)]


def all_differ(chance: Chance) -> Facts:
    return [~sl.Same(*pair) for pair in combinations(chance.people, 2)]


def some_two_the_same(chance: Chance) -> Facts:
    return [reduce(or_, (sl.Same(*pair) for pair in combinations(chance.people, 2)))]


def neighbours(people: People) -> Iterator[tuple[sl.Someone, sl.Someone]]:
    return pairwise(people)


def twenty_groups(chance: Chance) -> Facts:
    return [chance.has().implies(chance.has()) for _ in range(20)]


CASES: dict[str, Callable[[Chance], Facts]] = {
    "values of 7 known": known_values,
    "24 negations": negations,
    "each one of 10 values": one_of_ten,
    "a chain of implications": chain,
    "16 implications": implications,
    "32 implications": more_implications,
    "16 clauses of 3": clauses,
    "mixed, with same(…)": mixed,
    "all the same": all_the_same,
    "neighbours differ": neighbours_differ,
    "all differ": all_differ,
    "some two are the same": some_two_the_same,
}


# --- the race ------------------------------------------------------------------------------------------------


def seconds(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def slowest(release: sl.Release, people: People, case: Callable[[Chance], Facts]) -> float | None:
    """The slowest of several questions; nothing when one is too hard."""
    took = []
    for seed in range(TURNS):
        facts = case(Chance(people, seed))
        target = sl.Has(facts[0].people()[0], DOMAIN[0])
        try:
            took.append(seconds(lambda facts=facts, target=target: sl.posterior(release, target, given=facts)))
        except TooHard:
            return None
        except Contradiction:
            continue
    return max(took)


def lines() -> Iterator[str]:
    semantics: tuple[Semantics, ...] = ("single", "set", "multiset")
    releases = {each: release_of(each) for each in semantics}
    base = min(seconds(lambda: sl.Negations(1).measure(releases["single"])) for _ in range(TURNS))
    yield f"Negations(1) over all groups: {base * 1e3:.1f} ms."
    yield ""
    yield "| knowledge | people | " + " | ".join(f"{each}, ms (times the baseline)" for each in semantics) + " |"
    yield "| --- | --- " + "| ---: " * len(semantics) + "|"
    asked = [(name, f"8 in {where}", people, case) for name, case in CASES.items() for where, people in LAYOUTS.items()]
    twenty = [sl.Someone(group) for group in range(1, 21)]
    asked.append(("20 implications", "20 in 20 groups", twenty, twenty_groups))
    for name, where, people, case in asked:
        took = [slowest(releases[each], people, case) for each in semantics]
        told = ["too hard" if each is None else f"{each * 1e3:.1f} ({each / base:.1f})" for each in took]
        print(name, where, told, flush=True)
        yield f"| {name} | {where} | {' | '.join(told)} |"


if __name__ == "__main__":
    table = "\n".join(lines())
    how = f"`python benchmarks/facts.py`: 1 million people in groups of 100, slowest of {TURNS} questions."
    write_part("facts", how, table)
