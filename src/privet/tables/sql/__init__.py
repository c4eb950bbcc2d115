"""The SQL front end: an allow-list over the parse tree."""
