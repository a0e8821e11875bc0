"""What must not matter: how groups are split for computing, in which order they come, and the values too."""

import pickle
from functools import reduce

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.every_measure import measures_of
from support.examples import examples

from sidelight.measures.group_by_group import GroupByGroup
from sidelight.policy.measure_names import all_measures
from sidelight.testing import orders, releases, reordered, splits

MERGEABLE = [kind for kind in all_measures() if kind.mergeable]
BY_GROUP = [kind for kind in all_measures() if issubclass(kind, GroupByGroup)]


@examples(24)
@given(st.data())
def test_summaries_merge_in_any_order(data):
    release = data.draw(releases(max_groups=5))
    parts = data.draw(splits(release))
    for measure in measures_of(release, MERGEABLE):
        whole = measure.measure(release)
        summaries = [measure.summarize(part) for part in parts]
        one_way = reduce(lambda one, other: one.merge(other), summaries).finding()
        other_way = reduce(lambda one, other: other.merge(one), summaries).finding()
        for finding in (one_way, other_way):
            assert finding.value == whole.value, measure
            assert finding.replay(release) == whole.value, measure
            if isinstance(measure, GroupByGroup):  # equally bad groups: always the first
                assert finding.witness == whole.witness, measure


@examples(24)
@given(st.data())
def test_the_order_of_rows_does_not_matter(data):
    """Of equally bad groups the one with the smallest number is named, wherever its row stands."""
    release = data.draw(releases(max_groups=5, max_people=3))
    shuffled = release.groups.take(np.array(data.draw(orders(len(release)))))
    for measure in measures_of(release, MERGEABLE):
        assert measure.summarize(shuffled).finding() == measure.summarize(release.groups).finding(), measure


@examples(24)
@given(st.data())
def test_the_order_of_groups_and_values_does_not_matter(data):
    release = data.draw(releases())
    other = reordered(
        release,
        groups=data.draw(orders(len(release))),
        values=data.draw(orders(len(release.domain))),
    )
    for measure in measures_of(release):
        assert measure.measure(release).value == measure.measure(other).value, measure


@examples(20)
@given(releases(max_groups=1))
def test_of_equally_bad_groups_the_first_is_named(release):
    twice = reordered(release, groups=[0, 0])
    for measure in measures_of(twice, BY_GROUP):
        witness = measure.measure(twice).witness
        assert witness is None or witness.group.number == 1, measure


@examples(20)
@given(releases())
def test_summaries_survive_pickling(release):
    """Summaries travel between the workers of a cluster."""
    for measure in measures_of(release, MERGEABLE):
        summary = pickle.loads(pickle.dumps(measure.summarize(release.groups)))
        assert summary.finding().value == measure.measure(release).value
