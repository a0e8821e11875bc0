"""Mondrian's generations against cutting one group after the other in plain Python, with nothing sorted or packed."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.search.effort import EFFORT
from sidelight.search.mondrian import cut_everybody
from sidelight.search.mondrian_frontier import KeyStore, label_counts
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.utility import candidate_groups
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

COUNTRIES = {"America": {"South": ["Chile", "Peru"], "North": ["Cuba"]}, "Europe": {"West": ["France", "Spain"]}}
BY = {"country": sl.Hierarchy.nested("country", COUNTRIES)}
POLICIES = (
    (sl.GroupSize() >= 1,),
    (sl.GroupSize() >= 3,),
    (sl.GroupSize() >= 2, sl.DistinctValues() >= 2),
    (sl.Closeness() <= Fraction(1, 2),),
    (sl.Implications(1) <= Fraction(9, 10),),
    (sl.GroupSize() >= 2, sl.Acquaintance(others=2) <= Fraction(4, 5)),
)


@st.composite
def keyed_tables(draw) -> Table:
    """Draw keys of a number that may be missing, a country with a hierarchy and a letter without; people have values."""
    cells = st.tuples(
        st.sampled_from([None, "0", "1", "2", "3", "10", "11", "40"]),
        st.sampled_from(["Chile", "Peru", "Cuba", "France", "Spain"]),
        st.sampled_from("xyz"),
    )
    keys = draw(st.lists(cells, min_size=1, max_size=14, unique=True))
    people = st.lists(st.integers(0, 2), min_size=1, max_size=3)
    counts = np.array([np.bincount(draw(people), minlength=3) for _ in keys])
    age, country, letter = zip(*keys, strict=True)
    columns = (Column.of("age", age), Column.of("country", country), Column.of("letter", letter))
    return Table(columns, "disease", ("Flu", "Cold", "Ulcer"), counts.sum(axis=1), Counts.from_cells(counts))


class PlainMondrian:
    """Groups are lists of keys.  A cut is (column, first rank of the right half, people left, keys right)."""

    def __init__(self, table, orders, criteria, target):
        self.table, self.orders, self.target = table, orders, target
        self.check = PolicyCheck.from_policy(criteria, table.people)
        self.ranks = [order.ranks(column).tolist() for order, column in zip(orders, table.quasi, strict=True)]
        self.groups = [list(range(len(table.sizes)))]

    def people(self, keys):
        return int(self.table.sizes[keys].sum())

    def along(self, keys, column):
        """List the cuts at the deepest borders, the most balanced first, of equal ones the lowest."""
        order, rank = self.orders[column], self.ranks[column]
        borders = list(pairwise(sorted({rank[key] for key in keys})))
        depth = [int(order.depth(np.array([one]), np.array([other]))[0]) for one, other in borders]
        cuts = []
        for (_, place), deep in zip(borders, depth, strict=True):
            if deep == max(depth):
                left = self.people([key for key in keys if rank[key] < place])
                cuts.append((column, place, left, {key for key in keys if rank[key] >= place}))
        return sorted(cuts, key=lambda cut: (abs(2 * cut[2] - self.people(keys)), cut[1]))

    def columns(self, keys):
        """Give the cuts of each column that can be cut, columns in the order in which they are tried."""
        cuts = [each for each in (self.along(keys, column) for column in range(len(self.orders))) if each]
        return sorted(cuts, key=lambda each: -self.score(keys, each[0]))

    def score(self, keys, cut):
        if self.target is None:
            order, ranks = self.orders[cut[0]], [self.ranks[cut[0]][key] for key in keys]
            return (order.position[max(ranks)] - order.position[min(ranks)]) / order.width
        halves = ([key for key in keys if key not in cut[3]], sorted(cut[3]))
        both, left, right = (self.target.dense()[part].sum(axis=0) for part in (keys, *halves))
        return uncertainty(both) - uncertainty(left) - uncertainty(right)

    def release(self, groups):
        cells = np.array([self.table.counts.dense()[keys].sum(axis=0) for keys in groups])
        sizes = np.array([self.people(keys) for keys in groups])
        return candidate_groups(self.table, sizes, Counts(cells.shape, cells=cells))

    def accepts(self, number, cut):
        """Judge both halves on their own, then the release that the cut would make."""
        left, right = [key for key in self.groups[number] if key not in cut[3]], sorted(cut[3])
        if not self.check.holds_in_each(self.release([left, right]), if_close=True).all():
            return False
        groups = [*self.groups[:number], left, *self.groups[number + 1 :], right]
        return all(check.holds_exactly(self.release(groups)) for check in self.check.together)

    def run(self):
        active = [0]
        while active:
            undecided, following = list(active), []
            # all groups try the most balanced cut of each column, then those that are left all others
            for some in (slice(0, 1), slice(1, None)):
                accepted = []
                for number in undecided:
                    for cut in (cut for cuts in self.columns(self.groups[number]) for cut in cuts[some]):
                        if self.accepts(number, cut):
                            accepted.append(number)
                            self.groups.append(sorted(cut[3]))
                            self.groups[number] = [key for key in self.groups[number] if key not in cut[3]]
                            break
                new = range(len(self.groups) - len(accepted), len(self.groups))
                following += [*accepted, *new]
                undecided = [number for number in undecided if number not in accepted]
            active = following
        return self.groups


def uncertainty(counts):
    logs = np.log(np.maximum(counts, 1))
    return counts.sum() * np.log(max(counts.sum(), 1)) - (counts * logs).sum()


@pytest.mark.parametrize("keys_at_once", [1, 1 << 17])
@given(keyed_tables(), st.sampled_from(POLICIES), st.sampled_from([None, "letter"]))
@examples(60)
def test_generations_make_the_same_groups_with_the_same_numbers(keys_at_once, table, criteria, towards):
    orders = column_orders(table.quasi, BY)
    target = None if towards is None else label_counts(table, towards)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EFFORT, "keys", keys_at_once)
        store = KeyStore.from_table(table, orders)
        cut_everybody(store, PolicyCheck.from_policy(criteria, table.people), target=target)
    groups = PlainMondrian(table, orders, criteria, target).run()
    assert [np.flatnonzero(store.group == number).tolist() for number in range(len(store))] == groups
