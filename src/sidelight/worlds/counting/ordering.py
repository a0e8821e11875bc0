"""In which order do things come up, so that little must be remembered at a time?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def little_open(things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], *, late: Hashable = None) -> list[Thing]:
    """Take next what leaves least open: links between what came up and what is to come, or the ends of such links.

    A thing has several ends, each with its links.  What came up is remembered by its ends that still have open links
    or by these links, whichever are fewer.  Greedy, one step ahead; only what is linked to the open ones is looked at.
    The link `late` is opened late where that costs nothing.

    >>> little_open({"a": [{1}], "b": [{2, 3}], "c": [{1, 2}], "d": [{3}]})
    ['a', 'c', 'b', 'd']
    """
    sweep = _Sweep(things, late)
    order: list[Thing] = []
    rest = dict.fromkeys(things)
    while rest:
        near = [thing for thing in sweep.near() if thing in rest]
        order.append(min(near or rest, key=sweep.cost))
        sweep.take(order[-1])
        del rest[order[-1]]
    return order


class _Sweep(Generic[Thing]):
    """What is open so far."""

    def __init__(self, things: Mapping[Thing, Sequence[AbstractSet[Hashable]]], late: Hashable) -> None:
        self._late = late
        self._ends = {thing: [end for end in ends if end] for thing, ends in things.items()}
        self._links = {thing: Counter(link for end in ends for link in end) for thing, ends in self._ends.items()}
        self._left = Counter(link for ends in self._ends.values() for end in ends for link in end)
        self._whose: dict[Hashable, dict[Thing, None]] = defaultdict(dict)  # link → things, in their order
        for thing, links in self._links.items():
            for link in links:
                self._whose[link][thing] = None
        self._open: dict[Hashable, None] = {}  # links
        self._ends_of: dict[Hashable, list[int]] = defaultdict(list)  # open link → ends that came up
        self._links_of: list[int] = []  # end that came up → how many of its links are open
        self._open_ends = 0

    def near(self) -> Collection[Thing]:
        return dict.fromkeys(thing for link in self._open for thing in self._whose[link])

    def cost(self, thing: Thing) -> tuple[int, bool, int]:
        links = self._links[thing]
        closed = {link for link, number in links.items() if self._left[link] == number}
        opened = sum(link not in self._open for link in links if link not in closed)
        ends = self._open_ends + sum(bool(end - closed) for end in self._ends[thing])
        freed = Counter(end for link in closed for end in self._ends_of.get(link, ()))
        ends -= sum(number == self._links_of[end] for end, number in freed.items())
        open_links = len(self._open) + opened - sum(link in self._open for link in closed)
        return min(ends, open_links), self._late in links, -sum(link in self._open for link in links)

    def take(self, thing: Thing) -> None:
        for end in self._ends[thing]:
            number = len(self._links_of)
            self._links_of.append(len(end))
            self._open_ends += 1
            for link in end:
                self._left[link] -= 1
                self._open[link] = None
                self._ends_of[link].append(number)
        for link in [link for link in self._links[thing] if not self._left[link]]:
            del self._open[link]
            for number in self._ends_of.pop(link):
                self._links_of[number] -= 1
                self._open_ends -= self._links_of[number] == 0
