"""Stable transformations, one per file."""
