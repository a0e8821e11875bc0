"""Declared queries: how they are read, what each costs, and what all of them promise."""

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.dp.accountant import concentrated_epsilon
from sidelight.dp.answers import NoisyAnswer
from sidelight.dp.mechanism import Mechanism, PrivacyCost
from sidelight.dp.parameters import PrivacyUnit, Sensitivity
from sidelight.dp.workload import Measurements, best_shares, marginal_of, read_queries, split_noise
from sidelight.errors import BadNoise, BadRelease, WrongKind

NAMES = ["age", "sex", "disease"]
BY = {
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
    "age": sl.Hierarchy("age", (("20", "25", "30"), ("20-29", "20-29", "30-39"), ("*", "*", "*"))),
}
DOMAIN = ["Flu", "Cold", "HIV", "Mumps"]
TABLE = sl.read_table(
    pa.table({"age": ["20", "25", "30"] * 40, "sex": ["f", "m"] * 60, "disease": ["Flu", "Cold", "HIV", "Flu"] * 30}),
    quasi=["age", "sex"],
    sensitive="disease",
    person="each row",
)


def noisy(**options):
    arguments = {
        "by": BY,
        "levels": {"age": 0, "sex": 0},
        "domain": DOMAIN,
        "epsilon": 1,
        "outside": "an error",
    } | options
    return sl.noisy_counts(TABLE, **arguments)


@pytest.mark.parametrize(
    ("queries", "read"),
    [
        ([], {(0, 1, 2): 1}),
        ("sex", {(0, 1, 2): 1, (1,): 1}),
        (["total", "disease, age"], {(0, 1, 2): 1, (): 1, (0, 2): 1}),
        ([("age", "disease"), ["disease", "age"]], {(0, 1, 2): 1, (0, 2): 2}),
        ({"total": 0.5, "cells": 4, ("sex",): Fraction(1, 3)}, {(0, 1, 2): 4, (): 0.5, (1,): 1 / 3}),
        ([[]], {(0, 1, 2): 1, (): 1}),
    ],
)
def test_queries_name_columns(queries, read):
    assert read_queries(queries, NAMES) == read


def test_what_no_query_is_has_its_own_line():
    with pytest.raises(BadNoise, match="'zip', which is not published; there are: age, sex, disease"):
        read_queries(["zip"], NAMES)
    with pytest.raises(BadNoise, match="did you mean 'sex'"):
        read_queries(["age, sexx"], NAMES)
    with pytest.raises(BadNoise, match="a number above 0, not 0"):
        read_queries({"sex": 0}, NAMES)
    with pytest.raises(BadNoise, match="a column is called 'total'"):
        read_queries(["total"], ["total", "disease"])
    with pytest.raises(WrongKind, match="list of what is counted by"):
        read_queries(7, NAMES)
    with pytest.raises(WrongKind, match="not 7"):
        read_queries([7], NAMES)


def test_nothing_is_spent_on_queries_that_are_refused(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=2)
    with pytest.raises(BadNoise, match="not published"):
        noisy(queries=["zip"], ledger=ledger)
    assert not ledger.read().entries


def test_the_costs_of_marginals_add_up_to_no_more_than_epsilon():
    for queries in (["total"], ["total", "sex"], ["sex", "age", "disease"], {"total": 1, "cells": 9}):
        made = noisy(queries=queries, epsilon="0.7")
        costs = [each.sensitivity.l1 / Fraction(each.scale) for each in made.spending.mechanisms]
        assert sum(costs) <= Fraction(7, 10)
        assert float(sum(costs)) == pytest.approx(0.7, rel=1e-12)
        assert made.spending.keeps()


def test_gaussian_marginals_share_rho():
    made = noisy(queries=["total", "sex"], delta="1e-6", people_at_most=1000)
    assert {each.kind for each in made.spending.mechanisms} == {"discrete Gaussian"}
    assert 0.999 < concentrated_epsilon(made.spending.rho(), 1e-6) <= 1
    assert made.spending.keeps()


def test_several_values_of_one_person_may_meet_in_one_count_of_a_marginal():
    unit = PrivacyUnit("id", "set", 3)
    for neighbours, units in (("add or remove", 1), ("replace", 2)):
        noise = split_noise(
            (50, 4),
            {(0, 1): 1.0, (): 1.0},
            PrivacyCost(Fraction(1), Fraction(1, 10**6)),
            unit.sensitivity(neighbours),
            units,
        )
        assert noise[0, 1].sensitivity == Sensitivity(3 * units, 3 * units)
        assert noise[()].sensitivity == Sensitivity(3 * units, 9 * units)


def test_a_query_that_others_tell_better_is_not_measured():
    made = noisy(queries=[("age", "sex", "disease"), ("age", "sex")])
    assert not made.marginals
    assert made.mechanism.scale == 1.0
    assert made.count().count == made.measured.sum()


def test_estimates_add_up_and_answers_say_how_far_off_they_are():
    made = noisy(queries={"total": 1, "sex": 1, "cells": 0.1})
    assert made.marginals
    assert made.count().count == pytest.approx(sum(made.count(sex=each).count for each in ("f", "m")))
    assert made.count().count == pytest.approx(made.estimates.sum())
    alone = noisy(epsilon=1)
    assert made.count().sd < alone.count().sd
    assert made.count().margin() < alone.count().margin()
    assert made.margin() > alone.margin()
    assert made.counts.sum() == max(round(made.estimates.sum()), 0)
    assert made.counts.min() >= 0
    assert made.counts.dtype == np.int64


