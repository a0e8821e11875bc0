"""The numbers of the ten-person example of Privacy-MaxEnt, and individuals in the setting of its experiments."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.datasets.tables import ADULT
from sidelight.max_entropy.maxent import maxent
from sidelight.max_entropy.variables import Variables
from sidelight.search.anatomy import deal

LINES = {
    1: {"sex": "male", "degree": "college"},
    2: {"sex": "female", "degree": "college"},
    3: {"sex": "male", "degree": "high school"},
    4: {"sex": "female", "degree": "junior"},
    5: {"sex": "female", "degree": "graduate"},
    6: {"sex": "male", "degree": "graduate"},
}
VALUES = {1: "Breast cancer", 2: "Flu", 3: "Pneumonia", 4: "HIV", 5: "Lung cancer"}
GROUPS = [([1, 1, 2, 3], [1, 2, 2, 3]), ([1, 3, 4], [1, 3, 4]), ([2, 5, 6], [2, 4, 5])]


@pytest.fixture
def release():
    return sl.Release.from_buckets(
        [([LINES[q] for q in lines], [VALUES[s] for s in values]) for lines, values in GROUPS]
    )


def believed(beliefs, line, value, group):
    return beliefs.probability(VALUES[value], given=LINES[line], group=group)


def test_nothing_known_is_the_share_in_the_group(release):
    beliefs = maxent(release)
    for number, (lines, values) in enumerate(GROUPS, 1):
        for line in set(lines):
            for value in set(values):
                share = values.count(value) / len(values)
                assert believed(beliefs, line, value, number) == pytest.approx(share, abs=1e-15)
    assert beliefs.variables_solved == 0
    assert not beliefs.touched_groups.any()  # every group in closed form
    assert beliefs.variables.blocks.entries == 3 * 3 + 3 * 3 + 3 * 3


def test_one_invariant_of_each_bucket_follows_from_the_others(release):
    """Theorem 3: of g conditions and h values in a bucket, any g + h - 1 sums give the other one, and no fewer do."""
    blocks = Variables(release, {}).blocks
    row, column = blocks.all_entries()
    for group in range(blocks.groups):
        rows, columns = np.flatnonzero(blocks.row_group == group), np.flatnonzero(blocks.column_group == group)
        here = blocks.row_group[row] == group
        sums = np.concatenate([row[here] == rows[:, None], column[here] == columns[:, None]]).astype(int)
        assert np.linalg.matrix_rank(sums) == len(rows) + len(columns) - 1
        for left_out in range(len(sums)):
            rest = np.delete(sums, left_out, axis=0)
            assert np.linalg.matrix_rank(rest) == len(rest)


def test_what_two_statements_force(release):
    beliefs = maxent(
        release,
        [
            "P(Breast cancer | sex=female, degree=college) = 0",
            "P(Breast cancer or Flu | sex=male, degree='high school') = 0",
        ],
    )
    assert believed(beliefs, 3, 3, 1) == 1
    assert believed(beliefs, 2, 2, 1) == 1
    assert believed(beliefs, 1, 1, 1) == believed(beliefs, 1, 2, 1) == 0.5
    assert believed(beliefs, 1, 3, 1) == 0


def test_no_man_has_breast_cancer(release):
    beliefs = maxent(release, ["P(Breast cancer | sex=male) = 0"])
    assert believed(beliefs, 2, 1, 1) == 1
    assert believed(beliefs, 4, 1, 2) == 1
    assert beliefs.certificate.holds


def test_a_share_of_the_men(release):
    beliefs = maxent(release, [sl.P("Flu", sex="male") == 0.3])
    rows = [row for row in beliefs.table().to_pylist() if row["sex"] == "male" and row["value"] == "Flu"]
    assert {(row["degree"], row["group"]) for row in rows} == {("college", 1), ("high school", 1), ("graduate", 3)}
    assert sum(row["probability"] for row in rows) == pytest.approx(0.18, abs=1e-12)


def test_people_by_name(release):
    """The paper's kinds of knowledge about individuals."""
    people = {"Alice": LINES[1], "Bob": LINES[2], "Charlie": LINES[5]}
    beliefs = maxent(
        release,
        [
            "P(Breast cancer | person=Alice) = 0.2",
            "P(Flu or HIV | person=Charlie) = 1",
            "count(HIV; Alice, Bob, Charlie) >= 1",
        ],
        people=people,
    )
    assert beliefs.probability("Breast cancer", person="Alice") == pytest.approx(0.2, abs=1e-10)
    assert beliefs.probability(["Flu", "HIV"], person="Charlie") == pytest.approx(1, abs=1e-10)
    assert sum(beliefs.probability("HIV", person=who) for who in people) >= 1 - 1e-10
    assert beliefs.certificate.holds


