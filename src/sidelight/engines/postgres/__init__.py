"""PostgreSQL: `source` (addresses, sessions, and rows)."""
