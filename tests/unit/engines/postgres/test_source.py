"""Against a real server: types, names, views, passwords, and databases that go away."""

import builtins
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from support.command_line import invoke
from support.postgres import SECRET
from support.signals import sigint
from support.words import mentions

import sidelight as sl
from sidelight import ahead as _ahead
from sidelight import progress as _progress
from sidelight.cli.serve import workspace
from sidelight.engines.files import files_of
from sidelight.engines.postgres import source as postgres_session
from sidelight.engines.postgres.source import Session, one_address, parse_address
from sidelight.engines.source import is_address
from sidelight.errors import BadTable, NoRoom, NotAvailable, UnknownColumn
from sidelight.streams.memory import Memory
from sidelight.table.roles import Roles
from sidelight.web.app import application

UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
TYPES = {  # type: cells of SQL, and what they say
    "text": ({"'x'": "x", "''": "", "'é'": "é"}, "text"),
    "varchar": ({"'x '": "x "}, "varchar(9)"),
    "char": ({"'ab'": "ab", "'ab   '": "ab"}, "char(5)"),
    "integer": ({"7": "7"}, "integer"),
    "bigint": ({"9007199254740993": "9007199254740993"}, "bigint"),
    "numeric": ({"5.50": "5.5", "5.0": "5", "1000": "1000", "'NaN'": None, "'-Infinity'": "-inf"}, "numeric"),
    "real": ({"0.5": "0.5", "'NaN'": None, "2": "2"}, "real"),
    "double": ({"0.1": "0.1", "'Infinity'": "inf", "1e22": "10000000000000000000000"}, "double precision"),
    "date": ({"'2020-01-02'": "2020-01-02", "'infinity'": "infinity", "'0044-03-15 BC'": "0044-03-15 BC"}, "date"),
    "timestamp": (
        {
            "'2020-01-02'": "2020-01-02",
            "'2020-01-02 03:04:05.5'": "2020-01-02 03:04:05.500000",
            "'infinity'": "infinity",
        },
        "timestamp",
    ),
    "timestamptz": (
        {"'2020-01-02 09:00+09'": "2020-01-02", "'2020-01-02 01:00Z'": "2020-01-02 01:00:00+00:00"},
        "timestamptz",
    ),
    "time": ({"'07:00'": "07:00:00", "'24:00'": "24:00:00", "'07:00:00.000001'": "07:00:00.000001"}, "time"),
    "boolean": ({"true": "true", "false": "false"}, "boolean"),
    "uuid": ({f"'{UUID.upper()}'": UUID}, "uuid"),
    "timetz": ({"'12:00+00'": "12:00:00+00", "'12:00+02'": "12:00:00+02"}, "timetz"),
    "bytea": ({"'ab'": "ab"}, "bytea"),
    "inet": ({"'10.0.0.1'": "10.0.0.1/32"}, "inet"),
    "money": ({"'5.50'": "5.5"}, "money"),
}
ROLES = {"quasi": "cell", "sensitive": "disease"}


def read(server, *, table="t", **roles):
    return sl.read_table(server.address(table), **{**ROLES, **roles})


@pytest.mark.parametrize("kind", TYPES)
def test_what_cells_of_a_type_say(postgres, kind):
    cells, written = TYPES[kind]
    rows = ", ".join(f"({cell}, 'Flu')" for cell in [*cells, "NULL"])
    postgres.run("DROP TABLE IF EXISTS t CASCADE", f"CREATE TABLE t (cell {written}, disease text)")
    postgres.run(f"INSERT INTO t VALUES {rows}")
    table = read(postgres)
    (column,) = table.quasi
    assert set(column.labels) == {*cells.values(), None}
    assert table.people == len(cells) + 1
    one = next(text for text in cells.values() if text is not None)
    marked = read(postgres, missing_marks=[one])
    assert set(marked.quasi[0].labels) == {*cells.values(), None} - {one}