def test_table_adds_up(release):
    table = maxent(release, ["0.5 <= P(Flu or HIV | degree=graduate) <= 0.6"]).table()
    assert table.column_names == ["sex", "degree", "value", "group", "probability"]
    assert np.sum(table["probability"].to_numpy()) == pytest.approx(1, abs=1e-12)


QUASI = ["age", "workclass", "marital-status", "relationship", "race", "sex", "native-country", "hours-per-week"]


@pytest.fixture(scope="module")
def adult():
    """14,210 people of Adult in 2,842 buckets of five, and who they are."""
    every = pq.read_table(ADULT, columns=[*QUASI, "education"]).drop_null()
    chance = np.random.default_rng(2008)
    some = every.take(np.sort(chance.permutation(len(every))[:14_210]))
    education = some["education"].dictionary_encode().combine_chunks()
    often = np.bincount(education.indices.to_numpy(), minlength=len(education.dictionary))
    bucket = np.empty(len(some), np.int64)
    bucket[np.argsort(education.indices.to_numpy() + chance.random(len(some)) / 2, kind="stable")] = deal(often, 2_842)
    with_buckets = some.append_column("bucket", pa.array(bucket))
    return sl.read_release(with_buckets, group="bucket", quasi=QUASI, sensitive="education"), some.to_pylist()


@pytest.mark.parametrize(("number", "low", "high"), [(1_000, 1.0, 1.0), (200, 0.6, 0.9)])
def test_true_values_of_many_individuals_are_solved(adult, number, low, high):
    release, everybody = adult
    chance = np.random.default_rng(0)
    who = chance.permutation(len(everybody))[:number].tolist()
    people = {f"N{at}": {name: str(everybody[at][name]) for name in QUASI} for at in who}
    sure = {at: round(chance.uniform(low, high), 3) for at in who}
    known = [sl.P(everybody[at]["education"], person=f"N{at}") == sure[at] for at in who]
    beliefs = maxent(release, known, people=people)
    assert beliefs.certificate.holds
    for at in who[:50]:
        assert beliefs.probability(everybody[at]["education"], person=f"N{at}") == pytest.approx(sure[at], abs=1e-9)


@pytest.fixture(scope="module")
def original(adult):
    return sl.read_table(pa.Table.from_pylist(adult[1]), quasi=QUASI, sensitive="education")


def errors(adult, original, **bounds):
    """How far from the truth beliefs are, in the order of the bounds, which differ in one thing."""
    ((varied, values),) = [(name, each) for name, each in bounds.items() if isinstance(each, list)]
    for value in values:
        rules = sl.strongest_rules(original, **bounds | {varied: value})
        yield maxent(adult[0], rules).estimation_error(original)


@pytest.mark.parametrize("kind", ["positive", "negative"])
def test_each_further_rule_brings_beliefs_nearer_to_the_truth(adult, original, kind):
    """Figure 5."""
    falling = list(errors(adult, original, **{kind: [0, 100, 400]}))
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1] + 0.01


def test_rules_about_few_columns_tell_most_and_about_all_more_than_about_some(adult, original):
    """Figure 6: "the effect of background knowledge decreases when T changes from 1 to 4; then it swings back"."""
    one, three, five, all_eight = errors(adult, original, positive=250, negative=250, sizes=[[1], [3], [5], [8]])
    assert one < three < five
    assert all_eight < five


def test_a_mix_of_rules_does_not_always_tell_more(adult, original):
    """Section 7.1 sees the mix of K/2 and K/2 fall the fastest; on these people not at K = 1,000."""

    def error(positive, negative):
        rules = sl.strongest_rules(original, positive=positive, negative=negative)
        return maxent(adult[0], rules).estimation_error(original)

    assert error(50, 50) < min(error(100, 0), error(0, 100))
    assert error(1_000, 0) < error(500, 500)
