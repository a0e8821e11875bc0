"""In which order do things come up, so that little must be remembered at a time?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

from sidelight.worlds.effort import Meter

Thing = TypeVar("Thing", bound=Hashable)


def little_open(
    things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], meter: Meter, *, late: Hashable = None
) -> list[Thing]:
    """Take next what leaves least open: links between what came up and what is to come, or the ends of such links.

    A thing has several ends, each with its links.  What came up is remembered by its ends that still have open links
    or by these links, whichever are fewer.  Greedy, one step ahead; only what is linked to the open ones is looked at.
    The link `late` is opened late where that costs nothing.

    >>> from sidelight.worlds.budget import Budget
    >>> little_open({"a": [{1}], "b": [{2, 3}], "c": [{1, 2}], "d": [{3}]}, Meter(Budget()))
    ['a', 'c', 'b', 'd']
    """
    sweep = _Sweep(things, late)
    alone = iter(sorted(things, key=sweep.cost))  # where nothing is open, what is left costs what it did at first
    order: dict[Thing, None] = {}
    while len(order) < len(things):
        near = sweep.near()
        thing = min(near, key=sweep.cost) if near else next(each for each in alone if each not in order)
        order[thing] = None
        sweep.take(thing)
        meter.check_time()
    return list(order)


class _Sweep(Generic[Thing]):
    """What is open so far; what a thing would add to it is worked out anew where something near it changed."""

    def __init__(self, things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], late: Hashable) -> None:
        self._late = late
        self._ends = {thing: [end for end in ends if end] for thing, ends in things.items()}
        self._links = {thing: Counter(link for end in ends for link in end) for thing, ends in self._ends.items()}
        self._left = Counter(link for ends in self._ends.values() for end in ends for link in end)
        self._whose: dict[Hashable, dict[Thing, None]] = defaultdict(dict)  # link → things to come, in their order
        for thing, links in self._links.items():
            for link in links:
                self._whose[link][thing] = None
        self._open: dict[Hashable, None] = {}  # links
        self._near: dict[Thing, None] = {}
        self._ends_of: dict[Hashable, list[int]] = defaultdict(list)  # open link → ends that came up
        self._links_of: list[set[Hashable]] = []  # end that came up → its links that are open
        self._open_ends = 0
        self._known: dict[Thing, tuple[int, int, bool, int]] = {}  # what it would add

    def near(self) -> Collection[Thing]:
        """Give the things to come that are linked with what is open."""
        return self._near

    def cost(self, thing: Thing) -> tuple[int, bool, int]:
        """Say how much would be open, and what else speaks for or against a thing."""
        if thing not in self._known:
            self._known[thing] = self._added(thing)
        ends, links, late, opened = self._known[thing]
        return min(self._open_ends + ends, len(self._open) + links), late, opened

    def _added(self, thing: Thing) -> tuple[int, int, bool, int]:
        links = self._links[thing]
        closed = {link for link, number in links.items() if self._left[link] == number}
        were_open = {link for link in links if link in self._open}
        freed = Counter(end for link in closed for end in self._ends_of.get(link, ()))
        ends = sum(not closed.issuperset(end) for end in self._ends[thing])
        ends -= sum(number == len(self._links_of[end]) for end, number in freed.items())
        more = len(links.keys() - were_open - closed) - len(were_open & closed)
        return ends, more, self._late in links, -len(were_open)

    def take(self, thing: Thing) -> None:
        """Let a thing come up."""
        self._near.pop(thing, None)
        for link in self._links[thing]:
            del self._whose[link][thing]
            self._changed(link)
        for end in self._ends[thing]:
            number = len(self._links_of)
            self._links_of.append(set(end))
            self._open_ends += 1
            for link in end:
                self._left[link] -= 1
                self._open[link] = None
                self._ends_of[link].append(number)
        for link in [link for link in self._links[thing] if not self._left[link]]:
            del self._open[link]
            for number in self._ends_of.pop(link):
                self._links_of[number].discard(link)
                self._open_ends -= not self._links_of[number]
                for other in self._links_of[number]:
                    self._changed(other)

    def _changed(self, link: Hashable) -> None:
        for thing in self._whose[link]:
            self._near[thing] = None
            self._known.pop(thing, None)
