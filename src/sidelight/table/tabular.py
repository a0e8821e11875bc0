"""What can be had as an Arrow table can be had as a dataframe too: pandas or polars, whichever is at hand.

The libraries are imported when they are asked for, and none of pandas and polars is needed for anything else.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.errors import NotAvailable
from sidelight.table.table import Column

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Tabular:
    """A base for things that have rows to hand out."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """Give all rows as a pyarrow table."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Give the rows of `to_arrow` as a pandas DataFrame."""
        try:
            frame: pd.DataFrame = self.to_arrow().to_pandas()
        except ImportError:
            raise NotAvailable.without(package="pandas", what="to_pandas()") from None
        return frame

    def to_polars(self) -> pl.DataFrame:
        """Give the rows of `to_arrow` as a polars DataFrame."""
        try:
            import polars  # noqa: PLC0415, ICN001 - optional, and slow to import
        except ImportError:
            raise NotAvailable.without(package="polars", what="to_polars()") from None
        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame


def arrow_labels(column: Column, rows: npt.NDArray[np.integer] | slice = slice(None)) -> pa.Array:
    """Give the labels of some rows of a column as Arrow's texts.

    >>> arrow_labels(Column.of("age", ["30", None, "4"]), slice(0, 2)).to_pylist()
    ['30', None]
    """
    import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

    return pa.array(column.labels, pa.string()).take(pa.array(column.codes[rows]))


def free_name(name: str, taken: Collection[str]) -> str:
    """Give a column a name that no other column has.

    >>> free_name("count", ["age"]), free_name("count", ["age", "count"])
    ('count', 'count_')
    """
    while name in taken:
        name += "_"
    return name
