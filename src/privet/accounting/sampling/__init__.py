"""What sampling, shuffling and repetition make of a privacy loss."""