def test_answers_are_right_on_average_and_as_far_off_as_they_say():
    cells = np.full((3, 2, 4), 5)
    noise = {axes: Mechanism("discrete Laplace", scale) for axes, scale in (((0, 1, 2), 4.0), ((), 3.0), ((1,), 6.0))}
    drawn = [Measurements.draw(cells, noise) for _ in range(400)]
    women = np.array([each.estimates()[:, 0].sum() for each in drawn])
    answer = NoisyAnswer(60, "people", drawn[0].error([3, 1, 4]))
    assert abs(women.mean() - 60) < 5 * answer.sd / np.sqrt(len(drawn))
    assert women.std() == pytest.approx(answer.sd, rel=0.25)
    assert np.mean(np.abs(women - 60) > answer.margin(0.9)) < 0.18


def test_the_ledger_has_one_entry_with_all_noises(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=2)
    made = noisy(queries=["total", "sex"], ledger=ledger)
    (entry,) = ledger.read().entries
    assert entry.spending == made.spending
    assert entry.spending.marginal_noise
    assert ledger.read().spent[0] == 1


def test_weights_move_shares():
    equal = best_shares((50, 40), {(0, 1): 1.0, (): 1.0}, lambda axes, share: 2 / share**2)
    cells = best_shares((50, 40), {(0, 1): 8.0, (): 1.0}, lambda axes, share: 2 / share**2)
    assert abs(equal[0, 1] - Fraction(1, 2)) < Fraction(1, 100)
    # Σ w/s² is smallest where shares are as cube roots of weights
    assert abs(cells[0, 1] - Fraction(2, 3)) < Fraction(1, 100)


def test_a_spending_knows_noises_that_cost_too_much():
    made = noisy(queries=["total"])
    cheaper = dataclasses.replace(made.spending, epsilon=Fraction(9, 10))
    assert made.spending.keeps()
    assert not cheaper.keeps()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_published_queries_are_read_back(tmp_path, ending, delta):
    made = noisy(queries=["total", "sex", ("age", "disease")], delta=delta, people_at_most=1000)
    assert made.marginals
    path = tmp_path / f"counts.{ending}"
    published = made.publish(path)
    assert [each["by"] for each in published.document["queries"]] == [made.columns_of(each) for each in made.marginals]
    assert "add up 'estimate'" in published.document["sums"]
    back = sl.read_noise(path)
    assert back.spending == made.spending
    assert np.allclose(back.estimates, made.estimates)
    assert back.count("Flu", sex="f") == made.count("Flu", sex="f")
    assert back.margin() == made.margin()
    assert back.table().column_names == ["age", "sex", "disease", "count", "measured", "estimate"]


def test_a_document_whose_queries_cost_too_much_is_refused(tmp_path):
    path = tmp_path / "counts.csv"
    made = noisy(queries={"total": 1, "cells": 1})
    published = made.publish(path)
    document = json.loads(published.beside.read_text())
    for change in (
        lambda query: query["mechanism"].update(scale=0.1),
        lambda query: query.update(by=["sex"]),
        lambda query: query.update(by=["age", "sex", "disease"]),
        lambda query: query["mechanism"].update(l1=2),
    ):
        changed = json.loads(json.dumps(document))
        change(changed["queries"][0])
        published.beside.write_text(json.dumps(changed))
        with pytest.raises(BadRelease):
            sl.read_noise(path)


def test_somebody_who_knows_all_others_weighs_queries_too():
    made = noisy(queries={"disease": 9, "cells": 1}, epsilon=3)
    assert made.marginals
    seen = sl.attack_noise([made], tables=[TABLE], people=TABLE, by=BY)
    assert seen.largest_shift <= seen.bound
    # twin: the likelihood of all that was drawn, one person's value after the other
    exact = made.declared_domain.count(TABLE, BY).reshape(made.declared_domain.sizes)
    group = made.declared_domain.groups_of(TABLE, BY)
    row, value, _ = TABLE.counts.entries()
    person = 5
    place = np.unravel_index(group[row[person]], made.declared_domain.sizes[:-1])
    truth = made.domain.index(TABLE.domain[value[person]])
    likelihood = []
    for other in range(len(made.domain)):
        counts = exact.copy()
        counts[(*place, truth)] -= 1
        counts[(*place, other)] += 1
        likelihood.append(
            sum(
                each.mechanism.log_weight(each.measured - marginal_of(counts, each.axes)).sum()
                for each in made.measurements().marginals
            )
        )
    odds = seen.prior * np.exp(np.array(likelihood) - max(likelihood))
    assert np.allclose(seen.posterior[person], odds / odds.sum())


def test_queries_by_values_are_statements_too():
    made = noisy(queries={"disease": 9, "total": 1, "cells": 1})
    said = made.statements(TABLE.people)
    by_value = [each for each in made.marginals if 2 in each.axes]
    assert len(said) == made.measured.size + sum(each.measured.size for each in by_value)
    assert by_value


def test_noise_for_less_than_queries_cost_is_not_entered(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=5)
    made = noisy(queries=["total"])
    with pytest.raises(BadNoise, match="and that of the queries costs more"):
        ledger.spend(dataclasses.replace(made.spending, epsilon="0.9"))
