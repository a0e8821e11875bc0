"""Who is meant: people of facts, identified with the groups of a release."""

import polars as pl
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import Described, Someone
from sidelight.release.locate import Listed, Lookup
from sidelight.worlds.identify import identify

PRINTED = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 1}, {"Cold": 3}],
    labels=[
        {"age": "30..39", "born": "1990-Q1"},
        {"age": "]39, 50]", "born": "1980"},
        {"age": "816**", "born": "{1970, 1971-05}"},
    ],
)


@pytest.mark.parametrize(
    ("says", "group"),
    [
        ({"age": 34}, 0),
        ({"age": "39.0"}, 0),
        ({"age": "39.5"}, 1),
        ({"age": "81667"}, 2),
        ({"born": "1990-03-31"}, 0),
        ({"born": "1980-12-31 08:00:00"}, 1),
        ({"born": "1971-05-09"}, 2),
        ({"born": "1980"}, 1),
    ],
)
def test_a_description_fits_what_the_printed_label_covers(says, group):
    who = Described.of(says)
    assert identify(PRINTED, [who]).group_of == {who: group}


def test_believe_and_attack_find_the_same_people():
    for says in ({"age": "34"}, {"age": "81667"}, {"born": "1990-03-31"}, {"born": "1971-05-09"}):
        who = Described.of(says)
        people = {name: [text] for name, text in says.items()}
        exposure = sl.intersect([PRINTED], people=pl.DataFrame(people), quasi=list(says), locate="intervals")
        assert exposure.views[0].linkage.groups_of(0).tolist() == [identify(PRINTED, [who]).group_of[who]]


def test_entities_of_a_group_come_in_the_order_of_mention():
    one, two, other = Someone(1, 2), Described.of({"age": "34"}), Someone(3)
    entities = identify(PRINTED, [one, other, two])
    assert entities.list_members(0) == [one, two]
    assert entities.list_members(1) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("30-34", "35-39"), ("31", "32"), ("{31, 32}", "{33, 34}"), ("[30, 35)", "35")],
)
def test_descriptions_that_nobody_fits_both_are_of_two_people(one, other):
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    assert len(identify(hidden, [Described.of({"age": one}), Described.of({"age": other})]).group_of) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [("30-34", "34-39"), ("3*", "34"), ("2024", "2024-Q1"), ("{31, 32}", "{32, 33}"), ("*", "31")],
)
def test_descriptions_that_somebody_may_fit_both_are_refused(one, other):
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    with pytest.raises(BadKnowledge, match="may be the same person"):
        identify(hidden, [Described.of({"age": one}), Described.of({"age": other})])


BAG = {"Flu": 2, "Cold": 2}


def printing(*labels):
    return sl.Release.from_counts([BAG] * len(labels), labels=list(labels))


CITIES = printing({"age": "30-39", "city": "Ulm"}, {"age": "30-39", "city": "Bonn"}, {"age": "40-49", "city": "Ulm"})
DECADES = printing(*({"age": f"{decade}0-{decade}9", "city": "Ulm"} for decade in range(1, 6)))
OVERLAPPING = printing({"age": "30-35"}, {"age": "33-39"})
STARRED = printing({"age": "30-39", "city": "Ulm"}, {"age": "40-49", "city": "Bonn"}, {"age": "*", "city": "*"})
REGIONS = sl.Hierarchy("city", (("Ulm", "Bonn", "Köln"), ("South", "West", "West")))
AGES = sl.Hierarchy("age", (("34", "45"), ("30-39", "40-49")))
NAMED = sl.Release.from_groups([(["Bob", "Ann"], ["Flu", "Cold"])])
JOBS = printing(
    {"age": "30-39", "city": "Ulm", "job": "a", "land": "D"},
    {"age": "30-39", "city": "Bonn", "job": "b", "land": "D"},
    {"age": "30-39", "city": "Ulm", "job": "c", "land": "D"},
    {"age": "40-49", "city": "Ulm", "job": "c", "land": "F"},
)
MEMBERS = sl.Release.from_buckets(
    [
        ([{"sex": "male", "age": 34}, {"sex": "female", "age": 40}], ["Flu", "Cold"]),
        ([{"sex": "male", "age": 50}], ["Flu"]),
    ]
)


def refusal(release, *people, **lookup):
    with pytest.raises(BadKnowledge) as refused:
        identify(
            release, [Described.of(who) if isinstance(who, dict) else who for who in people], Lookup.build(**lookup)
        )
    return refused.value


