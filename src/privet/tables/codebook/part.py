"""Parts of a codebook: mappings whose keys are listed once, for reading, writing, templates and JSON Schema."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, final

from attrs import evolve, field, frozen

from privet._familiar import find_close
from privet.core import check_format, write_format
from privet.errors import InvalidError
from privet.tables.codebook import scalars
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping as MappingNode
from privet.tables.codebook.tree import Node, describe_node, path_of
from privet.tables.columns import closest

Values = Mapping[str, Any]  # what is known, by key
Made = TypeVar("Made")


def _write_as_it_is(value: object, _: Values) -> object:
    return value


@final
@frozen(kw_only=True)
class Key:
    """One key: how it is read, written, asked for in a template, and described to other programs.

    Args:
        name: As a person writes it.
        read: Reads the node of this key, given what is known so far; None where there is a problem, which it notes.
        write: Turns a value into plain data, given all values; None for what need not be written.
        template: Gives the lines of a template, for what ``Part.template`` is called with.
        schema: The fragment of JSON Schema for its value.
        needs: Keys that must have been read before this one can be.
        last: Whether it is read after all others, with what they gave.
        missing: What to write where the key is required and not there; empty for an optional key.
        since: The first version of the format that has this key.
    """

    name: str
    read: Callable[[TreeReader, Node, Values], Any]
    schema: Mapping[str, object]
    write: Callable[[Any, Values], object] = _write_as_it_is
    template: Callable[[Any], list[str]] = lambda _: []
    needs: tuple[str, ...] = ()
    last: bool = False
    missing: str = ""
    since: int = 1


@final
@frozen
class Part(Generic[Made]):
    """A mapping of a codebook, by its list of keys.

    Args:
        thing: What it is, for messages: ``a column``.
        keys: Its keys, in the order in which they are written.
        make: Makes the object of all values, once every key was read; None where there is a problem.
        one_of: Keys of which exactly one must be there, for JSON Schema.
    """

    thing: str
    keys: tuple[Key, ...]
    make: Callable[[TreeReader, MappingNode, Values], Made | None]
    one_of: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def names(self) -> list[str]:
        """The names of the keys, in order."""
        return [key.name for key in self.keys]

    def read(self, reader: TreeReader, node: Node, known: Values | None = None) -> Made | None:
        """Read a mapping; None where it has a problem, unknown and missing keys among them.

        Args:
            reader: Keeps the problems.
            node: The mapping.
            known: What is known from outside of it, for the readers of its keys.
        """
        if not isinstance(node, MappingNode):
            if not reader.nothing_to_read(node):
                where = node.place.path or f"a {reader.problems.thing}"
                keys = ", ".join(key.name for key in sorted(self.keys, key=lambda key: not key.missing)[:3])
                reader.problems.add(node.place, f"{where} must have keys such as {keys}, got {describe_node(node)}.")
            return None
        values: dict[str, Any] = {}
        lacking = {key.name for key in self.keys if key.missing and key.name not in node.items}
        failed = set(lacking)
        for key in sorted(self.keys, key=lambda key: key.last):
            item = node.items.get(key.name)
            if item is None:
                continue
            if failed.isdisjoint(key.needs):
                values[key.name] = key.read(reader, item, {**(known or {}), **values})
            else:
                reader.nothing_to_read(item)
            if values.get(key.name) is None:
                failed.add(key.name)
        unknown = self._note_keys(reader, node, lacking)
        return None if failed or unknown else self.make(reader, node, values)

    def _note_keys(self, reader: TreeReader, node: MappingNode, lacking: set[str]) -> list[str]:
        """Note the keys that are not known and those that are not there; give the unknown ones."""
        unknown = [name for name in node.items if name not in self.names]
        for name in unknown:
            near = find_close(name, self.names) or next((key for key in self.names if key[:4] == name[:4]), None)
            fix = f" Did you mean {near}?" if near else f"The keys are {', '.join(self.names)}."
            place = node.keys[name]
            reader.problems.add(place, f"{place.path} is no key of {self.thing}.", rule="unknown key", fix=fix)
        for key in self.keys:
            if key.name in lacking and not closest(key.name, unknown):
                place = evolve(node.place, path=path_of(node.place.path, key.name))
                reader.problems.add(place, f"{place.path} is missing.", rule="missing key", fix=key.missing)
        return unknown

    def write(self, values: Values) -> dict[str, object]:
        """Give plain data, with the keys that have something to say."""
        given = [(key, values[key.name]) for key in self.keys if values.get(key.name) is not None]
        written = {key.name: key.write(value, values) for key, value in given}
        return {name: data for name, data in written.items() if data is not None}

    def template(self, given: object) -> Iterator[str]:
        """Write the lines of a template, key by key."""
        for key in self.keys:
            yield from key.template(given)

    def schema(self) -> dict[str, object]:
        """Describe the mapping in JSON Schema, for editors and other programs."""
        schema: dict[str, object] = {
            "type": "object",
            "properties": {key.name: dict(key.schema) for key in self.keys},
            "additionalProperties": False,
        }
        required = [key.name for key in self.keys if key.missing]
        if self.one_of:
            schema["oneOf"] = [{"required": [name]} for name in self.one_of]
        return {**schema, "required": required} if required else schema


def format_key(name: str, version: Callable[[], int], missing: str = "") -> Key:
    """Give the key ``format``; of a file of a newer version nothing else can be said.

    Args:
        name: What the file holds, such as ``codebook``.
        version: Gives the newest version that is read, which is the one that is written.
        missing: What to write where a file must have the key and has none; empty where old files have none.
    """

    def read(reader: TreeReader, node: Node, _: Values) -> str | None:
        written = reader.scalar(node, scalars.text)
        try:
            return None if written is None else write_format(name, check_format(name, version(), written))
        except InvalidError as error:
            raise reader.problems.fatal(node.place, str(error), rule="format") from None

    return Key(
        name="format",
        read=read,
        template=lambda _: [f"format: {write_format(name, version())}"],
        schema={"type": "string", "pattern": f"^{name}/[1-9][0-9]*$"},
        missing=missing,
    )


def newest(parts: Iterable[Part[Any]]) -> int:
    """Give the version of a format: that of its newest key."""
    return max(key.since for part in parts for key in part.keys)


def make_one(forms: str) -> Callable[[TreeReader, MappingNode, Values], Any]:
    """Let a part be the value of its one key; the forms say how it may be written."""

    def make(reader: TreeReader, node: MappingNode, values: Values) -> Any:
        if len(values) == 1:
            return next(iter(values.values()))
        reader.problems.add(node.place, f"{node.place.path} must be {forms}.")
        return None

    return make
