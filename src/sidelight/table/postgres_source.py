"""Rows that PostgreSQL counts: a table or view of a database, by its address (`database_address`).

Every question is nested GROUP BYs that the server runs; what comes back are counts, by Arrow (ADBC), batch by batch.
Nobody's row leaves the database, but where it is asked for: `keep_people=True` takes the names, and which values each
person has together is told by numbers in place of names.

One connection in one transaction, read only and REPEATABLE READ: all queries see the same rows, whoever writes.

    cell     what a column is grouped by: as it is stored, texts by their bytes whatever their collation, NaN as NULL
    label    what such a cell says, as text (`labels`), written by the server for each group and not for each row

No text of a user becomes SQL: names are those of the catalogue, quoted; marks of missing cells are quoted literals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw
import pyarrow as pa

from sidelight.errors import BadTable, NotAvailable, did_you_mean, parameter
from sidelight.table.database_address import ELSEWHERE, DatabaseAddress
from sidelight.table.labels import SUPPRESSED, label
from sidelight.table.memory import Memory
from sidelight.table.names_or_row import unused_columns
from sidelight.table.packed_keys import Packing
from sidelight.table.roles import Roles
from sidelight.table.source import CellRows, Frame, Source, collected, packing_of, sql_name, sql_text

SESSION = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL standard_conforming_strings = on",  # a backslash in a literal is a backslash
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
)

RELATIONS = """
    SELECT c.oid::bigint, n.nspname::text, c.relname::text, pg_table_is_visible(c.oid)
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

STORED = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "{column}::bigint"),
    **dict.fromkeys(("float4", "float8"), "NULLIF({column}::float8, 'NaN')"),
    "numeric": "NULLIF({column}, 'NaN')",
    "money": "{column}::numeric",
    "timestamptz": "({column} AT TIME ZONE 'UTC')",
    "bytea": "convert_from({column}, 'UTF8') COLLATE \"C\"",
    **dict.fromkeys(("bool", "date", "timestamp", "time", "interval"), "{column}"),
    **dict.fromkeys(("uuid", "inet", "cidr", "macaddr", "macaddr8", "bit", "varbit", "timetz"), "{column}"),
}
"""What a column of a type is grouped by; texts are as `TEXT` says, other types have no labels."""

TEXT = '{column}::text COLLATE "C"'

LABELLED = {
    **dict.fromkeys(("numeric", "money"), "replace(trim_scale({cell})::text, 'Infinity', 'inf')"),
    "timestamp": _DAY_OR_MOMENT.replace("{zone}", ""),
    "timestamptz": _DAY_OR_MOMENT.replace("{zone}", "+00:00"),
    "time": f"CASE WHEN {{cell}} = '24:00' THEN '24:00:00' ELSE {_DIGITS} END".replace(
        "to_char({cell}, '{form}')", "to_char(date '2000-01-01' + {cell}, 'HH24:MI:SS.US')"
    ),
    **dict.fromkeys(("int2", "int4", "int8", "oid", "float4", "float8", "interval"), "{cell}"),  # as Arrow has them
}
"""What a cell says; where nothing stands here, what PostgreSQL writes."""

NUMBERS = {"int2", "int4", "int8", "oid"}
FRACTIONS = {"float4", "float8"}

_DURATION = re.compile(r"(-?[0-9]+ days?, )?[0-9]+:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?")


UNREACHABLE = {
    "no password supplied": f"asks for a password; {ELSEWHERE}",
    "authentication failed": "does not take this user or password; check both (PGPASSWORD, or ~/.pgpass)",
    'database ".*" does not exist': "has no such database; check its name, which stands before the question mark",
    "invalid URI query parameter": "has a parameter that PostgreSQL does not know; take it out",
    "host name": "names a host that is not known; check it",
    "SSL|certificate": "and this computer do not agree on encryption; check sslmode and the certificates",
    "": "cannot be reached; check host and port, and that the server runs and lets this computer in",
}
"""What the driver says when it cannot connect, and what we do."""

