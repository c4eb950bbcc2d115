"""Relations: rows of tables, their caps and the spaces they live in."""
