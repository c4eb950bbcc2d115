"""Search shows guides and recipes before proofs, and a recipe uses the room of its short table of contents."""

from typing import Any

_FIRST = ("guides/", "recipes/", "tables/aggregates/")
_BOOST = 4


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Raise the rank of a page that an analyst looks for, and give a recipe its room."""
    if page.file.src_uri.startswith(_FIRST):
        page.meta.setdefault("search", {}).setdefault("boost", _BOOST)
    if page.file.src_uri.startswith("recipes/"):
        page.meta.setdefault("hide", ["toc"])
    return markdown
