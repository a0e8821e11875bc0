"""Linear statements about any events agree with a slow twin: everybody has variables of their own, events are tried out."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.examples import examples
from support.largest_entropy import amounts_of_largest_entropy

import sidelight as sl
from sidelight.errors import Contradiction
from sidelight.knowledge.events import (
    HasValue,
    InGroup,
    Joined,
    all_hold,
    any_holds,
    conditional_probability,
    event_of,
    negate,
)
from sidelight.knowledge.statements import Quantity, statement_of
from sidelight.max_entropy.maxent import maxent

SEX, TOWN, VALUES = ("m", "f"), ("x", "y"), ("a", "b", "c")


def is_of(event, line, value, group):
    """Try out an event on one person."""
    return all(_fulfils(condition, line, value, group) for condition in event)


def _fulfils(condition, line, value, group):
    match condition:
        case Joined("or", conditions):
            return any(_fulfils(each, line, value, group) for each in conditions)
        case Joined("and", conditions):
            return all(_fulfils(each, line, value, group) for each in conditions)
        case Joined("not", (of,)):
            return not _fulfils(of, line, value, group)
        case HasValue(values, others):
            return (value in values) != others
        case InGroup(number):
            return group == number
        case (column, cell):
            return line[column] == cell


class Twin:
    """A variable for everybody's every value; nothing is taken together, and n(C) is a sum of variables like any other."""

    def __init__(self, groups, keys):
        """`keys`: for each group the keys that each of its people may have."""
        self.variables, people = [], []
        for number, (lines, bag) in enumerate(groups, start=1):
            for at in range(len(lines)):
                people.append((number, at))
                self.variables += [(number, at, key, value) for key in keys(lines[at]) for value in sorted(set(bag))]
        sums = [(self._sum(lambda g, i, key, value, me=me: (g, i) == me), 1) for me in people]
        for number, (_, bag) in enumerate(groups, start=1):
            for value, times in Counter(bag).items():
                sums.append((self._sum(lambda g, i, key, v, at=(number, value): (g, v) == at), times))
        self.equal = [(row, total) for row, total in sums]

    def _sum(self, selects):
        return np.array([1.0 if selects(*variable) else 0.0 for variable in self.variables])

    def amount(self, event):
        return self._sum(lambda g, i, key, value: is_of(event, key, value, g))

    def program(self, known):
        """Bounds on sums; each denominator is known (n), or one for all terms (its own sum)."""
        equal, most = [*self.equal], []
        for terms, low, high in known:
            sizes = [self.size(share.given) for _, share in terms]
            if 0 in sizes:
                continue
            if None in sizes:
                over = self.amount(terms[0][1].given)
                whole = sum(float(c) * self.amount((*share.event, *share.given)) for c, share in terms)
                rows = {
                    side: whole - float(bound) * over
                    for side, bound in (("low", low), ("high", high))
                    if bound is not None
                }
                bounds = dict.fromkeys(rows, 0.0)
            else:
                whole = sum(
                    float(c / size) * self.amount((*share.event, *share.given))
                    for (c, share), size in zip(terms, sizes, strict=True)
                )
                rows = {side: whole for side, bound in (("low", low), ("high", high)) if bound is not None}
                bounds = {"low": low, "high": high}
            if low is not None and low == high:
                equal.append((rows["low"], float(bounds["low"])))
                continue
            most += [(-rows["low"], -float(bounds["low"]))] if "low" in rows else []
            most += [(rows["high"], float(bounds["high"]))] if "high" in rows else []
        return equal, most

    def size(self, event):
        """How many people are of an event, if that is the same in all that fits the release; found by linear programs."""
        amount = self.amount(event)
        matrix, right = (np.array(each) for each in zip(*self.equal, strict=True))
        ends = [sign * linprog(sign * amount, A_eq=matrix, b_eq=right).fun for sign in (1, -1)]
        return Fraction(round(ends[0])) if abs(ends[0] - ends[1]) < 1e-6 else None

    def _linear(self, known, goal):
        equal, most = self.program(known)
        (left, right), (upper, bound) = (
            map(np.array, zip(*each, strict=True)) if each else (None, None) for each in (equal, most)
        )
        return linprog(goal, A_eq=left, b_eq=right, A_ub=upper, b_ub=bound)

    def can_be(self, known):
        return self._linear(known, np.zeros(len(self.variables))).status == 0

    def solve(self, known):
        keep = np.array([-self._linear(known, -unit).fun > 1e-7 for unit in np.eye(len(self.variables))], bool)
        equal, most = self.program(known)
        matrix = np.array([row for row, _ in (*equal, *most)])
        right = np.array([bound for _, bound in (*equal, *most)])
        return amounts_of_largest_entropy(matrix, right, equalities=len(equal), keep=keep)


