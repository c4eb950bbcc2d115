"""Private models against the same models of other libraries, on public data."""