@pytest.mark.parametrize(
    ("release", "who", "fits", "remedies"),
    [
        (
            CITIES,
            {"age": "34"},
            ["2 groups", "group 1 (age 30-39, city Ulm)", "group 2 (age 30-39, city Bonn)"],
            ["also city", "#1"],
        ),
        (
            CITIES,
            {"age": "30-49"},
            [
                "3 groups",
                *("group 1 (age 30-39, city Ulm)", "group 2 (age 30-39, city Bonn)", "group 3 (age 40-49, city Ulm)"),
            ],
            ["also city", "age more exactly", "#1"],
        ),
        (
            OVERLAPPING,
            {"age": "34"},
            ["2 groups", "group 1 (age 30-35)", "group 2 (age 33-39)"],
            ["overlaps", "no column decides", "#1"],
        ),
        (
            OVERLAPPING,
            {"age": "33-39"},  # what is printed just so comes first
            ["2 groups", "group 2 (age 33-39)", "group 1 (age 30-35)"],
            ["age more exactly", "#2"],
        ),
        (
            DECADES,
            {"city": "Ulm"},
            [
                "5 groups",
                *("group 1 (age 10-19, city Ulm)", "group 2 (age 20-29, city Ulm)", "group 3 (age 30-39, city Ulm)"),
                "…",
            ],
            ["also age", "#1"],
        ),
        (
            STARRED,
            {"city": "Ulm"},
            ["2 groups", "group 1 (age 30-39, city Ulm)", "group 3 (age *, city *)"],
            ["also age", "#1"],
        ),
    ],
)
def test_who_fits_several_groups_is_told_what_would_decide(release, who, fits, remedies):
    refused = refusal(release, who)
    assert mentions(refused, Described.of(who), *fits, *remedies, f"group {remedies[-1][1:]}")
    # no other group, and nothing else to do
    assert str(refused).count("(age") == sum("(age" in each for each in fits)
    for remedy in ("also", "more exactly", "no column"):
        assert mentions(refused, remedy) == any(remedy in each for each in remedies)


@pytest.mark.parametrize("age", ["34", "30-39"])
def test_the_column_that_tells_most_groups_apart_comes_first(age):
    """All three are from one land, and of one age."""
    groups = [
        "group 1 (age 30-39, city Ulm, job a, land D)",
        "group 2 (age 30-39, city Bonn, job b, land D)",
        "group 3 (age 30-39, city Ulm, job c, land D)",
    ]
    refused = refusal(JOBS, {"age": age})
    assert mentions(refused, f"{{age = {age}}}", "3 groups", *groups, "also job, city", "#1", "group 1")
    assert not mentions(refused, "job, city, land")
    assert not mentions(refused, "more exactly")


def test_members_are_told_apart_by_what_is_known_of_them():
    male = refusal(MEMBERS, {"sex": "male"})
    assert mentions(male, "{sex = male}", "2 groups", "group 1", "group 2", "also age", "#1", "group 1")
    nobody = refusal(MEMBERS, {"sex": "male", "age": "40"})  # one is male, and the other 40
    assert mentions(nobody, "{age = 40, sex = male}", "no group", "nearest", "group 1", "#1", "group 1")
    assert nobody.parameters == ()
    unknown = refusal(MEMBERS, {"sex": "34"})
    assert mentions(unknown, "no sex '34'", "female, male", "hierarchies", "by")
    assert unknown.parameters == ("by",)


def test_what_a_hierarchy_has_above_others_is_said_more_exactly():
    refused = refusal(printing({"city": "Bonn"}, {"city": "Köln"}), {"city": "West"}, by={"city": REGIONS})
    groups = ["group 1 (city Bonn)", "group 2 (city Köln)"]
    assert mentions(refused, "{city = West}", "2 groups", *groups, "city more exactly", "#1", "group 1")
    assert not mentions(refused, "also")


def test_suppressed_rows_are_never_the_nearest():
    refused = refusal(printing({"age": "*", "city": "*"}, {"age": "30-39", "city": "Ulm"}), {"age": "70"})
    assert mentions(refused, "{age = 70}", "no group", "nearest", "group 2 (age 30-39, city Ulm)", "age")
    assert mentions(refused, "hierarchies", "by", "suppressed", '"may hold them"', "#2", "group 2")
    assert refused.parameters == ("by", "suppressed")
    assert not mentions(refused, "group 1")


def test_of_many_groups_that_are_equally_near_the_first_are_named():
    many = printing(*({"age": "30-39", "city": city} for _ in range(40) for city in ("Bonn", "Ulm")))
    refused = refusal(many, {"age": "45", "city": "Ulm"})
    groups = [f"group {number} (age 30-39, city Ulm)" for number in (2, 4, 6)]
    assert mentions(refused, "{age = 45, city = Ulm}", "no group", "nearest", *groups, "age", "by", "#2", "group 2")
    assert str(refused).count("(age") == 3
    assert refused.parameters == ("by",)


