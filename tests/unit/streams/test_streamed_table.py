"""A table that is streamed is the table in memory, and says what it does not hold."""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.engines import read as engine_read
from sidelight.errors import BadTable, UnknownColumn, WrongKind
from sidelight.table.table import held

ROWS = pa.table(
    {
        "age": ["23", "27", "23", "35", "35"],
        "sex": pa.array(["f", "f", "f", "m", None]),
        "disease": ["Flu", "Cold", "Flu", "Flu", None],
    }
)
ROLES = {"quasi": ["age", "sex"], "sensitive": "disease", "missing": "drop"}


def test_it_knows_what_the_table_in_memory_knows():
    table, streamed = sl.read_table(ROWS, **ROLES), sl.stream_table(ROWS, **ROLES)
    assert (streamed.people, streamed.domain, streamed.sensitive_columns) == (4, ("Cold", "Flu"), ("disease",))
    # the last row had no value, and so nobody has its label
    assert [column.labels for column in streamed.quasi] == [column.labels for column in table.quasi]
    assert [column.kind for column in streamed.quasi] == [column.kind for column in table.quasi]
    assert [people.tolist() for people in streamed.label_people] == [[2, 1, 1], [3, 1]]
    assert streamed.intake == table.intake
    assert repr(streamed) == "<StreamedTable of 4 people: age, sex → disease (2 values)>"


@pytest.mark.parametrize("repeat", [-1.0, 1.0])
def test_its_rows_add_up_to_the_table(monkeypatch, repeat):
    monkeypatch.setattr(engine_read, "REPEAT_BELOW", repeat)
    table, streamed = sl.read_table(ROWS, **ROLES), sl.stream_table(ROWS, **ROLES)
    blocks = list(streamed.rows())
    words = [np.concatenate([block.words[0] for block in blocks])]
    part = streamed.part(words, np.concatenate([block.count for block in blocks]), None)
    assert part.sizes.tolist() == table.sizes.tolist()
    assert part.counts.dense().tolist() == table.counts.dense().tolist()
    for mine, theirs in zip(part.quasi, table.quasi, strict=True):
        assert (mine.labels, mine.codes.tolist()) == (theirs.labels, theirs.codes.tolist())


def test_whoever_needs_all_keys_is_told_how_to_read_them():
    streamed = sl.stream_table(ROWS, **ROLES)
    with pytest.raises(BadTable, match=r"not hold its keys.*without memory="):
        held(streamed)
    for ask in (lambda: streamed.sizes, lambda: streamed.counts):
        with pytest.raises(BadTable, match="read it without memory="):
            ask()
    with pytest.raises(BadTable, match="read it without memory="):
        sl.compare(streamed, sl.GroupSize() >= 2)
    with pytest.raises(UnknownColumn, match=r"no quasi-identifier 'agee'.*age"):
        streamed.column("agee")


def test_what_does_not_go_with_streaming_is_refused():
    for option in ({"keep": "sex"}, {"weight": "sex"}):
        roles = {**ROLES, "quasi": ["age"], **option}
        with pytest.raises(BadTable, match=f"{next(iter(option))}=.* does not go with memory="):
            sl.stream_table(ROWS, **roles)
    with pytest.raises(WrongKind, match="that is a StreamedTable already"):
        sl.stream_table(sl.stream_table(ROWS, **ROLES), **ROLES)
    with pytest.raises(UnknownColumn, match=r"'agee'.*kinds="):
        sl.stream_table(ROWS, **ROLES, kinds={"agee": "number"})
