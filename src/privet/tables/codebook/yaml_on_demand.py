"""Reading YAML; the parser loads when a file is first read."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.codebook.yaml import read_file, read_text

__all__ = ["read_file", "read_text"]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.codebook.yaml": (
            "read_file",
            "read_text",
        ),
    },
)
