"""The forms of privacy loss, and how they add up."""
