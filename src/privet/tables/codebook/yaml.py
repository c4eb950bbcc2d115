"""Reading a codebook from YAML, as the text that a person typed.

The events of a safe parser become a tree; no YAML type is ever resolved and nothing is constructed. Aliases, tags,
second documents, duplicate keys, deep nesting and large files are refused.
"""

from pathlib import Path
from typing import Any

import yaml

from privet.errors import InvalidError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.problem import CodebookError, Problem, Problems
from privet.tables.codebook.read import read_codebook
from privet.tables.codebook.tree import Broken, Listing, Mapping, Node, Scalar, path_of

LARGEST_FILE = 2**20  # bytes; a codebook of ten thousand columns is smaller
_DEEPEST = 12


def read(path: str | Path) -> Codebook:
    """Read a codebook from a file; problems name the file and the line.

    Raises:
        CodebookError: with everything that is wrong.
    """
    problems = Problems(str(path))
    return read_codebook(read_tree(read_text(path), problems), problems)


def from_yaml(text: str) -> Codebook:
    """Read a codebook from text."""
    problems = Problems()
    return read_codebook(read_tree(text, problems), problems)


def read_text(path: str | Path) -> str:
    """Read a file of a size that a codebook may have."""
    place = Path(path)
    try:
        with place.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidError(f"{path} cannot be read: {error.strerror or 'no reason given'}.") from None
    if len(data) > LARGEST_FILE:
        raise CodebookError((Problem(f"a codebook must be smaller than {LARGEST_FILE:,} bytes.", str(path)),))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CodebookError((Problem("a codebook must be text in UTF-8.", str(path), line),)) from None


def read_tree(text: str, problems: Problems) -> Node:
    """Turn YAML into a tree; what cannot be parsed at all is raised at once."""
    if len(text) > LARGEST_FILE:
        raise CodebookError((Problem(f"a codebook must be smaller than {LARGEST_FILE:,} characters.", problems.file),))
    try:
        return _Builder(text, problems).document()
    except CodebookError:
        raise
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        told = f"the character U+{error.character:04X} must be written as an escape in double quotes."
        raise CodebookError((Problem(told, problems.file, line),)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        parts = [part for part in (error.context, error.problem) if part]
        told = f"this is no YAML: {', '.join(parts)}."
        raise CodebookError((Problem(told, problems.file, mark and mark.line + 1, mark and mark.column + 1),)) from None
    except (ValueError, OverflowError):  # such as an escape beyond Unicode
        raise CodebookError((Problem("this is no YAML: an escape is wrong.", problems.file),)) from None


class _Builder:
    """Makes the tree from the events of the parser."""

    def __init__(self, text: str, problems: Problems) -> None:
        self.loader = yaml.SafeLoader(text)
        self.problems = problems

    def document(self) -> Node:
        self.loader.get_event()  # the start of the stream
        if self.loader.check_event(yaml.StreamEndEvent):
            self.problems.add(Broken(1, 1), "the codebook is empty: write unit and columns.")
            return Broken(1, 1)
        self.loader.get_event()  # the start of the document
        root = self.node("", 0)
        self.loader.get_event()  # its end
        if not self.loader.check_event(yaml.StreamEndEvent):
            place = _place(self.loader.peek_event())
            self.problems.add(Broken(*place), "a codebook must be one document: remove the --- and what follows.")
        return root

    def node(self, path: str, depth: int) -> Node:
        event = self.loader.get_event()
        place = _place(event)
        here = path or "the codebook"
        if depth > _DEEPEST:
            raise CodebookError((Problem(f"{here} is nested too deeply.", self.problems.file, *place),))
        if isinstance(event, yaml.AliasEvent):
            self.problems.add(
                Broken(*place), f"{here}: aliases are not read, got *{event.anchor}; write the value out."
            )
            return Broken(*place)
        if event.anchor is not None:
            self.problems.add(Broken(*place), f"{here}: anchors are not read, got &{event.anchor}; remove it.")
        if event.tag is not None:
            self.problems.add(Broken(*place), f"{here}: tags are not read, got {event.tag[:60]}; remove it.")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, typed=True, plain=event.style is None, line=place[0], position=place[1])
        if isinstance(event, yaml.SequenceStartEvent):
            return self.listing(path, depth, place)
        return self.mapping(path, depth, place)

    def listing(self, path: str, depth: int, place: tuple[int, int]) -> Node:
        items: list[Node] = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            items.append(self.node(f"{path}[{len(items)}]", depth + 1))
        self.loader.get_event()
        return Listing(tuple(items), *place)

    def mapping(self, path: str, depth: int, place: tuple[int, int]) -> Node:
        items: dict[str, Node] = {}
        keys: dict[str, Scalar] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            key = self.node(path, depth + 1)
            name = key.value if isinstance(key, Scalar) else ""
            value = self.node(path_of(path, name), depth + 1)
            if not isinstance(key, Scalar):
                if not isinstance(key, Broken):
                    self.problems.add(key, f"{path or 'the codebook'} must have plain texts as keys.")
            elif name in items:
                first = keys[name].line
                self.problems.add(key, f"{path_of(path, name)} is written twice, first in line {first}.")
            else:
                items[name], keys[name] = value, key
        self.loader.get_event()
        return Mapping(items, keys, *place)


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1