FAILED = {
    "42501": "this user may not read {table}; ask for GRANT SELECT on it",
    "22021|22P05": "{table} holds bytes that are no text; turn that column into text in a view, and read that",
    "57014": "the database stopped counting {table} because it took too long; raise its statement_timeout",
    "53...|54...": "the database has no room to count {table}; give it disk or memory, or ask for fewer columns",
    "57...|08...|": "the database was gone while {table} was read, and nothing was kept; read it again when it is back",
    ".....": "the database cannot count {table} ({state}); check that a query of these columns runs there",
}
"""What a query fails with, by SQLSTATE; where there is none, the connection is gone."""


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
        """What it is grouped by; refuses types that have no labels."""
        stored = TEXT if self.is_text or self.ordered is not None else STORED.get(self.type)
        if stored is None:
            message = (
                f"column '{self.name}' holds {self.written} cells, which cannot be grouped; make a view that turns it "
                f"into text, such as {_as_text(self)}, and read that"
            )
            raise BadTable(message)
        return stored.format(column=sql_name(self.name))

    def label(self, cell: str) -> str:
        """What a cell says."""
        if self.is_text or self.ordered is not None:
            return cell
        return LABELLED.get(self.type, "{cell}::text").format(cell=cell)

    def says(self, cell: str, texts: Collection[str]) -> str | None:
        """Write the condition that a cell says one of some texts; None where none can."""
        shown, literals = self.label(cell), [*map(sql_text, texts)]
        if self.type in FRACTIONS:
            literals = [f"{sql_text(text)}::float8" for text in texts if _is_fraction(text)]
        elif self.type == "interval":
            literals = [f"interval {sql_text(text.replace(',', ''))}" for text in texts if _DURATION.fullmatch(text)]
        elif self.type in NUMBERS:
            shown = f"{cell}::text"
        return f"{shown} IN ({', '.join(literals)})" if literals else None


