"""Queries and plans as files of YAML: one list of keys to read them, to write them and to describe them to editors."""
