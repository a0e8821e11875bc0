"""PostgreSQL, counted by the server: `session` (addresses, connections, what goes wrong) and `source` (rows)."""
