"""Sessions of PostgreSQL: the address of a table, a connection (ADBC), and what goes wrong, in one line.

An address, `postgresql://ann@db.example/clinic?table=ward.patients`, is what `psql` takes, with one parameter of our
own, `table`; all others are left to the driver.  Passwords are not taken in it, because addresses are printed, kept in
reports and told as the command to type again: they come from PGPASSWORD, from ~/.pgpass or from a service file.  So no
text that Sidelight keeps has one.

A session is one connection, and one transaction that counts, read only and REPEATABLE READ: all queries see the same
rows, whoever writes.  Every call of the driver can be interrupted (`interruptibly`), which cancels the query.
"""

from __future__ import annotations

import codecs
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from sidelight.ahead import interruptibly
from sidelight.errors import BadTable, NotAvailable
from sidelight.table.labels import BLANKS

ELSEWHERE = "give it in PGPASSWORD or in ~/.pgpass, where nobody reads it along"


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """The address of a table: what the driver connects to, and the table's name, with its schema if given.

    >>> address = DatabaseAddress.parse('postgresql://ann@db/clinic?table=ward."My.Table"&sslmode=require')
    >>> address.names, address.connect_to
    (('ward', 'My.Table'), 'postgresql://ann@db/clinic?sslmode=require')
    """

    text: str
    connect_to: str = field(repr=False)
    names: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> DatabaseAddress:
        """Parse an address; one with a password is refused, and never shown."""
        _refuse_secrets(text)
        before, _, query = text.partition("?")
        pairs = [(pair, *map(unquote, pair.partition("=")[::2])) for pair in query.split("&") if pair]
        tables = [value for _, name, value in pairs if name == "table"]
        if len(tables) != 1 or not tables[0].strip():
            example = "postgresql://ann@db.example/clinic?table=patients"
            message = f"which table of the database? name it at the end of '{text}', as in {example}"
            raise BadTable(message)
        others = "&".join(pair for pair, name, _ in pairs if name != "table")
        return cls(text, f"{before}?{others}" if others else before, _parse_names(tables[0]))


def is_address(source: object) -> bool:
    """Return whether a source is an address, not a file.

    >>> is_address("postgresql://db/clinic?table=patients"), is_address("patients.csv")
    (True, False)
    """
    return isinstance(source, str) and source.lower().startswith(("postgresql://", "postgres://"))


def one_address(sources: Iterable[object]) -> DatabaseAddress:
    """Take the only source there is, an address."""
    listed = list(sources)
    if len(listed) > 1:
        message = "tables of a database are read one at a time; put them together in a view, and name that"
        raise BadTable(message)
    return DatabaseAddress.parse(str(listed[0]))


def _refuse_secrets(text: str) -> None:
    """Refuse passwords: between user and host, or among the parameters."""
    # parsed by hand: a password may hold any sign, and must be found even where the address is not a valid URL
    authority, _, rest = re.split("://", text, maxsplit=1)[1].partition("/")
    authority, _, query = authority.partition("?")
    user, at, _ = authority.rpartition("@")
    if at and ":" in user:
        message = f"the address of the database has a password in it, which is not taken from there; {ELSEWHERE}"
        raise BadTable(message)
    if "@" in rest or "@" in query:  # it may be the end of a password that holds a slash or a question mark
        message = "the address of the database has an @ behind the host; write it as %40 if it belongs to a name"
        raise BadTable(message)
    # libpq decodes parameter names, so %70assword is a password as well
    names = {unquote(pair.partition("=")[0]).strip().casefold() for pair in re.split("[?&]", text)[1:]}
    for secret in sorted(names & {"password", "sslpassword"}):
        message = f"the address of the database has a {secret} in it, which is not taken from there; {ELSEWHERE}"
        raise BadTable(message)


def _parse_names(written: str) -> tuple[str, ...]:
    """Parse `patients`, `ward.patients` or `ward."My.Table"`."""
    parts = re.findall(r'"(?:[^"]|"")+"|[^".]+', written.strip())
    if ".".join(parts) != written.strip() or len(parts) > 2:
        message = (
            f"cannot read the table's name '{written}'; write name or schema.name, in double quotes where a dot is"
        )
        raise BadTable(message)
    return tuple(part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts)


LOCK_TIMEOUT = 30_000  # milliseconds for which a locked table is waited for, where nobody set lock_timeout

NO_RIGHT, LOCKED, CANCELLED = "42501", "55P03", "57014"
NO_TEXT = ("22021", "22P05")
# Causes that have no SQLSTATE of their own: a statement_timeout is a cancelled query, a policy a missing right
TIMED_OUT, FILTERED = "timed out", "filtered"

