"""Reading YAML as the text that a person typed.

The events of a safe parser become a tree; no YAML type is ever resolved and nothing is constructed. Aliases, tags,
second documents, repeated keys, deep nesting and large files are refused.
"""

from pathlib import Path
from typing import final

import yaml

from privet.core import Place, Problems
from privet.errors import InvalidError
from privet.tables.codebook.tree import LARGEST_FILE, Broken, Listing, Mapping, Node, Scalar, path_of

_DEEPEST = 12  # levels of a codebook


def read_file(path: str | Path, problems: Problems, deepest: int = _DEEPEST) -> Node:
    """Turn a YAML file into a tree; problems name the file and the line."""
    whole = Place()
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise InvalidError(f"there is no file {str(path)!r}; check the path.") from None
        raise InvalidError(f"{path} cannot be read: {error.strerror or 'no reason given'}.") from None
    except ValueError:
        raise InvalidError(f"{str(path)!r} cannot be read: no file has such a name.") from None
    if len(data) > LARGEST_FILE:
        raise problems.fatal(whole, f"a {problems.thing} must be smaller than {LARGEST_FILE:,} bytes.", rule="size")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Place(line=data[: error.start].count(b"\n") + 1)
        raise problems.fatal(place, f"a {problems.thing} must be text in UTF-8.", rule="syntax") from None
    return read_text(text, problems, deepest)


def read_text(text: str, problems: Problems, deepest: int = _DEEPEST) -> Node:
    """Turn YAML into a tree; what cannot be parsed at all is raised at once."""
    if len(text) > LARGEST_FILE:
        raise problems.fatal(
            Place(), f"a {problems.thing} must be smaller than {LARGEST_FILE:,} characters.", rule="size"
        )
    try:
        return _Builder(text, problems, deepest).document()
    except yaml.reader.ReaderError as error:
        place = Place(line=text[: error.position].count("\n") + 1)
        message = f"the character U+{error.character:04X} must be written as an escape in double quotes."
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place() if mark is None else Place(line=mark.line + 1, position=mark.column + 1)
        message = f"this is no YAML: {', '.join(part for part in (error.context, error.problem) if part)}."
    except InvalidError:
        raise
    except (ValueError, OverflowError):  # such as an escape beyond Unicode
        place, message = Place(), "this is no YAML: an escape is wrong."
    raise problems.fatal(place, message, rule="syntax")


@final
class _Builder:
    """Makes the tree from the events of the parser."""

    def __init__(self, text: str, problems: Problems, deepest: int) -> None:
        self.loader = yaml.SafeLoader(text)
        self.problems, self.deepest = problems, deepest
        self.whole = f"the {problems.thing}"

    def refuse(self, place: Place, message: str, fix: str = "") -> None:
        self.problems.add(place, message, rule="syntax", fix=fix)

    def document(self) -> Node:
        self.loader.get_event()  # the start of the stream
        if self.loader.check_event(yaml.StreamEndEvent):
            return Scalar("", Place(line=1, position=1), typed=True, plain=True)
        self.loader.get_event()  # the start of the document
        root = self.node("", 0)
        self.loader.get_event()  # its end
        if not self.loader.check_event(yaml.StreamEndEvent):
            place = _place("", self.loader.peek_event())
            self.refuse(place, f"a {self.problems.thing} must be one document.", "Remove the --- and what follows.")
        return root

    def node(self, path: str, depth: int) -> Node:
        event = self.loader.get_event()
        place = _place(path, event)
        here = path or self.whole
        if depth > self.deepest:
            raise self.problems.fatal(place, f"{here} is nested too deeply.", rule="size")
        if isinstance(event, yaml.AliasEvent):
            self.refuse(place, f"{here}: aliases are not read, got *{event.anchor}.", "Write the value out.")
            return Broken(place)
        if event.anchor is not None:
            self.refuse(place, f"{here}: anchors are not read, got &{event.anchor}.", "Remove it.")
        if event.tag is not None:
            self.refuse(place, f"{here}: tags are not read, got {event.tag[:60]}.", "Remove it.")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, place, typed=True, plain=event.style is None)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.listing(path, depth, place)
        return self.mapping(path, depth, place)

    def listing(self, path: str, depth: int, place: Place) -> Node:
        items: list[Node] = []
        while not self.loader.check_event(yaml.SequenceEndEvent):
            items.append(self.node(f"{path}[{len(items)}]", depth + 1))
        self.loader.get_event()
        return Listing(tuple(items), place)

    def mapping(self, path: str, depth: int, place: Place) -> Node:
        items: dict[str, Node] = {}
        keys: dict[str, Place] = {}
        while not self.loader.check_event(yaml.MappingEndEvent):
            key = self.node(path, depth + 1)
            name = key.value if isinstance(key, Scalar) else ""
            below = path_of(path, name)
            value = self.node(below, depth + 1)
            if not isinstance(key, Scalar):
                if not isinstance(key, Broken):
                    self.refuse(key.place, f"{path or self.whole} must have plain texts as keys.")
                continue
            at = Place(below, key.place.line, key.place.position)
            if name in items:
                message = f"{below} is written twice, first in line {keys[name].line}."
                self.problems.add(at, message, rule="repeated key")
            else:
                items[name], keys[name] = value, at
        self.loader.get_event()
        return Mapping(items, keys, place)


def _place(path: str, event: yaml.Event) -> Place:
    return Place(path, event.start_mark.line + 1, event.start_mark.column + 1)
