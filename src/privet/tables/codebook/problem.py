"""The error of a codebook with mistakes."""

from typing import final

from privet.core import Problems, ProblemsError


@final
class CodebookError(ProblemsError):
    """A codebook that cannot be used; ``problems`` lists everything that is wrong with it."""


def codebook_problems(file: str | None = None) -> Problems:
    """Begin to collect the problems of a codebook."""
    return Problems(CodebookError, "codebook", file)
