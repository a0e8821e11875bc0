"""Settings of measures that are taken, and those that are refused.

What all measures share: the registry, what is refused, and what a measure says unless it says otherwise.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, SidelightError, WrongKind
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.measure import (
    LARGEST_AMOUNT,
    FoundRelease,
    choice,
    declared_measures,
    read,
    summarize_worst,
    whole,
    whole_amount,
)
from sidelight.policy.measure_names import all_measures, measure_named
from sidelight.release import groups
from sidelight.table import table as counts


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (
            lambda: whole_amount("m", "k", True),
            BadMeasure,
            ("'m'", "k", "whole number", "at least 0", "not True"),
        ),
        (lambda: whole_amount("m", "k", 1.0), BadMeasure, ("'m'", "k", "whole number", "at least 0", "not 1.0")),
        (lambda: whole_amount("m", "k", 1001, most=1000), BadMeasure, ("'m'", "k", "at most 1000", "not 1001")),
        (
            lambda: Declared(kind=["a"]),
            BadMeasure,
            ("'group size'", 'no kind="a list"', "a, b"),
        ),
    ],
)
def test_what_is_refused_is_told_in_full(ask, kind, message):
    with pytest.raises(SidelightError) as refused:
        ask()
    assert type(refused.value) is kind
    assert mentions(refused.value, *message)


def test_amounts_from_nothing_to_the_largest():
    assert [whole_amount("m", "k", each) for each in (0, np.int64(7), LARGEST_AMOUNT)] == [0, 7, LARGEST_AMOUNT]
    assert type(whole_amount("m", "k", np.int64(7))) is int
    with pytest.raises(BadMeasure, match=r"\bk .*at most 1000000000"):
        whole_amount("m", "k", LARGEST_AMOUNT + 1)


@dataclass(frozen=True)
class Declared(GroupSize):
    """A measure with a field of each kind."""

    k: int = field(default=1, metadata=whole(most=9))
    kind: Literal["a", "b"] = field(default="a", metadata=choice(Literal["a", "b"]))
    sort: Literal["a", "b"] = field(default="a", metadata=choice(Literal["a", "b"], "no '{setting}' for '{measure}'"))
    names: tuple | None = field(default=None, metadata=read(tuple))


def test_declared_fields_are_read():
    measure = Declared(np.int64(3), "b", names=["x"])
    assert (measure.k, type(measure.k), measure.kind, measure.names) == (3, int, "b", ("x",))
    assert measure.replace_settings(k=4).names == ("x",)
    assert Declared().names is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 10}, ("'group size'", "k", "at most 9", "not 10")),
        ({"kind": "c"}, ("'group size'", 'no kind="c"', "a, b")),
        ({"sort": "c"}, ("no 'c' for 'group size'",)),
    ],
)
def test_declared_fields_refuse_what_they_do_not_take(given, message):
    with pytest.raises(BadMeasure) as refused:
        Declared(**given)
    assert mentions(refused.value, *message)


every_kind = pytest.mark.parametrize(
    "kind", [kind for kind in all_measures() if kind.examples(("a", "b"))], ids=lambda kind: kind.__name__
)


RELEASE = sl.Release.from_counts([{"<Flu>": 2, "Cold": 1}, {"<Flu>": 2}])


@every_kind
def test_what_is_no_release_is_refused_with_the_remedy(kind):
    measure = kind.examples(("a", "b"))[0]
    with pytest.raises(WrongKind, match=r"Release, not a dict; .*read_release"):
        measure.measure({"a": 1})


def test_declaring_a_measure_registers_it():
    @dataclass(frozen=True)
    class Declared(GroupSize):
        name: ClassVar[str] = "declared in a test"

    assert declared_measures()["declared in a test"] is Declared
    assert measure_named("declared in a test") is Declared
    assert Declared not in all_measures()


def test_all_of_ours_are_declared():
    assert {kind.name for kind in all_measures()} <= {*declared_measures()}


# What is refused, in words.


TWO_COLUMNS = sl.read_release(
    pa.table({"age": ["1", "1"], "disease": ["Flu", "Cold"], "income": ["low", "high"]}),
    group="age",
    sensitive=["disease", "income"],
)


SETS = sl.Release.from_counts([{"a": 2}], sizes=[2], values="set")


class OfOneOrSeveral(GroupSize):
    semantics: ClassVar = ("single", "set")


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (
            lambda: sl.DistinctValues().measure(TWO_COLUMNS),
            BadMeasure,
            (
                "'distinct values'",
                "one sensitive column",
                "disease, income",
                "of=disease",
                ".about('disease')",
                "a policy",
            ),
        ),
        (
            lambda: sl.ExpectedCandidates().measure(SETS),
            BadMeasure,
            ("'expected candidates'", "single values", 'values="set"', "'acquaintance'"),
        ),
        (
            lambda: OfOneOrSeveral().measure(sl.Release.from_counts([{"a": 2}], sizes=[2], values="multiset")),
            BadMeasure,
            ("'group size'", "single and set values", 'values="multiset"', "'acquaintance'"),
        ),
        (
            lambda: sl.MaxEnt().summarize(RELEASE.groups),
            BadMeasure,
            ("'maximum entropy'", "whole release", "measure the release"),
        ),
        (
            lambda: sl.MaxEnt().screen(),
            BadMeasure,
            ("'maximum entropy'", "whole release", "search without it"),
        ),
    ],
)
def test_what_is_refused_is_told_in_full_of_measure(ask, kind, message):
    with pytest.raises(SidelightError) as refused:
        ask()
    assert type(refused.value) is kind
    assert mentions(refused.value, *message)


# What a measure says unless it says otherwise.


def test_a_belief_is_a_share_unless_the_measure_knows_better():
    class Shares(GroupSize):
        def share_at(self, limit):
            return limit / 2

    assert Shares().belief_at(Fraction(1, 2)) == Fraction(1, 4)
    assert sl.GroupSize().belief_at(Fraction(1, 2)) is sl.GroupSize().share_at(Fraction(1, 2)) is None


def test_values_that_settings_name():
    """In lists and in tables, keys as well; None in a list is the missing label, a hierarchy names nobody."""
    domain = ("a", "b", "c", None)

    class Named(GroupSize):
        def settings(self):
            return {"value": "a", "apart_from": [["b"], None], "hierarchy": {"c": "c"}, "k": 3}

    class InTable(GroupSize):
        def settings(self):
            return {"value": None, "costs": {"a": 1, "x": ("c",)}}

    assert Named().names_values(domain).tolist() == [True, True, False, True]
    assert InTable().names_values(domain).tolist() == [True, False, True, False]
    assert sl.GroupSize().names_values(()).dtype == bool


def test_amounts_are_whole_numbers_and_no_flags():
    @dataclass(frozen=True)
    class Several(GroupSize):
        k: int = 3
        strict: bool = True
        value: str = "a"

    assert Several().amounts() == {"k": 3}
    assert Several().settings() == {}
    assert Several(4, value="b").settings() == {"k": 4, "value": "b"}
    assert Several().replace_settings(k=4) == Several(4)


def test_examples_have_what_is_required_and_nothing_else():
    @dataclass(frozen=True)
    class Required(GroupSize):
        k: int
        value: str = "a"
        more: list = field(default_factory=list)

    assert Required.examples(("a",)) == (Required(1),)


def test_what_a_measure_says_by_itself():
    size = sl.GroupSize()
    assert (size.least_people("single"), size.more_is_worse, size.knows_true_values, size.streams) == (
        1,
        (),
        False,
        True,
    )
    assert size.monotonicity("single") is size.when_groups_merge is sl.Monotonicity.NON_DECREASING
    assert size.resolve(RELEASE) == (size, RELEASE)
    assert size.prepare(RELEASE) is RELEASE
    assert size.include_values({"a"}) is size
    assert size.complete(size.measure(RELEASE), RELEASE) == size.measure(RELEASE)
    assert str((size >= 2).about("income", known="age")) == "group size(of=income, known=[age]) ≥ 2"


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_release_in_blocks_is_measured_as_a_whole(at_once, monkeypatch):
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}, {"a": 4}, {"a": 2}])
    monkeypatch.setattr(counts, "CELLS_AT_ONCE", at_once)
    monkeypatch.setattr(groups, "CELLS_AT_ONCE", at_once)
    assert len([*release.groups.blocks()]) == -(-4 // at_once)
    finding = sl.GroupSize().measure(release)
    assert (finding.value, finding.witness.group.number) == (2, 2)
    assert sl.ProsecutorRisk("average").measure(release).value == Fraction(4, 11)


# The worst of two, whichever comes first.


def worst(measure, value, row):
    return summarize_worst(measure, value, None if value is None else Witness(RELEASE.groups.name(row)))


@pytest.mark.parametrize(
    ("measure", "one", "other"),
    [
        (sl.Implications(1), (Fraction(1, 2), 1), (Fraction(1, 3), 0)),
        (sl.GroupSize(), (2, 1), (3, 0)),
        (sl.GroupSize(), (2, 0), (2, 1)),
        (sl.Implications(1), (Fraction(1, 2), 0), (Fraction(1, 2), 1)),
        (sl.Implications(1), (Fraction(0), 1), (None, 0)),
        (sl.Implications(1), (-1, 1), (None, 0)),
        (sl.GroupSize(), (9, 1), (None, 0)),
    ],
)
def test_the_worse_is_kept_and_of_equal_ones_the_first_group(measure, one, other):
    one, other = worst(measure, *one), worst(measure, *other)
    assert one.merge(other) == other.merge(one) == one
    assert one.finding().witness is not None


def test_what_points_at_nobody_gives_way():
    nobody, somebody = summarize_worst(sl.GroupSize(), 1, None), worst(sl.GroupSize(), 9, 0)
    assert nobody.merge(somebody) == somebody.merge(nobody) == somebody


def test_where_no_group_says_anything_it_is_said_why():
    nothing = summarize_worst(sl.GroupSize(), otherwise=Fraction(7), notes=("a note",))
    why, note = nothing.finding().notes
    assert mentions(why, "no group", "any value")
    assert note == "a note"
    assert nothing.finding() == Finding(sl.GroupSize(), Fraction(7), None, (why, note))
    assert nothing.finding().replay(RELEASE) == 7


def test_an_attacker_who_cannot_be_asked_of_a_release_stops_no_search():
    sets = sl.Release.from_counts([{"Flu": 1, "Cold": 2}], sizes=[2], values="set")
    found = FoundRelease(sets, None, False, True, lambda: sets, lambda: None, None)
    answer = sl.ExpectedCandidates.answer_search(found)
    assert (answer.outcome, answer.belief) == ("could not tell", None)
    assert mentions(answer.reason, "single values")
