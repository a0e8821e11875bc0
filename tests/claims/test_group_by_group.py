"""Where a screen says that groups can be judged one by one, a release is exactly as bad as its worst group."""

import pytest
from hypothesis import given
from support.examples import examples

from sidelight.policy.measure_names import all_measures
from sidelight.testing import releases


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("kind", [kind for kind in all_measures() if kind.mergeable], ids=lambda kind: kind.__name__)
def test_a_release_is_as_bad_as_its_worst_group(kind, semantics):
    @examples(12)
    @given(releases(semantics=semantics, max_groups=4))
    def hunt(release):
        for measure in kind.examples(release.domain):
            if semantics not in measure.semantics or not measure.screen().group_by_group:
                continue
            alone = [measure.summarize(release.groups.take(slice(at, at + 1))).finding() for at in range(len(release))]
            values = [finding.value for finding in alone if finding.witness is not None]
            if values:
                worst = max(values) if measure.large_is_bad else min(values)
                assert measure.measure(release).value == worst, measure

    hunt()
