"""The nodes of a query: transformations of tables, each with a map, that write a relational expression."""
