"""Chains: units placed one behind the other on a space.

``space >> unit`` places a unit, ``chain >> unit`` puts another behind it, ``unit >> unit`` makes a pipeline that is
placed later. A chain is flat, so it does not matter in which order it was put together.
"""
