"""How many different people are in each cell, and is everybody in one place?"""

from __future__ import annotations

from functools import reduce

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from sidelight.errors import BadTable
from sidelight.table.answers import Frame, as_integers, cells, collected
from sidelight.table.columns import Integers
from sidelight.table.labels import shown
from sidelight.table.packed_keys import Packing, changes, in_order_of
from sidelight.table.roles import Roles
from sidelight.table.source import Rows


def people_per_cell(rows: Rows, packing: Packing) -> Integers:
    """Count the different people of each cell, in the cells' order."""
    answer = collected(_places(rows).group_by(*rows.cell).agg(nw.len().alias("people")))
    _, sizes = in_order_of(rows.words(answer, packing, rows.cell), as_integers(answer.column("people")))
    return sizes


def places_of_people(rows: Rows, packing: Packing, roles: Roles) -> dict[str, int]:
    """Say in which cell each person is, by name."""
    answer = collected(_places(rows).select("person", *rows.cell))
    words = rows.words(answer, packing, rows.cell)
    order = np.lexsort(words[::-1])
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(changes([word[order] for word in words])) - 1
    column = answer.column("person")
    names = [shown(roles.says(cell)) for chunk in column.chunks for cell in cells(_plain(chunk))]
    found = dict(zip(names, place.tolist(), strict=True))
    if len(found) < len(names):
        message = f"{len(names) - len(found):,} people share a name in '{roles.person}'; give each one of their own"
        raise BadTable(message)
    return found


def _plain(chunk: pa.Array) -> pa.Array:
    return chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk


def check_people(rows: Rows, roles: Roles) -> None:
    """Check that every row has a person, and every person one place (in "single" even one row).

    Groups must be disjoint: a person whose rows differ in a quasi-identifier would sit in two of them.
    The message says how many people it is about, never who.
    """
    per_person = _places(rows).group_by("person").agg(nw.len().alias("places"), nw.col("times").sum().alias("rows"))
    nobody = nw.col("person").is_null()
    too_many = nw.col("rows" if roles.values == "single" else "places") > 1
    asked = per_person.select(
        nw.when(nobody).then(nw.col("rows")).sum().cast(nw.Int64).alias("nameless"),
        nw.when(~nobody & too_many).then(nw.lit(1)).sum().cast(nw.Int64).alias("scattered"),
    )
    nameless, scattered = (column.to_pylist()[0] or 0 for column in collected(asked).columns)
    if nameless:
        message = f"{nameless:,} rows have no '{roles.person}'; give every row its person, or leave person= out"
        raise BadTable(message)
    if scattered:
        people = "1 person has" if scattered == 1 else f"{scattered:,} people have"
        if roles.values == "single":
            wrong = 'more than one row; give one row each, or say values="set" or "multiset"'
        else:
            wrong = f"rows that differ in a {roles.asked_as} column; give each person one place"
        message = f"{people} {wrong} (column '{roles.person}')"
        raise BadTable(message)


def _places(rows: Rows) -> Frame:
    """Find where each person's rows are, of those that count."""
    counting = reduce(lambda frame, way: frame.filter(~way), rows.left_out(), rows.frame)
    return counting.group_by("person", *rows.cell).agg(nw.len().alias("times"))