def _as_text(column: StoredColumn) -> str:
    name = column.name if re.fullmatch("[a-z_][a-z0-9_]*", column.name) else sql_name(column.name)
    return f"array_to_string({name}, '|')" if column.written.endswith("[]") else f"{name}::text"


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
        shown = [f"{self._shown(name, nameless=nameless)} AS {name}" for name in levels[-1]]
        sums = [sql_name(name) for name in (("parts", "rows") if len(levels) > 1 else ("rows",))]
        query = f"SELECT {', '.join((*shown, *sums))} FROM ({self._grouped(levels, counting=counting)}) AS g"  # noqa: S608
        return self.session.batches(query, self.source.name)

    def misplaced(self, *, single: bool) -> tuple[int, int]:
        """Count rows without a person, and people with several rows or keys."""
        grouped = self._grouped((("person", *self.key), ("person",)), counting=True)
        too_many = sql_name("rows" if single else "parts")
        query = (
            'SELECT coalesce(sum("rows") FILTER (WHERE person IS NULL), 0)::bigint AS nameless, '  # noqa: S608
            f"count(*) FILTER (WHERE person IS NOT NULL AND {too_many} > 1) AS scattered FROM ({grouped}) AS g"
        )
        answer = collected(self.session.batches(query, self.source.name), ("nameless", "scattered"))
        nameless, scattered = (int(column[0].as_py()) for column in answer.columns)
        return nameless, scattered

    def looked_up(self, memory: Memory) -> DatabaseRows:
        """Find the labels of every column, to pack rows as they come."""
        distinct: list[pa.Array] = []
        for name in self.key_and_value:
            query = (
                f"SELECT {self._shown(name)} AS {name} FROM (SELECT DISTINCT {name} FROM ({self._rows()}) AS r) AS g"  # noqa: S608
            )
            batches, before = [], sum(map(len, distinct))
            for batch in self.session.batches(query, self.source.name):
                batches.append(batch)
                many = before + sum(map(len, batches))
                if not memory.holds_labels(many):
                    raise memory.too_many_labels(self.columns[name].name, many)
            distinct.append(pa.Table.from_batches(batches).column(0).combine_chunks())
        return replace(self, known=packing_of(distinct, self.roles))

    def packing(self, answer: pa.Table) -> Packing:
        """Take the labels that are known, or those of the answer."""
        return self.known or CellRows.packing(self, answer)

    def _shown(self, name: str, *, nameless: bool = False) -> str:
        if name == "person" and nameless:
            return "CASE WHEN person IS NULL THEN NULL ELSE dense_rank() OVER (ORDER BY person) END"
        return self.columns[name].label(name)

    def _grouped(self, levels: Sequence[tuple[str, ...]], *, counting: bool) -> str:
        rows = f"SELECT * FROM ({self._rows()}) AS r WHERE {self._counts()}" if counting else self._rows()  # noqa: S608
        first = ", ".join(levels[0])
        grouped = f'SELECT {first}, count(*) AS "rows" FROM ({rows}) AS r GROUP BY {first}'  # noqa: S608
        return reduce(_grouped_again, levels[1:], grouped)

    def _rows(self) -> str:
        cells = (f"{self._cell(ours, column)} AS {ours}" for ours, column in self.columns.items())
        return f"SELECT {', '.join(cells)} FROM {self.table}"  # noqa: S608

    def _cell(self, ours: str, column: StoredColumn) -> str:
        """Write a cell, missing where a mark says so; people are written alike (`people_written_alike`)."""
        missing = column.says(column.cell, self.roles.missing_marks)
        cell = column.cell if missing is None else f"CASE WHEN {missing} THEN NULL ELSE {column.cell} END"
        if ours == "person" and column.is_text:
            return f"regexp_replace(btrim({cell}, E' \\t\\n\\r\\v\\f'), '^(-?[0-9]+)\\.0*$', '\\1') COLLATE \"C\""
        return cell

    def _counts(self) -> str:
        """Write the condition on which a row counts."""
        excluded = ["FALSE"]
        if self.roles.suppressed == "leave out":
            stars = [self.columns[name].says(name, (SUPPRESSED,)) or "FALSE" for name in self.key]
            excluded.append(f"({' AND '.join(stars)})")
        if self.roles.missing == "drop":
            excluded += [f"{name} IS NULL" for name in self.roles.values_used]
        return f"({' OR '.join(excluded)}) IS NOT TRUE"


