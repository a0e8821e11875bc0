"""What beliefs say about themselves, and what is refused."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, Contradiction, UnknownColumn, UnknownValue, WrongKind


def by_group_and_key(beliefs):
    """(group, key) → value → P."""
    probabilities = defaultdict(dict)
    for row in beliefs.table().to_pylist():
        probabilities[row["group"], (row["sex"], row["age"])][row["value"]] = row["probability"]
    return probabilities


def test_the_certificate_can_be_checked_from_the_table_alone(wards):
    """log P minus what the statements push is a sum of a term per key and one per value, group by group."""
    beliefs = sl.maxent(wards, ["P(Flu | sex=m) = 0.4", "P(HIV | age=30) >= 0.35", "P(Cold | sex=f) <= P(HIV | sex=f)"])
    pushes = [*beliefs.certificate.multipliers.values()]

    def pushed(sex, age, value):
        return (
            pushes[0] * (value == "Flu" and sex == "m")
            + pushes[1] * (value == "HIV" and age == "30")
            + pushes[2] * ((value == "Cold") - (value == "HIV")) * (sex == "f")
        )

    for group in (1, 2, 3):
        keys = {key: row for (where, key), row in by_group_and_key(beliefs).items() if where == group}
        for (one, row), (other, below) in itertools.combinations(keys.items(), 2):
            for value, again in itertools.combinations(row, 2):
                log = {
                    (key, what): math.log(at[what]) - pushed(*key, what)
                    for key, at in ((one, row), (other, below))
                    for what in (value, again)
                }
                contrast = log[one, value] - log[one, again] - log[other, value] + log[other, again]
                assert contrast == pytest.approx(0, abs=1e-8)
    assert beliefs.probability("Flu", given={"sex": "m"}) == pytest.approx(0.4, abs=1e-10)
    assert pushes[1] > 0
    assert pushes[2] < 0
    assert beliefs.certificate.holds


def test_people_of_a_release_by_name():
    named = sl.Release.from_groups([(["Ann", "Bob", "Cy"], ["Flu", "Flu", "HIV"]), (["Di", "Ed"], ["Flu", "HIV"])])
    beliefs = sl.maxent(named, ["P(HIV | person=Ann) = 0", "count(HIV; Bob, Di) = 1.2"])
    assert beliefs.probability("HIV", person="Ann") == 0
    assert beliefs.probability("HIV", person="Bob") + beliefs.probability("HIV", person="Di") == pytest.approx(1.2)
    assert beliefs.probability("HIV", group=1) == pytest.approx(1 / 3)
    everybody = sl.maxent(named, ["count(Flu; Ann, Bob, Cy) = 2", "P(Flu | person=Ann) = 1"])
    assert everybody.probability("HIV", person="Cy") == pytest.approx(0.5)
    with pytest.raises(BadKnowledge, match="no statement names"):
        beliefs.probability("HIV", person="Zoe")


def test_someone_of_a_group_and_a_described_person(wards):
    beliefs = sl.maxent(wards, [sl.P("Flu", person={"sex": "f", "age": 50}) == 0.9])
    assert beliefs.probability("Flu", given={"age": "50"}) == pytest.approx(0.5)
    printed = sl.Release.from_counts([{"Flu": 2, "HIV": 1}, {"Flu": 1, "HIV": 1}])
    assert sl.maxent(printed, ["P(HIV | person=#1) = 1"]).probability("HIV", group=1) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("knowing", "people", "error", "message"),
    [
        (["P(Flu | sx=m) = 0.3"], {}, UnknownColumn, "did you mean 'sex'"),
        (["P(Fluu | sex=m) = 0.3"], {}, UnknownValue, "did you mean 'Flu'"),
        (["P(Fluu | sex=x) = 0.3"], {}, UnknownValue, "did you mean 'Flu'"),
        (["P(Flu | person=Al) = 0.3"], {}, BadKnowledge, "say who it is"),
        (["P(Flu | person=Al) = 0.3"], {"Al": {"sex": "x"}}, BadKnowledge, "no sex 'x'"),
        (["P(Flu | person=Al) = 0.3"], {"Al": {"sex": "m"}}, BadKnowledge, "say more about"),
        (["P(Flu | person=#7) = 0.3"], {}, sl.SidelightError, "no group 7"),
        (
            ["count(Flu; Al, Bo) = 1"],
            {name: {"sex": "m", "age": "40"} for name in ("Al", "Bo")},
            BadKnowledge,
            "name fewer",
        ),
        (["P(Flu | sex=m) = 1"], {}, Contradiction, "the release says otherwise"),
        (["P(HIV) = 0.5", "P(Flu) >= 0.1"], {}, Contradiction, "P\\(HIV\\) = 0.5"),
    ],
)
def test_what_is_refused(wards, knowing, people, error, message):
    with pytest.raises(error, match=message):
        sl.maxent(wards, knowing, people=people)


def test_names_in_the_release_are_not_told_to_who_misspells_one():
    named = sl.Release.from_groups([(["Ann", "Bobby", "Cy"], ["Flu", "Flu", "HIV"])])
    for name in ("Bob", "Zoe"):
        with pytest.raises(BadKnowledge) as refused:
            sl.maxent(named, [f"P(Flu | person={name}) = 0.3"])
        assert mentions(refused.value, "nobody", f"'{name}'", "people={'" + name)
        assert not any(mentions(refused.value, other) for other in ("Ann", "Bobby", "Cy"))


def test_questions_about_nobody(wards):
    beliefs = sl.maxent(wards)
    with pytest.raises(BadKnowledge, match="there are"):
        beliefs.probability("Flu", given={"sex": "x"})
    with pytest.raises(BadKnowledge, match="nobody in that group"):
        beliefs.probability("Flu", given={"age": "50"}, group=1)
    with pytest.raises(sl.SidelightError, match="no group 9"):
        beliefs.probability("Flu", group=9)


def test_estimation_error(wards, original):
    errors = [
        sl.maxent(wards, sl.strongest_rules(original, positive=k, negative=k, support=1)).estimation_error(original)
        for k in (0, 2, 5, 50)
    ]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == pytest.approx(0, abs=1e-7)
    another = sl.Release.from_buckets([([{"sex": "m", "age": "30"}, {"sex": "f", "age": "50"}], ["Flu", "HIV"])])
    with pytest.raises(BadMeasure, match="not the table"):
        sl.maxent(another).estimation_error(original)


def test_nobody_is_believed_impossible_what_is_true_but_infinity_says_so(wards, original):
    assert sl.maxent(wards, ["P(Flu | sex=m, age=30) = 0"]).estimation_error(original) == math.inf


@pytest.fixture
def starred():
    return sl.Release.from_counts(
        [{"Flu": 1, "Cold": 2}, {"Flu": 2, "Cold": 1}, {"Flu": 1}],
        labels=[{"sex": "f", "town": "x"}, {"sex": "m", "town": "x"}, {"sex": "*", "town": "y"}],
    )


def test_people_whom_a_group_hides_are_never_left_out(starred):
    """Were they left out, P(Flu | sex=f) = 0.4 would contradict the one Flu among three women."""
    beliefs = sl.maxent(starred, ["P(Flu | sex=f) = 0.4"])
    assert beliefs.probability("Flu", given={"sex": "f"}) == pytest.approx(0.4)
    meant = beliefs.meant({"sex": "f"})
    assert (meant.certain, meant.possible, meant.groups) == (3, 1, 1)
    assert (1 + meant.estimate) / (3 + meant.estimate) == pytest.approx(0.4)
    with pytest.raises(Contradiction, match="the release says otherwise"):
        sl.maxent(starred, ["P(Flu | sex=f) = 0.6"])


def test_without_statements_about_it_nothing_that_is_believed_of_a_group_changes(starred):
    for knowing in ([], ["P(Flu | sex=f) = 0.4"], ["P(Flu | town=x) >= 0.1"]):
        beliefs = sl.maxent(starred, knowing)
        assert [beliefs.probability("Flu", group=group) for group in (1, 2, 3)] == pytest.approx([1 / 3, 2 / 3, 1])


def test_a_named_person_is_who_the_description_says(starred):
    """The one person of the third group may be a man, unless she is named and described as a woman."""
    people = {"Al": {"sex": "f", "town": "y"}}
    assert sl.maxent(starred, ["P(Flu | sex=f) <= 1/3"]).meant({"sex": "f"}).estimate == pytest.approx(0, abs=1e-6)
    with pytest.raises(Contradiction):
        sl.maxent(starred, ["P(Flu | sex=f) <= 1/3", "P(Cold | person=Al) <= 0.5"], people=people)
    beliefs = sl.maxent(starred, ["P(Cold | person=Al) <= 0.5"], people=people)
    assert beliefs.meant({"sex": "f"}).estimate == pytest.approx(1)
    assert beliefs.probability("Flu", given={"sex": "f"}) == pytest.approx(0.5)


def test_what_is_about_nobody_as_things_are_known(starred):
    beliefs = sl.maxent(starred, ["P(Cold | sex=m, town=y) = 1"])
    meant = beliefs.meant({"sex": "m", "town": "y"})
    assert (meant.certain, meant.possible, meant.groups) == (0, 1, 1)
    assert mentions(beliefs.notes[0], "sex=m, town=y", "nobody", "certain", "1 person", "1 group", "may")
    with pytest.raises(BadKnowledge, match=r"known, nobody .*can be"):
        beliefs.probability("Cold", given={"sex": "m", "town": "y"})


def test_shares_of_people_whose_number_is_not_known(starred):
    with pytest.raises(BadKnowledge, match="compares shares of different people"):
        sl.maxent(starred, ["P(Flu | sex=f) <= P(Flu | sex=m)"])
    beliefs = sl.maxent(starred, ["P(Cold | sex=f) = P(Flu | sex=f)"])
    assert beliefs.probability("Flu", given={"sex": "f"}) == pytest.approx(0.5)
    with pytest.raises(Contradiction, match=r"otherwise than '0\.6 <= "):
        sl.maxent(starred, ["0.6 <= P(Flu | sex=f) <= 0.7"])
    beliefs = sl.maxent(starred, ["0.4 <= P(Flu | sex=f) <= 0.45"])
    assert set(beliefs.certificate.multipliers) == {"0.4 <= P(Flu | sex=f) <= 0.45"}


def test_what_rests_on_suppressed_rows_is_told():
    release = sl.Release.from_counts([{"Flu": 2}, {"Flu": 1, "Cold": 1}], labels=[{"age": "30-39"}, {"age": "*"}])
    asks = {"knowing": ["P(Flu | person=Al) = 0.2"], "people": {"Al": {"age": 70}}}
    with pytest.raises(BadKnowledge, match=r"nobody .* 'Al'"):
        sl.maxent(release, **asks)
    beliefs = sl.maxent(release, **asks, suppressed="may hold them")
    (note,) = beliefs.notes
    assert mentions(note, "Al", "nothing", "printed", "suppressed rows")


def test_riskiest_are_sorted(wards):
    risks = sl.maxent(wards, ["P(Cold | sex=m) = 0"]).riskiest(4)
    assert [risk.probability for risk in risks] == sorted((risk.probability for risk in risks), reverse=True)
    assert len(sl.maxent(wards).riskiest(1000)) == 13


def test_a_table_or_a_frame_is_told_what_to_do_first(wards):
    frame = pa.table({"sex": ["m"], "value": ["Flu"]})
    with pytest.raises(WrongKind, match=r"a Release, not a Table; .*sl\.group"):
        sl.maxent(sl.read_table(frame, quasi=["sex"], sensitive="value"))
    with pytest.raises(WrongKind, match=r"read one with sl.read_release"):
        sl.maxent(frame)
    with pytest.raises(WrongKind, match=r"original .* a Table"):
        sl.maxent(wards).estimation_error(frame)


def test_beliefs_show_themselves_in_a_notebook_and_as_frames(wards):
    beliefs = sl.maxent(wards, ["P(Flu | sex=m, age=50) = 0.3"])
    assert repr(beliefs) == "<Beliefs by maximum entropy about 8 people, knowing 1 statement>"
    html = beliefs._repr_html_()
    assert "<td>50</td><td>Cold</td><td>0.5000</td>" in html
    assert mentions(html, "nothing", "nobody")
    assert beliefs.to_arrow() == beliefs.table()
    assert beliefs.to_polars().shape == beliefs.to_pandas().shape == beliefs.table().shape


def test_a_notebook_never_runs_what_a_label_says():
    odd = sl.Release.from_counts([{"<b>Flu</b>": 1, "Cold": 1}], labels=[{"age": "<script>"}])
    html = sl.maxent(odd)._repr_html_()
    assert "<b>" not in html
    assert "<script>" not in html


def test_who_is_named_and_who_else_looks_alike_are_told_apart():
    men = sl.Release.from_buckets([([{"sex": "m"}] * 2, ["HIV", "Flu"]), ([{"sex": "f"}] * 2, ["HIV", "Flu"])])
    beliefs = sl.maxent(men, ["P(HIV | person=Ann) = 0.1"], people={"Ann": {"sex": "m"}})
    risks = beliefs.riskiest(2)
    assert {(risk.value, risk.says) for risk in risks} == {
        ("HIV", (("sex", "m"), ("person", "anybody else"))),
        ("Flu", (("sex", "m"), ("person", "Ann"))),
    }
    assert all(mentions(risk, risk.value, "sex m", dict(risk.says)["person"], "0.9000") for risk in risks)
    assert beliefs.by_key.probabilities_at(np.array([0, 1]), np.array([0, 0])) == pytest.approx([0.5, 0.5])
    assert "<td>m</td><td>Ann</td><td>Flu</td><td>0.9000</td>" in beliefs._repr_html_()
    assert "<td>f</td><td></td><td>Flu</td><td>0.5000</td>" in beliefs._repr_html_()
    everybody = ["P(HIV | person=#1) = 0.1", "P(HIV | person=#1.2) <= 1"]
    assert {dict(risk.says).get("person") for risk in sl.maxent(men, everybody).riskiest(20)} == {None, "#1", "#1.2"}


def test_named_people_of_whom_it_is_not_known_what_they_say():
    labels = [{"age": "30", "sex": "*"}, {"age": "40", "sex": "f"}, {"age": "40", "sex": "m"}]
    ward = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 1}, {"Flu": 1}], labels=labels)
    beliefs = sl.maxent(ward, ["P(Cold | person={age=30, sex=f}) = 1", "P(Cold | sex=f) = 0.4"])
    kinds = beliefs.by_kind
    by_says = {says: kinds.keys.people[at] for at, says in enumerate(map(kinds.says, range(len(kinds.keys))))}
    assert sum(by_says.values()) == pytest.approx(ward.size)
    (she,) = (says for says in by_says if ("person", "{age = 30, sex = f}") in says)
    assert by_says[she] == pytest.approx(1)
    for at, says in enumerate(map(kinds.says, range(len(kinds.keys)))):
        assert kinds.keys.people[at] < 1e-9 or kinds.probability[kinds.key == at].sum() == pytest.approx(1), says


def test_who_moved_most_is_told_first_and_once():
    labels = [{"age": "30-39", "sex": "*"}, {"age": "40-49", "sex": "f"}, {"age": "50-59", "sex": "*"}]
    counts = [{"Flu": 2, "Cold": 3, "Gout": 1}, {"Flu": 4}, {"Flu": 1, "Cold": 5}]
    ward = sl.Release.from_counts(counts, labels=labels)
    before, after = sl.maxent(ward), sl.maxent(ward, ["P(Flu | sex=f) = 0.9"])
    moves = after.moved_most(before, 100)
    slow = {}
    for kind in set(after.by_kind.key.tolist()):
        printed = after.by_kind.keys.printed[kind]
        for value, name in enumerate(ward.domain):
            here = after.by_kind.probability[(after.by_kind.key == kind) & (after.by_kind.value == value)].sum()
            there = before.by_key.probability[(before.by_key.key == printed) & (before.by_key.value == value)].sum()
            most = slow.setdefault(after.by_kind.says(kind), (0.0, None))
            slow[after.by_kind.says(kind)] = max(most, (round(abs(here - there), 12), name), key=lambda each: each[0])
    assert {move.says: round(abs(move.probability - move.before), 9) for move in moves} == {
        says: round(moved, 9) for says, (moved, _) in slow.items()
    }
    distances = [round(abs(move.probability - move.before), 9) for move in moves]
    assert distances == sorted(distances, reverse=True)
    assert after.moved_most(before, 2) == moves[:2]


def test_a_value_named_twice_counts_once_for_a_person_too():
    ward = sl.Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
    beliefs = sl.maxent(ward, ["P(Flu | person=Ann) = 0.3"], people={"Ann": {"age": "30-39"}})
    assert beliefs.probability(["Flu", "Flu"], person="Ann") == beliefs.probability("Flu", person="Ann")
