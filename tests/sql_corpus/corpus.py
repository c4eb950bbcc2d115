"""The queries of the corpus, as the files of ``queries/`` hold them."""

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, final

import yaml
from attrs import frozen

_FOLDER = Path(__file__).parent / "queries"
TEXTS = "PRIVET_SQL_TEXTS"  # a folder with the texts that are here by address and hash only, as <sha256>.sql


@final
@frozen(kw_only=True)
class CorpusQuery:
    """One query of the corpus.

    Args:
        id: Its name.
        source: The source that it is from.
        setting: The setting in which it runs.
        path: Where it stands in its source.
        dialect: The name that sqlglot gives its dialect; None for none.
        tables: The tables that it reads, by the names of the setting.
        sha256: The hash of its text.
        text: The text, word for word; None if it is neither here nor in the folder of texts.
        refusal: Why it is rightly refused; None if it should be answered.
    """

    id: str
    source: str
    setting: str
    path: str
    dialect: str | None
    tables: tuple[str, ...]
    sha256: str
    text: str | None
    refusal: str | None


def hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def sources() -> dict[str, dict[str, Any]]:
    """What the files say, by the name of the source."""
    read = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(_FOLDER.glob("*.yaml")))
    return {source["source"]: source for source in read}


def queries() -> Iterator[CorpusQuery]:
    for name, source in sources().items():
        for query in source["queries"]:
            yield CorpusQuery(
                id=query["id"],
                source=name,
                setting=source["setting"],
                path=query["path"],
                dialect=query["dialect"] or None,
                tables=tuple(query["tables"]),
                sha256=query["sha256"],
                text=query.get("text") or _from_folder(query["sha256"]),
                refusal=query.get("reason"),
            )


def _from_folder(sha256: str) -> str | None:
    folder = os.environ.get(TEXTS)
    path = Path(folder) / f"{sha256}.sql" if folder else None
    if path is None or not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    return text if hashed(text) == sha256 else None
