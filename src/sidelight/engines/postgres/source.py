"""Rows that PostgreSQL counts: a table or view of a database, by its address; and sessions (ADBC).

An address, `postgresql://ann@db.example/clinic?table=ward.patients`, is what `psql` takes, with one parameter of our
own, `table`; all others are left to the driver.  A password in it is refused, because addresses are printed, kept in
reports and repeated in commands: passwords come from PGPASSWORD, from ~/.pgpass or from a service file.

A session is one connection, and one transaction that counts, read only and REPEATABLE READ: all queries see the same
rows, even while others write.  Every call of the driver can be interrupted (`interruptibly`), which cancels the query.
The transaction locks the table (ACCESS SHARE) before it takes its snapshot: a table that another session truncated or
rewrote in the meantime would be empty in an older snapshot.  Row-level security is off there: PostgreSQL then raises if
a policy would hide rows.

Every question is nested GROUP BYs that the server runs; counts come back, batch by batch.  No person's row leaves the
database unless it is requested: `keep_people=True` takes the names; profiles have numbers in place of names.

    cell     what a column is grouped by: as it is stored, texts by their bytes whatever their collation, NaN as NULL
    label    the text of such a cell (`labels`), written by the server once per group, not once per row

No text of a user becomes SQL: names are those of the catalogue, quoted; marks of missing cells are quoted literals.
"""

from __future__ import annotations

import codecs
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from sidelight.ahead import interruptibly
from sidelight.engines.source import (
    Frame,
    Heading,
    Rows,
    Source,
    collect_batches,
    float_saying,
    packing_of,
    sql_name,
    sql_text,
    unused_columns,
)
from sidelight.errors import BadTable, NotAvailable, did_you_mean, parameter
from sidelight.table.labels import BLANKS, SUPPRESSED
from sidelight.text import read_data

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.streams.sorted_runs import Packing
    from sidelight.table.roles import Roles


