"""[[skyline]] in policy files."""

import pytest

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.policy.policy_file import read_policy_text

POLICY = """
[[skyline]]
value = "AIDS"
points = [{rules_out = 1, others = 5, family = 2, below = 0.5}, {others = 3, below = 0.9}, {others = 20, below = 0.9}]

[[skyline]]
points = [{rules_out = 4, below = "3/4"}]

[[limit]]
measure = "group size"
at_least = 5
"""


def test_it_says_what_python_says():
    file = read_policy_text(POLICY)
    asked = sl.skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.9), (0, 20, 0, 0.9)]}, default=[(4, 0, 0, 0.75)])
    assert [str(each) for each in file.policy.criteria[1:]] == [str(each).replace("0.75", "3/4") for each in asked]
    assert file.notes == asked.notes
    assert len(file.notes) == 1
    assert file.policy.criteria[0] == (sl.GroupSize() >= 5)


def test_it_is_written_as_limits_that_say_the_same():
    policy = read_policy_text(POLICY).policy
    assert read_policy_text(policy.to_toml()).policy == policy


def test_values_that_are_numbers():
    (criterion,) = read_policy_text("[[skyline]]\nvalue = 5\npoints = [{below = 0.5}]").policy.criteria
    assert criterion.measure == sl.Acquaintance(value="5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("points = []", "there are no points; add at least one"),
        ("value = 'a'\npoints = [{other = 1, below = 0.5}]", "no key 'other' in .* did you mean 'others'"),
        ("points = [{others = -1, below = 0.5}]", "skyline 1 of p.toml: .*needs others to be a whole number"),
        ("points = [{others = 1.5, below = 0.5}]", "cannot use 'others' .* give a whole number"),
        ("points = [{others = 1}]", "'below' is missing"),
        ("points = [{below = 2}]", "skyline 1 of p.toml: .*between 0 and 1"),
        (
            "value = 'a'\npoints = [{below = 0.5}]\n[[skyline]]\nvalue = 'a'\npoints = [{below = 0.5}]",
            "two skylines for 'a'",
        ),
        ("points = [{below = 0.5}]\n[[skyline]]\npoints = [{below = 0.4}]", "two skylines without a value"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text, message):
    with pytest.raises(BadPolicy, match=message):
        read_policy_text(f"[[skyline]]\n{text}", name="p.toml")
