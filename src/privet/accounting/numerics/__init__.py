"""Certified numbers: bounds of irrational values, conversions between forms."""
