"""Intersecting with bits, boxes and floats agrees with plain sets, one comparison after another, and every world."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.attack.common_ground import Ground
from sidelight.attack.posterior import Together
from sidelight.release import label_order
from sidelight.release.label_order import Cover, Stretches, join, merge_stretches
from sidelight.worlds.brute_force import worlds_of_group

VALUES = ("AIDS", "Cold", "Flu", "Heart")
LABELS = {
    "age": ("4", "5", "30", None, "*", "4-5", "5-30", "(missing)", "4-30 or (missing)", "junk"),
    "sex": ("f", "m", "f, m", None, "*", "{f, m}", "{f, (missing)}"),
}
KNOWN = {"age": ("4", "5", "30", None), "sex": ("f", "m", "f, m", None)}


@st.composite
def releases(draw, labels=LABELS):
    bags = draw(st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4), min_size=1, max_size=5))
    says = [{name: draw(st.sampled_from(texts)) for name, texts in labels.items()} for _ in bags]
    return sl.Release.from_counts(map(Counter, bags), labels=says, domain=VALUES)


@st.composite
def crowds(draw, known=KNOWN):
    person = st.fixed_dictionaries(
        {**{name: st.sampled_from(texts) for name, texts in known.items()}, "truth": st.sampled_from(VALUES)}
    )
    return draw(st.lists(person, min_size=1, max_size=6))


def as_rows(people):
    columns = {name: pl.Series([person[name] for person in people], dtype=pl.String) for name in people[0]}
    return pl.DataFrame({**columns, "name": [f"P{number}" for number in range(len(people))]})  # quicker than DuckDB


COVERS = {  # by hand: what each printed label covers, once intervals and sets are read
    "4-5": {"4", "5"},
    "5-30": {"5", "30"},
    "(missing)": {None},
    "4-30 or (missing)": {"4", "5", "30", None},
    "{f, m}": {"f", "m", "f, m"},
    "{f, (missing)}": {"f", None},
}


def covers(printed, known, way):
    if printed == "*" or printed == known:
        return True
    # somebody who is known coarsely may be whoever both labels cover
    return way == "intervals" and not COVERS.get(printed, {printed}).isdisjoint(COVERS.get(known, {known}))


def groups_of(release, person, way, suppressed="not assumed"):
    """All groups that a person fits, one comparison after another; suppressed rows only where it is said."""
    columns = release.groups.columns
    starred = suppressed_rows(release)
    fits = [
        row
        for row in range(len(release))
        if row not in starred and all(covers(column.cell(row), person[column.name], way) for column in columns)
    ]
    return starred if suppressed == "may hold them" and not fits else fits


def suppressed_rows(release):
    rows = [row for row in range(len(release)) if all(column.cell(row) == "*" for column in release.groups.columns)]
    return [] if len(rows) == len(release) else rows


def values_of(release, groups):
    return {text for row in groups for text, n in zip(VALUES, release.groups.counts.row(row), strict=True) if n}


WAYS, SUPPRESSED = st.sampled_from(["labels", "intervals"]), st.sampled_from(["not assumed", "may hold them"])


COARSELY = {"age": (*KNOWN["age"], "4-5"), "sex": (*KNOWN["sex"], "{f, (missing)}")}


@given(st.lists(releases(), min_size=1, max_size=3), crowds(COARSELY), WAYS, SUPPRESSED)
def test_it_agrees_with_plain_sets(given_releases, people, way, suppressed):
    exposure = sl.intersect(
        given_releases, people=as_rows(people), person="name", truth="truth", locate=way, suppressed=suppressed
    )
    occurring = {text for release in given_releases for text in values_of(release, range(len(release)))}
    perfect = hits = contradicted = vulnerable = nowhere = 0
    for number, person in enumerate(people):
        by_release = [groups_of(release, person, way, suppressed) for release in given_releases]
        alone = [
            values_of(release, groups) if groups else occurring
            for release, groups in zip(given_releases, by_release, strict=True)
        ]
        left = set.intersection(*alone)
        row = exposure.people.row(f"P{number}")
        assert set(exposure.candidates[row]) == left
        assert exposure.values_left[row] == len(left)
        assert exposure.values_by_release[:, row].tolist() == [len(each) for each in alone]
        witness = exposure.witness(f"P{number}")
        assert [[name.number - 1 for name in seen.groups] for seen in witness.sightings] == by_release
        assert set(witness.candidates) == left
        assert set(witness.replay(given_releases)) == left
        if not any(by_release):
            nowhere += 1
            continue
        hits += person["truth"] in left
        perfect += len(left) == 1
        contradicted += not left
        vulnerable += bool(left) and len(left) < min(map(len, alone))
    total = len(people)
    located = total - nowhere
    assert exposure.people.total == total
    assert exposure.located == located
    assert exposure.perfect == Fraction(perfect, located or 1)
    assert exposure.contradicted == Fraction(contradicted, located or 1)
    assert exposure.vulnerable == Fraction(vulnerable, located or 1)
    assert exposure.located_nowhere == nowhere
    assert (exposure.truth is None) == (not located)
    assert exposure.truth is None or exposure.truth.hits == Fraction(hits, located)
    assert sum(exposure.distribution("after").values()) == located


@st.composite
def shared_people(draw):
    """Up to three people with true values in up to two releases: what is printed, who is where, and who is known."""
    people = [
        {"zip": draw(st.sampled_from("12")), "truth": draw(st.sampled_from("abc")), "held": []}
        for _ in range(draw(st.integers(1, 3)))
    ]
    printed = []
    for _ in range(draw(st.integers(1, 2))):
        labels = draw(st.sampled_from([["1", "2"], ["{1, 2}"], ["1", "{1, 2}"], ["2", "{1, 2}"]]))
        groups = [(label, Counter(draw(st.lists(st.sampled_from("abc"), max_size=1)))) for label in labels]
        for person in people:
            fitting = [counts for label, counts in groups if person["zip"] in label]
            person["held"].append(bool(fitting) and draw(st.booleans()))
            if person["held"][-1]:
                draw(st.sampled_from(fitting)).update(person["truth"])
        printed.append([(label, counts) for label, counts in groups if counts])
    assume(all(printed))
    return people, printed


def possible_by_worlds(people, printed):
    """Go through all values of all people and all groups they may be in; keep the worlds that the counts allow."""
    places = [
        [at for at, (label, _) in enumerate(groups) if person["zip"] in label] if held else [None]
        for person in people
        for groups, held in zip(printed, person["held"], strict=True)
    ]
    possible = [set() for _ in people]
    for chosen in product(*places):
        for values in product("abc", repeat=len(people)):
            seats = Counter()
            for number, place in enumerate(chosen):
                if place is not None:
                    seats[number % len(printed), place, values[number // len(printed)]] += 1
            if all(n <= printed[release][at][1][value] for (release, at, value), n in seats.items()):
                for each, value in zip(possible, values, strict=True):
                    each.add(value)
    return possible


@given(shared_people())
def test_people_given_away_are_at_least_those_of_every_joint_world(drawn):
    people, printed = drawn
    releases_ = [
        sl.Release.from_counts([n for _, n in groups], labels=[{"zip": text} for text, _ in groups], domain="abc")
        for groups in printed
    ]
    rows = {"name": [f"P{number}" for number in range(len(people))], "zip": [person["zip"] for person in people]}
    held = {f"in{at}": [int(person["held"][at]) for person in people] for at in range(len(printed))}
    exposure = sl.intersect(
        releases_,
        people=pl.DataFrame({**rows, **held}),
        person="name",
        quasi="zip",
        locate="intervals",
        present=[*held],
    )
    possible = possible_by_worlds(people, printed)
    located = [any(person["held"]) for person in people]
    for number, (left, there) in enumerate(zip(possible, located, strict=True)):
        said = {*exposure.candidates[exposure.people.row(f"P{number}")]}
        assert left & {*exposure.domain} <= said
        assert not there or exposure.is_lower_bound or left == said
    certain = sum(there and len(left) == 1 for left, there in zip(possible, located, strict=True))
    assert exposure.given_away <= certain
    assert exposure.is_lower_bound or exposure.given_away == certain
    for bound in (0, Fraction(1, 3), Fraction(1, 2), Fraction(2, 3)):  # no gate is green that the worlds would not keep
        assert exposure.within(bound) is not True or certain <= bound * sum(located)


def joint_worlds(views, prior, row):
    """Count the worlds of all releases together in which the person has one and the same value everywhere.

    Releases are independent given the person's value; a world counts 1 / prior^(n−1), which a uniform prior makes
    the same for all.  A person who may be in several groups is each of their people in turn.
    """
    weight = Counter()
    worlds = []
    for view in views:
        groups = view.linkage.groups_of(row)
        if len(groups):
            worlds.append(
                [
                    next(iter(world[person]))
                    for group in groups.tolist()
                    for world, copies in _even(view, groups, group)
                    for person in range(len(world))
                    for _ in range(copies)
                ]
            )
    if not worlds:
        return dict(prior)
    counted = [Counter(values) for values in worlds]
    for value in prior:
        weight[value] = math.prod(each[value] for each in counted) / prior[value] ** (len(worlds) - 1)
    total = sum(weight.values())
    return {value: each / total for value, each in weight.items()} if total else None


def _even(view, groups, group):
    """Give the worlds of one group, repeated so that groups count by their people, not by their worlds."""
    worlds = {int(each): list(worlds_of_group(view.groups, int(each))) for each in groups}
    common = math.lcm(*map(len, worlds.values()))
    return [(world, common // len(worlds[group])) for world in worlds[group]]


@given(st.lists(releases(), min_size=1, max_size=3), crowds(), st.sampled_from(["pooled", "uniform"]))
def test_beliefs_agree_with_counting_every_world(given_releases, people, prior):
    exposure = sl.intersect(
        given_releases, people=as_rows(people), prior=prior, evidence="independent", locate="intervals"
    )
    before = dict(zip(exposure.domain, exposure.prior, strict=True))
    rows = np.arange(len(exposure.people))
    posterior = exposure.posterior(rows)
    for row in rows.tolist():
        expected = joint_worlds(exposure.views, before, row)
        beliefs = exposure.witness(dict(zip(["age", "sex"], _known(exposure, row), strict=True))).beliefs
        if expected is None:
            assert beliefs == {}
            assert np.isnan(posterior[row]).all()
            assert math.isnan(exposure.belief[row])
            continue
        assert beliefs == {value: chance for value, chance in expected.items() if chance}
        assert set(beliefs) == set(exposure.candidates[row])  # the sets are the support of the beliefs
        assert posterior[row] == pytest.approx([float(expected[value]) for value in exposure.domain])
        assert exposure.belief[row] == pytest.approx(float(max(expected.values())))
    tops = [max(exposure.witness(row).beliefs.values(), default=0) for row in rows.tolist()]
    for bound in {*tops, Fraction(1, 2)} - {0}:
        placed = np.any([view.located for view in exposure.views], axis=0)
        each = zip(exposure.people.sizes, tops, placed, strict=True)
        sure = sum(int(people) for people, top, there in each if there and top >= bound)
        assert exposure.sure(bound) == Fraction(sure, exposure.located or 1)  # at the bound itself, too


def rising(start, steps):
    return math.prod((start + step for step in range(steps)), start=Fraction(1))


def urn_worlds(groups, present, prior, alpha):
    """Fill all groups, and the person's place in some of them, with values from Pólya's urn; keep what is published.

    `groups` are lists of values.  A world says which releases hold the person, the person's value, and everybody
    else's, in order: all orders of what is left of a group.  Its weight is the urn's probability of all these draws.
    """
    weight = Counter()
    for holds in product([True, False], repeat=len(groups)):
        likely = math.prod(q if held else 1 - q for q, held in zip(present, holds, strict=True))
        for value in prior:
            others = [
                Counter(group) - Counter([value] if held else []) for group, held in zip(groups, holds, strict=True)
            ]
            if any(held and value not in group for group, held in zip(groups, holds, strict=True)) or not likely:
                continue
            orders = math.prod(len(set(permutations(rest.elements()))) for rest in others)
            drawn = sum(others, Counter([value]))
            urn = math.prod(rising(alpha * prior[each], times) for each, times in drawn.items())
            weight[value] += likely * orders * urn / rising(alpha, drawn.total())
    total = sum(weight.values())
    return {value: weight[value] / total for value in prior} if total else None


@examples(25)
@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=3),
    st.lists(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(0)]), min_size=3, max_size=3),
    st.sampled_from([Fraction(1, 3), Fraction(1, 10), Fraction(9, 10)]),
)
def test_common_ground_agrees_with_filling_groups_from_an_urn(groups, present, agreement):
    """Releases that go by the same things: their groups and the person are draws of one urn."""
    releases = [sl.Release.from_counts([Counter(group)], labels=[{"zip": "1"}], domain="abc") for group in groups]
    exposure = sl.intersect(releases, people=pl.DataFrame({"zip": ["1"]}), present=present[: len(groups)])
    ground = Ground.join(agreement, [Ground(agreement, (at,)) for at in range(len(groups))])
    exposure = replace(exposure, together=Together(ground, {}))
    prior = dict(zip(exposure.domain, exposure.prior, strict=True))
    expected = urn_worlds(groups, present[: len(groups)], prior, alpha=1 / agreement - 1)
    posterior = exposure.posterior(np.arange(1))[0]
    if expected is None:
        assert np.isnan(posterior).all()
        assert exposure.contradicted == 1
        return
    beliefs = exposure.witness(0).beliefs
    assert beliefs == {value: expected[value] for value in beliefs}
    assert sum(beliefs.values()) == 1
    assert posterior == pytest.approx([float(expected[value]) for value in exposure.domain])
    assert set(exposure.candidates[0]) == {value for value, belief in expected.items() if belief}


@st.composite
def set_releases(draw):
    """Releases of people with any number of values each, in one or two groups that print a zip."""
    values = draw(st.sampled_from(["set", "multiset"]))
    groups = draw(st.integers(1, 2))
    sizes = draw(st.lists(st.integers(1, 3), min_size=groups, max_size=groups))
    counts = [{v: draw(st.integers(0, size if values == "set" else 2)) for v in "abc"} for size in sizes]
    zips = [{"zip": draw(st.sampled_from(["1", "*"]))} for _ in sizes]
    return sl.Release.from_counts(counts, sizes=sizes, labels=zips, values=values, domain="abc")


def has_by_worlds(view, row, value, name):
    """Average, over the groups somebody may be in and their people, the share of worlds in which the person has it."""
    total = people = Fraction(0)
    for group in view.linkage.groups_of(row).tolist():
        worlds = list(worlds_of_group(view.groups, group))
        size = int(view.groups.sizes[group])
        has = sum(name in world[person] for world in worlds for person in range(size))
        total += Fraction(has, len(worlds))
        people += size
    return total / people


@examples(30)
@given(st.lists(set_releases(), min_size=1, max_size=3), st.sampled_from([None, Fraction(1, 3)]))
def test_sets_agree_with_plain_sets_and_every_world(given_releases, present):
    assume(any(release.groups.whole.any() for release in given_releases))
    exposure = sl.intersect(
        given_releases, people=pl.DataFrame({"zip": ["1"]}), present=present, evidence="independent", same_values={}
    )
    located = [view for view in exposure.views if view.located[0]]
    shares = {
        value: [has_by_worlds(view, 0, at, value) for view in located] for at, value in enumerate(exposure.domain)
    }
    known = present is None
    certain = {value for value, each in shares.items() if known and any(share == 1 for share in each)}
    ruled_out = {value for value, each in shares.items() if known and any(share == 0 for share in each)}
    assert set(exposure.candidates[0]) == set(exposure.domain) - ruled_out
    assert exposure.contradicted == bool(certain & ruled_out)
    if certain & ruled_out:
        assert exposure.witness(0).beliefs == {}
        assert math.isnan(exposure.belief[0])
        return
    assert exposure.perfect == bool(certain)
    assert exposure.values_left[0] == len(set(exposure.domain) - ruled_out - certain)
    expected = {}
    for value, prior in zip(exposure.domain, exposure.prior, strict=True):
        q = present if present is not None else Fraction(1)
        yes = math.prod((q * share + (1 - q) * prior for share in shares[value]), start=prior)
        no = math.prod((q * (1 - share) + (1 - q) * (1 - prior) for share in shares[value]), start=1 - prior)
        yes, no = yes / prior ** len(located), no / (1 - prior) ** len(located) if prior < 1 else Fraction(0)
        expected[value] = yes / (yes + no)
    witness = exposure.witness(0)
    assert witness.beliefs == {value: belief for value, belief in expected.items() if value not in ruled_out}
    assert {*certain} <= {*witness.certain}
    assert set(witness.replay(given_releases)) == set(witness.candidates)
    posterior = exposure.posterior(np.arange(1))[0]
    assert posterior == pytest.approx([float(expected[value]) for value in exposure.domain])


def _known(exposure, row):
    return [column.cell(row) for column in exposure.people.known]


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 400), st.integers(1, 400))
def test_cutting_finds_the_same_groups_as_comparing_each_with_each(seed, columns, rows, groups):
    rng = np.random.default_rng(seed)
    covers_ = [_random_cover(rng, rows, groups) for _ in range(columns)]
    few = {
        "PAIRS_COMPARED": 16,
        "PAIRS_LAID_OUT": 64,
        "COPIES": int(rng.integers(0, 500)),
        "PAIRS_ALONE": int(rng.integers(0, 10_000)),
    }
    with patch.multiple(label_order, **few):
        row, group = join(covers_, np.arange(rows), np.arange(groups))
    inside = np.logical_and.reduce([_each_with_each(cover) for cover in covers_])
    assert sorted(zip(row.tolist(), group.tolist(), strict=True)) == list(map(tuple, np.argwhere(inside).tolist()))


def _each_with_each(cover):
    at = cover.segment[:, np.newaxis]
    inside = (cover.first <= at) & (at <= cover.last)
    for group in np.flatnonzero(cover.pieces >= 0):
        inside[:, group] = cover.scattered[cover.pieces[group], cover.segment]
    return inside


def _random_cover(rng, rows, groups):
    labels = int(rng.integers(1, 30))
    covered = []
    for _ in range(int(rng.integers(1, 20))):
        start, stop = sorted(rng.integers(0, labels + 1, 2).tolist())
        places = np.arange(start, stop)
        some = places if rng.random() < 0.8 else places[rng.random(len(places)) < 0.5]
        covered.append(merge_stretches((at, at + 1) for at in some.tolist()))
    return Cover.build(
        rng.integers(0, labels, rows), labels, Stretches.build(covered), rng.integers(0, len(covered), groups)
    )


@given(st.permutations(range(3)), st.lists(releases(), min_size=3, max_size=3), crowds())
def test_the_order_of_releases_does_not_matter(order, given_releases, people):
    straight = sl.intersect(given_releases, people=as_rows(people), truth="truth")
    mixed = sl.intersect([given_releases[at] for at in order], people=as_rows(people), truth="truth")
    assert straight.values_left.tolist() == mixed.values_left.tolist()
    assert [set(each) for each in straight.candidates] == [set(each) for each in mixed.candidates]
    assert straight.perfect == mixed.perfect
    assert getattr(straight.truth, "hits", None) == getattr(mixed.truth, "hits", None)
    assert np.allclose(straight.belief, mixed.belief, equal_nan=True)


@given(st.lists(releases(), min_size=2, max_size=3), crowds())
def test_another_release_never_leaves_more(given_releases, people):
    fewer = sl.intersect(given_releases[:-1], people=as_rows(people), same_values={})
    more = sl.intersect(given_releases, people=as_rows(people), same_values={})
    known = [set(each) & set(more.domain) for each in fewer.candidates]
    for row, (before, after) in enumerate(zip(known, more.candidates, strict=True)):
        if not fewer.views[0].linkage.nowhere[row]:
            assert set(after) <= before


TABLE = st.lists(
    st.tuples(st.integers(1, 9), st.sampled_from(["f", "m", None]), st.sampled_from(VALUES)), min_size=6, max_size=30
)


@given(TABLE, st.sampled_from(["mondrian", "lattice"]), st.integers(1, 3))
def test_regions_of_a_search_hold_their_own_people(rows, method, k):
    assume(len(rows) >= k)
    frame = pl.DataFrame({"age": [r[0] for r in rows], "sex": [r[1] for r in rows], "value": [r[2] for r in rows]})
    table = sl.read_table(frame, quasi=["age", "sex"], sensitive="value")
    by = {
        "age": sl.Hierarchy.intervals("age", range(1, 10), widths=[2, 4]),
        "sex": sl.Hierarchy.suppression("sex", ["f", "m"]),
    }
    result = sl.protect(table, sl.Policy(sl.GroupSize() >= k), by=by, method=method, ask="nobody")
    exposure = sl.intersect([result], people=table)
    assert exposure.located_right == (1,)
    assert exposure.truth.hits == 1
    assert exposure.ambiguous == (0,)
    way = "intervals" if method == "mondrian" else "labels"
    printed = sl.intersect([result.release], people=table, by=by, locate=way)
    for row in range(len(exposure.people)):
        assert set(exposure.candidates[row]) <= set(printed.candidates[row])
    assert printed.truth.hits == 1


CLUSTERS = {"age": ("4", "5.5", "30", None, "*"), "sex": ("f", "m", "any", None, "*")}
BY_SEX = sl.Hierarchy("sex", (("f", "m", "f, m"), ("any", "any", "both"), ("*", "*", "*")))


def squared_distance(person, printed, *, low, whole):
    """By the definition, one column after the other; a missing number stands beside the line, at (1/2, √3/2)."""
    total = 0.0
    for name, text in printed.items():
        known = person[name]
        if text == "*":
            total += 1
        elif text == "any" and known in ("f", "m"):
            total += 0  # the label covers it
        elif name == "age":
            if known is None or text is None:
                number = text if known is None else known
                total += 0 if number is None else ((float(number) - low) / whole - 0.5) ** 2 + 0.75
            else:
                total += ((float(known) - float(text)) / whole) ** 2
        else:
            levels = [
                (BY_SEX.generalise(known, level), BY_SEX.generalise(text, level) if BY_SEX.has(text) else text)
                for level in (0, 1)
            ]
            total += sum(one != other for one, other in levels) / 2
    return total


@given(releases(CLUSTERS), crowds())
def test_the_nearest_average_is_the_nearest_by_the_definition(release, people):
    exposure = sl.intersect([release], people=as_rows(people), person="name", by={"sex": BY_SEX}, locate="nearest")
    printed = [{column.name: column.cell(row) for column in release.groups.columns} for row in range(len(release))]
    ages = [each["age"] for each in (*people, *printed) if each["age"] not in (None, "*")]
    low = min(map(float, ages), default=0)
    whole = max(map(float, ages), default=0) - low or 1
    starred = suppressed_rows(release)
    for number, person in enumerate(people):
        apart = {
            row: squared_distance(person, says, low=low, whole=whole)
            for row, says in enumerate(printed)
            if row not in starred
        }
        nearest = [row for row, each in apart.items() if each <= min(apart.values()) + 1e-9]
        assert exposure.views[0].linkage.groups_of(exposure.people.row(f"P{number}")).tolist() == nearest
