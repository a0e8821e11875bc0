"""What the measure takes, refuses, says and hands on.

Negations: which values are ruled out, and of whom.
"""

import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.ck_safety.implications import (
    Atom,
    Implication,
    ImplicationsWitness,
    either,
)
from sidelight.release.groups import GroupName

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ],
    labels=[{"age": "20-29", "sex": "male"}, {"age": "20-29", "sex": "female"}],
)
BOTH = pytest.mark.parametrize("measure", [sl.Implications, sl.Negations])


@BOTH
@pytest.mark.parametrize(("k", "given"), [(-1, "-1"), (1.5, "1.5"), ("two", "two"), (None, "None"), (True, "True")])
def test_an_amount_that_makes_no_sense(measure, k, given):
    with pytest.raises(BadMeasure) as refusal:
        measure(k)
    assert mentions(refusal.value, f"'{measure.name}'", "k", "whole number", "at least 0", f"not {given}")


@BOTH
def test_a_whole_number_of_numpy_is_one(measure):
    assert measure(np.int64(2)) == measure(2)
    assert type(measure(np.int64(2)).k) is int


@BOTH
def test_a_value_that_the_release_does_not_know(measure):
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        measure(1, value="flue").measure(HOSPITAL)


@BOTH
def test_a_value_that_nobody_has(measure):
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}], domain=["Flu", "Cold", "AIDS"])
    finding = measure(1, value="AIDS").measure(release)
    assert (finding.value, finding.witness) == (0, None)
    (note,) = finding.notes
    assert mentions(note, "nobody", "'AIDS'")
    assert finding.replay(release) == 0
    assert mentions(finding.explain(), "Nobody", "'AIDS'", "nobody")


@BOTH
def test_names(measure):
    assert str(measure(3)) == f"{measure.name}(k=3)"
    assert str(measure(0, value="Flu") < 0.5) == f"{measure.name}(k=0, value=Flu) < 0.5"


def test_a_number_as_a_value():
    release = sl.Release.from_counts([{"5": 2, "6": 1}])
    assert sl.Implications(0, value=5).measure(release).value == Fraction(2, 3)


def test_the_witness_is_data():
    witness = sl.Implications(1).measure(HOSPITAL).witness
    target = Atom((1, 0), "Flu")
    assert (witness.group.number, witness.value, witness.target, witness.elsewhere) == (1, "Flu", (1, 0), ())
    assert witness.implications == (Implication(Atom((1, 0), "Lung cancer"), target),)
    said = str(witness.implications[0])
    assert mentions(said, "if", "person 1", "group 1", "Lung cancer", "person 1", "group 1", "Flu")


def test_what_goes_without_saying_fills_up():
    release = sl.Release.from_counts([{"Flu": 1}, {"Flu": 5, "Cold": 5}])
    finding = sl.Implications(2).measure(release)
    target = Atom((1, 0), "Flu")
    assert finding.value == finding.replay(release) == 1
    assert finding.witness.implications == (Implication(target, target),) * 2
    assert mentions(finding.explain(), "group 1", "Flu", 1, "release itself")
    assert not mentions(finding.explain(), "if")


@pytest.mark.parametrize("k", [10**9, 10**400], ids=["10^9", "10^400"])
@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_any_number_of_implications_may_be_asked_about(k, semantics):
    counts = [{"Flu": 2, "Cold": 3}, {"Flu": 1, "AIDS": 4}]
    release = sl.Release.from_counts(counts, sizes=[5, 5], values=semantics)
    finding = sl.Implications(k).measure(release)
    assert finding.value == finding.replay(release) == 1


def test_knowing_nothing():
    said = sl.Implications(0).measure(HOSPITAL).explain()
    assert mentions(said, "group 1 (age 20-29, sex male)", "Flu", "2/5", "release itself")
    assert not mentions(said, "if")


def test_other_people_of_the_group():
    release = sl.Release.from_counts([{"Flu": 60, **{f"v{n}": 2 for n in range(20)}}])
    finding = sl.Implications(3).measure(release)
    assert finding.value == finding.replay(release)
    assert mentions(finding.explain(), "if", "3 others", "group", "Flu", "target", "Flu")


