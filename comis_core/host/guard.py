"""Calls into plugins: whatever they raise becomes a PluginError that says what happened, in one line."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from comis_core.config import did_you_mean as nearest_word
from comis_core.errors import ComisError, PluginError

T = TypeVar("T")


def guarded(call: Callable[..., T], *arguments: object) -> T:
    """Call into a plugin.

    Raises:
        ComisError: as the plugin raised it.
        PluginError: for anything else, `sys.exit` and the like included; the original is its cause.
    """
    try:
        return call(*arguments)
    except (ComisError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a plugin that leaves by SystemExit must not take the host along
        raise PluginError(describe(error)) from error


def describe(error: BaseException) -> str:
    """The error's type, words and place in one line: "ValueError: no such file (lane.py:12)"."""
    if isinstance(error, ComisError):
        return one_line(str(error))
    words = one_line(str(error))
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{': ' if words else ''}{words}{place}"


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" for the nearest known word, or nothing."""
    nearest = nearest_word(word, known)
    return f"; did you mean {nearest!r}?" if nearest else ""
