"""How many different people are in each cell, and is everybody in one place?"""

from __future__ import annotations

from functools import reduce

import narwhals.stable.v2 as nw
import numpy as np

from sidelight.errors import BadTable
from sidelight.table.columns import Integers
from sidelight.table.packing import Packing, in_order_of
from sidelight.table.roles import Roles
from sidelight.table.rows import Frame, Rows, collected


def people_per_cell(rows: Rows, roles: Roles, packing: Packing) -> Integers:
    """Count the different people of each cell, in the cells' order, after checking that the ids make sense.

    Groups must be disjoint: a person whose rows differ in a quasi-identifier would sit in two of them.
    """
    counting = reduce(lambda frame, way: frame.filter(~way), rows.left_out(), rows.frame)
    places = counting.group_by("person", *rows.cell).agg(nw.len().alias("times"))
    _check_ids(places, roles)
    answer = collected(places.group_by(*rows.cell).agg(nw.len().alias("people")))
    people = answer.column("people").to_numpy().astype(np.int64, copy=False)
    _, sizes = in_order_of(rows.words(answer, packing, rows.cell), people)
    return sizes


def _check_ids(places: Frame, roles: Roles) -> None:
    nameless = _sum(places.filter(nw.col("person").is_null()).select(nw.col("times").sum().cast(nw.Int64)))
    if nameless:
        message = f"{nameless:,} rows have no '{roles.person}'; give every row its person, or leave person= out"
        raise BadTable(message)
    per_person = places.group_by("person").agg(nw.len().alias("places"), nw.col("times").sum().alias("rows"))
    if roles.values == "single":
        twice = _sum(per_person.select((nw.col("rows") > 1).cast(nw.Int64).sum()))
        remedy = 'have more than one row; give one row each, or say values="set" or "multiset"'
    else:
        twice = _sum(per_person.select((nw.col("places") > 1).cast(nw.Int64).sum()))
        remedy = f"have rows that differ in a {roles.asked_as} column; give each person one place"
    if twice:
        message = f"{twice:,} people in '{roles.person}' {remedy}"
        raise BadTable(message)


def _sum(frame: Frame) -> int:
    return int(collected(frame).column(0).to_pylist()[0] or 0)
