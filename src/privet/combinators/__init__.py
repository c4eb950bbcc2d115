"""Combinators: several releases under one bound."""
