"""pandas, polars, Arrow and whatever else narwhals takes: `source`."""
