"""What a search hands back: how it shows itself, and its rows as a table."""

import copy
import json
import pickle
from html.parser import HTMLParser
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.search.method import SearchedLevel
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

BY = {"q": sl.Hierarchy.suppression("q", ["x", "y", "<b>"])}


def table(semantics: str = "single", *, column: str = "q") -> Table:
    counts = Counts.from_cells([[2, 1], [1, 2], [0, 3]])
    labels = Column.of(column, ["x", "y", "<b>"])
    return Table((labels,), "disease", ("Cold", "Flu"), np.array([3, 3, 3]), counts, semantics)


def test_a_result_is_told_in_one_line():
    result = sl.protect(table(), sl.GroupSize() >= 3, by=BY, ask="nobody")
    assert repr(result) == "<SearchResult of method 'lattice': 9 people in 3 groups; within policy: group size ≥ 3>"


def test_the_line_says_who_is_suppressed_and_whether_the_search_came_to_its_end():
    people = Table(table().quasi, "disease", ("Flu",), np.array([3, 3, 1]), Counts.from_cells([[3], [3], [1]]))
    result = sl.protect(people, sl.GroupSize() >= 2, by=BY, method=sl.FullDomain(0.2, "left out"), ask="nobody")
    assert "6 people in 2 groups, 1 person suppressed; within policy" in repr(result)
    adult = sl.datasets.adult()
    stopped = sl.protect(
        adult.table, sl.GroupSize() >= 5, by=adult.hierarchies, method=sl.FullDomain(nodes=3), ask="nobody"
    )
    assert ", not complete; within policy" in repr(stopped)
    (warning,) = stopped.warnings
    assert "stopped before its end" in warning


