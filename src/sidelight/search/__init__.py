"""Searches for the most useful releases within a policy."""
