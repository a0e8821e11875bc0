"""What the measure takes, refuses, says and hands on."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, UnknownValue
from sidelight.measures.ck_safety.implications import Atom, Implication

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ],
    labels=[{"age": "20-29", "sex": "male"}, {"age": "20-29", "sex": "female"}],
)
BOTH = pytest.mark.parametrize("measure", [sl.Implications, sl.Negations])


@BOTH
@pytest.mark.parametrize("k", [-1, 1.5, "two", None, True])
def test_an_amount_that_makes_no_sense(measure, k):
    with pytest.raises(BadMeasure, match="whole number of at least 0"):
        measure(k)


@BOTH
def test_a_whole_number_of_numpy_is_one(measure):
    assert measure(np.int64(2)) == measure(2)


@BOTH
def test_a_value_that_the_release_does_not_know(measure):
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        measure(1, value="flue").measure(HOSPITAL)


@BOTH
def test_a_value_that_nobody_has(measure):
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 1}], domain=["Flu", "Cold", "AIDS"])
    finding = measure(1, value="AIDS").measure(release)
    assert (finding.value, finding.witness) == (0, None)
    assert finding.notes == ("nobody in the release has 'AIDS'",)
    assert finding.replay(release) == 0
    assert finding.explain() == "Nobody in the release has 'AIDS', so nobody can be shown to have it."


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
    assert str(witness.implications[0]) == "if person 1 of group 1 has Lung cancer, person 1 of group 1 has Flu"


def test_what_goes_without_saying_fills_up():
    release = sl.Release.from_counts([{"Flu": 1}, {"Flu": 5, "Cold": 5}])
    finding = sl.Implications(2).measure(release)
    target = Atom((1, 0), "Flu")
    assert finding.value == finding.replay(release) == 1
    assert finding.witness.implications == (Implication(target, target),) * 2
    assert finding.explain() == "In group 1 anyone has Flu with probability 1, as the release itself says."


@pytest.mark.parametrize("k", [10**9, 10**400], ids=["10^9", "10^400"])
@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_any_number_of_implications_may_be_asked_about(k, semantics):
    counts = [{"Flu": 2, "Cold": 3}, {"Flu": 1, "AIDS": 4}]
    release = sl.Release.from_counts(counts, sizes=[5, 5], values=semantics)
    finding = sl.Implications(k).measure(release)
    assert finding.value == finding.replay(release) == 1


def test_knowing_nothing():
    assert sl.Implications(0).measure(HOSPITAL).explain() == (
        "In group 1 (age 20-29, sex male) anyone has Flu with probability 2/5, as the release itself says."
    )


def test_other_people_of_the_group():
    release = sl.Release.from_counts([{"Flu": 60, **{f"v{n}": 2 for n in range(20)}}])
    finding = sl.Implications(3).measure(release)
    assert finding.value == finding.replay(release)
    assert "if one of 3 others of the group has Flu, the target has Flu" in finding.explain()


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
    assert far.explain().endswith("by someone who knows that, if someone in group 2 has A, the target has w.")


def test_certain_knowledge_elsewhere():
    """One of two people of group 3 must have A: whoever knows that either way somebody has w knows it."""
    release = sl.Release.from_counts([{"w": 1, "x": 9, "y": 9, "z": 9}, {"A": 2, "B": 2, "C": 1}, {"A": 3, "B": 1}])
    finding = sl.Implications(2, value="w").measure(release)
    assert finding.value == finding.replay(release) == 1
    assert finding.explain().endswith("if one of 2 people in group 3 has A, the target has w.")


def test_long_lists_are_cut_short():
    release = sl.Release.from_counts([{f"v{n:02}": 3 for n in range(40)}])
    explanation = sl.Implications(12).measure(release).explain()
    assert "if the target has v01, v02, v03, v04 or one of 8 more values, the target has v00" in explanation


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
