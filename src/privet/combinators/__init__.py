"""Combinators: what puts several releases under one bound."""
