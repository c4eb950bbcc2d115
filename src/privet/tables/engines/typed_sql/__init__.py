"""SQL that depends on types: for engines whose operators and functions are written by the types of their arguments."""
