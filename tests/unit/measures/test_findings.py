"""Several questions at once: in their order, and none of them."""

import sidelight as sl
from sidelight.measures.findings import findings


def test_several_at_once_in_the_order_they_were_given():
    measures = [sl.Implications(1), sl.MaxEnt(), sl.GroupSize()]
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 2, "c": 2}])
    assert [finding.measure for finding in findings(measures, release)] == measures
    assert findings([], release) == ()
