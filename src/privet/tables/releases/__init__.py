"""Releases: noisy values with errors, intervals and the loss that paid for them."""
