"""Exact statistics of public groups, as whole numbers."""
