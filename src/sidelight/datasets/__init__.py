"""Tables of real people, each with its roles, hierarchies, source and licence.

Read `tables` (those that come with the package, and those that are fetched when first asked for, with what is done to
their columns; `tables.toml` says what these mean), then `archives` (how they are fetched, checked and kept).
Not here: readers of other tables (`table`), or tables made up for tests (`testing`).
"""

from sidelight.datasets.tables import OCCUPATIONS as OCCUPATIONS
from sidelight.datasets.tables import Dataset as Dataset
from sidelight.datasets.tables import acs as acs
from sidelight.datasets.tables import adult as adult
from sidelight.datasets.tables import census_income as census_income
from sidelight.datasets.tables import diagnoses as diagnoses
from sidelight.datasets.tables import nhefs as nhefs

__all__ = ["OCCUPATIONS", "Dataset", "acs", "adult", "census_income", "diagnoses", "nhefs"]
