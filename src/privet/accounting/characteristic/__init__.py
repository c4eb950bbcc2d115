"""Characteristic functions of privacy losses, and their inversion."""