def test_an_enum_is_ordered_and_a_domain_is_what_it_is_made_of(postgres):
    postgres.run("DROP TABLE IF EXISTS t CASCADE", "DROP TYPE IF EXISTS mood", "DROP DOMAIN IF EXISTS years")
    postgres.run("CREATE TYPE mood AS ENUM ('sad', 'fine', 'a\"b')", "CREATE DOMAIN years AS smallint")
    postgres.run("CREATE TABLE t (cell mood, age years, disease text)")
    postgres.run("INSERT INTO t VALUES ('fine', 7, 'Flu'), ('sad', 8, 'Flu'), ('a\"b', 8, 'Flu')")
    mood, age = read(postgres, quasi=["cell", "age"]).quasi
    assert (mood.labels, mood.kind) == (("sad", "fine", 'a"b'), "ordered")
    assert set(age.labels) == {"7", "8"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("integer[]", "array_to_string"),
        ("jsonb", "cell::text"),
        ("point", "cell::text"),
        ("int4range", "cell::text"),
        ("interval", "cell::text"),
    ],
)
def test_a_type_that_cannot_be_grouped(postgres, written, said):
    postgres.run("DROP TABLE IF EXISTS t CASCADE", f"CREATE TABLE t (cell {written}, disease text)")
    with pytest.raises(BadTable, match="make a view") as refused:
        read(postgres)
    assert f"'cell' holds {written} cells" in str(refused.value)
    assert said in str(refused.value)


def test_names_are_names_and_never_sql(postgres):
    name, column = 'x"; DROP TABLE t; --', "c'\"; SELECT 1; --"
    quoted = ['"' + each.replace('"', '""') + '"' for each in (name, column)]
    postgres.run("DROP TABLE IF EXISTS t CASCADE", "CREATE TABLE t (cell text)", f"DROP TABLE IF EXISTS {quoted[0]}")
    postgres.run(f"CREATE TABLE {quoted[0]} ({quoted[1]} text, disease text)")
    postgres.run(f"INSERT INTO {quoted[0]} VALUES ('?', 'Flu'), ('b\\''; DROP TABLE t; --', 'Flu')")
    marks = ["?", "b\\'; DROP TABLE t; --", "\\"]
    table = read(postgres, table=quoted[0], quasi=column, missing_marks=marks)
    assert table.quasi[0].labels == (None,)
    postgres.run("SELECT * FROM t", f"DROP TABLE {quoted[0]}")


def test_a_view_a_schema_and_small_letters(postgres):
    postgres.run("DROP SCHEMA IF EXISTS ward CASCADE", "CREATE SCHEMA ward")
    postgres.run(
        "CREATE VIEW ward.visits AS SELECT 'a' AS cell, 'Flu' AS disease", 'CREATE TABLE ward."Odd.One" (cell int)'
    )
    assert read(postgres, table="ward.visits").people == read(postgres, table="WARD.Visits").people == 1
    assert sl.read_table(postgres.socket_address("ward.visits"), **ROLES).people == 1
    with pytest.raises(BadTable, match=r"did you mean 'ward\.visits'"):
        read(postgres, table="ward.visit")
    with pytest.raises(UnknownColumn, match=r"'cel'.*ward\.visits.*'cell'"):
        read(postgres, table="ward.visits", quasi="cel")
    with pytest.raises(UnknownColumn, match="no column 'disease'"):
        read(postgres, table='ward."Odd.One"')


