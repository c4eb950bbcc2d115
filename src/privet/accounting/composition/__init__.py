"""Distributions of sums of privacy losses."""
