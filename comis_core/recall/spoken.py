"""Who said a memory, in words that fit into a line of the prompt block and can pass for nothing else there."""

from __future__ import annotations

import unicodedata

from comis_core.recall.neutral import neutral
from comis_core.senders import is_named, machine

LONGEST_NAME = 40
"""Characters of a name; of a longer one the beginning is written, and an ellipsis."""

_CUT = "…"

_SIGNS = frozenset(" .-_'’@+&/\u200c\u200d")
"""Signs that stand in names, addresses and numbers; none of them ends a quotation, a tag or the head of a line."""


def spoken_by(sender: str | None) -> str:
    """Who said it: a name in quotation marks, or what kind of machine; empty where neither is known.

    A name keeps its letters, digits and the signs that names have. So it holds no quotation mark and no bracket, and
    what is written without quotation marks is said by this package alone.
    """
    if not sender:
        return ""
    if not is_named(sender):
        return machine(sender)
    name = " ".join("".join(sign if _stays(sign) else " " for sign in neutral(sender)).split())
    if not any(sign.isalnum() for sign in name):
        return ""
    return f'"{name}"' if len(name) <= LONGEST_NAME else f'"{name[:LONGEST_NAME].rstrip()}{_CUT}"'


def _stays(sign: str) -> bool:
    return sign.isalnum() or sign in _SIGNS or unicodedata.category(sign) in ("Mn", "Mc")
