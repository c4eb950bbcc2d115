"""Dominating pairs: the two distributions that a privacy loss compares."""
