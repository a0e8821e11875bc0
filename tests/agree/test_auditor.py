"""An auditor that follows edits says what judging the release from scratch says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.policy import policy as module
from sidelight.policy.measure_names import all_measures
from sidelight.release.groups import stack_groups
from sidelight.testing import releases


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Parts of two groups, and few keys between them: that they split and run out is then no rare thing."""
    monkeypatch.setattr(module, "PART_SIZE", 2)
    monkeypatch.setattr(module, "MOST_KEYS", 1 << 10)


def limit(measure):
    low, high = measure.limits
    return measure <= max(low, min(high, 1)) if measure.large_is_bad else measure >= max(low, 1)


@st.composite
def policies(draw, release):
    # a range of estimates may lie on both sides of a limit, which is no verdict
    every = [kind.examples(release.domain) for kind in all_measures() if not kind.estimate]
    apply = [few for few in ([each for each in some if release.semantics in each.semantics] for some in every) if few]
    chosen = [draw(st.sampled_from(few)) for few in draw(st.lists(st.sampled_from(apply), max_size=3, unique_by=id))]
    return sl.Policy(*map(limit, [*chosen, sl.GroupSize()]))


@st.composite
def sessions(draw):
    """A release, a policy, and more groups of the same values and columns to edit it with."""
    everything = draw(releases(min_groups=2, max_groups=9, max_people=3, max_values=3))
    first = draw(st.integers(1, len(everything) - 1))
    groups = everything.groups.take(slice(0, first))
    begin = sl.Release(_alone(groups), sensitive=everything.sensitive)
    return begin, everything, draw(policies(begin))


def _alone(groups):
    counts = groups.counts
    return module.replace(groups, whole=counts.totals(), numbers=np.arange(1, len(groups) + 1))


@examples(60)
@given(sessions(), st.data())
def test_edits_in_any_order_lead_to_the_verdict_from_scratch(session, data):
    begin, everything, policy = session
    auditor, rows = sl.Auditor(policy, begin), [*range(len(begin))]
    for _ in range(data.draw(st.integers(1, 6))):
        gone = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True, max_size=len(rows)))
        new = data.draw(st.lists(st.integers(0, len(everything) - 1), max_size=3))
        if len(gone) == len(rows) and not new:
            continue
        others = sl.Release(_alone(everything.groups.take(np.array(new))), sensitive="x") if new else None
        auditor = auditor.replace([place + 1 for place in gone], others)
        at = min(gone, default=len(rows))
        rows = [
            *(row for place, row in enumerate(rows[:at]) if place not in gone),
            *new,
            *(row for place, row in enumerate(rows[at:], at) if place not in gone),
        ]
        if data.draw(st.booleans()):
            _check(auditor, everything, rows, policy)
    _check(auditor, everything, rows, policy)


def _check(auditor, everything, rows, policy):
    scratch = sl.Release(_alone(everything.groups.take(np.array(rows))), sensitive=everything.sensitive)
    assert [*map(repr, auditor.release)] == [*map(repr, scratch)]
    assert auditor.judge() == policy.judge(scratch)


@given(releases(max_groups=4), st.data())
def test_what_a_summary_does_not_depend_on_does_not_change_it(release, data):
    """`depends_on_whole` is a claim: where it is denied, the values of other groups leave every summary as it is."""
    groups = release.groups
    whole = np.array([data.draw(st.integers(0, 50)) for _ in groups.domain]) + groups.whole
    for kind in all_measures():
        for measure in kind.examples(release.domain):
            if release.semantics in measure.semantics and measure.mergeable and not measure.depends_on_whole:
                alone, among_others = measure.summarize(groups), measure.summarize(module.replace(groups, whole=whole))
                assert alone.finding() == among_others.finding()


def test_stacked_groups_are_the_groups():
    release = sl.Release.from_counts(
        [{"a": 1}, {"b": 2}, {"a": 3, "b": 1}], labels=[{"x": "1"}, {"x": "2"}, {"x": "3"}]
    )
    parts = [release.groups.take(slice(0, 1)), release.groups.take(slice(1, 3))]
    assert [*map(repr, sl.Release(stack_groups(parts)))] == [*map(repr, release)]
