"""Real tables that come with the package."""

from sidelight.datasets.bundled import Dataset as Dataset
from sidelight.datasets.bundled import adult as adult

__all__ = ["Dataset", "adult"]
