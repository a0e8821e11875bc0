"""How long does it take to say what somebody who knows some facts would conclude?

    python benchmarks/facts.py          all cases, for RESULTS.md

1 million people in 10,000 groups of 100, 20 values equally likely.  The baseline is reading the same counts as a
measure does: the negations of k = 1 over all groups.  Each case asks `posterior` for one person's value, five times
with fresh facts; the slowest counts.  Making the release is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from results import write_part

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.release.release import whole_groups
from sidelight.table.counts import Counts
from sidelight.table.table import Semantics

GROUPS, PEOPLE, VALUES, TURNS = 10_000, 100, 20, 5
DOMAIN = tuple(f"v{value:02d}" for value in range(VALUES))
Facts = list[sl.Fact]


def release_of(semantics: Semantics) -> sl.Release:
    cells = np.random.default_rng(2007).multinomial(PEOPLE, np.full(VALUES, 1 / VALUES), size=GROUPS)
    sizes = np.full(GROUPS, PEOPLE)
    return sl.Release(whole_groups(domain=DOMAIN, sizes=sizes, counts=Counts.from_cells(cells), semantics=semantics))


# --- the knowledge: about eight people of one group, or twenty of twenty groups ------------------------------


def value(rng: np.random.Generator) -> str:
    return DOMAIN[rng.integers(VALUES)]


def some(rng: np.random.Generator, many: int) -> list[str]:
    return [DOMAIN[place] for place in rng.choice(VALUES, many, replace=False)]


def person(rng: np.random.Generator, people: int = 8) -> sl.Someone:
    return sl.Someone(1, 1 + int(rng.integers(people)))


def known_values(_rng: np.random.Generator) -> Facts:
    return [sl.Has(sl.Someone(1, number), DOMAIN[number]) for number in range(2, 9)]


def negations(rng: np.random.Generator) -> Facts:
    return [~sl.Has(sl.Someone(1, number), value(rng)) for number in range(1, 9) for _ in range(3)]


def one_of_ten(rng: np.random.Generator) -> Facts:
    return [sl.OneOf(sl.Someone(1, number), some(rng, 10)) for number in range(1, 9)]


def chain(rng: np.random.Generator) -> Facts:
    return [
        sl.Has(sl.Someone(1, number), value(rng)).implies(sl.Has(sl.Someone(1, number + 1), value(rng)))
        for number in range(1, 8)
    ]


def implications(rng: np.random.Generator) -> Facts:
    return [sl.Has(person(rng), value(rng)).implies(sl.Has(person(rng), value(rng))) for _ in range(16)]


def mixed(rng: np.random.Generator) -> Facts:
    p = [sl.Someone(1, number) for number in range(1, 9)]
    return [
        sl.Has(p[0], value(rng)).implies(sl.Has(p[1], value(rng))),
        sl.Same(p[1], p[2]) | sl.Has(p[3], value(rng)),
        ~sl.Has(p[4], value(rng)),
        sl.OneOf(p[5], some(rng, 5)),
        sl.Has(p[6], value(rng)).implies(~sl.Same(p[6], p[7])),
        sl.Same(p[0], p[4]).implies(sl.Has(p[5], value(rng))),
    ]


def all_the_same(_rng: np.random.Generator) -> Facts:
    return [sl.Same(sl.Someone(1, number), sl.Someone(1, number + 1)) for number in range(1, 8)]


def neighbours_differ(rng: np.random.Generator) -> Facts:
    return [~fact for fact in all_the_same(rng)]


def all_differ(_rng: np.random.Generator) -> Facts:
    return [~sl.Same(sl.Someone(1, one), sl.Someone(1, other)) for one in range(1, 9) for other in range(one + 1, 9)]


def twenty_groups(rng: np.random.Generator) -> Facts:
    def anyone() -> sl.Fact:
        return sl.Has(sl.Someone(1 + int(rng.integers(20))), value(rng))

    return [anyone().implies(anyone()) for _ in range(20)]


CASES: dict[str, Callable[[np.random.Generator], Facts]] = {
    "8 people, values of 7 known": known_values,
    "8 people, 24 negations": negations,
    "8 people, each one of 10 values": one_of_ten,
    "8 people, a chain of implications": chain,
    "8 people, 16 implications": implications,
    "8 people, mixed": mixed,
    "8 people, all the same": all_the_same,
    "8 people, neighbours differ": neighbours_differ,
    "8 people, all differ": all_differ,
    "20 implications, 20 people in 20 groups": twenty_groups,
}


# --- the race ------------------------------------------------------------------------------------------------


def seconds(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def slowest(release: sl.Release, case: Callable[[np.random.Generator], Facts]) -> float | None:
    """The slowest of several questions; nothing when one is too hard."""
    took = []
    for seed in range(TURNS):
        facts = case(np.random.default_rng(seed))
        target = sl.Has(facts[0].people()[0], DOMAIN[0])
        try:
            took.append(seconds(lambda facts=facts, target=target: sl.posterior(release, target, given=facts)))
        except TooHard:
            return None
    return max(took)


def lines() -> Iterator[str]:
    semantics: tuple[Semantics, ...] = ("single", "set", "multiset")
    releases = {each: release_of(each) for each in semantics}
    base = min(seconds(lambda: sl.Negations(1).measure(releases["single"])) for _ in range(TURNS))
    yield f"Negations(1) over all groups: {base * 1e3:.1f} ms."
    yield ""
    yield "| knowledge | " + " | ".join(f"{each}, ms (times the baseline)" for each in semantics) + " |"
    yield "| --- " + "| ---: " * len(semantics) + "|"
    for name, case in CASES.items():
        took = [slowest(releases[each], case) for each in semantics]
        told = ["too hard" if each is None else f"{each * 1e3:.1f} ({each / base:.1f})" for each in took]
        print(name, told, flush=True)
        yield f"| {name} | {' | '.join(told)} |"


if __name__ == "__main__":
    table = "\n".join(lines())
    how = f"`python benchmarks/facts.py`: 1 million people in groups of 100, slowest of {TURNS} questions."
    write_part("facts", how, table)
