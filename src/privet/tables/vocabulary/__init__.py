"""The SQL vocabulary: typed literals, casts and relational expressions."""
