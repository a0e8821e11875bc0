"""Real tables that come with the package, each with its roles, hierarchies and source.

Everything is in `bundled`.  Not here: readers of other tables (`table`), or tables made up for tests (`testing`).
"""

from sidelight.datasets.bundled import OCCUPATIONS as OCCUPATIONS
from sidelight.datasets.bundled import Dataset as Dataset
from sidelight.datasets.bundled import adult as adult
from sidelight.datasets.bundled import nhefs as nhefs

__all__ = ["OCCUPATIONS", "Dataset", "adult", "nhefs"]
