"""Spark: `source`, `stream` (keys in each executor) and `parts` (executors deal and write)."""
