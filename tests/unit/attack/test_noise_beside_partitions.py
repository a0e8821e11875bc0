"""Noise beside partitions: `intersect` with counts that have noise."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise

pytest.importorskip("opendp", reason="noise needs the extra dp")

ADULT = sl.datasets.adult(quasi=["age", "sex"])
SEX = {"sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*")))}
PEOPLE = sl.read_table(
    pa.table({"sex": ["f"] * 6 + ["m"] * 6, "disease": ["Flu"] * 5 + ["AIDS"] + ["Cold"] * 6}),
    quasi="sex",
    sensitive="disease",
    person="each row",
)
PARTITION = sl.Release.from_counts([{"Flu": 5, "AIDS": 1}, {"Cold": 6}], labels=[{"sex": "f"}, {"sex": "m"}])


def noisy(table=PEOPLE, **options):
    counted = {"by": SEX, "levels": {"sex": 0}, "domain": ["Flu", "AIDS", "Cold", "HIV"], "epsilon": 1}
    return sl.noisy_counts(table, **(counted | options))


def test_noise_rules_out_nothing_and_gives_nobody_away():
    seen = sl.intersect([noisy(), noisy()], people=PEOPLE, by=SEX)
    assert seen.perfect == seen.contradicted == seen.open == 0
    assert seen.values_left.tolist() == [4, 4]
    assert (seen.posterior(np.arange(2)) > 0).all()
    said = [line for line in seen.explain().splitlines() if mentions(line, "noise", "rules out nothing")]
    assert [mentions(line, f"release {number}") for number, line in enumerate(said, start=1)] == [True, True]


def test_beside_a_partition_the_candidates_are_its_own():
    releases = [PARTITION, noisy(epsilon=50)]
    seen = sl.intersect(releases, people=PEOPLE, by=SEX)
    assert [*seen.candidates] == [("AIDS", "Flu"), ("Cold",)]
    assert seen.perfect == Fraction(1, 2)
    witness = seen.witness({"sex": "f"})
    assert witness.replay(releases) == witness.candidates == ("AIDS", "Flu")
    assert [(each.noisy, each.rules_out) for each in witness.sightings] == [(False, ()), (True, ())]
    assert mentions(witness.sightings[1], "noise", "nothing is ruled out")
    assert str(witness.sightings[1]) in witness.explain()
    assert sum(witness.beliefs.values()) == 1
    assert float(max(witness.beliefs.values())) == pytest.approx(seen.belief[0])


def test_who_is_not_located_in_noise_is_not_open():
    """Noise could not give them away."""
    seen = sl.intersect([PARTITION, noisy()], people=pa.table({"sex": ["f", "x"]}), quasi="sex", by=SEX)
    assert seen.unlocated == (1, 1)
    assert seen.not_located == 1  # by the partition
    assert sl.intersect([noisy()], people=pa.table({"sex": ["x"]}), by=SEX).not_located == 0


def test_independent_evidence_multiplies_as_bayes_says():
    counts = noisy()
    seen = sl.intersect([PARTITION, counts], people=PEOPLE, by=SEX, evidence="independent", prior="uniform")
    expected = counts.expected_counts().release.groups
    shares = expected.counts.dense()[0] / expected.sizes[0]
    odds = {"Flu": 5 * shares[0], "AIDS": shares[1]}
    believed = dict(zip(seen.domain, seen.posterior(np.array([0]))[0].tolist(), strict=True))
    assert believed["Flu"] == pytest.approx(odds["Flu"] / sum(odds.values()))


def test_noisy_counts_alone_are_weighed_as_by_the_attack_on_noise():
    counted = {"by": ADULT.hierarchies, "levels": {"age": 4, "sex": 0}, "domain": ADULT.table.domain, "epsilon": 1}
    releases = [sl.noisy_counts(ADULT.table, **counted) for _ in range(2)]
    together = sl.intersect(releases, people=ADULT.table, by=ADULT.hierarchies, evidence="independent", prior="uniform")
    alone = sl.attack_noise(releases, people=ADULT.table, by=ADULT.hierarchies, prior="uniform")
    assert together.truth.belief == pytest.approx(alone.belief, rel=1e-5)
    assert together.truth.guessed == alone.guessed


def test_what_noise_and_a_partition_say_together_counts_once():
    counted = {"by": ADULT.hierarchies, "levels": {"age": 4, "sex": 0}, "domain": ADULT.table.domain, "epsilon": 1}
    found = sl.protect(
        ADULT.table, sl.Policy(sl.GroupSize() >= 50), by=ADULT.hierarchies, method="mondrian", ask="nobody"
    )
    releases = [found, sl.noisy_counts(ADULT.table, **counted)]
    claims = sl.intersect(releases, people=ADULT.table, by=ADULT.hierarchies).truth.calibration
    assert abs(claims.claimed - float(claims.right)) < 0.02


def test_counts_of_several_values_are_refused():
    nhefs = sl.datasets.nhefs()
    counts = sl.noisy_counts(
        nhefs.table,
        by=nhefs.hierarchies,
        levels={"sex": 0},
        domain=nhefs.hierarchies["condition"],
        epsilon=1,
        values_per_person=3,
    )
    with pytest.raises(BadNoise, match=r"counts of values.*counts of people"):
        sl.intersect([counts], people=nhefs.table, by=nhefs.hierarchies)


def test_of_a_value_that_was_not_counted_noise_says_nothing():
    """People with AIDS were left out: the partition alone says how likely that is, and nobody becomes impossible."""
    for domain, sizes in ((["Flu", "Cold"], [2, 1]), (["Cold"], [2, 1])):
        counts = noisy(domain=domain, outside="leave out", epsilon=20)
        for releases in ([PARTITION, counts], [counts, PARTITION]):
            for evidence in ("shared", "independent"):
                seen = sl.intersect(releases, people=PEOPLE, by=SEX, evidence=evidence)
                assert seen.values_left.tolist() == sizes
                posterior = seen.posterior(np.arange(2))
                assert ((posterior > 0).sum(axis=1) == sizes).all()
                assert seen.belief.tolist() == pytest.approx(posterior.max(axis=1).tolist())
                exact = [seen.witness({"sex": sex}).beliefs for sex in ("f", "m")]
                assert [sum(each.values()) for each in exact] == [1, 1]


def test_noise_that_counted_no_value_of_a_partition_moves_no_belief():
    counts = noisy(domain=["Cold"], outside="leave out", epsilon=20)
    seen = sl.intersect([PARTITION, counts], people=PEOPLE, by=SEX, evidence="independent")
    believed = dict(zip(seen.domain, seen.posterior(np.array([0]))[0].tolist(), strict=True))
    assert believed["AIDS"] == pytest.approx(1 / 6, rel=1e-3)


def believed_by_worlds(values, others, measured, scale, domain):
    """Weigh every world of an exact group, and of others in the same noisy cell, by how likely its noise is."""
    weight = Counter()
    for world in product(domain, repeat=len(values) + others):
        if Counter(world[: len(values)]) == Counter(values):
            there = Counter(world)
            weight[world[0]] += math.exp(-sum(abs(measured[s] - there[s]) for s in domain) / scale)
    total = sum(weight.values())
    return {value: weight[value] / total for value in weight}


@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
@pytest.mark.parametrize(
    "others", [[], ["Cold"], ["Flu", "Flu"]], ids=["the same people", "one more", "two more in the cell"]
)
def test_noise_over_a_cell_that_holds_a_whole_group_says_nothing_more_of_it(epsilon, others):
    """The over-claim was 0.05 to 0.07: what noise made of known counts was taken for more evidence."""
    group = ["Flu", "Flu", "AIDS"]
    rows = {"sex": ["f"] * 3 + ["f"] * len(others), "unit": ["a"] * 3 + ["b"] * len(others), "disease": group + others}
    table = sl.read_table(pa.table(rows), quasi=["sex", "unit"], sensitive="disease", person="each row")
    by = {**SEX, "unit": sl.Hierarchy("unit", (("a", "b"), ("*", "*")))}
    partition = sl.group(table, by=["unit"])
    domain = ["Flu", "AIDS", "Cold"]
    counts = sl.noisy_counts(table, by=by, levels={"sex": 0}, domain=domain, epsilon=epsilon, ledger="no ledger")
    measured = dict(zip(counts.domain, counts.measured[0].tolist(), strict=True))
    expected = believed_by_worlds(group, len(others), measured, counts.mechanism.scale, domain)
    assert expected == pytest.approx({"Flu": 2 / 3, "AIDS": 1 / 3})
    for releases in ([partition, counts], [counts, partition]):
        seen = sl.intersect(releases, people=table, by=by, quasi=["sex", "unit"], same_values={})
        row = seen.people.row({"sex": "f", "unit": "a"})
        assert seen.witness(row).beliefs == {"Flu": Fraction(2, 3), "AIDS": Fraction(1, 3)}
        assert seen.belief[row] == pytest.approx(2 / 3)


@pytest.mark.parametrize("finer", [False, True])
def test_claims_beside_noise_over_small_cells_are_right(finer):
    """Sixty cells of five people who do not differ: where noise over-claimed most."""
    rng = np.random.default_rng(18)
    cell, half = np.repeat(np.arange(60), 5).astype(str), rng.integers(0, 2, 300).astype(str)
    value = rng.choice(["a", "b", "c", "d"], 300, p=[0.5, 0.3, 0.15, 0.05])
    table = sl.read_table(
        pa.table({"cell": cell, "half": half, "value": value}),
        quasi=["cell", "half"],
        sensitive="value",
        person="each row",
    )
    by = {
        name: sl.Hierarchy(name, (tuple(dict.fromkeys(column)),)) for name, column in (("cell", cell), ("half", half))
    }
    partition = sl.group(table, by=["cell", "half"] if finer else ["cell"])
    counts = sl.noisy_counts(table, by=by, levels={"cell": 0}, domain=list("abcd"), epsilon=1, ledger="no ledger")
    claims = sl.intersect([partition, counts], people=table, by=by).truth.calibration
    assert claims.claimed == pytest.approx(float(claims.right), abs=1e-9)
