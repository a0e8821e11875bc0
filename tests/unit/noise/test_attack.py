import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.attack.simulation import draw_samples
from sidelight.errors import BadNoise, WrongKind
from sidelight.noise.attack import posterior_means
from sidelight.noise.estimates import postprocess
from sidelight.noise.mechanism import Mechanism

ADULT = sl.datasets.adult(quasi=["age", "sex", "marital-status"])


def noisy(**options):
    arguments = {"by": ADULT.hierarchies, "levels": {"sex": 0}, "domain": ADULT.table.domain, "epsilon": 1} | options
    return sl.noisy_counts(ADULT.table, **arguments)


def attack(releases, **options):
    return sl.attack_noise(releases, **({"people": ADULT.table, "by": ADULT.hierarchies} | options))


def test_an_attacker_who_knows_nothing_else_learns_what_people_like_you_have():
    seen = attack([noisy(), noisy()])
    assert seen.bound is None
    assert seen.posterior.sum(axis=1) == pytest.approx(1)
    assert seen.belief > seen.prior_belief
    assert seen.believed(0.9) == 0
    assert 0 < seen.guessed < 1


def test_groups_that_differ_are_told_apart_by_counts_that_stand_out_of_the_noise():
    """Where noise is small, what is expected is near the counts, whatever the shares over all groups."""
    rows = {"sex": ["f"] * 3_000 + ["m"] * 3_000, "disease": ["a"] * 3_000 + ["b"] * 3_000}
    table = sl.read_table(pa.table(rows), quasi="sex", sensitive="disease", person="each row")
    by = {"sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*")))}
    for delta in (0, 1e-6):
        declared = {"by": by, "levels": {"sex": 0}, "domain": ["a", "b"], "outside": "leave out"}
        counts = sl.noisy_counts(table, epsilon=1, delta=delta, **declared)
        assert np.abs(posterior_means(counts) - [[3_000, 0], [0, 3_000]]).max() < 60
        assert sl.attack_noise([counts], people=table, by=by).belief > 0.98


@pytest.mark.parametrize("kind", ["discrete Laplace", "discrete Gaussian"])
def test_counts_of_a_million_are_weighed_at_once(kind):
    counts = noisy()
    scale = {"discrete Laplace": 1e6, "discrete Gaussian": 1e3}[kind]
    spending = replace(counts.spending, mechanism=Mechanism(kind, scale))
    measured = np.where(counts.measured > 500, 10**9, -(10**6))
    expected = posterior_means(replace(counts, measured=measured, counts=postprocess(measured), spending=spending))
    assert (expected > 0).all()
    assert expected[measured > 0] == pytest.approx(1e9, rel=0.01)


def test_a_chance_without_a_promise_is_refused():
    with pytest.raises(BadNoise, match=r"promise.*none") as caught:
        attack([noisy()], chance=0.01)
    assert caught.value.parameters == ("chance", "tables")


def test_an_attacker_who_knows_everybody_else_is_held_by_the_promise():
    seen = attack([noisy(), noisy(epsilon=0.5)], tables=[ADULT.table] * 2, prior="uniform")
    assert seen.bound == pytest.approx(math.tanh(0.75))
    assert seen.largest_shift <= seen.bound


def test_a_table_that_a_release_was_not_made_from_is_refused():
    other = sl.datasets.adult(quasi=["age", "sex", "marital-status"]).table
    shared, samples = draw_samples(other, overlap=100, people=200, releases=2, rng=np.random.default_rng(1))
    with pytest.raises(BadNoise, match=r"release 1.*not.*table 1"):
        attack([noisy()], people=shared, tables=[samples[0]])
    with pytest.raises(BadNoise, match=r"people.*not in table 1"):
        attack([noisy()], tables=[samples[0]])


def test_with_a_delta_the_bound_has_a_chance():
    gaussian = [noisy(epsilon=0.5, delta=1e-12)] * 2
    seen = attack(gaussian, tables=[ADULT.table] * 2)
    assert seen.bound == seen.promise.shift < 0.47
    assert 0 < seen.promise.chance < 0.01
    assert seen.largest_shift <= seen.bound
    read_off_the_noise = attack(gaussian, tables=[ADULT.table] * 2, chance=seen.promise.chance)
    assert read_off_the_noise.bound < seen.bound
    assert "except with a chance of" in repr(seen)
    # the data is as it is: this costs e^ε times the chance, and δ, more than a promise over data and noise
    over_both = sl.promise_of([each.spending for each in gaussian], people=45_222, chance=seen.promise.chance)
    assert over_both.shift < read_off_the_noise.bound


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tables": []}, "0 tables for 1"),
        ({"prior": {"Sale": 1}}, "'Sale'.*did you mean 'Sales'"),
        ({"prior": {"Sales": -1}}, "at least 0"),
        ({"prior": {}}, "at least 0"),
    ],
)
def test_bad_input(options, says):
    with pytest.raises(BadNoise, match=says):
        attack([noisy()], **options)


def test_releases_declare_the_same_values():
    fewer = noisy(domain=ADULT.table.domain[:-1], outside="leave out")
    with pytest.raises(BadNoise, match="different sensitive values"):
        attack([noisy(), fewer])
    with pytest.raises(BadNoise, match=r"people.*not declared"):
        attack([fewer])


def test_only_noisy_counts_are_attacked():
    with pytest.raises(WrongKind, match=r"release 1.*NoisyCounts, not a Release.*sl\.noisy_counts"):
        attack([sl.group(ADULT.table, by="sex")])


@pytest.mark.parametrize("releases", [None, sl.group(ADULT.table), {"one": 1}])
def test_what_is_no_list_of_noisy_counts_gets_one_line(releases):
    with pytest.raises(WrongKind, match=r"releases.*list, each a NoisyCounts.*sl\.noisy_counts"):
        attack(releases)


def test_one_noisy_release_is_put_into_a_list():
    with pytest.raises(WrongKind, match=r"releases.*several, not one.*\[release\]"):
        attack(noisy())


def test_shown_in_a_notebook():
    seen = attack([noisy()], tables=[ADULT.table])
    assert repr(seen).startswith("<NoisyExposure of 45,222 people: belief in the true value ")
    assert repr(seen).endswith("(promised: at most 0.4621)>")
    assert "attacked about 45,222 people" in seen._repr_html_()
    assert "promised" not in repr(attack([noisy()]))


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
    assert mentions(made.to_markdown(), "| too much |", "nothing")


def test_repetitions_are_needed():
    with pytest.raises(BadNoise, match="repetitions=0"):
        sl.side_by_side(ADULT.table, by=ADULT.hierarchies, levels={"sex": 0}, overlap=10, repetitions=0, seed=1)


def test_it_shows_itself_in_a_notebook(compared):
    assert repr(compared) == (
        "<SideBySide of 6 ways of publishing: 2 releases of 3,000 people each, 300 in common, 2 repetitions>"
    )
    assert compared._repr_html_().count("<tr>") == 7
