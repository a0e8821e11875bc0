"""Four patients, and how tests read them and look at what is refused."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable

PATIENTS = pa.table(
    {
        "zip": ["00734", "00734", "1", None],
        "sex": ["f", "f", "m", "m"],
        "disease": ["Flu", "Cold", "Flu", "Flu"],
        "id": ["p1", "p2", "p3", "p4"],
    }
)


def cells(table):
    return [tuple(column.cell(row) for column in table.quasi) for row in range(len(table.sizes))]


def read(source=PATIENTS, **given):
    return sl.read_table(source, **({"quasi": ["zip", "sex"], "sensitive": "disease"} | given))


def refused(kind=BadTable, **given):
    with pytest.raises(kind) as caught:
        read(**given)
    message = str(caught.value)
    assert "\n" not in message
    assert not any(who in message for who in ("p1", "p2", "p3", "p4"))
    return message


def written(folder, text, name="patients.csv"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file
