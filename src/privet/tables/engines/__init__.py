"""The engines that run relational expressions; each gives exact integers, texts and booleans."""
