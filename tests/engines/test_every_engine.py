"""The same rows give the same table, whoever holds them."""

import datetime as dt
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.registry import Listed, documents

import sidelight as sl
from sidelight.errors import BadTable
from sidelight.measures.about import findings
from sidelight.policy.measure_names import all_measures
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import SortedRuns
from sidelight.table.labels import BLANKS

COLUMNS = ("place", "age", "disease", "id", "note")

# --- the plain reference -------------------------------------------------------------------------------------


@dataclass
class Expected:
    """What reading must give: people and value counts per (place, age)."""

    sizes: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    rows: int = 0
    suppressed: int = 0
    valueless: int = 0
    repeats: int = 0


def counted_plainly(rows, values, missing, suppressed, marks, person):
    """Count in plain Python; `None` where reading must refuse."""
    texts = [tuple(None if cell is None or str(cell) in marks else str(cell) for cell in row[:4]) for row in rows]
    present = [row for row in texts if suppressed == "a group" or row[:2] != ("*", "*")]
    kept = [row for row in present if missing != "drop" or row[2] is not None]
    if not kept or (missing == "an error" and any(row[2] is None for row in kept)):
        return None
    valued = [row for row in kept if missing != "no value" or row[2] is not None]
    if not valued or (missing == "no value" and values == "single"):
        return None
    people, places, bags = defaultdict(set), defaultdict(set), defaultdict(Counter)
    for place, age, disease, who in kept:
        people[place, age].add(who)
        places[who].add((place, age))
        bags[place, age][disease] += missing != "no value" or disease is not None
    rows_per_person = Counter(row[3] for row in kept)
    if person and (None in places or max(map(len, places.values())) > 1):
        return None
    if person and values == "single" and max(rows_per_person.values()) > 1:
        return None
    if values == "set":
        bags = {cell: Counter(value for *_, value in {(r[3], r[2]) for r in valued if r[:2] == cell}) for cell in bags}
    sizes = {cell: bag.total() if values == "single" else len(people[cell]) for cell, bag in bags.items()}
    pairs = sum(bag.total() for bag in bags.values())
    bags = {cell: +bag for cell, bag in bags.items()}
    return Expected(sizes, bags, len(texts), len(texts) - len(present), len(present) - len(valued), len(valued) - pairs)


def as_expected(table):
    """Turn a table into plain dictionaries."""
    cells = [tuple(column.cell(row) for column in table.quasi) for row in range(len(table.sizes))]
    assert len(set(cells)) == len(cells)
    bags = [Counter({v: int(n) for v, n in zip(table.domain, row, strict=True) if n}) for row in table.counts.dense()]
    took = table.intake
    assert took.columns_dropped == ("note",) or took.columns_dropped == ("id", "note")
    return Expected(
        dict(zip(cells, table.sizes.tolist(), strict=True)),
        dict(zip(cells, bags, strict=True)),
        took.rows,
        took.rows_suppressed,
        took.rows_without_value + took.rows_saying_no_value,
        took.repeats,
    )


# --- the engines ---------------------------------------------------------------------------------------------


def columns_of(rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def pandas_plain(rows, folder):
    return pd.DataFrame(columns_of(rows))


def pandas_shuffled_index(rows, folder):
    frame = pd.DataFrame(columns_of(rows))
    frame.index = pd.Index([7 * i % 5 for i in range(len(frame))])
    return frame.iloc[::-1]


def pandas_categories(rows, folder):
    return pd.DataFrame({name: pd.Categorical(cells) for name, cells in columns_of(rows).items()})


def pandas_float_categories(rows, folder):
    columns = columns_of(rows)
    ages = [math.nan if age is None else float(age) for age in columns["age"]]
    return pd.DataFrame(columns | {"age": pd.Categorical(ages)})


def pandas_objects(rows, folder):
    """Mix None with NaN, and 5 with 5.0 and "5"."""
    mixed = {name: [_odd(cell, i) for i, cell in enumerate(cells)] for name, cells in columns_of(rows).items()}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in mixed.items()})
    return frame.set_axis([7 * i % 5 for i in range(len(frame))])


