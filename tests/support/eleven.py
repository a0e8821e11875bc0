"""Eleven people, two cuts of five and six whose fives share three people, and both fail: the example by hand."""

from __future__ import annotations

import pyarrow as pa

import sidelight as sl
from sidelight.minimality.group_question import GroupQuestion, HalfLimits, RosterLines, group_questions
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.utility import Regions
from sidelight.table.table import Table

LIMITS = (sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1)


def table_of(keys, values) -> Table:
    """A table with a row per person."""
    columns = {f"q{at}": [str(key[at]) for key in keys] for at in range(len(keys[0]))}
    rows = pa.table({**columns, "disease": values})
    return sl.read_table(rows, quasi=list(columns), sensitive="disease")


def eleven() -> Table:
    """The three whom both fives share have the same value, as no other way both cuts fail."""
    keys = [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 1)] * 4
    return table_of(keys, ["a"] * 3 + ["b", "c", "d", "e", "b", "c", "d", "f"])


def eleven_question() -> tuple[GroupQuestion, HalfLimits]:
    """The only group of its release, and the limits that its cuts break."""
    found = sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody")
    recoding = found.recoding
    assert isinstance(recoding, Regions)
    groups = found.release.groups
    limits = HalfLimits.from_check(PolicyCheck.from_policy(LIMITS, 11), groups)
    roster = RosterLines.from_table(recoding.table, recoding.group, groups)
    (question,) = group_questions(roster, recoding.orders, groups.counts, limits)
    return question, limits
