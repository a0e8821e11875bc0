"""Predicates that people choose themselves: what is asked, what is refused, how it reads."""

import math
from fractions import Fraction

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.measure import Monotonicity
from sidelight.policy.limit_text import read_limit
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text

STOMACH = {"stomach": ["Ulcer", "Dyspepsia"]}


def ward(people, **roles):
    zips, diseases, wishes = zip(*people, strict=True)
    rows = pa.table({"zip": zips, "disease": diseases, "wish": wishes})
    roles = {"sensitive": ["disease", "wish"], "missing": "a value"} | roles
    return sl.read_release(rows, group="zip", **roles)


PEOPLE = [
    ("1", "Ulcer", "stomach"),
    ("1", "Dyspepsia", None),
    ("1", "Flu", "Flu"),
    ("1", "Flu", None),
    ("2", "Flu", None),
    ("2", "Flu", None),
    ("2", "Flu", None),
    ("3", "Cold", "stomach"),
    ("3", "Ulcer", None),
    ("3", "Ulcer", None),
    ("3", "Ulcer", None),
]
WARD = ward(PEOPLE)
THE_COLD = ward([*PEOPLE[-4:], ("4", "Dyspepsia", None), ("4", "Flu", None)])


def test_only_what_somebody_wishes_counts():
    """The people of group 2 are all known to have the Flu, and nobody of them minds."""
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    finding = measure.measure(WARD)
    assert finding.value < math.inf
    assert sl.PriorBelief(stubbornness=20).measure(WARD.about("disease")).value == math.inf
    assert finding.witness.group.number == 1
    assert finding.replay(WARD) == finding.value


def test_a_belief_in_what_is_not_so_counts_too():
    """Who wishes it has a Cold, and would be taken for one of the three with an Ulcer."""
    finding = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH).measure(THE_COLD)
    assert not finding.witness.matches
    assert finding.witness.p_in == Fraction(3, 4)
    assert finding.witness.p_out == Fraction(3 + 2, 3 + 20)  # three of the three others, and a weight of 2 of 20
    assert "a person of group 1 (zip 3), who wants that kept, is of 'stomach'" in finding.explain()
    assert "nobody is who wants it kept" in finding.explain()


def test_those_who_are_known_are_never_the_person_asked_about():
    finding = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH, known_people=5).measure(THE_COLD)
    assert finding.witness.p_in == Fraction(3, 4)


def test_nobody_wishes_anything():
    finding = sl.PriorBelief(stubbornness=20, wishes="wish").measure(ward(PEOPLE[4:7] + [("2", "Cold", None)]))
    assert (finding.value, finding.witness) == (1, None)


def test_it_is_one_limit_about_both_columns():
    policy = sl.Policy(sl.GroupSize() >= 3, sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH) <= 9)
    verdict = policy.judge(WARD)
    assert len(verdict.judgements) == 2
    assert verdict.judgements[1].holds
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    text = "prior belief(stubbornness=20, predicates={stomach=[Dyspepsia, Ulcer]}, wishes=wish) <= 9"
    assert read_limit(text) == policy.criteria[1]
    assert str(policy.criteria[1].measure) == text.removesuffix(" <= 9")


def test_merging_groups_may_raise_it():
    """The person of group 3 has nothing to fear before 30 people with ulcers, who do not mind, come to the group."""
    measure = sl.PriorBelief(shape="uniform", stubbornness=30, wishes="wish", predicates=STOMACH)
    assert measure.when_groups_merge is Monotonicity.UNKNOWN
    apart = [("3", "Cold", "stomach"), ("3", "Dyspepsia", None), *[("3", "Cold", None)] * 9]
    apart += [("4", "Ulcer", None)] * 30
    together = [("3", disease, wish) for _, disease, wish in apart]
    assert measure.measure(ward(together)).value > measure.measure(ward(apart)).value


