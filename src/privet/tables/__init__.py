"""Private queries on tables: what is publicly known of a table, and what may be asked of it."""
