"""Every measure of ours has a reader in words."""

import pytest

from sidelight.policy.measure_names import all_measures
from sidelight.report.readers import READERS, families_not_asked, reader_of


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.name)
def test_every_measure_of_ours_says_whom_it_is_about(kind):
    assert kind.name in READERS
    assert reader_of(kind.name).in_words({})


def test_no_reader_is_without_a_measure():
    assert set(READERS) == {kind.name for kind in all_measures()}


def test_amounts_are_said():
    assert "any 1 fact of" in reader_of("implications").in_words({"k": 1})
    acquaintance = reader_of("acquaintance").in_words({"rules_out": 2, "others": 3, "family": 1})
    assert "2 values that the person does not have; 3 other people" in acquaintance
    assert reader_of("acquaintance").in_words({}).endswith("and nothing more")


def test_columns_that_are_known_are_said():
    words = reader_of("distinct values").in_words({"of": "income", "known": ["disease"]})
    assert words.endswith("; and disease of everybody (asked about income)")


def test_a_measure_of_somebody_else_speaks_for_itself():
    assert reader_of("my own").who == "whom “my own” is about"


def test_who_was_not_asked_about_is_told_by_families():
    assert len(families_not_asked(["group size"])) == 5
    assert families_not_asked(["implications", "journalist risk", "prior belief", "learner", "insider"]) == ()