def test_a_search_keeps_what_people_wish():
    table = sl.read_table(
        pa.table(dict(zip(("zip", "disease", "wish"), zip(*PEOPLE, strict=True), strict=True))),
        quasi="zip",
        sensitive=["disease", "wish"],
        missing="a value",
    )
    hierarchies = {"zip": sl.Hierarchy.suppression("zip", ["1", "2", "3"])}
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    found = sl.protect(table, sl.Policy(measure <= 6), by=hierarchies, ask="nobody")
    assert measure.measure(found.release).value <= 6


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"apart_from": ["Flu"]}, "leave apart_from="),
        ({"predicates": "all subsets"}, "'all subsets' out"),
        ({"decided_by": "closed conditions"}, "not about wishes"),
    ],
)
def test_what_makes_no_sense_is_refused(more, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(stubbornness=20, wishes="wish", **more)


def test_a_wish_that_says_nothing_is_refused_with_the_nearest():
    with pytest.raises(BadMeasure, match="'stomach' in column 'wish' is neither a predicate nor a value"):
        sl.PriorBelief(stubbornness=20, wishes="wish").measure(WARD)
    with pytest.raises(BadMeasure, match="did you mean 'stomachs'"):
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates={"stomachs": ["Ulcer"]}).measure(WARD)


def test_both_columns_are_needed():
    measure = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH)
    with pytest.raises(BadMeasure, match="wants two sensitive columns"):
        measure.measure(WARD.about("disease"))
    with pytest.raises(BadMeasure, match="wants two sensitive columns"):
        measure.about("disease").measure(WARD)


BOTH = "wants two sensitive columns, the values and what people want kept"


@pytest.mark.parametrize(
    ("wishes", "columns", "message"),
    [
        ("wish", ["wish"], f"wishes='wish' {BOTH}; read 'wish' and the column of values, and no other, as sensitive"),
        (
            "whish",
            ["disease", "wish"],
            f"wishes='whish' {BOTH}, not disease, wish; read 'whish' and the column of values, and no other, as sensitive",
        ),
        (
            "wish",
            ["disease", "wish", "more"],
            (
                f"wishes='wish' {BOTH}, not disease, wish, more; "
                "read 'wish' and the column of values, and no other, as sensitive"
            ),
        ),
    ],
)
def test_which_columns_are_needed_is_said(wishes, columns, message):
    zips, diseases, wished = zip(*PEOPLE, strict=True)
    rows = pa.table({"zip": zips, "disease": diseases, "wish": wished, "more": diseases})
    release = sl.read_release(rows, group="zip", sensitive=columns, missing="a value")
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(stubbornness=20, wishes=wishes, predicates=STOMACH).measure(release)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("predicates", "hint"),
    [((), "there are: Cold, Dyspepsia, Flu, Ulcer"), ({"stomachs": ["Ulcer"]}, "did you mean 'stomachs'?")],
)
def test_a_wish_that_says_nothing_is_named(predicates, hint):
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates=predicates).measure(WARD)
    assert str(error.value) == (
        f"'stomach' in column 'wish' is neither a predicate nor a value; name it in predicates=; {hint}"
    )


def test_the_cases_are_the_wishes_of_somebody_in_the_group():
    """Group 1 wishes for both; nobody of group 2 for anything; the wish of group 3 is of one who is not of it."""
    belief = sl.PriorBelief(stubbornness=20, wishes="wish", predicates=STOMACH, known_people=2)
    names = [str(each) for each in belief.predicates_in_question(WARD.groups)]
    cases = belief.cases(WARD.groups)
    assert [(part, row, names[column], *rest) for part, row, column, *rest in cases] == [
        (0, 0, names[0], 4, 2, 0),
        (0, 0, names[1], 4, 2, 0),
        (0, 2, "stomach", 4, 3, 1),
    ]
    assert sorted(names) == ["Flu", "stomach"]
    assert cases.known == 2
    nobody = belief.cases(ward([*PEOPLE[4:7], ("2", "Ulcer", None), ("2", "Dyspepsia", None)]).groups)
    assert (list(nobody), nobody.known) == ([], 2)


@pytest.mark.parametrize("empty", [None, "(missing)"])
def test_who_asks_for_nothing_hides_nobody_elses_wish(empty):
    """One of four has the Ulcer and minds: p_in = 1/4, and p_out = 1 / (3 + 20)."""
    people = [("1", "Ulcer", "Ulcer"), *[("1", "Flu", empty)] * 3]
    release = ward(people, domain={"disease": ["Flu", "Ulcer"], "wish": [empty, "Ulcer"]})
    finding = sl.PriorBelief(stubbornness=20, wishes="wish").measure(release)
    assert (finding.value, finding.witness.value) == (Fraction(23, 4), "Ulcer")
    assert finding.replay(release) == finding.value
