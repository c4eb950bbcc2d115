"""The tasks of a newcomer with diffprivlib, which protects single rows and knows no persons."""
