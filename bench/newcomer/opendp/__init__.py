"""The tasks of a newcomer with OpenDP, with its context for Polars."""
