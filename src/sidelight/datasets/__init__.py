"""Tables of real people, each with its roles, hierarchies, source and licence.

Read `bundled` (those that come with the package), then `fetched` (those that are fetched when first asked for, with
what is done to their columns; `codes` says what these mean), then `archives` (how they are fetched, checked and kept).
Not here: readers of other tables (`table`), or tables made up for tests (`testing`).
"""

from sidelight.datasets.bundled import OCCUPATIONS as OCCUPATIONS
from sidelight.datasets.bundled import Dataset as Dataset
from sidelight.datasets.bundled import adult as adult
from sidelight.datasets.bundled import nhefs as nhefs
from sidelight.datasets.fetched import acs as acs
from sidelight.datasets.fetched import census_income as census_income
from sidelight.datasets.fetched import diagnoses as diagnoses

__all__ = ["OCCUPATIONS", "Dataset", "acs", "adult", "census_income", "diagnoses", "nhefs"]