def _odd(cell, turn):
    if cell is None:
        return [None, math.nan, pd.NaT][turn % 3]
    return [cell, float(cell), str(cell)][turn % 3] if isinstance(cell, int) else cell


def pandas_nullable(rows, folder):
    return pd.DataFrame(columns_of(rows)).convert_dtypes()


def pandas_arrow(rows, folder):
    return pd.DataFrame(columns_of(rows)).convert_dtypes(dtype_backend="pyarrow")


def polars_eager(rows, folder):
    return pl.DataFrame(columns_of(rows), schema=POLARS)


def polars_lazy(rows, folder):
    return polars_eager(rows, folder).lazy()


def polars_categories(rows, folder):
    return polars_eager(rows, folder).with_columns(pl.col("place", "disease").cast(pl.Categorical))


def polars_nan(rows, folder):
    """Some missing ages are NaN, some null."""
    ages = [(math.nan if i % 2 else None) if row[1] is None else float(row[1]) for i, row in enumerate(rows)]
    return polars_eager(rows, folder).with_columns(pl.Series("age", ages, dtype=pl.Float64))


def arrow_plain(rows, folder):
    return pa.table(columns_of(rows), schema=ARROW)


def arrow_large(rows, folder):
    return arrow_plain(rows, folder).cast(pa.schema([(f.name, _large(f.type)) for f in ARROW]))


def _large(kind):
    return pa.large_string() if kind == pa.string() else pa.float64()


def arrow_dictionaries(rows, folder):
    """Each chunk has its own dictionary."""
    table = arrow_plain(rows, folder)
    parts = [table.slice(0, 2), table.slice(2)]
    encoded = [pa.table({name: part[name].dictionary_encode() for name in COLUMNS}) for part in parts]
    return pa.concat_tables(encoded)


def duckdb_relation(rows, folder):
    con = duckdb.connect()  # the user's own
    con.execute("CREATE TABLE mine (place VARCHAR, age INTEGER, disease VARCHAR, id INTEGER, note VARCHAR)")
    con.executemany("INSERT INTO mine VALUES (?, ?, ?, ?, ?)", rows)
    return con.table("mine")


def csv_file(rows, folder, name="mine.csv", delimiter=","):
    file = folder / name
    options = pyarrow.csv.WriteOptions(delimiter=delimiter)
    with pa.output_stream(file) as stream:  # packs by the ending
        pyarrow.csv.write_csv(arrow_plain(rows, folder), stream, options)
    return file


def csv_gz(rows, folder):
    return str(csv_file(rows, folder, "mine.csv.gz", ";"))


def csv_zst(rows, folder):
    return csv_file(rows, folder, "mine.csv.zst")


def tsv_files(rows, folder):
    half = len(rows) // 2
    return [csv_file(rows[:half], folder, "1.tsv", "\t"), csv_file(rows[half:], folder, "2.tsv", "\t")]


def parquet_file(rows, folder):
    pq.write_table(arrow_plain(rows, folder), folder / "mine.parquet")
    return folder / "mine.parquet"


def parquet_glob(rows, folder):
    """In one file ages are whole numbers, in the other fractions."""
    half = len(rows) // 2
    pq.write_table(arrow_plain(rows[:half], folder), folder / "part[1].parquet")
    floats = pa.schema([(f.name, pa.float64() if f.name == "age" else f.type) for f in ARROW])
    pq.write_table(arrow_plain(rows[half:], folder).cast(floats), folder / "part2.parquet")
    return f"{folder}/*.parquet"