people = st.tuples(
    st.fixed_dictionaries({"sex": st.sampled_from(SEX), "town": st.sampled_from(TOWN)}), st.sampled_from(VALUES)
)
truths = st.lists(st.lists(people, min_size=1, max_size=3), min_size=1, max_size=3)


def conditions(cells, groups):
    atoms = st.sampled_from([*cells, *(InGroup(number) for number in range(1, groups + 1))])
    return st.recursive(
        atoms,
        lambda some: st.one_of(
            some.map(negate),
            st.lists(some, min_size=1, max_size=2).map(any_holds),
            st.lists(some, min_size=1, max_size=2).map(all_hold),
        ),
        max_leaves=3,
    )


@st.composite
def linear_statements(draw, world, groups, *, sizes_known, most_terms=2):
    """Statements that are true in a world, as (terms, low, high).

    Several shares are of one condition C, or of conditions whose sizes are known: without values, or of values alone.
    """
    domain = sorted({value for _, value, _ in world})
    values = st.builds(
        lambda some, others: HasValue(tuple(some), others and len(some) < len(domain)),
        st.lists(st.sampled_from(domain), min_size=1, max_size=2, unique=True),
        st.booleans(),
    )
    where = conditions(sorted({cell for line, _, _ in world for cell in line.items()}), groups)
    events = st.tuples(st.lists(values, max_size=1), st.lists(where, max_size=1))
    events = events.map(lambda each: event_of([*each[0], *each[1]])).filter(bool)
    known = []
    for _ in range(draw(st.integers(1, 2))):
        same = draw(st.none() | events) or ()
        of_known = draw(st.booleans()) and sizes_known
        quantity = Quantity(())
        for _ in range(draw(st.integers(1, most_terms))):
            given_ = draw(st.lists(draw(st.sampled_from([values, where])), max_size=1)) if of_known else same
            coefficient = draw(st.sampled_from([1, -1, 2, Fraction(-1, 2)]))
            quantity += Quantity([(Fraction(coefficient), conditional_probability(draw(events), tuple(given_)))])
        true = value_in(world, quantity)
        if true is not None:
            how, slack = (
                draw(st.sampled_from(["=", "<=", ">=", "between"])),
                draw(st.sampled_from([0, Fraction(1, 10)])),
            )
            known.append((quantity.terms, *bounds(how, true, slack, quantity)))
    return known


def value_in(world, quantity):
    """What a linear combination is, if everybody of whom it speaks is somebody."""
    total = Fraction(0)
    for coefficient, share in quantity.terms:
        there = [each for each in world if is_of(share.given, *each)]
        if not there:
            return None
        total += coefficient * Fraction(sum(is_of(share.event, *each) for each in there), len(there))
    return total if quantity.terms else None


def bounds(how, true, slack, quantity):
    """Bounds around the truth, within what could be."""
    least = sum(min(c, 0) for c, _ in quantity.terms)
    most = sum(max(c, 0) for c, _ in quantity.terms)
    low, high = (true, true) if how == "=" else (max(true - slack, least), min(true + slack, most))
    return None if how == "<=" else low, None if how == ">=" else high


