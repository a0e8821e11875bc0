"""Declared queries: how they are read, what each costs, and what all of them promise.

Marginals at coarser levels: how labels are put together.
"""

import copy
import dataclasses
import json
import pickle
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadNoise, BadRelease, WrongKind
from sidelight.noise.estimates import Measurements, NoisyAnswer
from sidelight.noise.mechanism import Mechanism, PrivacyCost, PrivacyUnit, Sensitivity, concentrated_epsilon
from sidelight.noise.workload import CellLayout, best_shares, coarser_level, read_queries, split_noise

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
    with pytest.raises(BadNoise, match=r"'zip'.*age, sex, disease"):
        read_queries(["zip"], NAMES)
    with pytest.raises(BadNoise, match="did you mean 'sex'"):
        read_queries(["age, sexx"], NAMES)
    with pytest.raises(BadNoise, match="above 0, not 0"):
        read_queries({"sex": 0}, NAMES)
    with pytest.raises(BadNoise, match=r"column.*'total'.*rename"):
        read_queries(["total"], ["total", "disease"])
    with pytest.raises(WrongKind, match="should be a list") as caught:
        read_queries(7, NAMES)
    assert caught.value.parameters == ("queries",)
    with pytest.raises(WrongKind, match="not 7"):
        read_queries([7], NAMES)


def test_nothing_is_spent_on_queries_that_are_refused(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=2)
    with pytest.raises(BadNoise, match="'zip'"):
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
            CellLayout((50, 4)),
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
    women = np.array([each.estimates[:, 0].sum() for each in drawn])
    answer = NoisyAnswer(60, "people", drawn[0].answer([np.arange(3), np.arange(1), np.arange(4)])[1])
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
    assert [[*each.by] for each in published.document.queries] == [[*made.columns_of(each)] for each in made.marginals]
    assert "add up 'estimate'" in published.document.sums
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
                each.mechanism.log_weight(each.measured - CellLayout(counts.shape).add_up(counts, each.axes)).sum()
                for each in made.measurements.marginals
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
    with pytest.raises(BadNoise, match=r"queries costs more.*epsilon 0\.9"):
        ledger.spend(dataclasses.replace(made.spending, epsilon="0.9"))


AGES = sl.Hierarchy(
    "age",
    (
        ("20", "25", "28", "30", "41"),
        ("20-29", "20-29", "20-29", "30-39", "40-49"),
        ("20-39", "20-39", "20-39", "20-39", "40-59"),
        ("*",) * 5,
    ),
)
DISEASES = sl.Hierarchy("disease", ((*DOMAIN,), ("mild", "mild", "grave", "mild"), ("*",) * 4))
AT_LEVELS = {"by": {**BY, "age": AGES, "disease": DISEASES}, "outside": "other"}


@pytest.mark.parametrize(
    ("queries", "read"),
    [
        (["age=1"], {(3,): 1}),
        ([{"age": 2, "sex": 0}, "sex, age=2"], {(4, 1): 2}),
        ([{"age": 0}, "age"], {(0,): 2}),
        (["age=3", "age=3, sex"], {(): 1, (1,): 1}),
        ({"age=1, disease": 3, "cells": 2}, {(3, 2): 3}),
        (["disease=1, age=1"], {(3, 5): 1}),
    ],
)
def test_queries_may_be_at_coarser_levels(queries, read):
    levels = {(0, 0): 0, (0, 1): 3, (0, 2): 4, (0, 3): None, (1, 0): 1, (2, 0): 2, (2, 1): 5}
    cells = queries["cells"] if isinstance(queries, dict) else 1
    assert read_queries(queries, NAMES, levels) == {(0, 1, 2): cells} | read


def test_levels_that_no_query_can_have_are_refused_by_one_line():
    for queries, line in (
        (["age=7"], "level 7 of 'age'.* 0 to 3$"),
        ([{"age": "x"}], "'age'.*whole number, not 'x'"),
        (["age=1, age=2"], "two levels for 'age'"),
        ([{"zip": 1}], "'zip'.*age, sex, disease"),
    ):
        with pytest.raises(BadNoise, match=line):
            noisy(queries=queries, **AT_LEVELS)
    with pytest.raises(BadNoise, match=r"level 0 of 'age'.* 1 to 3$"):
        noisy(queries=["age=0"], **AT_LEVELS, levels={"age": 1, "sex": 0})
    with pytest.raises(BadNoise, match=r"level 1 of 'disease'.*no hierarchy"):
        noisy(queries=["disease=1"])


def test_a_column_may_be_called_like_a_level():
    assert read_queries(["a=1"], ["a=1", "a"], {(1, 1): 2}) == {(0, 1): 1, (0,): 1}


