"""The tasks of a newcomer with Privet."""
