import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

from sidelight.errors import BadHierarchy, WrongKind
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchies, read_hierarchy, write_hierarchy

# The quirks of files met in the wild: a value outside the range that its label names, labels with brackets, commas,
# blanks and quotes, Windows line ends, no end of the last line, a byte order mark, an empty value, a top without `*`.
FILES = {
    "below": b"24;20-24;*\n25;20-24;*\n26;25-29;*\n",
    "brackets": b"29;[20,30[;*\r\n32;[30,40[;*\r\n",
    "no last line end": b"Male;*\nFemale;*",
    "neither": b"29;[20,30[;*\r\n32;[30,40[;*",
    "quotes": b'"a";" b ,";*\nx; b ,;*\n',
    "mark": b"\xef\xbb\xbfMale;*\nFemale;*\n",
    "empty value": b";unknown;*\nFrance;Europe;*\n",
    "other top": "grippe;infection;maladie\nasthme;é;maladie\n".encode(),
    "values only": b"a\nb\n",
    "one empty value": b"\n",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_writing_gives_back_what_was_read_byte_for_byte(tmp_path, content):
    file = tmp_path / "people_hierarchy_age.csv"
    file.write_bytes(content)
    write_hierarchy(read_hierarchy(file), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == content


def test_labels_are_taken_as_they_stand(tmp_path):
    file = tmp_path / "age.csv"
    file.write_bytes(FILES["below"])
    assert read_hierarchy(file).generalise("25", 1) == "20-24"
    file.write_bytes(FILES["quotes"])
    assert read_hierarchy(file).levels == (('"a"', "x"), ('" b ,"', " b ,"), ("*", "*"))


def test_a_byte_order_mark_is_no_part_of_the_first_value(tmp_path):
    file = tmp_path / "sex.csv"
    file.write_bytes(FILES["mark"])
    assert read_hierarchy(file).levels[0] == ("Male", "Female")


text = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters=";\r\n"), max_size=5)


@given(st.sets(text, min_size=1))
def test_what_is_written_is_read_again(tmp_path_factory, values):
    hierarchy = Hierarchy.suppression("code", values)
    file = tmp_path_factory.mktemp("any") / "code.csv"
    write_hierarchy(hierarchy, file)
    if not file.read_bytes().startswith(b"\xef\xbb\xbf"):
        assert read_hierarchy(file) == hierarchy


@pytest.mark.parametrize(
    ("name", "column"), [("age.csv", "age"), ("adult_hierarchy_native-country.csv", "native-country")]
)
def test_the_file_names_the_column(tmp_path, name, column):
    (tmp_path / name).write_text("a;*\n")
    assert read_hierarchy(tmp_path / name).column == column
    assert read_hierarchy(tmp_path / name, column="other").column == "other"


def test_beside_a_data_file(tmp_path):
    for name in ("people_hierarchy_age.csv", "people_hierarchy_sex.csv", "people.2_hierarchy_zip.csv", "people.csv"):
        (tmp_path / name).write_text("a;*\n")
    assert list(read_hierarchies(tmp_path / "people.csv")) == ["age", "sex"]
    assert list(read_hierarchies(str(tmp_path / "people.csv.gz"))) == ["age", "sex"]
    assert list(read_hierarchies(tmp_path / "people.2.parquet")) == ["zip"]


def test_a_folder_of_hierarchies(tmp_path):
    for name in ("age.csv", "sex.csv", "notes.txt"):
        (tmp_path / name).write_text("a;*\n")
    assert list(read_hierarchies(tmp_path)) == ["age", "sex"]


def test_a_folder_with_the_data_in_it(tmp_path):
    for name in ("people_hierarchy_age.csv", "people.csv"):
        (tmp_path / name).write_text("a;*\n")
    assert list(read_hierarchies(tmp_path)) == ["age"]


def test_a_folder_with_two_for_one_column(tmp_path):
    for name in ("a_hierarchy_age.csv", "b_hierarchy_age.csv"):
        (tmp_path / name).write_text("a;*\n")
    with pytest.raises(BadHierarchy, match=r"two hierarchies for 'age'.*data file"):
        read_hierarchies(tmp_path)


