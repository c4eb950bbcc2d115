"""Aggregates: exact whole numbers of known distance for each group, and values with intervals from noisy ones."""
