"""Group keys that are not public."""
