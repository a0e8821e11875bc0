"""Every measure of ours has a reader in words."""

import pytest

from sidelight.measures.attacker import Attacker
from sidelight.policy.measure_names import all_measures, asked_attackers
from sidelight.report.readers import attacker_of, families_not_asked


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.name)
def test_every_measure_of_ours_says_whom_it_is_about(kind):
    attacker = attacker_of(kind.name)
    assert attacker is kind.attacker
    assert attacker.name == kind.name
    assert attacker.who != Attacker.unknown(kind.name).who
    assert attacker.knowledge_in_words({})


def test_amounts_are_said():
    assert "any 1 fact of" in attacker_of("implications").knowledge_in_words({"k": 1})
    acquaintance = attacker_of("acquaintance").knowledge_in_words({"rules_out": 2, "others": 3, "family": 1})
    assert "2 values that the person does not have; 3 other people" in acquaintance
    assert attacker_of("acquaintance").knowledge_in_words({}).endswith("and nothing more")


def test_columns_that_are_known_are_said():
    words = attacker_of("distinct values").knowledge_in_words({"of": "income", "known": ["disease"]})
    assert words.endswith("; and disease of everybody (asked about income)")


def test_a_measure_of_somebody_else_speaks_for_itself():
    assert attacker_of("my own").who == "whom “my own” is about"


def test_who_was_not_asked_about_is_told_by_families():
    asked = [kind.name for kind in asked_attackers()]
    assert len(families_not_asked(["group size"])) == 3 + len(asked)
    assert families_not_asked(["implications", "journalist risk", "prior belief", *asked]) == ()
