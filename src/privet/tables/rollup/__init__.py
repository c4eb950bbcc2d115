"""Roll-ups over a hierarchy that add up."""
