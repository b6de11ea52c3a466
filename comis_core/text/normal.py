"""The form in which text is stored: NFC, without what no store can hold."""

from __future__ import annotations

import functools
import re
import unicodedata

import regex

# A base followed by thousands of combining marks makes normalisation quadratic. Unicode's stream-safe format (UAX #15)
# breaks such a run with a combining grapheme joiner after thirty marks; no language comes near that.
JOINER = "\u034f"


@functools.cache
def _endless_marks() -> regex.Pattern[str]:
    return regex.compile(r"[\p{M}--\u034F]{30}(?=[\p{M}--\u034F])", regex.V1)


def stream_safe(text: str) -> str:
    """Break runs of more than thirty combining marks, so that normalising `text` takes linear time.

    Text without such a run, all of ordinary text, is returned as it is.
    """
    if text.isascii():
        return text
    return str(_endless_marks().sub(lambda run: run[0] + JOINER, text))


def normalise(text: str) -> str:
    """The storage form of `text`: Unicode NFC (stream-safe, UAX #15).

    Idempotent, and equal for canonically equivalent texts. Never raises: `check_text` says what cannot be stored.
    """
    return unicodedata.normalize("NFC", stream_safe(text))


def check_text(text: str) -> None:
    """Make sure that `text` can be stored as UTF-8 in SQLite and come back unchanged.

    Raises:
        ValueError: `text` holds a NUL or a lone surrogate; the message names the first one and its position.
    """
    offender = re.search("[\x00\ud800-\udfff]", text)
    if offender is None:
        return
    kind = "a NUL character" if offender[0] == "\x00" else "a lone surrogate"
    raise ValueError(
        f"{kind} (U+{ord(offender[0]):04X}) at position {offender.start()}: it cannot be stored; remove or replace it"
    )