def test_people_of_other_groups():
    some = {"A": 5, **{f"v{n}": 1 for n in range(35)}}
    release = sl.Release.from_counts([{"T": 5, **{f"v{n}": 1 for n in range(4)}}, some, some])
    finding = sl.Implications(3, value="v0").measure(release)
    assert finding.value == finding.replay(release)
    assert finding.witness.group.number == 1
    far = sl.Implications(1, value="w").measure(
        sl.Release.from_counts([{"w": 1, **{f"v{n}": 1 for n in range(30)}}, {"A": 3, "B": 2, "C": 2}])
    )
    assert far.witness.elsewhere[0].number == 2
    assert mentions(far.explain(), "if", "someone", "group 2", "A", "target", "w")


def test_what_is_asked_of_the_target_comes_before_what_is_asked_of_other_groups():
    """3 of 10 have neither w nor A, 11 of 20 not P; a second fact about either group would do less: 5/9 and 10/19."""
    release = sl.Release.from_counts(
        [{"P": 9, **{f"q{n}": 1 for n in range(11)}}, {"w": 4, "A": 3, "B": 1, "C": 1, "D": 1}],
        labels=[{"zip": "1"}, {"zip": "2"}],
    )
    finding = sl.Implications(2, value="w").measure(release)
    assert finding.value == finding.replay(release) == 1 / (1 + Fraction(10, 4) * Fraction(3, 10) * Fraction(11, 20))
    atom = Atom((2, 0), "w")
    assert finding.witness.implications == (
        Implication(Atom((2, 0), "A"), atom),
        Implication(Atom((1, 0), "P"), atom),
    )
    assert [str(name) for name in finding.witness.elsewhere] == ["group 1 (zip 1)"]
    premises = ["if", "target", "A", "someone", "group 1 (zip 1)", "P", "target", "w"]
    assert mentions(finding.explain(), "group 2 (zip 2)", "w", "80/113", *premises)


def test_certain_knowledge_elsewhere():
    """One of two people of group 3 must have A: whoever knows that either way somebody has w knows it."""
    release = sl.Release.from_counts([{"w": 1, "x": 9, "y": 9, "z": 9}, {"A": 2, "B": 2, "C": 1}, {"A": 3, "B": 1}])
    finding = sl.Implications(2, value="w").measure(release)
    assert finding.value == finding.replay(release) == 1
    assert mentions(finding.explain(), "if", "2 people", "group 3", "A", "target", "w")


def test_long_lists_are_cut_short():
    release = sl.Release.from_counts([{f"v{n:02}": 3 for n in range(40)}])
    explanation = sl.Implications(12).measure(release).explain()
    assert mentions(explanation, "if", "target", "v01, v02, v03, v04", "8 more values", "target", "v00")
    assert not mentions(explanation, "v05")


def test_summaries_travel():
    """To a worker of a cluster and back."""
    summary = sl.Implications(3).summarize(HOSPITAL.groups)
    assert pickle.loads(pickle.dumps(summary)).finding() == sl.Implications(3).measure(HOSPITAL)


def test_sparse_counts_give_the_same():
    groups = [{f"v{10 * g + n}": 1 + n % 3 for n in range(10)} for g in range(8)]
    release = sl.Release.from_counts(groups)
    assert release.groups.counts.cells is None
    alone = sl.Release.from_counts(groups[:1])
    for k in range(4):
        finding = sl.Implications(k).measure(release)
        assert finding.replay(release) == finding.value >= sl.Implications(k).measure(alone).value
        assert sl.Implications(k, value="v2").measure(release).value >= Fraction(3, 19)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (("a",), "a"),
        (("a", "b"), "a or b"),
        (("a", "b", "c", "d"), "a, b, c or d"),
        (("a", "b", "c", "d", "e"), "a, b, c, d or e"),
        (("a", "b", "c", "d", "e", "f"), "a, b, c, d or one of 2 more values"),
    ],
)
def test_up_to_five_values_are_named_and_of_more_the_first_four(values, text):
    assert either(values) == text


