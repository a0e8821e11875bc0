"""Whom the attacker looks for: by name, by what is known, by row; from tables, dataframes and files.

What a search's result adds to looking people up.
"""

from fractions import Fraction

import openpyxl
import polars as pl
import pytest
from support.command_line import invoke

import sidelight as sl
from sidelight.attack.intersection import lookups_for
from sidelight.errors import BadRelease, BadTable, UnknownColumn

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def test_somebody_is_asked_for_by_name_by_what_is_known_or_by_row():
    exposure = exposed(person="name")
    assert exposure.witness("Ann") == exposure.witness({"zip": 1})
    assert exposed().witness(0) == exposure.witness("Ann")
    with pytest.raises(BadTable, match=r"nobody.*column 'name'"):
        exposure.witness("Zoe")
    with pytest.raises(BadTable, match="give person="):
        exposed().witness("Ann")
    with pytest.raises(BadTable, match=r"0 rows.* zip$"):
        exposure.witness({"zip": "7"})
    with pytest.raises(UnknownColumn, match="did you mean 'zip'"):
        exposure.witness({"zipp": "7"})
    with pytest.raises(BadTable, match="no row 17"):
        exposed().witness(17)


def test_errors_show_nobody_s_data():
    twice = pl.concat([PEOPLE, PEOPLE])
    with pytest.raises(BadTable, match=r"4 people .*more than one") as error:
        sl.intersect([ONE, TWO], people=twice, person="name")
    assert "Ann" not in str(error.value)


def test_people_who_look_alike_are_one_row():
    many = pl.DataFrame({"zip": ["1"] * 1_000 + ["2"] * 500})
    exposure = sl.intersect([ONE], people=many)
    assert exposure.people.sizes.tolist() == [1_000, 500]
    assert exposure.mean("after") == Fraction(2)


def test_marks_of_missing_cells():
    gap = sl.Release.from_counts([{"a": 1}], labels=[{"zip": None}])
    people = pl.DataFrame({"zip": ["?"]})
    assert sl.intersect([gap], people=people).unlocated == (1,)
    assert sl.intersect([gap], people=people, missing_marks="?").unlocated == (0,)


def test_from_files(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    exposure = sl.intersect([ONE, TWO], people=path, person="name", truth="real")
    assert exposure.values_left.tolist() == exposed().values_left.tolist()
    assert exposure.witness("Ann").candidates == ("a",)


@pytest.mark.parametrize("ours", [True, False])
def test_the_file_of_people_is_written_as_somebody_says(tmp_path, ours):
    rows = "city,disease\nKöln,Flu\nKöln,Cold\nBonn,Flu\nBonn,Cold\n"
    (tmp_path / "people.csv").write_bytes(
        rows.replace("\n", ",1\n").replace("disease,1", "disease,id").encode("cp1252")
    )
    release = tmp_path / "release.csv"
    if ours:
        release.write_text(rows, encoding="utf-8")
        table = sl.read_table(release, quasi="city", sensitive="disease")
        sl.protect(table, sl.GroupSize() >= 1, method="mondrian", ask="nobody").publish(tmp_path / "published.csv")
        release = tmp_path / "published.csv"
    else:
        release.write_text(rows, encoding="utf-8")
    words = ["attack", release, "--people", tmp_path / "people.csv", *([] if ours else ["-g", "city", "-s", "disease"])]
    refusal = invoke(map(str, words))
    assert (refusal.exit_code, '--encoding "windows-1252"' in refusal.stderr) == (2, True)
    answered = invoke(map(str, [*words, "--encoding", "windows-1252", "--at-most", "0"]))
    assert answered.exit_code == 0, answered.stdout


def test_people_are_on_a_sheet(tmp_path):
    release = sl.Release.from_counts([{"Flu": 1}], labels=[{"city": "Bonn"}])
    book = openpyxl.Workbook()
    for name, city in (("notes", "x"), ("people", "Bonn")):
        sheet = book.create_sheet(name)
        sheet.append(["city", "name"])
        sheet.append([city, "Ann"])
    book.save(tmp_path / "people.xlsx")
    exposure = sl.intersect([release], people=tmp_path / "people.xlsx", sheet="people", person="name")
    assert exposure.unlocated == (0,)
    assert "(city Bonn)" in exposure.witness("Ann").explain()


ADULT = sl.datasets.adult(quasi=["age", "sex"])


def test_each_release_may_have_a_way_of_its_own():
    release = sl.group(ADULT.table)
    lookups = lookups_for([release, release], by=None, locate=[None, "labels"], suppressed="may hold them")
    assert [each.locate for each in lookups] == [None, "labels"]
    with pytest.raises(BadRelease, match=r"\b1 .* 2 releases"):
        lookups_for([release, release], by=None, locate=["labels"], suppressed=None)


@pytest.mark.parametrize(("method", "right"), [("lattice", 1), ("mondrian", 1), ("microaggregation", Fraction(7, 10))])
def test_a_search_knows_who_is_looked_for_in_the_right_group(method, right):
    by = {} if method == "microaggregation" else {"by": ADULT.hierarchies}
    found = sl.protect(ADULT.table, sl.GroupSize() >= 50, method=method, **by, ask="nobody")
    exposure = sl.intersect([found, found.release], people=ADULT.table)
    assert exposure.located_right[0] >= right
    assert exposure.located_right[1] is None
