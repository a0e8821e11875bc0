"""Who is meant: people of facts, identified with the groups of a release."""

import polars as pl
import pyarrow as pa
import pytest

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
    return str(refused.value)


@pytest.mark.parametrize(
    ("release", "who", "words"),
    [
        (
            CITIES,
            {"age": "34"},
            (
                "{age = 34} fits 2 groups: group 1 (age 30-39, city Ulm), group 2 (age 30-39, city Bonn); "
                "say also city, where they differ, or write #1 for someone in group 1"
            ),
        ),
        (
            CITIES,
            {"age": "30-49"},
            (
                "{age = 30-49} fits 3 groups: group 1 (age 30-39, city Ulm), group 2 (age 30-39, city Bonn), "
                "group 3 (age 40-49, city Ulm); say also city, where they differ, or say age more exactly, "
                "or write #1 for someone in group 1"
            ),
        ),
        (
            OVERLAPPING,
            {"age": "34"},
            (
                "{age = 34} fits 2 groups: group 1 (age 30-35), group 2 (age 33-39); what they print overlaps, so that no "
                "column decides between them, or write #1 for someone in group 1"
            ),
        ),
        (
            OVERLAPPING,
            {"age": "33-39"},  # what is printed just so comes first
            (
                "{age = 33-39} fits 2 groups: group 2 (age 33-39), group 1 (age 30-35); say age more exactly, "
                "or write #2 for someone in group 2"
            ),
        ),
        (
            DECADES,
            {"city": "Ulm"},
            (
                "{city = Ulm} fits 5 groups: group 1 (age 10-19, city Ulm), group 2 (age 20-29, city Ulm), "
                "group 3 (age 30-39, city Ulm), …; say also age, where they differ, or write #1 for someone in group 1"
            ),
        ),
        (
            STARRED,
            {"city": "Ulm"},
            (
                "{city = Ulm} fits 2 groups: group 1 (age 30-39, city Ulm), group 3 (age *, city *); "
                "say also age, where they differ, or write #1 for someone in group 1"
            ),
        ),
    ],
)
def test_who_fits_several_groups_is_told_what_would_decide(release, who, words):
    assert refusal(release, who) == words


@pytest.mark.parametrize("age", ["34", "30-39"])
def test_the_column_that_tells_most_groups_apart_comes_first(age):
    """All three are from one land, and of one age."""
    assert refusal(JOBS, {"age": age}) == (
        f"{{age = {age}}} fits 3 groups: group 1 (age 30-39, city Ulm, job a, land D), group 2 (age 30-39, city Bonn, "
        "job b, land D), group 3 (age 30-39, city Ulm, job c, land D); say also job, city, where they differ, "
        "or write #1 for someone in group 1"
    )


def test_members_are_told_apart_by_what_is_known_of_them():
    assert refusal(MEMBERS, {"sex": "male"}) == (
        "{sex = male} fits 2 groups: group 1, group 2; say also age, where they differ, "
        "or write #1 for someone in group 1"
    )
    assert refusal(MEMBERS, {"sex": "male", "age": "40"}) == (  # one is male, and the other 40
        "{age = 40, sex = male} fits no group; the nearest is group 1; write #1 for someone in group 1"
    )
    assert refusal(MEMBERS, {"sex": "34"}) == (
        "the release knows no sex '34'; there are: female, male; if a printed label covers it, "
        "give hierarchies with by="
    )


def test_what_a_hierarchy_has_above_others_is_said_more_exactly():
    assert refusal(printing({"city": "Bonn"}, {"city": "Köln"}), {"city": "West"}, by={"city": REGIONS}) == (
        "{city = West} fits 2 groups: group 1 (city Bonn), group 2 (city Köln); say city more exactly, "
        "or write #1 for someone in group 1"
    )


def test_suppressed_rows_are_never_the_nearest():
    assert refusal(printing({"age": "*", "city": "*"}, {"age": "30-39", "city": "Ulm"}), {"age": "70"}) == (
        "{age = 70} fits no group; the nearest is group 2 (age 30-39, city Ulm), which differs in age; give hierarchies "
        'with by= if a printed label covers it, or say suppressed="may hold them" if suppressed rows may hold this '
        "person, or write #2 for someone in group 2"
    )


def test_of_many_groups_that_are_equally_near_the_first_are_named():
    many = printing(*({"age": "30-39", "city": city} for _ in range(40) for city in ("Bonn", "Ulm")))
    assert refusal(many, {"age": "45", "city": "Ulm"}) == (
        "{age = 45, city = Ulm} fits no group; the nearest are group 2 (age 30-39, city Ulm), group 4 (age 30-39, city "
        "Ulm), group 6 (age 30-39, city Ulm), which differ in age; give hierarchies with by= if a printed label covers "
        "it, or write #2 for someone in group 2"
    )