class Cells(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_a_notebook_shows_criteria_levels_and_quick_utilities_escaped():
    by = {"<script>": sl.Hierarchy.suppression("<script>", ["x", "y", "<b>"])}
    result = sl.protect(table(column="<script>"), sl.GroupSize() >= 3, by=by, ask="nobody")
    cells = Cells(result._repr_html_())
    assert cells.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert {"level of <script>", "group size ≥ 3", "3, holds", "discernibility", "loss"} <= set(cells.texts)
    assert "query error" not in cells.texts


def test_a_notebook_shows_a_value_as_its_verdict_does():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    result = sl.protect(
        adult.table, sl.EntropyDiversity() >= 5, by=adult.hierarchies, utility="discernibility", ask="nobody"
    )  # it is 7.24717…
    assert "<td>7.2471, holds</td>" in result._repr_html_()
    assert "<td>7.2471</td>" in result.verdict._repr_html_()


def test_no_heading_is_empty():
    assert "<th></th>" not in sl.protect(table(), sl.GroupSize() >= 3, by=BY, ask="nobody")._repr_html_()


def test_search_outcome_repr_counts_people_and_groups():
    outcomes = sl.FullDomain().search(
        table(), sl.Policy(sl.GroupSize() >= 3), by=BY, utilities=("loss",), progress=lambda *_: None
    )
    assert repr(outcomes["loss"]) == "<SearchOutcome: 9 people in 3 groups>"


def test_a_notebook_shows_what_readers_have_to_know():
    result = sl.protect(table(), sl.GroupSize() >= 3, method="anatomy", ask="nobody")
    assert "people can be recognised" in result._repr_html_()


def test_rows_are_those_of_the_release_in_the_order_of_what_they_print():
    result = sl.protect(table(), sl.GroupSize() >= 3, by=BY, ask="nobody")
    assert result.to_arrow().to_pylist() == [
        {"q": q, "disease": disease}
        for q, bag in (("<b>", "FFF"), ("x", "CCF"), ("y", "CFF"))
        for disease in ({"C": "Cold", "F": "Flu"}[letter] for letter in bag)
    ]
    assert result.to_pandas().columns.tolist() == ["q", "disease"]
    assert result.to_polars().shape == (9, 2)


def test_rows_of_people_with_several_values_are_counts_and_a_group_without_values_stays():
    counts = Counts.from_cells([[2, 1], [0, 0]])
    people = Table((Column.of("people", ["x", "y"]),), "disease", ("Cold", "Flu"), np.array([2, 3]), counts, "set")
    result = sl.protect(people, [sl.GroupSize() >= 2], method="mondrian", ask="nobody")
    assert result.to_arrow().to_pylist() == [
        {"people": "x", "disease": "Cold", "people 2": 2, "count": 2},
        {"people": "x", "disease": "Flu", "people 2": 2, "count": 1},
        {"people": "y", "disease": None, "people 2": 3, "count": 0},
    ]


def test_rows_of_anatomy_are_people_and_their_buckets():
    result = sl.protect(table(), sl.DistinctValues() >= 2, method="anatomy", ask="nobody")
    assert result.to_arrow().column_names == ["q", "bucket"]
    assert sorted(result.to_arrow()["q"].to_pylist()) == ["<b>"] * 3 + ["x"] * 3 + ["y"] * 3


def test_rows_can_be_read_again_and_are_judged_the_same():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    result = sl.protect(adult.table, sl.GroupSize() >= 50, method="mondrian", ask="nobody")
    again = sl.read_release(result.to_arrow(), group=["age", "sex"], sensitive="occupation")
    assert sorted(again.groups.sizes.tolist()) == sorted(result.release.groups.sizes.tolist())
    assert result.policy.judge(again).safe


def test_levels_know_that_a_search_chose_them_whatever_is_done_to_the_mapping():
    result = sl.protect(table(), sl.GroupSize() >= 4, by=BY, ask="nobody")
    assert result.levels == {"q": 1}
    assert repr(result.levels) == "{'q': 1}"
    assert json.dumps(result.levels) == '{"q": 1}'
    row = sl.generalisation_table(table(), BY, [sl.GroupSize()]).rows[0]
    found = [
        result.levels,
        *result.minimal,
        *(each.levels for each in result.choices),
        row.levels,
    ]
    for levels in found:
        copies = [
            levels,
            levels.copy(),
            levels | {},
            {} | levels,
            {**levels},
            dict(levels),
            dict(levels.items()),
            MappingProxyType(levels),
            copy.copy(levels),
            copy.deepcopy(levels),
            pickle.loads(pickle.dumps(levels)),
        ]
        assert all(type(each["q"]) is SearchedLevel for each in copies)


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
def test_only_anatomy_has_buckets(method):
    result = sl.protect(table(), sl.GroupSize() >= 3, by=BY, method=method, ask="nobody")
    assert (result.buckets is not None) == (method == "anatomy")


def test_columns_that_may_be_something_else_are_noted(tmp_path):
    rows = [f"{1 + i % 4},{'?' if i == 0 else 20 + i % 40},{i % 2},Flu" for i in range(80)]
    (tmp_path / "people.csv").write_text("\n".join(["region,age,smoker,disease", *rows]))

    def notes(**options):
        quasi = ["region", "age", "smoker"]
        table = sl.read_table(tmp_path / "people.csv", quasi=quasi, sensitive="disease", **options)
        return sl.protect(table, sl.GroupSize() >= 3, method="mondrian", ask="nobody").notes

    codes, marks = notes()
    assert mentions(codes, "region", "codes", "category", "if", "numbers")
    assert mentions(marks, "age", "category", "all but 1", "41 labels", "numbers", "missing")
    assert notes(missing_marks="?") == (codes,)
    assert notes(kinds={"region": "ordered", "age": "category"}) == ()


def test_sets_that_nobody_can_read_are_noted():
    cities = {"city": [f"city {i:03}" for i in range(300)], "disease": ["Flu", "Cold", "Ulcer"] * 100}
    people = sl.read_table(pd.DataFrame(cities), quasi=["city"], sensitive="disease")
    found = sl.protect(people, sl.GroupSize() >= 101, method="mondrian", ask="nobody")
    (note,) = found.notes
    assert mentions(note, "city", "no hierarchy", 150, 300, "labels")
    assert sl.protect(people, sl.GroupSize() >= 50, method="mondrian", ask="nobody").notes == ()