def test_who_is_in_no_list_is_told_the_nearest_too():
    listed = Listed(pa.table({"age": ["30", "40"], "bucket": ["1", "2"]}))
    buckets = printing({"age": "30-39", "bucket": "1"}, {"age": "40-49", "bucket": "2"})
    found = Described.of({"age": "40"})
    assert identify(buckets, [found], Lookup.build(locate=listed)).group_of == {found: 1}
    groups = ["group 1 (age 30-39, bucket 1)", "group 2 (age 40-49, bucket 2)"]
    assert mentions(refusal(buckets, {"age": "35"}, locate=listed), "{age = 35}", "no group", "nearest", *groups, "age")


def test_no_remedy_is_told_that_was_taken_already():
    partly = printing({"age": "30-39", "city": "*"}, {"age": "40-49", "city": "Bonn"}, {"age": "*", "city": "*"})
    who = {"age": "34", "city": "Köln"}
    taken, not_taken = refusal(partly, who, suppressed="may hold them"), refusal(partly, who)
    unknown = ["no city 'Köln'", "Bonn", "hierarchies", "by"]
    assert mentions(taken, *unknown)
    assert taken.parameters == ("by",)
    assert mentions(not_taken, *unknown, "suppressed", '"may hold them"')
    assert not_taken.parameters == ("by", "suppressed")


def test_who_is_named_may_be_whom_another_describes():
    table = pa.table({"name": ["Bob", "Ann", "Eve"], "age": ["30-39", "30-39", "40-49"], "ill": ["a", "b", "c"]})
    named = sl.read_release(table, group="age", sensitive="ill", person="name", keep_people=True)
    refused = refusal(named, "Bob", {"age": "34"})
    assert mentions(refused, "{age = 34}", "Bob", "may", "same person", "group 1 (age 30-39)", "#1.1", "#1.2")
    assert len(identify(named, ["Bob", Described.of({"age": "44"})]).group_of) == 2


def test_who_is_below_another_in_a_hierarchy_may_be_the_same():
    hidden, by = printing({"city": "*"}), {"city": REGIONS}
    refused = refusal(hidden, {"city": "West"}, {"city": "Köln"}, by=by)
    both = ["{city = West}", "{city = Köln}"]
    assert mentions(refused, *both, "may", "same person", "group 1 (city *)", "#1.1", "#1.2")
    south, west = Described.of({"city": "South"}), Described.of({"city": "Köln"})
    assert identify(hidden, [south, west], Lookup.build(by)).group_of == {south: 0, west: 0}


@pytest.mark.parametrize(
    ("release", "who", "lookup", "nearest", "differ", "remedies"),
    [
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {},
            ["group 2 (age 30-39, city Bonn)", "group 3 (age 40-49, city Ulm)"],
            "age, city",
            {"by": ["hierarchies"]},
        ),
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {"by": {"age": AGES}},
            ["group 2 (age 30-39, city Bonn)", "group 3 (age 40-49, city Ulm)"],
            "age, city",
            {"by": ["hierarchy of city"]},
        ),
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {"locate": "labels"},  # so 45 is under nothing
            ["group 2 (age 30-39, city Bonn)"],
            "age",
            {"by": ["hierarchies"], "locate": ['"intervals"']},
        ),
        (
            CITIES,
            {"city": "Köln"},
            {"by": {"city": REGIONS}},
            ["group 1 (age 30-39, city Ulm)", "group 2 (age 30-39, city Bonn)", "group 3 (age 40-49, city Ulm)"],
            "city",
            {},
        ),
        (
            DECADES,
            {"age": "70"},
            {},
            ["group 1 (age 10-19, city Ulm)", "group 2 (age 20-29, city Ulm)", "group 3 (age 30-39, city Ulm)"],
            "age",
            {"by": ["hierarchies"]},
        ),
        (
            STARRED,
            {"age": "45", "city": "Ulm"},
            {},
            ["group 1 (age 30-39, city Ulm)", "group 2 (age 40-49, city Bonn)"],
            "age, city",
            {"by": ["hierarchies"], "suppressed": ['"may hold them"']},
        ),
    ],
)
def test_who_fits_no_group_is_told_the_nearest(release, who, lookup, nearest, differ, remedies):
    refused, number = refusal(release, who, **lookup), nearest[0].split()[1]
    assert mentions(
        refused, Described.of(who), "no group", "nearest", *nearest, differ, f"#{number}", f"group {number}"
    )
    assert str(refused).count("(age") == len(nearest)
    assert mentions(refused, "age, city") == (differ == "age, city")
    assert refused.parameters == tuple(remedies)
    assert all(mentions(refused, word) for words in remedies.values() for word in words)


