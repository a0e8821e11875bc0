"""How far off are COUNT queries answered from noisy counts?  The same queries that other releases are asked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sidelight.dp.noisy_counts import NoisyCounts
from sidelight.measures.exact import Floats
from sidelight.search.orders import Order, order_along
from sidelight.search.workload import Query, queries
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table


def noisy_query_error(noisy: NoisyCounts, table: Table, by: Mapping[str, Hierarchy]) -> float:
    """Give the mean relative error over 200 random queries, as the utility "query error" does for other releases.

    A group's people may be anywhere among the labels that its own covers, each of them alike.
    """
    orders = tuple(order_along(column, by.get(column.name)) for column in table.quasi)
    covered = tuple(_covered(noisy, order, name.name, by) for order, name in zip(orders, table.quasi, strict=True))
    least = table.people / 1000
    errors = []
    for query in queries(orders, len(table.domain)):
        true = query.answer(table, orders)
        errors.append(abs(_expected(noisy, table, query, covered) - true) / max(true, least))
    return float(np.mean(errors))


def _covered(noisy: NoisyCounts, order: Order, name: str, by: Mapping[str, Hierarchy]) -> Floats:
    """Say which share of a group's people stands up to each place: group × places, from 0 to 1; all at random."""
    places = len(order.labels)
    if name not in noisy.levels:
        return np.tile(np.arange(places + 1) / places, (len(noisy), 1))
    column = next(each for each in noisy.columns if each.name == name)
    coarse = [by[name].generalise(text, noisy.levels[name]) for text in order.labels]
    mine = np.array([[text == label for text in coarse] for label in column.labels], float)
    share = mine / np.maximum(mine.sum(axis=1, keepdims=True), 1)
    upto: Floats = np.concatenate((np.zeros((len(share), 1)), np.cumsum(share, axis=1)), axis=1)[column.codes]
    return upto


def _expected(noisy: NoisyCounts, table: Table, query: Query, covered: tuple[Floats, ...]) -> float:
    wanted = {text for text, asked in zip(table.domain, query.values, strict=True) if asked}
    values = np.array([text in wanted for text in noisy.domain])
    people = noisy.counts[:, values].sum(axis=1).astype(float)
    for column, (low, high) in query.ranges.items():
        people *= covered[column][:, high] - covered[column][:, low]
    return float(people.sum())
