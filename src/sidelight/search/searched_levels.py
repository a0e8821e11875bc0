"""Levels that came out of a search: the data had a say in them."""

from __future__ import annotations


class SearchedLevels(dict[str, int]):
    """The level of each column, as a search picked it by looking at the table.

    A mapping like any other, but a noisy release knows it when it sees it: a grouping that was chosen from the
    data reveals something of the data, and that has to be paid for.
    """
