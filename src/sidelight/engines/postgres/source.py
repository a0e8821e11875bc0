"""Rows that PostgreSQL counts: a table or view of a database, by its address.

Every question is nested GROUP BYs that the server runs; what comes back are counts, by Arrow (ADBC), batch by batch.
Nobody's row leaves the database, but where it is asked for: `keep_people=True` takes the names, and which values each
person has together is told by numbers in place of names.

The transaction that counts locks the table (ACCESS SHARE) before its snapshot is taken: what another session truncated
or rewrote while it was waited for would be empty in an older snapshot.  Row-level security is off there: PostgreSQL
then raises where a policy would hide rows.

    cell     what a column is grouped by: as it is stored, texts by their bytes whatever their collation, NaN as NULL
    label    what such a cell says, as text (`labels`), written by the server for each group and not for each row

No text of a user becomes SQL: names are those of the catalogue, quoted; marks of missing cells are quoted literals.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce

import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.engines.names_or_row import unused_columns
from sidelight.engines.postgres.session import (
    FILTERED,
    NO_RIGHT,
    NO_TEXT,
    DatabaseAddress,
    QueryFailed,
    Session,
    open_session,
)
from sidelight.engines.source import CellRows, Frame, Source, collect_batches, packing_of, sql_name, sql_text
from sidelight.errors import BadTable, did_you_mean, parameter
from sidelight.streams.memory import Memory
from sidelight.streams.packed_keys import Packing
from sidelight.table.labels import SUPPRESSED, label
from sidelight.table.roles import Roles

RELATIONS = """
    SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind IN ('r', 'p', 'v'), pg_table_is_visible(c.oid)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') ORDER BY 2, 3
"""

COLUMNS = """
    WITH RECURSIVE base AS (
        SELECT a.attnum, a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS written, a.atttypid AS oid
        FROM pg_attribute a WHERE a.attrelid = {table} AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT b.attnum, b.name, b.written, t.typbasetype
        FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype = 'd'
    )
    SELECT b.name, b.written, t.typname::text, t.typtype::text, t.typcategory::text,
        (SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_enum e WHERE e.enumtypid = t.oid)
    FROM base b JOIN pg_type t ON t.oid = b.oid WHERE t.typtype <> 'd' ORDER BY b.attnum
"""

_DIGITS = "regexp_replace(to_char({cell}, '{form}'), '\\.000000$', '')"
_MOMENT = _DIGITS.replace("{form}", "YYYY-MM-DD HH24:MI:SS.US")
_BEFORE_CHRIST = "CASE WHEN {cell} < '0001-01-01' THEN ' BC' ELSE '' END"
_DAY_OR_MOMENT = (
    f"CASE WHEN NOT isfinite({{cell}}) THEN {{cell}}::text WHEN {{cell}} = date_trunc('day', {{cell}}) "
    f"THEN {{cell}}::date::text ELSE {_MOMENT} || '{{zone}}' || {_BEFORE_CHRIST} END"
)

# What a column of a type is grouped by; texts are as `TEXT` says, other types have no labels: an interval of a month is
# one of 30 days where it is grouped
STORED = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "{column}::bigint"),
    **dict.fromkeys(("float4", "float8"), "NULLIF({column}::float8, 'NaN')"),
    "numeric": "NULLIF({column}, 'NaN')",
    "money": "{column}::numeric",
    "timestamptz": "({column} AT TIME ZONE 'UTC')",
    "bytea": "convert_from({column}, 'UTF8') COLLATE \"C\"",
    **dict.fromkeys(("bool", "date", "timestamp", "time"), "{column}"),
    **dict.fromkeys(("uuid", "inet", "cidr", "macaddr", "macaddr8", "bit", "varbit", "timetz"), "{column}"),
}

TEXT = '{column}::text COLLATE "C"'

# What a cell says; where nothing stands here, what PostgreSQL writes
LABELLED = {
    **dict.fromkeys(("numeric", "money"), "replace(trim_scale({cell})::text, 'Infinity', 'inf')"),
    "timestamp": _DAY_OR_MOMENT.replace("{zone}", ""),
    "timestamptz": _DAY_OR_MOMENT.replace("{zone}", "+00:00"),
    "time": f"CASE WHEN {{cell}} = '24:00' THEN '24:00:00' ELSE {_DIGITS} END".replace(
        "to_char({cell}, '{form}')", "to_char(date '2000-01-01' + {cell}, 'HH24:MI:SS.US')"
    ),
    **dict.fromkeys(("int2", "int4", "int8", "oid", "float4", "float8"), "{cell}"),  # as Arrow has them
}

NUMBERS = {"int2", "int4", "int8", "oid"}
FRACTIONS = {"float4", "float8"}


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column as the catalogue has it: its name, its type as written, and the type that it is at bottom."""

    name: str
    written: str
    type: str
    is_text: bool
    ordered: tuple[str, ...] | None  # the labels of an enum

    @property
    def cell(self) -> str:
        """Return the SQL that the column is grouped by; raise `BadTable` if its type has no labels."""
        stored = TEXT if self.is_text or self.ordered is not None else STORED.get(self.type)
        if stored is None:
            message = (
                f"column '{self.name}' holds {self.written} cells, which cannot be grouped; make a view that turns it "
                f"into text, such as {_as_text(self)}, and read that"
            )
            raise BadTable(message)
        return stored.format(column=sql_name(self.name))

    def label(self, cell: str) -> str:
        """Return the SQL of the label that a cell has."""
        if self.is_text or self.ordered is not None:
            return cell
        return LABELLED.get(self.type, "{cell}::text").format(cell=cell)

    def says(self, cell: str, texts: Collection[str]) -> str | None:
        """Write the condition that a cell says one of some texts; None where none can."""
        shown, literals = self.label(cell), [*map(sql_text, texts)]
        if self.type in FRACTIONS:
            literals = [f"{sql_text(text)}::float8" for text in texts if _is_fraction(text)]
        elif self.type in NUMBERS:
            shown = f"{cell}::text"
        return f"{shown} IN ({', '.join(literals)})" if literals else None