def test_who_is_in_no_list_is_told_the_nearest_too():
    listed = Listed(pa.table({"age": ["30", "40"], "bucket": ["1", "2"]}))
    buckets = printing({"age": "30-39", "bucket": "1"}, {"age": "40-49", "bucket": "2"})
    found = Described.of({"age": "40"})
    assert identify(buckets, [found], Lookup.build(locate=listed)).group_of == {found: 1}
    assert refusal(buckets, {"age": "35"}, locate=listed).startswith(
        "{age = 35} fits no group; the nearest are group 1 (age 30-39, bucket 1), group 2 (age 40-49, bucket 2), which "
        "differ in age; "
    )


def test_no_remedy_is_told_that_was_taken_already():
    partly = printing({"age": "30-39", "city": "*"}, {"age": "40-49", "city": "Bonn"}, {"age": "*", "city": "*"})
    unknown = (
        "the release knows no city 'Köln'; there are: Bonn; if a printed label covers it, give hierarchies with by="
    )
    who = {"age": "34", "city": "Köln"}
    assert refusal(partly, who, suppressed="may hold them") == unknown
    assert refusal(partly, who) == (
        f'{unknown}; say suppressed="may hold them" if suppressed rows may hold this person'
    )


def test_who_is_named_may_be_whom_another_describes():
    table = pa.table({"name": ["Bob", "Ann", "Eve"], "age": ["30-39", "30-39", "40-49"], "ill": ["a", "b", "c"]})
    named = sl.read_release(table, group="age", sensitive="ill", person="name", keep_people=True)
    assert refusal(named, "Bob", {"age": "34"}) == (
        "{age = 34} and Bob may be the same person of group 1 (age 30-39); write #1.1 and #1.2 for two people of it"
    )
    assert len(identify(named, ["Bob", Described.of({"age": "44"})]).group_of) == 2


def test_who_is_below_another_in_a_hierarchy_may_be_the_same():
    hidden, by = printing({"city": "*"}), {"city": REGIONS}
    assert refusal(hidden, {"city": "West"}, {"city": "Köln"}, by=by) == (
        "{city = West} and {city = Köln} may be the same person of group 1 (city *); "
        "write #1.1 and #1.2 for two people of it"
    )
    south, west = Described.of({"city": "South"}), Described.of({"city": "Köln"})
    assert identify(hidden, [south, west], Lookup.build(by)).group_of == {south: 0, west: 0}


@pytest.mark.parametrize(
    ("release", "who", "lookup", "words"),
    [
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {},
            (
                "the nearest are group 2 (age 30-39, city Bonn), group 3 (age 40-49, city Ulm), which differ in age, city; "
                "give hierarchies with by= if a printed label covers it, or write #2 for someone in group 2"
            ),
        ),
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {"by": {"age": AGES}},
            (
                "the nearest are group 2 (age 30-39, city Bonn), group 3 (age 40-49, city Ulm), which differ in age, city; "
                "add a hierarchy of city to by= if a printed label covers it, or write #2 for someone in group 2"
            ),
        ),
        (
            CITIES,
            {"age": "45", "city": "Bonn"},
            {"locate": "labels"},  # so 45 is under nothing
            (
                "the nearest is group 2 (age 30-39, city Bonn), which differs in age; give hierarchies with by= if a "
                'printed label covers it, or read the printed forms with locate="intervals", '
                "or write #2 for someone in group 2"
            ),
        ),
        (
            CITIES,
            {"city": "Köln"},
            {"by": {"city": REGIONS}},
            (
                "the nearest are group 1 (age 30-39, city Ulm), group 2 (age 30-39, city Bonn), "
                "group 3 (age 40-49, city Ulm), which differ in city; write #1 for someone in group 1"
            ),
        ),
        (
            DECADES,
            {"age": "70"},
            {},
            (
                "the nearest are group 1 (age 10-19, city Ulm), group 2 (age 20-29, city Ulm), "
                "group 3 (age 30-39, city Ulm), which differ in age; give hierarchies with by= if a printed label covers "
                "it, or write #1 for someone in group 1"
            ),
        ),
        (
            STARRED,
            {"age": "45", "city": "Ulm"},
            {},
            (
                "the nearest are group 1 (age 30-39, city Ulm), group 2 (age 40-49, city Bonn), which differ in age, city; "
                'give hierarchies with by= if a printed label covers it, or say suppressed="may hold them" if suppressed '
                "rows may hold this person, or write #1 for someone in group 1"
            ),
        ),
    ],
)
def test_who_fits_no_group_is_told_the_nearest(release, who, lookup, words):
    assert refusal(release, who, **lookup) == f"{Described.of(who)} fits no group; {words}"


