"""Addresses of tables in a database: `postgresql://ann@db.example/clinic?table=ward.patients`.

An address is what `psql` takes, with one parameter of our own, `table`; all others are left to the driver.  Passwords
are not taken in it, because addresses are printed, kept in reports and told as the command to type again: they come
from PGPASSWORD, from ~/.pgpass or from a service file.  So no text that Sidelight keeps has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote

from sidelight.errors import BadTable

SCHEMES = ("postgresql://", "postgres://")
SECRETS = {"password", "sslpassword"}
ELSEWHERE = "give it in PGPASSWORD or in ~/.pgpass, where nobody reads it along"
EXAMPLE = "postgresql://ann@db.example/clinic?table=patients"

_NAME = re.compile(r'"(?:[^"]|"")+"|[^".]+')


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a table is: what the driver connects to, and the table's name, with its schema where one was said.

    >>> address = DatabaseAddress.of('postgresql://ann@db/clinic?table=ward."My.Table"&sslmode=require')
    >>> address.names, address.connect_to
    (('ward', 'My.Table'), 'postgresql://ann@db/clinic?sslmode=require')
    """

    text: str
    connect_to: str = field(repr=False)
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> DatabaseAddress:
        """Take an address apart; one with a password is refused, and never shown."""
        _refuse_secrets(text)
        before, _, query = text.partition("?")
        pairs = [(pair, *map(unquote, pair.partition("=")[::2])) for pair in query.split("&") if pair]
        tables = [value for _, name, value in pairs if name == "table"]
        if len(tables) != 1 or not tables[0].strip():
            message = f"which table of the database? name it at the end of '{text}', as in {EXAMPLE}"
            raise BadTable(message)
        others = "&".join(pair for pair, name, _ in pairs if name != "table")
        return cls(text, f"{before}?{others}" if others else before, _names(tables[0]))

    def parameter(self, name: str) -> bool:
        """Whether a parameter of the driver is said."""
        return re.search(rf"[?&]{name}=", self.connect_to) is not None


def is_address(source: object) -> bool:
    """Say whether a source is an address, not a file.

    >>> is_address("postgresql://db/clinic?table=patients"), is_address("patients.csv")
    (True, False)
    """
    return isinstance(source, str) and source.lower().startswith(SCHEMES)


def one_address(sources: Iterable[object]) -> DatabaseAddress:
    """Take the only source there is, an address."""
    listed = list(sources)
    if len(listed) > 1:
        message = "tables of a database are read one at a time; put them together in a view, and name that"
        raise BadTable(message)
    return DatabaseAddress.of(str(listed[0]))


def _refuse_secrets(text: str) -> None:
    """Refuse passwords: between user and host, or among the parameters."""
    authority, _, rest = re.split("://", text, maxsplit=1)[1].partition("/")
    authority, _, query = authority.partition("?")
    user, at, _ = authority.rpartition("@")
    if at and ":" in user:
        message = f"the address of the database has a password in it, which is not taken from there; {ELSEWHERE}"
        raise BadTable(message)
    if "@" in rest or "@" in query:  # it may be the end of a password that holds a slash or a question mark
        message = "the address of the database has an @ behind the host; write it as %40 if it belongs to a name"
        raise BadTable(message)
    names = {unquote(pair.partition("=")[0]).strip().casefold() for pair in re.split("[?&]", text)[1:]}
    if names & SECRETS:
        message = f"the address of the database has a {min(names & SECRETS)} in it, which is not taken from there; "
        raise BadTable(message + ELSEWHERE)


def _names(written: str) -> tuple[str, ...]:
    """Read `patients`, `ward.patients` or `ward."My.Table"`."""
    parts = _NAME.findall(written.strip())
    if ".".join(parts) != written.strip() or len(parts) > 2:
        message = (
            f"cannot read the table's name '{written}'; write name or schema.name, in double quotes where a dot is"
        )
        raise BadTable(message)
    return tuple(part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts)
