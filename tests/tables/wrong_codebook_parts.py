"""Pieces of codebooks with mistakes."""

__all__ = ["COLUMNS", "HEAD", "A", "col", "unit"]

"""Codebooks with something wrong: the text, and exactly what is said about it."""

HEAD = "unit: {rows: 1}\ncolumns:\n"
COLUMNS = """columns:
  p: {type: text}
  n: {type: integer}
  x: {type: real, bounds: [0, 1]}
  d: {type: date}
  t: {type: text, categories: [a]}
  v: {type: text, nulls: category}
"""
A = HEAD + "  a: {type: text}\n"


def col(body: str) -> str:
    """A codebook whose column has these keys, from line 4 on."""
    return HEAD + "  a:\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def unit(body: str) -> str:
    """A codebook whose unit has these keys, from line 9 on."""
    return COLUMNS + "unit:\n" + "".join(f"  {line}\n" for line in body.split("\n"))