@pytest.mark.parametrize(
    ("release", "who", "lookup", "words"),
    [
        (CITIES, {"cty": "Ulm"}, {}, "the release prints no column 'cty'; did you mean 'city'?"),
        (
            CITIES,
            {"city": "Bon"},
            {},
            (
                "the release knows no city 'Bon'; did you mean 'Bonn'?; if a printed label covers it, "
                "give hierarchies with by="
            ),
        ),
        (
            CITIES,
            {"city": "Hof"},
            {"by": {"age": AGES}},
            (
                "the release knows no city 'Hof'; there are: Bonn, Ulm; if a printed label covers it, "
                "add a hierarchy of city to by="
            ),
        ),
        (
            CITIES,
            {"city": "Hof"},
            {"by": {"city": REGIONS}},
            "the release knows no city 'Hof'; there are: Bonn, Ulm, Köln, South, West",
        ),
        (CITIES, {"city": "Wets"}, {"by": {"city": REGIONS}}, "the release knows no city 'Wets'; did you mean 'West'?"),
        (
            STARRED,
            {"city": "Köln"},
            {},
            (
                "the release knows no city 'Köln'; there are: Bonn, Ulm; if a printed label covers it, "
                'give hierarchies with by=; say suppressed="may hold them" if suppressed rows may hold this person'
            ),
        ),
    ],
)
def test_what_the_release_does_not_know_is_refused_with_what_it_knows(release, who, lookup, words):
    assert refusal(release, who, **lookup) == words


@pytest.mark.parametrize(
    ("release", "people", "words"),
    [
        (CITIES, [Someone(4)], "no group 4 in the release; they are numbered 1 to 3"),
        (
            CITIES,
            ["Bob"],
            (
                "the release names nobody, so 'Bob' cannot be found in it; write #3 for someone in group 3, describe the "
                "person as {column = cell}, or say which column has the names with person= "
                "(in Python, with keep_people=True as well)"
            ),
        ),
        (NAMED, ["#3"], "nobody in the release is called '#3'; in Python, someone in a group is sl.Someone(3)"),
        (
            NAMED,
            ["#3.12"],
            "nobody in the release is called '#3.12'; in Python, someone in a group is sl.Someone(3, 12)",
        ),
        (NAMED, ["Bo"], "nobody in the release is called 'Bo'; check the spelling, or put odd names into quotes"),
        (CITIES, [Someone(1, 5)], "group 1 (age 30-39, city Ulm) has 4 people; there is no #1.5"),
        (NAMED, ["Bob", "Ann", Someone(1)], "group 1 has 2 people; the facts speak of 3 different ones"),
        (
            CITIES,
            [{"age": "44"}, {"age": "4*", "city": "Ulm"}],
            (
                "{age = 44} and {age = 4*, city = Ulm} may be the same person of group 3 (age 40-49, city Ulm); "
                "write #3.1 and #3.2 for two people of it"
            ),
        ),
    ],
)
def test_people_who_cannot_be_told_are_refused(release, people, words):
    assert refusal(release, *people) == words


def test_as_many_people_as_a_group_has_are_found():
    assert identify(NAMED, ["Bob", Someone(1, 2)]).group_of == {"Bob": 0, Someone(1, 2): 0}
    last = Someone(3, 4)
    assert identify(CITIES, [last]).group_of == {last: 2}


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ({"city": "Köln"}, " (the release knows no city 'Köln'; there are: Bonn, Ulm)"),
        ({"age": "45", "city": "Ulm"}, ""),
        (
            {"age": "old", "city": "Köln"},
            (
                " (the release knows no age 'old'; there are: 30-39, 40-49)"
                " (the release knows no city 'Köln'; there are: Bonn, Ulm)"
            ),
        ),
    ],
)
def test_suppressed_rows_hold_whom_they_may_and_a_note_says_so(who, why):
    described = Described.of(who)
    found = identify(STARRED, [described], Lookup.build(suppressed="may hold them"))
    assert found.group_of == {described: 2}
    assert found.notes == (
        f"{described} fits nothing that is printed{why}: this rests on suppressed rows holding the person",
    )


def test_people_may_be_described_by_different_columns():
    one, two = Described.of({"age": "45"}), Described.of({"city": "Bonn"})
    assert identify(CITIES, [one, two]).group_of == {one: 2, two: 1}
    assert identify(CITIES, [two, Someone(1), one]).group_of == {two: 1, Someone(1): 0, one: 2}


def test_who_is_looked_for_at_the_nearest_average_may_be_elsewhere():
    averages = printing({"age": "30"}, {"age": "50"})
    who = Described.of({"age": "41"})
    found = identify(averages, [who], Lookup.build(locate="nearest"))
    assert found.group_of == {who: 1}
    assert found.notes == ("{age = 41} was looked for at the nearest average, and may be in another group",)
    assert identify(CITIES, [Described.of({"age": "44"})]).notes == ()