def test_ages_by_year_are_measured_by_tens_too():
    made = noisy(queries={"age=1": 5, "age=2, disease=1": 5, "cells": 1}, **AT_LEVELS)
    assert len(made.marginals) == 2
    assert made.count(age="20-29").count == pytest.approx(made.count(age=["20", "25", "28"]).count)
    assert made.count("mild", age=["20-39", "40-49"]).count == pytest.approx(
        made.count("Flu", "Cold", "Mumps", age=["20", "25", "28", "30", "41"]).count
    )
    assert made.count(age="20-29").sd < noisy(**AT_LEVELS).count(age=["20", "25", "28"]).sd
    everybody = [made.count(age=each).count for each in ("20-29", "30-39", "40-49", "(other)")]
    assert sum(everybody) == pytest.approx(made.count().count) == pytest.approx(made.estimates.sum())
    with pytest.raises(BadNoise, match="has no '30-30'"):
        made.count(age="30-30")
    assert made.counts.sum() == max(round(made.estimates.sum()), 0)
    assert made.spending.keeps()


def test_margins_of_levels_are_those_of_the_count_that_is_furthest_off():
    made = noisy(queries={"age=1": 5, "sex": 1, "cells": 1}, **AT_LEVELS)
    margins = made.margins_of_queries()
    each = [made.count(age=label).margin() for label in ("20-29", "30-39", "40-49", "(other)")]
    assert margins["age=1"] == max(each) > min(each)
    assert made.margin() == pytest.approx(
        max(made.count("Flu", age=label, sex="f").margin() for label in ("20", "30", "41"))
    )


def test_counts_of_many_kinds_have_a_margin_too(monkeypatch):
    made = noisy(queries={"age=1": 5, "sex": 1, "cells": 1}, **AT_LEVELS)
    margins = made.margins_of_queries()
    monkeypatch.setattr("sidelight.noise.estimates.KINDS_AT_MOST", 0)
    assert all(made.margins_of_queries()[name] > margin for name, margin in margins.items())


def test_answers_at_levels_are_right_on_average_and_as_far_off_as_they_say():
    cells = np.full((5, 2, 4), 5)
    tens = coarser_level(0, 1, ["20-29", "20-29", "20-29", "30-39", "40-49"])
    noise = {axes: Mechanism("discrete Laplace", scale) for axes, scale in (((0, 1, 2), 4.0), ((3,), 3.0), ((1,), 6.0))}
    places = [np.arange(3), np.arange(2), np.arange(4)]
    drawn = [Measurements.draw(cells, noise, [tens]).answer(places) for _ in range(400)]
    totals = np.array([total for total, _ in drawn])
    answer = NoisyAnswer(120, "people", drawn[0][1])
    assert abs(totals.mean() - 120) < 5 * answer.sd / np.sqrt(len(drawn))
    assert totals.std() == pytest.approx(answer.sd, rel=0.25)
    assert np.mean(np.abs(totals - 120) > answer.margin(0.9)) < 0.18


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_published_queries_at_levels_are_read_back(tmp_path, ending):
    queries = {"age=1": 5, "age=2, disease=1": 5, "cells": 1}
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=2)
    made = noisy(queries=queries, ledger=ledger, **AT_LEVELS)
    path = tmp_path / f"counts.{ending}"
    published = made.publish(path)
    first = published.document.queries[0]
    assert first.by == ("age",)
    assert first.coarser["age"].level == 1
    assert first.coarser["age"].labels == ("20-29", "20-29", "20-29", "30-39", "40-49", "(other)")
    back = sl.read_noise(path)
    assert back.spending == made.spending == ledger.read().entries[0].spending
    assert np.allclose(back.estimates, made.estimates)
    assert back.count("mild", age="20-29") == made.count("mild", age="20-29")
    assert [each.axes for each in back.marginals] == [(3,), (4, 5)]
    for change in (
        lambda query: query["coarser"]["age"]["labels"].pop(),
        lambda query: query["coarser"]["age"]["labels"].__setitem__(0, "40-49"),
        lambda query: query["coarser"].clear(),
        lambda query: query.update(by=["sex"]),
    ):
        changed = json.loads(published.beside.read_text())
        change(changed["queries"][0])
        other = tmp_path / f"changed.{ending}"
        other.write_bytes(path.read_bytes())
        (tmp_path / f"changed.{ending}.noise.json").write_text(json.dumps(changed))
        with pytest.raises(BadRelease):
            sl.read_noise(other)


def test_somebody_who_knows_all_others_weighs_levels_of_values_too():
    by = AT_LEVELS["by"]
    made = noisy(queries={"disease=1, age=1": 9, "age=2": 5, "cells": 1}, epsilon=3, **AT_LEVELS)
    assert made.marginals
    seen = sl.attack_noise([made], tables=[TABLE], people=TABLE, by=by)
    assert seen.largest_shift <= seen.bound
    layout, domain = made.measurements.layout, made.declared_domain
    exact = domain.count(TABLE, by).reshape(domain.sizes)
    row, value, _ = TABLE.counts.entries()
    person = 5
    place = np.unravel_index(domain.groups_of(TABLE, by)[row[person]], domain.sizes[:-1])
    truth = made.domain.index(TABLE.domain[value[person]])
    likelihood = []
    for other in range(len(made.domain)):
        counts = exact.copy()
        counts[(*place, truth)] -= 1
        counts[(*place, other)] += 1
        likelihood.append(
            sum(
                each.mechanism.log_weight(each.measured - layout.add_up(counts, each.axes)).sum()
                for each in made.measurements.marginals
            )
        )
    odds = seen.prior * np.exp(np.array(likelihood) - max(likelihood))
    assert np.allclose(seen.posterior[person], odds / odds.sum())
    assert len(made.statements(TABLE.people)) == 5 * 2 * 4  # of the cells that were declared, and no others


