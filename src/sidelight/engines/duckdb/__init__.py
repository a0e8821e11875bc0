"""DuckDB, which also reads CSV and Parquet: `source`."""
