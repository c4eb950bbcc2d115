"""Imputation in tables: missing values from nearest neighbours."""
