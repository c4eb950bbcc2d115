"""Measurements, one per file."""
