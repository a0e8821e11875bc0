"""Tables of real people, each with its roles, hierarchies, source and licence.

Read `tables` (bundled tables, and tables that are fetched at first use; `tables.toml` has the meaning of their columns
and codes), then `archives` (how they are fetched, checked and kept).
Not here: reading other tables (`table`), or tables made up for tests (`testing`).
"""

from sidelight.datasets.tables import OCCUPATIONS as OCCUPATIONS
from sidelight.datasets.tables import Dataset as Dataset
from sidelight.datasets.tables import acs as acs
from sidelight.datasets.tables import adult as adult
from sidelight.datasets.tables import census_income as census_income
from sidelight.datasets.tables import diagnoses as diagnoses
from sidelight.datasets.tables import nhefs as nhefs

__all__ = ["OCCUPATIONS", "Dataset", "acs", "adult", "census_income", "diagnoses", "nhefs"]
