"""Small letters and capitals: what the local engine maps to what, for engines that would map otherwise."""

from functools import cache

from privet.tables.engines.default import evaluate
from privet.tables.vocabulary import call, column

_CASED = (range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x1F000))  # no other code points have a case
WHITE_SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


@cache
def mapping(name: str) -> tuple[str, str]:
    """Give the code points beyond ASCII that a change of case maps to others, and those others.

    Args:
        name: ``"lower"`` or ``"upper"``.
    """
    points = [chr(each) for part in _CASED for each in part]
    (mapped,) = evaluate([call(name, column("c"))], {"c": ("text", points)}, len(points))
    pairs = [(one, other) for one, other in zip(points, mapped, strict=True) if one != other]
    return "".join(one for one, _ in pairs), "".join(other for _, other in pairs)