def test_no_hierarchies(tmp_path):
    with pytest.raises(BadHierarchy, match=r"'<column>\.csv'.*'<data>_hierarchy_<column>\.csv'"):
        read_hierarchies(tmp_path)
    with pytest.raises(BadHierarchy, match=r"no such folder '.*nowhere'"):
        read_hierarchies(tmp_path / "nowhere")
    (tmp_path / "people.csv").write_text("age\n1\n")
    with pytest.raises(BadHierarchy, match=r"people\.csv'.*not a folder.*'people_hierarchy_<column>\.csv' beside"):
        read_hierarchies(tmp_path / "people.csv")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", ("'age'", "empty")),
        (b"a;x;*\nb;*\n", ("age.csv", "line 2", "2 columns", "line 1", 3)),
        (b"a;*\n\n", ("age.csv", "line 2", "1 columns", "line 1", 2)),
        (b"a;*\n\xff;*\n", ("age.csv", "not UTF-8", "byte 4")),
        (b"a;x;*\na;y;*\n", ("'age'", "rows 1 and 2", "same value")),
    ],
)
def test_files_that_are_none(tmp_path, content, named):
    (tmp_path / "age.csv").write_bytes(content)
    with pytest.raises(BadHierarchy) as wrong:
        read_hierarchy(tmp_path / "age.csv")
    assert mentions(wrong.value, *named)
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize("content", ["34,30-39,*\n36,30-39,*\n", "34\t30-39\t*\n", "a\nb, c\n"])
def test_a_file_separated_otherwise_is_not_taken_for_one_column(tmp_path, content):
    (tmp_path / "age.csv").write_text(content)
    with pytest.raises(BadHierarchy, match=r"age\.csv has no ;.*commas or tabs"):
        read_hierarchy(tmp_path / "age.csv")


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    with pytest.raises(BadHierarchy, match=r"one level.*commas or tabs.*add a level"):
        write_hierarchy(Hierarchy("name", (("a, b",),)), tmp_path / "name.csv")
    write_hierarchy(Hierarchy("name", (("a, b",), ("*",))), tmp_path / "name.csv")
    assert read_hierarchy(tmp_path / "name.csv").height == 2


def test_a_table_taken_for_a_hierarchy_is_not_shown(tmp_path):
    (tmp_path / "people.csv").write_text("Lee;34;Flu\nKim;35;Cold\nRoy;34;Gout\n")
    with pytest.raises(BadHierarchy) as wrong:
        read_hierarchies(tmp_path)
    assert mentions(wrong.value, "rows 1 and 3", "one", "level 1", "two", "level 2")
    assert not any(cell in str(wrong.value) for cell in ("Lee", "Roy", "34", "Flu", "Gout"))


def test_a_folder_without_a_name():
    with pytest.raises(BadHierarchy, match=r"folder with hierarchies.*empty"):
        read_hierarchies("")


def test_no_such_file(tmp_path):
    with pytest.raises(BadHierarchy, match=r"cannot read.*age\.csv.*No such file"):
        read_hierarchy(tmp_path / "age.csv")


@pytest.mark.parametrize("label", ["a;b", "a\nb", "a\rb"])
def test_labels_that_the_format_cannot_hold(tmp_path, label):
    with pytest.raises(BadHierarchy, match=r" ; or a line break.*rename") as wrong:
        write_hierarchy(Hierarchy.suppression("age", [label]), tmp_path / "age.csv")
    assert "\n" not in str(wrong.value)
    assert list(tmp_path.iterdir()) == []


def test_writing_replaces_the_file_at_once(tmp_path):
    file = tmp_path / "age.csv"
    file.write_text("old")
    write_hierarchy(Hierarchy.suppression("age", ["1"]), file)
    assert file.read_text() == "1;*\n"
    assert list(tmp_path.iterdir()) == [file]


def test_writing_where_one_cannot(tmp_path):
    with pytest.raises(BadHierarchy, match=r"cannot write.*age\.csv.*No such file"):
        write_hierarchy(Hierarchy.suppression("age", ["1"]), tmp_path / "nowhere" / "age.csv")


def test_hierarchies_are_read_from_paths_and_written_as_they_are(tmp_path):
    for read in (read_hierarchy, read_hierarchies):
        with pytest.raises(WrongKind, match="a path, not a dict"):
            read({"age": ["20", "*"]})
    with pytest.raises(WrongKind, match=r"a Hierarchy, not a dict.*read_hierarchy"):
        write_hierarchy({"age": ["20", "*"]}, tmp_path / "age.csv")
