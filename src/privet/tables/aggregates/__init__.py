"""Aggregates: what a query asks of each group, as exact integers of known distance, then noisy ones with intervals."""