# What a query fails with, by SQLSTATE or cause; where there is none, the connection is gone
FAILED = {
    NO_RIGHT: "this user may not read {table}; ask for GRANT SELECT on it",
    FILTERED: (
        "row-level security would hide rows of {table}, and they would go unjudged; read it as a role that no policy "
        "restricts (the owner of the tables, or one with BYPASSRLS), or read an export of all rows"
    ),
    LOCKED: (
        "another session has locked {table} for longer than lock_timeout allows ({lock_timeout}); read it when that "
        "session has ended, or wait longer with PGOPTIONS='-c lock_timeout=10min'"
    ),
    TIMED_OUT: (
        "the database stopped counting {table} after its statement_timeout ({statement_timeout}), and nothing was "
        "kept; allow more with PGOPTIONS='-c statement_timeout=1h', or ask for fewer columns"
    ),
    CANCELLED: "an administrator cancelled the query on {table}, and nothing was kept; read it again when they agree",
    "25P0[345]": "the database ended the transaction that read {table} ({state}); ask its administrator for more time",
    "40...": (
        "the database gave the query on {table} up for other work ({state}); read it again, or from the primary "
        "where this is a standby"
    ),
    "|".join(
        NO_TEXT
    ): "{table} holds bytes that are not UTF-8 text; turn that column into text in a view, and read that",
    "53...|54...": "the database has no room to count {table}; give it disk or memory, or ask for fewer columns",
    "57...|08...|": "the database was gone while {table} was read, and nothing was kept; read it again when it is back",
    ".....": "the database cannot count {table} ({state}); check that a query of these columns runs there",
}


class QueryFailed(BadTable):
    """A query failed, for a cause of `FAILED`."""

    cause: str


@dataclass(frozen=True, slots=True)
class Session:
    """A connection of ADBC; `timeouts` are in milliseconds, 0 where there is none."""

    connection: Any
    address: DatabaseAddress
    timeouts: dict[str, int] = field(default_factory=lambda: {"lock_timeout": LOCK_TIMEOUT, "statement_timeout": 0})
    idle: threading.Event = field(default_factory=threading.Event)  # else a query was left that did not end

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
        """Begin a transaction, with a snapshot of its own, in which these settings hold."""
        with self._explain(table):
            # the last transaction's snapshot and locks end here; SET LOCAL below holds until the next rollback
            self._call(self.connection.rollback, lambda: None, waiting_for)
        lock_timeout = f"SET LOCAL lock_timeout = {self.timeouts['lock_timeout']}"
        session = (  # no SELECT, which would take the snapshot
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            "SET LOCAL client_encoding = 'UTF8'",  # else queries and answers are in the encoding of the database
            "SET LOCAL standard_conforming_strings = on",  # a backslash in a literal is a backslash
            "SET LOCAL datestyle = 'ISO, YMD'",
            "SET LOCAL timezone = 'UTC'",
        )
        for statement in (*session, lock_timeout, *settings):
            with self._explain(table), self._cursor() as cursor:
                self._call(partial(cursor.execute, statement), cursor.adbc_cancel, waiting_for)

    def batches(self, query: str, table: str = "the catalogue", *, waiting_for: str = "") -> Iterator[pa.RecordBatch]:
        """Run a query; messages of the server, which may show cells, are not passed on."""
        waiting_for = waiting_for or f"the database to count {table}"
        with self._explain(table), self._cursor() as cursor:
            self._call(partial(cursor.execute, query), cursor.adbc_cancel, waiting_for)
            # the driver's own reader raises errors with their SQLSTATE, that of Arrow only their text
            own = getattr(getattr(cursor, "_results", None), "reader", None)
            reader = iter(cursor.fetch_record_batch() if own is None else own)
            while (batch := self._call(partial(next, reader, None), cursor.adbc_cancel, waiting_for)) is not None:
                yield batch

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the catalogue."""
        return [tuple(row.values()) for batch in self.batches(query) for row in batch.to_pylist()]

    def failure(self, cause: str, table: str) -> QueryFailed:
        """Word why a query failed, by SQLSTATE or cause."""
        words = next(words for each, words in FAILED.items() if re.fullmatch(each, cause))
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
def open_session(address: DatabaseAddress) -> Iterator[Session]:
    """Connect; nothing is written, and all queries see the same rows."""
    session = Session(_connect(address), address)
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


def _connect(address: DatabaseAddress) -> Any:  # noqa: ANN401 - a connection of ADBC, which is an extra
    try:
        import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 - of an extra
    except ImportError:
        raise NotAvailable.without(
            package="adbc-driver-postgresql", what=f"'{address.text}'", extra="postgres"
        ) from None
    target = address.connect_to
    if not re.search(r"[?&]connect_timeout=", target) and "PGCONNECT_TIMEOUT" not in os.environ:
        target += f"{'&' if '?' in target else '?'}connect_timeout=15"  # seconds, as long as people wait for a server
    # what the driver says when it cannot connect, and what we do
    unreachable = {
        "no password supplied": f"asks for a password; {ELSEWHERE}",
        "authentication failed": "does not take this user or password; check both (PGPASSWORD, or ~/.pgpass)",
        'database ".*" does not exist': "has no such database; check its name, which stands before the question mark",
        "invalid URI query parameter": "has a parameter that PostgreSQL does not know; take it out",
        "host name": "names a host that is not known; check it",
        "SSL|certificate": "and this computer do not agree on encryption; check sslmode and the certificates",
        "": "cannot be reached; check host and port, and that the server runs and lets this computer in",
    }
    try:
        return interruptibly(lambda: driver.connect(target), lambda: None, f"'{address.text}'")
    except driver.Error as problem:
        why = next(words for each, words in unreachable.items() if re.search(each, str(problem)))
        message = f"'{address.text}' {why}"
        raise BadTable(message) from None