def _as_text(column: StoredColumn) -> str:
    name = _bare(column.name)
    return f"array_to_string({name}, '|')" if column.written.endswith("[]") else f"{name}::text"


def _bare(name: str) -> str:
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else sql_name(name)


def _is_fraction(text: str) -> bool:
    with suppress(ValueError):
        return label(float(text)) == text
    return False


@dataclass(frozen=True, slots=True)
class DatabaseRows(CellRows):
    """A table of a database, and how each of our columns is grouped there."""

    session: Session
    table: str  # quoted
    columns: dict[str, StoredColumn]
    roles: Roles
    source: Source
    known: Packing | None = None

    @property
    def frame(self) -> Frame:
        """Rows are not handed out."""
        message = (
            f"the rows of {self.source.name} stay in the database, so nobody looks through its columns; name them "
            f"with {parameter('quasi')} and {parameter('sensitive')}"
        )
        raise BadTable(message)

    def exclusions(self) -> list[nw.Expr]:
        """They are conditions of SQL."""
        return []

    def counted(
        self, *levels: tuple[str, ...], counting: bool = False, nameless: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Have the server group rows, then groups."""
        shown = [f"{self._label_of(name, nameless=nameless)} AS {name}" for name in levels[-1]]
        # labels are made outside the GROUP BY, once per group and not once per row
        sums = [sql_name(name) for name in (("parts", "rows") if len(levels) > 1 else ("rows",))]
        query = f"SELECT {', '.join((*shown, *sums))} FROM ({self._group_query(levels, counting=counting)}) AS g"  # noqa: S608
        return self._answer(query)

    def count_misplaced(self, *, single: bool) -> tuple[int, int]:
        """Count rows without a person, and people with several rows or keys."""
        grouped = self._group_query((("person", *self.key), ("person",)), counting=True)
        too_many = sql_name("rows" if single else "parts")
        query = (
            'SELECT coalesce(sum("rows") FILTER (WHERE person IS NULL), 0)::bigint AS nameless, '  # noqa: S608
            f"count(*) FILTER (WHERE person IS NOT NULL AND {too_many} > 1) AS scattered FROM ({grouped}) AS g"
        )
        answer = collect_batches(self._answer(query), ("nameless", "scattered"))
        nameless, scattered = (int(column[0].as_py()) for column in answer.columns)
        return nameless, scattered

    def begin(self, *, lockable: bool) -> None:
        """Begin the transaction that counts, or raise why this user cannot read all rows.

        Rights are asked for first, so that what row-level security refuses afterwards is not taken for one of them.
        """
        no_rows = f"SELECT * FROM ({self._rows()}) AS r LIMIT 0"  # noqa: S608
        session, name = self.session, self.source.name
        # first check that the user may read at all, with row-level security applied as the server does
        session.begin("SET LOCAL row_security = on")
        list(session.batches(no_rows, name, waiting_for=f"access to {name}"))
        # with row_security off PostgreSQL raises an error instead of silently hiding rows that a policy filters
        settings = ("SET LOCAL row_security = off",)
        try:
            lock = (f"LOCK TABLE {self.table} IN ACCESS SHARE MODE",) if lockable else ()
            session.begin(*settings, *lock, table=name, waiting_for=f"access to {name}")
        except QueryFailed as problem:
            if problem.cause != NO_RIGHT:
                raise
            session.begin(*settings)  # who may read some columns only may not lock
        try:
            list(session.batches(no_rows, name, waiting_for=f"access to {name}"))
        except QueryFailed as problem:
            if problem.cause == NO_RIGHT:
                raise session.failure(FILTERED, name) from None
            raise

    def _answer(self, query: str) -> Iterator[pa.RecordBatch]:
        try:
            yield from self.session.batches(query, self.source.name)
        except QueryFailed as problem:
            if problem.cause in NO_TEXT:
                raise self._undecodable() or problem from None
            raise

    def _undecodable(self) -> BadTable | None:
        """Find the column that is no text, by sending each: the server names none."""
        for column in self.columns.values():
            self.session.begin()
            query = f"SELECT DISTINCT {column.label(column.cell)} FROM {self.table}"  # noqa: S608
            try:
                for _ in self.session.batches(query, self.source.name):
                    pass
            except QueryFailed as problem:
                if problem.cause not in NO_TEXT:
                    return problem
                return BadTable(
                    f"column '{column.name}' of {self.source.name} holds bytes that are not UTF-8 text; make a view "
                    f"that turns it into text, such as encode({_bare(column.name)}::bytea, 'hex'), and read that"
                )
        return None

    def looked_up(self, memory: Memory) -> DatabaseRows:
        """Find the labels of every column, to pack rows as they come."""
        distinct: list[pa.Array] = []
        for name in self.key_and_value:
            query = (
                f"SELECT {self._label_of(name)} AS {name} FROM (SELECT DISTINCT {name} FROM ({self._rows()}) AS r) AS g"  # noqa: S608
            )
            batches, before = [], sum(map(len, distinct))
            for batch in self._answer(query):
                batches.append(batch)
                many = before + sum(map(len, batches))
                if not memory.holds_labels(many):
                    raise memory.too_many_labels(self.columns[name].name, many)
            distinct.append(pa.Table.from_batches(batches).column(0).combine_chunks())
        return replace(self, known=packing_of(distinct, self.roles))

    def packing(self, answer: pa.Table) -> Packing:
        """Take the labels that are known, or those of the answer."""
        return self.known or CellRows.packing(self, answer)

    def _label_of(self, name: str, *, nameless: bool = False) -> str:
        if name == "person" and nameless:
            return "CASE WHEN person IS NULL THEN NULL ELSE dense_rank() OVER (ORDER BY person) END"
        return self.columns[name].label(name)

    def _group_query(self, levels: Sequence[tuple[str, ...]], *, counting: bool) -> str:
        rows = f"SELECT * FROM ({self._rows()}) AS r WHERE {self._counts()}" if counting else self._rows()  # noqa: S608
        first = ", ".join(levels[0])
        grouped = f'SELECT {first}, count(*) AS "rows" FROM ({rows}) AS r GROUP BY {first}'  # noqa: S608
        return reduce(_group_again, levels[1:], grouped)

    def _rows(self) -> str:
        cells = (f"{self._cell(ours, column)} AS {ours}" for ours, column in self.columns.items())
        return f"SELECT {', '.join(cells)} FROM {self.table}"  # noqa: S608

    def _cell(self, ours: str, column: StoredColumn) -> str:
        """Write a cell, missing where a mark says so; the person 7.0 is written as 7 (`people_written_alike`)."""
        missing = column.says(column.cell, self.roles.missing_marks)
        cell = column.cell if missing is None else f"CASE WHEN {missing} THEN NULL ELSE {column.cell} END"
        if ours == "person" and (column.is_text or column.ordered is not None):
            # '7', ' 7 ' and '7.0' are one person, as in every other engine
            trimmed = f"btrim({cell}, {sql_text(self.session.blanks)})"
            return f"regexp_replace({trimmed}, '^(-?[0-9]+)\\.0*$', '\\1') COLLATE \"C\""
        return cell

    def _counts(self) -> str:
        """Write the condition on which a row counts."""
        excluded = ["FALSE"]
        if self.roles.suppressed == "leave out":
            stars = [self.columns[name].says(name, (SUPPRESSED,)) or "FALSE" for name in self.key]
            excluded.append(f"({' AND '.join(stars)})")
        if self.roles.missing == "drop":
            excluded += [f"{name} IS NULL" for name in self.roles.values_used]
        # a comparison with NULL is NULL, not false: such rows are kept, as no exclusion was shown to hold
        return f"({' OR '.join(excluded)}) IS NOT TRUE"


def _group_again(grouped: str, by: tuple[str, ...]) -> str:
    names = ", ".join(by)
    sums = 'count(*) AS "parts", sum("rows")::bigint AS "rows"'
    return f"SELECT {names}, {sums} FROM ({grouped}) AS g GROUP BY {names}"  # noqa: S608


@contextmanager
def database_rows(address: DatabaseAddress, roles: Roles, memory: Memory | None = None) -> Iterator[DatabaseRows]:
    """Look at a table or view as rows to count; nothing is counted yet."""
    with open_session(address) as session:
        schema, name, lockable, stored = _describe(session)
        shown = f"{schema}.{name}"
        by_name = {column.name: column for column in stored}
        unused = unused_columns(roles, [*by_name], shown, numbers=by_name)  # a database has names for its columns
        columns = {ours: by_name[column] for ours, column in roles.used.items()}
        typed = roles.add_types({column: by_name[column].ordered for column in roles.quasi})
        texts = frozenset(column for column in roles.quasi if by_name[column].is_text)
        for column in columns.values():
            _ = column.cell  # refused before anything is asked
        source = Source(shown, unused, texts=texts)
        rows = DatabaseRows(session, f"{sql_name(schema)}.{sql_name(name)}", columns, typed, source)
        rows.begin(lockable=lockable)
        yield rows if memory is None else rows.looked_up(memory)


def database_columns(address: DatabaseAddress) -> tuple[str, ...]:
    """Name the columns of a table or view."""
    with open_session(address) as session:
        return tuple(column.name for column in _describe(session)[-1])


def _describe(session: Session) -> tuple[str, str, bool, list[StoredColumn]]:
    """Find the table in the catalogue, and what its columns are."""
    import json  # noqa: PLC0415 - for the labels of enums alone

    oid, schema, name, lockable = _table_of(session)
    stored = [
        StoredColumn(
            column, written, kind, category == "S" or kind == "char", tuple(json.loads(labels)) if sort == "e" else None
        )
        for column, written, kind, sort, category, labels in session.rows(COLUMNS.format(table=oid))
    ]
    return schema, name, lockable, stored


def _table_of(session: Session) -> tuple[int, str, str, bool]:
    """Look a name up: as it is written, or else in small letters, as SQL reads it."""
    relations = session.rows(RELATIONS)
    *schema, name = session.address.names
    # exact spelling first, so that a table that was created in quotes wins over its folded namesake
    for folded in (lambda text: text, str.lower):
        meant = [
            (oid, where, what, lockable)
            for oid, where, what, lockable, visible in relations
            if what == folded(name) and (where == folded(schema[0]) if schema else visible)
        ]
        if meant:
            return meant[0]
    own = [each for each in relations if each[1] not in ("pg_catalog", "information_schema", "pg_toast")]
    names = [f"{where}.{what}" if schema or not visible else what for _, where, what, _, visible in own]
    message = f"no table '{'.'.join(session.address.names)}' in the database that this user sees"
    raise BadTable(message + (did_you_mean(".".join(session.address.names), names) if names else "; check its name"))
