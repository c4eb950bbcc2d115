"""Codebooks: what is publicly known of a table, read, checked and written."""
