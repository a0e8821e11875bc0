"""What is printed about a cluster: the mean of its numbers, the mode or the common ancestor of its labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.search.orders import Order
from sidelight.table.columns import Column, Integers
from sidelight.table.days import as_text
from sidelight.table.labels import SUPPRESSED, Label, in_order, label

Labels: TypeAlias = Literal["mode", "ancestor"]
"""How labels that are no numbers are averaged: the most frequent one, or the lowest that the hierarchy has for all."""


def stretch(group: Integers, place: Integers, groups: int) -> tuple[Integers, Integers]:
    """Give the stretch of places that each group's cells occupy."""
    first, last = np.full(groups, np.iinfo(np.int64).max), np.full(groups, -1)
    np.minimum.at(first, group, place)
    np.maximum.at(last, group, place)
    return first, last + 1


def averaged(
    order: Order, group: Integers, place: Integers, people: Integers, *, groups: int, labels: Labels
) -> Column:
    """Print one column of clusters; `group`, `place` and `people` have a row per cell of the table."""
    if order.numeric:
        return _means(order, group, place, people, groups)
    if labels == "ancestor":
        return _ancestors(order, *stretch(group, place, groups))
    modes = _modes(group * len(order.labels) + place, people, len(order.labels))
    return _encoded(order.name, [order.labels[at] for at in modes.tolist()])


def _means(order: Order, group: Integers, place: Integers, people: Integers, groups: int) -> Column:
    """Average the numbers or days that are known, to about a hundredth of the column's range; missing where none is."""
    known = np.array([text is not None for text in order.labels])
    weights = people * known[place]
    total = np.bincount(group, weights=weights, minlength=groups)
    sums = np.bincount(group, weights=weights * order.position[place], minlength=groups)
    means = np.round(sums / np.maximum(total, 1), rounding(order.position[known]))
    said: Callable[[float], Label] = as_text if order.days else label
    return _encoded(order.name, [said(mean) if n else None for mean, n in zip(means.tolist(), total, strict=True)])


def rounding(numbers: Floats) -> int:
    """Give the decimals (negative: tens, hundreds, …) that tell a hundredth of a range apart.

    >>> rounding(np.array([17.0, 90.0])), rounding(np.array([0.0, 99_999.0])), rounding(np.array([7.0, 7.0]))
    (1, -2, 2)
    """
    whole = float(numbers.max() - numbers.min())
    return 2 - math.floor(math.log10(whole)) if whole else 2


def _ancestors(order: Order, start: Integers, stop: Integers) -> Column:
    """Go up the hierarchy until all labels of a group are one; without such a level, `*`."""
    texts: list[Label] = [SUPPRESSED] * len(start)
    for level in reversed(range(len(order.levels))):
        same = order.levels[level, start] == order.levels[level, stop - 1]  # a node covers neighbours
        for row in np.flatnonzero(same).tolist():
            texts[row] = order.nodes[level][order.levels[level, start[row]]]
    return _encoded(order.name, texts)


def _modes(keys: Integers, people: Integers, width: int) -> Integers:
    """Give each group's most frequent place, of several the first; keys are group · width + place."""
    known, kind = np.unique(keys, return_inverse=True)
    often = np.bincount(kind, weights=people)
    best = np.lexsort((known, -often, known // width))
    _, first = np.unique(known[best] // width, return_index=True)
    modes: Integers = known[best][first] % width
    return modes


def _encoded(name: str, texts: list[Label]) -> Column:
    labels = in_order(texts)
    codes = {text: code for code, text in enumerate(labels)}
    return Column(name, labels, np.array([codes[text] for text in texts], np.int32))
