from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.attack.named_witness import _exists, _holds, share_that_leave_out
from sidelight.errors import BadMeasure, BadTable
from sidelight.testing import releases
from sidelight.worlds.brute_force import every_world

ROWS = {
    "name": ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay"],
    "age": ["31", "34", "38", "45", "41", "49"],
    "disease": ["Flu", "Cold", "AIDS", "Flu", "AIDS", "Cold"],
}
RELEASE = replace(
    sl.Release.from_counts(
        [{"Flu": 1, "Cold": 1, "AIDS": 1}, {"Flu": 1, "Cold": 1, "AIDS": 1}],
        labels=[{"age": "30-39"}, {"age": "40-49"}],
    ),
    sensitive="disease",
)


def named(measure, release=RELEASE, rows=ROWS, **options):
    return sl.name_witness(measure.measure(release), release, pa.table(rows), person="name", **options)


def test_the_people_of_an_investigation():
    found = named(sl.Acquaintance(others=2, value="AIDS"))
    assert found.target == "Cleo"
    assert {*found.others} == {("Bob", "Cold"), ("Ann", "Flu")}
    assert found.people[0] == "Cleo"
    assert {*found.people} == {"Ann", "Bob", "Cleo"}
    assert found.finding.value == 1
    assert found.exists == (1, 1)
    assert found.holds == Fraction(1, 3)  # whoever is left has AIDS if the two have the others


def test_names_stand_in_the_answer_and_nowhere_else():
    found = named(sl.Acquaintance(rules_out=1, others=1, family=1, value="AIDS"))
    assert not any(name in repr(found) for name in ROWS["name"])
    assert mentions(found.explain(), "Cleo", "AIDS", "probability 1", "not", "Cold", "Ann", "Flu", "all worlds", "1/6")


def test_what_is_found_out_is_true_and_enough():
    truth = dict(zip(ROWS["name"], ROWS["disease"], strict=True))
    for amounts in ((0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)):
        found = named(sl.Acquaintance(*amounts, value="AIDS"))
        assert truth[found.target] == "AIDS"
        assert all(truth[name] == value for name, value in found.others)
        assert truth[found.target] not in found.finding.witness.rules_out
        assert len({*found.people}) == len(found.people)
        people = sl.Release.from_groups(
            [(ROWS["name"][:3], ROWS["disease"][:3]), (ROWS["name"][3:], ROWS["disease"][3:])]
        )
        facts = [sl.Has(name, value) for name, value in found.others]
        facts += [~sl.Has(found.target, value) for value in found.finding.witness.rules_out]
        target = sl.Has(found.target, "AIDS")
        facts += [sl.Has(name, "AIDS").implies(target) for name in found.family]
        assert sl.posterior(people, target, given=facts) == found.finding.value


def test_five_people_of_the_adult_table():
    adult = sl.datasets.adult()
    policy = sl.Policy(sl.Acquaintance(rules_out=4) < Fraction(3, 4))
    release = sl.protect(adult.table, policy, method="mondrian", by=adult.hierarchies, ask="nobody").release
    rows = pq.read_table(adult.path).drop_null()
    rows = rows.append_column("id", pc.cast(pa.array(range(len(rows))), pa.string()))
    finding = sl.Acquaintance(others=5, value="Exec-managerial").measure(release)
    found = sl.name_witness(finding, release, rows, person="id", by=adult.hierarchies)
    occupation = dict(zip(rows["id"].to_pylist(), rows["occupation"].to_pylist(), strict=True))
    assert (len(found.others), finding.value) == (5, 1)
    assert all(occupation[name] == value for name, value in found.others)
    assert occupation[found.target] == "Exec-managerial"
    assert found.holds == Fraction(1, 6)  # one of six is the executive: five blindly chosen leave that one


def test_people_with_sets_of_values():
    rows = {"name": ["Ann", "Ann", "Bob", "Cleo"], "zip": ["1"] * 4, "disease": ["Flu", "Cold", "Flu", None]}
    release = sl.read_release(
        pa.table(rows), group="zip", sensitive="disease", person="name", values="set", missing="no value"
    )
    found = named(sl.Acquaintance(others=2, value="Cold"), release, rows)
    assert (found.target, found.others) == ("Ann", (("Bob", "Cold"), ("Cleo", "Cold")))
    assert found.holds == Fraction(1, 3)


