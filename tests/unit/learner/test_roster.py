"""Who is in which group: equal people are one line, and the order of columns moves nothing but what is shown."""

import sidelight as sl
from sidelight.learner.roster import Roster


def test_equal_people_of_a_group_are_one_line_and_keys_stand_by_the_names_of_columns():
    people = [{"town": "y", "age": "2"}, {"town": "x", "age": "3"}, {"town": "y", "age": "2"}]
    release = sl.Release.from_buckets([(people, ["Flu", "Flu", "Cold"])])
    roster = Roster.of_members(release, release.members)
    assert roster.members.people.tolist() == [2, 1]
    assert [column.name for column in roster.columns] == ["age", "town"]
    assert roster.says(0) == (("town", "y"), ("age", "2"))
