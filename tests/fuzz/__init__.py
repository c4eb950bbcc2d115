"""Random chains, queries, files and users' functions against the laws, with a fresh seed each time.

``make fuzz MINUTES=10`` runs until the time is over and prints a reproduction of whatever it finds. Every kind is a
function of a seed that raises ``AssertionError`` where a law is broken, so that a finding can be repeated alone.
"""
