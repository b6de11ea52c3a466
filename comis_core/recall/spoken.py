"""Who said a memory, in words that fit into a line of the prompt block and can pass for nothing else there."""

from __future__ import annotations

import unicodedata

from comis_core.recall.neutral import neutral
from comis_core.senders import ASSISTANT, SYSTEM, TOOL, Roles

LONGEST_NAME = 40
"""Characters of a name; of a longer one the beginning is written, and an ellipsis."""

_CUT = "…"

LONGEST_SPOKEN = max(map(len, (ASSISTANT, TOOL, SYSTEM))) + len(' ""') + LONGEST_NAME + len(_CUT)
"""Characters of what `spoken_by` writes, at most."""

_SIGNS = frozenset(" .-_'’@+&/\u200c\u200d")
"""Signs that stand in names, addresses and numbers; none of them ends a quotation, a tag or the head of a line."""


def spoken_by(sender: str | None, roles: Roles) -> str:
    """Who said it: a name in quotation marks, what kind of machine, or both; empty where neither is known.

    A name keeps its letters, digits and the signs that names have. So it holds no quotation mark and no bracket, and
    what is written without quotation marks is said by this package alone.
    """
    if not sender:
        return ""
    kind = roles.machine(sender)
    name = _quoted(sender) if roles.is_named(sender) else ""
    return f"{kind} {name}".strip()


def _quoted(sender: str) -> str:
    plain = sender.isascii() and sender.isalnum()
    name = sender if plain else " ".join("".join(sign if _stays(sign) else " " for sign in neutral(sender)).split())
    if not any(sign.isalnum() for sign in name):
        return ""
    return f'"{name}"' if len(name) <= LONGEST_NAME else f'"{name[:LONGEST_NAME].rstrip()}{_CUT}"'


def _stays(sign: str) -> bool:
    return sign.isalnum() or sign in _SIGNS or unicodedata.category(sign) in ("Mn", "Mc")
