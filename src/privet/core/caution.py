"""Warnings that point at the line of the caller, not into this package."""

import os
import sys
import warnings
from pathlib import Path

from privet.errors import PrivetWarning

_INSIDE = (str(Path(__file__).parents[1]) + os.sep, "<attrs generated")


def warn_caller(text: str, category: type[Warning] = PrivetWarning) -> None:
    """Give a warning at the first line outside of this package that led here.

    Args:
        text: What was given, what is usual and what to do. It depends on nothing private.
        category: Its class, where another library expects one of its own.
    """
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_INSIDE):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, category, stacklevel=depth)
