"""Hypothesis without deadlines: how long an example takes depends on what else the machine does."""

from hypothesis import settings

settings.register_profile("privet", deadline=None)
settings.load_profile("privet")