@pytest.mark.parametrize(
    ("people", "premises"),
    [
        ([(1, 0, "x")], ["target", "x"]),
        ([(1, 1, "x")], ["another", "group", "x"]),
        ([(1, 1, "w"), (1, 2, "w")], ["one of 2 others", "group", "w"]),
        ([(3, 0, "x")], ["someone", "group 3 (zip 3)", "x"]),
        ([(3, 0, "x"), (3, 1, "x")], ["one of 2 people", "group 3 (zip 3)", "x"]),
        ([(4, 0, "x"), (4, 0, "y")], ["someone", "group 4", "x or y"]),
        (
            [(4, 0, "y"), (1, 0, "x"), (4, 1, "x")],
            ["target", "x", "someone", "group 4", "y", "someone", "group 4", "x"],
        ),
    ],
)
def test_what_is_known_in_words(people, premises):
    said = knowing(people).describe_knowledge()
    assert mentions(said, "if", *premises, "target", "w")
    # and nobody else
    assert said.count("group") == premises.count("group") + sum(each.startswith("group ") for each in premises)
    assert said.count("target") == premises.count("target") + 1
    assert set(re.findall(r"\b[w-z]\b", said)) == {"w", *(value for _, _, value in people)}


def test_what_goes_without_saying_or_was_said_is_not_said():
    assert knowing([]).describe_knowledge() == ""
    said = knowing([(1, 0, "x")]).describe_knowledge()
    assert knowing([(1, 0, "x"), (1, 0, "x"), (1, 0, "w")]).describe_knowledge() == said


def knowing(people):
    implications = tuple(Implication(Atom((group, place), value), Atom((1, 0), "w")) for group, place, value in people)
    name = GroupName(3, (("zip", "3"),))
    return ImplicationsWitness(GroupName(1), "w", target=(1, 0), implications=implications, elsewhere=(name,))


def test_up_to_six_things_are_said_and_of_more_the_first_five():
    five = [part for number in range(5, 10) for part in (f"group {number}", "x")]
    of_five, of_six, of_seven = (
        knowing([(number, 0, "x") for number in range(5, 5 + many)]).describe_knowledge() for many in (5, 6, 7)
    )
    assert mentions(of_five, "if", *five, "target", "w")
    assert mentions(of_six, "if", *five, "group 10", "x", "target", "w")
    assert not mentions(of_five, "more")
    assert not mentions(of_six, "more")
    assert mentions(of_seven, "if", *five, "2 more", "target", "w")
    assert not mentions(of_seven, "group 10")


def test_premises_of_the_target_come_first_and_what_goes_without_saying_is_left_out():
    witness = knowing([(2, 0, "x"), (1, 0, "y"), (1, 0, "w"), (1, 0, "z"), (2, 0, "x"), (1, 1, "w")])
    assert [*witness.premises().items()] == [((1, 0), ("y", "z")), ((2, 0), ("x",)), ((1, 1), ("w",))]


def test_groups_elsewhere_are_named_as_they_are_printed():
    release = sl.Release.from_counts(
        [{"w": 1, **{f"v{n}": 1 for n in range(30)}}, {"A": 3, "B": 2, "C": 2}], labels=[{"zip": "1"}, {"zip": "2"}]
    )
    finding = sl.Implications(1, value="w").measure(release)
    assert finding.value == finding.replay(release) == 1 / (1 + 30 * Fraction(4, 7))
    premises = ["if", "someone", "group 2 (zip 2)", "A", "target", "w"]
    assert mentions(finding.explain(), "group 1 (zip 1)", "w", "7/127", *premises)


@BOTH
def test_a_limit_bounds_shares_where_nothing_is_known_and_beliefs_in_any_value_always(measure):
    half = Fraction(1, 2)
    assert (measure(0).share_at(half), measure(1).share_at(half)) == (half, None)
    assert (measure(0).belief_at(half), measure(1).belief_at(half)) == (half, half)
    for some in (measure(0, value="Flu"), measure(0, apart_from=["Flu"])):
        assert (some.share_at(half), some.belief_at(half)) == (None, None)


@BOTH
def test_examples_have_every_kind_of_target_and_up_to_three_facts(measure):
    assert measure.examples(("a", "b")) == tuple(
        measure(k, **target)
        for k in range(4)
        for target in ({}, {"value": "a"}, {"apart_from": ("a",)}, {"value": ("a", "b")})
    )


