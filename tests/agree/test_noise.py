"""What is quick about noise agrees with what is slow and obvious."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.noise.attack import noisy_query_error, posterior_means
from sidelight.noise.domain import Domain
from sidelight.noise.estimates import postprocess
from sidelight.noise.mechanism import Mechanism, PrivacyUnit
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table


def table_of(names, rows):
    """A table of people, person by person, without asking an engine."""
    cells = sorted({row[:-1] for row in rows}, key=repr)
    domain = sorted({row[-1] for row in rows})
    counts = np.zeros((len(cells), len(domain)), np.int64)
    for row in rows:
        counts[cells.index(row[:-1]), domain.index(row[-1])] += 1
    quasi = tuple(Column.of(name, [cell[place] for cell in cells]) for place, name in enumerate(names))
    return Table(quasi, "disease", tuple(domain), counts.sum(axis=1), Counts.from_cells(counts))


def every_vector(length, total):
    """All whole counts of at least 0 with this total."""
    if length == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in every_vector(length - 1, total - first):
            yield (first, *rest)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=4))
def test_postprocessed_counts_are_nearest_of_all_that_add_up(measured):
    postprocessed = postprocess(np.array(measured, np.int64))
    total = max(sum(measured), 0)
    assert postprocessed.min() >= 0
    assert postprocessed.sum() == total
    if sum(measured) > 0:
        nearest = min(
            sum((x - y) ** 2 for x, y in zip(each, measured, strict=True))
            for each in every_vector(len(measured), total)
        )
        assert ((postprocessed - measured) ** 2).sum() == nearest


def test_counts_that_are_whole_and_not_negative_stay():
    counts = np.array([[3, 0], [1, 9]])
    assert np.array_equal(postprocess(counts), counts)


people = st.lists(
    st.tuples(
        st.sampled_from(["f", "m", None, "odd"]), st.sampled_from(["1", "2", "3"]), st.sampled_from(["a", "b", "c"])
    ),
    min_size=1,
    max_size=12,
)
BY = {
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
    "age": sl.Hierarchy("age", (("1", "2", "3"), ("1-2", "1-2", "3"), ("*", "*", "*"))),
}


@given(people, st.integers(0, 1), st.integers(0, 2))
def test_cells_are_counted_person_by_person(rows, sex_level, age_level):
    table = table_of(("sex", "age"), rows)
    levels = {"sex": sex_level, "age": age_level}
    domain = Domain.declare(BY, levels, ["a", "b"], outside="leave out")
    counted = domain.count(table, BY)
    for row, (sex, age) in enumerate(product(*domain.labels)):
        for value, disease in enumerate(domain.values):
            here = [
                each
                for each in rows
                if each[0] != "odd"
                and BY["sex"].generalise(each[0], sex_level) == sex
                and BY["age"].generalise(each[1], age_level) == age
                and each[2] == disease
            ]
            assert counted[row, value] == len(here)


def noisy_of(measured, mechanism):
    domain = Domain.declare(BY, {"sex": 0}, ["a", "b", "c"])
    measured = np.array(measured, np.int64).reshape(domain.shape)
    spending = sl.Spending("", 1 / mechanism.scale if mechanism.kind == "discrete Laplace" else 1, mechanism=mechanism)
    return NoisyCounts(domain, "disease", measured, postprocess(measured), spending=spending, unit=PrivacyUnit("id"))


counts = st.lists(st.integers(-4, 9), min_size=6, max_size=6)
noise = st.sampled_from([Mechanism("discrete Laplace", 1.5), Mechanism("discrete Gaussian", 2.0)])


@given(
    st.one_of(counts, st.lists(st.integers(-30, 400), min_size=6, max_size=6)),
    st.builds(
        Mechanism,
        st.sampled_from(["discrete Laplace", "discrete Gaussian"]),
        st.sampled_from([0.05, 0.5, 1 / math.log(3), 1.5, 2.0, 9.0, 30.0]),
    ),
)
def test_a_posterior_mean_weighs_every_count(measured, mechanism):
    noisy = noisy_of(measured, mechanism)
    expected = posterior_means(noisy)
    total = noisy.counts.sum()
    for row, value in product(range(2), range(3)):
        mean = (noisy.counts[row].sum() + 0.5) * (noisy.counts[:, value].sum() + 0.5) / (total + 1.5)
        n = np.arange(3_000)
        log_weight = n * math.log(mean / (1 + mean)) + mechanism.log_weight(noisy.measured[row, value] - n)
        weight = np.exp(log_weight - log_weight.max())
        assert expected[row, value] == pytest.approx((weight * n).sum() / weight.sum(), rel=1e-9, abs=1e-12)


@examples(20)
@given(
    st.lists(st.tuples(st.sampled_from("fm"), st.sampled_from("abc")), min_size=1, max_size=6),
    st.lists(counts, min_size=1, max_size=2),
    noise,
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_the_attacker_who_knows_everybody_else_weighs_whole_data_sets(rows, measured, mechanism, prior):
    table = table_of(("sex",), rows)
    releases = [noisy_of(each, mechanism) for each in measured]
    seen = sl.attack_noise(
        releases, people=table, by=BY, tables=[table] * len(releases), prior=dict(zip("abc", prior, strict=True))
    )
    cell, value, _ = table.counts.entries()
    for number, (row, code) in enumerate(zip(cell, value, strict=True)):
        sex, truth = table.column("sex").cell(row), table.domain[code]
        others = list(rows)
        others.remove((sex, truth))
        odds = np.array(prior)
        for place, believed in enumerate("abc"):
            world = np.zeros((2, 3), np.int64)
            for each_sex, each_value in [*others, (sex, believed)]:
                world["fm".index(each_sex), "abc".index(each_value)] += 1
            log_likelihood = sum(float(mechanism.log_weight(release.measured - world).sum()) for release in releases)
            odds[place] *= np.exp(log_likelihood + 50)
        assert seen.posterior[number] == pytest.approx(odds / odds.sum(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("smallest", [10, 50, 200])
def test_queries_of_exact_counts_are_answered_like_those_of_the_release(smallest):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    result = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= smallest), by=adult.hierarchies, ask="nobody")
    levels = dict(result.levels)
    domain = Domain.declare(adult.hierarchies, levels, adult.table.domain)
    exactly = domain.count(adult.table, adult.hierarchies)
    spending = sl.Spending("", 1, mechanism=Mechanism("discrete Laplace", 1.0))
    noiseless = NoisyCounts(domain, "occupation", exactly, exactly, spending=spending, unit=PrivacyUnit("id"))
    assert noisy_query_error(noiseless, adult.table, adult.hierarchies) == pytest.approx(result.utility["query error"])
