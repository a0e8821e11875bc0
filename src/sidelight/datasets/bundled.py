"""Bundled tables of real people.

`adult`: UCI Adult, 48,842 people of the US census of 1994, the table that the papers use; one value per person.
`nhefs`: 1,629 people of a US health survey of 1971 with the conditions that each had ever; a set of values per person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow.parquet as pq

from sidelight.engines.read import read_table
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import read_hierarchies
from sidelight.table.roles import EACH_ROW, Missing
from sidelight.table.table import Table
from sidelight.text import counted

ADULT = Path(__file__).parent / "adult.parquet"
NHEFS = Path(__file__).parent / "nhefs.parquet"

# The quasi-identifiers of Martin et al. (2007): 6 × 3 × 2 × 2 = 72 generalisations
QUASI = ("age", "marital-status", "race", "sex")

# The occupations that the description of `adult` lists: what is declared for noise, without a look at the people
OCCUPATIONS = (
    "Adm-clerical",
    "Armed-Forces",
    "Craft-repair",
    "Exec-managerial",
    "Farming-fishing",
    "Handlers-cleaners",
    "Machine-op-inspct",
    "Other-service",
    "Priv-house-serv",
    "Prof-specialty",
    "Protective-serv",
    "Sales",
    "Tech-support",
    "Transport-moving",
)


@dataclass(frozen=True, eq=False, slots=True)
class Dataset:
    """A table of real people with its roles, its hierarchies, and the file and the source that it comes from."""

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    path: Path
    citation: str
    licence: str

    def __repr__(self) -> str:
        return f"<Dataset {self.path.stem}: {self.table!r}, {counted(len(self.hierarchies), 'hierarchy')}>"


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
    without missing values; `people="all"` are 48,842, of whom 2,809 have no occupation (say what that
    means with `missing`, as in `read_table`).

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
    return Dataset(
        table=read_table(frame, quasi=list(quasi), sensitive=sensitive, person=EACH_ROW, missing=missing),
        hierarchies=read_hierarchies(ADULT),
        path=ADULT,
        citation="Becker, B. and Kohavi, R., Adult, UCI Machine Learning Repository, 1996, doi 10.24432/C5XW20",
        licence="CC BY 4.0",
    )


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
    return Dataset(
        table=read_table(
            NHEFS, quasi=list(quasi), sensitive="condition", person="person", values="set", missing="no value"
        ),
        hierarchies=read_hierarchies(NHEFS),
        path=NHEFS,
        citation="National Center for Health Statistics, NHANES I Epidemiologic Followup Study, as in "
        "Hernán, M. A. and Robins, J. M., Causal Inference: What If, 2020",
        licence="a work of the US government, in the public domain",
    )