POLARS = {"place": pl.String, "age": pl.Int32, "disease": pl.String, "id": pl.Int64, "note": pl.String}
ARROW = pa.schema(
    {"place": pa.string(), "age": pa.int32(), "disease": pa.string(), "id": pa.int64(), "note": pa.string()}
)
ENGINES = (
    pandas_plain,
    pandas_shuffled_index,
    pandas_categories,
    pandas_float_categories,
    pandas_objects,
    pandas_nullable,
    pandas_arrow,
    polars_eager,
    polars_lazy,
    polars_categories,
    polars_nan,
    arrow_plain,
    arrow_large,
    arrow_dictionaries,
    duckdb_relation,
    csv_file,
    csv_gz,
    csv_zst,
    tsv_files,
    parquet_file,
    parquet_glob,
)

# --- the contract --------------------------------------------------------------------------------------------


def rows_of(places, diseases):
    ages = st.sampled_from([9, 10, -9, None])
    people = st.sampled_from([1, 2, 3, 4, 5, 6, None])
    return st.lists(st.tuples(places, ages, diseases, people, st.just("x")), min_size=1, max_size=12)


ROWS = rows_of(st.sampled_from(["North", "South", "*", "?", None]), st.sampled_from(["Flu", "HIV", "?", None]))


def sensible(rows, values):
    """Give each person one place (and, in single, one row), so that most examples can be counted."""
    home = {}
    placed = [(*home.setdefault(row[3], row[:2]), *row[2:]) for row in rows if row[3] is not None]
    if values == "single":
        return [(*row[:3], i, row[4]) for i, row in enumerate(rows)]
    return placed or [(*row[:3], 1, row[4]) for row in rows[:1]]


@st.composite
def cases(draw, rows=ROWS):
    values = draw(st.sampled_from(["single", "set", "multiset"]))
    rows = draw(rows)
    if draw(st.integers(0, 4)):
        rows = sensible(rows, values)
    return {
        "rows": rows,
        "values": values,
        "missing": draw(st.sampled_from(["an error", "a value", "drop", "no value"])),
        "suppressed": draw(st.sampled_from(["a group", "leave out"])),
        "marks": draw(st.sampled_from([(), ("?",), ("?", "-9")])),
        "person": values != "single" or draw(st.booleans()),
    }


def check(engine, case):
    expected = counted_plainly(**case)
    roles = {
        "sensitive": "disease",
        "person": "id" if case["person"] else None,
        "values": case["values"],
        "missing": case["missing"],
        "missing_marks": case["marks"],
    }
    with TemporaryDirectory() as folder:
        source = engine(case["rows"], Path(folder))
        if expected is None:
            with pytest.raises(BadTable):
                sl.read_release(source, group=["place", "age"], suppressed=case["suppressed"], **roles)
            return
        if case["suppressed"] == "a group":
            counted = sl.read_table(source, quasi=["place", "age"], **roles)
        else:
            release = sl.read_release(source, group=["place", "age"], suppressed="leave out", **roles)
            counted = _as_table(release)
    assert as_expected(counted) == expected
    assert counted.domain == sl.table.labels.in_order(value for bag in expected.counts.values() for value in bag)


