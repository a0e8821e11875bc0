"""The strongest rules agree with listing them all; `MaxEnt` as a measure and in policies."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, NothingSafe

rows = st.fixed_dictionaries(
    {"sex": st.sampled_from(["f", "m"]), "age": st.sampled_from(["30", "40", None]), "value": st.sampled_from("abc")}
)


def read(people):
    return sl.read_table(pa.Table.from_pylist(people), quasi=["sex", "age"], sensitive="value")


def listed(people, support, kind, sizes):
    """All rules, by hand: strength, support, columns, condition, value."""
    ages = [age for age in ("30", "40", None) if age in {row["age"] for row in people}]
    place = {"sex": ["f", "m"].index, "age": ages.index}
    found = []
    for size in sizes:
        for columns in combinations(("sex", "age"), size):
            for condition in {tuple(row[column] for column in columns) for row in people}:
                chosen = [row for row in people if tuple(row[column] for column in columns) == condition]
                for value in sorted({row["value"] for row in people}):
                    has = sum(row["value"] == value for row in chosen)
                    follow = has if kind == "has" else len(chosen) - has
                    if follow >= support:
                        order = tuple(place[column](label) for column, label in zip(columns, condition, strict=True))
                        rank = (-Fraction(follow, len(chosen)), -follow, size, columns != ("sex",), order, value)
                        given_ = tuple(sorted(zip(columns, condition, strict=True)))
                        found.append((rank, (given_, value, Fraction(has, len(chosen)), follow)))
    return [rule for _, rule in sorted(found, key=lambda each: each[0])]


@settings(max_examples=60)
@given(
    st.lists(rows, min_size=1, max_size=14),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(1, 3),
    st.sampled_from([[1], [2], [1, 2]]),
)
def test_the_strongest_rules_are_those_of_the_whole_list(people, positive, negative, support, sizes):
    found = sl.strongest_rules(read(people), positive=positive, negative=negative, support=support, sizes=sizes)
    told = [(rule.about.given, rule.about.values[0], rule.low, rule.support) for rule in found]
    wanted = listed(people, support, "has", sizes)[:positive] + listed(people, support, "has not", sizes)[:negative]
    assert told == wanted


@settings(max_examples=30)
@given(st.lists(rows, min_size=2, max_size=10), st.integers(0, 2**32 - 1))
def test_knowing_more_that_is_true_never_leads_away_from_the_truth(people, seed):
    """Where every line is in one group only, true rules bring beliefs nearer to the table, one by one."""
    table = read(people)
    release = sl.group(table, by="sex")
    rules = sl.strongest_rules(table, positive=50, negative=50, support=1)
    order = np.random.default_rng(seed).permutation(len(rules))[:5]
    errors = [
        sl.maxent(release, [rules[at] for at in order[:k]]).estimation_error(table) for k in range(len(order) + 1)
    ]
    assert all(after <= before + 1e-7 for before, after in pairwise(errors))


def test_bad_amounts_are_refused():
    table = read([{"sex": "f", "age": "30", "value": "a"}])
    with pytest.raises(BadKnowledge, match="sizes between 1 and 2"):
        sl.strongest_rules(table, positive=1, sizes=[3])
    with pytest.raises(BadKnowledge, match="how many"):
        sl.strongest_rules(table, positive=-1)


@pytest.fixture(scope="module")
def table():
    return sl.datasets.adult(quasi=["sex", "race"]).table


def test_the_measure_judges_what_anatomy_made(table):
    sure = sl.MaxEnt(rules=(3, 3))
    with pytest.raises(BadMeasure, match="give table="):
        sure.measure(sl.group(table, by="sex"))
    found = sl.protect(table, sl.Policy(sl.DistinctValues() >= 3, sure <= 0.9), method=sl.Anatomy(l=3))
    finding = found.verdict.findings[1]
    assert finding.replay(found.release) == finding.value
    assert "maximum entropy" in finding.explain().lower()
    assert 0 < finding.value <= Fraction(9, 10)


def test_what_is_published_is_judged_again_with_who_is_in_which_bucket(table, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt(rules=(3, 3)) <= 0.9)
    found = sl.protect(table, policy, method=sl.Anatomy(l=3))
    found.publish(tmp_path / "release.parquet")
    again = sl.read_published(tmp_path / "release.parquet")
    assert again.members is not None
    assert found.policy.judge(again).findings[1].value == found.verdict.findings[1].value


def test_what_is_found_may_be_outside_the_policy(table):
    with pytest.raises(NothingSafe, match="within the other limits") as caught:
        sl.protect(table, sl.Policy(sl.DistinctValues() >= 3, sl.MaxEnt() <= 0.01), method=sl.Anatomy(l=3))
    assert "maximum entropy" in caught.value.blocked_by[0]
    with pytest.raises(NothingSafe):
        sl.protect(table, sl.Policy(sl.MaxEnt() <= 0.01), method="anatomy")


def test_rules_do_not_fit_a_release_that_prints_something_else(table):
    coarse = sl.generalise(table, by=sl.datasets.adult(quasi=["sex", "race"]).hierarchies, to={"race": 1})
    with pytest.raises(BadMeasure, match="say nothing about this release"):
        sl.MaxEnt(rules=(3, 3), table=table).measure(coarse)


def test_settings_and_words():
    said = {"knowing": ["P(Flu | sex=m) = 0.3"], "rules": [2, 3]}
    measure = sl.MaxEnt.from_settings(knowing=("P(Flu | sex=m) = 0.3",), rules=(2, 3))
    assert measure.settings() == said
    assert str(measure) == "maximum entropy (knowing 1 statements, rules 2 and 3)"
    assert not sl.MaxEnt.mergeable
    with pytest.raises(BadMeasure, match="whole release"):
        sl.MaxEnt().summarize(sl.Release.from_counts([{"a": 1}]).groups)
    with pytest.raises(BadMeasure, match="whole release"):
        sl.MaxEnt().screen()
    with pytest.raises(BadMeasure, match="two numbers"):
        sl.MaxEnt(rules=(1, -1))


def test_a_policy_file_says_it(tmp_path):
    policy = sl.Policy(sl.MaxEnt(knowing=["P(Flu | sex=m) = 0.3"]) <= 0.5)
    (tmp_path / "policy.toml").write_text(policy.to_toml())
    assert sl.read_policy(tmp_path / "policy.toml") == policy


def test_values_are_rounded_up_and_exact_where_nothing_is_touched():
    ward = sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 3, "Cold": 4}], labels=[{"sex": "m"}, {"sex": "f"}])
    assert sl.MaxEnt().measure(ward).value == Fraction(2, 3)
    assert sl.MaxEnt(knowing=["P(Flu | sex=f) <= 0.9"]).measure(ward).value == Fraction(2, 3)
    assert sl.MaxEnt(knowing=["P(Flu | sex=m) >= 0"]).measure(ward).value == 0.666666667