def test_of_very_many_idle_implications_the_first_are_listed():
    atom = Atom((1, 0), "Flu")
    listed = [ImplicationsWitness.from_premises(GroupName(1), "Flu", [], [], k=k).implications for k in (2, 0, 1_001)]
    assert listed == [(Implication(atom, atom),) * many for many in (2, 0, 1_000)]


def test_a_category_is_told_as_one_of_its_values():
    """3 of the 5 people of group 2 have one of both, and with probability 1/10 neither the target nor another has."""
    finding = sl.Implications(1, value=["Flu", "Breast cancer"]).measure(HOSPITAL)
    assert finding.value == 1 / (1 + Fraction(1, 10) / Fraction(3, 5))
    target, known = finding.witness.as_facts()
    assert sl.posterior(HOSPITAL, target, given=known) == finding.value == finding.replay(HOSPITAL)
    parts = [
        sl.Implications(1, value=["Flu", "Breast cancer"]).summarize(HOSPITAL.groups.take(at)) for at in ([0], [1])
    ]
    assert parts[1].merge(parts[0]).finding() == finding
    assert finding.witness.any_of == ("Breast cancer", "Flu")


def test_values_of_a_category_that_nobody_could_have_are_noted():
    finding = sl.Implications(1, value={"ill": ["Flu", "Plague"]}).measure(HOSPITAL)
    assert finding.value == sl.Implications(1, value="Flu").measure(HOSPITAL).value
    (note,) = finding.notes
    assert mentions(note, "not", "'ill'", "Plague")


def test_parts_in_which_nobody_has_the_value_and_that_are_not_weighed_merge_to_nobody():
    release = sl.Release.from_counts([{"c": 3000, "d": 3000}] * 2, domain=["a", "c", "d"])
    measure = sl.Implications(900, value="a")
    one, other = (measure.summarize(release.groups.take(slice(at, at + 1))) for at in (0, 1))
    assert one.merge(other).finding() == measure.measure(release)
    (note,) = measure.measure(release).notes
    assert mentions(note, "nobody", "'a'")


def test_the_most_frequent_other_values_are_ruled_out():
    release = sl.Release.from_counts([{"a": 4, "b": 3, "c": 2, "d": 1}])
    finding = sl.Negations(2).measure(release)
    assert (finding.value, finding.witness.value, finding.witness.ruled_out) == (Fraction(4, 5), "a", ("b", "c"))
    rare = sl.Negations(2, value="d").measure(release)
    assert (rare.value, rare.witness.ruled_out) == (Fraction(1, 3), ("a", "b"))


def test_more_than_there_are_values():
    finding = sl.Negations(9).measure(sl.Release.from_counts([{"a": 2, "b": 2}]))
    assert (finding.value, finding.witness.ruled_out) == (1, ("b",))


def test_groups_without_the_value_are_passed_over():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    assert sl.Negations(0, value="a").measure(release).witness.group.number == 2


def test_a_whole_number_of_numpy_becomes_one_of_python():
    assert type(sl.Negations(np.int64(2)).k) is int


def test_a_limit_bounds_shares_where_nothing_is_known_and_beliefs_in_any_value_always_of_negations():
    half = Fraction(1, 2)
    assert (sl.Negations(0).share_at(half), sl.Negations(1).share_at(half)) == (half, None)
    assert (sl.Negations(0).belief_at(half), sl.Negations(1).belief_at(half)) == (half, half)
    for some in (sl.Negations(0, value="Flu"), sl.Negations(0, apart_from=["Flu"])):
        assert (some.share_at(half), some.belief_at(half)) == (None, None)


ONE_EACH = sl.Release.from_counts([{"a": 4, "b": 3, "c": 2, "d": 1}])
SETS = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 1, "c": 1}], sizes=[4, 9], values="set")