def _as_table(release):
    groups = release.groups
    return sl.Table(
        groups.columns, release.sensitive, groups.domain, groups.sizes, groups.counts, groups.semantics, release.intake
    )


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@settings(max_examples=settings().max_examples // 7)
@given(case=cases())
def test_every_engine_counts_like_plain_python(engine, case):
    check(engine, case)


# --- several sensitive columns --------------------------------------------------------------------------------


def counted_together(rows, missing, suppressed, marks):
    """Count combinations of place, age, disease and note in plain Python; `None` where reading must refuse."""
    texts = [
        [None if row[at] is None or str(row[at]) in marks else str(row[at]) for at in (0, 1, 2, 4)] for row in rows
    ]
    present = [tuple(row) for row in texts if suppressed == "a group" or row[:2] != ["*", "*"]]
    valued = [row for row in present if missing == "a value" or None not in row[2:]]
    return None if not valued or (missing == "an error" and len(valued) < len(present)) else Counter(valued)


TOGETHER = cases().filter(lambda case: case["values"] == "single" and case["missing"] != "no value")
NOTES = st.lists(st.sampled_from(["x", "y", "*", "?", None]), min_size=12, max_size=12)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@settings(max_examples=settings().max_examples // 7)
@given(case=TOGETHER, notes=NOTES)
def test_every_engine_counts_several_sensitive_columns_together(engine, case, notes):
    check_together(engine, case, notes)


def check_together(engine, case, notes):
    rows = sensible(case["rows"], "single")
    case = {**case, "rows": [(*row[:4], note) for row, note in zip(rows, notes, strict=False)]}
    expected = counted_together(case["rows"], case["missing"], case["suppressed"], case["marks"])
    with TemporaryDirectory() as folder:
        read = partial(
            sl.read_release,
            engine(case["rows"], Path(folder)),
            group=["place", "age"],
            sensitive=["disease", "note"],
            person="id" if case["person"] else None,
            missing=case["missing"],
            missing_marks=case["marks"],
            suppressed=case["suppressed"],
        )
        if expected is None:
            with pytest.raises(BadTable):
                read()
            return
        groups = read().groups
    row, value, count = groups.counts.entries()
    cells = [column.take(row) for column in groups.columns] + [column.take(value) for column in groups.domain.columns]
    assert expected == {
        tuple(column.cell(at) for column in cells): int(people) for at, people in enumerate(count.tolist())
    }


# --- the same, for columns of every type ----------------------------------------------------------------------

TOKYO = dt.timezone(dt.timedelta(hours=9))
KINDS = {  # how Arrow stores it, and what some cells say
    "date": (pa.date32(), {"1900-01-01": dt.date(1900, 1, 1), "2020-01-02": dt.date(2020, 1, 2)}),
    "truth": (pa.bool_(), {"true": True, "false": False}),
    "whole": (pa.int64(), {str(number): number for number in (5, 2**53, 2**53 + 1)}),
    "fraction": (pa.float64(), {"5": 5.0, "5.5": 5.5, "inf": math.inf}),
    "decimal": (pa.decimal128(20, 2), {"5": Decimal("5.00"), "5.5": Decimal("5.50"), "0.01": Decimal("0.01")}),
    "bytes": (pa.binary(), {"?": b"?", "*": b"*", "é": "é".encode()}),
    "time": (pa.time64("us"), {"07:00:00": dt.time(7), "07:00:00.000001": dt.time(7, 0, 0, 1)}),
    "nanosecond": (
        pa.timestamp("ns"),
        {
            "1970-01-01": pd.Timestamp(0),
            "1970-01-01 00:00:00.000000001": pd.Timestamp(1),
            "1969-12-31 23:59:59.999999999": pd.Timestamp(-1),
            "1970-01-01 00:00:00.000001": pd.Timestamp(1000),
        },
    ),
    "moment": (
        pa.timestamp("us", "Asia/Tokyo"),
        {
            "2020-01-01": dt.datetime(2020, 1, 1, 9, tzinfo=TOKYO),
            "2020-01-01 16:00:00+00:00": dt.datetime(2020, 1, 2, 1, tzinfo=TOKYO),
        },
    ),
    "duration": (
        pa.duration("us"),
        {
            "0:01:30": dt.timedelta(seconds=90),
            "1 day, 0:00:00": dt.timedelta(days=1),
            "-1 day, 23:59:59.999999": dt.timedelta(microseconds=-1),
        },
    ),
}
TYPED = ("place", "disease")


def in_arrow(rows, kind):
    """Store places and diseases, given as what they say, in cells of a type."""
    stored, texts = KINDS[kind]
    columns = columns_of(rows)
    typed = {name: pa.array([cell and texts[cell] for cell in columns[name]], stored) for name in TYPED}
    return arrow_plain([(None, *row[1:2], None, *row[3:]) for row in rows], None).to_pydict() | typed


def typed_arrow(rows, folder, kind):
    return pa.table(in_arrow(rows, kind))


def typed_arrow_dictionaries(rows, folder, kind):
    columns = in_arrow(rows, kind)
    return pa.table(columns | {name: columns[name].dictionary_encode() for name in TYPED})


def typed_pandas(rows, folder, kind):
    return typed_arrow(rows, folder, kind).to_pandas(integer_object_nulls=True)


def typed_pandas_categories(rows, folder, kind):
    frame = typed_pandas(rows, folder, kind)
    return frame.assign(**{name: pd.Categorical(frame[name]) for name in TYPED})


def typed_pandas_arrow(rows, folder, kind):
    return typed_arrow(rows, folder, kind).to_pandas(types_mapper=pd.ArrowDtype)


def typed_pandas_arrow_dictionaries(rows, folder, kind):
    return typed_arrow_dictionaries(rows, folder, kind).to_pandas(types_mapper=pd.ArrowDtype)


def typed_pandas_objects(rows, folder, kind):
    """Mix Python's, pandas' and NumPy's objects."""
    columns, texts = columns_of(rows), KINDS[kind][1]
    mixed = {name: [cell and _boxed(texts[cell], i) for i, cell in enumerate(columns[name])] for name in TYPED}
    return pd.DataFrame(columns | {name: pd.Series(cells, dtype=object) for name, cells in mixed.items()})


def _boxed(cell, turn):
    boxes = {dt.date: np.datetime64, bool: np.bool_, int: np.int64, float: np.float32, dt.timedelta: np.timedelta64}
    boxes |= {pd.Timestamp: pd.Timestamp.to_datetime64, dt.datetime: pd.Timestamp}
    return boxes[type(cell)](cell) if turn % 2 and type(cell) in boxes else cell


def typed_polars(rows, folder, kind):
    return pl.from_arrow(typed_arrow(rows, folder, kind))


def typed_polars_lazy(rows, folder, kind):
    return typed_polars(rows, folder, kind).lazy()


def typed_duckdb(rows, folder, kind):
    con = duckdb.connect()
    con.register("mine", typed_arrow(rows, folder, kind))
    return con.table("mine")


def typed_csv(rows, folder, kind):
    return csv_file(rows, folder)


def typed_parquet(rows, folder, kind):
    pq.write_table(typed_arrow(rows, folder, kind), folder / "mine.parquet")
    return folder / "mine.parquet"


TYPED_ENGINES = (
    typed_arrow,
    typed_arrow_dictionaries,
    typed_pandas,
    typed_pandas_categories,
    typed_pandas_arrow,
    typed_pandas_arrow_dictionaries,
    typed_pandas_objects,
    typed_polars,
    typed_polars_lazy,
    typed_duckdb,
    typed_csv,
    typed_parquet,
)


@st.composite
def typed_cases(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    texts = st.sampled_from([*KINDS[kind][1], None])
    marks = draw(st.lists(texts.filter(bool), max_size=2))
    case = draw(cases(rows=rows_of(places=texts, diseases=texts)))
    return kind, case | {"marks": (*marks, "?")}


@pytest.mark.parametrize("engine", TYPED_ENGINES, ids=lambda engine: engine.__name__)
@settings(max_examples=settings().max_examples // 5)
@given(drawn=typed_cases())
def test_every_type_counts_like_its_texts(engine, drawn):
    kind, case = drawn
    if kind == "duration" and engine in (typed_parquet, typed_duckdb):  # DuckDB's are intervals
        with TemporaryDirectory() as folder, pytest.raises(BadTable, match=r"holds (duration\[us\]|INTERVAL) cells;"):
            sl.read_table(engine(case["rows"], Path(folder), kind), quasi="place", sensitive="disease")
        return
    check(lambda rows, folder: engine(rows, folder, kind), case)


# --- the same people, whatever blanks stand around their names -------------------------------------------------

NO_BLANKS = "\u180e\u200b\u2060\ufeff_"  # no letters either, but `str.strip` leaves them
AROUND = [None, *BLANKS, *NO_BLANKS]


def people_between(characters):
    """For each character, somebody's name with and without it: one person, unless `str.strip` leaves it."""
    names = [f"{around}{i}{around}" for i, character in enumerate(characters) for around in ("", character or "")]
    return pa.table({"id": names, "place": ["North"] * len(names), "disease": ["Flu"] * len(names)})


def named_in_csv(table, folder):
    pyarrow.csv.write_csv(table, folder / "mine.csv")
    return folder / "mine.csv"


def named_in_parquet(table, folder):
    pq.write_table(table, folder / "mine.parquet")
    return folder / "mine.parquet"


def named_in_excel(table, folder):
    table.to_pandas().to_excel(folder / "mine.xlsx", index=False)
    return folder / "mine.xlsx"


def named_in_duckdb(table, folder, kind):
    con = duckdb.connect()
    con.register("given", table)
    con.execute("CREATE TYPE name_of_one AS ENUM (SELECT DISTINCT id FROM given)")
    return con.sql(f"SELECT CAST(id AS {kind}) AS id, place, disease FROM given")


def named_in_arrow(table, folder, kind):
    return table.set_column(0, "id", table["id"].cast(kind))


def named_in_polars(table, folder, kind):
    return pl.from_arrow(table).with_columns(pl.col("id").cast(kind))


def named_in_pandas(table, folder, kind):
    return table.to_pandas().astype({"id": kind})


NAMED = {
    "pandas": partial(named_in_pandas, kind="str"),
    "pandas objects": partial(named_in_pandas, kind=object),
    "pandas categories": partial(named_in_pandas, kind="category"),
    "pandas Arrow": partial(named_in_pandas, kind="string[pyarrow]"),
    "polars": partial(named_in_polars, kind=pl.String),
    "polars categories": partial(named_in_polars, kind=pl.Categorical),
    "Arrow": partial(named_in_arrow, kind=pa.string()),
    "Arrow large": partial(named_in_arrow, kind=pa.large_string()),
    "Arrow dictionaries": partial(named_in_arrow, kind=pa.dictionary(pa.int32(), pa.string())),
    "DuckDB": partial(named_in_duckdb, kind="VARCHAR"),
    "DuckDB enum": partial(named_in_duckdb, kind="name_of_one"),
    "CSV": named_in_csv,
    "Parquet": named_in_parquet,
    "Excel": named_in_excel,
}


def check_people_between(source, characters, *, streams=True):
    """Compare with `str.strip`, in memory and out of core."""
    names = people_between(characters)["id"].to_pylist()
    roles = {"sensitive": "disease", "person": "id", "values": "set"}
    expected = len({name.strip() for name in names})
    assert sl.read_table(source, quasi="place", **roles).people == expected
    if streams:
        assert sl.stream_release(source, group="place", **roles).size == expected


@pytest.mark.parametrize("held", NAMED)
def test_every_engine_trims_the_names_of_people_as_python_does(held, tmp_path):
    in_xml = [each for each in AROUND if each is None or each in "\t\n" or each >= " "]
    characters = in_xml if held == "Excel" else AROUND
    source = NAMED[held](people_between(characters), tmp_path)
    check_people_between(source, characters, streams=isinstance(source, pa.Table | Path) and held != "Excel")


@pytest.mark.parametrize("kind", ["text", "varchar(9)", "name_of_one"])
def test_postgresql_trims_the_names_of_people_as_python_does(postgres, kind):
    table = people_between(AROUND)
    labels = ", ".join(f"'{name}'" for name in dict.fromkeys(table["id"].to_pylist()))
    source = postgres_table(postgres, table)
    postgres.run("DROP TYPE IF EXISTS name_of_one CASCADE", f"CREATE TYPE name_of_one AS ENUM ({labels})")
    postgres.run(f"ALTER TABLE mine ALTER id TYPE {kind} USING id::{kind}")
    check_people_between(source, AROUND)


@pytest.mark.parametrize(
    ("encoding", "codec", "letter"),
    [
        ("LATIN1", "latin1", "é"),
        ("WIN1252", "cp1252", "é"),
        ("EUC_JP", "euc_jp", "あ"),
        ("KOI8R", "koi8_r", "Д"),
        ("SQL_ASCII", "ascii", "é"),
    ],
)
def test_postgresql_trims_the_names_of_people_in_other_encodings(postgres, encoding, codec, letter):
    characters = [None, *BLANKS.encode(codec, "ignore").decode(codec), "_"]
    names = [*people_between(characters)["id"].to_pylist(), letter]
    cells = ", ".join(f"('{name}', '{letter}', 'Flu')" for name in names)
    postgres.run(
        "DROP DATABASE IF EXISTS other",
        f"CREATE DATABASE other ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0",
    )
    with postgres.connection(database="other") as connection, connection.cursor() as cursor:
        cursor.execute("SET client_encoding = 'UTF8'")
        cursor.execute("CREATE TABLE mine (id text, place text, disease text)")
        cursor.execute(f"INSERT INTO mine VALUES {cells}")
    source = postgres.address("mine", database="other")
    roles = {"sensitive": "disease", "person": "id", "values": "set"}
    release = sl.read_release(source, group="place", keep_people=True, **roles)
    assert {*release.people} == {name.strip() for name in names}
    assert release.groups.columns[0].labels == (letter,)


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_spark_trims_the_names_of_people_as_python_does(spark):
    check_people_between(spark.createDataFrame(people_between(AROUND)), AROUND)


# --- PostgreSQL, a real server --------------------------------------------------------------------------------


def postgres_table(server, table):
    server.put("mine", table)
    return server.address("mine")


@settings(max_examples=settings().max_examples // 7)
@given(case=cases())
def test_postgresql_counts_like_plain_python(postgres, case):
    check(lambda rows, folder: postgres_table(postgres, arrow_plain(rows, folder)), case)


@settings(max_examples=settings().max_examples // 7)
@given(case=TOGETHER, notes=NOTES)
def test_postgresql_counts_several_sensitive_columns_together(postgres, case, notes):
    check_together(lambda rows, folder: postgres_table(postgres, arrow_plain(rows, folder)), case, notes)


@settings(max_examples=settings().max_examples // 5)
@given(drawn=typed_cases().filter(lambda drawn: drawn[0] != "nanosecond"))  # PostgreSQL has microseconds
def test_postgresql_counts_every_type_like_its_texts(postgres, drawn):
    kind, case = drawn
    if kind == "duration":  # PostgreSQL's are intervals
        with TemporaryDirectory() as folder, pytest.raises(BadTable, match="holds interval cells"):
            sl.read_table(
                postgres_table(postgres, typed_arrow(case["rows"], Path(folder), kind)),
                quasi="place",
                sensitive="disease",
            )
        return
    check(lambda rows, folder: postgres_table(postgres, typed_arrow(rows, folder, kind)), case)


# --- the same findings, and the same release -------------------------------------------------------------------

CROWD = [
    (("North", "South", "East")[i % 3], 20 + i * i % 37, ("Flu", "HIV", "Cold", "Rash")[i * i // 3 % 4], i, "x")
    for i in range(60)
]
CROWD_ROLES = {"sensitive": "disease", "kinds": {"age": "number"}}


def answers(read_release, read_table):
    """What every measure that streams finds of the rows, and what Mondrian publishes of them."""
    release = read_release(group=["place", "age"], **CROWD_ROLES)
    measures = [measure for kind in all_measures() for measure in kind.examples(release.domain) if measure.streams]
    told = findings([each for each in measures if "single" in each.semantics], release)
    table = read_table(quasi=["place", "age"], **CROWD_ROLES)
    policy = sl.Policy(sl.GroupSize() >= 3, sl.DistinctValues() >= 2)
    found = sl.protect(table, policy, method="mondrian", ask="nobody")
    with TemporaryDirectory() as folder:
        found.publish(Path(folder) / "out.csv")
        lines = (Path(folder) / "out.csv").read_text(encoding="utf-8").splitlines()
    return told, sorted(lines), found.verdict


def held_answers(source):
    return answers(partial(sl.read_release, source), partial(sl.read_table, source))


def streamed_answers(source):
    """The same out of core: runs of a few rows, read a few at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "rows_to_sort", lambda self, words: 16)
        patch.setattr(SortedRuns.batches, "__defaults__", (8,))
        return answers(partial(sl.stream_release, source), partial(sl.stream_table, source))


@pytest.fixture(scope="module")
def one_answer():
    return held_answers(arrow_plain(CROWD, None))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
def test_every_engine_has_the_same_findings_and_release(engine, one_answer, tmp_path):
    assert held_answers(engine(CROWD, tmp_path)) == one_answer


@pytest.mark.parametrize("engine", [arrow_plain, csv_file, parquet_file, parquet_glob], ids=lambda each: each.__name__)
def test_out_of_core_findings_and_release_are_the_same(engine, one_answer, tmp_path):
    assert streamed_answers(engine(CROWD, tmp_path)) == one_answer


@pytest.mark.parametrize("asked", [held_answers, streamed_answers], ids=lambda asked: asked.__name__)
def test_postgresql_has_the_same_findings_and_release(postgres, asked, one_answer):
    assert asked(postgres_table(postgres, arrow_plain(CROWD, None))) == one_answer


# --- Spark, on a few fixed tables: each takes seconds ---------------------------------------------------------

FIXED = [
    {"values": "single", "missing": "a value", "suppressed": "a group", "marks": (), "person": True},
    {"values": "set", "missing": "drop", "suppressed": "leave out", "marks": ("?",), "person": True},
    {"values": "multiset", "missing": "a value", "suppressed": "leave out", "marks": ("?", "-9"), "person": True},
]
PEOPLE = [
    ("North", 9, "Flu", 1, "x"),
    ("North", 9, "Flu", 1, "x"),
    ("North", 9, "HIV", 2, "x"),
    ("North", 9, None, 2, "x"),
    (None, 10, "Flu", 3, "x"),
    (None, 10, "?", 3, "x"),
    ("*", -9, "HIV", 4, "x"),
    ("*", None, "HIV", 5, "x"),
]


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", FIXED, ids=lambda how: how["values"])
def test_spark_counts_like_plain_python(spark, how):
    rows = [(*row[:3], i, row[4]) for i, row in enumerate(PEOPLE)] if how["values"] == "single" else PEOPLE
    schema = "place string, age int, disease string, id long, note string"
    check(lambda rows, folder: spark.createDataFrame(rows, schema), {"rows": rows, **how})


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["date", "truth", "duration"])
def test_spark_counts_every_type_like_its_texts(spark, kind):
    one, other, *_ = KINDS[kind][1]
    rows = [(one, 9, one, 1, "x"), (one, 9, None, 1, "x"), (one, 9, other, 2, "x"), (None, 9, one, 3, "x")]
    case = {"rows": rows, "values": "set", "missing": "drop", "suppressed": "a group", "person": True}
    check(lambda rows, folder: spark.createDataFrame(typed_arrow(rows, folder, kind)), case | {"marks": (other,)})


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_spark_refuses_a_person_in_two_places(spark):
    frame = spark.createDataFrame([("a", "Flu", 1), ("b", "Flu", 1)], "place string, disease string, id long")
    with pytest.raises(BadTable, match=r"\b1 person .*differ.*quasi"):
        sl.read_table(frame, quasi="place", sensitive="disease", person="id", values="set")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("asked", [held_answers, streamed_answers], ids=lambda asked: asked.__name__)
def test_spark_has_the_same_findings_and_release(spark, asked, one_answer):
    schema = "place string, age int, disease string, id long, note string"
    assert asked(spark.createDataFrame(CROWD, schema)) == one_answer


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
def test_spark_gives_the_answers_of_a_few_releases_of_the_registry(spark):
    several = [Listed(section) for name in ("single", "set", "multiset") for section in documents()[name]["release"]]
    for listed in (each for each in several if each.name == "drawn 4"):
        listed.check(sl.read_release(spark.createDataFrame(listed.rows().to_pandas()), **listed.roles()))
