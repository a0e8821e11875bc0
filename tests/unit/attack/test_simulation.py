"""The experiment with overlapping samples."""

import json

import numpy as np
import pytest

import sidelight as sl
from sidelight.attack.simulation import MeanEstimate, draw_samples
from sidelight.errors import BadMeasure, BadPolicy, BadTable, WrongKind

ADULT = sl.datasets.adult(quasi=["age", "sex"])
FIVE = {5: sl.Policy(sl.GroupSize() >= 5)}


def test_samples_overlap_as_asked_and_nobody_is_drawn_twice():
    table = ADULT.table
    shared, samples = draw_samples(table, overlap=45_000, people=45_100, releases=2, rng=np.random.default_rng(3))
    assert shared.people == 45_000
    assert [sample.people for sample in samples] == [45_100, 45_100]
    both = np.add(*(spread(sample, table) for sample in samples)) - spread(shared, table)
    assert (both <= spread(table, table)).all()
    for sample in samples:
        assert (spread(sample, table) >= spread(shared, table)).all()
        assert sample.domain == table.domain
        assert all(np.bincount(column.codes, minlength=len(column.labels)).all() for column in sample.quasi)


def spread(sample, table):
    """Counts by the whole table's cells."""
    place = {tuple(column.cell(at) for column in table.quasi): at for at in range(len(table.sizes))}
    rows = [place[tuple(column.cell(at) for column in sample.quasi)] for at in range(len(sample.sizes))]
    counts = np.zeros(table.counts.shape, np.int64)
    counts[rows] = sample.counts.dense()
    return counts


def test_without_a_size_everybody_is_drawn():
    _, samples = draw_samples(ADULT.table, overlap=222, people=None, releases=3, rng=np.random.default_rng(3))
    assert [sample.people for sample in samples] == [15_222] * 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"overlap": 0}, "at least one person"),
        ({"overlap": 100, "people": 50}, "100 people .*people=.* 50;.*overlap="),
        ({"overlap": 100, "people": 40_000}, "79,900 people.*45,222;.*people="),
        ({"overlap": 50_000}, "50,000 people.*45,222;.*overlap="),
    ],
)
def test_samples_that_cannot_be_drawn(options, said):
    with pytest.raises(BadTable, match=said):
        sl.simulate_composition(ADULT.table, policies=FIVE, seed=1, **options)


@pytest.fixture(scope="module")
def found():
    policies = {
        "5-anonymity": FIVE[5],
        "and 3 values": sl.Policy(sl.GroupSize() >= 5, sl.DistinctValues() >= 3),
        "too much": sl.Policy(sl.DistinctValues() >= 15),
    }
    return sl.simulate_composition(
        ADULT.table,
        overlap=300,
        people=900,
        methods=["mondrian", sl.Microaggregation(k=7), ("mondrian", "anatomy"), "lattice"],
        policies=policies,
        by=ADULT.hierarchies,
        repetitions=3,
        seed=11,
    )


def test_every_method_and_policy_is_tried(found):
    named = ["mondrian", "Microaggregation(k=7, labels='mode')", "mondrian and anatomy", "lattice"]
    assert list(dict.fromkeys(point.method for point in found.points)) == named
    assert len(found.points) == 12
    for point in found.points:
        assert point.repetitions == (0 if point.policy == "too much" else 3)
    perfect = found.curve("perfect", method="mondrian")
    assert list(perfect) == ["5-anonymity", "and 3 values"]
    assert perfect["and 3 values"].mean <= perfect["5-anonymity"].mean
    assert found.point("mondrian", "5-anonymity").estimates["perfect"] == perfect["5-anonymity"]


def test_intervals_hold_their_means(found):
    for point in found.points:
        for estimate in (*point.estimates.values(), *point.partial.values()):
            assert estimate.low <= estimate.mean <= estimate.high


def test_the_same_seed_draws_the_same(found):
    again = [
        sl.simulate_composition(ADULT.table, overlap=300, people=900, policies=FIVE, repetitions=1, seed=seed)
        for seed in (11, 11, 12)
    ]
    assert again[0] == again[1] != again[2]
    assert again[0].points[0].estimates["perfect"].low is None


def test_it_is_written_as_json(found):
    told = json.loads(found.to_json())
    assert told["overlap"] == 300
    assert told["people"] == 900
    assert len(told["points"]) == 12
    assert told["points"][0]["partial"][0]["confidence"] == "1"


def test_unknown_names_are_refused(found):
    with pytest.raises(BadMeasure, match="did you mean 'mondrian'"):
        found.curve("perfect", method="mondrien")
    with pytest.raises(BadMeasure, match="did you mean 'perfect'"):
        found.curve("perfekt", method="mondrian")
    with pytest.raises(BadMeasure, match="nothing was tried"):
        found.point("mondrian", 7)
    with pytest.raises(BadPolicy, match="did you mean 'mondrian'"):
        sl.simulate_composition(ADULT.table, overlap=10, policies=FIVE, methods=["mondrien"], seed=1)
    with pytest.raises(BadPolicy, match=r"3 methods .*2 releases"):
        sl.simulate_composition(ADULT.table, overlap=10, policies=FIVE, methods=[["mondrian"] * 3], seed=1)
    with pytest.raises(BadPolicy, match="no policies"):
        sl.simulate_composition(ADULT.table, overlap=10, policies={}, seed=1)
    with pytest.raises(BadMeasure, match=r"repetitions= .*from 1 to 1,000,000"):
        sl.simulate_composition(ADULT.table, overlap=10, policies=FIVE, repetitions=0, seed=1)


def test_confidence_intervals_cover():
    """95 % intervals of normal samples hold the true mean in about 95 % of all cases."""
    rng = np.random.default_rng(0)
    seen = [MeanEstimate.estimate(rng.normal(3, 2, 5).tolist()) for _ in range(2_000)]
    share = np.mean([each.low <= 3 <= each.high for each in seen])
    assert 0.93 < share < 0.97


def test_things_of_another_kind_get_one_line_with_the_remedy():
    with pytest.raises(WrongKind, match=r"Table, not a dict.*sl\.read_table"):
        sl.simulate_composition({}, overlap=1, policies=FIVE, seed=1)
    with pytest.raises(WrongKind, match=r"policy '5'.*Policy, not a Criterion"):
        sl.simulate_composition(ADULT.table, overlap=1, policies={5: sl.GroupSize() >= 5}, seed=1)


@pytest.mark.parametrize("policies", [[sl.Policy(sl.GroupSize() >= 5)], sl.Policy(sl.GroupSize() >= 5), None])
def test_policies_have_names(policies):
    with pytest.raises(WrongKind, match="policies= should be a mapping"):
        sl.simulate_composition(ADULT.table, overlap=5, policies=policies, seed=1)


def test_one_method_is_no_list_of_methods():
    with pytest.raises(WrongKind, match=r"methods= .*not one.*\[method\]"):
        sl.simulate_composition(ADULT.table, overlap=5, policies=FIVE, methods="mondrian", seed=1)


def test_shown_in_a_notebook():
    simulation = sl.simulate_composition(ADULT.table, overlap=50, people=200, policies=FIVE, repetitions=1, seed=7)
    title = "2 releases of 200 people each, 50 in common, 1 repetition"
    assert repr(simulation) == f"<Simulation of 1 point: {title}>"
    assert f"<caption>{title}</caption>" in simulation._repr_html_()
    assert "<td>mondrian</td><td>5</td>" in simulation._repr_html_()
