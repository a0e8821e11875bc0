"""Limits are made from the measures themselves, so that a new measure needs nothing here."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Literal

import pytest

import sidelight.policy.measures
from sidelight.errors import BadMeasure, BadPolicy
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Bound
from sidelight.policy.limit_text import read_limit, read_measure
from sidelight.policy.limits import as_written, limit_models
from sidelight.policy.policy import Policy
from sidelight.policy.policy_file import SCHEMA_HOME, policy_document, policy_schema, read_policy_text

ROOT = Path(__file__).parents[3]


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


@pytest.fixture
def gossip(monkeypatch):
    monkeypatch.setattr(sidelight.policy.measures, "MEASURES", (GroupSize, Gossip))
    for made in (limit_models, policy_document):
        made.cache_clear()
    yield
    for made in (limit_models, policy_document):
        made.cache_clear()


@pytest.mark.usefixtures("gossip")
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
    properties = json.loads(policy_schema())["$defs"]["GossipLimit"]["properties"]
    assert set(properties) == {"measure", "k", "shape", "stubbornness", "predicates", "at_most", "below"}


@pytest.mark.usefixtures("gossip")
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


@pytest.mark.usefixtures("gossip")
def test_settings_in_text_need_no_names_and_no_quotes():
    assert read_measure("gossip(3)") == Gossip(3)
    assert read_measure("Gossip ( 3 , release )") == Gossip(3, "release")
    assert read_measure("gossip(k=3, predicates={'a, b' = ['x, y']})") == Gossip(3, predicates=(frozenset({"x, y"}),))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("grup size >= 5", "no measure 'grup size' in 'grup size >= 5'; did you mean 'group size'?"),
        ("group size", "limit 'group size': 'group size' has no bound; give exactly one of at_least or above"),
        ("group size >=", "cannot read 'group size >='; write it like 'group size >= 5' or 'implications(k=3) < 0.5'"),
        (
            "group size = 5",
            "cannot read 'group size = 5'; write it like 'group size >= 5' or 'implications(k=3) < 0.5'",
        ),
        ("", "cannot read ''; write it like 'group size >= 5' or 'implications(k=3) < 0.5'"),
        ("group size <= 5", "limit 'group size <= 5': a policy keeps 'group size' at least or above a limit, not ≤"),
        (
            "group size >= 0",
            "limit 'group size >= 0': the limit 0 of 'group size' is out of range; it lies between 1 and inf",
        ),
        ("group size(k=3) >= 5", "no key 'k' in 'group size(k=3) >= 5'; there are: at_least, above, measure"),
        (
            "implications < 1/2",
            "'k' is missing in 'implications < 1/2'; write it in parentheses, such as implications(k=2)",
        ),
        ("implications(K=3) < 1/2", "no key 'K' in 'implications(K=3) < 1/2'; did you mean 'k'?"),
        ("group size(3) >= 5", "cannot read '3' in 'group size(3) >= 5'; write settings like (k=3), each once"),
        (
            "recursive diversity(l=2, l=3) <= 5",
            "cannot read 'l=3' in 'recursive diversity(l=2, l=3) <= 5'; write settings like (k=3), each once",
        ),
    ],
)
def test_text_that_is_no_limit(text, line):
    with pytest.raises(BadPolicy) as caught:
        read_limit(text)
    assert str(caught.value) == line


@pytest.mark.parametrize(
    "text", ["group size >= 5", "group_size ≥ 5", " Group Size>=5 ", "group size() >= 5.0", "group size >= 10/2"]
)
def test_ways_to_write_the_same_limit(text):
    criterion = read_limit(text)
    assert (criterion.measure, criterion.comparison.sign, criterion.bound) == (GroupSize(), "≥", 5)


def test_a_measure_has_no_bound():
    with pytest.raises(BadPolicy, match="has a bound"):
        read_measure("group size >= 5")


def test_types_of_parameters_as_files_hold_them():
    assert as_written(Literal["a", "b"]) == Literal["a", "b"]
    assert as_written(tuple[int, ...]) == tuple[as_written(int), ...]
    assert as_written(Mapping[str, int]) == dict[as_written(str), as_written(int)]
    assert as_written(Bound) == as_written(float)


def test_the_schema_in_the_documentation_is_up_to_date():
    kept = (ROOT / SCHEMA_HOME).read_text(encoding="utf-8")
    assert kept == policy_schema(), f"write it anew: sidelight policy-schema > {SCHEMA_HOME}"


def test_every_measure_is_in_the_schema_with_the_right_bounds():
    schema = json.loads(policy_schema())
    measures = {
        part["properties"]["measure"]["const"]: part for name, part in schema["$defs"].items() if name.endswith("Limit")
    }
    assert set(measures) == {kind.name for kind in sidelight.policy.measures.MEASURES}
    assert measures["group size"]["oneOf"] == [{"required": ["at_least"]}, {"required": ["above"]}]
    assert measures["closeness"]["oneOf"] == [{"required": ["at_most"]}, {"required": ["below"]}]
