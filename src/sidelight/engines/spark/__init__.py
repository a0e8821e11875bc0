"""Spark: `source` (sessions, rows, and releases in parts) and `stream` (keys in executors)."""
