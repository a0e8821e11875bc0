import itertools
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadHierarchy, UnknownColumn
from sidelight.intake.hierarchy_drafts import DraftRules, drafts, read_tree, suitable_widths
from sidelight.table.labels import label


def rule(labels, **rules):
    ((_, rule),) = drafts({"c": labels}, DraftRules(**rules)).values()
    return rule


@pytest.mark.parametrize(
    ("labels", "drafted"),
    [
        (["2024-03-09", "2023-01-01"], "days: month, quarter, year"),
        (["1984-03-09", "2004-01-01"], "days: month, quarter, year, decade"),
        (["00734", "81667"], "codes: masks from the right"),
        (["E11", "I10"], "codes: masks from the right"),
        (["1", "2", "3", "4"], "4 numbers, perhaps codes: only *"),
        ([str(age) for age in range(17, 91)], "numbers: intervals of 5, 10, 20"),
        (["Married", "Widowed"], "2 values: only *"),
        (["31.12.1999", "1.3.2004"], "days: month, quarter, year"),
        (["03/04/1999", "05/06/2004"], "days, of which nobody can tell the day from the month: year"),
        ([str(size) for size in range(1, 10)], "numbers: intervals of 2"),
        ([], "has no values: only *"),
    ],
)
def test_what_is_drafted_by_the_values(labels, drafted):
    assert rule(labels) == drafted


def test_labels_that_few_people_have_are_printed_together():
    people = {"White": 890, "Black": 70, "Asian": 30, "Other": 6, "Inuit": 4}
    ((hierarchy, rule),) = drafts({"race": [*people]}, DraftRules(people={"race": people})).values()
    assert mentions(rule, 5, "values", "fewer than", "1 %, 5 %, 20 %", "people")
    assert [hierarchy.labels(level) for level in (1, 2, 3)] == [
        ("White", "Black", "Asian", "other (under 1 %)"),
        ("White", "Black", "other (under 5 %)"),
        ("White", "other (under 20 %)"),
    ]


@pytest.mark.parametrize("people", [{"f": 99, "m": 1}, {"a": 1, "b": 1}, dict.fromkeys(map(str, "abcdefghi"), 1)])
def test_one_rare_label_alone_and_labels_that_are_all_alike_are_not_put_together(people):
    ((hierarchy, _),) = drafts({"c": [*people]}, DraftRules(people={"c": people})).values()
    assert hierarchy.height == 2


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 1000), min_size=1, max_size=12))
def test_a_label_of_a_draft_covers_the_same_labels_wherever_it_is_printed(people):
    ((hierarchy, _),) = drafts({"c": [*people]}, DraftRules(people={"c": people})).values()
    covered = {}
    for level in hierarchy.levels:
        for name in {*level}:
            under = {text for text, printed in zip(hierarchy.levels[0], level, strict=True) if printed == name}
            assert covered.setdefault(name, under) == under


def test_region_codes_are_no_numbers():
    ((hierarchy, _),) = drafts({"region": ["1", "2", "3", "4"]}, DraftRules()).values()
    assert hierarchy.levels == (("1", "2", "3", "4"), ("*",) * 4)


def test_whole_numbers_are_listed_between_the_ends():
    ((hierarchy, _),) = drafts({"age": ["20", "25", *map(str, range(40, 50))]}, DraftRules()).values()
    assert hierarchy.labels(0) == tuple(map(str, range(20, 50)))


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-(10**9), 10**9), min_size=1, max_size=30))
def test_any_numbers_get_a_hierarchy_that_has_them(numbers):
    labels = [label(number) for number in numbers]
    ((hierarchy, _),) = drafts({"c": list(dict.fromkeys(labels))}, DraftRules()).values()
    hierarchy.cover(labels)


@given(st.floats(0, 1e9), st.floats(1e-6, 1e9))
def test_widths_double_and_are_few(low, span):
    widths = suitable_widths(low, low + span)
    assert all(abs(b - 2 * a) < 1e-6 * b for a, b in itertools.pairwise(widths))
    assert len(widths) <= 4


def test_hierarchies_of_real_people_by_every_rule(tmp_path):
    data = sl.datasets.nhefs(quasi=["age", "sex", "income", "birthplace"])
    tree = {"Lungs": ["Asthma"], "Other": [each for each in data.table.domain if each != "Asthma"]}
    drafted = sl.draft_hierarchies(
        data.table,
        cuts={"age": [[35, 50, 65], [50]]},
        top={"income": 20},
        suppress_only=["birthplace"],
        trees={"condition": tree},
    )
    assert drafted["age"].labels(2) == ("<50", "50+")
    assert drafted["income"].labels(1)[-1] == "20+"
    assert [drafted[name].height for name in ("sex", "birthplace", "condition")] == [2, 2, 3]
    found = sl.protect(data.table, sl.GroupSize() >= 5, by=drafted, ask="nobody")
    assert found.verdict.safe


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ({"masks": ["zipp"]}, UnknownColumn, "no column 'zipp'.*'zip'"),
        ({"masks": ["zip"], "top": {"zip": 5}}, BadHierarchy, "'zip' is in masks= and in widths="),
        ({"trees": {"zip": {"a": ["x"]}}}, BadHierarchy, "not in it"),
    ],
)
def test_rules_that_do_not_fit(rules, error, message):
    table = sl.read_table(pa.table({"zip": ["1", "2"], "ill": ["a", "b"]}), quasi="zip", sensitive="ill")
    with pytest.raises(error, match=message):
        sl.draft_hierarchies(table, **rules)


def test_trees_in_files(tmp_path):
    tree = {"Endocrine": {"Diabetes": ["E10", "E11"]}, "Injury": ["S02"]}
    (tmp_path / "icd.json").write_text(json.dumps(tree))
    (tmp_path / "icd.toml").write_text('Injury = ["S02"]\n[Endocrine]\nDiabetes = ["E10", "E11"]\n')
    assert read_tree(tmp_path / "icd.json") == tree == read_tree(tmp_path / "icd.toml")


@pytest.mark.parametrize(("text", "message"), [("{", "neither JSON nor TOML"), ('{"a": 3}', "no tree of labels")])
def test_what_is_no_tree(tmp_path, text, message):
    (tmp_path / "icd.json").write_text(text)
    with pytest.raises(BadHierarchy, match=message):
        read_tree(tmp_path / "icd.json")


@pytest.mark.parametrize(("kind", "alone"), [("category", True), ("ordered", True), ("number", False), (None, False)])
def test_what_was_declared_decides_what_is_drafted(kind, alone):
    codes = pa.table({"region": [*range(1, 30)], "disease": ["Flu"] * 29})
    kinds = {} if kind is None else {"region": kind}
    table = sl.read_table(codes, quasi="region", sensitive="disease", kinds=kinds)
    assert (sl.draft_hierarchies(table)["region"].labels(1) == ("*",)) == alone


def test_codes_of_one_length_that_are_declared_are_masked():
    codes = pa.table({"zip": [81667, 81675], "disease": ["Flu", "Cold"]})
    table = sl.read_table(codes, quasi="zip", sensitive="disease", kinds={"zip": "category"})
    assert sl.draft_hierarchies(table)["zip"].labels(1) == ("8166*", "8167*")
