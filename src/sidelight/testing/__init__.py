"""Hypothesis strategies for releases and tables, for our tests and yours."""