def test_an_amount_that_is_nothing_when_shared_is_refused_by_its_own_name():
    for delta in (0, "1e-9"):
        with pytest.raises(BadNoise, match=r"epsilon 1e-06.*shared") as caught:
            noisy(epsilon="1e-6", delta=delta, queries=["total"])
        assert caught.value.parameters == ("queries",)
    with pytest.raises(BadNoise, match="epsilon 1e-07 with delta 0") as caught:
        noisy(epsilon="1e-7", queries=["total"])
    assert caught.value.parameters == ()


def test_a_label_of_several_levels_is_that_of_the_finest():
    again = sl.Hierarchy(
        "age",
        (("20", "25", "30", "41"), ("young", "young", "30", "old"), ("young", "young", "young", "old"), ("*",) * 4),
    )
    made = noisy(by={**BY, "age": again}, outside="other", queries={"age=1": 9, "age=2, disease": 99, "cells": 1})
    assert len(made.marginals) == 2
    assert made.count(age="young").count == pytest.approx(made.count(age=["20", "25"]).count)
    assert made.count(age="30").count == pytest.approx(made.estimates.reshape(5, -1)[2].sum())


def test_a_release_with_queries_at_levels_can_be_copied():
    made = noisy(queries={"age=1": 5, "cells": 1}, **AT_LEVELS)
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again.count(age="20-29") == made.count(age="20-29")


TENS = coarser_level(0, 1, ["20-29", "20-29", "30-39", "40-49"])
TWENTIES = coarser_level(0, 2, ["20-39", "20-39", "20-39", "40-59"])


def test_axes_are_columns_and_then_their_coarser_levels():
    layout = CellLayout((4, 2), (TENS, TWENTIES))
    assert [layout.labels_of(axis) for axis in range(4)] == [4, 2, 3, 2]
    assert [layout.column(axis) for axis in range(4)] == [0, 1, 0, 0]
    assert layout.size((3, 1)) == 4
    assert layout.coarse((3, 1))
    assert not layout.coarse(layout.every)
    assert layout.column(3) == 0


def test_labels_that_are_not_beside_each_other_are_added_up_too():
    mixed = coarser_level(0, 1, ["a", "b", "a", "b"])
    layout = CellLayout((4, 2), (mixed,))
    cells = np.arange(8).reshape(4, 2)
    assert layout.add_up(cells, (2, 1)).tolist() == [[4, 6], [8, 10]]
    assert layout.spread(np.array([7, 8]), (2,)).ravel().tolist() == [7, 8, 7, 8]


@pytest.mark.parametrize("levels", [(TENS, TWENTIES), (TWENTIES, TENS)])
def test_levels_of_one_hierarchy_are_nested(levels):
    assert CellLayout((4,), levels).is_nested()


def test_levels_that_cross_are_not_nested():
    crossing = coarser_level(0, 2, ["x", "y", "y", "y"])
    assert not CellLayout((4,), (TENS, crossing)).is_nested()
    assert CellLayout((4, 4), (TENS, coarser_level(1, 1, ["x", "y", "y", "y"]))).is_nested()


def test_weights_move_shares():
    equal = best_shares(CellLayout((50, 40)), {(0, 1): 1.0, (): 1.0}, lambda axes, share: 2 / share**2)
    cells = best_shares(CellLayout((50, 40)), {(0, 1): 8.0, (): 1.0}, lambda axes, share: 2 / share**2)
    assert abs(equal[0, 1] - Fraction(1, 2)) < Fraction(1, 100)
    # Σ w/s² is smallest where shares are as cube roots of weights
    assert abs(cells[0, 1] - Fraction(2, 3)) < Fraction(1, 100)


def test_a_query_that_the_rest_tells_better_is_not_measured():
    """The cells of a table with one label each are its total."""
    shares = best_shares(CellLayout((1, 1)), {(0, 1): 1.0, (): 1.0, (0,): 1.0}, lambda axes, share: 2 / share**2)
    assert shares == {(0, 1): 1}


def test_shares_add_up_to_one():
    weights = {(0, 1, 2): 1.0, **dict.fromkeys([(), (0,), (1,), (2,), (0, 1), (1, 2)], 3.0)}
    shares = best_shares(CellLayout((7, 5, 3)), weights, lambda axes, share: 1 / share)
    assert sum(shares.values()) == 1
    assert all(share > 0 and share * 1000 == int(share * 1000) for share in shares.values())
