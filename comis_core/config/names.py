"""The one rule between Python names and config keys, and guesses at what somebody meant."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*")
_KEY = re.compile(r"[a-z][a-zA-Z0-9]*")
_CAPITAL = re.compile(r"[A-Z]")


def to_key(name: str) -> str:
    """The camelCase config key of a snake_case attribute: `max_context_chars` is `maxContextChars`.

    An attribute that would be a Python keyword carries a trailing underscore: `lambda_` is the key `lambda`.

    Raises:
        ValueError: for a name that no key could be turned back into (capitals, a word that begins with a digit ...).
    """
    stem = name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name
    if not _NAME.fullmatch(stem) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is not snake_case (lower-case words that begin with a letter, joined by _)")
    head, *rest = stem.split("_")
    return head + "".join(word.capitalize() for word in rest)


def to_name(key: str) -> str:
    """The snake_case attribute of a camelCase config key; the inverse of `to_key`.

    Raises:
        ValueError: for a key that is not camelCase.
    """
    if not is_key(key):
        raise ValueError(f"{key!r} is not camelCase")
    name = _CAPITAL.sub(lambda capital: "_" + capital.group().lower(), key)
    return name + "_" if keyword.iskeyword(name) else name


def is_key(text: str) -> bool:
    """Whether `text` is written like a config key."""
    return _KEY.fullmatch(text) is not None


def did_you_mean(word: str, candidates: Iterable[str], *, likeness: float = 0.65) -> str | None:
    """The candidate that `word` most likely stands for, or None where none is that much alike (0..1).

    Case, underscores and hyphens count for nothing: `max_results` and `MaxResults` both mean `maxResults`.
    """
    import difflib  # only where somebody has mistyped a key

    folded: dict[str, str] = {}
    for candidate in sorted(candidates):
        folded.setdefault(_fold(candidate), candidate)
    matches = difflib.get_close_matches(_fold(word), folded, n=1, cutoff=likeness)
    return folded[matches[0]] if matches else None


def _fold(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")
