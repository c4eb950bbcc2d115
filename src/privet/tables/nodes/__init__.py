"""The steps of a query: each a transformation of tables with a map, whose function writes a relational expression."""
