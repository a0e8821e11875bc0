"""A PostgreSQL server of our own: started from the system's binaries, in a private folder, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

SECRET = "s3cr&t/of#the@tests"
USER = "ann"


def binaries() -> Path | None:
    """Find the folder of `initdb` and `pg_ctl`: Debian keeps them out of the way, by version."""
    newest_last = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    elsewhere = shutil.which("initdb")
    return newest_last[-1].parent if newest_last else Path(elsewhere).parent if elsewhere else None


def _version(initdb: Path) -> float:
    return float(initdb.parent.parent.name)


@dataclass(frozen=True)
class Server:
    """A server that runs, with a superuser of which only the tests know the password."""

    folder: Path
    port: int
    programs: Path

    def address(self, table: str | None = None, *, database: str = "postgres", **parameters: str) -> str:
        """Write an address without a password, over TCP."""
        query = {**parameters, **({} if table is None else {"table": table})}
        written = "&".join(f"{name}={quote(text, safe='')}" for name, text in query.items())
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}{'?' * bool(written)}{written}"

    def socket_address(self, table: str) -> str:
        """Write an address by the socket in the private folder."""
        return f"postgresql://{USER}@/postgres?host={quote(str(self.folder), safe='')}&port={self.port}&table={table}"

    @contextmanager
    def connection(self, database: str = "postgres") -> Iterator[Any]:
        import adbc_driver_postgresql.dbapi as adbc  # noqa: PLC0415 - every test imports this file

        uri = f"postgresql://{USER}:{quote(SECRET, safe='')}@127.0.0.1:{self.port}/{database}"
        with closing(adbc.connect(uri, autocommit=True)) as connection:
            yield connection

    def run(self, *statements: str) -> None:
        """Run statements, each by itself."""
        with self.connection() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def put(self, name: str, rows: pa.Table) -> None:
        """Make a table of an Arrow table, in place of one of that name."""
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, rows, mode="replace")

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off"
        self._pg_ctl("start", "-o", options, "-l", str(self.folder / "log"))

    def stop(self) -> None:
        """Stop at once, whoever is connected."""
        self._pg_ctl("stop", "-m", "immediate")

    def _pg_ctl(self, *arguments: str) -> None:
        as_owner(self.programs / "pg_ctl", "-w", "-D", str(self.folder / "data"), *arguments)


def as_owner(*command: object) -> None:
    """Run a program of PostgreSQL, which refuses to run as root."""
    owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    subprocess.run(
        [str(word) for word in command],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        cwd="/",
        **({} if owner is None else {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}),
    )


@contextmanager
def server() -> Iterator[Server]:
    """Start a server, and stop it."""
    programs = binaries()
    assert programs is not None
    with tempfile.TemporaryDirectory(prefix="pg-") as name, closing(socket.socket()) as free:
        folder, secret = Path(name), Path(name, "secret")
        secret.write_text(SECRET)
        if os.geteuid() == 0:
            for each in (folder, secret):
                shutil.chown(each, "postgres", "postgres")
        options = ("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
        as_owner(programs / "initdb", *options, "-U", USER, f"--pwfile={secret}", "-D", folder / "data")
        free.bind(("127.0.0.1", 0))
        running = Server(folder, free.getsockname()[1], programs)
        free.close()
        running.start()
        try:
            yield running
        finally:
            running.stop()
