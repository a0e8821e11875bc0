import json
import math

import pytest

import sidelight as sl
from sidelight.errors import BadNoise

ADULT = sl.datasets.adult(quasi=["age", "sex", "marital-status"])
LEVELS = {"age": 3, "sex": 0, "marital-status": 1}


@pytest.fixture(scope="module")
def compared():
    return sl.side_by_side(
        ADULT.table,
        by=ADULT.hierarchies,
        levels=LEVELS,
        overlap=300,
        people=3_000,
        epsilons=("0.1", 1),
        repetitions=2,
        seed=3,
    )


def test_ways_of_publishing_are_compared_on_the_same_people(compared):
    assert [row.name for row in compared.rows] == [
        "k-anonymity (k = 10)",
        "entropy ℓ-diversity (ℓ = 5)",
        "t-closeness (t = 0.3)",
        "(c, k)-safety (c = 0.7, k = 1)",
        "ε = 0.1 each",
        "ε = 1 each",
    ]
    assert (compared.overlap, compared.people, compared.releases) == (300, 3_000, 2)


def test_exact_counts_give_away_the_last_person_and_noise_keeps_its_promise(compared):
    *partitions, little, much = compared.rows
    for row in partitions:
        assert row.largest_shift.mean > 0.9
        assert row.promised_shift is None
    for row, epsilon in ((little, 0.1), (much, 1)):
        assert row.largest_shift.mean <= row.promised_shift == pytest.approx(math.tanh(epsilon))
    assert little.query_error.mean > much.query_error.mean


def test_it_is_data_and_can_be_shown(compared):
    document = json.loads(compared.to_json())
    assert [row["name"] for row in document["rows"]] == [row.name for row in compared.rows]
    lines = compared.to_markdown().splitlines()
    assert len(lines) == 8
    assert all(line.count("|") == lines[0].count("|") for line in lines)


def test_a_policy_under_which_nothing_can_be_published_says_so():
    policies = {"too much": sl.Policy(sl.GroupSize() >= 10**6)}
    made = sl.side_by_side(
        ADULT.table,
        by=ADULT.hierarchies,
        levels={"sex": 0},
        overlap=10,
        people=100,
        policies=policies,
        repetitions=1,
        seed=1,
    )
    assert made.rows[0].repetitions == 0
    assert made.rows[0].gain is None
    assert "| too much | nothing could be published |" in made.to_markdown()


def test_repetitions_are_needed():
    with pytest.raises(BadNoise, match="repetitions=0"):
        sl.side_by_side(ADULT.table, by=ADULT.hierarchies, levels={"sex": 0}, overlap=10, repetitions=0, seed=1)


def test_it_shows_itself_in_a_notebook(compared):
    assert repr(compared) == (
        "<SideBySide of 6 ways of publishing: 2 releases of 3,000 people each, 300 in common, 2 repetitions>"
    )
    assert compared._repr_html_().count("<tr>") == 7