def test_a_table_of_other_people_is_refused_without_a_name():
    others = {**ROWS, "disease": ["Flu"] * 6}
    for rows in (others, {name: cells[:5] for name, cells in ROWS.items()} | {"age": ["91", "34", "38", "45", "41"]}):
        with pytest.raises(BadTable, match=r"people.*not those of group 1.*by=") as refusal:
            named(sl.Acquaintance(others=2, value="AIDS"), rows=rows)
        assert not any(name in str(refusal.value) for name in ROWS["name"])


def test_people_without_a_value_are_in_no_release():
    rows = {"name": [*ROWS["name"], "Gus"], "age": [*ROWS["age"], "33"], "disease": [*ROWS["disease"], None]}
    assert named(sl.Acquaintance(others=2, value="AIDS"), rows=rows).target == "Cleo"


def test_suppressed_people_are_named_only_where_that_is_said():
    release = replace(
        sl.Release.from_counts([{"Flu": 3, "Cold": 3}, {"AIDS": 1, "Flu": 1}], labels=[{"age": "30-39"}, {"age": "*"}]),
        sensitive="disease",
    )
    rows = {
        "name": [*"abcdefgh"],
        "age": ["31", "32", "33", "34", "35", "36", "71", "72"],
        "disease": ["Flu", "Cold"] * 3 + ["AIDS", "Flu"],
    }
    with pytest.raises(BadTable, match=r"not those of group 2.* 0 of"):
        named(sl.Acquaintance(others=1, value="AIDS"), release, rows)
    found = named(sl.Acquaintance(others=1, value="AIDS"), release, rows, suppressed="may hold them")
    assert (found.target, found.others) == ("g", (("h", "Flu"),))


def test_names_that_are_numbers_repeated_or_missing():
    numbers = {**ROWS, "name": [1, 2, 3, 4, 5, 6]}
    assert named(sl.Acquaintance(others=2, value="AIDS"), rows=numbers).target == "3"
    for names in (["Ann", "Ann", "Cleo", "Dan", "Eve", "Fay"], [None, "Bob", "Cleo", "Dan", "Eve", "Fay"]):
        with pytest.raises(BadTable, match=r"people.*not those of group 1"):
            named(sl.Acquaintance(others=2, value="AIDS"), rows={**ROWS, "name": names})


def test_only_investigations_have_people():
    with pytest.raises(BadMeasure, match=r"'group size'.*no investigation.*sl\.Acquaintance"):
        named(sl.GroupSize())


def test_several_values_as_one():
    found = named(sl.Acquaintance(others=1, value=["AIDS", "Flu"]))
    assert found.others == (("Bob", "Cold"),)
    assert found.targets == ("Ann", "Cleo")


@st.composite
def investigations(draw):
    release = draw(releases(max_groups=2, max_people=3, max_values=3))
    amounts = [draw(st.integers(0, 2)) for _ in range(3)]
    return release, sl.Acquaintance(*amounts, value=draw(st.sampled_from(release.domain))).measure(release)


@examples(60)
@given(investigations())
def test_shares_of_worlds_agree_with_going_through_all(investigation):
    release, finding = investigation
    witness = finding.witness
    if witness is None:
        return
    first = (witness.group.number, 0)
    taken = Counter({witness.group.number: 1})

    def next_people(part):
        if part is None:
            return []
        group = part.group.number
        people = [(group, taken[group] + place) for place in range(part.people)]
        taken[group] += part.people
        return people

    others, family = next_people(witness.others), next_people(witness.family)
    value, single = witness.value, witness.semantics == "single"

    def true(world):
        has = value in world[first]
        ruled_out = has or not ({*witness.rules_out} & world[first])
        if single:
            wanted = Counter(dict(witness.others.values)) if witness.others else Counter()
            learned = Counter(next(iter(world[who])) for who in others) == wanted
        else:
            learned = all(value not in world[who] for who in others)
        return ruled_out and learned and (has or all(value not in world[who] for who in family))

    worlds = [*every_world(release)]
    assert _holds(release, witness) == Fraction(sum(map(true, worlds)), len(worlds))
    if witness.others:
        members = [who for who in worlds[0] if who[0] == witness.others.group.number]
        enough = [sum(value not in world[who] for who in members) >= witness.others.people for world in worlds]
        share = Fraction(sum(enough), len(worlds))
        assert _exists(release, witness) == ((share, share) if not single else (1, 1))


def test_bounds_of_the_share_hold_where_it_is_not_counted():
    exact = {(n, a, k): share_that_leave_out(n, a, k)[0] for n in range(1, 6) for a in range(7) for k in range(n + 1)}
    for (people, occurrences, without), share in exact.items():
        low, high = share_that_leave_out(people, occurrences, without, most_steps=0)
        assert low <= share <= high
