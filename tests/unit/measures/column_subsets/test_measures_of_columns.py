"""Singling out, linkability and inference: as policies ask them, of which releases, and in which words."""

from fractions import Fraction

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, NothingSafe, TooHard, UnknownColumn
from sidelight.policy.limits import read_limit, read_measure

PEOPLE = {"age": ["20", "20", "30", "40"], "sex": ["f", "m", "f", "f"], "zip": ["1", "1", "2", "2"]}
VALUES = {"disease": ["Flu", "Cold", "Flu", "HIV"], "income": ["low", "low", "high", "high"]}
TABLE = sl.read_table(pa.table(PEOPLE | VALUES), quasi=list(PEOPLE), sensitive="disease")
RELEASE = sl.group(TABLE)


@pytest.mark.parametrize(
    "measure",
    [
        sl.SinglingOut(facts=2),
        sl.Linkability(["age"], ["zip"]),
        sl.Linkability("age"),
        sl.Inference(["age", "sex"]),
        sl.Inference("age", "zip"),
        sl.Inference(),
    ],
    ids=str,
)
def test_a_policy_asks_them_as_text_and_as_a_file(measure, tmp_path):
    assert read_measure(str(measure)) == measure
    assert read_limit(f"{measure} <= 0.5") == (measure <= 0.5)
    path = tmp_path / "policy.toml"
    path.write_text(sl.Policy(measure <= 0.5).to_toml())
    assert sl.read_policy(path).criteria == (measure <= 0.5,)
    finding = measure.measure(RELEASE)
    assert finding.replay(RELEASE) == finding.value


def test_the_words():
    words = sl.SinglingOut(facts=1).measure(RELEASE).explain()
    assert mentions(words, "Age 30 alone", "1 person", "at most 1 fact", "3 of 4 people")
    assert mentions(sl.SinglingOut(facts=0).measure(RELEASE).explain(), "Nobody", "at most 0 facts")
    crowd = sl.Release.from_counts([{"Flu": 2}], labels=[{"age": "*"}])
    finding = sl.SinglingOut(facts=3).measure(crowd)
    assert (finding.value, finding.witness) == (0, None)
    assert "equal" not in finding.explain()
    assert "exactly" in finding.notes[0]


def test_two_facts_together():
    release = sl.Release.from_counts(
        [{"x": 1}, {"x": 2}, {"x": 2}],
        labels=[{"a": "1", "b": "1"}, {"a": "1", "b": "2"}, {"a": "2", "b": "1"}],
    )
    finding = sl.SinglingOut(facts=2).measure(release)
    assert mentions(finding.explain(), "A 1 and b 1 together", "1 person")


def test_people_of_buckets_are_told_apart_by_their_own_cells():
    """Anatomy prints everybody's cells: who is alone with them is singled out, whatever bucket they are in."""
    found = sl.protect(TABLE, sl.Policy(sl.DistinctValues() >= 2), method="anatomy", ask="nobody")
    assert sl.SinglingOut(facts=3).measure(found.release).value == 1
    assert sl.SinglingOut(facts=3).measure(RELEASE).value == 1


def test_groups_that_print_the_same_single_nobody_out():
    twice = sl.Release.from_counts([{"x": 1}, {"y": 1}], labels=[{"age": "30"}, {"age": "30"}])
    assert sl.SinglingOut(facts=1).measure(twice).value == 0


def test_too_many_columns_to_single_out_by():
    wide = sl.Release.from_counts(
        [{"x": 1}, {"x": 1}], labels=[{f"c{i}": str(row) for i in range(20)} for row in (1, 2)]
    )
    with pytest.raises(TooHard, match="say facts=6"):
        sl.SinglingOut(facts=20).measure(wide)
    assert sl.SinglingOut(facts=2).measure(wide).value == 1


def test_links():
    finding = sl.Linkability(["age"], ["sex"]).measure(RELEASE)
    assert finding.value == Fraction(1 + Fraction(1, 3) + Fraction(1, 3), 4)
    assert finding.witness.certain == 0
    everything = sl.Linkability([], []).measure(RELEASE)
    assert everything.value == Fraction(1, 4)
    assert mentions(everything.explain(), "holds nothing", "holds nothing")
    with pytest.raises(BadMeasure, match="both hold age"):
        sl.Linkability(["age"], ["age", "sex"])
    with pytest.raises(UnknownColumn, match="did you mean 'age'"):
        sl.Linkability(["agee"]).measure(RELEASE)


def test_links_that_are_certain():
    pairs = sl.Release.from_counts([{"x": 1}, {"x": 1}], labels=[{"a": "1", "b": "p"}, {"a": "2", "b": "q"}])
    finding = sl.Linkability("a", "b").measure(pairs)
    assert finding.value == 1
    assert mentions(finding.explain(), "holds a", "holds b", "2 of 2 people", "2 for sure")


def test_a_secret_among_several_sensitive_columns():
    both = sl.group(sl.read_table(pa.table(PEOPLE | VALUES), quasi=list(PEOPLE), sensitive=["disease", "income"]))
    assert sl.Inference(["age"], "income").measure(both).value == 1
    assert sl.Inference(["age"]).about("income").measure(both).value == 1
    with pytest.raises(BadMeasure, match="about one sensitive column"):
        sl.Inference(["age"]).measure(both)
    verdict = sl.Policy(sl.Inference(["age"]) <= 1).judge(both)
    assert len(verdict.judgements) == 2


def test_what_is_known_is_no_secret():
    with pytest.raises(BadMeasure, match=r"'age' .*also the secret"):
        sl.Inference(["age"], "age")
    with pytest.raises(UnknownColumn, match="did you mean 'age'"):
        sl.Inference(["agee"]).measure(RELEASE)


def test_a_single_person_is_guessed_by_nobody_else():
    alone = sl.Release.from_counts([{"Flu": 1}])
    finding = sl.Inference().measure(alone)
    assert (finding.value, finding.witness.control, finding.witness.residual) == (1, 0, 1)
    alike = sl.Inference().measure(sl.Release.from_counts([{"Flu": 3}]))
    assert (alike.value, alike.witness.control, alike.witness.residual) == (1, 1, 0)


def test_searches_follow_inference_by_groups_and_judge_by_the_others_at_the_end():
    adult = sl.datasets.adult()
    policy = sl.Policy(sl.Inference() <= 0.2)
    found = sl.protect(adult.table, policy, by=adult.hierarchies, ask="nobody")
    assert found.verdict.safe
    assert sl.Inference().measure(found.release).value <= Fraction(1, 5)
    strict = sl.Policy(sl.GroupSize() >= 2, sl.Inference(["age"]) <= 0.01)
    with pytest.raises(NothingSafe):
        sl.protect(adult.table, strict, by=adult.hierarchies, ask="nobody")
    both = sl.Policy(sl.GroupSize() >= 5, sl.SinglingOut(facts=2) <= 0)
    assert sl.protect(adult.table, both, by=adult.hierarchies, ask="nobody").verdict.safe
