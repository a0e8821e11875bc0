"""Limits are made from the measures themselves, so that a new measure needs nothing here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy
from sidelight.measures.criterion import Bound
from sidelight.measures.k_anonymity import GroupSize
from sidelight.policy.limit_text import read_limit, read_measure
from sidelight.policy.limits import limit_model
from sidelight.policy.policy import Policy
from sidelight.policy.policy_file import read_policy_text


@dataclass(frozen=True)
class Gossip(GroupSize):
    """How far does gossip reach?"""

    name: ClassVar[str] = "gossip"
    large_is_bad: ClassVar[bool] = True
    limits = (0, math.inf)

    k: int = 1
    shape: str = "uniform"
    stubbornness: Bound = 0
    predicates: tuple[frozenset[str], ...] = ()

    def __post_init__(self):
        if self.k < 0:
            message = "k must be at least 0"
            raise BadMeasure(message)

    @classmethod
    def from_settings(
        cls,
        k: int,
        shape: Literal["uniform", "release"] | Mapping[str, float] = "uniform",
        stubbornness: Bound = 0,
        predicates: Mapping[str, list[str]] | None = None,
    ):
        """Name sets of values in the file."""
        return cls(k, str(shape), stubbornness, tuple(map(frozenset, (predicates or {}).values())))

    def settings(self):
        """Name them again."""
        named = {f"set {number}": sorted(each) for number, each in enumerate(self.predicates, start=1)}
        return {"k": self.k, "shape": self.shape, "stubbornness": self.stubbornness, "predicates": named}


def test_a_new_measure_is_in_the_file_the_text_and_the_schema():
    expected = Gossip(3, "release", math.inf, (frozenset({"Ulcer", "Dyspepsia"}),)) < Fraction(1, 2)
    file = """
        [[limit]]
        measure = "gossip"
        k = 3
        shape = "release"
        stubbornness = inf
        predicates = {"any stomach disease" = ["Ulcer", "Dyspepsia"]}
        below = "1/2"
    """
    assert read_policy_text(file).policy == Policy(expected)
    assert (
        read_limit('gossip(k=3, shape=release, stubbornness=inf, predicates={"s"=["Ulcer", "Dyspepsia"]}) < 1/2')
        == expected
    )
    assert read_policy_text(Policy(expected).to_toml()).policy == Policy(expected)
    properties = limit_model(Gossip).model_json_schema()["properties"]
    assert set(properties) == {"measure", "k", "shape", "stubbornness", "predicates", "at_most", "below", "of", "known"}


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ("k = -1", "limit 1 of policy.toml: k must be at least 0"),
        ("k = 1.5", "cannot use 'k' in limit 1 of policy.toml; give a whole number"),
        ("", "'k' is missing in limit 1 of policy.toml; add it"),
        ("k = 1\nshap = 'release'", "no key 'shap' in limit 1 of policy.toml; did you mean 'shape'?"),
        (
            "k = 1\nshape = 'square'",
            "cannot use 'shape' in limit 1 of policy.toml; give 'uniform' or 'release' or a table, such as {name = 1}",
        ),
        ("k = 1\npredicates = {a = [true]}", "cannot use 'predicates' in limit 1 of policy.toml; give text in quotes"),
    ],
)
def test_wrong_settings_are_said_in_one_line(settings, line):
    with pytest.raises(BadPolicy) as caught:
        read_policy_text(f"[[limit]]\nmeasure = 'gossip'\n{settings}\nbelow = 1", name="policy.toml")
    assert str(caught.value) == line


def test_settings_in_text_need_no_names_and_no_quotes():
    assert read_measure("gossip(3)") == Gossip(3)
    assert read_measure("Gossip ( 3 , release )") == Gossip(3, "release")
    assert read_measure("gossip(k=3, predicates={'a, b' = ['x, y']})") == Gossip(3, predicates=(frozenset({"x, y"}),))


SKYLINES = """
[[skyline]]
value = "AIDS"
points = [{rules_out = 1, others = 5, family = 2, below = 0.5}, {others = 3, below = 0.9}, {others = 20, below = 0.9}]

[[skyline]]
points = [{rules_out = 4, below = "3/4"}]

[[limit]]
measure = "group size"
at_least = 5
"""


def test_skylines_say_what_python_says():
    file = read_policy_text(SKYLINES)
    skyline = sl.skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.9), (0, 20, 0, 0.9)]}, default=[(4, 0, 0, 0.75)])
    assert [str(each) for each in file.policy.criteria[1:]] == [str(each).replace("0.75", "3/4") for each in skyline]
    assert file.notes == skyline.notes
    assert len(file.notes) == 1
    assert file.policy.criteria[0] == (sl.GroupSize() >= 5)


def test_skylines_are_written_as_limits_that_say_the_same():
    policy = read_policy_text(SKYLINES).policy
    assert read_policy_text(policy.to_toml()).policy == policy


def test_values_of_skylines_may_be_numbers():
    (criterion,) = read_policy_text("[[skyline]]\nvalue = 5\npoints = [{below = 0.5}]").policy.criteria
    assert criterion.measure == sl.Acquaintance(value="5")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("of = 'disease'\nknown = ['job']", "others=3, of=disease, known=[job]"),
        ("of = 'disease'", "others=3, of=disease"),
        ("known = ['job']", "others=3, known=[job]"),
        ("apart_from = ['Flu', 5]", "others=3, apart_from=[Flu, 5]"),
    ],
)
def test_a_skyline_is_about_what_it_names(text, asked):
    (criterion,) = read_policy_text(f"[[skyline]]\n{text}\npoints = [{{others = 3, below = 0.9}}]").policy.criteria
    assert str(criterion) == f"acquaintance({asked}) < 0.9"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("of = 'disease'\nknown = ['job']", "of=disease, known=[job]"),
        ("known = ['job']", "known=[job]"),
    ],
)
def test_a_limit_is_about_what_it_names(text, message):
    (criterion,) = read_policy_text(f"[[limit]]\nmeasure = 'distinct values'\n{text}\nat_least = 2").policy.criteria
    assert str(criterion) == f"distinct values({message}) ≥ 2"


def test_a_skyline_has_points_and_one_way_of_naming_values():
    for text, message in {
        "points = []": "there are no points; add at least one, such as {rules_out = 4, below = 0.75}",
        "value = 'a'\napart_from = ['b']\npoints = [{below = 0.5}]": (
            "it has both 'value' and 'apart_from'; give one of them"
        ),
    }.items():
        with pytest.raises(BadPolicy) as caught:
            read_policy_text(f"[[skyline]]\n{text}", name="p.toml")
        assert str(caught.value) == f"skyline 1 of p.toml: {message}"


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
def test_what_is_wrong_with_a_skyline_is_said_in_one_line(text, message):
    with pytest.raises(BadPolicy, match=message):
        read_policy_text(f"[[skyline]]\n{text}", name="p.toml")
