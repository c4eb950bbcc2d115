"""Plans of noise: how much each number gets."""
