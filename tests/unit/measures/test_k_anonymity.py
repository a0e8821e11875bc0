"""The smallest group, in words and where it stands alone."""

import sidelight as sl


def test_words():
    assert sl.GroupSize().measure(sl.Release.from_counts([{"a": 1}])).explain() == (
        "In group 1, 1 person stands alone; no group is smaller."
    )


def test_people_count_and_not_values():
    """Several values per person: the group has as many people as it has, whatever they have."""
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 3}], sizes=[2, 3], values="set")
    finding = sl.GroupSize().measure(release)
    assert (finding.value, finding.witness.group.number) == (2, 1)


def test_of_equally_small_groups_the_first_is_named():
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}, {"a": 2}])
    assert sl.GroupSize().measure(release).witness.group.number == 2
