"""What screens claim: which measures are as bad as their worst group, and which groups are of one kind."""

import numpy as np
import pytest
from hypothesis import given
from support.every_measure import SEMANTICS, measures_of
from support.examples import examples

from sidelight.policy.measure_names import all_measures
from sidelight.release.groups import whole_groups
from sidelight.table.table import Counts
from sidelight.testing import releases

KINDS = [kind for kind in all_measures() if kind.mergeable and not kind.estimate]  # which searches do not take


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_a_release_is_as_bad_as_its_worst_group(semantics):
    @examples(16)
    @given(releases(semantics=semantics, max_groups=4))
    def hunt(release):
        for measure in measures_of(release, KINDS):
            if not measure.screen().group_by_group:
                continue
            alone = [measure.summarize(release.groups.take(slice(at, at + 1))).finding() for at in range(len(release))]
            values = [finding.value for finding in alone if finding.witness is not None]
            if values:
                worst = max(values) if measure.large_is_bad else min(values)
                assert measure.measure(release).value == worst, measure

    hunt()


def with_values_renamed(release):
    """Add the same groups with the values' names moved on by one: many are of a kind with some other."""
    groups = release.groups
    cells = groups.counts.dense()
    return whole_groups(
        domain=groups.domain,
        sizes=np.concatenate((groups.sizes, groups.sizes)),
        counts=Counts.from_cells(np.vstack((cells, np.roll(cells, 1, axis=1)))),
        semantics=groups.semantics,
    )


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_groups_of_one_kind_are_equally_bad(semantics):
    @examples(10)
    @given(releases(semantics=semantics, max_groups=4))
    def hunt(release):
        groups = with_values_renamed(release)
        for measure in measures_of(release, KINDS):
            values = {}
            for row, pattern in enumerate(measure.screen().kinds(groups).tolist()):
                value = measure.summarize(groups.take(slice(row, row + 1))).finding().value
                assert values.setdefault(tuple(pattern), value) == value, measure

    hunt()
