"""Benchmarks: each runs us and the peer, or us and the plain engine, in one run."""
