"""DuckDB, which also scans Parquet and text: `session` (connections, and what goes wrong) and `source` (rows)."""
