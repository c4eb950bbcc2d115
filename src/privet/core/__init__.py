"""The calculus: domains, metrics, spaces, transformations, measurements, losses. It knows no other layer."""
