"""PostgreSQL, counted by the server: `source`, and `address`, the way to it."""
