"""How a text file is written: its encoding, what parts fields, and what a record is. Public, and never sniffed."""

from typing import Literal, final, get_args

from attrs import field, frozen

from privet.core import short
from privet.errors import InvalidError, WrongTypeError

Records = Literal["lines", "crlf", "quoted"]
Invalid = Literal["drop", "replace"]
RECORDS: tuple[Records, ...] = get_args(Records)
INVALID: tuple[Invalid, ...] = get_args(Invalid)
# none of them has a state that one line could leave to the next, and no byte of a letter looks like a line end
WIDE = ("utf-16", "utf-16-le", "utf-16-be")
MULTIBYTE = ("big5", "cp932", "cp949", "cp950", "euc-jp", "euc-kr", "gb18030", "gbk", "shift-jis")
SINGLE_BYTE = (
    *("latin-1", "ascii", "cp437", "cp850", "cp852", "cp858", "cp862", "cp866", "koi8-r", "koi8-u", "mac-roman"),
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso-8859-{number}" for number in range(1, 17) if number != 12),
)
ENCODINGS = ("utf-8", *WIDE, *SINGLE_BYTE, *MULTIBYTE)
_ALSO = {
    "utf8": "utf-8",
    "utf-8-sig": "utf-8",
    "utf16": "utf-16",
    "latin1": "latin-1",
    "us-ascii": "ascii",
    **{f"windows-{number}": f"cp{number}" for number in range(1250, 1259)},
    "sjis": "shift-jis",
    "windows-31j": "cp932",
    "macroman": "mac-roman",
    "gb2312": "gbk",
    "windows-949": "cp949",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
_MOST_SKIPPED = 10_000
_NAMED = ("utf-8", "utf-16", "latin-1", "cp1252")


def read_encoding(given: object) -> str:
    """Give the one name of an encoding that is read."""
    if not isinstance(given, str):
        raise WrongTypeError(f"file.encoding must be a name such as latin-1, got {type(given).__name__}.")
    plain = given.strip().lower().replace("_", "-").replace("iso8859-", "iso-8859-")
    name = _ALSO.get(plain, plain)
    if name not in ENCODINGS:
        raise InvalidError(
            f"file.encoding must be one of {', '.join(_NAMED)} or another encoding without a state, got "
            f"{short(given)}. Convert the file to UTF-8."
        )
    return name


def check_delimiter(delimiter: object) -> None:
    """Refuse a delimiter that could not part fields."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise InvalidError(f"delimiter must be one ASCII character that is no quote or line end, got {delimiter!r}.")


def _check_character(label: str, value: object) -> None:
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\r\n\0":
        raise InvalidError(f"{label} must be one ASCII character that is no line end, got {short(value)}.")


def _names(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


@final
@frozen(kw_only=True)
class FileForm:
    """How a text file is written.

    Args:
        encoding: How bytes write letters.
        invalid: What happens to a line with bytes that are no letters: it is no row (``drop``), or the bytes become
            U+FFFD (``replace``).
        delimiter: What parts fields; None for a comma, or a tab in ``.tsv`` files.
        quote: What stands around fields that hold a delimiter; empty where nothing does.
        records: What a row is: a line (``lines``), what CRLF ends (``crlf``), or a line whose quoted fields may hold
            line ends (``quoted``).
        names: The columns in order, where the file has no header.
        skip: How many lines stand before the header, or before the first row where there is none.
        comment: What begins a line that is no row; None where nothing does.
    """

    encoding: str = field(default="utf-8", converter=read_encoding)
    invalid: Invalid = field(default="drop")
    delimiter: str | None = field(default=None)
    quote: str = field(default='"')
    records: Records = field(default="lines")
    names: tuple[str, ...] = field(default=(), converter=_names)
    skip: int = field(default=0)
    comment: str | None = field(default=None)

    @invalid.validator
    def _check_invalid(self, _: object, value: object) -> None:
        if value not in INVALID:
            raise InvalidError(f"file.invalid must be one of {', '.join(INVALID)}, got {short(value)}.")

    @delimiter.validator
    def _check_delimiter(self, _: object, value: object) -> None:
        if value is not None:
            _check_character("file.delimiter", value)

    @quote.validator
    def _check_quote(self, _: object, value: object) -> None:
        if value != "":
            _check_character("file.quote", value)

    @records.validator
    def _check_records(self, _: object, value: object) -> None:
        if value not in RECORDS:
            raise InvalidError(f"file.records must be one of {', '.join(RECORDS)}, got {short(value)}.")
        if value == "quoted" and not self.quote:
            raise InvalidError("file.records is quoted, but file.quote is empty; name the quote.")

    @names.validator
    def _check_names(self, _: object, value: object) -> None:
        if not isinstance(value, tuple) or not all(isinstance(each, str) for each in value):
            raise WrongTypeError("file.names must be the names of the columns in order, such as [person, day].")
        if len(set(value)) != len(value):
            raise InvalidError("file.names must be different names, got one twice.")

    @skip.validator
    def _check_skip(self, _: object, value: object) -> None:
        if type(value) is not int or not 0 <= value <= _MOST_SKIPPED:
            raise InvalidError(f"file.skip must be a number of lines up to {_MOST_SKIPPED:,}, got {short(value)}.")

    @comment.validator
    def _check_comment(self, _: object, value: object) -> None:
        if value is None:
            return
        _check_character("file.comment", value)
        if self.records == "quoted":
            raise InvalidError(
                "file.comment is not for quoted records: a quote in a comment would open a field. Use file.skip for "
                "lines before the header."
            )

    def __attrs_post_init__(self) -> None:
        marks = [each for each in (self.delimiter, self.quote, self.comment) if each]
        if len(set(marks)) != len(marks):
            raise InvalidError("file.delimiter, file.quote and file.comment must be different characters.")
        if self.encoding == "utf-16" and self.names and not self.skip:
            raise InvalidError(
                "file.encoding is utf-16 and the file has no header: its first row would decide how all others are "
                "read. Write utf-16-le, the order of most programs, or utf-16-be."
            )

    @property
    def is_plain(self) -> bool:
        """Whether lines are UTF-8 and are rows as they stand."""
        return self.encoding == "utf-8" and self.invalid == "drop" and self.records == "lines" and self.comment is None


PLAIN_FILE = FileForm()
