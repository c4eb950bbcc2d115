"""Queries: rows, groups and aggregates, ready to be described and released."""
