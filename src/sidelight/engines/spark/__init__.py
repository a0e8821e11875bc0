"""Spark: `session` (starting it, what goes wrong), `source` (rows), `stream` (keys in executors), `parts` (writing)."""
