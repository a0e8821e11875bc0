"""One registry of kinds of files: an ending is of one kind, and a new kind is an entry."""

import json
from collections import Counter
from typing import get_args

import pytest

import sidelight as sl
from sidelight.engines import files
from sidelight.engines.files import FORMATS, ending, find_format, suffix_of
from sidelight.engines.formats.in_memory import held_format
from sidelight.engines.formats.write import WRITERS, FormatName
from sidelight.errors import BadTable


def test_an_ending_is_of_one_kind():
    endings = Counter(each for form in FORMATS for each in form.endings)
    assert set(endings.values()) == {1}
    beginnings = Counter(first for form in FORMATS for first in form.first_bytes)
    assert set(beginnings.values()) == {1}


def test_all_ways_of_writing_have_a_name_and_are_read_again():
    assert set(WRITERS) == set(get_args(FormatName))
    for writer in WRITERS.values():
        assert all(find_format(f"release{each}") is not None for each in writer.endings)


def test_only_some_kinds_are_read_when_they_are_packed(tmp_path):
    assert ending(tmp_path / "people.CSV.gz") == ".csv"
    assert suffix_of("people.parquet.zst") == ".parquet"
    assert find_format("people.parquet.zst") is None
    with pytest.raises(BadTable, match="cannot tell what people"):
        ending(tmp_path / "people.docx")


def read_json_lines(file, roles):
    """Read a kind of file that somebody adds."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return [(name, [row[name] for row in rows]) for name in rows[0]], ()


def test_a_new_kind_is_a_function_and_an_entry(tmp_path, monkeypatch):
    json_lines = held_format(read_json_lines, "lines of JSON", (".jsonl",), ".jsonl")
    monkeypatch.setattr(files, "FORMATS", (*FORMATS, json_lines))
    file = tmp_path / "people.jsonl"
    file.write_text('{"age": 34, "disease": "Flu"}\n{"age": 51, "disease": "Cold"}\n')
    table = sl.read_table(file, quasi="age", sensitive="disease")
    assert (table.people, table.domain) == (2, ("Cold", "Flu"))
    assert table.quasi[0].labels == ("34", "51")
