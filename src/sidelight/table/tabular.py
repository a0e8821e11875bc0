"""What has a `table()` can be had as a dataframe too: Arrow, pandas or polars, whichever is at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Tabular:
    """A base for results with a `table()`; the libraries of dataframes are imported when they are asked for."""

    __slots__ = ()

    def table(self) -> pa.Table:
        """Give everything as an Arrow table."""
        raise NotImplementedError

    def to_arrow(self) -> pa.Table:
        """Give `table()`, by the name that dataframes have for it."""
        return self.table()

    def to_pandas(self) -> pd.DataFrame:
        """Give `table()` as a pandas DataFrame."""
        from sidelight.table.dataframe_source import to_pandas  # noqa: PLC0415 - it brings narwhals along

        return to_pandas(self.table())

    def to_polars(self) -> pl.DataFrame:
        """Give `table()` as a polars DataFrame."""
        from sidelight.table.dataframe_source import to_polars  # noqa: PLC0415 - it brings narwhals along

        return to_polars(self.table())
