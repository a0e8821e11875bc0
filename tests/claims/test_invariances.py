"""What must not matter: how groups are split for computing, in which order they come, and the values too."""

import pickle
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.measures.group_by_group import GroupByGroup
from sidelight.policy.measure_names import all_measures
from sidelight.testing import orders, releases, reordered, splits

every_kind = pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.__name__)
every_mergeable = pytest.mark.parametrize(
    "kind", [kind for kind in all_measures() if kind.mergeable], ids=lambda kind: kind.__name__
)


def measures_of(kind, release):
    """The examples of a kind that can be asked of a release."""
    return [measure for measure in kind.examples(release.domain) if release.semantics in measure.semantics]


@every_mergeable
def test_summaries_merge_in_any_order(kind):
    @examples(20)
    @given(st.data())
    def hunt(data):
        release = data.draw(releases(max_groups=5))
        parts = data.draw(splits(release))
        for measure in measures_of(kind, release):
            whole = measure.measure(release)
            summaries = [measure.summarize(part) for part in parts]
            one_way = reduce(lambda one, other: one.merge(other), summaries).finding()
            other_way = reduce(lambda one, other: other.merge(one), summaries).finding()
            for finding in (one_way, other_way):
                assert finding.value == whole.value, measure
                assert finding.replay(release) == whole.value, measure
                if isinstance(measure, GroupByGroup):  # equally bad groups: always the first
                    assert finding.witness == whole.witness, measure

    hunt()


@every_mergeable
def test_the_order_of_rows_does_not_matter(kind):
    """Of equally bad groups the one with the smallest number is named, wherever its row stands."""

    @examples(20)
    @given(st.data())
    def hunt(data):
        release = data.draw(releases(max_groups=5, max_people=3))
        shuffled = release.groups.take(np.array(data.draw(orders(len(release)))))
        for measure in measures_of(kind, release):
            assert measure.summarize(shuffled).finding() == measure.summarize(release.groups).finding(), measure

    hunt()


@every_kind
def test_the_order_of_groups_and_values_does_not_matter(kind):
    @examples(20)
    @given(st.data())
    def hunt(data):
        release = data.draw(releases())
        other = reordered(
            release,
            groups=data.draw(orders(len(release))),
            values=data.draw(orders(len(release.domain))),
        )
        for measure in measures_of(kind, release):
            assert measure.measure(release).value == measure.measure(other).value, measure

    hunt()


@pytest.mark.parametrize("kind", [kind for kind in all_measures() if issubclass(kind, GroupByGroup)])
def test_of_equally_bad_groups_the_first_is_named(kind):
    @examples(10)
    @given(releases(max_groups=1))
    def hunt(release):
        twice = reordered(release, groups=[0, 0])
        for measure in measures_of(kind, twice):
            witness = measure.measure(twice).witness
            assert witness is None or witness.group.number == 1, measure

    hunt()


@every_mergeable
def test_summaries_survive_pickling(kind):
    """Summaries travel between the workers of a cluster."""

    @examples(10)
    @given(releases())
    def hunt(release):
        for measure in measures_of(kind, release):
            summary = pickle.loads(pickle.dumps(measure.summarize(release.groups)))
            assert summary.finding().value == measure.measure(release).value

    hunt()