def agree(beliefs, expected):
    assert beliefs.certificate.holds
    for row in beliefs.table().to_pylist():
        place = tuple(row[name] for name in ("sex", "town", "value", "group"))
        assert row["probability"] == pytest.approx(expected[place], abs=2e-5)


@examples(14)
@given(st.data())
def test_any_linear_statement_about_people_who_are_known(data):
    truth = data.draw(truths)
    world = [(line, value, number) for number, group in enumerate(truth, start=1) for line, value in group]
    known = data.draw(linear_statements(world, len(truth), sizes_known=True))
    groups = [([line for line, _ in group], [value for _, value in group]) for group in truth]
    twin = Twin(groups, lambda line: [line])
    expected = Counter()
    for (number, _, key, value), amount in zip(twin.variables, twin.solve(known), strict=True):
        expected[key["sex"], key["town"], value, number] += amount / len(world)
    agree(maxent(sl.Release.from_buckets(groups), [statement_of(*each) for each in known]), expected)


@examples(12)
@given(st.data())
def test_any_linear_statement_about_people_whom_groups_hide(data):
    """Each group prints one town, and `*` where it has both sexes; each sex is printed somewhere."""
    truth = [[({**line, "town": group[0][0]["town"]}, value) for line, value in group] for group in data.draw(truths)]
    truth = [*truth[:2], *([({"sex": sex, "town": "x"}, "a")] for sex in SEX)]
    world = [(line, value, number) for number, group in enumerate(truth, start=1) for line, value in group]
    known = data.draw(linear_statements(world, len(truth), sizes_known=False))
    groups, labels = [], []
    for group in truth:
        sexes = {line["sex"] for line, _ in group}
        labels.append({"sex": "*" if len(sexes) > 1 else min(sexes), "town": group[0][0]["town"]})
        groups.append(([labels[-1]] * len(group), [value for _, value in group]))
    twin = Twin(groups, lambda line: [{**line, "sex": sex} for sex in (SEX if line["sex"] == "*" else [line["sex"]])])
    expected = Counter()
    for (number, _, key, value), amount in zip(twin.variables, twin.solve(known), strict=True):
        printed = labels[number - 1]["sex"]
        expected[printed, key["town"], value, number] += amount / len(world)
    release = sl.Release.from_counts([Counter(bag) for _, bag in groups], labels=labels)
    agree(maxent(release, [statement_of(*each) for each in known]), expected)


@examples(60)
@given(st.data())
def test_what_is_true_contradicts_nothing(data):
    truth = data.draw(truths)
    world = [(line, value, number) for number, group in enumerate(truth, start=1) for line, value in group]
    known = data.draw(linear_statements(world, len(truth), sizes_known=True, most_terms=3))
    groups = [([line for line, _ in group], [value for _, value in group]) for group in truth]
    assert maxent(sl.Release.from_buckets(groups), [statement_of(*each) for each in known]).certificate.holds


@examples(8)
@given(st.data())
def test_contradictions_are_found(data):
    truth = data.draw(truths)
    world = [(line, value, number) for number, group in enumerate(truth, start=1) for line, value in group]
    other = [(line, data.draw(st.sampled_from(VALUES)), number) for line, _, number in world]
    other = [each for each in other if each[1] in {value for _, value, _ in world}] or world
    known = data.draw(linear_statements(other, len(truth), sizes_known=True))
    groups = [([line for line, _ in group], [value for _, value in group]) for group in truth]
    twin = Twin(groups, lambda line: [line])
    statements = [statement_of(*each) for each in known]
    if twin.can_be(known):
        assert maxent(sl.Release.from_buckets(groups), statements).certificate.holds
        return
    with pytest.raises(Contradiction) as caught:
        maxent(sl.Release.from_buckets(groups), statements)
    assert not twin.can_be(
        [each for each, statement in zip(known, statements, strict=True) if str(statement) in caught.value.facts]
    )