def _grouped_again(grouped: str, by: tuple[str, ...]) -> str:
    names = ", ".join(by)
    sums = 'count(*) AS "parts", sum("rows")::bigint AS "rows"'
    return f"SELECT {names}, {sums} FROM ({grouped}) AS g GROUP BY {names}"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Session:
    """A connection of ADBC in its transaction."""

    connection: Any
    address: DatabaseAddress

    def batches(self, query: str, table: str = "the catalogue") -> Iterator[pa.RecordBatch]:
        """Run a query; messages of the server, which may show cells, are not passed on."""
        from adbc_driver_postgresql.dbapi import Error  # noqa: PLC0415 - of an extra

        try:
            with self.connection.cursor() as cursor:
                cursor.execute(query)
                yield from cursor.fetch_record_batch()
        except (Error, OSError) as problem:
            raise _failed(table, problem) from None

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the catalogue."""
        return [tuple(row.values()) for batch in self.batches(query) for row in batch.to_pylist()]


@contextmanager
def session_of(address: DatabaseAddress) -> Iterator[Session]:
    """Connect; nothing is written, and all queries see the same rows."""
    connection = _connected(address)
    try:
        session = Session(connection, address)
        with connection.cursor() as cursor:
            for statement in SESSION:
                cursor.execute(statement)
        yield session
    finally:
        with suppress(Exception):  # a connection that is gone cannot say goodbye
            connection.close()


def _connected(address: DatabaseAddress) -> Any:  # noqa: ANN401 - a connection of ADBC, which is an extra
    try:
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 - of an extra
    except ImportError:
        raise NotAvailable.without(
            package="adbc-driver-postgresql", what=f"'{address.text}'", extra="postgres"
        ) from None
    try:
        return driver.connect(_with_defaults(address))
    except driver.Error as problem:
        raise BadTable(_unreachable(address, str(problem))) from None


def _with_defaults(address: DatabaseAddress) -> str:
    """Wait for a server as long as people do, unless somebody said how long."""
    if address.parameter("connect_timeout") or "PGCONNECT_TIMEOUT" in os.environ:
        return address.connect_to
    return f"{address.connect_to}{'&' if '?' in address.connect_to else '?'}connect_timeout=15"


def _unreachable(address: DatabaseAddress, report: str) -> str:
    return f"'{address.text}' {next(words for each, words in UNREACHABLE.items() if re.search(each, report))}"


def _failed(table: str, problem: Exception) -> BadTable:
    state = getattr(problem, "sqlstate", None) or ""
    words = next(words for each, words in FAILED.items() if re.fullmatch(each, state))
    return BadTable(words.format(table=table, state=state))


@contextmanager
def database_rows(address: DatabaseAddress, roles: Roles, memory: Memory | None = None) -> Iterator[DatabaseRows]:
    """Look at a table or view as rows to count; nothing is counted yet."""
    with session_of(address) as session:
        schema, name, stored = _described(session)
        shown = f"{schema}.{name}"
        by_name = {column.name: column for column in stored}
        unused = unused_columns(roles, [*by_name], shown, numbers=by_name)  # a database has names for its columns
        columns = {ours: by_name[column] for ours, column in roles.used.items()}
        typed = roles.with_types({column: by_name[column].ordered for column in roles.quasi})
        texts = frozenset(column for column in roles.quasi if by_name[column].is_text)
        for column in columns.values():
            _ = column.cell  # refused before anything is asked
        source = Source(shown, unused, texts=texts)
        rows = DatabaseRows(session, f"{sql_name(schema)}.{sql_name(name)}", columns, typed, source)
        yield rows if memory is None else rows.looked_up(memory)


def database_columns(address: DatabaseAddress) -> tuple[str, ...]:
    """Name the columns of a table or view."""
    with session_of(address) as session:
        return tuple(column.name for column in _described(session)[2])


def _described(session: Session) -> tuple[str, str, list[StoredColumn]]:
    """Find the table in the catalogue, and what its columns are."""
    import json  # noqa: PLC0415 - for the labels of enums alone

    oid, schema, name = _table_of(session)
    stored = [
        StoredColumn(
            column, written, kind, category == "S" or kind == "char", tuple(json.loads(labels)) if sort == "e" else None
        )
        for column, written, kind, sort, category, labels in session.rows(COLUMNS.format(table=oid))
    ]
    return schema, name, stored


def _table_of(session: Session) -> tuple[int, str, str]:
    """Look a name up: as it is written, or else in small letters, as SQL reads it."""
    relations = session.rows(RELATIONS)
    *schema, name = session.address.names
    for folded in (lambda text: text, str.lower):
        meant = [
            (oid, where, what)
            for oid, where, what, visible in relations
            if what == folded(name) and (where == folded(schema[0]) if schema else visible)
        ]
        if meant:
            return meant[0]
    own = [each for each in relations if each[1] not in ("pg_catalog", "information_schema", "pg_toast")]
    names = [f"{where}.{what}" if schema or not visible else what for _, where, what, visible in own]
    message = f"no table '{'.'.join(session.address.names)}' in the database that this user sees"
    raise BadTable(message + (did_you_mean(".".join(session.address.names), names) if names else "; check its name"))