@pytest.mark.parametrize(
    ("release", "who", "lookup", "named", "parameters"),
    [
        (CITIES, {"cty": "Ulm"}, {}, ["no column 'cty'", "'city'"], ()),
        (CITIES, {"city": "Bon"}, {}, ["no city 'Bon'", "'Bonn'", "hierarchies", "by"], ("by",)),
        (
            CITIES,
            {"city": "Hof"},
            {"by": {"age": AGES}},
            ["no city 'Hof'", "Bonn, Ulm", "hierarchy of city", "by"],
            ("by",),
        ),
        (CITIES, {"city": "Hof"}, {"by": {"city": REGIONS}}, ["no city 'Hof'", "Bonn, Ulm, Köln, South, West"], ()),
        (CITIES, {"city": "Wets"}, {"by": {"city": REGIONS}}, ["no city 'Wets'", "'West'"], ()),
        (
            STARRED,
            {"city": "Köln"},
            {},
            ["no city 'Köln'", "Bonn, Ulm", "hierarchies", "by", "suppressed", '"may hold them"'],
            ("by", "suppressed"),
        ),
    ],
)
def test_what_the_release_does_not_know_is_refused_with_what_it_knows(release, who, lookup, named, parameters):
    refused = refusal(release, who, **lookup)
    assert mentions(refused, *named)
    assert refused.parameters == parameters


@pytest.mark.parametrize(
    ("release", "people", "named"),
    [
        (CITIES, [Someone(4)], ["no group 4", "1 to 3"]),
        (CITIES, ["Bob"], ["nobody", "'Bob'", "#3", "group 3", "{column = cell}", "person", "keep_people=True"]),
        (NAMED, ["#3"], ["nobody", "'#3'", "sl.Someone(3)"]),
        (NAMED, ["#3.12"], ["nobody", "'#3.12'", "sl.Someone(3, 12)"]),
        (NAMED, ["Bo"], ["nobody", "'Bo'", "spelling", "quotes"]),
        (CITIES, [Someone(1, 5)], ["group 1 (age 30-39, city Ulm)", "4 people", "no #1.5"]),
        (NAMED, ["Bob", "Ann", Someone(1)], ["group 1", "2 people", "3 different"]),
        (
            CITIES,
            [{"age": "44"}, {"age": "4*", "city": "Ulm"}],
            [
                "{age = 44}",
                "{age = 4*, city = Ulm}",
                "may",
                "same person",
                "group 3 (age 40-49, city Ulm)",
                "#3.1",
                "#3.2",
            ],
        ),
    ],
)
def test_people_who_cannot_be_told_are_refused(release, people, named):
    assert mentions(refusal(release, *people), *named)


def test_a_name_is_looked_for_in_a_column_of_names():
    assert refusal(CITIES, "Bob").parameters == ("person",)


def test_as_many_people_as_a_group_has_are_found():
    assert identify(NAMED, ["Bob", Someone(1, 2)]).group_of == {"Bob": 0, Someone(1, 2): 0}
    last = Someone(3, 4)
    assert identify(CITIES, [last]).group_of == {last: 2}


@pytest.mark.parametrize(
    ("who", "unknown"),
    [
        ({"city": "Köln"}, ["no city 'Köln'", "Bonn, Ulm"]),
        ({"age": "45", "city": "Ulm"}, []),
        ({"age": "old", "city": "Köln"}, ["no age 'old'", "30-39, 40-49", "no city 'Köln'", "Bonn, Ulm"]),
    ],
)
def test_suppressed_rows_hold_whom_they_may_and_a_note_says_so(who, unknown):
    described = Described.of(who)
    found = identify(STARRED, [described], Lookup.build(suppressed="may hold them"))
    assert found.group_of == {described: 2}
    (note,) = found.notes
    assert mentions(note, described, "nothing", "printed", *unknown, "suppressed rows")
    for column in ("age", "city"):
        assert mentions(note, f"no {column}") == any(each.startswith(f"no {column}") for each in unknown)


def test_people_may_be_described_by_different_columns():
    one, two = Described.of({"age": "45"}), Described.of({"city": "Bonn"})
    assert identify(CITIES, [one, two]).group_of == {one: 2, two: 1}
    assert identify(CITIES, [two, Someone(1), one]).group_of == {two: 1, Someone(1): 0, one: 2}


def test_who_is_looked_for_at_the_nearest_average_may_be_elsewhere():
    averages = printing({"age": "30"}, {"age": "50"})
    who = Described.of({"age": "41"})
    found = identify(averages, [who], Lookup.build(locate="nearest"))
    assert found.group_of == {who: 1}
    (note,) = found.notes
    assert mentions(note, "{age = 41}", "nearest average", "may", "another group")
    assert identify(CITIES, [Described.of({"age": "44"})]).notes == ()