def parse_address(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse the address of a table: what the driver connects to, and the table's name, with its schema if given.

    One with a password is refused, and never shown.

    >>> parse_address('postgresql://ann@db/clinic?table=ward."My.Table"&sslmode=require')
    ('postgresql://ann@db/clinic?sslmode=require', ('ward', 'My.Table'))
    """
    _refuse_secrets(text)
    before, _, query = text.partition("?")
    pairs = [(pair, *map(unquote, pair.partition("=")[::2])) for pair in query.split("&") if pair]
    tables = [value for _, name, value in pairs if name == "table"]
    if len(tables) != 1 or not tables[0].strip():
        example = "postgresql://ann@db.example/clinic?table=patients"
        raise BadTable(f"which table of the database? name it at the end of '{text}', as in {example}")
    others = "&".join(pair for pair, name, _ in pairs if name != "table")
    # patients, ward.patients or ward."My.Table"
    written = tables[0].strip()
    parts = re.findall(r'"(?:[^"]|"")+"|[^".]+', written)
    if ".".join(parts) != written or len(parts) > 2:
        remedy = "write name or schema.name, in double quotes where a dot is"
        raise BadTable(f"cannot read the table's name '{tables[0]}'; {remedy}")
    names = tuple(part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts)
    return f"{before}?{others}" if others else before, names


def one_address(sources: Iterable[object]) -> str:
    """Return the only source, an address that can be parsed; raise `BadTable` for several."""
    listed = list(sources)
    if len(listed) > 1:
        raise BadTable("tables of a database are read one at a time; put them together in a view, and name that")
    parse_address(str(listed[0]))
    return str(listed[0])


def _refuse_secrets(text: str) -> None:
    """Raise `BadTable` if an address holds a password, before the host or among the parameters."""
    refusal = (
        "the address of the database has a {} in it, which is not taken from there; "
        "give it in PGPASSWORD or in ~/.pgpass, where nobody reads it along"
    )
    # parsed by hand: a password may hold any sign, and must be found even where the address is not a valid URL
    authority, _, rest = re.split("://", text, maxsplit=1)[1].partition("/")
    authority, _, query = authority.partition("?")
    user, at, _ = authority.rpartition("@")
    if at and ":" in user:
        raise BadTable(refusal.format("password"))
    if "@" in rest or "@" in query:  # it may be the end of a password that holds a slash or a question mark
        raise BadTable("the address of the database has an @ behind the host; write it as %40 if it belongs to a name")
    # libpq decodes parameter names, so %70assword is a password as well
    names = {unquote(pair.partition("=")[0]).strip().casefold() for pair in re.split("[?&]", text)[1:]}
    for secret in sorted(names & {"password", "sslpassword"}):
        raise BadTable(refusal.format(secret))


LOCK_TIMEOUT = 30_000  # milliseconds to wait for a locked table, unless lock_timeout is set

NO_RIGHT, CANCELLED = "42501", "57014"
NO_TEXT = ("22021", "22P05")
# Causes that have no SQLSTATE of their own: a statement_timeout is a cancelled query, a policy a missing right
TIMED_OUT, FILTERED = "timed out", "filtered"


class QueryFailed(BadTable):
    """A query failed, for one of the causes of `dialect.toml`."""

    cause: str


@dataclass(frozen=True, slots=True)
class Session:
    """A connection of ADBC; `timeouts` are in milliseconds, 0 where there is none."""

    connection: Any
    table: tuple[str, ...]  # its name, perhaps with a schema before it
    timeouts: dict[str, int] = field(default_factory=lambda: {"lock_timeout": LOCK_TIMEOUT, "statement_timeout": 0})
    idle: threading.Event = field(default_factory=threading.Event)  # not set while a query runs

    @property
    def blanks(self) -> str:
        """Return the `BLANKS` that the encoding of the database has: it refuses a query that holds others."""
        ((encoding,),) = self.rows("SELECT current_setting('server_encoding')")
        name = encoding.replace("WIN", "cp").replace("KOI8", "KOI8_")
        known = "ascii"  # where letters are bytes only (SQL_ASCII), a blank of several would match parts of letters
        with suppress(LookupError):
            known = codecs.lookup(name).name
        return BLANKS.encode(known, "ignore").decode(known)

    def begin(self, *settings: str, table: str = "the catalogue", waiting_for: str = "the database") -> None:
        """Begin a transaction with its own snapshot and these settings."""
        with self._explain(table):
            # the last transaction's snapshot and locks end here; SET LOCAL below holds until the next rollback
            self._call(self.connection.rollback, lambda: None, waiting_for)
        lock_timeout = f"SET LOCAL lock_timeout = {self.timeouts['lock_timeout']}"
        for statement in (*_dialect("transaction").values(), lock_timeout, *settings):
            with self._explain(table), self._cursor() as cursor:
                self._call(partial(cursor.execute, statement), cursor.adbc_cancel, waiting_for)

    def batches(self, query: str, table: str = "the catalogue", *, waiting_for: str = "") -> Iterator[pa.RecordBatch]:
        """Run a query; the server's messages, which may show cells, are replaced by our own."""
        waiting_for = waiting_for or f"the database to count {table}"
        with self._explain(table), self._cursor() as cursor:
            self._call(partial(cursor.execute, query), cursor.adbc_cancel, waiting_for)
            # the driver's own iterator raises errors with their SQLSTATE, that of Arrow only their text
            own = getattr(getattr(cursor, "_results", None), "reader", None)
            results = iter(cursor.fetch_record_batch() if own is None else own)
            while (batch := self._call(partial(next, results, None), cursor.adbc_cancel, waiting_for)) is not None:
                yield batch

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Query the catalogue; return its rows."""
        return [tuple(row.values()) for batch in self.batches(query) for row in batch.to_pylist()]

    def failure(self, cause: str, table: str) -> QueryFailed:
        """Build the error for a failed query, by SQLSTATE or cause."""
        words = next(words for each, words in _dialect("causes").items() if re.fullmatch(each, cause))
        limits = {name: f"{many / 1000:g} s" for name, many in self.timeouts.items()}
        failed = QueryFailed(words.format_map({"table": table, "state": cause, **limits}))
        failed.cause = cause
        return failed

    @contextmanager
    def _explain(self, table: str) -> Iterator[None]:
        from adbc_driver_postgresql.dbapi import Error  # noqa: PLC0415 - of an extra

        began, limit = time.monotonic(), self.timeouts["statement_timeout"]
        try:
            yield
        except (Error, OSError) as problem:
            state = getattr(problem, "sqlstate", None) or ""
            # statement_timeout and an administrator cancel with one SQLSTATE; only the time distinguishes them
            late = 0 < limit <= 1000 * (time.monotonic() - began)
            raise self.failure(TIMED_OUT if state == CANCELLED and late else state, table) from None

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        cursor = self.connection.cursor()
        try:
            yield cursor
        finally:
            if self.idle.is_set():
                cursor.close()

    def _call(self, call: Callable[[], Any], cancel: Callable[[], None], waiting_for: str) -> Any:  # noqa: ANN401
        def calling() -> Any:  # noqa: ANN401 - whatever the driver returns
            try:
                return call()
            finally:
                self.idle.set()

        # cleared before the thread starts, set when the call ends: only an idle connection closes without blocking
        self.idle.clear()
        return interruptibly(calling, cancel, waiting_for)


@contextmanager
def open_session(address: str) -> Iterator[Session]:
    """Connect in a read-only transaction, in which all queries see the same rows."""
    target, table = parse_address(address)
    session = Session(_connect(address, target), table)
    session.idle.set()
    names = "SELECT name, setting::bigint FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout')"
    try:
        session.timeouts.update((name, limit) for name, limit in session.rows(names) if limit)
        session.begin()
        yield session
    finally:
        if session.idle.is_set():
            with suppress(Exception):  # a connection that is gone cannot say goodbye
                session.connection.close()


def _connect(address: str, target: str) -> Any:  # noqa: ANN401 - a connection of ADBC, which is an extra
    try:
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 - of an extra
    except ImportError:
        raise NotAvailable.without(package="adbc-driver-postgresql", what=f"'{address}'", extra="postgres") from None
    if not re.search(r"[?&]connect_timeout=", target) and "PGCONNECT_TIMEOUT" not in os.environ:
        target += f"{'&' if '?' in target else '?'}connect_timeout=15"  # seconds, as long as people wait for a server
    try:
        return interruptibly(lambda: driver.connect(target), lambda: None, f"'{address}'")
    except driver.Error as problem:
        why = next(words for each, words in _dialect("unreachable").items() if re.search(each, str(problem)))
        raise BadTable(f"'{address}' {why}") from None


def _dialect(table: str) -> dict[str, str]:
    """Return one table of `dialect.toml`, such as `causes` or `queries`."""
    tables: dict[str, dict[str, str]] = read_data("sidelight.engines.postgres", "dialect.toml")
    return tables[table]


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of the catalogue: its name, its type as written, and its base type."""

    name: str
    written: str
    type: str
    is_text: bool
    ordered: tuple[str, ...] | None  # the labels of an enum

    @property
    def cell(self) -> str:
        """Return the SQL that the column is grouped by; raise `BadTable` if its type has no labels."""
        as_text = self.is_text or self.ordered is not None
        stored = '{column}::text COLLATE "C"' if as_text else _dialect("stored").get(self.type)
        if stored is None:
            name = _bare(self.name)
            remedy = f"array_to_string({name}, '|')" if self.written.endswith("[]") else f"{name}::text"
            raise BadTable(
                f"column '{self.name}' holds {self.written} cells, which cannot be grouped; make a view that turns it "
                f"into text, such as {remedy}, and read that"
            )
        return stored.format(column=sql_name(self.name))

    def label(self, cell: str) -> str:
        """Return the SQL of a cell's label."""
        if self.is_text or self.ordered is not None:
            return cell
        return _dialect("labelled").get(self.type, "{cell}::text").format(cell=cell)

    def says(self, cell: str, texts: Collection[str]) -> str | None:
        """Write the condition that a cell's label is one of some texts; None if none can be."""
        shown, literals = self.label(cell), [*map(sql_text, texts)]
        if self.type in ("float4", "float8"):
            literals = [f"{sql_text(text)}::float8" for text in texts if float_saying(text) is not None]
        elif self.type in ("int2", "int4", "int8", "oid"):
            shown = f"{cell}::text"
        return f"{shown} IN ({', '.join(literals)})" if literals else None


def _bare(name: str) -> str:
    return name if re.fullmatch("[a-z_][a-z0-9_]*", name) else sql_name(name)


@dataclass(frozen=True, slots=True)
class DatabaseRows(Rows):
    """A table of a database, and the stored column for each of our names."""

    session: Session
    table: str  # quoted
    columns: dict[str, StoredColumn]
    roles: Roles
    source: Source
    known: Packing | None = None

    @property
    def frame(self) -> Frame:  # type: ignore[override]
        """Raise `BadTable`: rows stay in the database."""
        raise BadTable(
            f"the rows of {self.source.name} stay in the database, so nobody looks through its columns; name them "
            f"with {parameter('quasi')} and {parameter('sensitive')}"
        )

    def counted(
        self, *levels: tuple[str, ...], counting: bool = False, nameless: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """Have the server group rows, then these groups."""
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
        """Begin the transaction that counts; raise if this user cannot read all rows.

        Rights are checked first, so that a refusal by row-level security is not reported as a missing right.
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
        """Return the error about the column that is not text, found by querying each: the server names none."""
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
        """Find the labels of every column first, so that batches can be packed as they arrive."""
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

    def _label_of(self, name: str, *, nameless: bool = False) -> str:
        if name == "person" and nameless:
            return "CASE WHEN person IS NULL THEN NULL ELSE dense_rank() OVER (ORDER BY person) END"
        return self.columns[name].label(name)

    def _group_query(self, levels: Sequence[tuple[str, ...]], *, counting: bool) -> str:
        rows = f"SELECT * FROM ({self._rows()}) AS r WHERE {self._counts()}" if counting else self._rows()  # noqa: S608
        first = ", ".join(levels[0])
        grouped = f'SELECT {first}, count(*) AS "rows" FROM ({rows}) AS r GROUP BY {first}'  # noqa: S608
        for names in map(", ".join, levels[1:]):
            sums = 'count(*) AS "parts", sum("rows")::bigint AS "rows"'
            grouped = f"SELECT {names}, {sums} FROM ({grouped}) AS g GROUP BY {names}"  # noqa: S608
        return grouped

    def _rows(self) -> str:
        cells = (f"{self._cell(ours, column)} AS {ours}" for ours, column in self.columns.items())
        return f"SELECT {', '.join(cells)} FROM {self.table}"  # noqa: S608

    def _cell(self, ours: str, column: StoredColumn) -> str:
        """Write the SQL of a cell: NULL for missing marks, the person 7.0 as 7 (`people_written_alike`)."""
        missing = column.says(column.cell, self.roles.missing_marks)
        cell = column.cell if missing is None else f"CASE WHEN {missing} THEN NULL ELSE {column.cell} END"
        if ours == "person" and (column.is_text or column.ordered is not None):
            # '7', ' 7 ' and '7.0' are one person, as in every other engine
            trimmed = f"btrim({cell}, {sql_text(self.session.blanks)})"
            return f"regexp_replace({trimmed}, '^(-?[0-9]+)\\.0*$', '\\1') COLLATE \"C\""
        return cell

    def _counts(self) -> str:
        excluded = ["FALSE"]
        if self.roles.suppressed == "leave out":
            stars = [self.columns[name].says(name, (SUPPRESSED,)) or "FALSE" for name in self.key]
            excluded.append(f"({' AND '.join(stars)})")
        if self.roles.missing == "drop":
            excluded += [f"{name} IS NULL" for name in self.roles.values_used]
        # a comparison with NULL is NULL, not false: such rows are kept, as no exclusion was shown to hold
        return f"({' OR '.join(excluded)}) IS NOT TRUE"


@contextmanager
def database_rows(address: str, roles: Roles, memory: Memory | None = None) -> Iterator[DatabaseRows]:
    """Open a table or view as rows to count; nothing is counted yet."""
    with open_session(address) as session:
        schema, name, lockable, stored = _describe_table(session)
        shown = f"{schema}.{name}"
        by_name = {column.name: column for column in stored}
        # a database has names for its columns
        unused = unused_columns(roles, Heading(tuple(by_name), numbers=by_name), shown)
        columns = {ours: by_name[column] for ours, column in roles.used.items()}
        typed = roles.add_types({column: by_name[column].ordered for column in roles.quasi})
        texts = frozenset(column for column in roles.quasi if by_name[column].is_text)
        for column in columns.values():
            _ = column.cell  # refused before anything is asked
        source = Source(shown, unused, texts=texts)
        rows = DatabaseRows(session, f"{sql_name(schema)}.{sql_name(name)}", columns, typed, source)
        rows.begin(lockable=lockable)
        yield rows if memory is None else rows.looked_up(memory)


def database_columns(address: str) -> tuple[str, ...]:
    """Name the columns of a table or view."""
    with open_session(address) as session:
        return tuple(column.name for column in _describe_table(session)[-1])


def _table_of(session: Session) -> tuple[int, str, str, bool]:
    """Find a table by its name as written, else in small letters, as SQL folds names."""
    relations = session.rows(_dialect("queries")["tables"])
    *schema, name = session.table
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
    message = f"no table '{'.'.join(session.table)}' in the database that this user sees"
    raise BadTable(message + (did_you_mean(".".join(session.table), names) if names else "; check its name"))


def _describe_table(session: Session) -> tuple[str, str, bool, list[StoredColumn]]:
    import json  # noqa: PLC0415 - for the labels of enums alone

    oid, schema, name, lockable = _table_of(session)
    attributes = _dialect("queries")["attributes"].format(table=oid)
    stored = [
        StoredColumn(
            column, written, kind, category == "S" or kind == "char", tuple(json.loads(labels)) if sort == "e" else None
        )
        for column, written, kind, sort, category, labels in session.rows(attributes)
    ]
    return schema, name, lockable, stored
