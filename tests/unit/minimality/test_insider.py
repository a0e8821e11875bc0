"""What somebody believes who knows how a release was made."""

from fractions import Fraction

import pyarrow as pa

import sidelight as sl


def table_of(keys, values):
    """A table with a row per person."""
    columns = {f"q{at}": [str(key[at]) for key in keys] for at in range(len(keys[0]))}
    rows = pa.table({**columns, "disease": values})
    return sl.read_table(rows, quasi=list(columns), sensitive="disease")


def eleven():
    """Two cuts of five and six people, whose fives share three; both fail, as the three have the same."""
    keys = [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 1)] * 4
    return table_of(keys, ["a"] * 3 + ["b", "c", "d", "e", "b", "c", "d", "f"])


LIMITS = (sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1)


def test_by_hand_the_shared_three_have_it():
    found = sl.protect(eleven(), LIMITS, method="mondrian")
    learnt = sl.insider(found)
    assert len(found.release) == 1
    assert learnt.worst == 1
    assert learnt.witness.value == "a"
    assert learnt.witness.people == 3
    assert learnt.witness.all_fail == Fraction(1, 165)
    assert [(cut.left, cut.right) for cut in learnt.witness.cuts] == [(5, 6), (5, 6)]
    assert learnt.replay(learnt.witness) == 1
    assert learnt.people_above(0.5) == 3
    assert learnt.claims_above(0.5).right == 1
    assert "1/165" in learnt.explain()
