"""Budgets, calibration and pictures of privacy losses."""
