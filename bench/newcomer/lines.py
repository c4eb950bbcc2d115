"""How many lines of code a program has."""

import ast
import io
import tokenize

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def code_lines(source: str) -> int:
    r"""Count the lines that hold code: neither blank, nor a comment, nor the docstring of the program.

    >>> code_lines('"Says what it does."\n\n# why\nprint(\n    1,\n)  # done\n')
    3
    """
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for each in tokens if each.type not in _NO_CODE for line in range(each.start[0], each.end[0] + 1)}
    body = ast.parse(source).body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        lines -= set(range(body[0].lineno, (body[0].end_lineno or 0) + 1))
    return len(lines)
