"""What is publicly known of a column and of the privacy unit."""
