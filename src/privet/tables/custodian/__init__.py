"""The custodian's check: exact, for whoever holds the data. Nothing here is private, and no release may use it."""
