"""The calculus: domains, metrics, spaces, transformations, measurements, losses. It imports no other layer."""