@pytest.mark.parametrize(
    ("release", "measure", "value", "said"),
    [
        (ONE_EACH, sl.Negations(0), Fraction(2, 5), ["group 1", "a", "2/5", "release itself"]),
        (ONE_EACH, sl.Negations(2), Fraction(4, 5), ["group 1", "a", "4/5", "target", "not", "b or c"]),
        (
            ONE_EACH,
            sl.Negations(1, apart_from=["a", "b"]),
            Fraction(1, 3),
            ["group 1", "c", "1/3", "target", "not", "a"],
        ),
        (SETS, sl.Negations(1, value="a"), Fraction(2, 3), ["group 1", "a", "2/3", "another", "not", "a"]),
        (SETS, sl.Negations(2, value="a"), 1, ["group 1", "a", 1, "2 others", "not", "a"]),
        (SETS, sl.Negations(0, value="c"), Fraction(1, 9), ["group 2", "c", "1/9", "release itself"]),
    ],
)
def test_words(release, measure, value, said):
    finding = measure.measure(release)
    assert finding.value == finding.replay(release) == value
    assert mentions(finding.explain(), *said)
    assert mentions(finding.explain(), "not") == ("not" in said)
    target, known = finding.witness.as_facts()
    assert sl.posterior(release, target, given=known) == value


@pytest.mark.parametrize(
    ("k", "others", "risk"), [(0, 0, Fraction(5, 9)), (1, 1, Fraction(3, 4)), (2, 2, 1), (5, 2, 1)]
)
def test_in_a_multiset_others_leave_fewer_people_to_have_an_occurrence(k, others, risk):
    """1 − (2/3)² for two occurrences among 3 people, 1 − (1/2)² among 2, and with one left it is that one."""
    release = sl.Release.from_counts([{"a": 2}], sizes=[3], values="multiset")
    finding = sl.Negations(k).measure(release)
    assert finding.value == finding.replay(release) == risk
    assert finding.witness.others == others


@pytest.mark.parametrize(("count", "kind"), [(7000, Fraction), (7001, float)])
@pytest.mark.parametrize(("k", "people"), [(0, 3), (1, 4), (2, 5)])
def test_a_long_fraction_replays_as_it_is_reported(k, people, count, kind):
    """Powers of 2/3: with 2 bits for each of 7,000 occurrences they have 14,000, and longer ones are rounded up."""
    release = sl.Release.from_counts([{"a": count}], sizes=[people], values="multiset")
    finding = sl.Negations(k).measure(release)
    assert finding.value == finding.replay(release)
    assert type(finding.value) is type(finding.replay(release)) is kind
    assert finding.value >= 1 - Fraction(2, 3) ** count


def test_shares_of_many_people_who_have_sets_of_values_replay_exactly():
    release = sl.Release.from_counts([{"a": 1000}], sizes=[10**6], values="set")
    finding = sl.Negations(1).measure(release)
    assert finding.value == finding.replay(release) == Fraction(1000, 999_999)


def test_in_a_multiset_more_occurrences_a_person_may_say_less():
    """One person has the one occurrence for sure; of three among two people one may have none, with 1/8."""
    release = sl.Release.from_counts([{"a": 3}, {"a": 1}], sizes=[2, 1], values="multiset")
    finding = sl.Negations(0).measure(release)
    assert (finding.value, finding.witness.group.number) == (finding.replay(release), 2) == (1, 2)
    np.testing.assert_allclose(sl.Negations(0).screen().group_values(release.groups), [7 / 8, 1])


def test_no_more_others_than_lack_the_value():
    finding = sl.Negations(9, value="a").measure(SETS)
    assert (finding.value, finding.witness.others) == (1, 2)  # 2 of 4 have it


def test_a_category_is_ruled_out_and_told_as_one_of_its_values():
    finding = sl.Negations(1, value=["b", "d"]).measure(ONE_EACH)
    assert (finding.value, finding.witness.ruled_out, finding.witness.any_of) == (Fraction(2, 3), ("a",), ("b", "d"))
    target, known = finding.witness.as_facts()
    assert sl.posterior(ONE_EACH, target, given=known) == finding.value == finding.replay(ONE_EACH)
    with pytest.raises(BadMeasure, match=r"cannot say .*'a or b'"):
        sl.Negations(1, value=["a", "b"]).measure(SETS).witness.as_facts()


def test_values_of_a_category_that_nobody_could_have_are_noted_of_negations():
    named = {"ill": ["a", "z"]}
    (note,) = sl.Negations(1, value=named).measure(ONE_EACH).notes
    assert mentions(note, "not", "'ill'", "z")
