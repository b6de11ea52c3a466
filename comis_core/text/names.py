"""The folded form of a name: what two spellings of one name have in common."""

from __future__ import annotations

from comis_core.text.folding import casefold, fold, prepare


def fold_name(name: str) -> str:
    """NFKC, casefolded, without decorating marks, single spaces: São  Paulo, SAO PAULO and sao paulo are one name.

    Apostrophes and hyphens of every kind are the ASCII ones. A name of nothing but decoration keeps it. Folding twice
    changes nothing more.
    """
    if name.isascii():
        return " ".join(name.replace("`", "'").lower().split())
    spelling = casefold(prepare(name))
    return " ".join((fold(spelling).strip() or spelling).split())
