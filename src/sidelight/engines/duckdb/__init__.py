"""DuckDB, which also scans Parquet and text: `source` (connections, what goes wrong, and rows)."""