def test_collations_do_not_matter(postgres):
    postgres.run("DROP TABLE IF EXISTS t CASCADE", "DROP COLLATION IF EXISTS blind")
    postgres.run("CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    postgres.run('CREATE TABLE t (cell text COLLATE blind, disease text COLLATE "POSIX")')
    postgres.run("INSERT INTO t VALUES ('a', 'Flu'), ('A', 'Flu'), ('b', 'ähm')")
    assert (
        read(postgres).quasi[0].labels
        == sl.read_table(pa.table({"cell": ["a", "A", "b"], "disease": ["Flu"] * 3}), **ROLES).quasi[0].labels
    )


# --- findings and releases ------------------------------------------------------------------------------------


def test_the_same_findings_and_the_same_release_as_of_a_file(postgres, sample_files):
    postgres.put("patients", pq.read_table("patients.parquet"))
    address = postgres.address("patients")
    policy = sl.Policy(sl.GroupSize() >= 5, sl.DistinctValues() >= 2)
    roles = {"group": ["sex", "zip"], "sensitive": "disease"}
    verdicts = [
        policy.judge(release)
        for release in (
            sl.read_release("patients.parquet", **roles),
            sl.read_release(address, **roles, person="id"),
            sl.stream_release(address, **roles),
            sl.stream_release(address, **roles, person="id", values="set"),
        )
    ]
    assert len({tuple(each.finding.value for each in verdict.judgements) for verdict in verdicts}) == 1
    assert len({str([each.finding.witness.group for each in verdict.judgements]) for verdict in verdicts}) == 1
    options = [
        "--group",
        "age",
        "--group",
        "sex",
        "--group",
        "zip",
        "--sensitive",
        "disease",
        "--policy",
        "policy.toml",
    ]
    options += ["--hierarchies", "hierarchies", "--ask", "nobody"]
    for source, target in (("patients.parquet", "file.csv"), (address, "table.csv")):
        outcome = invoke(["protect", source, *options, "--output", target, "--markdown", f"{target}.md"])
        assert outcome.exit_code == 0, outcome.output
        assert SECRET not in outcome.output
    assert sorted(Path("file.csv").read_text().splitlines()) == sorted(Path("table.csv").read_text().splitlines())
    written = [each for each in sample_files.rglob("*") if each.is_file()]
    assert not [each.name for each in written if SECRET.encode() in each.read_bytes()]
    sidecars = [each for each in written if "table.csv" in each.name and each.suffix == ".json"]
    assert sidecars
    assert not [each.name for each in sidecars if b"127.0.0.1" in each.read_bytes()]


def test_people_stay_in_the_database(postgres, monkeypatch):
    rows = pa.table({"id": ["Ann", "Ann", " Bea "], "cell": [1, 1, 2], "disease": ["Flu", "Cold", "Flu"]})
    postgres.put("t", rows)
    received, plain = [], Session.batches
    monkeypatch.setattr(
        Session, "batches", lambda *said, **kept: (received.append(each) or each for each in plain(*said, **kept))
    )
    table = read(postgres, person="id", values="set")
    assert [int(size) for size in table.profiles().people] == [1, 1]
    assert not [batch for batch in received if "Ann" in str(batch.to_pydict())]
    held = sl.read_release(
        postgres.address("t"), group="cell", sensitive="disease", person="id", values="set", keep_people=True
    )
    assert set(held.people) == {"Ann", "Bea"}


def test_labels_that_do_not_fit(postgres, monkeypatch):
    postgres.put("t", pa.table({"cell": list(range(50)), "disease": ["Flu"] * 50}))
    monkeypatch.setattr(Memory, "holds_labels", lambda self, labels: labels < 20)
    with pytest.raises(NoRoom, match="column 'cell' has 50 different labels"):
        sl.stream_release(postgres.address("t"), group="cell", sensitive="disease")


def test_roles_are_not_looked_for(postgres):
    postgres.put("t", pa.table({"cell": [1], "disease": ["Flu"]}))
    with pytest.raises(BadTable, match="stay in the database"):
        sl.suggest_roles(postgres.address("t"))


# --- what goes wrong ------------------------------------------------------------------------------------------


def test_no_driver(postgres, monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("adbc"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(NotAvailable, match=r"pip install \"sidelight\[postgres\]\""):
        read(postgres)


def test_no_way_in(postgres, monkeypatch):
    def fails(address, words):
        with pytest.raises(BadTable, match=words) as refused:
            sl.read_table(address, **ROLES)
        assert "\n" not in str(refused.value)
        assert SECRET not in "".join(traceback.format_exception(refused.value))

    fails("postgresql://ann@127.0.0.1:1/postgres?table=t", "cannot be reached; check host and port")
    fails(postgres.address("t", database="nowhere"), "has no such database")
    fails(postgres.address("t", sslmode="require"), "do not agree on encryption")
    fails(postgres.address("t", colour="red"), "parameter that PostgreSQL does not know")
    monkeypatch.setenv("PGPASSWORD", "wrong")
    fails(postgres.address("t"), "does not take this user or password")
    monkeypatch.delenv("PGPASSWORD")
    fails(postgres.address("t"), "asks for a password")


def test_a_password_from_pgpass(postgres, monkeypatch, tmp_path):
    postgres.put("t", pa.table({"cell": [1], "disease": ["Flu"]}))
    file = tmp_path / "pgpass"
    file.write_text(f"*:*:*:*:{SECRET}\n")
    file.chmod(0o600)
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("PGPASSFILE", str(file))
    assert read(postgres).people == 1


def test_a_password_in_the_address_is_never_told(postgres, sample_files):
    address = postgres.address("t").replace("ann@", "ann:hunter2@")
    for words in (["audit", address], ["protect", address, "--limit", "group size >= 2"], ["columns", address]):
        outcome = invoke([*words, *([] if words[0] == "columns" else ["--group", "cell", "--sensitive", "disease"])])
        assert outcome.exit_code == 2
        assert "hunter2" not in outcome.output
        assert "PGPASSWORD" in outcome.stderr


def test_no_right_to_read(postgres, monkeypatch):
    postgres.put("t", pa.table({"cell": [1], "disease": ["Flu"]}))
    postgres.run("DROP ROLE IF EXISTS bea", f"CREATE ROLE bea LOGIN PASSWORD '{SECRET}'")
    with pytest.raises(BadTable, match=r"may not read public\.t\b.*GRANT SELECT"):
        sl.read_table(postgres.address("t").replace("ann@", "bea@"), **ROLES)


def test_nothing_is_written_to_the_database(postgres):
    address = postgres.address("t")
    with postgres_session.open_session(address) as session, pytest.raises(BadTable, match="25006"):
        list(session.batches("CREATE TABLE mine (a int)"))


@pytest.mark.parametrize("moment", ["before the answer", "within the answer"])
@pytest.mark.parametrize(
    "verb",
    [
        ("protect", "--limit", "group size >= 2", "--method", "mondrian", "--output", "out.csv"),
        ("audit", "--memory", "1GB", "--output", "out.json"),
    ],
    ids=lambda each: each[0],
)
def test_a_database_that_is_gone_in_the_middle(postgres, monkeypatch, sample_files, moment, verb):
    wide = "SELECT i AS cell, repeat('x', 300) || i AS note, 'Flu' AS disease FROM generate_series(1, 150000) i"
    postgres.run("DROP TABLE IF EXISTS t CASCADE", "DROP VIEW IF EXISTS wide", f"CREATE VIEW wide AS {wide}")
    plain = Session.batches

    def end_all():
        postgres.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )

    def batches(session, query, table="the catalogue", **rest):
        counting = "GROUP BY" in query
        if counting and moment == "before the answer":
            end_all()
        for batch in plain(session, query, table, **rest):
            yield batch
            if counting:
                end_all()

    monkeypatch.setattr(Session, "batches", batches)
    before = sorted(Path.cwd().iterdir())
    outcome = invoke(
        [verb[0], postgres.address("wide"), "--group", "cell", "--group", "note", "--sensitive", "disease", *verb[1:]]
    )
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert mentions(outcome.stderr, "database was gone", "public.wide", "nothing")
    assert sorted(Path.cwd().iterdir()) == before


def test_a_database_that_is_restarted_in_the_middle(postgres, monkeypatch, sample_files):
    postgres.put("t", pq.read_table("patients.parquet"))
    plain = Session.batches

    def batches(session, query, table="the catalogue", **rest):
        if "GROUP BY" in query:
            postgres.stop()
            postgres.start()
        yield from plain(session, query, table, **rest)

    words = [
        "audit",
        postgres.address("t"),
        "-g",
        "age",
        "-g",
        "sex",
        "-s",
        "disease",
        "-m",
        "group size",
        "-o",
        "a.json",
    ]
    before = sorted(Path.cwd().iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(Session, "batches", batches)
        outcome = invoke(words)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert mentions(outcome.stderr, "database was gone", "public.t", "nothing")
    assert sorted(Path.cwd().iterdir()) == before
    assert invoke(words).exit_code == 0


@pytest.mark.parametrize(
    ("verb", "named"),
    [
        (
            ("columns",),
            ("public.t", "nobody looks", "columns", "name them"),
        ),
        (("serve",), ("which columns", "--group", "--sensitive")),
        (
            ("report", "--group", "cell", "--sensitive", "disease"),
            ("report", "database", "name"),
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_verbs_that_look_through_columns_refuse_in_a_line(postgres, verb, named):
    postgres.put("t", pa.table({"cell": [1, 2], "disease": ["Flu", "Cold"]}))
    outcome = invoke([verb[0], postgres.address("t"), *verb[1:]])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert mentions(outcome.stderr, *named)
    assert outcome.stderr.count("\n") == 1


def test_the_page_explores_columns_that_were_named(postgres):
    postgres.put("t", pa.table({"cell": [1, 1, 2], "disease": ["Flu", "Cold", "Flu"]}))
    roles = Roles.of(quasi="cell", sensitive="disease")
    explored = workspace(postgres.address("t"), roles=roles)
    assert explored.column_names == ("cell", "disease")
    assert (explored.table(explored.start).people, len(explored.release(explored.start))) == (3, 2)
    client = TestClient(application(explored))
    pages = {view.path: client.get(view.path) for view in client.app.state.views}
    assert {page.status_code for page in pages.values()} == {200}


# --- rows that this user does not see -------------------------------------------------------------------------

HIDDEN = {  # statements that make something of which bea does not see all rows, and what she reads
    "a table with a policy": ("t", ()),
    "a policy that hides nothing": ("t", ("DROP POLICY most ON t", "CREATE POLICY everything ON t USING (true)")),
    "row-level security without a policy": ("t", ("DROP POLICY most ON t",)),
    "a view with the rights of who asks": ("v", ("CREATE VIEW v WITH (security_invoker) AS SELECT * FROM t",)),
    "a view of an owner whom the policy restricts": ("v", ("CREATE VIEW v AS SELECT * FROM t", "ALTER VIEW v OWNER TO bea")),
    "a view of a view": ("w", ("CREATE VIEW v AS SELECT * FROM t", "ALTER VIEW v OWNER TO bea", "CREATE VIEW w AS TABLE v")),
    "an owner on whom policies are forced": ("t", ("ALTER TABLE t OWNER TO bea", "ALTER TABLE t FORCE ROW LEVEL SECURITY")),
}  # fmt: skip
SEEN = {
    "no row-level security": ("t", ("ALTER TABLE t DISABLE ROW LEVEL SECURITY",)),
    "the owner": ("t", ("ALTER TABLE t OWNER TO bea",)),
    "a role that bypasses": ("t", ("ALTER ROLE bea BYPASSRLS",)),
    "a view of an owner who sees all": ("v", ("CREATE VIEW v AS SELECT * FROM t",)),
    "some columns only": (
        "t",
        ("ALTER TABLE t DISABLE ROW LEVEL SECURITY", "REVOKE SELECT ON t FROM bea", "GRANT SELECT (cell, disease) ON t TO bea"),
    ),
}  # fmt: skip


@pytest.fixture
def bea(postgres):
    """A user whom a policy shows 30 of 31 rows."""
    rows = "SELECT 'a' AS cell, 'v' || i % 3 AS disease, i AS age FROM generate_series(1, 30) i UNION ALL SELECT 'b', 'Flu', 31"
    postgres.run("DROP VIEW IF EXISTS w", "DROP VIEW IF EXISTS v", "DROP TABLE IF EXISTS t CASCADE")
    postgres.run(f"CREATE TABLE t AS {rows}", "ALTER TABLE t ENABLE ROW LEVEL SECURITY")
    _without_bea(postgres)
    postgres.run(f"CREATE ROLE bea LOGIN PASSWORD '{SECRET}'", "GRANT SELECT ON t TO bea")
    postgres.run("CREATE POLICY most ON t USING (cell <> 'b')")
    yield postgres
    _without_bea(postgres)


def _without_bea(postgres):
    postgres.run("DO $$ BEGIN DROP OWNED BY bea CASCADE; DROP ROLE bea; EXCEPTION WHEN undefined_object THEN END $$")


def as_bea(postgres, table):
    return postgres.address(table).replace("ann@", "bea@")


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")], ids=["", "streamed"])
@pytest.mark.parametrize("case", HIDDEN)
def test_rows_that_row_level_security_hides_are_refused(bea, case, memory):
    table, statements = HIDDEN[case]
    bea.run(*statements, f"GRANT SELECT ON {table} TO bea")
    roles = ("--group", "cell", "--sensitive", "disease", "--limit", "group size >= 5")
    outcome = invoke(["audit", as_bea(bea, table), *roles, *memory])
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert f"row-level security would hide rows of public.{table}" in outcome.stderr


@pytest.mark.parametrize("case", SEEN)
def test_who_sees_all_rows_reads_them(bea, case):
    table, statements = SEEN[case]
    bea.run(*statements)
    if table != "t":
        bea.run(f"GRANT SELECT ON {table} TO bea")
    assert sl.read_table(as_bea(bea, table), **ROLES).people == 31


def test_no_right_to_read_is_told_as_that_beside_row_level_security(bea):
    bea.run("REVOKE SELECT ON t FROM bea")
    with pytest.raises(BadTable, match=r"may not read public\.t\b.*GRANT SELECT"):
        sl.read_table(as_bea(bea, "t"), **ROLES)


# --- what takes long ------------------------------------------------------------------------------------------

ONE_ROW = pa.table({"cell": [1], "disease": ["Flu"]})


@contextmanager
def locked(postgres, table):
    """Lock a table as another session, and truncate and fill it before the lock is given back."""
    with postgres.connection() as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        try:
            yield cursor
        finally:
            cursor.execute("COMMIT")


@pytest.fixture
def waiting(postgres):
    """A table that another session has locked, and a view that does not end."""
    postgres.run("DROP TABLE IF EXISTS t CASCADE", "DROP VIEW IF EXISTS slow")
    postgres.put("t", ONE_ROW)
    postgres.run("CREATE VIEW slow AS SELECT 1 AS cell, pg_sleep(600)::text AS disease")
    with locked(postgres, "t"):
        yield postgres
    postgres.run("DROP VIEW slow")


def test_a_locked_table_is_waited_for_until_lock_timeout(waiting, monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c lock_timeout=300ms")
    outcome = invoke(["audit", waiting.address("t"), "--group", "cell", "--sensitive", "disease"])
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert mentions(outcome.stderr, "locked public.t", "lock_timeout", "0.3 s")


def test_a_locked_table_has_an_end_where_nobody_set_one(waiting, monkeypatch):
    monkeypatch.setattr(postgres_session, "LOCK_TIMEOUT", 200)
    with pytest.raises(BadTable, match=r"locked public\.t\b.*\b0\.2 s\b"):
        read(waiting)


def test_it_is_shown_what_is_waited_for(waiting, monkeypatch):
    shown = []

    @contextmanager
    def show(what):
        shown.append(what)
        yield
        shown.append("the end")

    monkeypatch.setattr(_ahead, "SHOWN_AFTER", 0.1)
    monkeypatch.setenv("PGOPTIONS", "-c lock_timeout=2s")
    context = copy_context()
    context.run(_progress.SHOW_WAITING.set, show)
    with pytest.raises(BadTable, match="another session"):
        context.run(read, waiting)
    assert shown[-2:] == ["access to public.t", "the end"]


def test_rows_that_are_rewritten_while_a_table_is_waited_for_are_read(postgres):
    postgres.put("t", ONE_ROW)
    with ThreadPoolExecutor() as pool:
        with locked(postgres, "t") as cursor:
            table = pool.submit(read, postgres)
            time.sleep(0.5)
            cursor.execute("TRUNCATE t")
            cursor.execute("INSERT INTO t SELECT i, 'Flu' FROM generate_series(1, 7) i")
        assert table.result().people == 7


STARTED = """
import sys
from sidelight.engines.postgres import source as postgres_session
from sidelight.engines.postgres.source import Session
plain = Session._call
def call(session, what, cancel, waiting_for):
    if {at}: print("on", flush=True)
    return plain(session, what, cancel, waiting_for)
Session._call = call
import sidelight.cli.app as cli
sys.argv = ["sidelight", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")], ids=["", "streamed"])
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("table", ["t", "slow"])
def test_an_interrupt_is_heard_while_the_database_is_waited_for(waiting, table, sent, status, memory):
    at = "waiting_for.startswith('access')" if table == "t" else "waiting_for.startswith('the database to count p')"
    words = ["audit", waiting.address(table), "--group", "cell", "--sensitive", "disease", *memory]
    command = [sys.executable, "-c", STARTED.format(at=at), *words]
    with (
        sigint(signal.default_int_handler),  # also where this runs in the background
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running,
    ):
        try:
            assert running.stdout.readline() == b"on\n"
            time.sleep(0.5)
            running.send_signal(sent)
            began = time.monotonic()
            _, errors = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, errors) == (status, b"sidelight: interrupted; nothing unfinished is left behind\n")
    assert time.monotonic() - began < 10  # a second, on a machine that has nothing else to do
    _nothing_runs(waiting)


def _nothing_runs(postgres):
    """Wait until no query of ours runs any more: a cancelled one ends there too."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    deadline = time.monotonic() + 30
    with postgres.connection() as connection, connection.cursor() as cursor:
        running = 1
        while running:
            assert time.monotonic() < deadline
            time.sleep(0.1)
            cursor.execute(query)
            ((running,),) = cursor.fetchall()


def test_a_timeout_before_rows_come(waiting, monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=700ms")
    with pytest.raises(BadTable, match=r"public\.slow.*statement_timeout.*\b0\.7 s\b"):
        read(waiting, table="slow")


def test_a_timeout_while_rows_stream(waiting, monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=2s")
    address = waiting.address("slow")
    rows = "SELECT repeat('x', 3000) || i, CASE WHEN i = 20000 THEN pg_sleep(60)::text END FROM generate_series(1, 20000) i"
    with postgres_session.open_session(address) as session:
        batches = session.batches(rows, "public.slow")
        assert len(next(batches))
        with pytest.raises(BadTable, match=r"public\.slow.*statement_timeout.*\b2 s\b"):
            list(batches)


def test_a_query_that_an_administrator_cancels_is_told_as_that(waiting):
    with ThreadPoolExecutor() as pool:
        table = pool.submit(read, waiting, table="slow")
        deadline = time.monotonic() + 30
        while not table.done() and time.monotonic() < deadline:
            time.sleep(0.1)
            waiting.run(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' OR query LIKE '%slow%GROUP BY%'"
            )
        with pytest.raises(BadTable, match=r"administrator cancelled.*public\.slow"):
            table.result()


@pytest.mark.parametrize("reading", [sl.read_release, sl.stream_release])
@pytest.mark.parametrize("where", ["cell", "disease", "person"])
def test_bytes_that_are_no_text_are_told_as_that(postgres, where, reading):
    cells = {"cell": "'a'::text", "disease": "'Flu'::text", "person": "i::text"}
    cells[where] = "decode('ff' || lpad(to_hex(i), 4, '0'), 'hex')"
    postgres.run("DROP TABLE IF EXISTS t CASCADE")
    columns = ", ".join(f"{made} AS {name}" for name, made in cells.items())
    postgres.run(f"CREATE TABLE t AS SELECT {columns} FROM generate_series(1, 3) i")
    kept = {"keep_people": True} if reading is sl.read_release else {}
    with pytest.raises(BadTable, match=rf"'{where}' of public\.t\b.*not UTF-8.*encode\({where}"):
        reading(postgres.address("t"), group="cell", sensitive="disease", person="person", **kept)


@pytest.mark.parametrize(
    ("text", "connect_to", "names"),
    [
        ("postgresql://db/clinic?table=patients", "postgresql://db/clinic", ("patients",)),
        ("postgres://ann@db:5432/c?sslmode=require&table=w.p", "postgres://ann@db:5432/c?sslmode=require", ("w", "p")),
        ("postgresql://?service=clinic&table=p", "postgresql://?service=clinic", ("p",)),
        ('postgresql://db/c?table="a.b"."c""d"', "postgresql://db/c", ("a.b", 'c"d')),
        ("postgresql://db/c?table=%22a.b%22", "postgresql://db/c", ("a.b",)),
        ("postgresql:///c?host=%2Fvar%2Frun&table=p", "postgresql:///c?host=%2Fvar%2Frun", ("p",)),
    ],
)
def test_parameters_of_the_driver_are_left_to_it(text, connect_to, names):
    assert parse_address(text) == (connect_to, names)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:hunter2@db/clinic?table=p",
        "postgresql://ann:hun/ter2@db/clinic?table=p",
        "postgresql://ann:hun?ter2@db/clinic?table=p",
        "postgresql://ann:hun#ter2@db/clinic?table=p",
        "postgresql://ann:hun@ter2@db/clinic?table=p",
        "postgresql://ann:1/ter2@db/clinic?table=p",
        "postgresql://ann@db/clinic?table=p&password=hunter2",
        "postgresql://ann@db/clinic?p%61ssword=hunter2&table=p",
        "postgresql://ann@db/clinic?sslpassword=hunter2&table=p",
        "POSTGRESQL://ann:hunter2@db/clinic",
        "postgresql://ann:hunter2@",
    ],
)
def test_a_password_is_refused_and_not_repeated(text):
    assert is_address(text)
    for read in (parse_address, files_of):
        with pytest.raises(BadTable, match="the address of the database has") as refused:
            read(text)
        assert "ter2" not in str(refused.value)
        assert "hun" not in str(refused.value)


@pytest.mark.parametrize("table", ["", "a.b.c", "a..b", 'a"b', ".a", '"a'])
def test_names_that_cannot_be_read(table):
    with pytest.raises(BadTable, match="table"):
        parse_address(f"postgresql://db/c?table={table}")


def test_which_table():
    with pytest.raises(BadTable, match="which table of the database\\?"):
        parse_address("postgresql://db/clinic")


def test_one_at_a_time():
    with pytest.raises(BadTable, match="one at a time"):
        one_address(["postgresql://db/c?table=a", "people.csv"])
    assert files_of("postgresql://db/c?table=a") == []
